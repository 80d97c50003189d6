// Digests take shorter ways than other operations: long messages pass through a window of the
// first-level cache, unless the hash is a tree, and checksums are numbers without text in between.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import millrace from 'millrace';
import * as functions from 'millrace/portable';

const names = ['xxh32', 'xxh64', 'xxh3-64', 'xxh3-128', 'crc32', 'crc32c', 'crc64nvme'].concat(
  ['md5', 'sha1', 'sha256', 'sha384', 'sha512', 'sha3-256', 'keccak512', 'blake2b512'],
  ['blake2s256', 'ripemd160', 'blake3'],
);
const sizes = [0, 1, 5, 64, 1023, 1024, 16_383, 16_384, 16_385, 49_152, 65_537, 300_001];
const bytes = Uint8Array.from({ length: 300_016 }, (_, index) => (index * index) >> 3);
const shared = new Uint8Array(new SharedArrayBuffer(bytes.length));
shared.set(bytes);

/** Each size of message as several kinds of array, one of them not aligned. */
const messages = sizes.flatMap((size) => [
  bytes.slice(0, size),
  bytes.subarray(7, 7 + size),
  Buffer.from(bytes.buffer, 3, size),
  shared.subarray(5, 5 + size),
]);
const wanted = names.map((name) =>
  messages.map((message) => millrace.hash(name, message, { encoding: 'hex', engine: 'native' })),
);

before(() => millrace.configure({ engine: 'portable' }));
after(() => millrace.configure({ engine: 'native' }));

for (const [at, name] of names.entries())
  test(`${name} of any length is the same in every encoding`, () => {
    const own = functions[name.replace('-', '_')];
    for (const [index, message] of messages.entries()) {
      const hex = wanted[at][index];
      for (const hash of [(...given) => millrace.hash(name, ...given), own]) {
        assert.equal(hash(message, 'hex'), hex);
        assert.equal(hash(message, '0xhex'), `0x${hex}`);
        assert.equal(hash(message, 'bigint'), BigInt(`0x${hex}`));
        assert.equal(Buffer.from(hash(message)).toString('hex'), hex);
      }
    }
  });

test('a number begins with zeros', () => {
  const found = new Set();
  for (let seed = 0; found.size < names.length && seed < 100_000; seed++) {
    const message = Buffer.from(String(seed));
    for (const [at, name] of names.entries()) {
      const hex = millrace.hash(name, message, 'hex');
      if (!hex.startsWith('00')) continue;
      found.add(at);
      assert.equal(millrace.hash(name, message, 'bigint'), BigInt(`0x${hex}`));
      assert.equal(functions[name.replace('-', '_')](message, 'bigint'), BigInt(`0x${hex}`));
    }
  }
  assert.equal(found.size, names.length);
});

test('a digest fits its target, also inside of the message', () => {
  for (const name of names) {
    const message = bytes.slice(0, 65_537);
    const hex = millrace.hash(name, message, 'hex');
    const size = hex.length / 2;
    assert.equal(millrace.hash(name, message, { target: message, targetOffset: 9 }), size);
    assert.equal(Buffer.from(message.subarray(9, 9 + size)).toString('hex'), hex);
  }
});

test('detached memory is refused', () => {
  for (const name of names) {
    const message = bytes.slice(0, 64);
    structuredClone(message, { transfer: [message.buffer] });
    for (const encoding of ['hex', 'bigint', undefined])
      assert.throws(() => millrace.hash(name, message, encoding), { code: 'ERR_DETACHED' });
  }
});
