/** Argon2 (RFC 9106). */
import { argon2d, argon2i, argon2id } from '@noble/hashes/argon2.js';
import { Status } from '../../request/frame.js';
import {
  derivesWith,
  refused,
  word,
  type Argon2Cost,
  type Kdf,
  type Numbers,
  type Scheme,
} from './contract.js';

/** Returns a cost; refuses parameters outside RFC 9106. */
export function argon2Cost(
  kind: Argon2Cost['kind'],
  version: Argon2Cost['version'],
  memory: number,
  passes: number,
  lanes: number,
): Argon2Cost {
  if (passes === 0 || lanes === 0 || lanes > 0xffffff || memory < 8 * lanes) refused(Status.Cost);
  return { what: 'argon2', kind, version, memory, passes, lanes };
}

/**
 * Returns the cost in the numbers: passes, KiB of memory, lanes, and the kind in the low byte of
 * the variant, whose next byte is the version.
 */
export function readArgon2({ costs }: Numbers): Argon2Cost {
  const [passes, memory, lanes, variant] = costs.map(word) as [number, number, number, number];
  const kind = variant & 0xff;
  const version = variant >>> 8;
  if (kind > 2 || (version !== 0x10 && version !== 0x13)) refused(Status.Cost);
  return argon2Cost(kind as 0 | 1 | 2, version as 0x10 | 0x13, memory, passes, lanes);
}

const kinds = [argon2d, argon2i, argon2id] as const;

export const argon2Scheme: Scheme<Argon2Cost> = {
  what: 'argon2',
  memory: ({ memory, lanes }) => 4 * lanes * Math.floor(memory / (4 * lanes)) * 1024,
  predict: ({ memory, passes }) => 5800 * memory * passes,
  // Each of a lane's 4 segments costs about two more blocks, for addresses and its start.
  slowNanoseconds: ({ memory, passes, lanes }) => 8000 * (memory + 8 * lanes) * passes,
  bytes(cost, { password, salt, secret, aad }, size, onProgress) {
    const maxmem = 2 ** 32 - 1;
    const needed = argon2Scheme.memory(cost);
    // The longest typed array on every engine, and the library's limit.
    if (needed > maxmem) refused(Status.Memory, needed);
    const { memory: m, passes: t, lanes: p, version, kind } = cost;
    return kinds[kind](password, salt, {
      m,
      t,
      p,
      version,
      dkLen: size,
      key: secret,
      personalization: aad,
      maxmem,
      // Not undefined, which the library leaves to Object.prototype.
      onProgress: onProgress ?? (() => {}),
    });
  },
  async fastBytes(cost, input, size) {
    if (input.password.length === 0 || cost.version !== 0x13 || input.aad.length > 0)
      return undefined;
    return (await import('./wasm.js')).argon2(cost, input, size);
  },
};

export const argon2: Kdf<Argon2Cost> = {
  ...derivesWith(argon2Scheme),
  read: readArgon2,
  check(_cost, { salt }, size) {
    if (salt.length < 8) refused(Status.SaltSize);
    if (size < 4) refused(Status.OutputSize);
  },
};
