/** HKDF and PBKDF2 of millrace/noble-hashes in browsers: by the modules of hashes. */
import { hkdf as derive, hkdfExpand } from '../../portable/families/hash-derivations.js';
import { pbkdf2Steps } from '../../portable/families/pbkdf2.js';
import { NO_BYTES } from '../../base/intrinsics.js';
import { secretMemory } from '../../base/secret-memory.js';
import type { Algorithm } from './algorithms.browser.js';
import { inputsOf, wipeInputs } from '../../portable/text-inputs.js';
import { nextTurn } from '../../base/runtime.browser.js';
import type { FreshBytes } from '../../base/platform-types.js';
import type { ExpandGiven, HkdfGiven, Pbkdf2Given } from './derivations.js';

/** Derives with HKDF (RFC 5869). */
export function hkdf(...[algorithm, ikm, salt, info, size]: HkdfGiven<Algorithm>): FreshBytes {
  const target = secretMemory(size);
  derive(algorithm.hash, algorithm, ikm, salt, info, target);
  return target;
}

/** Expands a uniform key with HKDF. */
export function expand(...[algorithm, key, info, size]: ExpandGiven<Algorithm>): FreshBytes {
  const target = secretMemory(size);
  hkdfExpand(algorithm.hash, algorithm, key, info, target);
  return target;
}

/** Derives with PBKDF2, and pauses between steps. */
function* pbkdf2Of(
  [algorithm, password, salt, iterations]: Pbkdf2Given<Algorithm>,
  target: Uint8Array,
): Generator<void> {
  const inputs = inputsOf(password, salt);
  const [secret = NO_BYTES, other = NO_BYTES] = inputs.bytes;
  try {
    yield* pbkdf2Steps(algorithm.hash, algorithm, secret, other, iterations, target);
  } finally {
    wipeInputs(inputs);
  }
}

/** Derives with PBKDF2 (RFC 8018). */
export function pbkdf2(...given: Pbkdf2Given<Algorithm>): FreshBytes {
  const [, , , , size] = given;
  const target = secretMemory(size);
  for (const _ of pbkdf2Of(given, target));
  return target;
}

/** Derives with PBKDF2, and gives way to other events after each `tick` milliseconds. */
export async function pbkdf2Later(...given: Pbkdf2Given<Algorithm>): Promise<FreshBytes> {
  const [, , , , size, tick] = given;
  const target = secretMemory(size);
  let begin = Date.now();
  for (const _ of pbkdf2Of(given, target)) {
    const passed = Date.now() - begin;
    // The clock may have been set back.
    if (passed >= 0 && passed < tick) continue;
    await new Promise<void>((resolve) => nextTurn(resolve));
    begin = Date.now();
  }
  return target;
}
