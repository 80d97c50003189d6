/** scrypt, pbkdf2, hkdf and argon2 of millrace/node-crypto. */
import { types } from './key-types.js';
import { argon2Parser } from '../../kdf/argon2.js';
import { deriveSync, deriveThen, type DerivationParser } from '../../kdf/derive.js';
import { hkdfParser } from '../../kdf/hkdf.js';
import { pbkdf2Parser } from '../../kdf/pbkdf2.js';
import { scryptParser } from '../../kdf/scrypt.js';
import { bytesOfBuffer, bytesOfView, isBytesView, sizeOf } from '../../base/intrinsics.js';
import { scryptMemory } from '../../base/kdf-costs.js';
import type { Callback } from '../../scheduling/completions.js';
import { argumentAt, callLog, countCall } from './call-log.js';
import { callNode, original } from './original.js';
import { servedHmac } from './served-hashes.js';
import { mayServe } from './serving.js';

const INT_MAX = 2 ** 31 - 1;
/** The most bytes of `info` of HKDF in Node.js. */
const INFO_MAX = 1024;

/**
 * A function of Node's as Millrace serves it. `read` returns the arguments for Millrace, or
 * undefined if Node.js has to decide on them. It replaces options by a copy, so that both libraries
 * see the same values although getters run only once.
 */
interface Derivation {
  readonly name: string;
  readonly parser: DerivationParser;
  read(given: unknown[]): unknown[] | undefined;
  /** The argument that names the algorithm, if any. */
  readonly algorithm: number;
  readonly original: unknown;
  readonly originalSync: unknown;
  /** Converts the derived key to the type that Node.js returns. */
  result(key: Buffer): unknown;
}

/** Derives synchronously. */
function now(derivation: Derivation, given: unknown[]): unknown {
  const read = mayServe() ? derivation.read(given) : undefined;
  let key: Buffer | undefined;
  if (read !== undefined) {
    try {
      key = deriveSync(derivation.parser, read, read.length) as Buffer;
    } catch {
      // Node.js computes it, or its error is the caller's.
    }
  }
  log(derivation, `${derivation.name}Sync`, given, key !== undefined);
  return key === undefined ? callNode(derivation.originalSync, given) : derivation.result(key);
}

/** Derives on the pool and calls back. */
function then(derivation: Derivation, given: unknown[], callback: unknown): void {
  const read = typeof callback === 'function' && mayServe() ? derivation.read(given) : undefined;
  let begun = false;
  if (read !== undefined) {
    const settle: Callback<unknown> = (error, key) => {
      if (error) (callback as (error: unknown) => void)(error);
      else (callback as Callback<unknown>)(null, derivation.result(key as Buffer));
    };
    try {
      deriveThen(settle, derivation.parser, read, read.length);
      begun = true;
    } catch {
      // As above.
    }
  }
  log(derivation, derivation.name, given, begun);
  if (!begun) callNode(derivation.original, given);
}

function log(
  { algorithm }: Derivation,
  name: string,
  given: readonly unknown[],
  served: boolean,
): void {
  if (callLog.on) countCall(name, argumentAt(given, algorithm), served ? 'Millrace' : 'Node.js');
}

const asBuffer = (key: Buffer): unknown => key;

const pbkdf2Calls: Derivation = {
  name: 'pbkdf2',
  parser: pbkdf2Parser,
  algorithm: 4,
  original: original.pbkdf2,
  originalSync: original.pbkdf2Sync,
  result: asBuffer,
  read([password, salt, iterations, keylen, digest]) {
    return isData(password) &&
      isData(salt) &&
      isInteger(iterations, 1, INT_MAX) &&
      isInteger(keylen, 1, INT_MAX) &&
      typeof digest === 'string' &&
      servedHmac(digest) !== undefined
      ? [password, salt, iterations, keylen, digest]
      : undefined;
  },
};

const hkdfCalls: Derivation = {
  name: 'hkdf',
  parser: hkdfParser,
  algorithm: 0,
  original: original.hkdf,
  originalSync: original.hkdfSync,
  // Derived keys have their own ArrayBuffer of that size.
  result: (key) => key.buffer,
  read([digest, ikm, salt, info, keylen]) {
    if (typeof digest !== 'string' || !isData(salt) || !isData(info)) return undefined;
    const facts = servedHmac(digest)?.facts;
    return facts !== undefined &&
      (isData(ikm) || (types.isKeyObject(ikm) && ikm.type === 'secret')) &&
      sizeOfData(info) <= INFO_MAX &&
      isInteger(keylen, 1, 255 * facts.digestSize)
      ? [digest, ikm, salt, info, keylen]
      : undefined;
  },
};

const scryptCalls: Derivation = {
  name: 'scrypt',
  parser: scryptParser,
  algorithm: -1,
  original: original.scrypt,
  originalSync: original.scryptSync,
  result: asBuffer,
  read(given) {
    const [password, salt, keylen, options] = given;
    if (!isData(password) || !isData(salt) || !isInteger(keylen, 1, INT_MAX)) return undefined;
    if (isObject(options)) given[3] = pick(options, scryptOptions);
    const cost = scryptCostOf(given.at(3));
    return cost === undefined ? undefined : [password, salt, keylen, cost];
  },
};

interface ScryptCost {
  N: number;
  r: number;
  p: number;
  maxmem: number;
}

const scryptOptions = ['N', 'cost', 'r', 'blockSize', 'p', 'parallelization', 'maxmem'] as const;

/** Node's default. */
const SCRYPT_MAXMEM = 32 * 1024 * 1024;

/** Returns the cost if all of it is valid, undefined if Node.js has to decide on it. */
function scryptCostOf(options: unknown): ScryptCost | undefined {
  if (options === undefined || options === null || typeof options === 'function')
    return { N: 16384, r: 8, p: 1, maxmem: SCRYPT_MAXMEM };
  if (typeof options !== 'object') return undefined;
  const given = options as Record<string, unknown>;
  const N = either(given.N, given.cost, 16384);
  const r = either(given.r, given.blockSize, 8);
  const p = either(given.p, given.parallelization, 1);
  const maxmem = given.maxmem ?? SCRYPT_MAXMEM;
  if (!isInteger(N, 2, 2 ** 31) || !isInteger(r, 1, INT_MAX) || !isInteger(p, 1, INT_MAX))
    return undefined;
  if (!isInteger(maxmem, 1, Number.MAX_SAFE_INTEGER)) return undefined;
  if ((N & (N - 1)) !== 0 || r * p >= 2 ** 30 || N >= 2 ** (16 * r)) return undefined;
  return scryptMemory({ N, r, p }) <= maxmem ? { N, r, p, maxmem } : undefined;
}

/** Returns the value of an option with two names; undefined if both are given. */
function either(first: unknown, second: unknown, standard: number): unknown {
  if (first === undefined) return second === undefined ? standard : second;
  return second === undefined ? first : undefined;
}

const argon2Calls: Derivation = {
  name: 'argon2',
  parser: argon2Parser,
  algorithm: 0,
  original: original.argon2,
  originalSync: original.argon2Sync,
  result: asBuffer,
  read(given) {
    const [algorithm, parameters] = given;
    if (algorithm !== 'argon2id' && algorithm !== 'argon2i' && algorithm !== 'argon2d')
      return undefined;
    if (!isObject(parameters)) return undefined;
    const values = (given[1] = pick(parameters, argon2Parameters));
    const { message, nonce, parallelism, tagLength, memory, passes } = values;
    const { secret, associatedData } = values;
    const optional = { __proto__: null, secret, associatedData };
    for (const name of ['secret', 'associatedData'] as const) {
      if (optional[name] === undefined) delete optional[name];
      else if (!isData(optional[name])) return undefined;
    }
    return isData(message) &&
      isData(nonce) &&
      sizeOfData(nonce) >= 8 &&
      isInteger(parallelism, 1, 2 ** 24 - 1) &&
      isInteger(tagLength, 4, INT_MAX) &&
      isInteger(memory, 8 * parallelism, 2 ** 32 - 1) &&
      isInteger(passes, 1, 2 ** 32 - 1)
      ? [algorithm, { message, nonce, parallelism, tagLength, memory, passes, ...optional }]
      : undefined;
  },
};

const argon2Parameters = [
  'message',
  'nonce',
  'parallelism',
  'tagLength',
  'memory',
  'passes',
  'secret',
  'associatedData',
] as const;

// Packages look for Node's names of parameters in the text of these functions.
export function pbkdf2(
  password: unknown,
  salt: unknown,
  iterations: unknown,
  keylen: unknown,
  digest: unknown,
  callback: unknown,
): void {
  then(pbkdf2Calls, [password, salt, iterations, keylen, digest, callback], callback);
}

export function pbkdf2Sync(
  password: unknown,
  salt: unknown,
  iterations: unknown,
  keylen: unknown,
  digest: unknown,
): unknown {
  return now(pbkdf2Calls, [password, salt, iterations, keylen, digest]);
}

export function hkdf(...given: unknown[]): void {
  then(hkdfCalls, given, given.at(5));
}

export function hkdfSync(...given: unknown[]): unknown {
  return now(hkdfCalls, given);
}

export function scrypt(...given: unknown[]): void {
  then(scryptCalls, given, typeof given.at(3) === 'function' ? given[3] : given.at(4));
}

export function scryptSync(...given: unknown[]): unknown {
  return now(scryptCalls, given);
}

export function argon2(...given: unknown[]): void {
  then(argon2Calls, given, given.at(2));
}

export function argon2Sync(...given: unknown[]): unknown {
  return now(argon2Calls, given);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

/** Returns a copy of options, with those that are not undefined. */
function pick<Name extends string>(
  options: Record<string, unknown>,
  names: readonly Name[],
): Partial<Record<Name, unknown>> {
  const copy = { __proto__: null } as Partial<Record<Name, unknown>>;
  for (const name of names) {
    const value = options[name];
    if (value !== undefined) copy[name] = value;
  }
  return copy;
}

function isInteger(value: unknown, min: number, max: number): value is number {
  return Number.isInteger(value) && (value as number) >= min && (value as number) <= max;
}

/** Returns true for a string, a view or an ArrayBuffer, which Node.js and Millrace read alike. */
function isData(value: unknown): value is string | Uint8Array {
  return typeof value === 'string' || isBytesView(value) || bytesOfBuffer(value) !== undefined;
}

function sizeOfData(value: string | Uint8Array): number {
  if (typeof value === 'string') return Buffer.byteLength(value);
  return sizeOf(isBytesView(value) ? bytesOfView(value) : bytesOfBuffer(value)!);
}
