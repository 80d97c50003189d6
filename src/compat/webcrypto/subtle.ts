/**
 * The methods of SubtleCrypto. A call that is invalid or unusual goes to the platform, and the
 * caller gets its result or error, unless the platform lacks the algorithm. No method throws.
 */
import { wipe, type Secret } from '../../base/secret-memory.js';
import { crypt, keyWrap } from './ciphers.js';
import { deriveBits } from './derivations.js';
import { readAlgorithm, withCopies, type Algorithm, type Unserved } from './dictionaries.js';
import { digest, sign, verify } from './digests.js';
import {
  exportOwn,
  generateKey,
  importKey,
  jwkText,
  keyLength,
  plainUsages,
  rawFormat,
  usageTexts,
} from './formats.js';
import { keptKeyOf, keptOf, type Kept } from './keys.js';
import {
  attributesOf,
  bytesOf,
  callPlatform,
  countServer,
  exception,
  platformMethods,
  secretOf,
  servesAll,
} from './platform.js';
import { DELEGATE, refuse } from './run.js';

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

/** Returns what Millrace keeps of a key that fits; throws what is wrong if it is certain. */
function keyFor({ served }: Algorithm, key: unknown, usage: string): Kept {
  const kept = keptKeyOf(key);
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

  sign: keyed('sign', sign),
  verify: keyed('verify', verify),
  encrypt: keyed('encrypt', (served, kept, data) => crypt(true, served, kept, data)),
  decrypt: keyed('decrypt', (served, kept, data) => crypt(false, served, kept, data)),
  deriveBits: keyed('deriveBits', deriveBits),

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
      // Read before the derivation, during which the caller may change them.
      const isOwn = served.served.lacking || target.served.lacking;
      const texts = isOwn ? usageTexts(usages, 'deriveKey') : plainUsages(usages);
      if (texts === undefined) throw DELEGATE;
      const bits = deriveBits(served, kept, keyLength(target));
      const make = (secret: ArrayBuffer): unknown =>
        importOpened(rawFormat(target.served), secretOf(secret), target, extractable, texts);
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
    const read = readAlgorithm('generateKey', algorithm);
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
      const opened = secretOf(
        kept.cipher === undefined
          ? keyWrap(false, kept, source)
          : (crypt(false, served, kept, wrapped, true) as ArrayBuffer),
      );
      return importOpened(format, opened, type, extractable, usages);
    };
    return call('unwrapKey', read, given, serve, delegate);
  },
};

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
  const bytes = await exportedBytes(format, key, kept.cipher === undefined);
  try {
    return kept.cipher === undefined
      ? keyWrap(true, kept, bytes)
      : crypt(true, served, kept, bytes, true);
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
  for (const [name, theirs] of platformMethods) {
    const serve = serves[name];
    // One argument of deriveBits is optional for the platform's length only.
    const required = name === 'deriveBits' ? 2 : theirs.length;
    const own = {
      [name](this: unknown, ...given: unknown[]): Promise<unknown> {
        // Too few arguments and other receivers are the platform's errors.
        if (!isReceiver(this)) return Reflect.apply(theirs, this, given) as Promise<unknown>;
        if (serve === undefined || given.length < required) return callPlatform(name, given);
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
