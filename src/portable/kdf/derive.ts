/** Derivations in JavaScript, synchronous. */
import { argon2d, argon2i, argon2id } from '@noble/hashes/argon2.js';
import { scrypt } from '@noble/hashes/scrypt.js';
import { Status } from '../../request/frame.js';
import { hashes } from '../../catalog/catalog-table.js';
import { bcrypt } from './bcrypt.js';
import { schemeMemory } from './costs.js';
import {
  refused,
  type Argon2Cost,
  type Derivation,
  type DerivationInput,
  type PasswordHash,
  type Progress,
  type Scheme,
  type ScryptCost,
} from './contract.js';
import { hkdf } from './hkdf.js';
import { macChain, overChain } from './pbkdf2.js';
import { libraryIteration } from './hmac-iteration.js';
import { prepareMac } from '../hashes/index.js';

/** Derives a key into the target. Verification writes 1 if the password matches, otherwise 0. */
export function derive(
  derivation: Derivation,
  input: DerivationInput,
  target: Uint8Array,
  progress?: Progress,
): void {
  check(derivation, input, target.length);
  switch (derivation.what) {
    case 'scrypt':
      return put(deriveScrypt(derivation, input, target.length, progress), target);
    case 'argon2':
      return put(deriveArgon2(derivation, input, target.length, progress), target);
    case 'pbkdf2':
      return derivePbkdf2(derivation.hash, derivation.iterations, input, target, progress);
    case 'hkdf':
      return hkdf(
        (key) => prepareMac(derivation.hash, key),
        hashes[derivation.hash]!.digestSize,
        input.password,
        input.salt,
        input.aad,
        target,
      );
    case 'verify':
      target.fill(
        verdict(derivation, deriveHash(derivation, input, clocked(derivation.allowed, progress))),
      );
  }
}

function derivePbkdf2(
  hash: number,
  iterations: number,
  { password, salt }: DerivationInput,
  target: Uint8Array,
  progress?: Progress,
): void {
  const { name, digestSize } = hashes[hash]!;
  const iteration = libraryIteration(name, password);
  if (iteration !== undefined) return overChain(iteration, salt, iterations, target, progress);
  const mac = prepareMac(hash, password);
  try {
    overChain(macChain(mac, digestSize), salt, iterations, target, progress);
  } finally {
    mac.dispose();
  }
}

/** Checks sizes and costs as crates/core does before it derives. */
export function check(
  derivation: Derivation,
  { password, salt, secret }: DerivationInput,
  size: number,
): void {
  switch (derivation.what) {
    case 'scrypt':
      return;
    case 'argon2':
      return checkArgon2(salt.length, size);
    case 'pbkdf2':
      if (!hashes[derivation.hash]!.hmac) refused(Status.NotSupported);
      if (derivation.iterations === 0) refused(Status.Cost);
      return;
    case 'hkdf': {
      const { hmac, digestSize } = hashes[derivation.hash]!;
      if (!hmac) refused(Status.NotSupported);
      if (size > 255 * digestSize) refused(Status.OutputSize);
      return;
    }
    case 'verify':
      if (secret.length > 0 && derivation.scheme.what !== 'argon2') refused(Status.NotSupported);
      if (derivation.scheme.what === 'bcrypt' && password.includes(0)) refused(Status.NotSupported);
  }
}

function checkArgon2(saltSize: number, size: number): void {
  if (saltSize < 8) refused(Status.SaltSize);
  if (size < 4) refused(Status.OutputSize);
}

/**
 * Returns the time limit in milliseconds of work with this predicted limit: a prediction may be
 * wrong by a factor of 2, and a busy machine takes longer.
 */
export function clockLimit(allowed: number): number {
  return 2 * allowed + 1000;
}

/** Ends work that exceeds its time limit, because a machine may be slower than predicted. */
function clocked(allowed: number, progress: Progress | undefined): Progress {
  const end = Date.now() + clockLimit(allowed);
  return (fraction) => {
    if (Date.now() > end) refused(Status.Work);
    progress?.(fraction);
  };
}

/** Derives the hash of a password. */
function deriveHash(
  { scheme, salt, hash }: PasswordHash,
  { password, secret }: DerivationInput,
  progress?: Progress,
): Uint8Array {
  const input = { password, salt, secret, aad: NOTHING };
  switch (scheme.what) {
    case 'argon2':
      return deriveArgon2(scheme, input, hash.length, progress);
    case 'scrypt':
      return deriveScrypt(scheme, input, hash.length, progress);
    case 'bcrypt':
      return bcrypt(password, salt, scheme.cost, progress);
  }
}

const NOTHING = new Uint8Array(0);

/** Returns 1 if the derived bytes are those of the hash, in constant time, and wipes them. */
export function verdict({ hash }: PasswordHash, derived: Uint8Array): number {
  let difference = hash.length ^ derived.length;
  for (const [index, byte] of hash.entries()) difference |= byte ^ derived[index]!;
  derived.fill(0);
  return difference === 0 ? 1 : 0;
}

function deriveScrypt(
  { n, r, p }: ScryptCost,
  { password, salt }: DerivationInput,
  size: number,
  onProgress?: Progress,
): Uint8Array {
  // The library refuses empty keys.
  if (size === 0) return NOTHING;
  return scrypt(password, salt, {
    N: n,
    r,
    p,
    dkLen: size,
    maxmem: Number.MAX_SAFE_INTEGER,
    ...(onProgress && { onProgress }),
  });
}

const argon2Kinds = [argon2d, argon2i, argon2id] as const;

function deriveArgon2(
  cost: Argon2Cost,
  { password, salt, secret, aad }: DerivationInput,
  size: number,
  onProgress?: Progress,
): Uint8Array {
  const maxmem = 2 ** 32 - 1;
  // The longest typed array on every engine, and the library's limit.
  if (schemeMemory(cost) > maxmem) refused(Status.Memory, schemeMemory(cost));
  const { memory: m, passes: t, lanes: p, version, kind } = cost;
  return argon2Kinds[kind](password, salt, {
    m,
    t,
    p,
    version,
    dkLen: size,
    key: secret,
    personalization: aad,
    maxmem,
    ...(onProgress && { onProgress }),
  });
}

/** Copies a key to its target and wipes it. */
export function put(key: Uint8Array, target: Uint8Array): void {
  target.set(key);
  key.fill(0);
}

/**
 * Returns the bytes of working memory, 0 if negligible, as native code counts them, so that limits
 * mean the same.
 */
export function memoryOf(derivation: Derivation): number {
  switch (derivation.what) {
    case 'scrypt':
    case 'argon2':
      return schemeMemory(derivation);
    case 'verify':
      return schemeMemory(derivation.scheme);
    default:
      return 0;
  }
}

/** Returns the predicted nanoseconds of deriving `size` bytes, as measured on Zen 4. */
export function predict(derivation: Derivation | Scheme, size: number): number {
  switch (derivation.what) {
    case 'scrypt':
      return 580 * derivation.n * derivation.r * derivation.p;
    case 'argon2':
      return 5800 * derivation.memory * derivation.passes;
    case 'bcrypt':
      return 80_000 * 2 ** derivation.cost;
    case 'verify':
      return predict(derivation.scheme, size);
    case 'pbkdf2':
      return (
        hmacNanoseconds(derivation.hash) *
        blocks(derivation.hash, size) *
        (derivation.iterations + 2)
      );
    case 'hkdf':
      return 2 * hmacNanoseconds(derivation.hash) * (blocks(derivation.hash, size) + 2);
  }
}

function blocks(hash: number, size: number): number {
  return Math.ceil(size / Math.max(hashes[hash]!.digestSize, 1));
}

/**
 * Returns the nanoseconds of an HMAC of a short message under a prepared key. JavaScript computes
 * 64-bit words from two numbers.
 */
function hmacNanoseconds(hash: number): number {
  const { name } = hashes[hash]!;
  if (/^(md5|sha1|ripemd160|sha224|sha256)$/.test(name)) return 2000;
  return name.startsWith('sha384') || name.startsWith('sha512') ? 6000 : 16_000;
}
