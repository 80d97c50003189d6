/** Calls of the platform's own WebCrypto, and what the platform lacks. */
import { nativeName } from '../../engines/binding.js';
import {
  NO_BYTES,
  bytesOfBuffer,
  bytesOfView,
  getterOf,
  isBytesView,
  isLost,
} from '../../base/intrinsics.js';
import { isResizable, sizeOf } from '../../base/arguments.js';
import { callLog, countCall } from '../node-crypto/call-log.js';
import { secretCopy, type Secret } from '../../base/secret-memory.js';
import {
  CryptoKey,
  DOMException,
  platformCrypto as crypto,
  platformMethods,
  platformSubtle as subtle,
} from './original.js';

export { CryptoKey, platformCrypto, platformMethods, platformSubtle } from './original.js';

const methodOf = platformMethods.get.bind(platformMethods);

const { apply } = Reflect;
const reject = Promise.reject.bind(Promise) as (error: unknown) => Promise<never>;

/** Calls one of the platform's methods. It returns a promise in every case. */
export function callPlatform(name: string, given: readonly unknown[]): Promise<unknown> {
  const method = methodOf(name);
  if (method !== undefined) return apply(method, subtle, given) as Promise<unknown>;
  return reject(exception('NotSupportedError', `${name}: the platform lacks it`));
}

const { getRandomValues } = crypto;

/** Fills memory with random bytes, without a job of the platform's threads. */
export function fillRandom(bytes: Uint8Array): void {
  // The limit of one call.
  for (let at = 0; at < bytes.length; at += 65_536)
    apply(getRandomValues as never, crypto, [bytes.subarray(at, at + 65_536)]);
}

/** Counts a call for MILLRACE_REGISTER_LOG. */
export function countServer(name: string, algorithm: unknown, served: boolean): void {
  if (callLog.on) countCall(`subtle.${name}`, algorithm, served);
}

// keys

const typeOf = getterOf<string>(CryptoKey.prototype, 'type')!;
const extractableOf = getterOf<boolean>(CryptoKey.prototype, 'extractable')!;
const algorithmOf = getterOf<Attributes['algorithm']>(CryptoKey.prototype, 'algorithm')!;
const usagesOf = getterOf<string[]>(CryptoKey.prototype, 'usages')!;

/** The attributes of one of the platform's keys. */
export interface Attributes {
  readonly type: string;
  readonly extractable: boolean;
  readonly algorithm: { readonly name: string; readonly [member: string]: unknown };
  readonly usages: readonly string[];
}

/** Returns the attributes of one of the platform's keys; undefined for other values. */
export function attributesOf(value: unknown): Attributes | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  try {
    return {
      type: typeOf(value),
      extractable: extractableOf(value),
      algorithm: algorithmOf(value),
      usages: [...usagesOf(value)],
    };
  } catch {
    return undefined; // Not a key.
  }
}

// algorithms that the platform lacks

/** True with native code. The portable engine serves only what the platform lacks. */
export const servesAll = nativeName === 'native';

const supports: unknown = Object.getOwnPropertyDescriptor(subtle.constructor, 'supports')?.value;

/**
 * Returns true if the platform lacks one of the modern algorithms. They came together with
 * `SubtleCrypto.supports`, a call of which makes Node.js emit warnings.
 */
export function isLacking(operation: string, algorithm: object): boolean {
  if (typeof supports !== 'function') return true;
  if (servesAll) return false;
  try {
    return apply(supports as never, subtle.constructor, [operation, algorithm]) !== true;
  } catch {
    return true;
  }
}

// values

/** States that bytes are a secret in memory of their own, which nothing else uses. */
export function secretOf(bytes: ArrayBuffer | Uint8Array): Secret {
  return (isBytesView(bytes) ? bytes : new Uint8Array(bytes)) as Secret;
}

/** Returns a DOMException. */
export function exception(name: string, message: string): Error {
  return new DOMException(message, name);
}

/**
 * Returns the bytes of a BufferSource, undefined for other values and those that WebIDL refuses:
 * shared and resizable memory. Detached memory has no bytes.
 */
export function bytesOf(value: unknown): Uint8Array | undefined {
  const bytes = isBytesView(value) ? bytesOfView(value) : bytesOfBuffer(value);
  if (bytes === undefined || sizeOf(bytes) === 0) return bytes && NO_BYTES;
  return isShared(bytes) || isResizable(bytes) ? undefined : bytes;
}

/** Returns a copy of the bytes of a BufferSource; other values, and those without memory, as is. */
export function copyOf(value: unknown): unknown {
  const bytes = isBytesView(value) ? bytesOfView(value) : bytesOfBuffer(value);
  return bytes === undefined || isLost(value as ArrayBufferView) || isShared(bytes)
    ? value
    : secretCopy(bytes);
}

const unsharedSize = Object.getOwnPropertyDescriptor(ArrayBuffer.prototype, 'byteLength')!.get!;

function isShared({ buffer }: Uint8Array): boolean {
  try {
    apply(unsharedSize, buffer, []);
    return false;
  } catch {
    return true;
  }
}
