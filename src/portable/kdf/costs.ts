/** Checks costs as crates/core/src/kdf does, and predicts their memory and time. */
import { Status } from '../../request/frame.js';
import { refused, type Argon2Cost, type Scheme, type ScryptCost } from './contract.js';

/**
 * Returns an scrypt cost, with p unchecked; refuses parameters outside RFC 7914 and impossible
 * amounts of memory.
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

/** Returns an Argon2 cost; refuses parameters outside RFC 9106. */
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
 * Returns the bytes of working memory, 0 if negligible, as native code counts them, so that limits
 * mean the same.
 */
export function schemeMemory(scheme: Scheme): number {
  switch (scheme.what) {
    case 'argon2':
      return 4 * scheme.lanes * Math.floor(scheme.memory / (4 * scheme.lanes)) * 1024;
    case 'scrypt':
      // One table, the blocks of all lanes, and 16 more.
      return saturated(128 * scheme.r * scheme.n + 128 * scheme.r * (scheme.p + 16));
    case 'bcrypt':
      return 0;
  }
}

/**
 * Predicts the milliseconds on one slow core, for comparison with limits. Other engines have other
 * costs.
 */
export function schemeMilliseconds(scheme: Scheme): number {
  return Math.floor(schemeNanoseconds(scheme) / 1_000_000);
}

function schemeNanoseconds(scheme: Scheme): number {
  switch (scheme.what) {
    case 'argon2':
      // Each of a lane's 4 segments costs about two more blocks, for addresses and its start.
      return 8000 * (scheme.memory + 8 * scheme.lanes) * scheme.passes;
    case 'scrypt':
      // PBKDF2 makes and reads 128rp bytes: 14 compressions of SHA-256 for each r and p.
      return (800 * scheme.n + 14_000) * scheme.r * scheme.p;
    case 'bcrypt':
      return 120_000 * 2 ** scheme.cost;
  }
}

/** Limits a number to 64 bits. */
function saturated(number: number): number {
  return Math.min(number, 2 ** 64);
}
