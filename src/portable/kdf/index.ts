/**
 * The key derivation functions: decoded from the frame, with their memory, computed in JavaScript
 * ({@link derive}) or, in a worker, in WebAssembly or by WebCrypto where that is faster ({@link
 * deriveFast}). All throw {@link Refused} with the status of native code.
 */
import { At, Operation, Status } from '../../request/frame.js';
import { argon2, readArgon2 } from './argon2.js';
import {
  Refused,
  type Derivation,
  type DerivationInput,
  type Kdf,
  type Numbers,
  type Progress,
} from './contract.js';
import { bcrypt, bcryptCost } from './bcrypt.js';
import { hkdf, hkdfExpand, hkdfExtract, pbkdf2 } from './hmac-kdfs.js';
import { unwrapKey, wrapKey } from './key-wrap.js';
import { needsAnother, NO_LIMITS, parsePasswordHash, verify, type Scheme } from './phc.js';
import { readScrypt, scrypt } from './scrypt.js';

export { Refused, type Derivation, type DerivationInput, type Progress };

/** In the order of their operations. */
const functions = [
  scrypt,
  pbkdf2,
  hkdf,
  hkdfExtract,
  hkdfExpand,
  argon2,
  bcrypt,
  verify,
  wrapKey,
  unwrapKey,
] as unknown as readonly Kdf<Derivation>[];

/** Returns true if an operation is a key derivation. */
export function isDerivation(operation: Operation): boolean {
  return functions[operation - Operation.Scrypt] !== undefined;
}

/**
 * Returns the derivation in the frame. For verification `aad` is the password hash; if memory is
 * refused, the required bytes are written to the frame.
 */
export function derivationOf(
  operation: Operation,
  frame: Float64Array,
  aad: Uint8Array,
): Derivation {
  try {
    return functions[operation - Operation.Scrypt]!.read(numbersOf(frame), aad);
  } catch (error) {
    if (error instanceof Refused && error.status === Status.MemoryLimit)
      frame[At.MaxMemory] = error.needed;
    throw error;
  }
}

function numbersOf(frame: Float64Array): Numbers {
  return {
    hash: number(frame, At.Algorithm),
    costs: [
      number(frame, At.Count),
      number(frame, At.MessageSize),
      number(frame, At.SeedLow),
      number(frame, At.SeedHigh),
    ],
    memory: number(frame, At.MaxMemory),
    milliseconds: number(frame, At.MaxTime),
  };
}

/** Returns a number of the frame; for what is no size, one that no function takes as a cost. */
function number(frame: Float64Array, at: At): number {
  const found = frame[at]!;
  return Number.isSafeInteger(found) && found >= 0 ? found : Infinity;
}

/**
 * Returns true if a password hash in `aad` should be replaced by one with the scheme in the frame;
 * always true for a hash of neither scrypt nor Argon2. The target's size is that of the hash, the
 * iv's that of the salt.
 */
export function needsRehash(frame: Float64Array, aad: Uint8Array): boolean {
  const hash = parsePasswordHash(aad, NO_LIMITS);
  const [saltSize, size] = [frame[At.IvSize]!, frame[At.TargetSize]!];
  return needsAnother(hash, schemeOf(frame), saltSize, size);
}

function schemeOf(frame: Float64Array): Scheme {
  switch (frame[At.Operation]) {
    case Operation.Scrypt:
      return readScrypt(numbersOf(frame));
    case Operation.Argon2:
      return readArgon2(numbersOf(frame));
    default:
      return bcryptCost(numbersOf(frame));
  }
}

function kdfOf({ what }: Derivation): Kdf<Derivation> {
  return functions.find((each) => each.what === what)!;
}

/** Derives a key into the target. Verification writes 1 if the password matches, otherwise 0. */
export function derive(
  derivation: Derivation,
  input: DerivationInput,
  target: Uint8Array,
  progress?: Progress,
): void {
  const kdf = kdfOf(derivation);
  kdf.check(derivation, input, target.length);
  kdf.derive(derivation, input, target, progress);
}

/** Like {@link derive}. Only JavaScript reports progress before the end. */
export async function deriveFast(
  derivation: Derivation,
  input: DerivationInput,
  target: Uint8Array,
  progress?: Progress,
): Promise<void> {
  const kdf = kdfOf(derivation);
  kdf.check(derivation, input, target.length);
  let done;
  try {
    done = await kdf.deriveFast?.(derivation, input, target);
  } catch {
    // WebAssembly is disabled, or WebCrypto refuses the parameters.
  }
  if (done === true) progress?.(1);
  else kdf.derive(derivation, input, target, progress);
}

/**
 * Returns the bytes of working memory, 0 if negligible, as native code counts them, so that limits
 * mean the same.
 */
export function memoryOf(derivation: Derivation): number {
  return kdfOf(derivation).memory(derivation);
}

/** Returns the predicted nanoseconds of deriving `size` bytes. */
export function predict(derivation: Derivation, size: number): number {
  return kdfOf(derivation).predict(derivation, size);
}

/** Returns the most milliseconds that a derivation may take, `undefined` without a limit. */
export function timeLimit(derivation: Derivation): number | undefined {
  return kdfOf(derivation).timeLimit?.(derivation);
}
