// The key of a hasher is not in its exported state, nor can it be computed from it: every algorithm
// that takes a key, on every engine, at every stage of a message.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import millrace from 'millrace';

import { random } from '../support/random.mjs';
import { thrown } from '../support/refusals.mjs';

const engines = ['native', 'portable'];
const hashNames = millrace.getHashes();

/** Returns true if the algorithm accepts a key of this size. */
function accepts(make, key) {
  try {
    make(key, {});
    return true;
  } catch (error) {
    if (['ERR_KEY_SIZE', 'ERR_ARGUMENT_VALUE'].includes(error.code)) return false;
    throw error;
  }
}

/** Every hasher that may take a key; the name is also that of createKey. */
const makers = hashNames.flatMap((name) => [
  {
    name,
    make: (key, options) => millrace.createHash(name, { key, ...options }),
  },
  {
    name: `hmac-${name}`,
    make: (key, options) => millrace.createHmac(name, key, options),
  },
]);

/** Those that do. */
const met = new Set();

/** Hashers of the same key in different stages. */
async function stages(make, message) {
  const updated = () => make().update(message);
  const copied = updated().copy();
  const later = make();
  await later.updateAsync(message);
  const inParts = make();
  for (let at = 0; at < message.length; at += 61) inParts.update(message.subarray(at, at + 61));
  const again = updated();
  again.digest();
  const all = [updated(), copied, later, inParts, again.reset().update(message)];
  if (/xof|^blake3$/.test(updated().algorithm) && updated().squeeze !== undefined) {
    const squeezing = updated();
    squeezing.squeeze(5);
    all.push(squeezing);
  }
  return all;
}

/**
 * Returns what must not be in a state: the key, its hash if it is long, and both with HMAC's pads.
 */
function secretsOf(name, key) {
  const secrets = [key];
  const hash = /^hmac-(.*)/.exec(name)?.[1];
  if (hash !== undefined) secrets.push(millrace.hash(hash, key));
  return secrets.flatMap((secret) =>
    [0, 0x36, 0x5c].map((pad) => Buffer.from(secret.map((byte) => byte ^ pad))),
  );
}

const WINDOW = 8;

function leaks(state, secrets) {
  return secrets.some((secret) => {
    for (let at = 0; at + WINDOW <= secret.length; at += WINDOW)
      if (state.includes(secret.subarray(at, at + WINDOW))) return true;
    return false;
  });
}

/** Returns true if the state is a sponge: its permutation can be inverted up to the key. */
const isSponge = (name) => /^(kmac|hmac-(sha3-|keccak))/.test(name);

for (const { name, make } of makers) {
  const rng = random(`state secrets ${name}`);
  const keys = [16, 32, 64, 200].map((size) => rng.bytes(size)).filter((key) => accepts(make, key));
  if (keys.length === 0) continue;
  met.add(name);

  test(`${name}: the key is not in the state, nor can it be computed from it`, async () => {
    for (const engine of engines) {
      for (const key of keys) {
        const secrets = secretsOf(name, key);
        for (const given of [key, millrace.createKey(name, key, { engine })]) {
          const begin = (more) => make(given, { engine, ...more });
          for (const size of [0, 1, 64, 65, 128, 129, 500, 1024, 1025, 3000]) {
            const what = `${engine}, key of ${key.length} bytes, message of ${size}`;
            for (const hasher of await stages(begin, rng.bytes(size))) {
              let state;
              try {
                state = hasher.exportState();
              } catch (error) {
                assert.equal(error.code, 'ERR_STATE', what);
                assert.match(error.message, new RegExp(`key.*${name}`), what);
                continue;
              }
              assert.ok(!isSponge(name), `${what}: a sponge was exported`);
              assert.ok(!leaks(state, secrets), `${what}: the key is in the state`);
              // A state that was resumed says no more.
              assert.deepEqual(begin({ state }).exportState(), state, what);
              const copy = begin({ state }).copy();
              if (size > 0) assert.ok(!leaks(copy.exportState(), secrets), `${what}: of a copy`);
            }
          }
        }
      }
    }
  });
}

test('all kinds of keyed hashes were met', () => {
  for (const name of ['blake2b512', 'blake2s256', 'blake3', 'kmac128', 'kmac256', 'kmacxof128'])
    assert.ok(met.has(name), name);
  for (const name of ['md5', 'sha256', 'sha3-256', 'keccak256', 'blake2b512', 'blake3'])
    assert.ok(met.has(`hmac-${name}`), name);
});

test('a state that reveals its key is not imported either', () => {
  const key = Buffer.alloc(32, 1);
  const state = millrace.createHash('cshake256').update('abc').exportState();
  for (const { name, make } of makers.filter((each) => isSponge(each.name))) {
    const error = thrown(() => make(key, { state }), name);
    assert.equal(error.code, 'ERR_STATE', name);
    assert.match(error.message, /exports none/, name);
  }
});
