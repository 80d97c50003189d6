/** The arguments of cipher calls, read and checked against the sizes of the algorithm. */
import {
  findBytes,
  findData,
  NO_BYTES,
  part,
  range,
  sizeOf,
  sizeOfFound,
  unsigned,
} from '../base/arguments.js';
import { makeError, wrongType } from '../base/errors.js';
import { Operation } from '../base/frame.js';
import { encodeShort, isShort, textScratch } from '../request/input-buffer.js';
import type { KeyMaterial } from '../request/key-input.js';
import { isBytesView, isUint8Array } from '../base/intrinsics.js';
import { readSecret, SecretCopy, SecretKinds } from '../base/secret-copy.js';
import { cipherFacts } from '../catalog/catalog.js';
import type { CipherFacts } from '../catalog/facts.js';
import type { EnginePreference, KeyUses } from '../engines/engines.js';
import { isKey, keyEngines } from '../request/key.js';
import { givenKey } from './kept-keys.js';
import { checkKeySize, cipherTarget } from './key.js';
import { utf8Apart } from '#platform/base/runtime.js';

/**
 * Reads a message. Reading a KeyObject may run other calls, which use the scratch memory too, so a
 * short string is encoded again after that. The bytes of a string are not in Node's Buffer pool.
 */
export function messageBytes(value: unknown, target: unknown): Uint8Array {
  if (typeof value !== 'string') return findData(value, 'source');
  if (target !== undefined || !isShort(value)) return utf8Apart(value);
  return part(textScratch, 0, encodeShort(value, textScratch));
}

export function limitSource(size: number, facts: CipherFacts): void {
  if (size > facts.maxSource)
    throw makeError(
      'ERR_SOURCE_SIZE',
      `source must be at most ${facts.maxSource} bytes for ${facts.name}, not ${size}`,
    );
}

export function direction(encrypt: unknown): Operation {
  if (encrypt === true || encrypt === 1) return Operation.Encrypt;
  if (encrypt === false || encrypt === 0) return Operation.Decrypt;
  if (typeof encrypt !== 'number' && typeof encrypt !== 'boolean')
    throw wrongType('encrypt', 'a boolean, 0 or 1', encrypt);
  throw makeError('ERR_ARGUMENT_VALUE', `encrypt must be a boolean, 0 or 1, not ${encrypt}`);
}

/** Reads the key. Call it after all other arguments are read (secret-copy.ts). */
export function readCipherKey(
  value: unknown,
  facts: CipherFacts,
  asked: EnginePreference | undefined,
): Exclude<KeyMaterial, string> {
  // The common kinds first: the other way takes twice the instructions.
  if (isBytesView(value)) {
    if (isUint8Array(value) && sizeOf(value) === facts.keySize) return value;
  } else if (isKey(value)) {
    return keyEngines(value, facts.name);
  }
  const target = cipherTarget(facts);
  const given = givenKey(value, target, asked);
  if (given !== undefined) return keyEngines(given, facts.name);
  const key = readSecret(value, 'key', SecretKinds.Prepared);
  checkKeySize(target, key);
  return key;
}

/** Returns the uses of a prepared key, undefined for bytes. */
export function usesOf(key: Exclude<KeyMaterial, string>): KeyUses | undefined {
  return isBytesView(key) || SecretCopy.is(key) ? undefined : key.uses;
}

export function readIv(value: unknown, facts: CipherFacts, name: string): Uint8Array {
  const iv = findBytes(value, name);
  const size = sizeOfFound(iv, name);
  if (size === facts.ivSize || (size >= 1 && size <= facts.ivMax)) return iv;
  const others = facts.ivMax > 0 ? ` (or another number from 1 to ${facts.ivMax})` : '';
  throw makeError(
    'ERR_IV_SIZE',
    `${name} must be ${facts.ivSize} bytes${others} for ${facts.name}, not ${size}`,
  );
}

export function readAad(value: unknown, facts: CipherFacts): Uint8Array {
  if (value === undefined) return NO_BYTES;
  const aad = findData(value, 'aad');
  const size = sizeOfFound(aad, 'aad');
  if (size > 0 && !facts.aead) throw notEmpty('aad', facts);
  if (size <= facts.maxAad) return aad;
  throw makeError(
    'ERR_SOURCE_SIZE',
    `aad must be at most ${facts.maxAad} bytes for ${facts.name}, not ${size}`,
  );
}

function notEmpty(name: string, facts: CipherFacts): Error {
  return makeError(
    'ERR_ARGUMENT_VALUE',
    `${name} must be empty: ${facts.name} does not authenticate`,
  );
}

/** Reads the tag of an AEAD. Other ciphers accept only an empty one. */
export function readTag(value: unknown, facts: CipherFacts): Uint8Array | undefined {
  if (value === undefined) {
    if (!facts.aead) return undefined;
    throw makeError(
      'ERR_MISSING_ARGUMENT',
      `${facts.name} needs a tag of ${facts.tagSize} bytes: pass aad and tag, or use seal and open`,
    );
  }
  const tag = findBytes(value, 'tag');
  checkTagSize(sizeOfFound(tag, 'tag'), facts, 'tag');
  return facts.aead ? tag : undefined;
}

/**
 * The shortest tag accepted for GCM. NIST SP 800-38D allows 4 and 8 bytes for special uses; only
 * millrace/node-crypto and millrace/crypto-async, which have them, accept these.
 */
const GCM_TAG_MIN = 12;

/** Checks a tag's size. A short tag is weak: 256 tries forge a tag of 1 byte. */
function checkTagSize(size: number, facts: CipherFacts, name: string): void {
  const { tagSize } = facts;
  // The usual size, which is 0 without authentication.
  if (size === tagSize) return;
  if (!facts.aead) throw notEmpty(name, facts);
  const least = /^aes-\d+-gcm$/.test(facts.name) ? GCM_TAG_MIN : tagSize;
  if (size >= least && size <= tagSize) return;
  const allowed = least === tagSize ? String(least) : `${least} to ${tagSize}`;
  const bits = size >= least * 8 && size <= tagSize * 8 ? ': it counts bytes, not bits' : '';
  throw makeError(
    'ERR_TAG_SIZE',
    `${name} must be ${allowed} bytes for ${facts.name}, not ${size}${bits}`,
  );
}

/** The target and its offset. */
export interface Place {
  readonly target: Uint8Array;
  readonly offset: number;
}

export function readTarget(
  target: unknown,
  targetOffset: unknown,
  size: number,
): Place | undefined {
  if (target === undefined) {
    if (targetOffset !== undefined)
      throw makeError('ERR_MISSING_ARGUMENT', 'targetOffset needs a target');
    return undefined;
  }
  const view = findBytes(target, 'target');
  const offset = targetOffset === undefined ? 0 : unsigned(targetOffset, 'targetOffset');
  range(offset, size, sizeOfFound(view, 'target'), 'target');
  return { target: view, offset };
}

/** Reads the size of an appended tag. */
export function appendedTagSize(authTagLength: unknown, facts: CipherFacts): number {
  if (authTagLength === undefined) return facts.tagSize;
  const tagSize = unsigned(authTagLength, 'authTagLength');
  checkTagSize(tagSize, facts, 'authTagLength');
  return tagSize;
}

/** Returns the error for a message that is shorter than its nonce and tag. */
export function shortSource(prefix: number, tagSize: number, size: number): Error {
  const parts =
    prefix === 0 ? `the tag's ${tagSize} bytes` : `${prefix + tagSize} bytes for nonce and tag`;
  return makeError('ERR_SOURCE_SIZE', `source must hold at least ${parts}, not ${size}`);
}

/** Returns the AEAD of that name. */
export function aeadFacts(name: string, algorithm: unknown): CipherFacts {
  const facts = cipherFacts(algorithm);
  if (facts.aead) return facts;
  throw makeError(
    'ERR_ARGUMENT_VALUE',
    `algorithm: ${facts.name} does not authenticate; ${name} needs an AEAD such as aes-256-gcm`,
  );
}

/** Reads the option `commit`. */
export function commits(commit: unknown): boolean {
  if (commit === undefined || typeof commit === 'boolean') return commit === true;
  throw wrongType('options.commit', 'a boolean', commit);
}
