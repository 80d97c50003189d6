// millrace/overrides: the answers of @noble/post-quantum.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import * as dsaModule from '@noble/post-quantum/ml-dsa.js';
import * as kemModule from '@noble/post-quantum/ml-kem.js';
import { noblePostQuantum } from 'millrace/overrides';

import { poisoned } from '../support/noble-curves.mjs';
import { random } from '../support/random.mjs';
import { assertSame, assertSameHostile } from '../support/same-answers.mjs';

const numbers = random('post-quantum');
const bytes = (size) => new Uint8Array(numbers.bytes(size));
const changed = (array) => {
  const copy = Uint8Array.from(array);
  copy[numbers.below(copy.length)] ^= 1 << numbers.below(8);
  return copy;
};
/** Returns the functions of an algorithm that compare it with the original. */
const comparing = (module, name) => {
  const [original, ours] = [module[name], noblePostQuantum(module)[name]];
  const same = (call, ...given) => assertSame(original[call], ours[call], given, `${name}.${call}`);
  return { original, ours, same };
};

test('@noble/post-quantum: modules keep what Millrace does not replace', () => {
  for (const module of [kemModule, dsaModule]) {
    const ours = noblePostQuantum(module);
    assert.deepEqual(Object.keys(ours).sort(), Object.keys(module).sort());
    for (const [name, value] of Object.entries(module)) {
      if (ours[name] === value) continue;
      assert.deepEqual(Object.keys(ours[name]), Object.keys(value), name);
      assert.ok(Object.isFrozen(ours[name]));
      assert.equal(ours[name].lengths, value.lengths);
    }
  }
});

for (const name of ['ml_kem512', 'ml_kem768', 'ml_kem1024'])
  test(`@noble/post-quantum: ${name}`, () => {
    const { original, ours, same } = comparing(kemModule, name);
    for (let round = 0; round < 5; round++) {
      const seed = bytes(64);
      same('keygen', seed);
      const { publicKey, secretKey } = original.keygen(seed);
      same('getPublicKey', secretKey);
      same('encapsulate', publicKey, bytes(32));
      const { cipherText, sharedSecret } = ours.encapsulate(publicKey);
      assert.deepEqual(original.decapsulate(cipherText, secretKey), sharedSecret);
      same('decapsulate', cipherText, secretKey);
      // Implicit rejection.
      same('decapsulate', changed(cipherText), secretKey);
      same('decapsulate', cipherText, changed(secretKey));
      // A coefficient beyond the modulus.
      const beyond = Uint8Array.from(publicKey).fill(255, 0, 3);
      same('encapsulate', beyond, bytes(32));
      assert.throws(() => ours.encapsulate(beyond), /wrong publicKey modulus/);
    }
    const pair = original.keygen(bytes(64));
    const { cipherText } = original.encapsulate(pair.publicKey, bytes(32));
    const good = {
      keygen: [bytes(64)],
      encapsulate: [pair.publicKey, bytes(32)],
      decapsulate: [cipherText, pair.secretKey],
    };
    for (const [call, [first, ...more]] of Object.entries(good))
      assertSameHostile(
        (value) => original[call](value ?? null, ...more),
        (value) => ours[call](value ?? null, ...more),
        [first],
        `${name}.${call}`,
      );
    const alone = noblePostQuantum({ [name]: poisoned(original) })[name];
    const own = alone.keygen();
    const made = alone.encapsulate(own.publicKey);
    assert.deepEqual(alone.decapsulate(made.cipherText, own.secretKey), made.sharedSecret);
    assert.notDeepEqual(alone.keygen().secretKey, own.secretKey);
  });

for (const name of ['ml_dsa44', 'ml_dsa65', 'ml_dsa87'])
  test(`@noble/post-quantum: ${name}`, () => {
    const { original, ours, same } = comparing(dsaModule, name);
    for (const size of [0, 1, 32, 1000]) {
      const [seed, message] = [bytes(32), bytes(size)];
      same('keygen', seed);
      const { publicKey, secretKey } = original.keygen(seed);
      same('getPublicKey', secretKey);
      for (const options of [{ extraEntropy: false }, { extraEntropy: bytes(32) }, null, 1])
        same('sign', message, secretKey, options);
      same('sign', message, secretKey, { extraEntropy: false, context: bytes(3) });
      const signature = ours.sign(message, secretKey);
      assert.equal(original.verify(signature, message, publicKey), true);
      assert.notDeepEqual(ours.sign(message, secretKey), signature, 'signatures are hedged');
      same('verify', original.sign(message, secretKey), message, publicKey);
      for (const options of [undefined, {}, { context: bytes(1) }, null])
        same('verify', signature, message, publicKey, options);
      same('verify', changed(signature), message, publicKey);
      same('verify', signature, bytes(33), publicKey);
      same('verify', signature, message, changed(publicKey));
      same('verify', signature.subarray(1), message, publicKey);
    }
    const { publicKey, secretKey } = original.keygen(bytes(32));
    const [message, signature] = [bytes(20), original.sign(bytes(20), secretKey)];
    assertSameHostile(original.verify, ours.verify, [signature, message, publicKey], name);
    assertSameHostile(original.getPublicKey, ours.getPublicKey, [secretKey], name);
    const alone = noblePostQuantum({ [name]: poisoned(original) })[name];
    const own = alone.keygen(bytes(32));
    assert.deepEqual(alone.getPublicKey(own.secretKey), own.publicKey);
    assert.equal(alone.verify(alone.sign(message, own.secretKey), message, own.publicKey), true);
    assert.equal(alone.verify(alone.sign(message, own.secretKey), bytes(9), own.publicKey), false);
  });
