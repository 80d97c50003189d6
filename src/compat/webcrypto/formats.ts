/**
 * importKey, generateKey and exportKey. The platform imports the keys of its algorithms, so that
 * they and the errors are its own; Millrace keeps their bytes. Random keys are imported too: the
 * platform would generate them on its threads.
 */
import { bufferSize, isBytesView, sizeOf } from '../../base/intrinsics.js';
import type { HashFacts } from '../../catalog/facts.js';
import { secretCopy, secretMemory, wipe, type Secret } from '../../base/secret-memory.js';
import { decodeBase64 } from '../../base/secret-base64.js';
import type { JsonWebKey } from '../../public-keys/jwk.js';
import { base64url, bytesOfText, viewOf } from '#platform/base/runtime.js';
import { asymmetric, withAsymmetric } from '#platform/compat/webcrypto/public-keys.js';
import type { Algorithm, Served } from './dictionaries.js';
import { attach, derivesOnly, discard, keepBytes, makeOwnSecret, type Kept } from './keys.js';
import { bytesOf, callPlatform, exception, fillRandom } from './platform.js';
import { check, DELEGATE, refuse, refuseOperation } from './run.js';

/** Imports a key. */
export function importKey(
  format: unknown,
  data: unknown,
  algorithm: Algorithm,
  extractable: unknown,
  usages: unknown,
): object | Promise<unknown> {
  const { served, given } = algorithm;
  if (served.lacking)
    return importOwn(String(format), data, algorithm, Boolean(extractable), usages);
  const read = format === 'jwk' && isDictionary(data) ? readJwk(data) : data;
  const texts = plainUsages(usages);
  const keep = served.usages === undefined ? keepImported : asymmetric().keepPair;
  const made = texts && keep(format, read, algorithm, Boolean(extractable), texts);
  return importThrough(made, [format, read, given, extractable, texts ?? usages]);
}

/**
 * Keeps the bytes of a key that the platform imports next. Returns undefined if the platform has to
 * serve the key's calls.
 */
function keepImported(
  format: unknown,
  data: unknown,
  { served: { name, hash: own }, hash = own, numbers, problem }: Algorithm,
  extractable: boolean,
  usages: readonly string[],
): Kept | undefined {
  if (problem !== undefined) return undefined;
  const about = { name, hash, bits: numbers.length, usages, extractable, own: false };
  if (format === 'raw' || format === 'raw-secret') {
    const bytes = bytesOf(data);
    return bytes && keepBytes(about, bytes);
  }
  const k = format === 'jwk' && isDictionary(data) ? (data as JsonWebKey).k : undefined;
  const bytes = typeof k === 'string' ? decoded(k) : undefined;
  if (bytes === undefined) return undefined;
  try {
    return keepBytes(about, bytes);
  } finally {
    wipe(bytes);
  }
}

/** Decodes base64url. Text that the platform may read in another way gives undefined. */
function decoded(text: string): Secret | undefined {
  if (text.length % 4 === 1 || !/^[\w-]*$/.test(text)) return undefined;
  const bytes = secretMemory(Math.floor((text.length * 3) / 4));
  return decodeBase64(text, 0, text.length, bytes, 0) < 0 ? undefined : bytes;
}

/** Imports a key into the platform, and keeps something beside it. */
async function importThrough(made: Kept | undefined, given: unknown[]): Promise<unknown> {
  try {
    const key = (await callPlatform('importKey', given)) as object;
    if (made !== undefined) attach(key, made);
    return key;
  } catch (error) {
    if (made !== undefined) discard(made);
    throw error;
  }
}

/** Generates a secret key or a pair. */
export function generateKey(algorithm: Algorithm, extractable: unknown, usages: unknown): unknown {
  const { served, given, problem } = algorithm;
  check(served, problem, true);
  if (served.usages !== undefined) return generatePair(algorithm, Boolean(extractable), usages);
  const bits = keyLength(algorithm);
  const texts = served.lacking ? usageTexts(usages, 'generateKey') : plainUsages(usages);
  // Errors have another order than those of an import.
  if (texts === undefined) throw DELEGATE;
  const bytes = secretMemory(bits! / 8);
  fillRandom(bytes);
  try {
    if (!served.lacking) {
      const format = rawFormat(served);
      const made = keepImported(format, bytes, algorithm, Boolean(extractable), texts);
      return importThrough(made, [format, bytes, given, extractable, texts]).catch(
        // The platform's error for these usages is that of generateKey.
        () => callPlatform('generateKey', [given, extractable, texts]),
      );
    }
    const read = readUsages(texts, served, 'generateKey');
    const about = ownAlgorithm(served, bits!);
    return makeOwnSecret(about, served.hash, Boolean(extractable), read, bytes);
  } finally {
    wipe(bytes);
  }
}

/** Generates a pair, whose keys get those of the usages that they have. */
function generatePair(algorithm: Algorithm, extractable: boolean, usages: unknown): unknown {
  const { served } = algorithm;
  const read = served.lacking ? readUsages(usages, served, 'generateKey') : plainUsages(usages);
  const [forPrivate, forPublic] = served.usages!.map((allowed) =>
    allowed.filter((each) => read?.includes(each)),
  ) as [string[], string[]];
  if (forPrivate.length === 0)
    refuse(served, exception('SyntaxError', 'usages of the private key must not be empty'));
  // The platform's errors for usages that are none.
  if (!read!.every((each) => served.usages!.some((allowed) => allowed.includes(each))))
    throw DELEGATE;
  const generate = (): unknown =>
    withAsymmetric((calls) => calls.generatePair(algorithm, extractable, forPrivate, forPublic));
  if (served.lacking) return generate();
  // The engine that a program chose may have no such keys.
  try {
    const given = [algorithm.given, extractable, read];
    return (generate() as Promise<unknown>).catch(() => callPlatform('generateKey', given));
  } catch {
    throw DELEGATE;
  }
}

/** Returns the name of the format of bytes. */
export function rawFormat({ bits }: Served): string {
  return bits === undefined ? 'raw' : 'raw-secret';
}

/** Returns a copy of an array of usages. Others are the platform's to convert or to refuse. */
export function plainUsages(usages: unknown): string[] | undefined {
  if (!Array.isArray(usages)) return undefined;
  const texts: unknown[] = [...(usages as unknown[])];
  const isPlain = texts.length > 0 && texts.every((each) => typeof each === 'string');
  return isPlain ? (texts as string[]) : undefined;
}

/** Converts usages as WebIDL does, for an algorithm that the platform lacks. */
export function usageTexts(value: unknown, method: string): string[] {
  if (typeof value !== 'object' || value === null || !(Symbol.iterator in value))
    throw new TypeError(`${method}: keyUsages is not a sequence`);
  return [...(value as Iterable<unknown>)].map((each) => `${each as string}`);
}

/** Returns the bits of a key to generate or derive; null if there is no fixed number. */
export function keyLength(algorithm: Algorithm): number | null {
  const { served, numbers, hash } = algorithm;
  const { name } = served;
  if (derivesOnly(name)) return null;
  if (name === 'ChaCha20-Poly1305') return 256;
  const length = numbers.length ?? (hash === undefined ? served.bits : blockBits(hash));
  const isValid = name.startsWith('AES') ? [128, 192, 256].includes(length!) : length! > 0;
  if (!isValid || length! % 8 !== 0) refuseOperation(served, 'this length is not supported');
  return length!;
}

/** Returns the default length of an HMAC's key. Versions of Node.js differ for SHA-3. */
function blockBits({ name, blockSize }: HashFacts): number {
  if (name.startsWith('sha3')) throw DELEGATE;
  return blockSize * 8;
}

// keys of algorithms that the platform lacks

const ALL_USAGES = [
  'encrypt',
  'decrypt',
  'sign',
  'verify',
  'deriveKey',
  'deriveBits',
  'wrapKey',
  'unwrapKey',
  'encapsulateKey',
  'encapsulateBits',
  'decapsulateKey',
  'decapsulateBits',
];

function usagesOf({ name, usages }: Served): readonly string[] {
  if (usages !== undefined) return [...usages[0], ...usages[1]];
  if (name.startsWith('KMAC')) return ['sign', 'verify'];
  return name.startsWith('Argon2')
    ? ['deriveKey', 'deriveBits']
    : ['encrypt', 'decrypt', 'wrapKey', 'unwrapKey'];
}

/**
 * Reads usages in the standard's order, and refuses those that the algorithm lacks. Those of public
 * keys may be empty.
 */
export function readUsages(
  value: unknown,
  served: Served,
  method: string,
  allowed = usagesOf(served),
): string[] {
  const given = usageTexts(value, method);
  for (const each of given)
    if (!ALL_USAGES.includes(each)) throw new TypeError(`${method}: ${each} is not a KeyUsage`);
  if (given.some((each) => !allowed.includes(each)))
    throw exception('SyntaxError', `unsupported usage of a key of ${served.name}`);
  if (given.length === 0 && allowed !== served.usages?.[1])
    throw exception('SyntaxError', 'usages must not be empty');
  return ALL_USAGES.filter((each) => given.includes(each));
}

function ownAlgorithm({ name }: Served, bits: number): { name: string; length?: number } {
  return name.startsWith('KMAC') ? { name, length: bits } : { name };
}

const FORMATS = [
  'raw',
  'raw-public',
  'raw-private',
  'raw-seed',
  'raw-secret',
  'spki',
  'pkcs8',
  'jwk',
];

function importOwn(
  format: string,
  data: unknown,
  algorithm: Algorithm,
  extractable: boolean,
  usages: unknown,
): object | Promise<object> {
  const { served, numbers, problem } = algorithm;
  if (!FORMATS.includes(format)) throw new TypeError(`${format} is not a KeyFormat`);
  const derives = served.name.startsWith('Argon2');
  if (problem !== undefined) throw problem;
  const jwk = format === 'jwk' ? jwkOf(data) : undefined;
  // Copied before usages are read, which runs the caller's code.
  const source = jwk === undefined ? bytesOf(data) : undefined;
  let bytes = source && secretCopy(source);
  let pair: object | Promise<object> | undefined;
  const wipeBytes = (): void => {
    if (bytes !== undefined) wipe(bytes);
  };
  try {
    if (jwk === undefined && bytes === undefined)
      throw new TypeError('keyData is not a BufferSource');
    if (served.usages !== undefined)
      return (pair = importPair(format, jwk ?? bytes, algorithm, extractable, usages));
    if (format !== 'raw-secret' && (jwk === undefined || derives))
      throw exception('NotSupportedError', `cannot import ${served.name} as ${format}`);
    const read = readUsages(usages, served, 'importKey');
    if (derives && extractable)
      throw exception('SyntaxError', `a key of ${served.name} is not extractable`);
    bytes ??= checkedJwk(jwk!, served, extractable, read);
    const bits = sizeOf(bytes) * 8;
    if (served.name === 'ChaCha20-Poly1305' && bits !== 256)
      throw exception('DataError', 'a key must have 32 bytes');
    if (served.name.startsWith('KMAC') && (bits === 0 || (numbers.length ?? bits) !== bits))
      throw exception('DataError', 'the length of the key is not supported');
    return makeOwnSecret(ownAlgorithm(served, bits), served.hash, extractable, read, bytes);
  } finally {
    if (pair instanceof Promise) pair.then(wipeBytes, wipeBytes);
    else wipeBytes();
  }
}

/** The formats of own asymmetric keys, and whether those are private. */
const PAIR_FORMATS: Readonly<Record<string, boolean | undefined>> = {
  __proto__: null as never,
  'raw-public': false,
  spki: false,
  'raw-seed': true,
  pkcs8: true,
};

/** Imports an own key from a JWK or bytes. */
function importPair(
  format: string,
  data: object | undefined,
  algorithm: Algorithm,
  extractable: boolean,
  usages: unknown,
): object | Promise<object> {
  const { served } = algorithm;
  const jwk = format === 'jwk' ? (data as JsonWebKey) : undefined;
  const isPrivate = jwk === undefined ? PAIR_FORMATS[format] : jwk.priv !== undefined;
  if (isPrivate === undefined)
    throw exception('NotSupportedError', `cannot import ${served.name} as ${format}`);
  const read = readUsages(usages, served, 'importKey', served.usages![isPrivate ? 0 : 1]);
  const isValid = jwk === undefined || isJwkFor(jwk, 'AKP', served, extractable, read);
  return withAsymmetric(({ readPair, ownPair }) => {
    const pair = isValid ? readPair(format, data, algorithm) : undefined;
    if (pair === undefined)
      throw exception('DataError', `not a key of ${served.name} as ${format}`);
    return ownPair(served.name, pair, extractable, read);
  });
}

/** The members of a JWK, in the order in which WebIDL reads them. */
const JWK_MEMBERS = 'alg crv d dp dq e ext k key_ops kty n oth p priv pub q qi use x y'.split(' ');

/** Reads each member of a JWK once, so that the platform and Millrace have the same key. */
function readJwk(data: object): JsonWebKey {
  const jwk = { __proto__: null } as Record<string, unknown>;
  for (const name of JWK_MEMBERS) {
    const value = (data as JsonWebKey)[name];
    if (value !== undefined) jwk[name] = value;
  }
  return jwk;
}

function jwkOf(data: unknown): JsonWebKey {
  if (!isDictionary(data)) throw new TypeError('keyData is not a JsonWebKey');
  return readJwk(data);
}

function isDictionary(data: unknown): data is object {
  const isBytes = isBytesView(data) || bufferSize(data) !== undefined;
  return typeof data === 'object' && data !== null && !isBytes;
}

/** Returns the name of an algorithm in a JWK. */
function jwkName({ name }: Served | Kept): string {
  if (name.startsWith('ML-')) return name;
  return name === 'ChaCha20-Poly1305' ? 'C20P' : `K${name.slice(4)}`;
}

/** Returns true if a JWK is for an algorithm and these usages. */
function isJwkFor(
  { alg, ext, key_ops: operations, kty, use }: JsonWebKey,
  type: string,
  served: Served,
  extractable: boolean,
  usages: readonly string[],
): boolean {
  const isSigning = /^(?:KMAC|ML-DSA)/.test(served.name);
  return (
    kty === type &&
    (alg === jwkName(served) || (alg === undefined && type === 'oct')) &&
    (use === undefined || usages.length === 0 || use === (isSigning ? 'sig' : 'enc')) &&
    (operations === undefined ||
      (Array.isArray(operations) && usages.every((each) => operations.includes(each)))) &&
    !(ext === false && extractable)
  );
}

function checkedJwk(
  jwk: JsonWebKey,
  served: Served,
  extractable: boolean,
  usages: readonly string[],
): Secret {
  const { k } = jwk as { readonly k?: unknown };
  const isValid = typeof k === 'string' && isJwkFor(jwk, 'oct', served, extractable, usages);
  const bytes = isValid ? decoded(k) : undefined;
  if (bytes === undefined) throw exception('DataError', 'the JWK is not a valid key');
  return bytes;
}

/** Exports an own key. */
export function exportOwn(format: unknown, kept: Kept): object {
  const name = String(format);
  const { pair, usages, extractable: ext, secret } = kept;
  if (!FORMATS.includes(name)) throw new TypeError(`${name} is not a KeyFormat`);
  const isFormat = name === 'jwk' || (pair ? name in PAIR_FORMATS : name === 'raw-secret');
  if (!isFormat) throw exception('NotSupportedError', `cannot export ${kept.name} as ${name}`);
  if (!ext || (pair && name !== 'jwk' && PAIR_FORMATS[name] !== (pair.type === 'private')))
    throw exception('InvalidAccessError', `the key cannot be exported as ${name}`);
  if (pair !== undefined) return asymmetric().exportPair(kept, name);
  if (name !== 'jwk') return secretCopy(secret!).buffer;
  return {
    kty: 'oct',
    k: base64url(viewOf(secret!.buffer)),
    alg: jwkName(kept),
    key_ops: [...usages],
    ext,
  };
}

/** Returns the UTF-8 of an exported JWK; for AES-KW in a multiple of 8 bytes. */
export function jwkText(jwk: unknown, padded: boolean): Uint8Array {
  const text = JSON.stringify(jwk);
  return bytesOfText(padded ? text.padEnd(Math.ceil(text.length / 8) * 8) : text, 'utf8');
}
