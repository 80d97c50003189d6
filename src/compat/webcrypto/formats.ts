/**
 * importKey, generateKey and exportKey. The platform imports the keys of its algorithms, so that
 * they and the errors are its own; Millrace keeps their bytes. Random keys are imported too: the
 * platform would generate them on its threads.
 */
import { bufferSize, isBytesView, sizeOf } from '../../base/intrinsics.js';
import type { HashFacts } from '../../catalog/facts.js';
import { secretCopy, secretMemory, wipe, type Secret } from '../../base/secret-memory.js';
import { base64url, bytesOfText, viewOf } from '#platform/base/runtime.js';
import type { Algorithm, Served } from './dictionaries.js';
import { attach, derivesOnly, discard, keepBytes, makeOwnKey, type Kept } from './keys.js';
import { bytesOf, callPlatform, exception, fillRandom } from './platform.js';
import { check, DELEGATE, refuseOperation } from './run.js';

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
  const read = format === 'jwk' && isDictionary(data) ? withOneKey(data) : data;
  const texts = plainUsages(usages);
  const made = texts && keepImported(format, read, algorithm, Boolean(extractable), texts);
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
  const k = format === 'jwk' && isDictionary(data) ? (data as Jwk).k : undefined;
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
  let [word, bits, at] = [0, 0, 0];
  for (let index = 0; index < text.length; index++) {
    word = ((word & 0xfff) << 6) | digitOf(text.charCodeAt(index));
    bits += 6;
    if (bits >= 8) bytes[at++] = word >> (bits -= 8);
  }
  return bytes;
}

const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
const digits = new Uint8Array(128);
for (let index = 0; index < DIGITS.length; index++) digits[DIGITS.charCodeAt(index)] = index;

function digitOf(code: number): number {
  return digits[code]!;
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

/** Generates a secret key. */
export function generateKey(
  algorithm: Algorithm,
  extractable: unknown,
  usages: unknown,
): object | Promise<unknown> {
  const { served, given, problem } = algorithm;
  check(served, problem, true);
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
    return makeOwnKey(ownAlgorithm(served, bits!), served.hash, Boolean(extractable), read, bytes);
  } finally {
    wipe(bytes);
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

function usagesOf({ name }: Served): readonly string[] {
  if (name.startsWith('KMAC')) return ['sign', 'verify'];
  return name.startsWith('Argon2')
    ? ['deriveKey', 'deriveBits']
    : ['encrypt', 'decrypt', 'wrapKey', 'unwrapKey'];
}

/** Reads usages in the standard's order, and refuses those that the algorithm lacks. */
function readUsages(value: unknown, served: Served, method: string): string[] {
  const given = usageTexts(value, method);
  for (const each of given)
    if (!ALL_USAGES.includes(each)) throw new TypeError(`${method}: ${each} is not a KeyUsage`);
  const allowed = usagesOf(served);
  if (given.some((each) => !allowed.includes(each)))
    throw exception('SyntaxError', `unsupported usage of a key of ${served.name}`);
  if (given.length === 0) throw exception('SyntaxError', 'usages must not be empty');
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
  { served, numbers, problem }: Algorithm,
  extractable: boolean,
  usages: unknown,
): object {
  if (!FORMATS.includes(format)) throw new TypeError(`${format} is not a KeyFormat`);
  const derives = served.name.startsWith('Argon2');
  if (problem !== undefined) throw problem;
  const jwk = format === 'jwk' ? readJwk(data) : undefined;
  // Copied before usages are read, which runs the caller's code.
  const source = jwk === undefined ? bytesOf(data) : undefined;
  let bytes = source && secretCopy(source);
  try {
    if (jwk === undefined && bytes === undefined)
      throw new TypeError('keyData is not a BufferSource');
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
    return makeOwnKey(ownAlgorithm(served, bits), served.hash, extractable, read, bytes);
  } finally {
    if (bytes !== undefined) wipe(bytes);
  }
}

interface Jwk {
  readonly alg?: unknown;
  readonly ext?: unknown;
  readonly k?: unknown;
  readonly key_ops?: unknown;
  readonly kty?: unknown;
  readonly use?: unknown;
}

function readJwk(data: unknown): Jwk {
  if (!isDictionary(data)) throw new TypeError('keyData is not a JsonWebKey');
  const { alg, ext, k, key_ops, kty, use } = data as Jwk;
  return { alg, ext, k, key_ops, kty, use };
}

/** Reads `k` of a JWK once, so that the platform and Millrace have the same key. */
function withOneKey(data: object): object {
  return Object.create(data, { k: { value: (data as Jwk).k } }) as object;
}

function isDictionary(data: unknown): data is object {
  const isBytes = isBytesView(data) || bufferSize(data) !== undefined;
  return typeof data === 'object' && data !== null && !isBytes;
}

/** Returns the name of an algorithm in a JWK. */
function jwkName({ name }: Served | Kept): string {
  return name === 'ChaCha20-Poly1305' ? 'C20P' : `K${name.slice(4)}`;
}

function checkedJwk(
  { alg, ext, k, key_ops: operations, kty, use }: Jwk,
  served: Served,
  extractable: boolean,
  usages: readonly string[],
): Secret {
  const isValid =
    kty === 'oct' &&
    typeof k === 'string' &&
    (alg === undefined || alg === jwkName(served)) &&
    (use === undefined || use === (served.name.startsWith('KMAC') ? 'sig' : 'enc')) &&
    (operations === undefined ||
      (Array.isArray(operations) && usages.every((each) => operations.includes(each)))) &&
    !(ext === false && extractable);
  const bytes = isValid ? decoded(k) : undefined;
  if (bytes === undefined) throw exception('DataError', 'the JWK is not a valid key');
  return bytes;
}

/** Exports an own key. */
export function exportOwn(format: unknown, kept: Kept): object {
  const name = String(format);
  if (!FORMATS.includes(name)) throw new TypeError(`${name} is not a KeyFormat`);
  if (name !== 'jwk' && name !== 'raw-secret')
    throw exception('NotSupportedError', `cannot export ${kept.name} as ${name}`);
  if (!kept.extractable || kept.secret === undefined)
    throw exception('InvalidAccessError', 'the key is not extractable');
  if (name !== 'jwk') return secretCopy(kept.secret).buffer;
  const { usages, extractable: ext, secret } = kept;
  return {
    kty: 'oct',
    k: base64url(viewOf(secret.buffer)),
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
