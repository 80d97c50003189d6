/** Keys and other secrets as arguments: their types, and how they reach the request. */
import { sizeOf, type Bytes, type Data } from '../base/arguments.js';
import { setEngines, setKey, setTag, encodeKey, ownSecret, deferWipe } from './request.js';
import type { EnginePreference } from '../engines/engines.js';
import { isBytesView } from '../base/intrinsics.js';
import type { Key, Prepared } from './key.js';
import type { CryptoKey, KeyObject } from '#platform/base/runtime.js';
import { isShort, keyScratch } from './input-buffer.js';
import { SecretCopy } from '../base/secret-copy.js';

/**
 * A key: bytes, a secret KeyObject of node:crypto, an extractable secret CryptoKey of WebCrypto, or
 * a prepared {@link Key}. Browsers have no KeyObject and give the bytes of a CryptoKey to
 * asynchronous calls only: there it must be exported first.
 */
export type KeyInput = Bytes | KeyObject | CryptoKey | Key;

/**
 * A secret of any size, such as a password: bytes, a string (UTF-8), a secret KeyObject or an
 * extractable secret CryptoKey.
 */
export type SecretInput = Data | KeyObject | CryptoKey;

/**
 * A parsed key: its bytes (the caller's memory or a copy), a string, or the engines that hold it.
 * operations/kept-keys.ts reads it.
 */
export type KeyMaterial = Uint8Array | SecretCopy | string | EnginePreference;

/** Returns true if it was a KeyObject or CryptoKey: a forged one may have run other calls. */
export function mayHaveRunCode(key: Exclude<KeyMaterial, string>): boolean {
  if (isBytesView(key)) return false;
  return key.engines === undefined || (key as Prepared).uses.released !== undefined;
}

/** Sets the whole key. A copy made here is wiped once the call has used or copied it. */
export function setKeyInput(key: KeyMaterial): void {
  if (isBytesView(key)) setKey(key, 0, sizeOf(key));
  else if (typeof key === 'string') setTextKey(key);
  else if (SecretCopy.is(key)) setCopy(key);
  else setEngines(key);
}

/** Sets a second secret, in the place of the tag. */
export function setSecondSecret(secret: string | Uint8Array | SecretCopy): void {
  if (SecretCopy.is(secret)) deferWipe(secret.bytes);
  const bytes = SecretCopy.is(secret)
    ? secret.bytes
    : typeof secret === 'string'
      ? ownSecret(secret)
      : secret;
  setTag(bytes, 0, sizeOf(bytes));
}

function setCopy(key: SecretCopy): void {
  deferWipe(key.bytes);
  setKey(key.bytes, 0, key.bytes.length);
}

function setTextKey(key: string): void {
  if (isShort(key)) {
    setKey(keyScratch, 0, encodeKey(key));
    return;
  }
  const secret = ownSecret(key);
  setKey(secret, 0, sizeOf(secret));
}
