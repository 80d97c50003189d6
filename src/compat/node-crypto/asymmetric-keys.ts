/**
 * The asymmetric keys of calls: KeyObjects, and PEM and DER, which Node.js parses once. Whatever
 * Node.js does not accept as a key is not served, so that the caller gets its errors.
 */
import { bytesOfBuffer, bytesOfView, isBytesView, sizeOf } from '../../base/intrinsics.js';
import type { KeyObject } from '#platform/base/runtime.js';
import { isUsualPoint } from '../../public-keys/ed25519-points.js';
import type { Parser } from '../../request/request.js';
import type { Callback } from '../../scheduling/completions.js';
import { runCallback, runSync } from '../../scheduling/run.js';
import { countCall, callLog } from './call-log.js';
import { types } from './key-types.js';
import { callNode, original, plainCopy, type Values } from './original.js';
import { mayServe } from './serving.js';

/** Node.js signs with a key of one use as fast as Millrace prepares it. */
const enum Use {
  None,
  First,
  Ready,
  Refused,
}

/** A key of an algorithm that Millrace has. */
export interface ServedKey {
  /** The KeyObject by which the prepared key is found. */
  readonly key: KeyObject;
  /** `rsa`, `rsa-pss`, `ec`, `ed25519`, `x25519`, `ml-dsa-44` …, `ml-kem-512` … */
  readonly type: string;
  /** The bytes of a signature of RSA, or of ECDSA in P1363; 0 for other algorithms. */
  readonly signatureSize: number;
  use: Use;
}

const CURVES = new Map([
  ['prime256v1', 64],
  ['secp384r1', 96],
  ['secp521r1', 132],
]);
const TYPE = /^(?:rsa|rsa-pss|ec|ed25519|x25519|ml-(?:kem|dsa)-\d+)$/;

const known = new WeakMap<object, ServedKey | null>();

/** Returns what serves a KeyObject, null if nothing does. */
function servedKey(key: KeyObject): ServedKey | null {
  let served = known.get(key);
  if (served === undefined) {
    served = describe(key);
    known.set(key, served);
  }
  return served;
}

function describe(key: KeyObject): ServedKey | null {
  const { asymmetricKeyType: type } = key;
  if (type === undefined || !TYPE.test(type)) return null;
  const { namedCurve = '', hashAlgorithm, modulusLength = 0 } = key.asymmetricKeyDetails ?? {};
  const signatureSize = type === 'ec' ? CURVES.get(namedCurve) : Math.ceil(modulusLength / 8);
  // Node.js reports salts that a key of rsa-pss forbids in ways that differ by version.
  return signatureSize === undefined || hashAlgorithm !== undefined
    ? null
    : { key, type, signatureSize, use: Use.None };
}

/** The key of a call with its parameters, which no other code sees. Node.js takes it as a key. */
export type KeyAndParameters = Values & { readonly served: ServedKey };

const NAMES: readonly string[] = (
  'key format type passphrase encoding padding saltLength dsaEncoding context oaepHash ' +
  'oaepLabel'
).split(' ');

/**
 * Reads the key argument of a call. Returns undefined if Node.js has to decide on it, and for the
 * first use of a KeyObject: preparing a key takes longer than one call gains.
 */
export function readKey(value: unknown, wantsPrivate: boolean): KeyAndParameters | undefined {
  const input = mayServe() ? readInput(value) : undefined;
  const key = input && keyObjectOf(input, wantsPrivate);
  const served = key && useKey(key);
  if (served === undefined) return undefined;
  input!.served = served;
  // Node.js may read it again, when the caller has changed the bytes.
  input!.key = served.key;
  input!.format = input!.type = input!.passphrase = undefined;
  return input as KeyAndParameters;
}

/** Returns what serves a KeyObject of Node's from its second use on. */
export function useKey(key: KeyObject): ServedKey | undefined {
  const served = servedKey(key);
  if (served === null) return undefined;
  if (served.use < Use.Ready && ++served.use === Use.Ready && !isCanonical(served))
    served.use = Use.Refused;
  return served.use === Use.Ready ? served : undefined;
}

/** The bytes of an Ed25519 key in SPKI before the point. */
const SPKI_HEAD = 12;

/** Returns false for an Ed25519 key with a point on which versions of OpenSSL differ. */
function isCanonical({ key, type }: ServedKey): boolean {
  return (
    type !== 'ed25519' ||
    key.type === 'private' ||
    isUsualPoint(key.export({ format: 'der', type: 'spki' }).subarray(SPKI_HEAD))
  );
}

/** Takes a key out of an object, without running code of the caller. */
function readInput(value: unknown): Record<string, unknown> | undefined {
  const isKey = isKeyObject(value) || isBytesView(value);
  if (!isKey && typeof value === 'object') return plainCopy(value, NAMES);
  // Node.js would find parameters in a key that has them as properties.
  if (isKey && (types.isProxy(value) || NAMES.some((name) => name !== 'type' && name in value)))
    return undefined;
  return { ...NO_PARAMETERS, key: value };
}

/** Without a prototype. */
const NO_PARAMETERS = plainCopy({ __proto__: null }, NAMES)!;

/** Returns a KeyObject, or that of PEM and DER. */
function keyObjectOf(input: Values, wantsPrivate: boolean): KeyObject | undefined {
  const { key } = input;
  if (!isKeyObject(key)) return parsed(input, wantsPrivate)?.key;
  return key.type === 'private' || (key.type === 'public' && !wantsPrivate) ? key : undefined;
}

function isKeyObject(value: unknown): value is KeyObject {
  return types.isKeyObject(value);
}

// PEM and DER

/** A key that Node.js parsed. */
interface ParsedKey {
  readonly key: KeyObject;
  readonly passphrase: string | undefined;
}

/** Keys by {@link textOf}. The first one makes place for another. */
const parsedKeys = new Map<string, ParsedKey>();
const PARSED_MAX = 64;
/** The most bytes of an encoding that is kept: those of RSA keys of 16,384 bits and more. */
const TEXT_MAX = 16_384;

/** Returns the KeyObject of PEM or DER, undefined if Node.js has to decide. */
function parsed(input: Values, wantsPrivate: boolean): ParsedKey | undefined {
  const { key, format = 'pem', type, passphrase, encoding } = input;
  const isPlainText = [format, type, passphrase].every(isOptionalText);
  if (!isPlainText || encoding !== undefined) return undefined;
  const text = textOf(key, format === 'der');
  if (text === undefined) return undefined;
  const name = `${wantsPrivate} ${format as string} ${type as string} ${text}`;
  const found = parsedKeys.get(name);
  if (found !== undefined && found.passphrase === passphrase) return found;
  let made: KeyObject;
  try {
    made = callNode(wantsPrivate ? original.createPrivateKey : original.createPublicKey, [
      { __proto__: null, key, format, type, passphrase },
    ]);
  } catch {
    return undefined;
  }
  const entry = { key: made, passphrase: passphrase as string | undefined };
  parsedKeys.delete(name);
  parsedKeys.set(name, entry);
  if (parsedKeys.size > PARSED_MAX) parsedKeys.delete(parsedKeys.keys().next().value!);
  return entry;
}

function isOptionalText(value: unknown): boolean {
  return value === undefined || typeof value === 'string';
}

/**
 * Returns what an encoding is known by: a text itself, and of bytes the SHA-256, as a copy in a
 * string could not be wiped.
 */
function textOf(key: unknown, isDer: boolean): string | undefined {
  if (typeof key === 'string') return isDer || key.length > TEXT_MAX ? undefined : `text ${key}`;
  if (!isBytesView(key)) return undefined;
  const bytes = bytesOfView(key);
  return sizeOf(bytes) > TEXT_MAX
    ? undefined
    : original.createHash('sha256').update(bytes).digest('hex');
}

/**
 * Does the work of createPrivateKey and createPublicKey. Of an encoding that was parsed before, it
 * returns another KeyObject with the same key, for which the prepared key is known.
 */
function createKey(
  name: 'createPrivateKey' | 'createPublicKey',
  key: unknown,
  given: ArrayLike<unknown>,
  wantsPrivate: boolean,
): unknown {
  const input = mayServe() ? readInput(key) : undefined;
  const entry = input && !isKeyObject(input.key) ? parsed(input, wantsPrivate) : undefined;
  const copy = entry === undefined ? undefined : copyOf(entry.key);
  if (callLog.on) countCall(name, undefined, copy !== undefined);
  return copy ?? callNode(original[name], given);
}

function copyOf(key: KeyObject): KeyObject | undefined {
  try {
    const copy = structuredClone(key);
    known.set(copy, servedKey(key));
    return copy;
  } catch {
    return undefined;
  }
}

export function createPrivateKey(key: unknown): unknown {
  return createKey('createPrivateKey', key, arguments, true);
}

export function createPublicKey(key: unknown): unknown {
  return createKey('createPublicKey', key, arguments, false);
}

// calls

/** The errors of an import. */
const KEY_ERROR = /^ERR_KEY_(?!ALGORITHM)/;

/**
 * Returns what `run` returns; undefined if Node.js has to decide, as there is no key or `run`
 * throws. Not a callback of the caller's: its errors are not caught here.
 */
export function attempt<T>(served: ServedKey | undefined, run: () => T): T | undefined {
  if (served === undefined) return undefined;
  try {
    return run();
  } catch (error) {
    // The engine has no such key.
    if (KEY_ERROR.test((error as { code?: string }).code ?? '')) served.use = Use.Refused;
    return undefined;
  }
}

/** Returns true for what Node.js and Millrace read alike as a message. */
export function isMessage(value: unknown): value is string | Uint8Array {
  return typeof value === 'string' || isBytesView(value) || bytesOfBuffer(value) !== undefined;
}

/**
 * Returns a message for an asynchronous call, which Node.js reads again after an error: a copy, as
 * the caller may change it.
 */
export function snapshot<T>(data: T, callback: unknown): T {
  if (typeof callback !== 'function' || typeof data === 'string') return data;
  return Buffer.from(isBytesView(data) ? bytesOfView(data) : bytesOfBuffer(data)!) as T;
}

type CallName =
  | 'sign'
  | 'verify'
  | 'diffieHellman'
  | 'encapsulate'
  | 'decapsulate'
  | 'publicEncrypt'
  | 'privateDecrypt';

/** A call of a function that Millrace serves. */
export interface Call {
  readonly name: CallName;
  /** What the log shows. */
  readonly algorithm: unknown;
  readonly served: ServedKey;
  readonly callback: unknown;
  readonly parser: Parser;
  /** The arguments for Millrace. */
  readonly own: readonly unknown[];
  /** Those for Node.js, which decides after an error. */
  readonly given: ArrayLike<unknown>;
}

/** Serves a call, with a callback asynchronously. `finish` makes Node's result of Millrace's. */
export function serve<T>(call: Call, finish: (value: T) => unknown = (value) => value): unknown {
  const { name, algorithm, served, callback, parser, own, given } = call;
  if (callback !== undefined && typeof callback !== 'function')
    return leave(name, algorithm, given);
  const result = attempt(served, () => {
    if (callback === undefined) return finish(runSync(parser.fill, own, own.length) as T);
    const settle: Callback<unknown> = (error, value) => {
      if (error) callNode(original[name], given);
      else (callback as Callback<unknown>)(null, finish(value as T));
    };
    runCallback(settle, parser.fill, own, own.length);
    return true;
  });
  if (result === undefined) return leave(name, algorithm, given);
  if (callLog.on) countCall(name, algorithm, true);
  return callback === undefined ? result : undefined;
}

/** Leaves a call to Node.js. */
export function leave(name: CallName, algorithm: unknown, given: ArrayLike<unknown>): unknown {
  if (callLog.on) countCall(name, algorithm, false);
  return callNode(original[name], given);
}
