/** PBKDF2 (RFC 8018). */
import type { FreshBytes } from '../../../base/platform-types.js';
import * as platform from '#platform/compat/noble/derivation-engine.js';
import { isCount, isInput, macOf, RESULT_MAX, type AnyHash } from '../derivations.js';
import type { KDFInput } from '../hash-objects.js';
import { backed, original, type Maker } from '../original.js';
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
type Arguments = [...Parameters<typeof platform.pbkdf2>, tick: number];

/** Returns the arguments that Millrace accepts; noble serves or refuses the others. */
function read(...[hash, password, salt, options]: Given): Arguments | undefined {
  const spec = macOf(hash);
  if (spec === undefined || !isInput(password) || !isInput(salt) || !isPlain(options))
    return undefined;
  const { c, dkLen = 32, asyncTick = 10 } = options;
  if (!isCount(c, 1) || !isCount(dkLen, 1) || !isCount(asyncTick, 0)) return undefined;
  if (c > 0xffffffff || dkLen > RESULT_MAX) return undefined;
  return [spec.facts, password, salt, c, dkLen, asyncTick];
}

export const pbkdf2: Maker<(...given: Given) => FreshBytes> = /* @__PURE__ */ backed(
  'pbkdf2',
  'pbkdf2',
  (major) =>
    (...given) => {
      const accepted = read(...given);
      if (accepted === undefined) return original(major, 'hashes', 'pbkdf2', 'pbkdf2')(...given);
      const [facts, password, salt, c, size] = accepted;
      return platform.pbkdf2(facts, password, salt, c, size);
    },
);

export const pbkdf2Async: Maker<(...given: Given) => Promise<FreshBytes>> = /* @__PURE__ */ backed(
  'pbkdf2',
  'pbkdf2Async',
  (major) =>
    async (...given) => {
      const accepted = read(...given);
      if (accepted !== undefined) return platform.pbkdf2Later(...accepted);
      return original(major, 'hashes', 'pbkdf2', 'pbkdf2Async')(...given);
    },
);
