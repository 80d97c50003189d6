/** Asymmetric keys, and the calls with them. Loaded at the first of those. */
import { isUint8Array, NO_BYTES, sizeOf } from '../../base/arguments.js';
import { wipe } from '../../base/secret-memory.js';
import { findHash } from '../../catalog/catalog.js';
import { diffieHellmanParser } from '../../operations/agreement.js';
import { decapsulateParser, encapsulateParser } from '../../operations/encapsulation.js';
import { keyPairParser } from '../../operations/key-pairs.js';
import { privateDecryptParser, publicEncryptParser } from '../../operations/rsa-encryption.js';
import { signParser, verifySignatureParser } from '../../operations/signatures.js';
import { hasSmallOrder, isUsualPoint } from '../../public-keys/ed25519-points.js';
import { heldOf, type PrivateKey, type PublicKey } from '../../public-keys/key-objects.js';
import { createPrivateKey, createPublicKey } from '../../public-keys/keys.js';
import type { Buffer } from '#platform/base/runtime.js';
import type { Algorithm } from './dictionaries.js';
import { attach, makeOwnKey, type Kept } from './keys.js';
import {
  attributesOf,
  bytesOf,
  callPlatform,
  exception,
  secretOf,
  type Attributes,
} from './platform.js';
import { check, DELEGATE, memoryOf, runCall, type Result } from './run.js';

type Pair = PublicKey | PrivateKey;

const NONE: object = { __proto__: null };

/** The nanoseconds to agree by X25519, and to generate pairs; others run on worker threads. */
const X25519_NS = 25_000;
const GENERATION_NS: Readonly<Record<string, number | undefined>> = {
  __proto__: null as never,
  ed25519: 8400,
  x25519: 8000,
  'p-256': 7900,
  'ml-kem-512': 8000,
  'ml-kem-768': 13_000,
  'ml-kem-1024': 18_600,
  'ml-dsa-44': 24_000,
};

/** Returns the predicted nanoseconds of an operation with a key. */
function costOf(pair: Pair, source: Uint8Array): number {
  return heldOf(pair, 'key').cost + 2 * sizeOf(source);
}

// keys

/** How createPrivateKey and createPublicKey take the formats. */
const FORMATS: Readonly<Record<string, object | undefined>> = {
  __proto__: null as never,
  raw: { format: 'raw' },
  'raw-public': { format: 'raw' },
  'raw-seed': { format: 'seed' },
  pkcs8: { format: 'der', type: 'pkcs8' },
  spki: { format: 'der', type: 'spki' },
  jwk: { format: 'jwk' },
};

const CURVES = ['P-256', 'P-384', 'P-521'];

/** Returns Millrace's name for the keys of an algorithm, undefined for other curves. */
function nameOf(algorithm: Readonly<Record<string, unknown>>): string | undefined {
  const name = algorithm.name as string;
  if (name.startsWith('RSA')) return 'rsa';
  if (!name.startsWith('EC')) return name.toLowerCase();
  const curve = algorithm.namedCurve as string;
  return CURVES.includes(curve) ? curve.toLowerCase() : undefined;
}

/**
 * Returns a key of an algorithm, undefined if it is not valid.
 *
 * @param data bytes, or a JWK that nothing else uses
 */
export function readPair(format: string, data: unknown, { given }: Algorithm): Pair | undefined {
  const algorithm = nameOf(given);
  const how = FORMATS[format];
  const jwk = data as { readonly d?: unknown; readonly priv?: unknown };
  const isPrivate =
    format === 'jwk' ? (jwk.d ?? jwk.priv) !== undefined : /^pkcs8$|seed$/.test(format);
  const key = format === 'jwk' ? data : bytesOf(data);
  if (how === undefined || algorithm === undefined || key === undefined) return undefined;
  try {
    const options = { ...how, key, algorithm, __proto__: null } as never;
    return usable((isPrivate ? createPrivateKey : createPublicKey)(options), algorithm);
  } catch {
    return undefined;
  }
}

/** Returns the key unless it is another algorithm's, or one on which versions of Node.js differ. */
function usable(pair: Pair, algorithm: string): Pair | undefined {
  const isUsual =
    algorithm !== 'ed25519' ||
    pair.type === 'private' ||
    isUsualPoint((pair as PublicKey).export({ format: 'raw' }));
  if (pair.algorithm === algorithm && isUsual) return pair;
  pair.dispose();
  return undefined;
}

/** Returns what Millrace keeps of a key. */
function keptPair(
  { algorithm, usages, extractable }: Omit<Attributes, 'type'>,
  pair: Pair,
  own: boolean,
): Kept {
  const { name } = algorithm;
  const hash = name.startsWith('RSA') ? (algorithm.hash as { readonly name: string }) : undefined;
  return {
    name,
    usages,
    extractable,
    cipher: undefined,
    hash: hash && findHash(hash.name),
    prepared: undefined,
    key: undefined,
    secret: undefined,
    pair,
    own,
  };
}

/** Keeps a key that the platform imports next. */
export function keepPair(
  format: unknown,
  data: unknown,
  algorithm: Algorithm,
  extractable: boolean,
  usages: readonly string[],
): Kept | undefined {
  const pair = algorithm.problem === undefined && readPair(String(format), data, algorithm);
  if (!pair) return undefined;
  const { name } = algorithm.served;
  return keptPair({ algorithm: { name, hash: algorithm.hash }, usages, extractable }, pair, false);
}

/** Reads one of the platform's keys, which is extractable. */
export function adoptPair(key: object): Kept | undefined {
  try {
    // The caller can change the objects that the key's getters return, but not those of a clone.
    const attributes = attributesOf(structuredClone(key))!;
    const { algorithm, type } = attributes;
    const name = nameOf(algorithm);
    const make = type === 'private' ? createPrivateKey : createPublicKey;
    const pair = name === undefined ? undefined : usable(make(key as never), name);
    return pair && keptPair(attributes, pair, false);
  } catch {
    return undefined;
  }
}

/** Makes a key of an algorithm that the platform lacks. */
export function ownPair(
  name: string,
  pair: Pair,
  extractable: boolean,
  usages: readonly string[],
): object {
  const attributes = { type: pair.type, algorithm: { name }, extractable, usages };
  return makeOwnKey(attributes, keptPair(attributes, pair, true));
}

/** Generates a pair with these usages. */
export function generatePair(
  algorithm: Algorithm,
  extractable: boolean,
  forPrivate: readonly string[],
  forPublic: readonly string[],
): unknown {
  const { served, given, bytes, numbers } = algorithm;
  const { name, lacking } = served;
  const type = nameOf(given);
  if (type === undefined) throw DELEGATE;
  let options: object = NONE;
  if (type === 'rsa') {
    const modulusLength = numbers.modulusLength!;
    const publicExponent = exponentOf(bytes.publicExponent!);
    // The platform has other keys too.
    const isSize = modulusLength >= 2048 && modulusLength <= 8192 && modulusLength % 128 === 0;
    if (!isSize || publicExponent < 3 || !isUint8Array(given.publicExponent)) throw DELEGATE;
    options = { __proto__: null, modulusLength, publicExponent };
  }
  return runCall(GENERATION_NS[type] ?? Infinity, keyPairParser, [type, options], (made) => {
    const pair = made as { readonly publicKey: PublicKey; readonly privateKey: PrivateKey };
    if (!lacking) return platformPair(pair, algorithm, extractable, forPrivate, forPublic);
    return {
      publicKey: ownPair(name, pair.publicKey, true, forPublic),
      privateKey: ownPair(name, pair.privateKey, extractable, forPrivate),
    };
  });
}

/** Returns a public exponent; 0 for one that Millrace does not generate. */
function exponentOf(bytes: Uint8Array): number {
  let exponent = 0;
  for (let index = 0; index < bytes.length; index++) exponent = exponent * 256 + bytes[index]!;
  return exponent < 2 ** 32 && exponent % 2 === 1 ? exponent : 0;
}

/** Imports a pair into the platform. */
async function platformPair(
  { publicKey: shown, privateKey: secret }: { publicKey: PublicKey; privateKey: PrivateKey },
  { served: { name }, given, hash }: Algorithm,
  extractable: boolean,
  forPrivate: readonly string[],
  forPublic: readonly string[],
): Promise<object> {
  const pkcs8 = secret.export({ format: 'der', type: 'pkcs8' });
  const spki = shown.export({ format: 'der', type: 'spki' });
  try {
    const own = ['pkcs8', pkcs8, given, extractable, forPrivate];
    const privateKey = await callPlatform('importKey', own);
    const publicKey = await callPlatform('importKey', ['spki', spki, given, true, forPublic]);
    const about = { algorithm: { name, hash } };
    for (const [key, pair, usages, readable] of [
      [publicKey, shown, forPublic, true],
      [privateKey, secret, forPrivate, extractable],
    ] as const)
      attach(key as object, keptPair({ ...about, usages, extractable: readable }, pair, false));
    return { publicKey, privateKey };
  } finally {
    wipe(secretOf(pkcs8));
  }
}

/** Returns the public key of a private one, `key`. */
export function publicKeyOf(key: object, { name, pair, own }: Kept, usages: string[]): unknown {
  const shown = (pair as PrivateKey).publicKey();
  if (own) return ownPair(name, shown, true, usages);
  const { algorithm } = attributesOf(structuredClone(key))!;
  const spki = shown.export({ format: 'der', type: 'spki' });
  shown.dispose();
  return callPlatform('importKey', ['spki', spki, algorithm, true, usages]);
}

/** Exports an own key, which is extractable, in one of the formats of its type. */
export function exportPair({ pair, usages, extractable }: Kept, format: string): object {
  try {
    const made = (pair as PrivateKey).export(FORMATS[format] as never) as Buffer | object;
    return format === 'jwk'
      ? { ...made, key_ops: [...usages], ext: extractable }
      : memoryOf(made as Buffer);
  } catch (error) {
    throw exception('OperationError', (error as Error).message);
  }
}

// calls

/** Returns the hash and the parameters of a signature. */
function signingOf(
  { served: { name }, hash, bytes, numbers }: Algorithm,
  kept: Kept,
): [hash: string | null, parameters: object] {
  const { context } = bytes;
  switch (name) {
    case 'ECDSA':
      return [hash!.name, { __proto__: null, dsaEncoding: 'ieee-p1363' }];
    case 'RSA-PSS':
      return [kept.hash!.name, { __proto__: null, padding: 'pss', saltLength: numbers.saltLength }];
    default:
      return [kept.hash?.name ?? null, context === undefined ? NONE : { __proto__: null, context }];
  }
}

/** Returns the signature of a BufferSource. */
export function signBy(algorithm: Algorithm, kept: Kept, data: unknown): Result {
  const source = bytesOf(data)!;
  check(algorithm.served, algorithm.problem, source);
  const [hash, parameters] = signingOf(algorithm, kept);
  const given = [hash, source, kept.pair, parameters];
  return runCall(costOf(kept.pair!, source), signParser, given, memoryOf);
}

/** Returns true if a signature is right. */
export function verifyBy(
  algorithm: Algorithm,
  kept: Kept,
  signature: unknown,
  data: unknown,
): boolean | Promise<boolean> {
  const { served, problem } = algorithm;
  const [given, source] = [bytesOf(signature)!, bytesOf(data)!];
  check(served, problem, given && source);
  const pair = kept.pair!;
  // OpenSSL accepts a signature of RSA-PSS without its leading zeros.
  const isUnusual =
    served.name === 'Ed25519'
      ? hasSmallOrder(given)
      : served.name === 'RSA-PSS' && sizeOf(given) !== Math.ceil(pair.size / 8);
  if (isUnusual) throw DELEGATE;
  const [hash, parameters] = signingOf(algorithm, kept);
  return runCall(
    costOf(pair, source),
    verifySignatureParser,
    [hash, source, pair, given, parameters],
    Boolean,
  );
}

/**
 * Encrypts or decrypts a BufferSource by RSA-OAEP. The copy of a source that a worker encrypts is
 * not wiped: a secret is encrypted `now`.
 */
export function cryptBy(
  encrypt: boolean,
  { served, problem, bytes }: Algorithm,
  { pair, hash }: Kept,
  data: unknown,
  now = false,
): Result {
  const source = bytesOf(data)!;
  check(served, problem, source);
  // OpenSSL accepts a ciphertext without its leading zeros.
  if (!encrypt && sizeOf(source) !== Math.ceil(pair!.size / 8)) throw DELEGATE;
  const parser = encrypt ? publicEncryptParser : privateDecryptParser;
  const oaepLabel = bytes.label ?? NO_BYTES;
  const parameters = { __proto__: null, oaepHash: hash!.name, oaepLabel };
  const cost = now ? 0 : costOf(pair!, source);
  return runCall(cost, parser, [pair, source, parameters], memoryOf);
}

/** Returns `length` bits of a shared secret, null for all. `find` finds what is kept of a key. */
export function agree(
  { served, given, problem }: Algorithm,
  kept: Kept,
  length: unknown,
  find: (key: unknown) => Kept | undefined,
): Result {
  check(served, problem, true);
  const own = kept.pair!;
  const peer = find(given.public);
  const isPeer = peer?.name === kept.name && peer.pair!.type === 'public';
  const size = Math.ceil(own.size / 8);
  const bits = length === null ? size * 8 : (length as number);
  // The platform has other lengths too.
  const isWhole = Number.isInteger(bits) && bits > 0 && bits % 8 === 0 && bits <= size * 8;
  if (!isPeer || peer.pair!.algorithm !== own.algorithm || !isWhole) throw DELEGATE;
  const options = { __proto__: null, privateKey: own, publicKey: peer.pair };
  const cost = own.algorithm === 'x25519' ? X25519_NS : Infinity;
  return runCall(cost, diffieHellmanParser, [options], (made) => {
    const secret = memoryOf(made);
    if (bits === size * 8) return secret;
    const some = secret.slice(0, bits / 8);
    wipe(secretOf(secret));
    return some;
  });
}

/** A shared secret and its ciphertext. */
interface Encapsulated {
  readonly sharedKey: ArrayBuffer;
  readonly ciphertext: ArrayBuffer;
}

/** Returns a new shared secret and its ciphertext. */
export function encapsulate({ pair }: Kept): Encapsulated | Promise<Encapsulated> {
  const cost = costOf(pair!, NO_BYTES);
  return runCall(cost, encapsulateParser, [pair], (made) => {
    const { sharedKey, ciphertext } = made as Record<keyof Encapsulated, Buffer>;
    return { sharedKey: memoryOf(sharedKey), ciphertext: memoryOf(ciphertext) };
  });
}

/** Returns the shared secret in a ciphertext. */
export function decapsulate({ served, problem }: Algorithm, { pair }: Kept, text: unknown): Result {
  const source = bytesOf(text)!;
  check(served, problem, source);
  return runCall(costOf(pair!, source), decapsulateParser, [pair, source], memoryOf);
}
