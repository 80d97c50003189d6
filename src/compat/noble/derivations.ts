/** Code that HMAC and key derivation with the interface of noble share. */
import { isUint8Array } from '../../base/intrinsics.js';
import { specOf, type CHash, type KDFInput, type Spec } from './hash-objects.js';

/** Any hash function with noble's interface. */
export type AnyHash = CHash<any, any>;

/** The most bytes of a result here; noble computes longer ones. */
export const RESULT_MAX: number = 2 ** 20;

/** The cost of scrypt. */
export interface ScryptCost {
  readonly N: number;
  readonly r: number;
  readonly p: number;
}

/** The parameters of Argon2. */
export interface Argon2Cost {
  readonly memory: number;
  readonly passes: number;
  readonly parallelism: number;
  readonly version: number;
  readonly secret: KDFInput;
  readonly associatedData: KDFInput;
}

/** Called with the fraction that is complete. */
export type Progress = ((fraction: number) => void) | undefined;

/** Returns the hash of an HMAC that Millrace computes. */
export function macOf(hash: unknown): Spec | undefined {
  const spec = specOf(hash);
  const { hmac, digestSize } = spec?.facts ?? { hmac: false, digestSize: 0 };
  return hmac !== false && spec?.outputLen === digestSize ? spec : undefined;
}

/**
 * Reports progress at each ten thousandth of the steps, as noble does; several at a time, as
 * Millrace computes on another thread.
 */
export function progress(
  onProgress: ((progress: number) => void) | undefined,
  steps: number,
): Progress {
  if (onProgress === undefined) return undefined;
  const every = Math.max(Math.floor(steps / 10_000), 1);
  let next = every;
  return (fraction) => {
    const reached = Math.min(Math.floor(fraction * steps), steps - 1);
    for (; next <= reached; next += every) onProgress(next / steps);
    if (fraction === 1) onProgress(1);
  };
}

/** Returns true for a password or a salt. */
export function isInput(value: unknown): value is KDFInput {
  return typeof value === 'string' || isUint8Array(value);
}

/** Returns true for an integer of at least `least`. */
export function isCount(value: unknown, least: number): boolean {
  return Number.isSafeInteger(value) && (value as number) >= least;
}
