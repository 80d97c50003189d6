/**
 * Keys and other secrets as arguments: their types, and how they get into the request record.
 */
import { range, sizeOf, type Bytes, type Data } from './arguments.js';
import { setEngines, setKey, encodeKey, ownSecret, deferWipe } from './request.js';
import type { EnginePreference } from '../engines/engines.js';
import { isUint8Array } from './intrinsics.js';
import { isKey, keyEngines, type Key } from '../operations/key.js';
import type { CryptoKey, KeyObject } from '#platform/runtime.js';
import { isShort, keyScratch } from './input-buffer.js';
import { readSecret, SecretCopy, SecretKinds, wipeCopy } from './secret-copy.js';

/**
 * A key: bytes, a secret KeyObject of node:crypto, an extractable secret CryptoKey of WebCrypto, or
 * a prepared {@link Key}. Browsers have no KeyObject and give the bytes of a CryptoKey to
 * asynchronous calls only: there it must be exported first.
 */
export type KeyInput = Bytes | KeyObject | CryptoKey | Key;

/**
 * A secret that is no key of a fixed size, such as a password: bytes, a string (UTF-8), a secret
 * KeyObject or an extractable secret CryptoKey.
 */
export type SecretInput = Data | KeyObject | CryptoKey;

/**
 * A key that was read: its bytes, which are the caller's or a copy of ours, a string, or the
 * engines that have it prepared.
 */
export type KeyMaterial = Uint8Array | SecretCopy | string | EnginePreference;

/** Reads a key that may be prepared for `algorithm`. Read it last: see secret-copy.ts. */
export function readKey(
  value: unknown,
  algorithm: string,
  name: string,
): Exclude<KeyMaterial, string> {
  if (isUint8Array(value)) return value;
  return isKey(value)
    ? keyEngines(value, algorithm)
    : readSecret(value, name, SecretKinds.Prepared);
}

/** The same of a key that may be a string. */
export function readTextKey(value: unknown, algorithm: string, name: string): KeyMaterial {
  if (isUint8Array(value) || typeof value === 'string') return value;
  return isKey(value)
    ? keyEngines(value, algorithm)
    : readSecret(value, name, SecretKinds.Text | SecretKinds.Prepared);
}

/** The size of key bytes; undefined for a prepared key. */
export function keySizeOf(key: Exclude<KeyMaterial, string>): number | undefined {
  if (isUint8Array(key)) return sizeOf(key);
  return SecretCopy.is(key) ? key.bytes.length : undefined;
}

/** Checks that a range lies within a key given as bytes; what is ours is wiped if not. */
export function checkKeyRange(
  key: Exclude<KeyMaterial, string>,
  offset: number,
  size: number,
): void {
  const whole = keySizeOf(key);
  if (whole === undefined || offset + size <= whole) return;
  wipeCopy(key);
  range(offset, size, whole, 'key');
}

/** Describes all of a key. What is ours is wiped when the call has used or copied it. */
export function setKeyInput(key: KeyMaterial): void {
  if (isUint8Array(key)) setKey(key, 0, sizeOf(key));
  else if (typeof key === 'string') setTextKey(key);
  else if (SecretCopy.is(key)) setCopy(key, 0, key.bytes.length);
  else setEngines(key);
}

/** Describes a range of a key; of a prepared key all. */
export function setKeyRange(key: Exclude<KeyMaterial, string>, offset: number, size: number): void {
  if (isUint8Array(key)) setKey(key, offset, size);
  else if (SecretCopy.is(key)) setCopy(key, offset, size);
  else setEngines(key);
}

function setCopy(key: SecretCopy, offset: number, size: number): void {
  deferWipe(key.bytes);
  setKey(key.bytes, offset, size);
}

function setTextKey(key: string): void {
  if (isShort(key)) {
    setKey(keyScratch, 0, encodeKey(key));
    return;
  }
  const secret = ownSecret(key);
  setKey(secret, 0, sizeOf(secret));
}
