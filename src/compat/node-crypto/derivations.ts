/** scrypt, pbkdf2, hkdf and argon2 of millrace/node-crypto. */
import { types } from './key-types.js';
import { argon2Parser } from '../../kdf/password-derivations.js';
import { deriveSync, deriveThen, type DerivationParser } from '../../kdf/derive.js';
import { parserOf } from '../../kdf/parsers.js';
import { scryptParser } from '../../kdf/password-derivations.js';
import { bytesOfBuffer, bytesOfView, isBytesView, sizeOf } from '../../base/intrinsics.js';
import type { Callback } from '../../scheduling/completions.js';
import { callLog, countCall } from './call-log.js';
import { callNode, original } from './original.js';
import { servedHmacs } from './served-hashes.js';
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
  readonly name: 'pbkdf2' | 'hkdf' | 'scrypt' | 'argon2';
  readonly parser: DerivationParser;
  read(given: unknown[]): unknown[] | undefined;
  /** The argument that names the algorithm; Infinity if none does. */
  readonly algorithm: number;
  /** True if Node.js returns an ArrayBuffer. */
  readonly arrayBuffer: boolean;
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
  const name = `${derivation.name}Sync` as const;
  if (callLog.on) countCall(name, given.at(derivation.algorithm), key !== undefined);
  if (key === undefined) return callNode(original[name], given);
  return resultOf(derivation, key);
}

/** Derives on the pool and calls back. */
function then(derivation: Derivation, given: unknown[], callback: unknown): void {
  const read = typeof callback === 'function' && mayServe() ? derivation.read(given) : undefined;
  let begun = false;
  if (read !== undefined) {
    const settle: Callback<unknown> = (error, key) => {
      if (error) (callback as (error: unknown) => void)(error);
      else (callback as Callback<unknown>)(null, resultOf(derivation, key as Buffer));
    };
    try {
      deriveThen(settle, derivation.parser, read, read.length);
      begun = true;
    } catch {
      // As above.
    }
  }
  if (callLog.on) countCall(derivation.name, given.at(derivation.algorithm), begun);
  if (!begun) callNode(original[derivation.name], given);
}

/** Returns a key with Node's type. Derived keys have their own ArrayBuffer of that size. */
function resultOf({ arrayBuffer }: Derivation, key: Buffer): unknown {
  return arrayBuffer ? key.buffer : key;
}

const pbkdf2Calls: Derivation = {
  name: 'pbkdf2',
  parser: parserOf('pbkdf2'),
  algorithm: 4,
  arrayBuffer: false,
  read([password, salt, iterations, keylen, digest]) {
    return isData(password) &&
      isData(salt) &&
      isInteger(iterations, 1, INT_MAX) &&
      isInteger(keylen, 1, INT_MAX) &&
      typeof digest === 'string' &&
      servedHmacs.find(digest) !== undefined
      ? [password, salt, iterations, keylen, digest]
      : undefined;
  },
};

const hkdfCalls: Derivation = {
  name: 'hkdf',
  parser: parserOf('hkdf'),
  algorithm: 0,
  arrayBuffer: true,
  read([digest, ikm, salt, info, keylen]) {
    if (typeof digest !== 'string' || !isData(salt) || !isData(info)) return undefined;
    const facts = servedHmacs.find(digest)?.facts;
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
  algorithm: Infinity,
  arrayBuffer: false,
  read(given) {
    const [password, salt, keylen, options] = given;
    if (!isData(password) || !isData(salt) || !isInteger(keylen, 1, INT_MAX)) return undefined;
    if (options === undefined || options === null || typeof options === 'function')
      return [password, salt, keylen];
    if (!isObject(options)) return undefined;
    const cost = (given[3] = pick(options, scryptOptions));
    // Millrace refuses what else Node.js does, which then words the error.
    return [cost.N, cost.cost].some((each) => typeof each === 'number' && each > 2 ** 31)
      ? undefined
      : [password, salt, keylen, cost];
  },
};

const scryptOptions = ['N', 'cost', 'r', 'blockSize', 'p', 'parallelization', 'maxmem'] as const;

const argon2Calls: Derivation = {
  name: 'argon2',
  parser: argon2Parser,
  algorithm: 0,
  arrayBuffer: false,
  read(given) {
    const [algorithm, parameters] = given;
    if (algorithm !== 'argon2id' && algorithm !== 'argon2i' && algorithm !== 'argon2d')
      return undefined;
    if (!isObject(parameters)) return undefined;
    const values = (given[1] = pick(parameters, argon2Parameters));
    const { secret, associatedData, message, nonce, ...numbers } = values;
    const optional = [secret, associatedData].filter((each) => each !== undefined);
    // Millrace refuses what else Node.js does, and has defaults for the numbers.
    return [message, nonce, ...optional].every(isData) && Object.keys(numbers).length === 4
      ? [algorithm, values]
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

export function pbkdf2(...given: unknown[]): void {
  then(pbkdf2Calls, given, given.at(5));
}

export function pbkdf2Sync(...given: unknown[]): unknown {
  return now(pbkdf2Calls, given);
}

export function hkdf(...given: unknown[]): void {
  then(hkdfCalls, given, given.at(5));
}

export function hkdfSync(...given: unknown[]): unknown {
  return now(hkdfCalls, given);
}

export function scrypt(...given: unknown[]): void {
  then(scryptCalls, given, given.at(typeof given.at(3) === 'function' ? 3 : 4));
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
