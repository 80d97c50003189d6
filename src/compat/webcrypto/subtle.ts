/**
 * The methods of SubtleCrypto. A call that is invalid or unusual goes to the platform, and the
 * caller gets its result or error, unless the platform lacks the algorithm. No method throws.
 */
import { wipe, type Secret } from '../../base/secret-memory.js';
import { crypt, keyWrap } from './ciphers.js';
import { deriveBits } from './derivations.js';
import {
  readAlgorithm,
  servedNamed,
  withCopies,
  type Algorithm,
  type Unserved,
} from './dictionaries.js';
import { digest, sign, verify } from './digests.js';
import {
  exportOwn,
  generateKey,
  importKey,
  jwkText,
  keyLength,
  plainUsages,
  rawFormat,
  readUsages,
  usageTexts,
} from './formats.js';
import { keptKeyOf, keptOf, type Kept } from './keys.js';
import { allMethods } from './original.js';
import {
  attributesOf,
  bytesOf,
  callPlatform,
  countServer,
  exception,
  platformMethods,
  platformSubtle,
  secretOf,
  servesAll,
} from './platform.js';
import { DELEGATE, refuse, type Result } from './run.js';
import { asymmetric } from '#platform/compat/webcrypto/public-keys.js';

type Serve = (...given: unknown[]) => unknown;

const resolve = Promise.resolve.bind(Promise) as (value: unknown) => Promise<unknown>;
const reject = Promise.reject.bind(Promise) as (error: unknown) => Promise<never>;

/** Returns the algorithm if Millrace serves it here. */
function servedOf(algorithm: Algorithm | Unserved): Algorithm | undefined {
  return algorithm.served !== undefined && (servesAll || algorithm.served.lacking)
    ? (algorithm as Algorithm)
    : undefined;
}

/**
 * Runs a call: by `serve`, or by the platform with the arguments that were read, unless `delegate`
 * calls it in another way. An exception becomes a rejection.
 */
function call(
  name: string,
  algorithm: Algorithm | Unserved,
  given: readonly unknown[],
  serve: (served: Algorithm) => unknown,
  delegate: () => Promise<unknown> = () => callPlatform(name, given),
): Promise<unknown> {
  const served = servedOf(algorithm);
  if (served !== undefined) {
    try {
      const result = serve(served);
      countServer(name, served.served.name, true);
      return resolve(result);
    } catch (error) {
      if (error !== DELEGATE) return reject(error);
    }
  }
  const { given: shown } = algorithm;
  countServer(name, typeof shown === 'string' ? shown : (shown as { name?: unknown })?.name, false);
  return delegate();
}

/** Returns what Millrace keeps of a key; undefined if the platform has to serve its calls. */
function findKept(key: unknown): Kept | undefined {
  return keptKeyOf(key, (value) => (servesAll ? asymmetric().adoptPair(value) : undefined));
}

/** Returns what Millrace keeps of a key that fits; throws what is wrong if it is certain. */
function keyFor({ served }: Algorithm, key: unknown, usage: string): Kept {
  const kept = findKept(key);
  if (kept === undefined || kept.name !== served.name || !kept.usages.includes(usage)) {
    if (kept?.own === true || served.lacking)
      throw kept === undefined && attributesOf(key) === undefined
        ? new TypeError('the key is not a CryptoKey')
        : exception('InvalidAccessError', `the key is not for ${usage} with ${served.name}`);
    throw DELEGATE;
  }
  return kept;
}

/** Returns a method that takes an algorithm, a key for it and up to two other arguments. */
function keyed(
  name: string,
  serve: (served: Algorithm, kept: Kept, first: unknown, second: unknown) => unknown,
): Serve {
  return (algorithm, key, first, second) => {
    const read = readAlgorithm(name, algorithm);
    return call(name, read, [read.given, key, first, second], (served) =>
      serve(served, keyFor(served, key, name), first, second),
    );
  };
}

const serves: Readonly<Record<string, Serve>> = {
  digest(algorithm, data) {
    const read = readAlgorithm('digest', algorithm);
    return call('digest', read, [read.given, data], (served) => digest(served, data));
  },

  sign: keyed('sign', (served, kept, data) =>
    kept.pair === undefined ? sign(served, kept, data) : asymmetric().signBy(served, kept, data),
  ),
  verify: keyed('verify', (served, kept, signature, data) =>
    kept.pair === undefined
      ? verify(served, kept, signature, data)
      : asymmetric().verifyBy(served, kept, signature, data),
  ),
  encrypt: keyed('encrypt', (served, kept, data) => cryptWith(true, served, kept, data)),
  decrypt: keyed('decrypt', (served, kept, data) => cryptWith(false, served, kept, data)),
  deriveBits: keyed('deriveBits', derive),

  deriveKey(algorithm, baseKey, derived, extractable, usages) {
    const read = readAlgorithm('deriveBits', algorithm);
    const type = readAlgorithm('keyLength', derived);
    const given = [read.given, baseKey, type.given, extractable, usages];
    return call('deriveKey', read, given, (served) => {
      if (type.served === undefined)
        refuse(served.served, exception('NotSupportedError', 'this key cannot be derived'));
      const target = type as Algorithm;
      const kept = keyFor(served, baseKey, 'deriveKey');
      if (target.problem !== undefined) throw target.served.lacking ? target.problem : DELEGATE;
      const isOwn = served.served.lacking || target.served.lacking;
      const make = importLater('deriveKey', isOwn, target, extractable, usages);
      const bits = derive(served, kept, keyLength(target));
      return bits instanceof Promise ? bits.then(make) : make(bits);
    });
  },

  importKey(format, data, algorithm, extractable, usages) {
    const read = readAlgorithm('importKey', algorithm);
    const given = [format, data, read.given, extractable, usages];
    return call('importKey', read, given, (served) =>
      importKey(format, data, served, extractable, usages),
    );
  },

  generateKey(algorithm, extractable, usages) {
    // The key may be made later, and Node.js keeps the caller's exponent in its attributes.
    const read = withCopies(readAlgorithm('generateKey', algorithm));
    return call('generateKey', read, [read.given, extractable, usages], (served) =>
      generateKey(served, extractable, usages),
    );
  },

  exportKey,

  wrapKey(format, key, wrappingKey, algorithm) {
    const read = withCopies(readAlgorithm('wrapKey', algorithm));
    const name = typeof format === 'string' ? format : `${format as string}`;
    const given = [name, key, wrappingKey, read.given];
    const delegate = (): Promise<unknown> =>
      keptOf(key)?.own !== true ? callPlatform('wrapKey', given) : wrapOwn(given);
    const serve = (served: Algorithm): Promise<unknown> => {
      const kept = keyFor(served, wrappingKey, 'wrapKey');
      if (served.problem !== undefined) refuse(served.served, served.problem);
      return wrap(name, key, kept, served, delegate);
    };
    return call('wrapKey', read, given, serve, delegate);
  },

  unwrapKey(format, wrapped, unwrappingKey, algorithm, keyAlgorithm, extractable, usages) {
    const read = readAlgorithm('unwrapKey', algorithm);
    const type = readAlgorithm('importKey', keyAlgorithm);
    const given = [format, wrapped, unwrappingKey, read.given, type.given, extractable, usages];
    const delegate = type.served?.lacking ? () => unwrapOwn(given, type) : undefined;
    const serve = (served: Algorithm): unknown => {
      const kept = keyFor(served, unwrappingKey, 'unwrapKey');
      const source = bytesOf(wrapped);
      if (source === undefined || typeof format !== 'string') throw DELEGATE;
      if (kept.pair !== undefined) {
        const isOwn = type.served?.lacking === true;
        const make = importLater('unwrapKey', isOwn, type, extractable, usages, format);
        const bytes = asymmetric().cryptBy(false, served, kept, wrapped);
        return bytes instanceof Promise ? bytes.then(make) : make(bytes);
      }
      const opened = secretOf(
        kept.cipher === undefined
          ? keyWrap(false, kept, source)
          : (crypt(false, served, kept, wrapped, true) as ArrayBuffer),
      );
      return importOpened(format, opened, type, extractable, usages);
    };
    return call('unwrapKey', read, given, serve, delegate);
  },

  getPublicKey(key, usages) {
    const kept = findKept(key);
    if (kept?.own !== true && platformMethods.has('getPublicKey'))
      return callPlatform('getPublicKey', [key, usages]);
    const type = kept?.pair?.type ?? attributesOf(key)?.type;
    if (type === undefined) throw new TypeError('the key is not a CryptoKey');
    if (type === 'public') throw exception('InvalidAccessError', 'the key is not a private key');
    if (kept?.pair === undefined)
      throw exception('NotSupportedError', 'getPublicKey: not a key that Millrace can read');
    const served = servedNamed(kept.name);
    const texts = readUsages(usages, served, 'getPublicKey', served.usages![1]);
    countServer('getPublicKey', kept.name, true);
    return resolve(asymmetric().publicKeyOf(key as object, kept, texts));
  },

  encapsulateBits: (algorithm, key) =>
    encapsulating('encapsulateBits', algorithm, key, [], (_, kept) =>
      asymmetric().encapsulate(kept),
    ),
  encapsulateKey: (algorithm, key, ...rest) =>
    encapsulating('encapsulateKey', algorithm, key, rest, async (_, kept, make) => {
      const { sharedKey, ciphertext } = await asymmetric().encapsulate(kept);
      return { sharedKey: await make!(sharedKey), ciphertext };
    }),
  decapsulateBits: (algorithm, key, text) =>
    encapsulating('decapsulateBits', algorithm, key, [text], (served, kept) =>
      asymmetric().decapsulate(served, kept, text),
    ),
  decapsulateKey: (algorithm, key, text, ...rest) =>
    encapsulating('decapsulateKey', algorithm, key, [text, ...rest], (served, kept, make) => {
      const bits = asymmetric().decapsulate(served, kept, text);
      return bits instanceof Promise ? bits.then(make) : make!(bits);
    }),
};

/**
 * Makes a call with a key of ML-KEM. `rest` are its other arguments; of those that end with `Key`
 * the last three are of the shared key, which `serve` imports by `make`.
 */
function encapsulating(
  name: string,
  algorithm: unknown,
  key: unknown,
  rest: readonly unknown[],
  serve: (served: Algorithm, kept: Kept, make?: (bits: ArrayBuffer) => unknown) => unknown,
): Promise<unknown> {
  const read = readAlgorithm(name.slice(0, 11), algorithm);
  const isKey = name.endsWith('Key');
  const [shared, extractable, usages] = isKey ? rest.slice(-3) : [];
  const type = isKey ? readAlgorithm('importKey', shared) : undefined;
  const others =
    type === undefined ? rest : [...rest.slice(0, -3), type.given, extractable, usages];
  return call(name, read, [read.given, key, ...others], (served) => {
    const kept = keyFor(served, key, name);
    const isOwn = served.served.lacking || type?.served?.lacking === true;
    const make = type && importLater(name, isOwn, type, extractable, usages);
    return serve(served, kept, make);
  });
}

/** Encrypts or decrypts a BufferSource with any key. */
function cryptWith(encrypt: boolean, served: Algorithm, kept: Kept, data: unknown): unknown {
  return kept.pair === undefined
    ? crypt(encrypt, served, kept, data)
    : asymmetric().cryptBy(encrypt, served, kept, data);
}

/** Derives bits from any key. */
function derive(served: Algorithm, kept: Kept, length: unknown): Result {
  return kept.pair === undefined
    ? deriveBits(served, kept, length)
    : asymmetric().agree(served, kept, length, findKept);
}

/**
 * Returns a function that imports a secret, which it wipes. The arguments are read before, as the
 * caller may change them until then; those of an own key may have any usages.
 */
function importLater(
  method: string,
  isOwn: boolean,
  type: Algorithm | Unserved,
  extractable: unknown,
  usages: unknown,
  format = type.served === undefined ? 'raw' : rawFormat(type.served),
): (secret: ArrayBuffer) => unknown {
  const texts = isOwn ? usageTexts(usages, method) : plainUsages(usages);
  if (texts === undefined) throw DELEGATE;
  const copied = withCopies(type);
  return (secret) => importOpened(format, secretOf(secret), copied, extractable, texts);
}

/** Imports a derived or an unwrapped key of any algorithm, and wipes it. */
function importOpened(
  format: string,
  opened: Secret,
  type: Algorithm | Unserved,
  extractable: unknown,
  usages: unknown,
): unknown {
  try {
    const data = format === 'jwk' ? parsedJwk(opened) : opened;
    const target = servedOf(type);
    return target === undefined
      ? callPlatform('importKey', [format, data, type.given, extractable, usages])
      : importKey(format, data, target, extractable, usages);
  } finally {
    wipe(opened);
  }
}

function parsedJwk(bytes: Uint8Array): object {
  try {
    const jwk: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
    if (typeof jwk === 'object' && jwk !== null) return { ...jwk, __proto__: null };
  } catch {
    // As below.
  }
  throw exception('DataError', 'the unwrapped key is not a JWK');
}

async function exportKey(format: unknown, key: unknown): Promise<unknown> {
  const kept = keptOf(key);
  if (kept?.own === true) return exportOwn(format, kept);
  const exported = await callPlatform('exportKey', [format, key]);
  // Node.js 20 asks a property of the key that the caller can assign.
  if (kept?.extractable === false) {
    const bytes = bytesOf(exported);
    if (bytes !== undefined) wipe(secretOf(bytes));
    throw exception('InvalidAccessError', 'the key is not extractable');
  }
  return exported;
}

async function exportedBytes(format: unknown, key: unknown, padded: boolean): Promise<Uint8Array> {
  const exported = await exportKey(format, key);
  const bytes = bytesOf(exported);
  return bytes ?? jwkText(exported, padded);
}

async function wrap(
  format: string,
  key: unknown,
  kept: Kept,
  served: Algorithm,
  delegate: () => Promise<unknown>,
): Promise<unknown> {
  const isKeyWrap = kept.cipher === undefined && kept.pair === undefined;
  const bytes = await exportedBytes(format, key, isKeyWrap);
  try {
    if (kept.pair !== undefined) return asymmetric().cryptBy(true, served, kept, bytes, true);
    return isKeyWrap ? keyWrap(true, kept, bytes) : crypt(true, served, kept, bytes, true);
  } catch (error) {
    if (error !== DELEGATE) throw error;
    return delegate();
  } finally {
    wipe(secretOf(bytes));
  }
}

// A key that the platform lacks, and a wrapping key of an algorithm that only the platform serves.
// The platform wraps and unwraps the bytes as those of an HMAC key.

const CARRIER = { name: 'HMAC', hash: 'SHA-256' };

/** Wraps a key as wrapKey does. */
async function wrapOwn([format, key, wrappingKey, algorithm]: unknown[]): Promise<unknown> {
  // The platform's algorithm may be AES-KW.
  const bytes = await exportedBytes(format, key, true);
  try {
    const carrier = await callPlatform('importKey', ['raw', bytes, CARRIER, true, ['sign']]);
    return callPlatform('wrapKey', ['raw', carrier, wrappingKey, algorithm]);
  } finally {
    wipe(secretOf(bytes));
  }
}

/** Unwraps a key of an algorithm as unwrapKey does. */
async function unwrapOwn(
  [format, wrapped, unwrappingKey, algorithm, , extractable, usages]: unknown[],
  type: Algorithm | Unserved,
): Promise<unknown> {
  const [name, texts] = [String(format), usageTexts(usages, 'unwrapKey')];
  const given = ['raw', wrapped, unwrappingKey, algorithm, CARRIER, true, ['sign']];
  const carrier = await callPlatform('unwrapKey', given);
  const bytes = (await callPlatform('exportKey', ['raw', carrier])) as ArrayBuffer;
  return importOpened(name, secretOf(bytes), type, extractable, texts);
}

/**
 * Returns the methods that Millrace serves, with the names and lengths of the platform's. Called on
 * another object than `receivers` they are the platform's.
 */
export function subtleMethods(
  isReceiver: (receiver: unknown) => boolean,
): Readonly<Record<string, (...given: unknown[]) => Promise<unknown>>> {
  const found: Record<string, (...given: unknown[]) => Promise<unknown>> = {};
  for (const [name, theirs] of allMethods) {
    const serve = serves[name];
    // One argument of deriveBits is optional for the platform's length only.
    const required = name === 'deriveBits' ? 2 : theirs.length;
    const own = {
      [name](this: unknown, ...given: unknown[]): Promise<unknown> {
        // Too few arguments and other receivers are the platform's errors.
        if (!isReceiver(this)) return Reflect.apply(theirs, this, given) as Promise<unknown>;
        if (given.length < required) return Reflect.apply(theirs, platformSubtle, given) as never;
        if (serve === undefined) return callPlatform(name, given);
        try {
          return serve(...given) as Promise<unknown>;
        } catch (error) {
          return reject(error);
        }
      },
    }[name]!;
    Object.defineProperty(own, 'length', { value: theirs.length, configurable: true });
    found[name] = own;
  }
  return found;
}
