/**
 * Key derivation in the portable engine: what of it a call describes (crates/node/src/derivation.rs),
 * checked, as plain records that can be posted to a worker.
 */
import type { Status } from '../../request/frame.js';

/** What an scrypt costs: N, r and p of RFC 7914. */
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
  /** The work is 2 to this power. */
  readonly cost: number;
}

/** How a password is hashed. */
export type Scheme = Argon2Cost | ScryptCost | BcryptCost;

/** A password hash that was read. */
export interface PasswordHash {
  readonly what: 'verify';
  readonly scheme: Scheme;
  /** Milliseconds that it may be predicted to take. */
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

/** What is derived. */
export type Derivation = ScryptCost | Argon2Cost | Pbkdf2 | Hkdf | PasswordHash;

/** What it is derived from; none of it is kept or written. The target must lie over none of it. */
export interface DerivationInput {
  readonly password: Uint8Array;
  readonly salt: Uint8Array;
  /** HKDF's info, Argon2's associated data. */
  readonly aad: Uint8Array;
  /** Argon2's. */
  readonly secret: Uint8Array;
}

/** Told how far it has come, from 0 to 1; what it throws ends the derivation. */
export type Progress = (fraction: number) => void;

/** Why nothing is derived. No Error, as nobody looks at its stack. */
export class Refused {
  /** `needed`: where it is about memory, how many bytes. */
  constructor(
    readonly status: Status,
    readonly needed = 0,
  ) {}
}

export function refused(status: Status, needed = 0): never {
  throw new Refused(status, needed);
}
