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
import { isResizable, NO_BYTES } from '../base/intrinsics.js';
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
  return api.digest(name, plain(source)).then((result) => new Uint8Array(result));
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
 * Encrypts or decrypts with AES-CTR or AES-GCM. CTR's counter is all 16 bytes of the iv and wraps;
 * GCM's ciphertext is followed by `tagSize` bytes of the tag. Rejects with {@link NotAuthentic}.
 */
export function cipher(
  algorithm: number,
  use: 'encrypt' | 'decrypt',
  key: Uint8Array | ImportedKey,
  iv: Uint8Array,
  aad: Uint8Array,
  text: Uint8Array,
  tagSize: number,
  lent = false,
): Served {
  const [api, name] = [subtle(), cipherName(algorithm)];
  if (api === undefined || name === undefined || text.length > TEXT_MAX || aad.length > TEXT_MAX)
    return undefined;
  const mode =
    name === 'AES-CTR'
      ? { counter: new Uint8Array(iv), length: 128 }
      : {
          iv: new Uint8Array(iv),
          tagLength: 8 * tagSize,
          ...(aad.length > 0 && { additionalData: new Uint8Array(aad) }),
        };
  // WebCrypto reads inherited properties.
  const parameters = { __proto__: null, name, ...mode };
  return underKey(api, key, name, use, text, lent, async (imported, kept) => {
    try {
      return await api[use](parameters, imported, kept);
    } catch (error) {
      const forged = use === 'decrypt' && (error as Error).name === 'OperationError';
      throw forged ? new NotAuthentic() : error;
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
  const parameters = {
    __proto__: null,
    name: 'PBKDF2',
    hash: name,
    salt: new Uint8Array(salt),
    iterations,
  };
  return underKey(api, password, 'PBKDF2', 'deriveBits', NO_BYTES, true, (key) =>
    api.deriveBits(parameters, key, 8 * size),
  );
}

/** WebCrypto takes the size in bits, as a 32-bit number. */
const KEY_MAX = 2 ** 29 - 1;

/**
 * A key that WebCrypto holds. A call with it starts at once, so that the source need not be copied.
 */
export class ImportedKey {
  constructor(readonly key: unknown) {}
}

/**
 * Imports the key of an HMAC or of a cipher. Rejects if WebCrypto refuses it; returns undefined
 * without WebCrypto.
 */
export function importKey(
  isMac: boolean,
  algorithm: number,
  key: Uint8Array,
): Promise<ImportedKey> | undefined {
  const name = isMac ? hashName(algorithm) : cipherName(algorithm);
  if (name === undefined) return undefined;
  const named = isMac ? { __proto__: null, name: 'HMAC', hash: name } : name;
  return subtle()
    ?.importKey('raw', plain(key), named, false, isMac ? ['sign'] : ['encrypt', 'decrypt'])
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

/** Returns WebCrypto's name of a cipher by its number in the catalog, undefined if it has none. */
function cipherName(algorithm: number): string | undefined {
  const mode = /^aes-\d+-(ctr|gcm)$/.exec(ciphers[algorithm]!.name)?.[1];
  return mode && `AES-${mode.toUpperCase()}`;
}

/** Copies bytes in shared memory or in a resizable buffer, which WebCrypto refuses. */
function plain(bytes: Uint8Array): Uint8Array {
  const { buffer } = bytes;
  return buffer instanceof ArrayBuffer && !isResizable(bytes) ? bytes : new Uint8Array(bytes);
}
