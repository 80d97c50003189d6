/** What the portable engine needs of a key derivation function. */
import { Status } from '../../request/frame.js';

/** The parameters of a derivation as the frame has them (crates/core/src/kdf/function.rs). */
export interface Numbers {
  /** A hash's number in the catalog. */
  readonly hash: number;
  readonly costs: readonly [number, number, number, number];
  /** The most bytes of memory. */
  readonly memory: number;
  /** The most predicted milliseconds. */
  readonly milliseconds: number;
}

/** Checked parameters, as a plain record that can be posted to a worker. */
export interface Derivation {
  /** The function's name. */
  readonly what: string;
}

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

/**
 * A key derivation function. All its methods throw {@link Refused} with the status of native code.
 */
export interface Kdf<D extends Derivation> {
  readonly what: D['what'];
  /** Reads and checks parameters. */
  read(numbers: Numbers, aad: Uint8Array): D;
  /** Checks sizes as crates/core does before it derives. */
  check(derivation: D, input: DerivationInput, size: number): void;
  /**
   * Returns the bytes of working memory, 0 if negligible, as native code counts them, so that
   * limits mean the same.
   */
  memory(derivation: D): number;
  /** Returns the predicted nanoseconds of deriving `size` bytes, as measured on Zen 4. */
  predict(derivation: D, size: number): number;
  derive(
    derivation: D,
    input: DerivationInput,
    target: Uint8Array,
    progress: Progress | undefined,
  ): void;
  /**
   * Derives faster than JavaScript, in a worker. Resolves with false, or rejects, where that is not
   * possible.
   */
  deriveFast?(derivation: D, input: DerivationInput, target: Uint8Array): Promise<boolean>;
  /** Returns the most milliseconds that it may take; without, it may take any time. */
  timeLimit?(derivation: D): number;
}

/** A function that also makes password hashes. */
export interface Scheme<D extends Derivation> extends Pick<Kdf<D>, 'what' | 'memory' | 'predict'> {
  /** Predicts the nanoseconds on one slow core, for comparison with limits. */
  slowNanoseconds(derivation: D): number;
  bytes(
    derivation: D,
    input: DerivationInput,
    size: number,
    progress: Progress | undefined,
  ): Uint8Array;
  /** Like {@link Kdf.deriveFast}; `undefined` where that is not possible. */
  fastBytes(derivation: D, input: DerivationInput, size: number): Promise<Uint8Array | undefined>;
}

/** Returns the derivation of keys by a scheme. */
export function derivesWith<D extends Derivation>(
  scheme: Scheme<D>,
): Pick<Kdf<D>, 'what' | 'memory' | 'predict' | 'derive' | 'deriveFast'> {
  return {
    what: scheme.what,
    memory: scheme.memory,
    predict: scheme.predict,
    derive(derivation, input, target, progress) {
      put(scheme.bytes(derivation, input, target.length, progress), target);
    },
    async deriveFast(derivation, input, target) {
      const key = await scheme.fastBytes(derivation, input, target.length);
      if (key !== undefined) put(key, target);
      return key !== undefined;
    },
  };
}

/** Copies a key to its target and wipes it. */
export function put(key: Uint8Array, target: Uint8Array): void {
  target.set(key);
  key.fill(0);
}

export const NOTHING = new Uint8Array(0);

/** The largest 32-bit number. */
export const WORD = 2 ** 32 - 1;

/** Checks that a cost has 32 bits. */
export function word(number: number): number {
  return number <= WORD ? number : refused(Status.Cost);
}

/** Limits a number to 64 bits. */
export function saturated(number: number): number {
  return Math.min(number, 2 ** 64);
}

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

/** The parameters of RFC 9106. */
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

/** N, r and p of RFC 7914. */
export interface ScryptCost {
  readonly what: 'scrypt';
  readonly n: number;
  readonly r: number;
  readonly p: number;
}
