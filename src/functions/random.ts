/** Random bytes and keys, from WebCrypto in every engine. */
import { unsigned } from '../base/arguments.js';
import { makeError, refuseSurplus } from '../base/errors.js';
import type { KeyAlgorithm } from '../catalog/catalog.js';
import { keyTarget } from '../operations/key.js';
import { allocateApart, type Buffer } from '#platform/base/runtime.js';

/** The most bytes that WebCrypto generates in a call. */
const CALL_MAX = 65_536;
/** The most bytes of a result. */
const SIZE_MAX = 2 ** 30;

/**
 * Returns random bytes of the operating system, for keys, nonces and salts.
 *
 * @example
 * ```js
 * import { randomBytes } from 'millrace';
 *
 * const salt = randomBytes(16);
 * ```
 *
 * @param size 0 to 2^30
 * @throws MillraceError ERR_MISSING_ARGUMENT, ERR_ARGUMENT_TYPE, ERR_ARGUMENT_VALUE
 */
export function randomBytes(size: number): Buffer {
  refuseSurplus(arguments, 1, 'randomBytes(size), which returns the bytes');
  if (arguments.length < 1) throw makeError('ERR_MISSING_ARGUMENT', 'randomBytes needs a size');
  const count = unsigned(size, 'size');
  if (count > SIZE_MAX)
    throw makeError('ERR_ARGUMENT_VALUE', `size must be at most ${SIZE_MAX}, not ${count}`);
  return filled(count);
}

/**
 * Returns a random key of the algorithm's size: that of a cipher, of the digest for HMAC, and 32
 * bytes for hashes with a key.
 *
 * @example
 * ```js
 * import { createKey, generateKey } from 'millrace';
 *
 * const bytes = generateKey('aes-256-gcm');
 * const key = createKey('aes-256-gcm', bytes);
 * ```
 *
 * @param algorithm a cipher, `hmac-` and a hash, or a hash with a key, such as `blake3`
 * @throws MillraceError ERR_MISSING_ARGUMENT, ERR_ARGUMENT_TYPE, ERR_ARGUMENT_VALUE,
 *   ERR_UNKNOWN_ALGORITHM
 */
export function generateKey(algorithm: KeyAlgorithm): Buffer {
  refuseSurplus(arguments, 1, 'generateKey(algorithm), which returns the key');
  if (arguments.length < 1)
    throw makeError('ERR_MISSING_ARGUMENT', 'generateKey needs an algorithm');
  return filled(keyTarget(algorithm).randomSize);
}

function filled(size: number): Buffer {
  const target = allocateApart(size);
  for (let offset = 0; offset < size; offset += CALL_MAX)
    globalThis.crypto.getRandomValues(target.subarray(offset, offset + CALL_MAX));
  return target;
}
