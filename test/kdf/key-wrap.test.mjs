// AES key wrap: Project Wycheproof, node:crypto, every engine and call style, bad input.

import assert from 'node:assert/strict';
import { createCipheriv, createDecipheriv, createSecretKey, getCiphers } from 'node:crypto';
import { test } from 'node:test';

import millrace from 'millrace';
import * as portable from 'millrace/portable';
import promises from 'millrace/promises';

import { random } from '../support/random.mjs';
import { refuses } from '../support/refusals.mjs';
import { hex, wycheproof } from '../support/vectors.mjs';
import { ways } from '../support/ways.mjs';

const names = ['128', '192', '256'].flatMap((bits) => [`aes-${bits}-kw`, `aes-${bits}-kwp`]);
const keySize = (algorithm) => Number(algorithm.slice(4, 7)) / 8;

/** Each engine, and millrace/portable by itself, as `(method, algorithm, key, source)`. */
const engines = {
  ...Object.fromEntries(
    ['native', 'portable'].map((engine) => [
      engine,
      (method, algorithm, key, source) => millrace[method](algorithm, { key, source, engine }),
    ]),
  ),
  'millrace/portable': (method, algorithm, key, source) =>
    portable[method](algorithm, { key, source }),
};

for (const [engine, call] of Object.entries(engines)) {
  test(`Wycheproof, ${engine}`, () => {
    const counts = { valid: 0, invalid: 0, refused: 0 };
    for (const { algorithm, id, result, key, msg, ct, comment } of wycheproof('wrap')) {
      const what = `${algorithm} ${id}: ${comment}`;
      const [wrapping, plain, wrapped] = [key, msg, ct].map(hex);
      const unwrap = () => call('unwrapKey', algorithm, wrapping, wrapped);
      const size = wrapped.length;
      if (size % 8 !== 0 || size < (algorithm.endsWith('p') ? 16 : 24)) {
        assert.notEqual(result, 'valid', what);
        assert.throws(unwrap, { code: 'ERR_SOURCE_SIZE' }, what);
        counts.refused++;
      } else if (result === 'valid') {
        assert.deepEqual(Buffer.from(call('wrapKey', algorithm, wrapping, plain)), wrapped, what);
        assert.deepEqual(Buffer.from(unwrap()), plain, what);
        assert.equal(unwrap().buffer.byteLength, plain.length, 'separate memory');
        counts.valid++;
      } else {
        assert.throws(unwrap, { code: 'ERR_AUTHENTICATION' }, what);
        counts.invalid++;
      }
    }
    assert.deepEqual(counts, { valid: 113, invalid: 246, refused: 60 });
  });
}

test('every size is wrapped as by node:crypto, which has KWP in some builds', async () => {
  const rng = random('key wrap');
  const had = new Set(getCiphers());
  let compared = 0;
  for (const algorithm of names) {
    const padded = algorithm.endsWith('p');
    const bits = algorithm.slice(4, 7);
    const nodes = [`id-aes${bits}-wrap${padded ? '-pad' : ''}`, `aes${bits}-wrap-pad`].find(
      (name) => had.has(name),
    );
    const sizes = padded ? [1, 7, 8, 9, 15, 16, 17, 100] : [16, 24, 32, 40, 64, 4096];
    for (const size of sizes) {
      const [key, source] = [rng.bytes(keySize(algorithm)), rng.bytes(size)];
      const wrapped = millrace.wrapKey(algorithm, { key, source });
      assert.equal(wrapped.length, Math.ceil(size / 8) * 8 + 8);
      for (const call of Object.values(engines)) {
        assert.deepEqual(Buffer.from(call('wrapKey', algorithm, key, source)), wrapped);
        const back = call('unwrapKey', algorithm, key, wrapped);
        assert.deepEqual(Buffer.from(back), Buffer.from(source));
        const changed = Buffer.from(wrapped);
        changed[rng.below(changed.length)] ^= 1 << rng.below(8);
        assert.throws(() => call('unwrapKey', algorithm, key, changed), {
          code: 'ERR_AUTHENTICATION',
        });
      }
      const keys = { key: createSecretKey(key), source: createSecretKey(source) };
      const sealed = { key, source: wrapped };
      for (const way of [ways.callback, ways.promise]) {
        assert.deepEqual(await way('wrapKey', algorithm, keys), wrapped);
        assert.deepEqual(await way('unwrapKey', algorithm, sealed), source);
      }
      if (nodes === undefined) continue;
      const iv = padded ? Buffer.from('a65959a6', 'hex') : Buffer.alloc(8, 0xa6);
      const cipher = createCipheriv(nodes, key, iv);
      assert.deepEqual(Buffer.concat([cipher.update(source), cipher.final()]), wrapped, nodes);
      const decipher = createDecipheriv(nodes, key, iv);
      const plain = Buffer.concat([decipher.update(wrapped), decipher.final()]);
      assert.deepEqual(plain, Buffer.from(source), nodes);
      compared++;
    }
  }
  assert.ok(compared >= 18, `node:crypto was asked ${compared} times`);
});

test('an asynchronous call reads its keys at the call, and can be aborted', async () => {
  const [key, source] = [Buffer.alloc(16, 1), Buffer.alloc(32, 2)];
  const expected = millrace.wrapKey('aes-128-kw', { key, source });
  for (const engine of ['native', 'portable']) {
    const [mine, other] = [Buffer.from(key), Buffer.from(source)];
    const promise = promises.wrapKey('aes-128-kw', { key: mine, source: other, engine });
    mine.fill(9);
    other.fill(9);
    assert.deepEqual(await promise, expected);
    const signal = AbortSignal.abort(new Error('stop'));
    await assert.rejects(promises.wrapKey('aes-128-kw', { key, source, engine, signal }), /stop/);
    await assert.rejects(
      promises.unwrapKey('aes-128-kw', { key: source.subarray(16), source: expected, engine }),
      { code: 'ERR_AUTHENTICATION' },
    );
  }
});

test('wrong arguments are refused', async () => {
  const [key, source] = [Buffer.alloc(16, 1), Buffer.alloc(24, 2)];
  const given = { key, source };
  for (const [method, algorithm, options, code, message] of [
    ['wrapKey', 'aes-128-kw', undefined, 'ERR_MISSING_ARGUMENT', /options.key/],
    ['wrapKey', 'aes-128-kw', { key }, 'ERR_MISSING_ARGUMENT', /options.source/],
    ['unwrapKey', 'aes-128-kw', { source }, 'ERR_MISSING_ARGUMENT', /options.key/],
    ['wrapKey', 5, given, 'ERR_ARGUMENT_TYPE', /algorithm/],
    ['wrapKey', 'aes-128-gcm', given, 'ERR_UNKNOWN_ALGORITHM', /aes-128-kw/],
    ['unwrapKey', 'aes-512-kw', given, 'ERR_UNKNOWN_ALGORITHM', /aes-256-kwp/],
    ['wrapKey', 'aes-128-kw', { ...given, key: 'text' }, 'ERR_ARGUMENT_TYPE', /options.key/],
    ['wrapKey', 'aes-128-kw', { ...given, source: 5 }, 'ERR_ARGUMENT_TYPE', /options.source/],
    ['unwrapKey', 'aes-128-kw', { ...given, source: 'x' }, 'ERR_ARGUMENT_TYPE', /options.source/],
    ['wrapKey', 'aes-256-kw', given, 'ERR_KEY_SIZE', /32 bytes, not 16/],
    ['unwrapKey', 'aes-192-kwp', given, 'ERR_KEY_SIZE', /24 bytes, not 16/],
    ['wrapKey', 'aes-128-kw', { key, source: key.subarray(8) }, 'ERR_SOURCE_SIZE', /has 8/],
    ['wrapKey', 'aes-128-kw', { key, source: source.subarray(1) }, 'ERR_SOURCE_SIZE', /has 23/],
    ['wrapKey', 'aes-128-kwp', { key, source: key.subarray(16) }, 'ERR_SOURCE_SIZE', /has 0/],
    ['wrapKey', 'aes-128-kwp', { key, source: Buffer.alloc(65_537) }, 'ERR_SOURCE_SIZE', /65536/],
    ['unwrapKey', 'aes-128-kw', { key, source: key }, 'ERR_SOURCE_SIZE', /has 16/],
    ['unwrapKey', 'aes-128-kwp', { key, source: Buffer.alloc(65_552) }, 'ERR_SOURCE_SIZE', /65544/],
    ['wrapKey', 'aes-128-kw', { ...given, nonce: key }, 'ERR_ARGUMENT_VALUE', /nonce/],
  ]) {
    await refuses(method, [algorithm, options], code, message);
    assert.throws(() => portable[method](algorithm, options), { code, message }, `${method} alone`);
  }
  await refuses('wrapKey', ['aes-128-kw'], 'ERR_MISSING_ARGUMENT', /options/);
  const longest = Buffer.alloc(65_536, 3);
  for (const engine of ['native', 'portable']) {
    const wrapped = millrace.wrapKey('aes-128-kw', { key, source: longest, engine });
    const back = await promises.unwrapKey('aes-128-kw', { key, source: wrapped, engine });
    assert.ok(back.equals(longest), engine);
  }
});
