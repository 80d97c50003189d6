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
    // The oracles in JavaScript are slow: on long strings the library's own answer over bytes must
    // do.
    const isLong = bytes.length > 2 ** 16;
    for (const algorithm of bytes.length > 2 ** 21 ? ['sha256'] : hashNames) {
      const expected = isLong
        ? millrace.hash(algorithm, bytes)
        : oracle({ kind: 'hash', algorithm, source: bytes }).output;
      assert.deepEqual(millrace.hash(algorithm, string), expected, algorithm);
      assert.deepEqual(await promises.hash(algorithm, string), expected, algorithm);
    }
    const hex = createHash('sha256').update(bytes).digest('hex');
    const mac = (key, source) =>
      oracle({ kind: 'hmac', algorithm: 'sha256', key, source: Buffer.from(source) }).output;
    const job = { kind: 'cipher', algorithm: 'aes-256-gcm', encrypt: true, key, iv: nonce };
    const { output, tag } = oracle({ ...job, source: bytes, aad: bytes });
    for (const { hash, hmac, open, seal } of [millrace, promises]) {
      assert.equal(await hash('sha256', string, 'hex'), hex);
      assert.equal(await hash('sha256', string, 'bigint'), BigInt(`0x${hex}`));
      assert.deepEqual(await hmac('sha256', string, string), mac(bytes, bytes));
      const sealed = await seal('aes-256-gcm', { key, nonce, source: string, aad: string });
      assert.ok(sealed.equals(Buffer.concat([output, tag])));
      const opened = await open('aes-256-gcm', { key, nonce, source: sealed, aad: string });
      assert.ok(opened.equals(bytes));
    }
    const prepared = millrace.createKey('hmac-sha256', string);
    assert.deepEqual(millrace.hmac('sha256', prepared, 'x'), mac(bytes, 'x'));
  });
}

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
  for (const [known, ...names] of [
    ['sha256', 'SHA256', 'Sha256', 'sha-256', 'SHA2-256'],
    ['sha512-256', 'SHA-512/256', 'sha512/256'],
    ['ripemd160', 'RIPEMD160', 'rmd160'],
  ])
    for (const name of names)
      assert.deepEqual(millrace.hash(name, 'abc'), millrace.hash(known, 'abc'), name);
  const sealing = { key, nonce, source: 'abc' };
  for (const name of ['AES-256-GCM', 'id-aes256-GCM'])
    assert.deepEqual(millrace.seal(name, sealing), millrace.seal('aes-256-gcm', sealing), name);
});
