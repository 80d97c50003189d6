/** deriveBits: HKDF, PBKDF2 and Argon2. */
import { parserOfArgon2 } from '../../kdf/password-derivations.js';
import { parserOf } from '../../kdf/parsers.js';
import { sizeOf } from '../../base/arguments.js';
import { Operation } from '../../base/frame.js';
import type { Algorithm } from './dictionaries.js';
import type { Kept } from './keys.js';
import { check, derive, digestCost, refuse, refuseOperation, type Result } from './run.js';

/** Returns `length` bits; null or undefined is an error that the platform words. */
export function deriveBits(algorithm: Algorithm, kept: Kept, length: unknown): Result {
  const { served, bytes, numbers, problem } = algorithm;
  check(served, problem, true);
  if (!Number.isInteger(length) || (length as number) <= 0 || (length as number) % 8 !== 0)
    refuseOperation(served, 'length must be a multiple of 8 and not 0');
  // An unsigned long: Node.js 20 takes its remainder, later versions refuse it.
  if ((length as number) > 0xffff_ffff)
    refuse(served, new TypeError('length must be from 0 to 4294967295'));
  const size = (length as number) / 8;
  const secret = kept.secret!;
  const salt = bytes.salt!;
  const hash = algorithm.hash!;
  if (served.name === 'HKDF') {
    if (size > 255 * hash.digestSize) refuseOperation(served, 'length is too large');
    const info = bytes.info!;
    const all = sizeOf(info) + sizeOf(salt) + secret.length + 32 * size;
    const cost = 4 * digestCost(Operation.Hmac, hash, all);
    return derive(cost, parserOf('hkdf'), [hash.name, secret, salt, info, size]);
  }
  if (served.name === 'PBKDF2') {
    const iterations = numbers.iterations!;
    if (iterations === 0) refuseOperation(served, 'iterations must not be 0');
    const blocks = Math.ceil(size / hash.digestSize);
    const cost = iterations * blocks * digestCost(Operation.Hmac, hash, hash.digestSize);
    return derive(cost, parserOf('pbkdf2'), [secret, salt, iterations, size, hash.name]);
  }
  return argon2(algorithm, secret, size);
}

function argon2(
  { served, bytes, numbers }: Algorithm,
  message: Uint8Array,
  tagLength: number,
): Result {
  const { memory, parallelism, passes, version = 0x13 } = numbers;
  const { nonce, associatedData, secretValue } = bytes;
  const isValid =
    tagLength >= 4 &&
    version === 0x13 &&
    sizeOf(nonce!) >= 8 &&
    passes! >= 1 &&
    parallelism! >= 1 &&
    parallelism! < 2 ** 24 &&
    memory! >= 8 * parallelism!;
  if (!isValid) refuseOperation(served, 'invalid parameters of Argon2');
  const parameters = {
    message,
    nonce,
    memory,
    passes,
    parallelism,
    tagLength,
    ...(secretValue && { secret: secretValue }),
    ...(associatedData && { associatedData }),
  };
  return derive(Infinity, parserOfArgon2(), [served.name.toLowerCase(), parameters]);
}
