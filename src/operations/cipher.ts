/**
 * Cipher calls: seal and open (AEAD with the tag appended), and cipher, the general form, with
 * options or positional.
 */
import {
  cipherOptionNames,
  openOptionNames,
  sealOptionNames,
  targetOptionNames,
} from '../base/option-names.js';
import {
  data,
  findBytes,
  NO_BYTES,
  sizeOf,
  sizeOfFound,
  surplusArguments,
  type Bytes,
  type Data,
} from '../base/arguments.js';
import { makeError, wrongType } from '../base/errors.js';
import { At, frame, Operation, type Route } from '../base/frame.js';
import { mayHaveRunCode, setKeyInput, type KeyInput } from '../request/key-input.js';
import {
  bare,
  checkNames,
  isOptions,
  slowBare,
  unreadable,
  type Accepted,
} from '../base/options.js';
import {
  beginRequest,
  clearRequest,
  Form,
  request,
  setAad,
  setEngines,
  setIv,
  setPrefix,
  setResult,
  setRoute,
  setTag,
  setTarget,
  type Parser,
} from '../request/request.js';
import { cipherFacts } from '../catalog/catalog.js';
import type { CipherFacts } from '../catalog/facts.js';
import {
  readEnginePreference,
  type EngineOptions,
  type EnginePreference,
} from '../engines/engines.js';
import { routedSync, runFilled } from '../scheduling/run.js';
import { readRoute, takes, type RouteOptions, type Takes } from '../scheduling/routes.js';
import {
  appendedTagSize,
  direction,
  limitSource,
  messageBytes,
  readAad,
  readCipherKey,
  readIv,
  readTag,
  readTarget,
  usesOf,
  type Place,
} from './cipher-arguments.js';
import { randomNonce } from './nonces.js';
import { provideCiphers } from '#platform/engines/parts.js';

provideCiphers();

/** Options of {@link seal}. Sizes are in bytes. */
export interface SealOptions extends EngineOptions {
  /**
   * The key: 16, 24 or 32 bytes, depending on the algorithm, or a key prepared for it. Copied at
   * the call.
   */
  readonly key: KeyInput;
  /**
   * The nonce: 12 bytes (24 for xchacha20-poly1305; GCM accepts 1 to 128). Never use one twice with
   * a key. Copied at the call. Without it `seal` generates a random nonce and puts it before the
   * ciphertext, where
   * `open` without a nonce reads it. Use xchacha20-poly1305 for that: its random nonces do not
   * repeat. With the 12-byte nonces of the others seal at most 2^32 messages with one key (NIST SP
   * 800-38D, 8.3); a prepared key counts them and then refuses with ERR_NONCE_LIMIT.
   */
  readonly nonce?: Bytes | undefined;
  /** The message. */
  readonly source: Data;
  /**
   * Additional authenticated data: authenticated, not encrypted, required again to open. Copied at
   * the call.
   */
  readonly aad?: Data;
  /** Size of the tag: 16 by default; 12 to 16 for GCM. */
  readonly authTagLength?: number | undefined;
}

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
  readonly aad?: Data;
  /** Size of the tag at the end of the source: 16 by default; 12 to 16 for GCM. */
  readonly authTagLength?: number | undefined;
}

/** Options of {@link cipher}. Sizes are in bytes. */
export interface CipherOptions extends EngineOptions {
  /** True (or 1) to encrypt, false (or 0) to decrypt. */
  readonly encrypt: boolean | 0 | 1;
  /** The key, or a key prepared for the algorithm. Copied at the call. */
  readonly key: KeyInput;
  /**
   * The iv: 16 bytes for CTR and chacha20, 12 for GCM (1 to 128 are accepted) and
   * chacha20-poly1305, 24 for xchacha20-poly1305. Copied at the call.
   */
  readonly iv: Bytes;
  /** The text to encrypt or decrypt. */
  readonly source: Data;
  /** AEAD only: additional authenticated data. */
  readonly aad?: Data;
  /**
   * Required for an AEAD: written when encrypting, checked when decrypting. 16 bytes; 12 to 16 for
   * GCM.
   */
  readonly tag?: Bytes | undefined;
}

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

/** `(algorithm, options)` of seal. */
export const sealParser: Parser = { fill: fillSeal, counts: [2], options: 1 };

type SealFields = SealOptions & Partial<TextTargetOptions>;
const sealTable: Takes<keyof SealFields> = takes(
  'seal(algorithm)',
  sealOptionNames,
  targetOptionNames,
);

function fillSeal(given: ArrayLike<unknown>, count: number, promised?: boolean): void {
  needOptions('seal', given, count);
  fillSealOptions(given[0], given[1], promised ? sealTable.promised : sealTable.plain);
}

/** Runs `seal(algorithm, options)` on the calling thread. */
export function sealSync(algorithm: unknown, given: object): unknown {
  return runOptions(fillSealOptions, algorithm, given, sealTable.plain);
}

function runOptions(
  fill: typeof fillSealOptions,
  algorithm: unknown,
  given: object,
  accepted: Accepted<any>,
): unknown {
  try {
    fill(algorithm, given, accepted);
    if (request.routed) throw routedSync();
  } catch (error) {
    clearRequest();
    throw error;
  }
  return runFilled();
}

function fillSealOptions(algorithm: unknown, given: unknown, accepted: Accepted<any>): void {
  const facts = aeadFacts('seal', algorithm);
  // All getters run here, before any memory is read.
  let own: AppendedFields;
  if (!isOptions(given)) throw wrongType('options', 'an object', given);
  try {
    own = (slowBare ? bare({ ...given }) : { ...given, __proto__: null }) as never;
  } catch (error) {
    throw unreadable(given, 'options', error);
  }
  checkNames(own, 'options', accepted);
  const { key, nonce, source, aad, authTagLength, target, targetOffset, route, engine } = own;
  const preference = readEnginePreference(engine);
  const tagSize = appendedTagSize(authTagLength, facts);
  const text = messageBytes(source, target);
  const size = sizeOfFound(text, 'source');
  limitSource(size, facts);
  const iv = nonce === undefined ? undefined : readIv(nonce, facts, 'nonce');
  const extra = readAad(aad, facts);
  const resultSize = (iv === undefined ? facts.ivSize : 0) + size + tagSize;
  const place = readTarget(target, targetOffset, resultSize);
  const wanted = readRoute(route);
  const secret = readCipherKey(key, facts, preference);
  if (mayHaveRunCode(secret)) messageBytes(source, target);
  // Last, because the nonce is valid until the next call only.
  const random = iv === undefined ? randomNonce(facts.ivSize, usesOf(secret)) : undefined;
  beginRequest(Operation.Seal, facts.id, text, 0, size);
  frame[At.TagSize] = tagSize;
  setKeyInput(secret);
  if (iv !== undefined) setIv(iv, 0, sizeOf(iv));
  else setIv(random!.memory, random!.offset, facts.ivSize);
  if (extra !== NO_BYTES) setAad(extra, 0, sizeOf(extra));
  setPlace(place, resultSize);
  if (iv === undefined) setPrefix(facts.ivSize);
  setAsked(wanted, preference);
}

/** `(algorithm, options)` of open. */
export const openParser: Parser = { fill: fillOpen, counts: [2], options: 1 };

type OpenFields = OpenOptions & Partial<TextTargetOptions>;
const openTable: Takes<keyof OpenFields> = takes(
  'open(algorithm)',
  openOptionNames,
  targetOptionNames,
);

function fillOpen(given: ArrayLike<unknown>, count: number, promised?: boolean): void {
  needOptions('open', given, count);
  fillOpenOptions(given[0], given[1], promised ? openTable.promised : openTable.plain);
}

/** Runs `open(algorithm, options)` on the calling thread. */
export function openSync(algorithm: unknown, given: object): unknown {
  return runOptions(fillOpenOptions, algorithm, given, openTable.plain);
}

function fillOpenOptions(algorithm: unknown, given: unknown, accepted: Accepted<any>): void {
  const facts = aeadFacts('open', algorithm);
  let own: AppendedFields;
  if (!isOptions(given)) throw wrongType('options', 'an object', given);
  try {
    own = (slowBare ? bare({ ...given }) : { ...given, __proto__: null }) as never;
  } catch (error) {
    throw unreadable(given, 'options', error);
  }
  checkNames(own, 'options', accepted);
  const { key, nonce, source, aad, authTagLength, target, targetOffset, route, engine } = own;
  const preference = readEnginePreference(engine);
  const tagSize = appendedTagSize(authTagLength, facts);
  const sealed = findBytes(source, 'source');
  const prefix = nonce === undefined ? facts.ivSize : 0;
  const sealedSize = sizeOfFound(sealed, 'source');
  const size = sealedSize - prefix - tagSize;
  if (size < 0) throw shortSource(prefix, tagSize, sealedSize);
  limitSource(size, facts);
  const iv = nonce === undefined ? undefined : readIv(nonce, facts, 'nonce');
  const extra = readAad(aad, facts);
  const place = readTarget(target, targetOffset, size);
  const wanted = readRoute(route);
  const secret = readCipherKey(key, facts, preference);
  beginRequest(Operation.Open, facts.id, sealed, prefix, size + tagSize);
  frame[At.TagSize] = tagSize;
  setKeyInput(secret);
  if (iv === undefined) setIv(sealed, 0, prefix);
  else setIv(iv, 0, sizeOf(iv));
  if (extra !== NO_BYTES) setAad(extra, 0, sizeOf(extra));
  setPlace(place, size);
  setAsked(wanted, preference);
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

function needOptions(name: string, given: ArrayLike<unknown>, count: number): void {
  if (count !== 2 || given[1] === undefined)
    throw makeError('ERR_MISSING_ARGUMENT', `${name} needs an algorithm and an options object`);
}

/** Returns the AEAD of that name. */
function aeadFacts(name: string, algorithm: unknown): CipherFacts {
  const facts = cipherFacts(algorithm);
  if (facts.aead) return facts;
  throw makeError(
    'ERR_ARGUMENT_VALUE',
    `algorithm: ${facts.name} does not authenticate; ${name} needs an AEAD such as aes-256-gcm`,
  );
}

/** `(algorithm, options)`, or 5 arguments, or 7 with aad and tag. */
export const cipherParser: Parser = { fill: fillCipher, counts: [2, 5, 7], options: 1 };

type CipherFields = CipherOptions & Partial<TextTargetOptions>;
const cipherTable: Takes<keyof CipherFields> = takes(
  'cipher(algorithm)',
  cipherOptionNames,
  targetOptionNames,
);

function fillCipher(
  given: ArrayLike<unknown>,
  count: number,
  promised?: boolean,
  asked?: EnginePreference,
): void {
  if (count < 2)
    throw makeError('ERR_MISSING_ARGUMENT', 'cipher needs an algorithm and an options object');
  const facts = cipherFacts(given[0]);
  if (count === 2)
    fillCipherOptions(facts, given[1], promised ? cipherTable.promised : cipherTable.plain);
  else if (count === 5 || count === 7) fillCipherPositional(facts, given, count, asked);
  else throw surplusArguments('cipher takes 2, 5 or 7 arguments', count);
}

function fillCipherOptions(facts: CipherFacts, given: unknown, accepted: Accepted<any>): void {
  if (given === undefined)
    throw makeError('ERR_MISSING_ARGUMENT', 'cipher needs an options object');
  type Fields = Record<keyof CipherOptions | keyof TextTargetOptions | keyof RouteOptions, unknown>;
  let own: Fields;
  if (!isOptions(given)) throw wrongType('options', 'an object', given);
  try {
    own = (slowBare ? bare({ ...given }) : { ...given, __proto__: null }) as never;
  } catch (error) {
    throw unreadable(given, 'options', error);
  }
  checkNames(own, 'options', accepted);
  const { encrypt, key, iv, source, aad, tag, target, targetOffset, route, engine } = own;
  const preference = readEnginePreference(engine);
  const operation = direction(encrypt);
  const view = messageBytes(source, target);
  const size = sizeOfFound(view, 'source');
  limitSource(size, facts);
  const first = readIv(iv, facts, 'iv');
  const extra = readAad(aad, facts);
  const code = readTag(tag, facts);
  const place = readTarget(target, targetOffset, size);
  const wanted = readRoute(route);
  const secret = readCipherKey(key, facts, preference);
  if (mayHaveRunCode(secret)) messageBytes(source, target);
  beginRequest(operation, facts.id, view, 0, size);
  setKeyInput(secret);
  setIv(first, 0, sizeOf(first));
  if (extra !== NO_BYTES) setAad(extra, 0, sizeOf(extra));
  if (code !== undefined) setTag(code, 0, sizeOf(code));
  setPlace(place, size);
  setAsked(wanted, preference);
}

function fillCipherPositional(
  facts: CipherFacts,
  given: ArrayLike<unknown>,
  count: number,
  asked: EnginePreference | undefined,
): void {
  const operation = direction(given[1]);
  const source = messageBytes(given[4], undefined);
  const size = sizeOfFound(source, 'source');
  limitSource(size, facts);
  const iv = readIv(given[3], facts, 'iv');
  // Seven arguments have an aad, which must not be undefined.
  const aad = count === 7 ? data(given[5], 'aad') : undefined;
  const extra = readAad(aad, facts);
  const tag = readTag(count === 7 ? given[6] : undefined, facts);
  const key = readCipherKey(given[2], facts, asked);
  if (mayHaveRunCode(key)) messageBytes(given[4], undefined);
  beginRequest(operation, facts.id, source, 0, size);
  setKeyInput(key);
  setIv(iv, 0, sizeOf(iv));
  if (extra !== NO_BYTES) setAad(extra, 0, sizeOf(extra));
  if (tag !== undefined) setTag(tag, 0, sizeOf(tag));
  setResult(size, Form.Buffer);
}

function setPlace(place: Place | undefined, size: number): void {
  if (place === undefined) setResult(size, Form.Buffer);
  else setTarget(place.target, place.offset, size);
}

function setAsked(route: Route | undefined, preference: EnginePreference | undefined): void {
  if (preference !== undefined) setEngines(preference);
  if (route !== undefined) setRoute(route);
}
