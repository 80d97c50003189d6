/** scrypt (RFC 7914). */
import { scrypt as derive } from '@noble/hashes/scrypt.js';
import { Status } from '../../request/frame.js';
import {
  derivesWith,
  NOTHING,
  refused,
  saturated,
  WORD,
  type Kdf,
  type Numbers,
  type Scheme,
  type ScryptCost,
} from './contract.js';

/**
 * Returns a cost, with p unchecked; refuses parameters outside RFC 7914 and impossible amounts of
 * memory.
 */
export function scryptCost(n: number, r: number, p: number): ScryptCost {
  const log = Math.log2(n);
  if (n < 2 || 2 ** Math.round(log) !== n || r === 0 || log >= 16 * r) refused(Status.Cost);
  if (n > 2 ** 32 || r >= 2 ** 30) refused(Status.Memory, saturated(n * 128 * r));
  return { what: 'scrypt', n, r, p };
}

/** Refuses a p outside RFC 7914, and more memory than allowed, counted as in node:crypto. */
export function checkScrypt({ n, r, p }: ScryptCost, allowed: number): void {
  if (p === 0 || p * r >= 2 ** 30) refused(Status.Cost);
  const needed = 128 * r * (n + 2 + p);
  if (needed > allowed) refused(Status.Memory, needed);
}

/** Returns the cost in the numbers: N, r, p. */
export function readScrypt({ costs: [n, r, p] }: Numbers): ScryptCost {
  return scryptCost(n, Math.min(r, WORD), Math.min(p, WORD));
}

export const scryptScheme: Scheme<ScryptCost> = {
  what: 'scrypt',
  // One table, the blocks of all lanes, and 16 more.
  memory: ({ n, r, p }) => saturated(128 * r * n + 128 * r * (p + 16)),
  predict: ({ n, r, p }) => 580 * n * r * p,
  // PBKDF2 makes and reads 128rp bytes: 14 compressions of SHA-256 for each r and p.
  slowNanoseconds: ({ n, r, p }) => (800 * n + 14_000) * r * p,
  bytes({ n, r, p }, { password, salt }, size, onProgress) {
    // The library refuses empty keys.
    if (size === 0) return NOTHING;
    return derive(password, salt, {
      N: n,
      r,
      p,
      dkLen: size,
      maxmem: Number.MAX_SAFE_INTEGER,
      // Inherited otherwise.
      onProgress: onProgress as never,
    });
  },
  async fastBytes(cost, input, size) {
    if (input.password.length === 0 || size === 0) return undefined;
    return (await import('./wasm.js')).scryptBytes(cost, input, size);
  },
};

export const scrypt: Kdf<ScryptCost> = {
  ...derivesWith(scryptScheme),
  read(numbers) {
    const cost = readScrypt(numbers);
    checkScrypt(cost, numbers.memory);
    return cost;
  },
  check: () => undefined,
};
