/**
 * diffieHellman, encapsulate, decapsulate, publicEncrypt and privateDecrypt of
 * millrace/node-crypto.
 */
import { isBytesView } from '../../base/intrinsics.js';
import { diffieHellmanParser } from '../../operations/agreement.js';
import { decapsulateParser, encapsulateParser } from '../../operations/encapsulation.js';
import { privateDecryptParser, publicEncryptParser } from '../../operations/rsa-encryption.js';
import type { Parser } from '../../request/request.js';
import type { Callback } from '../../scheduling/completions.js';
import { runCallback, runSync } from '../../scheduling/run.js';
import type { KeyObject } from '#platform/base/runtime.js';
import {
  isMessage,
  leave,
  readKey,
  serve,
  snapshot,
  useKey,
  type Call,
} from './asymmetric-keys.js';
import { apart } from './digester.js';
import { types } from './key-types.js';
import { original, plainCopy } from './original.js';
import { servedHashes } from './served-hashes.js';
import { mayServe } from './serving.js';

export function diffieHellman(options: unknown, callback?: unknown): unknown {
  const keys = mayServe() ? plainCopy(options, ['privateKey', 'publicKey']) : undefined;
  const [served, peer] = [keys?.privateKey, keys?.publicKey].map((key) =>
    // Both count as used.
    types.isKeyObject(key) && key.type !== 'secret' ? useKey(key as KeyObject) : undefined,
  );
  if (served === undefined || peer === undefined)
    return leave('diffieHellman', undefined, arguments);
  // Earlier versions of Node.js take no callback.
  const then = original.diffieHellman.length > 1 ? callback : undefined;
  return serve({
    name: 'diffieHellman',
    algorithm: served.type,
    served,
    callback: then,
    parser: diffieHellmanParser,
    own: [keys],
    given: [keys, then],
  });
}

/** Makes a call of Millrace's, for its keys, where Node.js has none. */
function runOwn({ fill }: Parser, given: unknown[]): unknown {
  const callback = typeof given.at(-1) === 'function' ? given.pop() : undefined;
  return callback === undefined
    ? runSync(fill, given, given.length)
    : runCallback(callback as Callback<unknown>, fill, given, given.length);
}

/** Makes a call whose arguments are a key and perhaps a ciphertext. */
function withKem(name: 'encapsulate' | 'decapsulate', parser: Parser, given: unknown[]): unknown {
  if (original[name] === undefined) return runOwn(parser, given);
  const count = parser.options;
  const served =
    count === 1 || isBytesView(given[1]) ? readKey(given[0], count > 1)?.served : undefined;
  if (served === undefined) return leave(name, undefined, given);
  const callback = given[count];
  const own = count === 1 ? [served.key] : [served.key, snapshot(given[1], callback)];
  const { type: algorithm } = served;
  return serve({ name, algorithm, served, callback, parser, own, given: [...own, callback] });
}

export function encapsulate(_key: unknown, _callback?: unknown): unknown {
  return withKem('encapsulate', encapsulateParser, [...arguments]);
}

export function decapsulate(_key: unknown, _ciphertext: unknown, _callback?: unknown): unknown {
  return withKem('decapsulate', decapsulateParser, [...arguments]);
}

const PKCS1 = 1;
const OAEP = 4;

type RsaCall = Pick<Call, 'served' | 'own' | 'algorithm' | 'callback'>;

/** Returns how Millrace encrypts or decrypts, undefined if Node.js has to decide. */
function encrypting(key: unknown, data: unknown, decrypts: boolean): RsaCall | undefined {
  const given = isMessage(data) ? readKey(key, decrypts) : undefined;
  if (given === undefined || given.encoding !== undefined) return undefined;
  const { served, oaepLabel, oaepHash: hash = 'sha1' } = given;
  const padding = given.padding || OAEP;
  if (oaepLabel !== undefined && !isMessage(oaepLabel)) return undefined;
  const facts = typeof hash === 'string' ? servedHashes.find(hash)?.facts : undefined;
  if (facts === undefined || facts.xof) return undefined;
  // The engine's errors for PKCS#1 v1.5 tell an attacker which ciphertexts are padded.
  if (padding !== OAEP && (padding !== PKCS1 || decrypts)) return undefined;
  const parameters = { __proto__: null, padding } as Record<string, unknown>;
  if (padding === OAEP) Object.assign(parameters, { oaepHash: facts.name, oaepLabel });
  const own = [served.key, data, parameters];
  return { served, own, algorithm: undefined, callback: undefined };
}

export function publicEncrypt(key: unknown, buffer: unknown): unknown {
  const name = 'publicEncrypt';
  const how = encrypting(key, buffer, false);
  if (how === undefined) return leave(name, undefined, arguments);
  return serve({ ...how, name, parser: publicEncryptParser, given: arguments }, apart);
}

export function privateDecrypt(key: unknown, buffer: unknown): unknown {
  const name = 'privateDecrypt';
  const how = encrypting(key, typeof buffer === 'string' ? Buffer.from(buffer) : buffer, true);
  if (how === undefined) return leave(name, undefined, arguments);
  return serve({ ...how, name, parser: privateDecryptParser, given: arguments });
}
