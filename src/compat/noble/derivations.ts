/** Code that HMAC and key derivation with the interface of noble share. */
import { isUint8Array } from '../../base/intrinsics.js';
import type { ScryptCost } from '../../base/kdf-costs.js';
import type { Algorithm } from '#platform/compat/noble/algorithms.js';
import { specOf, type CHash, type KDFInput, type Spec } from './hash-objects.js';
import { backed, original, type MajorVersion, type Maker } from './original.js';

/** Any hash function with noble's interface. */
export type AnyHash = CHash<any, any>;

/** The most bytes of a result here; noble computes longer ones. */
export const RESULT_MAX: number = 2 ** 20;

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

/** The arguments of the engines' functions. */
export type HkdfGiven<Hash = Algorithm> = [
  algorithm: Hash,
  ikm: Uint8Array,
  salt: Uint8Array,
  info: Uint8Array,
  size: number,
];
export type ExpandGiven<Hash = Algorithm> = [
  algorithm: Hash,
  key: Uint8Array,
  info: Uint8Array,
  size: number,
];
export type Pbkdf2Given<Hash = Algorithm> = [
  algorithm: Hash,
  password: KDFInput,
  salt: KDFInput,
  iterations: number,
  size: number,
  /** The longest time without other events in milliseconds, where there are no threads. */
  tick: number,
];
type PasswordGiven<Cost> = [
  password: KDFInput,
  salt: KDFInput,
  size: number,
  cost: Cost,
  report: Progress,
];
export type ScryptGiven = PasswordGiven<ScryptCost>;
/** `argon2d`, `argon2i` or `argon2id`, and the other arguments. */
export type Argon2Given = [algorithm: string, ...given: PasswordGiven<Argon2Cost>];

/** Returns the arguments that Millrace accepts. */
type Read<Given, Accepted> = (
  major: MajorVersion,
  given: Given,
  later: boolean,
) => Accepted | undefined;

/**
 * Returns the maker of a derivation. noble serves or refuses the arguments that `read` does not
 * accept.
 */
export function derivation<Given extends unknown[], Accepted extends unknown[], Result>(
  name: readonly [subpath: string, entry: string],
  read: Read<Given, Accepted>,
  compute: (...accepted: Accepted) => Result,
  later = false,
): Maker<(...given: Given) => Result> {
  return backed(...name, (major) => (...given) => {
    const accepted = read(major, given, later);
    if (accepted !== undefined) return compute(...accepted);
    return original(major, 'hashes', ...name)(...given);
  });
}

/** Returns the maker of a derivation that never throws: its promise is rejected. */
export function derivationLater<Given extends unknown[], Accepted extends unknown[], Result>(
  name: readonly [subpath: string, entry: string],
  read: Read<Given, Accepted>,
  compute: (...accepted: Accepted) => Promise<Result>,
): Maker<(...given: Given) => Promise<Result>> {
  const maker = derivation(name, read, compute, true);
  return backed(...name, (major) => {
    const derive = maker(major);
    return async (...given) => derive(...given);
  });
}

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
