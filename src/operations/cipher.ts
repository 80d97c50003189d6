/**
 * Cipher calls: seal and open (AEAD with the tag appended), and cipher, the general form, with
 * options or positional.
 */
import {
  bytes,
  data,
  NO_BYTES,
  options,
  range,
  sizeOf,
  unsigned,
  type Bytes,
  type Data,
  part,
  surplusArguments,
} from '../request/arguments.js';
import { At, frame, Operation, type Route } from '../request/frame.js';
import {
  setAad,
  beginRequest,
  setEngines,
  setIv,
  setPrefix,
  setResult,
  setRoute,
  setTag,
  setTarget,
  Form,
  type Parser,
} from '../request/request.js';
import { cipherFacts } from '../catalog/catalog.js';
import type { CipherFacts } from '../catalog/facts.js';
import {
  readEnginePreference,
  engineNames,
  type EnginePreference,
  type EngineOptions,
} from '../engines/engines.js';
import { makeError, wrongType } from '../request/errors.js';
import {
  setKeyInput,
  keySizeOf,
  readKey,
  type KeyInput,
  type KeyMaterial,
} from '../request/key-input.js';
import { randomNonce } from './nonces.js';
import { routeOf, type RouteOptions, takes, type Takes } from '../scheduling/routes.js';
import { SecretCopy, wipeCopy } from '../request/secret-copy.js';
import type { Accepted, Names } from '../request/options.js';
import { utf8Apart } from '#platform/runtime.js';
import { encodeShort, isShort, textScratch } from '../request/input-buffer.js';

/** Options of {@link seal}. Sizes are in bytes. */
export interface SealOptions extends EngineOptions {
  /**
   * The key: 16, 24 or 32 bytes, depending on the algorithm, or a key prepared for it. Copied at
   * the call.
   */
  readonly key: KeyInput;
  /**
   * The nonce: 12 bytes (24 for xchacha20-poly1305). Never use one twice with a key. Copied at the
   * call. Without it `seal` generates a random nonce and puts it before the ciphertext, where
   * `open` without a nonce reads it. Use xchacha20-poly1305 for that: its random nonces do not
   * repeat. With the 12-byte nonces of the others seal at most 2^32 messages with one key (NIST SP
   * 800-38D, 8.3).
   */
  readonly nonce?: Bytes | undefined;
  /** The message. */
  readonly source: Data;
  /**
   * Additional authenticated data: authenticated, not encrypted, required again to open. Copied at
   * the call.
   */
  readonly aad?: Data | undefined;
  /** Size of the tag: 16 by default; 12 to 16 for GCM. */
  readonly authTagLength?: number | undefined;
}

const sealNames: Names<SealOptions> = {
  key: true,
  nonce: true,
  source: true,
  aad: true,
  authTagLength: true,
  ...engineNames,
};

/** Options of {@link open}. Sizes are in bytes. */
export interface OpenOptions extends EngineOptions {
  /** The key the message was sealed with. */
  readonly key: KeyInput;
  /**
   * The nonce the message was sealed with. Without it the source begins with the nonce, as `seal`
   * without a nonce returns it.
   */
  readonly nonce?: Bytes | undefined;
  /** The ciphertext with the tag appended, as seal returned it. */
  readonly source: Bytes;
  /** The additional authenticated data the message was sealed with. */
  readonly aad?: Data | undefined;
  /** Size of the tag at the end of the source: 16 by default; 12 to 16 for GCM. */
  readonly authTagLength?: number | undefined;
}

const openNames: Names<OpenOptions> = {
  key: true,
  nonce: true,
  source: true,
  aad: true,
  authTagLength: true,
  ...engineNames,
};

/** Options of {@link cipher}. Sizes are in bytes. */
export interface CipherOptions extends EngineOptions {
  /** True (or 1) to encrypt, false (or 0) to decrypt. */
  readonly encrypt: boolean | 0 | 1;
  /** The key, or a key prepared for the algorithm. Copied at the call. */
  readonly key: KeyInput;
  /**
   * The iv: 16 bytes for CTR and chacha20, 12 for GCM and chacha20-poly1305, 24 for
   * xchacha20-poly1305. Copied at the call.
   */
  readonly iv: Bytes;
  /** What to encrypt or decrypt. */
  readonly source: Data;
  /** AEAD only: additional authenticated data. */
  readonly aad?: Data | undefined;
  /**
   * Required for an AEAD: written when encrypting, checked when decrypting. 16 bytes; 12 to 16 for
   * GCM.
   */
  readonly tag?: Bytes | undefined;
}

const cipherNames: Names<CipherOptions> = {
  encrypt: true,
  key: true,
  iv: true,
  source: true,
  aad: true,
  tag: true,
  ...engineNames,
};

/**
 * Where to write the result instead of returning it. The call is then zero-copy: source and target
 * are lent.
 */
export interface TextTargetOptions<T extends Bytes | undefined = Bytes> {
  /**
   * Receives the result. It may be the source or overlap it. The call returns the number of bytes
   * written.
   */
  readonly target: T;
  /** The offset in the target, in bytes. Default: 0. */
  readonly targetOffset?: number | undefined;
}

const targetNames: Names<TextTargetOptions> = { target: true, targetOffset: true };

/** `(algorithm, options)` of seal. */
export const sealParser: Parser = { fill: fillSeal, counts: [2] };

type SealFields = SealOptions & Partial<TextTargetOptions>;
const sealTable: Takes<keyof SealFields> = takes('seal(algorithm)', {
  ...sealNames,
  ...targetNames,
});

function fillSeal(given: ArrayLike<unknown>, count: number, promised?: boolean): void {
  const facts = aeadFacts('seal', given, count, promised ? sealTable.promised : sealTable.plain);
  // All getters run here, before any memory is read.
  const { key, nonce, source, aad, authTagLength, target, targetOffset, route, engine } =
    given[1] as AppendedFields;
  const preference = requestedEngines(engine);
  const tagSize = appendedTagSize(authTagLength, facts);
  const text = messageBytes(source, target);
  const size = sizeOf(text);
  limitSource(size, facts);
  const iv = nonce === undefined ? undefined : readIv(nonce, facts, 'nonce');
  const extra = readAad(aad, facts);
  const resultSize = (iv === undefined ? facts.ivSize : 0) + size + tagSize;
  const place = readTarget(target, targetOffset, resultSize);
  const way = routeAsked(route);
  const secret = readCipherKey(key, facts);
  if (SecretCopy.is(secret)) messageBytes(source, target);
  // Last, because the nonce is valid until the next call only.
  const random = iv === undefined ? randomNonce(facts.ivSize) : undefined;
  beginRequest(Operation.Seal, facts.id, text, 0, size);
  frame[At.TagSize] = tagSize;
  setKeyInput(secret);
  if (iv !== undefined) setIv(iv, 0, sizeOf(iv));
  else setIv(random!.memory, random!.offset, facts.ivSize);
  setAad(extra, 0, sizeOf(extra));
  setPlace(place, resultSize);
  if (iv === undefined) setPrefix(facts.ivSize);
  setAsked(way, preference);
}

/** `(algorithm, options)` of open. */
export const openParser: Parser = { fill: fillOpen, counts: [2] };

type OpenFields = OpenOptions & Partial<TextTargetOptions>;
const openTable: Takes<keyof OpenFields> = takes('open(algorithm)', {
  ...openNames,
  ...targetNames,
});

function fillOpen(given: ArrayLike<unknown>, count: number, promised?: boolean): void {
  const facts = aeadFacts('open', given, count, promised ? openTable.promised : openTable.plain);
  const { key, nonce, source, aad, authTagLength, target, targetOffset, route, engine } =
    given[1] as AppendedFields;
  const preference = requestedEngines(engine);
  const tagSize = appendedTagSize(authTagLength, facts);
  const sealed = bytes(source, 'source');
  const prefix = nonce === undefined ? facts.ivSize : 0;
  const size = sizeOf(sealed) - prefix - tagSize;
  if (size < 0) throw shortSource(prefix, tagSize, sizeOf(sealed));
  limitSource(size, facts);
  const iv = nonce === undefined ? undefined : readIv(nonce, facts, 'nonce');
  const extra = readAad(aad, facts);
  const place = readTarget(target, targetOffset, size);
  const way = routeAsked(route);
  const secret = readCipherKey(key, facts);
  beginRequest(Operation.Open, facts.id, sealed, prefix, size + tagSize);
  frame[At.TagSize] = tagSize;
  setKeyInput(secret);
  if (iv === undefined) setIv(sealed, 0, prefix);
  else setIv(iv, 0, sizeOf(iv));
  setAad(extra, 0, sizeOf(extra));
  setPlace(place, size);
  setAsked(way, preference);
}

function shortSource(prefix: number, tagSize: number, size: number): Error {
  const parts =
    prefix === 0 ? `the tag's ${tagSize} bytes` : `${prefix + tagSize} bytes for nonce and tag`;
  return makeError('ERR_SOURCE_SIZE', `source must hold at least ${parts}, not ${size}`);
}

type AppendedFields = Record<
  keyof SealOptions | keyof TextTargetOptions | keyof RouteOptions,
  unknown
>;

/** The AEAD and the options object that seal and open need. */
function aeadFacts(
  name: string,
  given: ArrayLike<unknown>,
  count: number,
  accepted: Accepted<any>,
): CipherFacts {
  if (count !== 2 || given[1] === undefined)
    throw makeError('ERR_MISSING_ARGUMENT', `${name} needs an algorithm and an options object`);
  const facts = cipherFacts(given[0]);
  if (!facts.aead)
    throw makeError(
      'ERR_ARGUMENT_VALUE',
      `algorithm: ${facts.name} does not authenticate; ${name} needs an AEAD such as aes-256-gcm`,
    );
  options<any>(given[1], 'options', accepted);
  return facts;
}

function appendedTagSize(authTagLength: unknown, facts: CipherFacts): number {
  if (authTagLength === undefined) return facts.tagSize;
  const tagSize = unsigned(authTagLength, 'authTagLength');
  checkTagSize(tagSize, facts, 'authTagLength');
  return tagSize;
}

/** `(algorithm, options)`, or 5 arguments, or 7 with aad and tag. */
export const cipherParser: Parser = { fill: fillCipher, counts: [2, 5, 7] };

type CipherFields = CipherOptions & Partial<TextTargetOptions>;
const cipherTable: Takes<keyof CipherFields> = takes('cipher(algorithm)', {
  ...cipherNames,
  ...targetNames,
});

function fillCipher(given: ArrayLike<unknown>, count: number, promised?: boolean): void {
  if (count < 2)
    throw makeError('ERR_MISSING_ARGUMENT', 'cipher needs an algorithm and an options object');
  const facts = cipherFacts(given[0]);
  if (count === 2)
    fillCipherOptions(facts, given[1], promised ? cipherTable.promised : cipherTable.plain);
  else if (count === 5 || count === 7) fillCipherPositional(facts, given, count);
  else throw surplusArguments('cipher takes 2, 5 or 7 arguments', count);
}

function fillCipherOptions(facts: CipherFacts, given: unknown, accepted: Accepted<any>): void {
  if (given === undefined)
    throw makeError('ERR_MISSING_ARGUMENT', 'cipher needs an options object');
  type Fields = Record<keyof CipherOptions | keyof TextTargetOptions | keyof RouteOptions, unknown>;
  const { encrypt, key, iv, source, aad, tag, target, targetOffset, route, engine } =
    options<Fields>(given, 'options', accepted);
  const preference = requestedEngines(engine);
  const operation = direction(encrypt);
  const view = messageBytes(source, target);
  limitSource(sizeOf(view), facts);
  const first = readIv(iv, facts, 'iv');
  const extra = readAad(aad, facts);
  const code = readTag(tag, facts);
  const place = readTarget(target, targetOffset, sizeOf(view));
  const way = routeAsked(route);
  const secret = readCipherKey(key, facts);
  if (SecretCopy.is(secret)) messageBytes(source, target);
  beginRequest(operation, facts.id, view, 0, sizeOf(view));
  setKeyInput(secret);
  setIv(first, 0, sizeOf(first));
  setAad(extra, 0, sizeOf(extra));
  if (code !== undefined) setTag(code, 0, sizeOf(code));
  setPlace(place, sizeOf(view));
  setAsked(way, preference);
}

function fillCipherPositional(facts: CipherFacts, given: ArrayLike<unknown>, count: number): void {
  const operation = direction(given[1]);
  const source = messageBytes(given[4], undefined);
  limitSource(sizeOf(source), facts);
  const iv = readIv(given[3], facts, 'iv');
  const aad = readAad(count === 7 ? given[5] : undefined, facts);
  const tag = readTag(count === 7 ? given[6] : undefined, facts);
  const key = readCipherKey(given[2], facts);
  if (SecretCopy.is(key)) messageBytes(given[4], undefined);
  beginRequest(operation, facts.id, source, 0, sizeOf(source));
  setKeyInput(key);
  setIv(iv, 0, sizeOf(iv));
  setAad(aad, 0, sizeOf(aad));
  if (tag !== undefined) setTag(tag, 0, sizeOf(tag));
  setResult(sizeOf(source), Form.Buffer);
}

/**
 * Reads a message. Reading a KeyObject may run other calls, which use the scratch memory too, so a
 * string is encoded after that. The bytes of a string are not in Node's Buffer pool.
 */
function messageBytes(value: unknown, target: unknown): Uint8Array {
  if (typeof value !== 'string') return data(value, 'source');
  if (target !== undefined || !isShort(value)) return utf8Apart(value);
  return part(textScratch, 0, encodeShort(value, textScratch));
}

function direction(encrypt: unknown): Operation {
  if (encrypt === true || encrypt === 1) return Operation.Encrypt;
  if (encrypt === false || encrypt === 0) return Operation.Decrypt;
  if (typeof encrypt !== 'number' && typeof encrypt !== 'boolean')
    throw wrongType('encrypt', 'a boolean, 0 or 1', encrypt);
  throw makeError('ERR_ARGUMENT_VALUE', `encrypt must be a boolean, 0 or 1, not ${encrypt}`);
}

/** Reads the key. Call it after all other arguments are read (secret-copy.ts). */
function readCipherKey(value: unknown, facts: CipherFacts): Exclude<KeyMaterial, string> {
  const key = readKey(value, facts.name, 'key');
  checkKeySize(key, keySizeOf(key), facts, 'key');
  return key;
}

function readIv(value: unknown, facts: CipherFacts, name: string): Uint8Array {
  const iv = bytes(value, name);
  checkIvSize(sizeOf(iv), facts, name);
  return iv;
}

function readAad(value: unknown, facts: CipherFacts): Uint8Array {
  if (value === undefined) return NO_BYTES;
  const aad = data(value, 'aad');
  checkAadSize(sizeOf(aad), facts, 'aad');
  return aad;
}

/** Reads the tag of an AEAD. Other ciphers accept only an empty one. */
function readTag(value: unknown, facts: CipherFacts): Uint8Array | undefined {
  if (value === undefined) {
    if (facts.aead) throw missingTag(facts);
    return undefined;
  }
  const tag = bytes(value, 'tag');
  checkTagSize(sizeOf(tag), facts, 'tag');
  return facts.aead ? tag : undefined;
}

/** Sets the target and its offset. */
interface Place {
  readonly target: Uint8Array;
  readonly offset: number;
}

function readTarget(target: unknown, targetOffset: unknown, size: number): Place | undefined {
  if (target === undefined) {
    if (targetOffset !== undefined)
      throw makeError('ERR_MISSING_ARGUMENT', 'targetOffset needs a target');
    return undefined;
  }
  const view = bytes(target, 'target');
  const offset = targetOffset === undefined ? 0 : unsigned(targetOffset, 'targetOffset');
  range(offset, size, sizeOf(view), 'target');
  return { target: view, offset };
}

function setPlace(place: Place | undefined, size: number): void {
  if (place === undefined) setResult(size, Form.Buffer);
  else setTarget(place.target, place.offset, size);
}

function requestedEngines(engine: unknown): EnginePreference | undefined {
  return engine === undefined ? undefined : readEnginePreference(engine, 'options.engine');
}

function routeAsked(route: unknown): Route | undefined {
  return route === undefined ? undefined : routeOf(route, 'options.route');
}

function setAsked(route: Route | undefined, preference: EnginePreference | undefined): void {
  if (preference !== undefined) setEngines(preference);
  if (route !== undefined) setRoute(route);
}

function missingTag(facts: CipherFacts): Error {
  return makeError(
    'ERR_MISSING_ARGUMENT',
    `${facts.name} needs a tag of ${facts.tagSize} bytes: pass aad and tag, or use seal and open`,
  );
}

/** `size` is undefined for a prepared key, whose size is right. */
function checkKeySize(
  key: KeyMaterial,
  size: number | undefined,
  facts: CipherFacts,
  name: string,
): void {
  if (size === undefined || size === facts.keySize) return;
  wipeCopy(key);
  throw makeError(
    'ERR_KEY_SIZE',
    `${name} must be ${facts.keySize} bytes for ${facts.name}, not ${size}`,
  );
}

function checkIvSize(size: number, facts: CipherFacts, name: string): void {
  if (size !== facts.ivSize)
    throw makeError(
      'ERR_IV_SIZE',
      `${name} must be ${facts.ivSize} bytes for ${facts.name}, not ${size}`,
    );
}

function checkAadSize(size: number, facts: CipherFacts, name: string): void {
  if (size > 0 && !facts.aead)
    throw makeError(
      'ERR_ARGUMENT_VALUE',
      `${name} must be empty: ${facts.name} does not authenticate`,
    );
  if (size > facts.maxAad)
    throw makeError(
      'ERR_SOURCE_SIZE',
      `${name} must be at most ${facts.maxAad} bytes for ${facts.name}, not ${size}`,
    );
}

/**
 * The shortest tag accepted for GCM. NIST SP 800-38D allows 4 and 8 bytes for special uses;
 * millrace/crypto-async accepts them.
 */
const GCM_TAG_MIN = 12;

/** A short tag is a weak one: an attacker who may choose 1 byte needs 256 tries. */
function checkTagSize(size: number, facts: CipherFacts, name: string): void {
  if (!facts.aead) {
    if (size > 0)
      throw makeError(
        'ERR_ARGUMENT_VALUE',
        `${name} must be empty: ${facts.name} does not authenticate`,
      );
    return;
  }
  const least = facts.name.endsWith('-gcm') ? GCM_TAG_MIN : facts.tagSize;
  if (size >= least && size <= facts.tagSize) return;
  const allowed = least === facts.tagSize ? String(least) : `${least} to ${facts.tagSize}`;
  const bits = size >= least * 8 && size <= facts.tagSize * 8 ? ': it counts bytes, not bits' : '';
  throw makeError(
    'ERR_TAG_SIZE',
    `${name} must be ${allowed} bytes for ${facts.name}, not ${size}${bits}`,
  );
}

function limitSource(size: number, facts: CipherFacts): void {
  if (size > facts.maxSource) {
    throw makeError(
      'ERR_SOURCE_SIZE',
      `source must be at most ${facts.maxSource} bytes for ${facts.name}, not ${size}`,
    );
  }
}
