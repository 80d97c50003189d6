// What holds of each hash of the portable engine, in JavaScript and with WebAssembly, checked by
// the native engine.

import assert from 'node:assert/strict';
import { catalog, nativeHash, nativeMac, Refused } from './raw-states.mjs';

export const NOTHING = new Uint8Array(0);

/** Sizes beside the borders of blocks, chunks and what is short. */
export function sizesAround({ blockSize, name }) {
  const borders = [
    0,
    blockSize,
    2 * blockSize,
    3 * blockSize,
    64,
    128,
    240,
    256,
    512,
    1024,
    2048,
    3072,
    4096,
  ];
  if (name === 'blake3') borders.push(5 * 1024, 7 * 1024, 8 * 1024, 16 * 1024, 31 * 1024);
  return [
    ...new Set(borders.flatMap((border) => [-9, -1, 0, 1, 17].map((step) => border + step))),
  ].filter((size) => size >= 0);
}

/** Seeds and keys that a hash takes. */
export function paramsOf({ seedBits, keySize }, rng) {
  const params = [{ seed: 0n, key: undefined }];
  if (seedBits > 0)
    params.push(
      { seed: BigInt(`0x${rng.bytes(seedBits / 8).toString('hex')}`), key: undefined },
      { seed: (1n << BigInt(seedBits)) - 1n, key: undefined },
    );
  if (keySize > 0) params.push({ seed: 0n, key: rng.bytes(keySize) });
  return params;
}

/** Bytes at an address that is no multiple of 2, 4 or 8, or one that is. */
export function placed(bytes, offset) {
  const memory = new Uint8Array(bytes.length + 8);
  memory.set(bytes, offset);
  return memory.subarray(offset, offset + bytes.length);
}

/** A message whole, and in two pieces with the state between by either engine. */
export function checkMessage(facts, portable, params, message, cut, size) {
  const native = nativeHash(facts.id);
  const what = `${facts.name} of ${message.length} bytes, cut at ${cut}`;
  const expected = new Uint8Array(size);
  native.digest(params, message, expected);
  const actual = new Uint8Array(size);
  portable.digest(params, message, actual);
  assert.deepEqual(actual, expected, what);

  const [first, rest] = [message.subarray(0, cut), message.subarray(cut)];
  const [ours, theirs] = [new Uint8Array(facts.stateSize), new Uint8Array(facts.stateSize)];
  portable.update(params, NOTHING, first, ours);
  native.update(params, NOTHING, first, theirs);
  assert.deepEqual(ours, theirs, `${what}: the state`);
  portable.check(params, ours);
  // Either goes on from the other's.
  for (const [engine, state] of [
    [portable, theirs],
    [native, ours],
  ]) {
    engine.finish(params, state, rest, actual.fill(0));
    assert.deepEqual(actual, expected, `${what}: in two`);
  }
  // In place, as running hashes do it.
  portable.update(params, ours, rest, ours);
  native.update(params, theirs, rest, theirs);
  assert.deepEqual(ours, theirs, `${what}: the second state`);
  portable.finish(params, ours, NOTHING, actual.fill(0));
  assert.deepEqual(actual, expected, `${what}: in three`);
}

/** The same for HMAC. */
export function checkMac(facts, prepareMac, key, message, cut) {
  const [ours, theirs] = [prepareMac(facts.id, key), nativeMac(facts.id, key)];
  const what = `HMAC of ${facts.name}, ${key.length} bytes of key, ${message.length} of message`;
  const [expected, actual] = [new Uint8Array(facts.digestSize), new Uint8Array(facts.digestSize)];
  theirs.mac(message, expected);
  for (let turn = 0; turn < 2; turn++) {
    ours.mac(message, actual.fill(0));
    assert.deepEqual(actual, expected, what);
  }
  const [state, other] = [new Uint8Array(facts.stateSize), new Uint8Array(facts.stateSize)];
  ours.update(NOTHING, message.subarray(0, cut), state);
  theirs.update(NOTHING, message.subarray(0, cut), other);
  assert.deepEqual(state, other, `${what}: the state`);
  ours.finish(other, message.subarray(cut), actual.fill(0));
  assert.deepEqual(actual, expected, `${what}: in two`);
  ours.finish(NOTHING, message, actual.fill(0));
  assert.deepEqual(actual, expected, `${what}: at once`);
  ours.dispose();
}

/** What came of a call: the bytes written, or that the state was refused. */
export function outcome(refusal, call, ...targets) {
  try {
    call(...targets);
    return targets;
  } catch (error) {
    if (error instanceof refusal || error?.name === 'StateError') return 'refused';
    throw error;
  }
}

export { catalog, nativeHash, Refused };
