/** PBKDF2 (RFC 8018). */
import type { FreshBytes } from '../../../base/platform-types.js';
import * as platform from '#platform/compat/noble/derivation-engine.js';
import {
  derivation,
  derivationLater,
  isCount,
  isInput,
  macOf,
  RESULT_MAX,
  type AnyHash,
  type Pbkdf2Given,
} from '../derivations.js';
import type { KDFInput } from '../hash-objects.js';
import type { MajorVersion, Maker } from '../original.js';
import { isPlain } from '../parameters.js';

/** The cost of PBKDF2. */
export interface Pbkdf2Opt {
  /** Iterations. */
  c: number;
  /** Bytes of the result; 32 by default. */
  dkLen?: number;
  /** The longest time without other events in milliseconds, where there are no threads. */
  asyncTick?: number;
}

type Given = [hash: AnyHash, password: KDFInput, salt: KDFInput, options: Pbkdf2Opt];

/** Returns the arguments that Millrace accepts; noble serves or refuses the others. */
function read(
  _major: MajorVersion,
  [hash, password, salt, options]: Given,
): Pbkdf2Given | undefined {
  const spec = macOf(hash);
  if (spec === undefined || !isInput(password) || !isInput(salt) || !isPlain(options))
    return undefined;
  const { c, dkLen = 32, asyncTick = 10 } = options;
  if (!isCount(c, 1) || !isCount(dkLen, 1) || !isCount(asyncTick, 0)) return undefined;
  if (c > 0xffffffff || dkLen > RESULT_MAX) return undefined;
  return [spec.facts, password, salt, c, dkLen, asyncTick];
}

export const pbkdf2: Maker<(...given: Given) => FreshBytes> = /* @__PURE__ */ derivation(
  ['pbkdf2', 'pbkdf2'],
  read,
  platform.pbkdf2,
);
export const pbkdf2Async: Maker<(...given: Given) => Promise<FreshBytes>> =
  /* @__PURE__ */ derivationLater(['pbkdf2', 'pbkdf2Async'], read, platform.pbkdf2Later);
