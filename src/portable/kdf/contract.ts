/**
 * The parameters of key derivations in the portable engine: checked, as plain records that can be
 * posted to a worker (crates/node/src/derivation.rs).
 */
import type { Status } from '../../request/frame.js';

/** The cost of an scrypt: N, r and p of RFC 7914. */
export interface ScryptCost {
  readonly what: 'scrypt';
  readonly n: number;
  readonly r: number;
  readonly p: number;
}

export interface Argon2Cost {
  readonly what: 'argon2';
  /** 0: d, 1: i, 2: id. */
  readonly kind: 0 | 1 | 2;
  readonly version: 0x10 | 0x13;
  /** KiB. */
  readonly memory: number;
  readonly passes: number;
  readonly lanes: number;
}

export interface BcryptCost {
  readonly what: 'bcrypt';
  readonly kind: '2a' | '2b' | '2y';
  /** The base-2 logarithm of the rounds. */
  readonly cost: number;
}

/** The algorithm and cost of a password hash. */
export type Scheme = Argon2Cost | ScryptCost | BcryptCost;

/** A parsed password hash. */
export interface PasswordHash {
  readonly what: 'verify';
  readonly scheme: Scheme;
  /** The most predicted milliseconds. */
  readonly allowed: number;
  readonly salt: Uint8Array;
  readonly hash: Uint8Array;
}

export interface Pbkdf2 {
  readonly what: 'pbkdf2';
  /** The hash's number in the catalog. */
  readonly hash: number;
  readonly iterations: number;
}

export interface Hkdf {
  readonly what: 'hkdf';
  /** The hash's number in the catalog. */
  readonly hash: number;
}

/** A derivation. */
export type Derivation = ScryptCost | Argon2Cost | Pbkdf2 | Hkdf | PasswordHash;

/**
 * The inputs of a derivation, which are neither kept nor written. The target must not overlap them.
 */
export interface DerivationInput {
  readonly password: Uint8Array;
  readonly salt: Uint8Array;
  /** HKDF's info, Argon2's associated data. */
  readonly aad: Uint8Array;
  /** Argon2's secret. */
  readonly secret: Uint8Array;
}

/** Receives the progress from 0 to 1; an exception ends the derivation. */
export type Progress = (fraction: number) => void;

/** Thrown where a derivation is refused. Not an Error: nothing reads its stack. */
export class Refused {
  /** `needed`: the required bytes, if memory is the reason. */
  constructor(
    readonly status: Status,
    readonly needed = 0,
  ) {}
}

export function refused(status: Status, needed = 0): never {
  throw new Refused(status, needed);
}
