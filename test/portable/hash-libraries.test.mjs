// What src/portable/hashes uses of libraries beyond what they promise: a new version that changes
// it is to be seen here first.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

import * as blake2 from '@noble/hashes/blake2.js';
import * as legacy from '@noble/hashes/legacy.js';
import * as sha2 from '@noble/hashes/sha2.js';

/** Name, bytes of a block, of the digest, words of 32 bits, little-endian. */
const merkleDamgard = [
  [legacy._MD5, 64, 16, 4, true],
  [legacy._SHA1, 64, 20, 5, false],
  [legacy._RIPEMD160, 64, 20, 5, true],
  [sha2._SHA384, 128, 48, 16, false],
  [sha2._SHA512, 128, 64, 16, false],
  [sha2._SHA512_224, 128, 28, 16, false],
  [sha2._SHA512_256, 128, 32, 16, false],
];

for (const [Hash, block, size, words, little] of merkleDamgard) {
  test(
    `@noble/hashes ${Hash.name}: words go in and come out, blocks are taken in, the ` +
      'schedule is wiped',
    () => {
      const hash = new Hash();
      assert.deepEqual([hash.blockLen, hash.outputLen, hash.isLE], [block, size, little]);
      assert.equal(hash.get().length, words);
      const other = new Hash();
      // What comes out can go in elsewhere, more words than it has do no harm.
      other.process(new DataView(new Uint8Array(3 * block).fill(7).buffer), block);
      hash.set(...other.get(), ...new Array(16 - words).fill(99));
      assert.deepEqual(hash.get(), other.get());
      assert.notDeepEqual(hash.get(), new Hash().get());
      // By one whole block and the padding of one, what digest() says.
      const message = Uint8Array.from({ length: block }, (_, index) => index);
      const expected = new Hash().update(message).digest();
      const bare = new Hash();
      const padded = new DataView(new ArrayBuffer(2 * block));
      new Uint8Array(padded.buffer).set(message);
      padded.setUint8(block, 0x80);
      padded.setUint32(2 * block - (little ? 8 : 4), 8 * block, little);
      bare.process(padded, 0);
      bare.process(padded, block);
      bare.roundClean();
      const digest = new DataView(new ArrayBuffer(4 * words));
      for (const [index, word] of bare.get().entries()) digest.setInt32(4 * index, word, little);
      assert.deepEqual(new Uint8Array(digest.buffer).slice(0, size), Uint8Array.from(expected));
    },
  );
}

for (const [Hash, block, size, words] of [[blake2._BLAKE2b, 128, 64, 16]]) {
  test(`@noble/hashes ${Hash.name}: words, the count, and one block at a time`, () => {
    const hash = new Hash();
    assert.deepEqual([hash.blockLen, hash.outputLen, hash.get().length], [block, size, words]);
    const message = Uint8Array.from({ length: 2 * block }, (_, index) => index);
    const bare = new Hash();
    bare.set(...hash.get(), ...new Array(16 - words).fill(99));
    const all = new Uint32Array(message.buffer);
    bare.length = block;
    bare.compress(all, 0, false);
    bare.length = 2 * block;
    bare.compress(all, block / 4, true);
    assert.deepEqual(
      new Uint8Array(Int32Array.from(bare.get()).buffer),
      Uint8Array.from(new Hash().update(message).digest()),
    );
    // Whatever it counts by itself, the count is what was set.
    assert.equal(bare.length, 2 * block);
  });
}

test('the versions that this was read in', () => {
  const { devDependencies } = JSON.parse(
    readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
  );
  assert.match(devDependencies['@noble/hashes'], /^\^?2\.4\./);
  assert.match(devDependencies['hash-wasm'], /^\^?4\.13\./);
});
