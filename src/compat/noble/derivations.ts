/** HMAC and key derivation with the interface of noble, in its two lines. */
import { NO_BYTES, sizeOf } from '../../base/arguments.js';
import { Operation } from '../../base/frame.js';
import { detached } from '../../base/errors.js';
import { isLost, isUint8Array } from '../../base/intrinsics.js';
import { secretMemory, wipe, type Secret } from '../../base/secret-memory.js';
import { beginRequest, setKey, setTarget } from '../../request/request.js';
import { defaultEngine } from '../../engines/engines.js';
import { keepsStates, keyStates } from '../../hashers/key-states.js';
import { Running } from '../../hashers/running.js';
import { argon2Parser } from '../../kdf/argon2.js';
import { derivePromise, deriveSync, type DerivationParser } from '../../kdf/derive.js';
import { hkdfExpandParser, hkdfParser } from '../../kdf/hkdf.js';
import { pbkdf2Parser } from '../../kdf/pbkdf2.js';
import { scryptBeyondRfc } from '../../kdf/scrypt.js';
import { hmacFacts } from '../../operations/hmac.js';
import { runFilled } from '../../scheduling/run.js';
import { checkBytes, checkHash, checkNumber, message } from './checks.js';
import { RunningHash, specOf, type CHash, type Hash, type Spec } from './hash-objects.js';
import { original, type Line } from './original.js';

/** A password or salt: bytes, or a string, which is encoded as UTF-8. */
export type KDFInput = string | Uint8Array;
/** Any hash function with noble's interface. */
export type AnyHash = CHash<any, any>;

/** The function `hmac`, with `hmac.create` for a message in parts. */
export interface HmacFunction {
  (hash: AnyHash, key: Uint8Array, data: Uint8Array): Uint8Array;
  /** Returns a running HMAC for a message in parts. */
  create(hash: AnyHash, key: Uint8Array): Hash;
}

/** The cost of PBKDF2. */
export interface Pbkdf2Opt {
  /** Iterations. */
  c: number;
  /** Bytes of the result; 32 by default. */
  dkLen?: number;
  /** Accepted and not used: asynchronous calls never block. */
  asyncTick?: number;
}

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

/** Returns the hash of an HMAC that Millrace computes. */
function macOf(hash: unknown): Spec | undefined {
  const spec = specOf(hash);
  return spec?.facts.hmac && spec.outputLen === spec.facts.digestSize ? spec : undefined;
}

/** Returns an HMAC, in memory of the kind that `allocate` returns. */
function macIn<Memory extends Uint8Array>(
  line: Line,
  hash: AnyHash,
  key: Uint8Array,
  data: Uint8Array,
  allocate: (size: number) => Memory,
): Memory {
  const spec = macOf(hash);
  if (spec === undefined) return original(line, 'hashes', 'hmac', 'hmac')(hash, key, data);
  const keyBytes = line === 1 ? message(line, key) : checkBytes(line, key, 'key');
  const bytes = message(line, data);
  // The checks above run the caller's code, and no bytes are a key.
  if (sizeOf(keyBytes) === 0 && isLost(keyBytes)) throw detached('key');
  const target = allocate(spec.outputLen);
  beginRequest(Operation.Hmac, hmacFacts(spec.facts.name).id, bytes, 0, sizeOf(bytes));
  setKey(keyBytes, 0, sizeOf(keyBytes));
  setTarget(target, 0, target.length);
  runFilled();
  return target;
}

/** HMAC (RFC 2104). */
export function hmac(line: Line): HmacFunction {
  const mac = (hash: AnyHash, key: Uint8Array, data: Uint8Array): Uint8Array =>
    macIn(line, hash, key, data, (size) => new Uint8Array(size));
  const create = (hash: AnyHash, key: Uint8Array): Hash => {
    const spec = macOf(hash);
    const { preference } = defaultEngine;
    if (spec === undefined || !keepsStates(preference))
      return original(line, 'hashes', 'hmac', 'hmac').create(hash, key);
    const keyBytes = line === 1 ? message(line, key) : checkBytes(line, key, 'key');
    const facts = hmacFacts(spec.facts.name);
    const states = keyStates(facts, keyBytes, preference);
    return new RunningHash(
      { ...spec, kind: 'md', xof: false },
      new Running(facts, true, undefined, 0, 0, facts.digestSize, preference, states),
    );
  };
  return Object.assign(mac, { create });
}

/** HKDF (RFC 5869). */
export function hkdf(line: Line) {
  const mac = (hash: AnyHash, key: Uint8Array, data: Uint8Array): Secret =>
    macIn(line, hash, key, data, secretMemory);
  const extract = (hash: AnyHash, ikm: Uint8Array, salt?: Uint8Array): Uint8Array => {
    checkHash(line, hash);
    return mac(hash, salt === undefined ? new Uint8Array(hash.outputLen) : salt, ikm);
  };
  const expand = (hash: AnyHash, prk: Uint8Array, info?: Uint8Array, length = 32): Uint8Array => {
    checkHash(line, hash);
    const { outputLen } = hash;
    checkNumber(line, length, 'length');
    const key = line === 1 ? message(line, prk) : checkBytes(line, prk, 'prk');
    if (line === 2 && key.length < outputLen)
      throw new Error('"prk" must be at least HashLen octets');
    if (length > 255 * outputLen) throw new Error('Length must be <= 255*HashLen');
    if (line === 2 && info !== undefined) checkBytes(line, info, 'info');
    const name = macOf(hash)?.facts.name;
    const given = info === undefined ? NO_BYTES : message(line, info);
    // RFC 5869's least size of a PRK, which version 1 does not check.
    if (name !== undefined && key.length >= outputLen && length > 0 && isUint8Array(given))
      return derived(hkdfExpandParser, [name, key, given, length]);
    const output = secretMemory(length);
    const tail = sizeOf(given);
    // T(n - 1), info and the number n: the input of T(n).
    const input = secretMemory(outputLen + tail + 1);
    input.set(given, outputLen);
    for (let start = 0, number = 1; start < length; start += outputLen, number++) {
      input[outputLen + tail] = number;
      const block = mac(hash, key, start === 0 ? input.subarray(outputLen) : input);
      input.set(block);
      output.set(block.subarray(0, Math.min(outputLen, length - start)), start);
      wipe(block);
    }
    wipe(input);
    return output;
  };
  const derive = (
    hash: AnyHash,
    ikm: Uint8Array,
    salt: Uint8Array | undefined,
    info: Uint8Array | undefined,
    length: number,
  ): Uint8Array => {
    const spec = macOf(hash);
    // Not `??`: noble refuses null.
    const given = [ikm, salt, info].map((each) => (each === undefined ? NO_BYTES : each));
    const accepted = ikm !== undefined && given.every(isUint8Array) && isCount(length, 1);
    // An empty salt and one of zeros are the same key of HMAC.
    if (spec !== undefined && accepted && length <= 255 * spec.outputLen) {
      const { name } = spec.facts;
      return derived(hkdfParser, [name, ...given, length]);
    }
    const prk = extract(hash, ikm, salt) as Secret;
    try {
      return expand(hash, prk, info, length);
    } finally {
      wipe(prk);
    }
  };
  return { hkdf: derive, extract, expand };
}

/** The arguments of a derivation, if Millrace accepts them; noble serves or refuses the others. */
type Arguments = readonly unknown[] | undefined;

function pbkdf2Arguments(
  hash: unknown,
  password: unknown,
  salt: unknown,
  options: Pbkdf2Opt,
): Arguments {
  const spec = macOf(hash);
  if (spec === undefined || !isInput(password) || !isInput(salt) || !isObject(options))
    return undefined;
  const { c, dkLen = 32, asyncTick = 10 } = options;
  if (!isCount(c, 1) || !isCount(dkLen, 1) || !isCount(asyncTick, 0)) return undefined;
  if (c > 0xffffffff || dkLen > RESULT_MAX) return undefined;
  return [password, salt, c, dkLen, spec.facts.name];
}

/** PBKDF2 (RFC 8018). */
export function pbkdf2(line: Line) {
  type Given = [hash: AnyHash, password: KDFInput, salt: KDFInput, options: Pbkdf2Opt];
  return {
    pbkdf2: (...given: Given): Uint8Array => {
      const read = pbkdf2Arguments(...given);
      if (read !== undefined) return derived(pbkdf2Parser, read);
      return original(line, 'hashes', 'pbkdf2', 'pbkdf2')(...given);
    },
    pbkdf2Async: async (...given: Given): Promise<Uint8Array> => {
      const read = pbkdf2Arguments(...given);
      if (read !== undefined) return derivedLater(pbkdf2Parser, read);
      return original(line, 'hashes', 'pbkdf2', 'pbkdf2Async')(...given);
    },
  };
}

/** The most bytes of a result here; noble computes longer ones. */
const RESULT_MAX = 2 ** 20;
const SCRYPT_MAXMEM = 2 ** 30 + 1024;

function scryptArguments(
  line: Line,
  later: boolean,
  password: unknown,
  salt: unknown,
  options: ScryptOpts,
): Arguments {
  if (!isInput(password) || !isInput(salt) || !isObject(options)) return undefined;
  const { N, r, p, dkLen = 32, asyncTick = 10, maxmem = SCRYPT_MAXMEM, onProgress } = options;
  const counts = [N, r, p, dkLen].every((each) => isCount(each, 1));
  if (!counts || !isCount(asyncTick, 0) || !isCount(maxmem, 0)) return undefined;
  if (N < 2 || N > 2 ** 31 || (N & (N - 1)) !== 0 || dkLen > RESULT_MAX) return undefined;
  if (128 * r * (N + p + (line === 1 ? 0 : 1)) > maxmem || r * p >= 2 ** 30) return undefined;
  // Only asynchronous calls report progress.
  if (onProgress !== undefined && (typeof onProgress !== 'function' || !later)) return undefined;
  const cost = { N, r, p, maxmem: Math.max(maxmem, 128 * r * (N + p + 2)) };
  return [password, salt, dkLen, later ? { ...cost, ...progress(onProgress, 2 * N * p) } : cost];
}

/** scrypt (RFC 7914). */
export function scrypt(line: Line) {
  type Given = [password: KDFInput, salt: KDFInput, options: ScryptOpts];
  return {
    scrypt: (...given: Given): Uint8Array => {
      const read = scryptArguments(line, false, ...given);
      if (read !== undefined) return derived(scryptBeyondRfc, read);
      return original(line, 'hashes', 'scrypt', 'scrypt')(...given);
    },
    scryptAsync: async (...given: Given): Promise<Uint8Array> => {
      const read = scryptArguments(line, true, ...given);
      if (read !== undefined) return derivedLater(scryptBeyondRfc, read);
      return original(line, 'hashes', 'scrypt', 'scryptAsync')(...given);
    },
  };
}

function argon2Arguments(
  algorithm: string,
  later: boolean,
  password: unknown,
  salt: unknown,
  options: ArgonOpts,
): Arguments {
  if (!isInput(password) || !isInput(salt) || !isObject(options)) return undefined;
  const { t, m, p, version = 0x13, key, personalization, dkLen = 32, onProgress } = options;
  const { maxmem = 2 ** 32 - 1, asyncTick = 10 } = options;
  if (![t, m, p, maxmem].every((each) => isCount(each, 1)) || !isCount(dkLen, 4)) return undefined;
  if (m < 8 * p || p >= 2 ** 24 || t >= 2 ** 32 || dkLen > RESULT_MAX || !isCount(asyncTick, 0))
    return undefined;
  const segment = Math.floor(m / (4 * p));
  // Bytes, or words of 4 bytes in older versions of noble: noble judges what may be too much.
  if (4 * p * segment * 1024 > maxmem || maxmem >= 2 ** 32) return undefined;
  if (version !== 0x10 && version !== 0x13) return undefined;
  if (![key, personalization].every((each) => each === undefined || isInput(each)))
    return undefined;
  if ((typeof salt === 'string' ? encoded(salt) : salt).length < 8) return undefined;
  if (onProgress !== undefined && (typeof onProgress !== 'function' || !later)) return undefined;
  const parameters = {
    message: password,
    nonce: salt,
    tagLength: dkLen,
    secret: key ?? NO_BYTES,
    associatedData: personalization ?? NO_BYTES,
    memory: m,
    passes: t,
    parallelism: p,
    version,
  };
  const steps = t * 4 * p * segment - 2 * p;
  return [algorithm, later ? { ...parameters, ...progress(onProgress, steps) } : parameters];
}

/** Argon2 (RFC 9106). */
export function argon2(line: Line) {
  type Given = [password: KDFInput, salt: KDFInput, options: ArgonOpts];
  const sync =
    (algorithm: string) =>
    (...given: Given): Uint8Array => {
      const read = argon2Arguments(algorithm, false, ...given);
      if (read !== undefined) return derived(argon2Parser, read);
      return original(line, 'hashes', 'argon2', algorithm)(...given);
    };
  const later =
    (algorithm: string) =>
    async (...given: Given): Promise<Uint8Array> => {
      const read = argon2Arguments(algorithm, true, ...given);
      if (read !== undefined) return derivedLater(argon2Parser, read);
      return original(line, 'hashes', 'argon2', `${algorithm}Async`)(...given);
    };
  return {
    argon2d: sync('argon2d'),
    argon2i: sync('argon2i'),
    argon2id: sync('argon2id'),
    argon2dAsync: later('argon2d'),
    argon2iAsync: later('argon2i'),
    argon2idAsync: later('argon2id'),
  };
}

function derived(parser: DerivationParser, read: readonly unknown[]): Uint8Array {
  return unpooled(deriveSync(parser, read, read.length) as Uint8Array);
}

async function derivedLater(
  parser: DerivationParser,
  read: readonly unknown[],
): Promise<Uint8Array> {
  return unpooled((await derivePromise(parser, read)) as Uint8Array);
}

/** Returns a Uint8Array instead of a Buffer; a derived key has an ArrayBuffer of its own. */
function unpooled({ buffer, byteOffset, length }: Uint8Array): Uint8Array {
  return new Uint8Array(buffer, byteOffset, length);
}

/**
 * Reports progress at each ten thousandth of the steps, as noble does; several at a time, as
 * Millrace computes on another thread.
 */
function progress(onProgress: ((progress: number) => void) | undefined, steps: number): object {
  if (onProgress === undefined) return {};
  const every = Math.max(Math.floor(steps / 10_000), 1);
  let next = every;
  return {
    onProgress: ({ fraction }: { fraction: number }): void => {
      const reached = Math.min(Math.floor(fraction * steps), steps - 1);
      for (; next <= reached; next += every) onProgress(next / steps);
      if (fraction === 1) onProgress(1);
    },
  };
}

function isInput(value: unknown): value is KDFInput {
  return typeof value === 'string' || isUint8Array(value);
}

function isObject(value: unknown): boolean {
  return Object.prototype.toString.call(value) === '[object Object]';
}

function isCount(value: unknown, least: number): boolean {
  return Number.isSafeInteger(value) && (value as number) >= least;
}

function encoded(text: string): Uint8Array {
  return message(1, text);
}
