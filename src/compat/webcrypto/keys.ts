/**
 * Keys. A key of an algorithm that the platform has is the platform's CryptoKey; Millrace keeps
 * what it needs beside it, in native memory: a prepared key, or the bytes of the base key of a
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
  prepareBytes,
  prepareKey,
} from '../../operations/key.js';
import { isUint8Array, sizeOf } from '../../base/arguments.js';
import type { PrivateKey, PublicKey } from '../../public-keys/key-objects.js';
import { release, type Key, type Prepared } from '../../request/key.js';
import { secretCopy, wipe, type Secret } from '../../base/secret-memory.js';
import { Unclonable } from '../../base/unclonable.js';
import { exportedSecret } from '#platform/base/runtime.js';
import { cipherOfKey } from './dictionaries.js';
import { attributesOf, CryptoKey, secretOf, type Attributes } from './platform.js';

/** The data that Millrace keeps of a key. */
export interface Kept {
  /** The name of its algorithm as the standard writes it. */
  readonly name: string;
  readonly usages: readonly string[];
  readonly extractable: boolean;
  /** The cipher of a cipher's key. */
  readonly cipher: CipherFacts | undefined;
  /** The hash of a MAC's key. */
  readonly hash: HashFacts | undefined;
  /** The prepared key of a cipher or HMAC. */
  readonly prepared: Prepared | undefined;
  /** The prepared key of KMAC. */
  readonly key: Key | undefined;
  /** The bytes: of base keys, of AES-KW, and of own keys that can be exported. */
  readonly secret: Secret | undefined;
  /** An asymmetric key, which is released when it is collected. */
  readonly pair: PublicKey | PrivateKey | undefined;
  /** True for an {@link OwnKey}. */
  readonly own: boolean;
}

/** null for a key that Millrace does not serve, so that it is looked at once. */
const kept = new WeakMap<object, Kept | null>();
const find = kept.get.bind(kept);
const keepFor = kept.set.bind(kept);

/** Wipes what was kept of keys that were collected. */
const collected = new FinalizationRegistry<Prepared | Secret>(forget);
const forgetWith = collected.register.bind(collected);

function forget(held: Prepared | Secret): void {
  if (isUint8Array(held)) wipe(held);
  else release(held);
}

/** Returns what Millrace keeps of a key that it has seen. */
export function keptOf(value: unknown): Kept | undefined {
  return find(value as object) ?? undefined;
}

/**
 * Returns what Millrace keeps of a key; undefined if the platform has to serve its calls.
 * `adoptPair` reads an asymmetric one.
 */
export function keptKeyOf(
  value: unknown,
  adoptPair: (key: object) => Kept | undefined,
): Kept | undefined {
  const found = find(value as object);
  if (found !== undefined) return found ?? undefined;
  const attributes = attributesOf(value);
  if (attributes === undefined) return undefined;
  const adoptKey = attributes.type === 'secret' ? adopt : adoptPair;
  const read = attributes.extractable ? adoptKey(value as object) : undefined;
  if (read === undefined) keepFor(value as object, null);
  else attach(value as object, read);
  return read;
}

/** Reads one of the platform's keys; its bytes can be read if it is extractable. */
function adopt(key: object): Kept | undefined {
  const bytes = exportedSecret(key);
  if (typeof bytes !== 'object') return undefined;
  try {
    // The caller can change the objects that the key's getters return, but not those of a clone.
    const attributes = attributesOf(structuredClone(key));
    if (attributes?.extractable !== true) return undefined;
    const { algorithm, usages, extractable } = attributes;
    const { name, length } = algorithm;
    const bits = typeof length === 'number' ? length : undefined;
    return keepBytes(
      { name, hash: hashOf(algorithm), bits, usages, extractable, own: false },
      bytes,
    );
  } finally {
    wipe(secretOf(bytes));
  }
}

/** Keeps something beside a key, until the key is collected. */
export function attach(key: object, made: Kept): void {
  keepFor(key, made);
  // Not by an iterator, which a program may have replaced.
  if (made.prepared !== undefined) forgetWith(key, made.prepared);
  if (made.secret !== undefined) forgetWith(key, made.secret);
}

/** Wipes what was kept for a key that was not made. */
export function discard({ prepared, key, secret, pair }: Kept): void {
  if (prepared !== undefined) release(prepared);
  key?.dispose();
  pair?.dispose();
  if (secret !== undefined) wipe(secret);
}

function hashOf({ name, hash }: Attributes['algorithm']): HashFacts | undefined {
  if (name.startsWith('KMAC')) return findHash(name);
  const inner = (hash as { readonly name: string } | undefined)?.name;
  return inner === undefined ? undefined : findHash(inner);
}

/** The attributes of a key. */
interface Description extends Pick<Kept, 'name' | 'hash' | 'usages' | 'extractable' | 'own'> {
  /** The length of the key, if it is known besides the bytes. */
  readonly bits: number | undefined;
}

/**
 * Copies the bytes of a key into a prepared key or memory to wipe. Returns undefined if the
 * platform has to serve the key's calls.
 */
export function keepBytes(
  { name, hash, bits, usages, extractable, own }: Description,
  bytes: Uint8Array,
): Kept | undefined {
  const size = sizeOf(bytes);
  if (bits !== undefined && bits !== size * 8) return undefined;
  const cipher = cipherOfKey(name, size);
  const isMac = name === 'HMAC' && hash?.hmac === true;
  const isKmac = name.startsWith('KMAC');
  const target =
    cipher === undefined ? (isMac ? macTarget(hash) : undefined) : cipherTarget(cipher);
  if (target === undefined && !isKmac && name !== 'AES-KW' && !derivesOnly(name)) return undefined;
  const key = isKmac ? prepareKey(hashTarget(hash!), bytes, automatic) : undefined;
  const prepared = target && prepareBytes(target, bytes, automatic);
  const holds = (own && extractable) || (target === undefined && !isKmac);
  const secret = holds ? secretCopy(bytes) : undefined;
  return { name, usages, extractable, cipher, hash, prepared, key, secret, pair: undefined, own };
}

/** Returns true for an algorithm with keys that others are derived from. */
export const derivesOnly = (name: string): boolean =>
  name === 'HKDF' || name === 'PBKDF2' || name.startsWith('Argon2');

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

/** Makes an own key. */
export function makeOwnKey(attributes: Attributes, made: Kept): object {
  const key = new OwnKey({ ...attributes, usages: [...attributes.usages] });
  attach(key, made);
  return key;
}

/** Makes an own secret key of a copy of these bytes. */
export function makeOwnSecret(
  algorithm: Attributes['algorithm'],
  hash: HashFacts | undefined,
  extractable: boolean,
  usages: readonly string[],
  bytes: Uint8Array,
): object {
  const { name } = algorithm;
  const made = keepBytes({ name, hash, bits: undefined, usages, extractable, own: true }, bytes)!;
  return makeOwnKey({ type: 'secret', extractable, algorithm, usages }, made);
}
