/**
 * generateKeyPair and generateKeyPairSync of millrace/node-crypto. Keys of RSA are generated here:
 * Node's occupy a thread of libuv for up to a second. Other keys take less time than giving them to
 * Node.js does.
 */
import { keyPairParser } from '../../operations/key-pairs.js';
import type { Callback } from '../../scheduling/completions.js';
import { runCallback, runSync } from '../../scheduling/run.js';
import { wipe, type Secret } from '../../base/secret-memory.js';
import type { KeyObject } from '#platform/base/runtime.js';
import { callLog, countCall } from './call-log.js';
import { callNode, original, plainCopy, type Values } from './original.js';
import { servedHashes } from './served-hashes.js';
import { mayServe } from './serving.js';

type Function = (...given: unknown[]) => unknown;

/** How Millrace generates a pair. */
interface Generation {
  readonly type: 'rsa' | 'rsa-pss';
  readonly options: Values;
  readonly publicKeyEncoding: Values | undefined;
  readonly privateKeyEncoding: Values | undefined;
}

const RSA = ['modulusLength', 'publicExponent', 'publicKeyEncoding', 'privateKeyEncoding'];
const RSA_PSS = [...RSA, 'hashAlgorithm', 'mgf1HashAlgorithm', 'saltLength', 'hash', 'mgf1Hash'];
const ENCODING = ['type', 'format', 'cipher', 'passphrase'];
const FORMATS = new Set<unknown>(['pem', 'der']);
const CIPHERS = new Set<unknown>([undefined, 'aes-128-cbc', 'aes-192-cbc', 'aes-256-cbc']);

/** Returns how Millrace generates a pair, undefined if Node.js has to decide on the arguments. */
function generation(type: unknown, given: unknown): Generation | undefined {
  if ((type !== 'rsa' && type !== 'rsa-pss') || !mayServe()) return undefined;
  const all = plainCopy(given, type === 'rsa' ? RSA : RSA_PSS);
  if (all === undefined || all.hash !== undefined || all.mgf1Hash !== undefined) return undefined;
  const { publicKeyEncoding, privateKeyEncoding, ...options } = all;
  for (const name of ['hashAlgorithm', 'mgf1HashAlgorithm']) {
    const hash = options[name];
    if (hash === undefined) continue;
    options[name] = typeof hash === 'string' ? servedHashes.find(hash)?.facts.name : undefined;
    if (options[name] === undefined) return undefined;
  }
  delete options.hash;
  delete options.mgf1Hash;
  const others = type === 'rsa' ? ['pkcs1'] : [];
  const publicCopy = encodingOf(publicKeyEncoding, ['spki', ...others]);
  const privateCopy = encodingOf(privateKeyEncoding, ['pkcs8', ...others]);
  if (publicCopy === null || privateCopy === null || publicCopy?.cipher !== undefined)
    return undefined;
  return { type, options, publicKeyEncoding: publicCopy, privateKeyEncoding: privateCopy };
}

/** Returns a copy of an encoding that Node.js accepts, null for others. */
function encodingOf(value: unknown, keyTypes: readonly unknown[]): Values | undefined | null {
  if (value === undefined) return undefined;
  const copy = plainCopy(value, ENCODING);
  if (copy === undefined) return null;
  const { type, format, cipher, passphrase } = copy;
  const passphraseType = cipher === undefined ? 'undefined' : 'string';
  const isKnown = keyTypes.includes(type) && FORMATS.has(format) && CIPHERS.has(cipher);
  return isKnown && typeof passphrase === passphraseType ? copy : null;
}

const { fill } = keyPairParser;

/**
 * Returns Node's keys of a pair in DER, in the encodings that were asked for. The public key is
 * part of the private one.
 */
function nodeKeys(how: Generation, made: unknown): { publicKey: unknown; privateKey: unknown } {
  const { privateKey: der } = made as { readonly privateKey: Secret<Buffer> };
  try {
    const given = { __proto__: null, key: der, format: 'der', type: 'pkcs8' } as const;
    const own = original.createPrivateKey(given as never);
    const shown = original.createPublicKey(own);
    return {
      publicKey: encoded(shown, how.publicKeyEncoding),
      privateKey: encoded(own, how.privateKeyEncoding),
    };
  } finally {
    wipe(der);
  }
}

function encoded(key: KeyObject, encoding: Values | undefined): unknown {
  return encoding === undefined ? key : key.export(encoding as never);
}

/** Returns the arguments with which Millrace generates a pair in DER. */
function argumentsOf({ type, options }: Generation): readonly unknown[] {
  return [type, { ...options, __proto__: null, ...DER }];
}

const DER = {
  publicKeyEncoding: { __proto__: null, format: 'der', type: 'spki' },
  privateKeyEncoding: { __proto__: null, format: 'der', type: 'pkcs8' },
};

/** Returns what `run` returns, undefined if Node.js has to decide. */
function attempt<T>(how: Generation | undefined, run: (how: Generation) => T): T | undefined {
  if (how === undefined) return undefined;
  try {
    return run(how);
  } catch {
    return undefined;
  }
}

export function generateKeyPairSync(type: unknown, options?: unknown): unknown {
  const pair = attempt(generation(type, options), (how) =>
    nodeKeys(how, runSync(fill, argumentsOf(how), 2)),
  );
  if (callLog.on) countCall('generateKeyPairSync', type, pair !== undefined);
  return pair ?? callNode(original.generateKeyPairSync, arguments);
}

export function generateKeyPair(type: unknown, options: unknown, callback?: unknown): unknown {
  const given = arguments;
  const how = typeof callback === 'function' ? generation(type, options) : undefined;
  const begun = attempt(how, (own) => {
    const settle: Callback<unknown> = (error, made) => {
      const pair = error ? undefined : attempt(own, () => nodeKeys(own, made));
      if (pair === undefined) callNode(original.generateKeyPair, given);
      else (callback as Function)(null, pair.publicKey, pair.privateKey);
    };
    runCallback(settle, fill, argumentsOf(own), 2);
    return true;
  });
  if (callLog.on) countCall('generateKeyPair', type, begun !== undefined);
  return begun === undefined ? callNode(original.generateKeyPair, given) : undefined;
}
