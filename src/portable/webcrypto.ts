/**
 * The work that WebCrypto does for the portable engine: asynchronously, on its own threads, with
 * the CPU's instructions for AES and SHA. It has a part of the catalog, nothing in an insecure
 * context, and not the same in every browser (Chromium has no AES-192, some have no empty
 * passwords). The engine therefore calls it through webcrypto-backend.ts, which tests it first.
 *
 * Callers have checked the sizes against the catalog. Keys and sources may change as soon as a
 * function returns, except a `lent` source, which is not copied: WebCrypto copies its input during
 * the call, but a call with a key must first await the key's import.
 */
import { ciphers, hashes } from '../catalog/catalog-table.js';

/** Declared in lib.dom, which not every compilation of this package includes. */
interface Subtle {
  digest(algorithm: unknown, data: Uint8Array): Promise<ArrayBuffer>;
  importKey(
    format: 'raw',
    key: Uint8Array,
    algorithm: unknown,
    extractable: boolean,
    usages: readonly string[],
  ): Promise<unknown>;
  sign(algorithm: unknown, key: unknown, data: Uint8Array): Promise<ArrayBuffer>;
  encrypt(algorithm: unknown, key: unknown, data: Uint8Array): Promise<ArrayBuffer>;
  decrypt(algorithm: unknown, key: unknown, data: Uint8Array): Promise<ArrayBuffer>;
  deriveBits(algorithm: unknown, key: unknown, length: number): Promise<ArrayBuffer>;
}

function subtle(): Subtle | undefined {
  return (globalThis as { crypto?: { subtle?: Subtle } }).crypto?.subtle;
}

/** WebCrypto's names of its hashes. */
const hashNames: Readonly<Record<string, string>> = {
  sha1: 'SHA-1',
  sha256: 'SHA-256',
  sha384: 'SHA-384',
  sha512: 'SHA-512',
};

/** Returns WebCrypto's name of a hash by its number in the catalog, undefined if it has none. */
function hashName(hash: number): string | undefined {
  return hashNames[hashes[hash]!.name];
}

/** Larger texts are refused: browsers count some sizes in 31 bits and copy every text. */
const TEXT_MAX = 2 ** 29;

/**
 * The result, or undefined where WebCrypto cannot compute it: unknown algorithm or size, or an
 * insecure context.
 */
export type Served = Promise<Uint8Array> | undefined;

/** Returns a digest of SHA-1, SHA-256, SHA-384 or SHA-512. */
export function digest(hash: number, source: Uint8Array): Served {
  const [api, name] = [subtle(), hashName(hash)];
  if (api === undefined || name === undefined || source.length > TEXT_MAX) return undefined;
  return bytesOf(api.digest(name, plain(source)));
}

/** Returns an HMAC over one of these hashes. */
export function hmac(
  hash: number,
  key: Uint8Array | ImportedKey,
  source: Uint8Array,
  lent = false,
): Served {
  const [api, name] = [subtle(), hashName(hash)];
  // WebCrypto refuses empty keys.
  if (api === undefined || name === undefined || isEmpty(key) || source.length > TEXT_MAX)
    return undefined;
  return underKey(
    api,
    key,
    { __proto__: null, name: 'HMAC', hash: name },
    'sign',
    source,
    lent,
    (imported, text) => api.sign('HMAC', imported, text),
  );
}

/**
 * Encrypts or decrypts with AES in counter mode. The counter is all 16 bytes of the iv; it wraps.
 */
export function aesCtr(
  cipher: number,
  key: Uint8Array | ImportedKey,
  iv: Uint8Array,
  source: Uint8Array,
  lent = false,
): Served {
  const api = subtle();
  if (api === undefined || !isMode(cipher, 'ctr') || source.length > TEXT_MAX) return undefined;
  const algorithm = { __proto__: null, name: 'AES-CTR', counter: new Uint8Array(iv), length: 128 };
  return underKey(api, key, 'AES-CTR', 'encrypt', source, lent, (imported, text) =>
    api.encrypt(algorithm, imported, text),
  );
}

/** Returns the AES-GCM ciphertext followed by `tagSize` bytes of the tag. */
export function gcmSeal(
  cipher: number,
  key: Uint8Array | ImportedKey,
  nonce: Uint8Array,
  aad: Uint8Array,
  source: Uint8Array,
  tagSize: number,
  lent = false,
): Served {
  const api = subtle();
  if (
    api === undefined ||
    !isMode(cipher, 'gcm') ||
    source.length > TEXT_MAX ||
    aad.length > TEXT_MAX
  )
    return undefined;
  const algorithm = gcmOf(nonce, aad, tagSize);
  return underKey(api, key, 'AES-GCM', 'encrypt', source, lent, (imported, text) =>
    api.encrypt(algorithm, imported, text),
  );
}

/**
 * Returns the plaintext of an AES-GCM ciphertext followed by its tag. Rejects with {@link
 * NotAuthentic}.
 */
export function gcmOpen(
  cipher: number,
  key: Uint8Array | ImportedKey,
  nonce: Uint8Array,
  aad: Uint8Array,
  sealed: Uint8Array,
  tagSize: number,
  lent = false,
): Served {
  const api = subtle();
  if (
    api === undefined ||
    !isMode(cipher, 'gcm') ||
    sealed.length > TEXT_MAX ||
    aad.length > TEXT_MAX
  )
    return undefined;
  const algorithm = gcmOf(nonce, aad, tagSize);
  return underKey(api, key, 'AES-GCM', 'decrypt', sealed, lent, async (imported, text) => {
    try {
      return await api.decrypt(algorithm, imported, text);
    } catch (error) {
      throw (error as Error).name === 'OperationError' ? new NotAuthentic() : error;
    }
  });
}

/** A wrong key, nonce, aad or tag, or a changed ciphertext. */
export class NotAuthentic extends Error {
  constructor() {
    super('authentication failed');
    this.name = 'NotAuthentic';
  }
}

/** Derives with PBKDF2 over HMAC of one of the hashes. */
export function pbkdf2(
  hash: number,
  password: Uint8Array,
  salt: Uint8Array,
  iterations: number,
  size: number,
): Served {
  const [api, name] = [subtle(), hashName(hash)];
  if (api === undefined || name === undefined || size === 0 || size > KEY_MAX || iterations === 0)
    return undefined;
  return derived(
    api,
    'PBKDF2',
    password,
    { __proto__: null, name: 'PBKDF2', hash: name, salt: new Uint8Array(salt), iterations },
    size,
  );
}

/** WebCrypto takes the size in bits, as a 32-bit number. */
const KEY_MAX = 2 ** 29 - 1;

async function derived(
  api: Subtle,
  name: string,
  secret: Uint8Array,
  algorithm: unknown,
  size: number,
): Promise<Uint8Array> {
  const key = await api.importKey('raw', plain(secret), name, false, ['deriveBits']);
  return new Uint8Array(await api.deriveBits(algorithm, key, 8 * size));
}

/**
 * A key that WebCrypto holds. A call with it starts at once, so that the source need not be copied.
 */
export class ImportedKey {
  constructor(readonly key: unknown) {}
}

/**
 * Imports the key of an HMAC. Rejects if WebCrypto refuses it; returns undefined without WebCrypto.
 */
export function importHmacKey(hash: number, key: Uint8Array): Promise<ImportedKey> | undefined {
  return importKey({ __proto__: null, name: 'HMAC', hash: hashName(hash) }, key, ['sign']);
}

/** Imports the key of a cipher; see {@link importHmacKey}. */
export function importCipherKey(cipher: number, key: Uint8Array): Promise<ImportedKey> | undefined {
  return importKey(isMode(cipher, 'gcm') ? 'AES-GCM' : 'AES-CTR', key, ['encrypt', 'decrypt']);
}

function importKey(
  algorithm: unknown,
  key: Uint8Array,
  usages: readonly string[],
): Promise<ImportedKey> | undefined {
  return subtle()
    ?.importKey('raw', plain(key), algorithm, false, usages)
    .then((each) => new ImportedKey(each));
}

function isEmpty(key: Uint8Array | ImportedKey): boolean {
  return key instanceof Uint8Array && key.length === 0;
}

/** Calls `work` with the imported key. The text is copied first if the key must be imported. */
async function underKey(
  api: Subtle,
  key: Uint8Array | ImportedKey,
  algorithm: unknown,
  usage: string,
  text: Uint8Array,
  lent: boolean,
  work: (key: unknown, text: Uint8Array) => Promise<ArrayBuffer>,
): Promise<Uint8Array> {
  if (key instanceof ImportedKey) return new Uint8Array(await work(key.key, plain(text)));
  const importing = api.importKey('raw', plain(key), algorithm, false, [usage]);
  const kept = lent ? plain(text) : new Uint8Array(text);
  return new Uint8Array(await work(await importing, kept));
}

function gcmOf(nonce: Uint8Array, aad: Uint8Array, tagSize: number): object {
  return {
    __proto__: null, // WebCrypto reads inherited properties.
    name: 'AES-GCM',
    iv: new Uint8Array(nonce),
    tagLength: 8 * tagSize,
    ...(aad.length > 0 && { additionalData: new Uint8Array(aad) }),
  };
}

function isMode(cipher: number, mode: 'ctr' | 'gcm'): boolean {
  const { name } = ciphers[cipher]!;
  return name.startsWith('aes-') && name.endsWith(`-${mode}`);
}

async function bytesOf(result: Promise<ArrayBuffer>): Promise<Uint8Array> {
  return new Uint8Array(await result);
}

/** Copies bytes in shared memory or in a resizable buffer, which WebCrypto refuses. */
function plain(bytes: Uint8Array): Uint8Array {
  const { buffer } = bytes;
  return buffer instanceof ArrayBuffer && !(buffer as { resizable?: boolean }).resizable
    ? bytes
    : new Uint8Array(bytes);
}
