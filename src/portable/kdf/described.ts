/** Derivations as the frame describes them, with the checks of crates/node/src/request.rs. */
import { At, Operation, Status } from '../../request/frame.js';
import { hashes } from '../../catalog/catalog-table.js';
import { argon2Cost, checkScrypt, scryptCost } from './costs.js';
import {
  Refused,
  refused,
  type Argon2Cost,
  type Derivation,
  type Scheme,
  type ScryptCost,
} from './contract.js';
import { needsAnother, parsePasswordHash } from './phc.js';

/**
 * Returns the derivation in the frame. For verification `aad` is the password hash; if memory is
 * refused, the required bytes are written to the frame.
 */
export function derivationOf(
  operation: Operation,
  frame: Float64Array,
  aad: Uint8Array,
): Derivation {
  switch (operation) {
    case Operation.Scrypt: {
      const cost = scryptOf(frame);
      checkScrypt(cost, size(frame, At.MaxMemory));
      return cost;
    }
    case Operation.Pbkdf2:
      return { what: 'pbkdf2', hash: hashOf(frame), iterations: word(frame, At.Count) };
    case Operation.Hkdf:
      return { what: 'hkdf', hash: hashOf(frame) };
    case Operation.Argon2:
      return argon2Of(frame, word);
    case Operation.Verify:
      return verificationOf(frame, aad);
    default:
      return refused(Status.Argument);
  }
}

function verificationOf(frame: Float64Array, aad: Uint8Array): Derivation {
  const limits = { memory: size(frame, At.MaxMemory), milliseconds: size(frame, At.MaxTime) };
  try {
    return parsePasswordHash(textOf(aad), limits);
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    if (error.status === Status.Memory) {
      frame[At.MaxMemory] = error.needed;
      return refused(Status.MemoryLimit, error.needed);
    }
    // Invalid parameters make a string an invalid password hash.
    return refused(error.status === Status.Cost ? Status.Encoded : error.status);
  }
}

const NO_LIMITS = { memory: Infinity, milliseconds: Infinity };

/**
 * Returns true if a password hash in `aad` should be replaced by one with the scheme in the frame;
 * always true for a hash of neither scrypt nor Argon2. The target's size is that of the hash, the
 * iv's that of the salt.
 */
export function needsRehash(frame: Float64Array, aad: Uint8Array): boolean {
  let hash;
  try {
    hash = parsePasswordHash(textOf(aad), NO_LIMITS);
  } catch (error) {
    return error instanceof Refused ? refused(Status.Encoded) : refused(Status.Internal);
  }
  return needsAnother(hash, schemeOf(frame), size(frame, At.IvSize), size(frame, At.TargetSize));
}

function schemeOf(frame: Float64Array): Scheme {
  switch (frame[At.Operation]) {
    case Operation.Scrypt:
      return scryptOf(frame);
    case Operation.Argon2:
      return argon2Of(frame, wordSize);
    default:
      return { what: 'bcrypt', kind: '2b', cost: 10 };
  }
}

function scryptOf(frame: Float64Array): ScryptCost {
  const [n, r, p] = [size(frame, At.Count), size(frame, At.MessageSize), size(frame, At.SeedLow)];
  return scryptCost(n, Math.min(r, WORD), Math.min(p, WORD));
}

function argon2Of(frame: Float64Array, read: (frame: Float64Array, at: At) => number): Argon2Cost {
  const variant = read(frame, At.SeedHigh);
  const [memory, passes, lanes] = [
    read(frame, At.MessageSize),
    read(frame, At.Count),
    read(frame, At.SeedLow),
  ];
  const kind = variant & 0xff;
  const version = variant >>> 8;
  if (kind > 2 || (version !== 0x10 && version !== 0x13)) refused(Status.Cost);
  return argon2Cost(kind as 0 | 1 | 2, version as 0x10 | 0x13, memory, passes, lanes);
}

const WORD = 2 ** 32 - 1;

/** Reads a 32-bit cost. */
function word(frame: Float64Array, at: At): number {
  const number = frame[at]!;
  return Number.isInteger(number) && number >= 0 && number <= WORD ? number : refused(Status.Cost);
}

function size(frame: Float64Array, at: At): number {
  const number = frame[at]!;
  return Number.isSafeInteger(number) && number >= 0 ? number : refused(Status.Argument);
}

function wordSize(frame: Float64Array, at: At): number {
  const number = size(frame, at);
  return number <= WORD ? number : refused(Status.Cost);
}

function hashOf(frame: Float64Array): number {
  const id = frame[At.Algorithm]!;
  return hashes[id] === undefined ? refused(Status.Argument) : id;
}

/** Bytes that are not UTF-8 are not a password hash. */
function textOf(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return '';
  }
}
