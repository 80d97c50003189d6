/**
 * What the platform's own WebCrypto computes for the portable engine: asynchronously, on threads of
 * its own, with the CPU's instructions for AES and SHA. It has a part of the catalog, nothing of it
 * in an insecure context, and not the same in every browser (Chromium knows no AES-192, some no
 * empty passwords). So the engine asks by way of delegation.ts, which has tried them.
 *
 * Sizes were checked against the catalog before. Keys and sources may change as soon as a function
 * here has returned, except that a source is not copied where it is said to be `lent`: WebCrypto
 * copies what it is given while it is called, but what takes a key has to wait for that.
 */
import { ciphers, hashes } from '../catalog/catalog-table.js';

/** Of lib.dom, which not every place that compiles this has. */
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

/** What WebCrypto calls the hashes it has. */
const hashNames: Readonly<Record<string, string>> = {
  sha1: 'SHA-1',
  sha256: 'SHA-256',
  sha384: 'SHA-384',
  sha512: 'SHA-512',
};

/** Of a hash by its number in the catalog; undefined where WebCrypto has none of that name. */
function hashName(hash: number): string | undefined {
  return hashNames[hashes[hash]!.name];
}

/**
 * Larger texts are left to others: browsers count some of them in 31 bits, and copy all of them.
 */
const TEXT_MAX = 2 ** 29;

/**
 * The result, or undefined where WebCrypto does not serve this: no such algorithm or size, or a
 * context that is not secure.
 */
export type Served = Promise<Uint8Array> | undefined;

/** A digest of SHA-1, SHA-256, SHA-384 or SHA-512. */
export function digest(hash: number, source: Uint8Array): Served {
  const [api, name] = [subtle(), hashName(hash)];
  if (api === undefined || name === undefined || source.length > TEXT_MAX) return undefined;
  return bytesOf(api.digest(name, plain(source)));
}

/** An HMAC over one of these hashes. */
export function hmac(
  hash: number,
  key: Uint8Array | ImportedKey,
  source: Uint8Array,
  lent = false,
): Served {
  const [api, name] = [subtle(), hashName(hash)];
  // It knows no empty keys.
  if (api === undefined || name === undefined || isEmpty(key) || source.length > TEXT_MAX)
    return undefined;
  return underKey(api, key, { name: 'HMAC', hash: name }, 'sign', source, lent, (imported, text) =>
    api.sign('HMAC', imported, text),
  );
}

/** AES in counter mode: encrypts or decrypts. All 16 bytes of the iv count, and wrap. */
export function aesCtr(
  cipher: number,
  key: Uint8Array | ImportedKey,
  iv: Uint8Array,
  source: Uint8Array,
  lent = false,
): Served {
  const api = subtle();
  if (api === undefined || !isMode(cipher, 'ctr') || source.length > TEXT_MAX) return undefined;
  const algorithm = { name: 'AES-CTR', counter: new Uint8Array(iv), length: 128 };
  return underKey(api, key, 'AES-CTR', 'encrypt', source, lent, (imported, text) =>
    api.encrypt(algorithm, imported, text),
  );
}

/** AES-GCM: the ciphertext, and after it as many bytes of the tag. */
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
 * The text that was sealed, of a ciphertext with the tag after it. Rejects with {@link
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

/** Wrong key, nonce, aad or tag, or changed ciphertext. */
export class NotAuthentic extends Error {
  constructor() {
    super('authentication failed');
    this.name = 'NotAuthentic';
  }
}

/** PBKDF2 over HMAC of one of the hashes. */
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
    { name: 'PBKDF2', hash: name, salt: new Uint8Array(salt), iterations },
    size,
  );
}

/** HKDF over HMAC of one of the hashes. */
export function hkdf(
  hash: number,
  secret: Uint8Array,
  salt: Uint8Array,
  info: Uint8Array,
  size: number,
): Served {
  const [api, name] = [subtle(), hashName(hash)];
  if (
    api === undefined ||
    name === undefined ||
    size === 0 ||
    size > 255 * hashes[hash]!.digestSize
  )
    return undefined;
  return derived(
    api,
    'HKDF',
    secret,
    { name: 'HKDF', hash: name, salt: new Uint8Array(salt), info: new Uint8Array(info) },
    size,
  );
}

/** Its size is given in bits, as a number of 32 bits. */
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
 * A key that WebCrypto holds. What is done under it begins during the call, so that no source need
 * be copied here.
 */
export class ImportedKey {
  constructor(readonly key: unknown) {}
}

/**
 * Has the key of an HMAC imported. Rejects what WebCrypto refuses; undefined where there is no
 * WebCrypto.
 */
export function importHmacKey(hash: number, key: Uint8Array): Promise<ImportedKey> | undefined {
  return importKey({ name: 'HMAC', hash: hashName(hash) }, key, ['sign']);
}

/** The same for a cipher. */
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

/** Works under the key; where it is to be imported first, the text is copied before. */
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

/** Not in shared memory, nor in a buffer that can be resized. */
function plain(bytes: Uint8Array): Uint8Array {
  const { buffer } = bytes;
  return buffer instanceof ArrayBuffer && !(buffer as { resizable?: boolean }).resizable
    ? bytes
    : new Uint8Array(bytes);
}
