/** Argon2 (RFC 9106). */
import { NO_BYTES } from '../../../base/intrinsics.js';
import type { FreshBytes } from '../../../base/platform-types.js';
import * as platform from '#platform/compat/noble/password-engine.js';
import { message } from '../checks.js';
import {
  derivation,
  derivationLater,
  isCount,
  isInput,
  progress,
  RESULT_MAX,
  type Argon2Given,
} from '../derivations.js';
import type { KDFInput } from '../hash-objects.js';
import type { MajorVersion, Maker } from '../original.js';
import { isPlain } from '../parameters.js';

/** The cost of Argon2. */
export interface ArgonOpts {
  /** Passes. */
  t: number;
  /** Memory in KiB. */
  m: number;
  /** Lanes. */
  p: number;
  /** 0x13 by default, or 0x10. */
  version?: number;
  /** A secret stored apart from the derived keys. */
  key?: KDFInput;
  /** Additional input that the result depends on. */
  personalization?: KDFInput;
  /** Bytes of the result; 32 by default. */
  dkLen?: number;
  /** Accepted and not used: asynchronous calls never block. */
  asyncTick?: number;
  /** The most memory: bytes, or words of 4 bytes in older versions of noble. */
  maxmem?: number;
  /** Called with a number from 0 to 1. */
  onProgress?: (progress: number) => void;
}

type Given = [password: KDFInput, salt: KDFInput, options: ArgonOpts];

/** Returns the arguments that Millrace accepts; noble serves or refuses the others. */
const read =
  (algorithm: string) =>
  (
    _major: MajorVersion,
    [password, salt, options]: Given,
    later: boolean,
  ): Argon2Given | undefined => {
    if (!isInput(password) || !isInput(salt) || !isPlain(options)) return undefined;
    const { t, m, p, version = 0x13, key, personalization, dkLen = 32, onProgress } = options;
    const { maxmem = 2 ** 32 - 1, asyncTick = 10 } = options;
    if (![t, m, p, maxmem].every((each) => isCount(each, 1)) || !isCount(dkLen, 4))
      return undefined;
    if (m < 8 * p || p >= 2 ** 24 || t >= 2 ** 32 || dkLen > RESULT_MAX || !isCount(asyncTick, 0))
      return undefined;
    const segment = Math.floor(m / (4 * p));
    // Bytes, or words of 4 bytes in older versions of noble: noble decides what is too much.
    if (4 * p * segment * 1024 > maxmem || maxmem >= 2 ** 32) return undefined;
    if (version !== 0x10 && version !== 0x13) return undefined;
    if (![key, personalization].every((each) => each === undefined || isInput(each)))
      return undefined;
    if ((typeof salt === 'string' ? message(1, salt) : salt).length < 8) return undefined;
    if (onProgress !== undefined && (typeof onProgress !== 'function' || !later)) return undefined;
    const cost = {
      secret: key ?? NO_BYTES,
      associatedData: personalization ?? NO_BYTES,
      memory: m,
      passes: t,
      parallelism: p,
      version,
    };
    const report = progress(onProgress, t * 4 * p * segment - 2 * p);
    return [algorithm, password, salt, dkLen, cost, report];
  };

function sync(name: string): Maker<(...given: Given) => FreshBytes> {
  return derivation(['argon2', name], read(name), platform.argon2);
}

function later(name: string): Maker<(...given: Given) => Promise<FreshBytes>> {
  return derivationLater(['argon2', `${name}Async`], read(name), platform.argon2Later);
}

export const argon2d = /* @__PURE__ */ sync('argon2d');
export const argon2i = /* @__PURE__ */ sync('argon2i');
export const argon2id = /* @__PURE__ */ sync('argon2id');
export const argon2dAsync = /* @__PURE__ */ later('argon2d');
export const argon2iAsync = /* @__PURE__ */ later('argon2i');
export const argon2idAsync = /* @__PURE__ */ later('argon2id');
