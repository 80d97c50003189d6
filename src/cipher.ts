/**
 * Cipher calls: seal and open (AEAD with the tag appended), and cipher, the general form, with
 * options, positional, or over windows.
 */
import { bytes, data, options, part, range, sizeOf, unsigned, type Bytes, type Data } from './arguments.js';
import { At, frame, Operation } from './frame.js';
import { describeAad, describeCall, describeChoice, describeIv, describeKey, describePrefix, describeResult, describeRoute, describeTag, describeTarget, Form, type Parser } from './call.js';
import { cipherFacts, type CipherFacts } from './catalog.js';
import { choiceOf, engineNames, type Choice, type EngineOptions } from './engines.js';
import { makeError, wrongType } from './errors.js';
import { isKey, keyChoice, type Key } from './key.js';
import { randomNonce } from './nonces.js';
import type { Accepted, Names } from './options.js';
import { utf8Apart } from './platform/node.js';
import { routeOf, takes, type RouteOptions, type Takes } from './routes.js';
import { encodeShort, isShort, textScratch } from './scratch.js';

/** What {@link seal} needs. Sizes in bytes. */
export interface SealOptions extends EngineOptions {
  /** The key: 16, 24 or 32 bytes as the algorithm says, or a key prepared for it. Copied at the call. */
  readonly key: Bytes | Key;
  /**
   * The nonce: 12 bytes (24 for xchacha20-poly1305). Never use one twice with a key. Copied at the call. Without it
   * `seal` takes a random one and puts it before the ciphertext, where `open` without a nonce reads it. Use
   * xchacha20-poly1305 then: its random nonces do not repeat. With the 12 bytes of all others seal at most 2^32
   * messages with one key (NIST SP 800-38D, 8.3).
   */
  readonly nonce?: Bytes | undefined;
  /** The message. */
  readonly source: Data;
  /** Additional authenticated data: protected, not encrypted, needed again to open. Copied at the call. */
  readonly aad?: Data | undefined;
  /** Size of the tag: 16 by default; 12 to 16 for GCM. */
  readonly tagLength?: number | undefined;
}

const sealNames: Names<SealOptions> = {
  key: true,
  nonce: true,
  source: true,
  aad: true,
  tagLength: true,
  ...engineNames,
};

/** What {@link open} needs. Sizes in bytes. */
export interface OpenOptions extends EngineOptions {
  /** The key the message was sealed with. */
  readonly key: Bytes | Key;
  /** The nonce the message was sealed with. Without it the source begins with the nonce, as `seal` without a nonce returns it. */
  readonly nonce?: Bytes | undefined;
  /** The ciphertext with the tag appended, as seal returned it. */
  readonly source: Bytes;
  /** The additional authenticated data the message was sealed with. */
  readonly aad?: Data | undefined;
  /** Size of the tag at the end of the source: 16 by default; 12 to 16 for GCM. */
  readonly tagLength?: number | undefined;
}

const openNames: Names<OpenOptions> = {
  key: true,
  nonce: true,
  source: true,
  aad: true,
  tagLength: true,
  ...engineNames,
};

/** What the options form of {@link cipher} needs. Sizes in bytes. */
export interface CipherOptions extends EngineOptions {
  /** True (or 1) to encrypt, false (or 0) to decrypt. */
  readonly encrypt: boolean | 0 | 1;
  /** The key, or a key prepared for the algorithm. Copied at the call. */
  readonly key: Bytes | Key;
  /** The iv: 16 bytes for CTR and chacha20, 12 for GCM and chacha20-poly1305, 24 for xchacha20-poly1305. Copied at the call. */
  readonly iv: Bytes;
  /** What to encrypt or decrypt. */
  readonly source: Data;
  /** AEAD only: additional authenticated data. */
  readonly aad?: Data | undefined;
  /** AEAD only, and there required: written when encrypting, checked when decrypting; 16 bytes, for GCM 12 to 16. */
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

/** Where to write a text instead of returning it. The call is then zero-copy: source and target are lent. */
export interface TextTargetOptions {
  /** Receives the text; it may be the source, or overlap it. The call returns the number of bytes written. */
  readonly target: Bytes;
  /** Where in the target, in bytes; default 0. */
  readonly targetOffset?: number | undefined;
}

const targetNames: Names<TextTargetOptions> = { target: true, targetOffset: true };

/** `(algorithm, options)` of seal. */
export const sealParser: Parser = { describe: describeSeal, counts: [2] };

type SealFields = SealOptions & Partial<TextTargetOptions>;
const sealTable: Takes<keyof SealFields> = takes('seal(algorithm)', { ...sealNames, ...targetNames });

function describeSeal(given: ArrayLike<unknown>, count: number, promised?: boolean): void {
  const facts = aeadFacts('seal', given, count, promised ? sealTable.promised : sealTable.plain);
  // All getters run here, before any memory is looked at.
  const { key, nonce, source, aad, tagLength, target, targetOffset, route, engine } = given[1] as AppendedFields;
  const choice = choiceAsked(engine);
  const random = nonce === undefined ? randomNonce(facts.ivSize) : undefined;
  const tagSize = appendedTagSize(tagLength, facts);
  const text = messageBytes(source, target);
  const size = sizeOf(text);
  limitSource(size, facts);
  describeCall(Operation.Seal, facts.id, text, 0, size);
  frame[At.TagSize] = tagSize;
  describeWholeKey(key, facts);
  if (random === undefined) describeWholeIv(nonce, facts, 'nonce');
  else describeIv(random.memory, random.offset, facts.ivSize);
  describeWholeAad(aad, facts);
  if (random === undefined) {
    describeTextTarget(target, targetOffset, size + tagSize);
  } else {
    describeTextTarget(target, targetOffset, facts.ivSize + size + tagSize);
    describePrefix(facts.ivSize);
  }
  describeAsked(route, choice);
}

/** `(algorithm, options)` of open. */
export const openParser: Parser = { describe: describeOpen, counts: [2] };

type OpenFields = OpenOptions & Partial<TextTargetOptions>;
const openTable: Takes<keyof OpenFields> = takes('open(algorithm)', { ...openNames, ...targetNames });

function describeOpen(given: ArrayLike<unknown>, count: number, promised?: boolean): void {
  const facts = aeadFacts('open', given, count, promised ? openTable.promised : openTable.plain);
  const { key, nonce, source, aad, tagLength, target, targetOffset, route, engine } = given[1] as AppendedFields;
  const choice = choiceAsked(engine);
  const tagSize = appendedTagSize(tagLength, facts);
  const sealed = bytes(source, 'source');
  const prefix = nonce === undefined ? facts.ivSize : 0;
  const size = sizeOf(sealed) - prefix - tagSize;
  if (size < 0) throw shortSource(prefix, tagSize, sizeOf(sealed));
  limitSource(size, facts);
  describeCall(Operation.Open, facts.id, sealed, prefix, size + tagSize);
  frame[At.TagSize] = tagSize;
  describeWholeKey(key, facts);
  if (nonce === undefined) describeIv(sealed, 0, prefix);
  else describeWholeIv(nonce, facts, 'nonce');
  describeWholeAad(aad, facts);
  describeTextTarget(target, targetOffset, size);
  describeAsked(route, choice);
}

function shortSource(prefix: number, tagSize: number, size: number): Error {
  const parts = prefix === 0 ? `the tag's ${tagSize} bytes` : `${prefix + tagSize} bytes for nonce and tag`;
  return makeError('ERR_SOURCE_SIZE', `source must hold at least ${parts}, not ${size}`);
}

type AppendedFields = Record<keyof SealOptions | keyof TextTargetOptions | keyof RouteOptions, unknown>;

/** The AEAD and the options object that seal and open need. */
function aeadFacts(name: string, given: ArrayLike<unknown>, count: number, accepted: Accepted<any>): CipherFacts {
  if (count !== 2 || given[1] === undefined) throw makeError('ERR_MISSING_ARGUMENT', `${name} needs an algorithm and an options object`);
  const facts = cipherFacts(given[0]);
  if (!facts.aead) throw makeError('ERR_ARGUMENT_VALUE', `algorithm: ${facts.name} does not authenticate; ${name} needs an AEAD such as aes-256-gcm`);
  options<any>(given[1], 'options', accepted);
  return facts;
}

function appendedTagSize(tagLength: unknown, facts: CipherFacts): number {
  if (tagLength === undefined) return facts.tagSize;
  const tagSize = unsigned(tagLength, 'tagLength');
  checkTagSize(tagSize, facts, 'tagLength');
  return tagSize;
}

/** `(algorithm, options)`, the 5 or 7 arguments of the friendly form, or the 13 or 19 of the window form. */
export const cipherParser: Parser = { describe: describeCipher, counts: [2, 5, 7, 13, 19] };

type CipherFields = CipherOptions & Partial<TextTargetOptions>;
const cipherTable: Takes<keyof CipherFields> = takes('cipher(algorithm)', { ...cipherNames, ...targetNames });

function describeCipher(given: ArrayLike<unknown>, count: number, promised?: boolean): void {
  if (count < 2) throw makeError('ERR_MISSING_ARGUMENT', 'cipher needs an algorithm and an options object');
  const facts = cipherFacts(given[0]);
  if (count === 2) describeCipherOptions(facts, given[1], promised ? cipherTable.promised : cipherTable.plain);
  else if (count === 5 || count === 7) describeCipherFriendly(facts, given, count);
  else if (count === 13 || count === 19) describeCipherWindow(facts, given, count);
  else throw makeError('ERR_MISSING_ARGUMENT', `cipher takes 2, 5, 7, 13 or 19 arguments, and a callback; not ${count}`);
}

function describeCipherOptions(facts: CipherFacts, given: unknown, accepted: Accepted<any>): void {
  if (given === undefined) throw makeError('ERR_MISSING_ARGUMENT', 'cipher needs an options object');
  type Fields = Record<keyof CipherOptions | keyof TextTargetOptions | keyof RouteOptions, unknown>;
  const { encrypt, key, iv, source, aad, tag, target, targetOffset, route, engine } = options<Fields>(given, 'options', accepted);
  const choice = choiceAsked(engine);
  const operation = direction(encrypt);
  const view = messageBytes(source, target);
  limitSource(sizeOf(view), facts);
  describeCall(operation, facts.id, view, 0, sizeOf(view));
  describeWholeKey(key, facts);
  describeWholeIv(iv, facts, 'iv');
  describeWholeAad(aad, facts);
  describeWholeTag(tag, facts);
  describeTextTarget(target, targetOffset, sizeOf(view));
  describeAsked(route, choice);
}

function describeCipherFriendly(facts: CipherFacts, given: ArrayLike<unknown>, count: number): void {
  const operation = direction(given[1]);
  const source = messageBytes(given[4], undefined);
  limitSource(sizeOf(source), facts);
  describeCall(operation, facts.id, source, 0, sizeOf(source));
  describeWholeKey(given[2], facts);
  describeWholeIv(given[3], facts, 'iv');
  describeWholeAad(count === 7 ? given[5] : undefined, facts);
  describeWholeTag(count === 7 ? given[6] : undefined, facts);
  describeTextTarget(undefined, undefined, sizeOf(source));
}

function describeCipherWindow(facts: CipherFacts, given: ArrayLike<unknown>, count: number): void {
  const operation = direction(given[1]);
  const prepared = given[2];
  const key = isKey(prepared) ? undefined : bytes(prepared, 'key');
  const choice = isKey(prepared) ? keyChoice(prepared, facts.name) : undefined;
  const keyOffset = unsigned(given[3], 'keyOffset');
  const keySize = unsigned(given[4], 'keySize');
  const iv = bytes(given[5], 'iv');
  const ivOffset = unsigned(given[6], 'ivOffset');
  const ivSize = unsigned(given[7], 'ivSize');
  const source = bytes(given[8], 'source');
  const sourceOffset = unsigned(given[9], 'sourceOffset');
  const sourceSize = unsigned(given[10], 'sourceSize');
  const target = bytes(given[11], 'target');
  const targetOffset = unsigned(given[12], 'targetOffset');
  range(ivOffset, ivSize, sizeOf(iv), 'iv');
  range(sourceOffset, sourceSize, sizeOf(source), 'source');
  range(targetOffset, sourceSize, sizeOf(target), 'target');
  checkIvSize(ivSize, facts, 'ivSize');
  limitSource(sourceSize, facts);
  describeCall(operation, facts.id, source, sourceOffset, sourceSize);
  if (key === undefined) {
    if (choice !== undefined) describeChoice(choice);
  } else {
    range(keyOffset, keySize, sizeOf(key), 'key');
    checkKeySize(keySize, facts, 'keySize');
    describeKey(key, keyOffset, keySize);
  }
  describeIv(iv, ivOffset, ivSize);
  if (count === 19) describeWindowTag(facts, given);
  else if (facts.aead) throw missingTag(facts);
  describeTarget(target, targetOffset, sourceSize);
}

function describeWindowTag(facts: CipherFacts, given: ArrayLike<unknown>): void {
  const aad = bytes(given[13], 'aad');
  const aadOffset = unsigned(given[14], 'aadOffset');
  const aadSize = unsigned(given[15], 'aadSize');
  const tag = bytes(given[16], 'tag');
  const tagOffset = unsigned(given[17], 'tagOffset');
  const tagSize = unsigned(given[18], 'tagSize');
  range(aadOffset, aadSize, sizeOf(aad), 'aad');
  range(tagOffset, tagSize, sizeOf(tag), 'tag');
  checkAadSize(aadSize, facts, 'aadSize');
  checkTagSize(tagSize, facts, 'tagSize');
  describeAad(aad, aadOffset, aadSize);
  if (facts.aead) describeTag(tag, tagOffset, tagSize);
}

/** A message. The bytes of a string stand where no Buffer of Node's pool shows them; with a target they are lent. */
function messageBytes(value: unknown, target: unknown): Uint8Array {
  if (typeof value !== 'string') return data(value, 'source');
  if (target !== undefined || !isShort(value)) return utf8Apart(value);
  return part(textScratch, 0, encodeShort(value, textScratch));
}

function direction(encrypt: unknown): Operation {
  if (encrypt === true || encrypt === 1) return Operation.Encrypt;
  if (encrypt === false || encrypt === 0) return Operation.Decrypt;
  if (typeof encrypt !== 'number' && typeof encrypt !== 'boolean') throw wrongType('encrypt', 'a boolean, 0 or 1', encrypt);
  throw makeError('ERR_ARGUMENT_VALUE', `encrypt must be a boolean, 0 or 1, not ${encrypt}`);
}

function describeWholeKey(key: unknown, facts: CipherFacts): void {
  if (isKey(key)) {
    describeChoice(keyChoice(key, facts.name));
    return;
  }
  const view = bytes(key, 'key');
  checkKeySize(sizeOf(view), facts, 'key');
  describeKey(view, 0, sizeOf(view));
}

function describeWholeIv(iv: unknown, facts: CipherFacts, name: string): void {
  const view = bytes(iv, name);
  checkIvSize(sizeOf(view), facts, name);
  describeIv(view, 0, sizeOf(view));
}

function describeWholeAad(aad: unknown, facts: CipherFacts): void {
  if (aad === undefined) return;
  const view = data(aad, 'aad');
  checkAadSize(sizeOf(view), facts, 'aad');
  describeAad(view, 0, sizeOf(view));
}

function describeWholeTag(tag: unknown, facts: CipherFacts): void {
  if (tag === undefined) {
    if (facts.aead) throw missingTag(facts);
    return;
  }
  const view = bytes(tag, 'tag');
  checkTagSize(sizeOf(view), facts, 'tag');
  if (facts.aead) describeTag(view, 0, sizeOf(view));
}

function describeTextTarget(target: unknown, targetOffset: unknown, size: number): void {
  if (target === undefined) {
    if (targetOffset !== undefined) throw makeError('ERR_MISSING_ARGUMENT', 'targetOffset needs a target');
    describeResult(size, Form.Buffer);
    return;
  }
  const view = bytes(target, 'target');
  const offset = targetOffset === undefined ? 0 : unsigned(targetOffset, 'targetOffset');
  range(offset, size, sizeOf(view), 'target');
  describeTarget(view, offset, size);
}

function choiceAsked(engine: unknown): Choice | undefined {
  return engine === undefined ? undefined : choiceOf(engine, 'options.engine');
}

function describeAsked(route: unknown, choice: Choice | undefined): void {
  if (choice !== undefined) describeChoice(choice);
  if (route !== undefined) describeRoute(routeOf(route, 'options.route'));
}

function missingTag(facts: CipherFacts): Error {
  return makeError('ERR_MISSING_ARGUMENT', `${facts.name} needs a tag of ${facts.tagSize} bytes: pass aad and tag, or use seal and open`);
}

function checkKeySize(size: number, facts: CipherFacts, name: string): void {
  if (size !== facts.keySize) throw makeError('ERR_KEY_SIZE', `${name} must be ${facts.keySize} bytes for ${facts.name}, not ${size}`);
}

function checkIvSize(size: number, facts: CipherFacts, name: string): void {
  if (size !== facts.ivSize) throw makeError('ERR_IV_SIZE', `${name} must be ${facts.ivSize} bytes for ${facts.name}, not ${size}`);
}

function checkAadSize(size: number, facts: CipherFacts, name: string): void {
  if (size > 0 && !facts.aead) throw makeError('ERR_ARGUMENT_VALUE', `${name} must be empty: ${facts.name} does not authenticate`);
  if (size > facts.maxAad) throw makeError('ERR_SOURCE_SIZE', `${name} must be at most ${facts.maxAad} bytes for ${facts.name}, not ${size}`);
}

/** The shortest tag accepted for GCM; NIST SP 800-38D allows 4 and 8 for special uses, which are left to the drop-in door. */
const GCM_TAG_MIN = 12;

/** A short tag is a weak one: an attacker who may choose 1 byte needs 256 tries. */
function checkTagSize(size: number, facts: CipherFacts, name: string): void {
  if (!facts.aead) {
    if (size > 0) throw makeError('ERR_ARGUMENT_VALUE', `${name} must be empty: ${facts.name} does not authenticate`);
    return;
  }
  const least = facts.name.endsWith('-gcm') ? GCM_TAG_MIN : facts.tagSize;
  if (size >= least && size <= facts.tagSize) return;
  const allowed = least === facts.tagSize ? String(least) : `${least} to ${facts.tagSize}`;
  const bits = size >= least * 8 && size <= facts.tagSize * 8 ? ': it counts bytes, not bits' : '';
  throw makeError('ERR_TAG_SIZE', `${name} must be ${allowed} bytes for ${facts.name}, not ${size}${bits}`);
}

function limitSource(size: number, facts: CipherFacts): void {
  if (size > facts.maxSource) {
    throw makeError('ERR_SOURCE_SIZE', `source must be at most ${facts.maxSource} bytes for ${facts.name}, not ${size}`);
  }
}
