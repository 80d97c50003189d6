/** PBKDF2 (RFC 8018) over the HMAC of a family's hash. */
import { secretMemory, wipe } from '../../base/secret-memory.js';
import { within } from './family.js';
import type { FamilyHash } from './hash.js';
import { Hmac, writeKeyStates, type MacSizes } from './hmac.js';

/** Iterations of a step: some milliseconds. */
export const STEP = 4096;

/** Derives a key. */
export function pbkdf2(...given: Parameters<typeof pbkdf2Steps>): void {
  for (const _ of pbkdf2Steps(...given));
}

/** Derives a key, and pauses between steps. */
export function* pbkdf2Steps(
  hash: FamilyHash,
  sizes: MacSizes,
  password: Uint8Array,
  salt: Uint8Array,
  iterations: number,
  target: Uint8Array,
): Generator<void> {
  const { digestSize, stateSize } = sizes;
  const states = secretMemory(2 * stateSize);
  const mac = new Hmac(hash, sizes, states);
  const numbered = new Uint8Array(salt.length + 4);
  numbered.set(salt);
  const number = new DataView(numbered.buffer, salt.length);
  const last = secretMemory(digestSize);
  const sum = secretMemory(digestSize);
  try {
    writeKeyStates(hash, sizes, password, states);
    for (let at = 0, block = 1; at < target.length; at += digestSize, block++) {
      number.setUint32(0, block);
      mac.mac(numbered, last);
      sum.set(last);
      for (let left = iterations - 1; left > 0; left -= STEP) {
        iterate(hash, mac, states, stateSize, last, sum, Math.min(left, STEP));
        yield;
      }
      target.set(sum.subarray(0, Math.min(digestSize, target.length - at)), at);
    }
  } finally {
    mac.dispose();
    wipe(last);
    wipe(sum);
  }
}

/**
 * Computes more iterations and adds them to the sum: by the module, if it has a function for it.
 */
function iterate(
  { family, id }: FamilyHash,
  mac: Hmac,
  states: Uint8Array,
  stateSize: number,
  last: Uint8Array,
  sum: Uint8Array,
  count: number,
): void {
  const calls = family.open();
  if (calls.iterate === undefined) {
    for (let left = count; left > 0; left--) {
      mac.mac(last, last);
      for (let index = 0; index < sum.length; index++) sum[index]! ^= last[index]!;
    }
    return;
  }
  const inputs = [states.subarray(0, stateSize), states.subarray(stateSize), last, sum];
  within(family, inputs, ({ iterate }, [inner = 0, outer = 0, first = 0, result = 0]) => {
    iterate!(id, inner, outer, first, result, sum.length, count);
    const bytes = family.bytes();
    sum.set(bytes.subarray(result, result + sum.length));
    last.set(bytes.subarray(first, first + last.length));
  });
}
