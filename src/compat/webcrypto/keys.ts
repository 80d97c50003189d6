/**
 * Keys. A key of an algorithm that the platform has is the platform's CryptoKey; Millrace keeps what
 * it needs beside it, in native memory: a prepared key, or the bytes of the base key of a
 * derivation. Both are wiped when the CryptoKey was collected. A key of an algorithm that the
 * platform lacks is an {@link OwnKey}.
 */
import { findHash } from '../../catalog/catalog.js';
import type { CipherFacts, HashFacts } from '../../catalog/facts.js';
import { automatic } from '../../engines/engines.js';
import {
  cipherTarget,
  hashTarget,
  macTarget,
  prepareFor,
  type Target,
} from '../../operations/key.js';
import type { Key } from '../../request/key.js';
import { SecretCopy } from '../../request/secret-copy.js';
import { secretCopy, wipe, type Secret } from '../../request/secret-memory.js';
import { Unclonable } from '../../request/unclonable.js';
import { exportedSecret } from '#platform/runtime.js';
import { cipherOfKey } from './dictionaries.js';
import { attributesOf, CryptoKey, type Attributes } from './platform.js';

/** What Millrace keeps of a key. */
export interface Kept {
  /** The name of its algorithm as the standard writes it. */
  readonly name: string;
  readonly usages: readonly string[];
  readonly extractable: boolean;
  /** The cipher of a cipher's key. */
  readonly cipher: CipherFacts | undefined;
  /** The hash of a MAC's key. */
  readonly hash: HashFacts | undefined;
  readonly key: Key | undefined;
  /** The bytes: of base keys, of AES-KW, and of own keys that can be exported. */
  readonly secret: Secret | undefined;
  /** True for an {@link OwnKey}. */
  readonly own: boolean;
}

const kept = new WeakMap<object, Kept>();
const keptOf = kept.get.bind(kept);
const keepFor = kept.set.bind(kept);

/** Wipes the bytes of keys that were collected. */
const collected = new FinalizationRegistry<Secret>((secret) => wipe(secret));
const wipeWith = collected.register.bind(collected);

/** A key that Millrace does not serve, so that it is looked at once. */
const FOREIGN: Kept = {
  name: '',
  usages: [],
  extractable: false,
  cipher: undefined,
  hash: undefined,
  key: undefined,
  secret: undefined,
  own: false,
};

/** Returns what Millrace keeps of a key; undefined if the platform has to serve its calls. */
export function keptKeyOf(value: unknown): Kept | undefined {
  const found = keptOf(value as object);
  if (found !== undefined) return found === FOREIGN ? undefined : found;
  const attributes = attributesOf(value);
  if (attributes === undefined) return undefined;
  // The bytes of a key that the platform made can be read if it is extractable.
  const bytes =
    attributes.type === 'secret' && attributes.extractable ? exportedSecret(value) : undefined;
  const read = typeof bytes === 'object' ? keep(value as object, attributes, bytes) : undefined;
  if (read === undefined) keepFor(value as object, FOREIGN);
  return read;
}

/** Returns what Millrace keeps of an own key; undefined for other values. */
export function ownKeyOf(value: unknown): Kept | undefined {
  const found = keptOf(value as object);
  return found?.own === true ? found : undefined;
}

/** Keeps the bytes of one of the platform's keys. Wipes them if only a prepared key is needed. */
export function keepBytes(key: object, bytes: Secret): void {
  const attributes = attributesOf(key);
  if (attributes !== undefined && attributes.type === 'secret') keep(key, attributes, bytes);
  else wipe(bytes);
}

/** `bytes` are a copy, which is wiped or kept. */
function keep(key: object, attributes: Attributes, bytes: Uint8Array): Kept | undefined {
  const copy = new SecretCopy(bytes as Secret);
  const { name } = attributes.algorithm;
  const bits = attributes.algorithm.length;
  if (bits !== undefined && bits !== bytes.length * 8) {
    copy.wipe();
    return undefined;
  }
  return keepAs(key, name, hashOf(attributes), attributes, copy.bytes, false);
}

function hashOf({ algorithm: { name, hash } }: Attributes): HashFacts | undefined {
  if (name.startsWith('KMAC')) return findHash(name);
  const inner = (hash as { readonly name: string } | undefined)?.name;
  return inner === undefined ? undefined : findHash(inner.replace(/^SHA-/, 'sha'));
}

function keepAs(
  key: object,
  name: string,
  hash: HashFacts | undefined,
  { usages, extractable }: Pick<Attributes, 'usages' | 'extractable'>,
  bytes: Secret,
  own: boolean,
): Kept | undefined {
  const cipher = isCipher(name) ? cipherOfKey(name, bytes.length) : undefined;
  const target = targetOf(name, cipher, hash);
  const holds = own && extractable;
  if (target === undefined && !isHeldAsBytes(name)) {
    wipe(bytes);
    return undefined;
  }
  const prepared = target && prepareFor(target, bytes, automatic);
  const secret = prepared === undefined || holds ? bytes : undefined;
  if (secret === undefined) wipe(bytes);
  else wipeWith(key, secret);
  const made = { name, usages, extractable, cipher, hash, key: prepared, secret, own };
  keepFor(key, made);
  return made;
}

const isCipher = (name: string): boolean =>
  name === 'AES-GCM' || name === 'AES-CTR' || name === 'ChaCha20-Poly1305';

const isHeldAsBytes = (name: string): boolean =>
  name === 'AES-KW' || name === 'HKDF' || name === 'PBKDF2' || name.startsWith('Argon2');

function targetOf(
  name: string,
  cipher: CipherFacts | undefined,
  hash: HashFacts | undefined,
): Target | undefined {
  if (cipher !== undefined) return cipherTarget(cipher);
  if (hash === undefined) return undefined;
  if (name === 'HMAC') return hash.hmac ? macTarget(hash) : undefined;
  return hashTarget(hash);
}

/**
 * A key of an algorithm that the platform lacks. It inherits from the platform's CryptoKey, has its
 * attributes, and cannot be cloned.
 */
class OwnKey extends Unclonable {
  readonly #attributes: Attributes;

  constructor(attributes: Attributes) {
    super();
    this.#attributes = attributes;
  }

  get type(): string {
    return this.#attributes.type;
  }

  get extractable(): boolean {
    return this.#attributes.extractable;
  }

  get algorithm(): object {
    return this.#attributes.algorithm;
  }

  get usages(): readonly string[] {
    return this.#attributes.usages;
  }
}
Object.setPrototypeOf(OwnKey.prototype, CryptoKey.prototype);
Object.defineProperty(OwnKey.prototype, 'constructor', {
  value: CryptoKey,
  writable: true,
  configurable: true,
});

/** Makes an own key of a copy of these bytes. */
export function makeOwnKey(
  algorithm: Attributes['algorithm'],
  hash: HashFacts | undefined,
  extractable: boolean,
  usages: readonly string[],
  bytes: Uint8Array,
): object {
  const key = new OwnKey({ type: 'secret', extractable, algorithm, usages: [...usages] });
  keepAs(key, algorithm.name, hash, { usages, extractable }, secretCopy(bytes), true);
  return key;
}

export { CryptoKey };
