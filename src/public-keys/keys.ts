/** Keys from arguments: as objects, and for one call. */
import { bytes as bytesOf, isUint8Array, type Data } from '../base/arguments.js';
import { makeError, refuseSurplus, wrongType } from '../base/errors.js';
import { bufferSize, isBytesView, part } from '../base/intrinsics.js';
import { asymmetricKeyOptionNames } from '../base/option-names.js';
import {
  accepted,
  checkNames,
  isOptions,
  isPromise,
  none,
  ownProperties,
  type Accepted,
} from '../base/options.js';
import { KeyForm, PublicKeyAlgorithm } from '../base/protocol.js';
import { decodeBase64, decodeHex } from '../base/secret-base64.js';
import { secretCopy, wipe, type Secret } from '../base/secret-memory.js';
import { secretText } from '../base/secret-results.js';
import { defaultEngine } from '../engines/engines.js';
import { isKey, release, releaseWhenCollected } from '../request/key.js';
import { deferRelease } from '../request/request.js';
import { algorithmNames, type PublicKeyAlgorithmName } from './algorithm-names.js';
import {
  checkOneOf,
  decodePem,
  formOfDer,
  isDer,
  isPrivateForm,
  notPrivate,
  passphraseOf,
  type EncodedKey,
} from './encodings.js';
import { exportBytes, importKey, publicKeyOf, type HeldKey } from './held-key.js';
import { importJwk, type JsonWebKey } from './jwk.js';
import {
  heldOf,
  isAsymmetricKey,
  keyObject,
  type PrivateKey,
  type PublicKey,
} from './key-objects.js';
import { platformKey } from '#platform/public-keys/platform-keys.js';
import type { CryptoKey, KeyObject } from '#platform/base/runtime.js';

/** A key with its encoding. */
export interface AsymmetricKeyOptions {
  /** The key: text or bytes in the encoding, a JWK, or an object that holds a key. */
  readonly key: Data | JsonWebKey | KeyObject | CryptoKey | PrivateKey | PublicKey;
  /**
   * The encoding: `raw` is the key alone (of the NIST curves the point or the scalar), `seed` what
   * ML-DSA and ML-KEM expand a private key from. Default: PEM or DER, whichever it is.
   */
  readonly format?: 'pem' | 'der' | 'jwk' | 'raw' | 'seed' | undefined;
  /** The structure of DER. Default: what it is. */
  readonly type?: 'pkcs1' | 'pkcs8' | 'sec1' | 'spki' | undefined;
  /** Decrypts a private key: bytes or a string, which is encoded as UTF-8. */
  readonly passphrase?: Data | undefined;
  /** The encoding of a key that is a string. Default: `utf8`, for PEM. */
  readonly encoding?: 'utf8' | 'hex' | 'base64' | 'base64url' | undefined;
  /** The algorithm of a raw key or a seed. */
  readonly algorithm?: PublicKeyAlgorithmName | undefined;
}

/**
 * A private key: PEM, DER, a JWK, these with their encoding, a private KeyObject of node:crypto, an
 * extractable private CryptoKey of WebCrypto, or a {@link PrivateKey}.
 */
export type PrivateKeyInput =
  Data | JsonWebKey | KeyObject | CryptoKey | PrivateKey | AsymmetricKeyOptions;

/** A public key in the same forms, or a private key, of which the public key is taken. */
export type PublicKeyInput = PrivateKeyInput | PublicKey;

const takes: Accepted<keyof AsymmetricKeyOptions> = accepted('a key', asymmetricKeyOptionNames);

/**
 * Prepares a private key for repeated use; arguments are those of node:crypto. Parsing a key takes
 * longer than many signatures do.
 *
 * @example
 * ```js
 * import { generateKeyPairSync } from 'node:crypto';
 * import { createPrivateKey } from 'millrace';
 *
 * const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
 * const pem = privateKey.export({ format: 'pem', type: 'pkcs8' });
 * const key = createPrivateKey(pem);
 * key.algorithm; // 'rsa'
 * key.size; // 2048
 * key.dispose(); // wipes it
 * ```
 *
 * @param key the key, which is copied at the call: PEM (PKCS#8, PKCS#1, SEC 1; encrypted PKCS#8
 * with a `passphrase`), DER, JWK (RFC 7517), a raw key or a seed; a private KeyObject of
 * node:crypto, an extractable private CryptoKey of WebCrypto, or a prepared key
 * @throws MillraceError ERR_KEY_ENCODING, ERR_KEY_NOT_SUPPORTED, ERR_KEY_INVALID, ERR_KEY_SIZE,
 * ERR_PASSPHRASE, ERR_ARGUMENT_TYPE, ERR_ARGUMENT_VALUE, ERR_ENGINE_UNAVAILABLE
 */
export function createPrivateKey(key: PrivateKeyInput): PrivateKey {
  checkCount(arguments, 'createPrivateKey');
  return keyObject(take(key, 'key', true, false)) as PrivateKey;
}

/**
 * Prepares a public key for repeated use; arguments are those of node:crypto. Of a private key it
 * is the public key.
 *
 * @example
 * ```js
 * import { createPublicKey } from 'millrace';
 *
 * const x = '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo';
 * const key = createPublicKey({ kty: 'OKP', crv: 'Ed25519', x });
 * key.algorithm; // 'ed25519'
 * key.export({ format: 'pem' }).split('\n')[0]; // '-----BEGIN PUBLIC KEY-----'
 * ```
 *
 * @param key the key, which is copied at the call: PEM or DER (SubjectPublicKeyInfo, PKCS#1), JWK
 * (RFC 7517), a raw key; a KeyObject, an extractable CryptoKey; or a private key in any form
 * @throws MillraceError as {@link createPrivateKey}
 */
export function createPublicKey(key: PublicKeyInput): PublicKey {
  checkCount(arguments, 'createPublicKey');
  return keyObject(take(key, 'key', false, false)) as PublicKey;
}

function checkCount(given: ArrayLike<unknown>, call: string): void {
  if (given.length > 1) refuseSurplus(given, 1, `${call}(key)`);
  if (given.length < 1) throw makeError('ERR_MISSING_ARGUMENT', `${call} needs a key`);
}

/**
 * Reads the private key of a call, which is valid until the request is cleared. Error messages name
 * it `argument`. May run the caller's code: getters, or a forged KeyObject.
 */
export function readPrivateKey(value: unknown, argument: string): HeldKey {
  return take(value, argument, true, true);
}

/** Works like {@link readPrivateKey}. Of a private key it returns the public key. */
export function readPublicKey(value: unknown, argument: string): HeldKey {
  return take(value, argument, false, true);
}

/**
 * Returns the key in an argument. For a call it may be the caller's or a kept one, and others are
 * released once the request is cleared; else it is a new one, which the caller releases.
 */
function take(value: unknown, argument: string, wantsPrivate: boolean, forCall: boolean): HeldKey {
  if (typeof value === 'string') return takeText(value, argument, wantsPrivate, forCall);
  const found = takeObject(value, argument, wantsPrivate, forCall);
  if (found !== undefined) return found;
  if (isBytes(value)) {
    const copy = secretCopy(bytesOf(value, argument));
    return owned(importBytes(copy, none, argument, argument, wantsPrivate), forCall);
  }
  if (!isOptions(value) || isKey(value) || isPromise(value))
    throw notKey(argument, value, wantsPrivate);
  const own = ownProperties(value, argument) as JsonWebKey & Partial<AsymmetricKeyOptions>;
  if (own.key === undefined && own.kty !== undefined)
    return owned(importJwk(own, argument, wantsPrivate), forCall);
  checkNames(own, argument, takes);
  return takeDescribed(own, argument, wantsPrivate, forCall);
}

/** Marks a key that was imported for a call. */
function owned(key: HeldKey, forCall: boolean): HeldKey {
  if (forCall) deferRelease(key);
  return key;
}

function isBytes(value: unknown): boolean {
  return isBytesView(value) || bufferSize(value) !== undefined;
}

function notKey(argument: string, value: unknown, wantsPrivate: boolean): Error {
  const kinds = wantsPrivate
    ? 'PEM, DER, a JWK, a private KeyObject, an extractable private CryptoKey or a PrivateKey'
    : 'PEM, DER, a JWK, a KeyObject, an extractable CryptoKey, a PublicKey or a PrivateKey';
  return wrongType(argument, `a key: ${kinds}`, value);
}

const FORMATS = ['pem', 'der', 'jwk', 'raw', 'seed'];
const ENCODINGS = ['utf8', 'utf-8', 'hex', 'base64', 'base64url'];

/** The forms of each type of DER. */
const formsOfType: Readonly<Record<string, readonly KeyForm[]>> = {
  __proto__: null as never,
  pkcs1: [KeyForm.Pkcs1, KeyForm.Pkcs1Public],
  pkcs8: [KeyForm.Pkcs8, KeyForm.EncryptedPkcs8],
  sec1: [KeyForm.Sec1],
  spki: [KeyForm.Spki],
};

/** Takes the key of an object with options, which has neither getters nor a prototype. */
function takeDescribed(
  own: Partial<AsymmetricKeyOptions>,
  argument: string,
  wantsPrivate: boolean,
  forCall: boolean,
): HeldKey {
  const { key, format, type, passphrase, encoding, algorithm } = own;
  const name = `${argument}.key`;
  if (format !== undefined) checkOneOf(FORMATS, format, `${argument}.format`);
  if (type !== undefined) checkOneOf(Object.keys(formsOfType), type, `${argument}.type`);
  if (encoding !== undefined) checkOneOf(ENCODINGS, encoding, `${argument}.encoding`);
  if (algorithm !== undefined) checkOneOf(algorithmNames, algorithm, `${argument}.algorithm`);
  const isText = typeof key === 'string';
  if (isText || isBytes(key)) {
    if (format === 'jwk') throw wrongType(name, 'an object, as format is jwk', key);
    const isPlain = format === undefined || format === 'pem';
    if (isText && isPlain && encoding === undefined && passphrase === undefined)
      return takeText(key, name, wantsPrivate, forCall);
    const isEncoded = encoding !== undefined && !encoding.startsWith('utf');
    if (isText && !isPlain && !isEncoded)
      throw makeError(
        'ERR_MISSING_ARGUMENT',
        `${name} is a string: ${argument}.encoding must be 'hex', 'base64' or 'base64url'`,
      );
    const memory = isText ? secretText(key) : secretCopy(bytesOf(key, name));
    const given = isText && isEncoded ? own : { ...own, __proto__: null, encoding: undefined };
    return owned(importBytes(memory, given, argument, name, wantsPrivate), forCall);
  }
  const found = takeObject(key, name, wantsPrivate, forCall);
  if (found !== undefined) return found;
  if (!isOptions(key) || isPromise(key)) throw notKey(name, key, wantsPrivate);
  const isJwk = format === undefined || format === 'jwk';
  if (!isJwk) throw wrongType(name, `a string or bytes, as format is ${format}`, key);
  const jwk = ownProperties(key, name) as JsonWebKey;
  return owned(importJwk(jwk, name, wantsPrivate), forCall);
}

/**
 * Imports a key from memory, which is wiped.
 *
 * @param own the options; its `encoding` is that of the memory
 * @param argument the name of the options in error messages, `name` that of the key
 */
function importBytes(
  memory: Secret,
  own: Partial<AsymmetricKeyOptions>,
  argument: string,
  name: string,
  wantsPrivate: boolean,
): HeldKey {
  let passphrase: Secret | undefined;
  try {
    if (own.passphrase !== undefined)
      passphrase = passphraseOf(own.passphrase, `${argument}.passphrase`);
    const bytes = decoded(memory, own.encoding, name);
    if (own.format === 'raw' || own.format === 'seed') {
      const algorithm = algorithmOf(own.algorithm, `${argument}.algorithm`);
      const form = wantsPrivate ? KeyForm.PrivateRaw : KeyForm.PublicRaw;
      if (own.format === 'raw') return importKey(form, bytes, name, algorithm);
      return fitting(importKey(KeyForm.Seed, bytes, name, algorithm), wantsPrivate);
    }
    const { form, bytes: der } = isDerFormat(own.format, bytes)
      ? derOf(bytes, own.type, name)
      : decodePem(bytes, name, wantsPrivate);
    if (wantsPrivate && !isPrivateForm(form)) throw notPrivate(name);
    if (form === KeyForm.EncryptedPkcs8 && passphrase === undefined)
      throw makeError('ERR_PASSPHRASE', `${name} is encrypted: pass { key, passphrase }`);
    return fitting(importKey(form, der, name, undefined, passphrase), wantsPrivate);
  } finally {
    wipe(memory);
    if (passphrase !== undefined) wipe(passphrase);
  }
}

function isDerFormat(format: AsymmetricKeyOptions['format'], bytes: Uint8Array): boolean {
  return format === 'der' || (format === undefined && isDer(bytes));
}

/** Returns the public key of a private one where no private key is wanted. */
function fitting(key: HeldKey, wantsPrivate: boolean): HeldKey {
  if (key.isPrivate === wantsPrivate) return key;
  try {
    return publicKeyOf(key);
  } finally {
    release(key);
  }
}

/** Decodes text in its memory. */
function decoded(memory: Secret, encoding: string | undefined, argument: string): Uint8Array {
  if (encoding === undefined) return memory;
  const size =
    encoding === 'hex' ? decodeHex(memory) : decodeBase64(memory, 0, memory.length, memory, 0);
  if (size < 0) throw makeError('ERR_KEY_ENCODING', `${argument} is not ${encoding}`);
  return part(memory, 0, size);
}

function derOf(bytes: Uint8Array, type: string | undefined, argument: string): EncodedKey {
  const form = formOfDer(bytes);
  if (form === undefined)
    throw makeError('ERR_KEY_ENCODING', `${argument} is not a key in DER: it is damaged or raw`);
  if (type !== undefined && !formsOfType[type]!.includes(form))
    throw makeError('ERR_KEY_ENCODING', `${argument} is DER of another type than ${type}`);
  return { form, bytes };
}

/** Returns the number of an algorithm by its name. */
export function algorithmOf(value: unknown, argument: string): PublicKeyAlgorithm {
  checkOneOf(algorithmNames, value, argument);
  return algorithmNames.indexOf(value as PublicKeyAlgorithmName);
}

/**
 * Takes a key of Millrace or of the platform, undefined for other values. A key that does not fit
 * is refused.
 */
function takeObject(
  value: unknown,
  argument: string,
  wantsPrivate: boolean,
  forCall: boolean,
): HeldKey | undefined {
  if (isAsymmetricKey(value)) {
    const held = heldOf(value, argument);
    if (held.isPrivate !== wantsPrivate) {
      if (wantsPrivate) throw notPrivate(argument);
      return owned(publicKeyOf(held), forCall);
    }
    if (forCall) return held;
    const form = wantsPrivate ? KeyForm.Pkcs8 : KeyForm.Spki;
    return importWiped(form, exportBytes(held, form), argument);
  }
  if (isUint8Array(value)) return undefined;
  const key = platformKey(value);
  if (key === undefined) return undefined;
  if (typeof key === 'string') throw makeError('ERR_ARGUMENT_TYPE', `${argument} must be ${key}`);
  if (wantsPrivate && !key.isPrivate) throw notPrivate(argument);
  const make = (): HeldKey => {
    const form = key.isPrivate ? KeyForm.Pkcs8 : KeyForm.Spki;
    return fitting(importWiped(form, key.export(), argument), wantsPrivate);
  };
  return forCall ? takeKept(key.handle, wantsPrivate, make) : make();
}

function importWiped(form: KeyForm, der: Secret, argument: string): HeldKey {
  try {
    return importKey(form, der, argument);
  } finally {
    wipe(der);
  }
}

// kept keys

/** The keys that were made of a text or an object. */
interface Kept {
  privateKey: HeldKey | undefined;
  publicKey: HeldKey | undefined;
}

/** Returns a kept key, unless the default engine has changed. */
function keptIn(kept: Kept | undefined, wantsPrivate: boolean): HeldKey | undefined {
  const key = wantsPrivate ? kept?.privateKey : kept?.publicKey;
  return key?.names === defaultEngine.preference.names ? key : undefined;
}

/** Keeps a key in the place of another, which the call may use already. */
function keep(kept: Kept, key: HeldKey): void {
  const place = key.isPrivate ? 'privateKey' : 'publicKey';
  if (kept[place] !== undefined) deferRelease(kept[place]);
  kept[place] = key;
}

/**
 * The keys of objects of the platform, by their handles. They are released by the event loop: a
 * loop that does not return to it would otherwise fill the memory.
 */
const ofObjects = new WeakMap<object, Kept>();
const OBJECTS_MAX = 4096;
let objectKeys = 0;

function forget(): void {
  objectKeys -= 1;
}

/** Returns the key of an object of the platform, which is made once. */
function takeKept(handle: object, wantsPrivate: boolean, make: () => HeldKey): HeldKey {
  let kept = ofObjects.get(handle);
  const known = keptIn(kept, wantsPrivate);
  if (known !== undefined) return known;
  const key = make();
  if (objectKeys >= OBJECTS_MAX) return owned(key, true);
  objectKeys += 1;
  key.uses.released = forget;
  releaseWhenCollected(handle, key);
  if (kept === undefined) ofObjects.set(handle, (kept = emptyKept()));
  keep(kept, key);
  return key;
}

function emptyKept(): Kept {
  return { privateKey: undefined, publicKey: undefined };
}

/**
 * The keys of PEM, by their texts, which are compared in full: most programs give the same text at
 * each call. The one that was used least recently makes place for another.
 */
const ofTexts = new Map<string, Kept>();
const TEXTS_MAX = 64;
/** The most characters of a text that is kept: those of an RSA key of 16,384 bits and more. */
const TEXT_LENGTH_MAX = 16_384;
let latest: Kept | undefined;

/** Takes a key of PEM. */
function takeText(
  text: string,
  argument: string,
  wantsPrivate: boolean,
  forCall: boolean,
): HeldKey {
  let kept = forCall ? ofTexts.get(text) : undefined;
  let key = keptIn(kept, wantsPrivate);
  if (key === undefined) {
    const options = { __proto__: null, format: 'pem' } as const;
    key = importBytes(secretText(text), options, argument, argument, wantsPrivate);
    if (!forCall) return key;
    if (text.length > TEXT_LENGTH_MAX) return owned(key, true);
    keep((kept ??= emptyKept()), key);
  }
  if (kept !== latest) {
    ofTexts.delete(text);
    ofTexts.set(text, kept!);
    latest = kept;
    if (ofTexts.size > TEXTS_MAX) dropOldest();
  }
  return key;
}

/** Drops the text that was used least recently. The call may use its keys. */
function dropOldest(): void {
  const [text, { privateKey, publicKey }] = ofTexts.entries().next().value!;
  ofTexts.delete(text);
  if (privateKey !== undefined) deferRelease(privateKey);
  if (publicKey !== undefined) deferRelease(publicKey);
}
