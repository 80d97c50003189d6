// Digests take shorter ways than other operations: long messages pass through a window of the
// first-level cache, unless the hash is a tree, and checksums are numbers without text in between.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import millrace from 'millrace';
import * as functions from 'millrace/portable';

import { hashNames } from '../support/algorithms.mjs';

const names = [...hashNames, 'kt128'];
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

/** Returns the calls of both entry points that run the portable engine. */
const callsOf = (name) => [
  (...given) => millrace.hash(name, ...given),
  functions[name.replace('-', '_')],
];

before(() => millrace.configure({ engine: 'portable' }));
after(() => millrace.configure({ engine: 'native' }));

for (const name of names)
  test(`${name} of any length is the same in every encoding`, () => {
    for (const message of messages) {
      const digest = millrace.hash(name, message, { engine: 'native' });
      const hex = digest.toString('hex');
      const texts = { hex, '0xhex': `0x${hex}`, bigint: BigInt(`0x${hex}`) };
      for (const encoding of ['base64', 'base64url']) texts[encoding] = digest.toString(encoding);
      for (const hash of callsOf(name)) {
        for (const [encoding, expected] of Object.entries(texts)) {
          assert.equal(hash(message, encoding), expected);
          assert.equal(hash(message, { encoding }), expected);
        }
        for (const given of [[], ['buffer'], [{}]])
          assert.equal(Buffer.from(hash(message, ...given)).toString('hex'), hex);
      }
    }
  });

test('a number begins with zeros', () => {
  const found = new Set();
  for (let seed = 0; found.size < names.length && seed < 100_000; seed++) {
    const message = Buffer.from(String(seed));
    for (const name of names) {
      const hex = millrace.hash(name, message, 'hex');
      if (!hex.startsWith('00')) continue;
      found.add(name);
      for (const hash of callsOf(name)) assert.equal(hash(message, 'bigint'), BigInt(`0x${hex}`));
    }
  }
  assert.equal(found.size, names.length);
});

test('a digest fits its target, also inside of the message; detached memory is refused', () => {
  for (const name of names) {
    const message = bytes.slice(0, 65_537);
    const hex = millrace.hash(name, message, 'hex');
    const size = hex.length / 2;
    assert.equal(millrace.hash(name, message, { target: message, targetOffset: 9 }), size);
    assert.equal(Buffer.from(message.subarray(9, 9 + size)).toString('hex'), hex);
    structuredClone(message, { transfer: [message.buffer] });
    for (const encoding of ['hex', 'bigint', undefined])
      assert.throws(() => millrace.hash(name, message, encoding), { code: 'ERR_DETACHED' });
  }
});
