/** scrypt (RFC 7914). */
import type { FreshBytes } from '../../../base/platform-types.js';
import * as platform from '#platform/compat/noble/password-engine.js';
import {
  derivation,
  derivationLater,
  isCount,
  isInput,
  progress,
  RESULT_MAX,
  type ScryptGiven,
} from '../derivations.js';
import type { KDFInput } from '../hash-objects.js';
import type { MajorVersion, Maker } from '../original.js';
import { isPlain } from '../parameters.js';

/** The cost of scrypt. */
export interface ScryptOpts {
  /** Cost: a power of 2. */
  N: number;
  /** Block size, in units of 128 bytes. */
  r: number;
  /** Parallelization. */
  p: number;
  /** Bytes of the result; 32 by default. */
  dkLen?: number;
  /** Accepted and not used: asynchronous calls never block. */
  asyncTick?: number;
  /** The most bytes of memory; 1 GiB and 1 KiB by default. */
  maxmem?: number;
  /** Called with a number from 0 to 1. */
  onProgress?: (progress: number) => void;
}

const MAXMEM = 2 ** 30 + 1024;

type Given = [password: KDFInput, salt: KDFInput, options: ScryptOpts];

/** Returns the arguments that Millrace accepts; noble serves or refuses the others. */
function read(
  major: MajorVersion,
  [password, salt, options]: Given,
  later: boolean,
): ScryptGiven | undefined {
  if (!isInput(password) || !isInput(salt) || !isPlain(options)) return undefined;
  const { N, r, p, dkLen = 32, asyncTick = 10, maxmem = MAXMEM, onProgress } = options;
  const counts = [N, r, p, dkLen].every((each) => isCount(each, 1));
  if (!counts || !isCount(asyncTick, 0) || !isCount(maxmem, 0)) return undefined;
  if (N < 2 || N > 2 ** 31 || (N & (N - 1)) !== 0 || dkLen > RESULT_MAX) return undefined;
  if (128 * r * (N + p + (major === 1 ? 0 : 1)) > maxmem || r * p >= 2 ** 30) return undefined;
  // Only asynchronous calls report progress.
  if (onProgress !== undefined && (typeof onProgress !== 'function' || !later)) return undefined;
  return [password, salt, dkLen, { N, r, p }, progress(onProgress, 2 * N * p)];
}

export const scrypt: Maker<(...given: Given) => FreshBytes> = /* @__PURE__ */ derivation(
  ['scrypt', 'scrypt'],
  read,
  platform.scrypt,
);
export const scryptAsync: Maker<(...given: Given) => Promise<FreshBytes>> =
  /* @__PURE__ */ derivationLater(['scrypt', 'scryptAsync'], read, platform.scryptLater);
