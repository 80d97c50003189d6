// Strings stand for their UTF-8 bytes, as everywhere in Node: whatever Buffer.from makes of them.

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';

import millrace from 'millrace';
import promises from 'millrace/promises';

import { hashNames } from '../support/algorithms.mjs';
import { oracle } from '../support/oracles.mjs';

const key = Buffer.alloc(32, 1);
const nonce = Buffer.alloc(12, 2);

const strings = {
  empty: '',
  ASCII: 'The quick brown fox',
  'Latin-1': 'caf\u00e9 \u00ff\u0080',
  'two bytes a unit': '\u03b1\u03b2\u03b3 \u4e16\u754c',
  'surrogate pairs': '\u{1f600}\u{10ffff}\u{10000}',
  'lone high surrogate': 'a\ud800b',
  'lone low surrogate': 'a\udc00b',
  'lone surrogates at the ends': '\udfff middle \ud834',
  'surrogates in the wrong order': '\udc00\ud800',
  'NUL within': 'a\0b\0',
  'byte order mark': '\ufeffmarked',
  'not normalized': 'e\u0301 \u00e9',
  rope: 'left '.concat('right '.repeat(50)) + Math.PI,
  slice: 'x'.repeat(1000).slice(10, 990),
  'sliced in a pair': '\u{1f600}'.repeat(20).slice(1, 30),
  '1 MiB': 'a'.repeat(2 ** 20),
  '1 MiB of two-byte units': '\u00e9'.repeat(2 ** 19),
  '9 MiB': '\u4e16'.repeat(3 * 2 ** 20),
  '32 MiB': 'abcdefgh'.repeat(2 ** 22),
};

for (const [name, string] of Object.entries(strings)) {
  test(`data: ${name}`, async () => {
    const bytes = Buffer.from(string, 'utf8');
    const few = bytes.length > 2 ** 21 ? ['sha256'] : hashNames;
    for (const algorithm of few) {
      const expected =
        few.length === 1
          ? createHash(algorithm).update(bytes).digest()
          : oracle({
              kind: 'hash',
              algorithm,
              source: bytes.length > 2 ** 16 ? Buffer.alloc(0) : bytes,
            }).output;
      // The oracles in JavaScript are slow: on long strings the library's own answer over bytes
      // must do.
      const wanted =
        few.length > 1 && bytes.length > 2 ** 16 ? millrace.hash(algorithm, bytes) : expected;
      assert.deepEqual(millrace.hash(algorithm, string), wanted, algorithm);
      assert.deepEqual(await promises.hash(algorithm, string), wanted, algorithm);
    }
    const hex = createHash('sha256').update(bytes).digest('hex');
    for (const entryPoint of [millrace, promises]) {
      assert.equal(await entryPoint.hash('sha256', string, 'hex'), hex);
      assert.equal(await entryPoint.hash('sha256', string, 'bigint'), BigInt(`0x${hex}`));
      assert.deepEqual(
        await entryPoint.hmac('sha256', string, string),
        oracle({ kind: 'hmac', algorithm: 'sha256', key: bytes, source: bytes }).output,
      );
      const sealed = oracle({
        kind: 'cipher',
        algorithm: 'aes-256-gcm',
        encrypt: true,
        key,
        iv: nonce,
        source: bytes,
        aad: bytes,
      });
      const result = await entryPoint.seal('aes-256-gcm', {
        key,
        nonce,
        source: string,
        aad: string,
      });
      assert.ok(result.equals(Buffer.concat([sealed.output, sealed.tag])));
      assert.ok(
        (await entryPoint.open('aes-256-gcm', { key, nonce, source: result, aad: string })).equals(
          bytes,
        ),
      );
    }
    assert.deepEqual(
      millrace.hmac('sha256', millrace.createKey('hmac-sha256', string), 'x'),
      oracle({ kind: 'hmac', algorithm: 'sha256', key: bytes, source: Buffer.from('x') }).output,
    );
  });
}

test('String objects are not strings', async () => {
  for (const entryPoint of [millrace, promises]) {
    await assert.rejects(async () => entryPoint.hash('sha256', new String('text')), {
      code: 'ERR_ARGUMENT_TYPE',
    });
    await assert.rejects(async () => entryPoint.hmac('sha256', new String('key'), 'text'), {
      code: 'ERR_ARGUMENT_TYPE',
    });
  }
});

test('a call with a string as data writes its target', async () => {
  for (const entryPoint of [millrace, promises]) {
    const target = Buffer.alloc(40);
    assert.equal(await entryPoint.hash('sha256', 'abc', { target, targetOffset: 4 }), 32);
    assert.equal(
      target.toString('hex', 4, 36),
      'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
    );
  }
});

test('an algorithm is found by its name in any case, and by its common aliases', () => {
  for (const name of ['sha256', 'SHA256', 'Sha256', 'sha-256', 'SHA2-256'])
    assert.deepEqual(millrace.hash(name, 'abc'), millrace.hash('sha256', 'abc'), name);
  for (const name of ['sha512-256', 'SHA-512/256', 'sha512/256'])
    assert.deepEqual(millrace.hash(name, 'abc'), millrace.hash('sha512-256', 'abc'), name);
  for (const name of ['AES-256-GCM', 'id-aes256-GCM']) {
    assert.deepEqual(
      millrace.seal(name, { key, nonce, source: 'abc' }),
      millrace.seal('aes-256-gcm', { key, nonce, source: 'abc' }),
      name,
    );
  }
  assert.deepEqual(millrace.hash('RIPEMD160', 'abc'), millrace.hash('rmd160', 'abc'));
});
