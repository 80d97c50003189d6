/**
 * The differences between Node.js and browsers: memory of results, text, the event loop, and
 * features of one of them. Only files named *.node.ts use Buffer and `node:`; `#platform/` in
 * package.json's "imports" chooses between them and *.browser.ts.
 *
 * Functions, not re-exported values: those become getters, which cost 6 ns a call.
 */
/** @ts-ignore any without @types/node */
import { AsyncResource as Resource } from 'node:async_hooks';
import { constants } from 'node:buffer';
import {
  clearInterval as end,
  setImmediate,
  setInterval as again,
  setTimeout as later,
} from 'node:timers';
import { types } from 'node:util';
import { outOfMemory } from './errors.js';
import type { BufferEncoding, FreshBytes, PlatformKey } from './platform-types.js';
import { nodeOs } from '#platform/base/place.js';

export type {
  BufferEncoding,
  FreshBytes,
  PlatformCrypto,
  PlatformKey,
  PlatformSubtle,
} from './platform-types.js';

// @types/node is optional for programs: without it results are Uint8Arrays, and what only it
// declares is not accepted.

/** The type of results: Buffer, in browsers Uint8Array. */
export type Buffer = typeof globalThis extends { Buffer: { alloc(size: number): infer B } }
  ? B
  : FreshBytes;
/** Any Buffer, for the arguments of the compatibility entry points. */
export type AnyBuffer = typeof globalThis extends {
  Buffer: { isBuffer(value: any): value is infer B };
}
  ? B
  : Uint8Array;
/** A system error, such as ENOENT; in browsers any Error. */
export interface SystemError extends Error {
  errno?: number | undefined;
  code?: string | undefined;
  path?: string | undefined;
  syscall?: string | undefined;
}
/** @ts-ignore any without @types/node */
type NodeKeyObject = import('node:crypto').KeyObject;
/** A KeyObject of node:crypto; browsers have none. */
export type KeyObject = Known<NodeKeyObject>;
/** A key of WebCrypto. */
export type CryptoKey = Known<PlatformKey>;
/** Turns any into never. In a tuple, as a type that cannot be found is the result otherwise. */
type Known<T> = [0] extends [1 & T] ? never : T;
/**
 * A timer that does not keep the process alive.
 *
 * @internal
 */
export type Timer = NodeJS.Timeout;

// memory

/**
 * Up to this many bytes a failed allocation throws Node's own RangeError: so little is missing only
 * when Node.js is about to abort.
 */
const SMALL_BYTES = 4096;

/** Allocates memory that is not cleared; small results share an ArrayBuffer. */
export function allocate(size: number): Buffer {
  return size <= SMALL_BYTES ? Buffer.allocUnsafe(size) : allocateLarge(size);
}

/** Allocates memory in its own ArrayBuffer, which no other result shares. */
export function allocateApart(size: number): Buffer {
  return size <= SMALL_BYTES ? Buffer.allocUnsafeSlow(size) : allocateLarge(size);
}

// A separate function: an exception handler costs a 64-byte digest 1.5 % of its instructions.
// Buffer's pool holds nothing of this size.
function allocateLarge(size: number): Buffer {
  try {
    return Buffer.allocUnsafeSlow(size);
  } catch {
    throw outOfMemory(size);
  }
}

/** Returns memory as a result. */
export function viewOf(memory: ArrayBufferLike, offset?: number, size?: number): Buffer {
  return Buffer.from(memory as ArrayBuffer, offset, size);
}

/** The most bytes of one result. */
export const SIZE_MAX = constants.MAX_LENGTH;
/** The most UTF-16 units of a string. */
export const STRING_MAX = constants.MAX_STRING_LENGTH;

/** Returns the bytes of memory available to this process, Infinity if unknown. Takes 0.2 ms. */
export function memorySize(): number {
  return Math.min(
    bytesFrom(() => nodeOs().totalmem()),
    bytesFrom(() => process.constrainedMemory?.()),
  );
}

/**
 * Returns a number of bytes, Infinity if it is unknown: Deno reports it with `--allow-sys` only.
 */
function bytesFrom(ask: () => number | undefined): number {
  try {
    return ask() || Infinity;
  } catch {
    return Infinity;
  }
}

// texts

/** Encodes text as UTF-8; lone surrogates become U+FFFD, as everywhere in Node.js. */
export function utf8(text: string): Buffer {
  try {
    return Buffer.from(text, 'utf8');
  } catch {
    throw outOfMemory(Buffer.byteLength(text, 'utf8'));
  }
}

/** Returns the bytes of a text in UTF-8; a lone surrogate becomes U+FFFD, of three bytes. */
export function utf8Size(text: string): number {
  return Buffer.byteLength(text, 'utf8');
}

/** Encodes text as UTF-8 in its own memory. */
export function utf8Apart(text: string): Buffer {
  const target = allocateApart(Buffer.byteLength(text, 'utf8'));
  target.write(text, 'utf8');
  return target;
}

/** Writes text as UTF-8 at `offset`, where it fits. Returns its size in bytes. */
export function writeText(target: Buffer, text: string, offset: number): number {
  return target.write(text, offset, 'utf8');
}

export function hex(digest: Buffer, start?: number, end?: number): string {
  return digest.toString('hex', start, end);
}

export function base64(digest: Buffer): string {
  return digest.toString('base64');
}

export function base64url(digest: Buffer): string {
  return digest.toString('base64url');
}

/** Returns bytes as text in any encoding. */
export function textOf(digest: Buffer, encoding: BufferEncoding): string {
  return digest.toString(encoding);
}

/** Returns the bytes of an encoded text. Characters outside the encoding end it or are skipped. */
export function bytesOfText(text: string, encoding: BufferEncoding): Buffer {
  try {
    return Buffer.from(text, encoding);
  } catch {
    throw outOfMemory(Buffer.byteLength(text, encoding));
  }
}

export function isEncoding(name: string): name is BufferEncoding {
  return Buffer.isEncoding(name);
}

/** Returns the bytes of a string or of an array of numbers; throws on anything else. */
export function bytesOfList(value: unknown, encoding: BufferEncoding | undefined): Buffer {
  return Buffer.from(value as string, encoding);
}

// kinds of values

/** The types of keys in messages, besides strings and prepared keys. */
export const KEY_KINDS: readonly string[] = [
  'a Buffer',
  'an ArrayBufferView',
  'an ArrayBuffer',
  'a secret KeyObject',
  'an extractable secret CryptoKey',
];

/**
 * Returns a copy of the bytes of a secret KeyObject or CryptoKey, a message if the key cannot be
 * exported, or undefined for other values. May run the caller's code: a forged key is read too.
 */
export function exportedSecret(value: unknown): Uint8Array | string | undefined {
  const handle = secretHandle(value);
  const bytes = typeof handle === 'object' ? exportHandle(handle) : handle;
  if (bytes !== undefined || types.isProxy(value)) return bytes;
  try {
    // An object that inherits from a KeyObject, or a runtime with other handles for keys or none.
    if (types.isKeyObject(value)) return value.export();
    return types.isCryptoKey(value) ? keyObjectOf(value).export() : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Returns the handle of a secret KeyObject or CryptoKey, a message if the key cannot be exported,
 * or undefined for other values and where keys have no handle. The handle is an object of Node.js
 * with bytes that never change; all keys made from one another share it.
 */
export function secretHandle(value: unknown): object | string | undefined {
  if (typeof value !== 'object' || value === null || types.isProxy(value)) return undefined;
  try {
    if (handles !== undefined && getPrototypeOf(value) === handles.keyPrototype)
      return handles.of(value);
    if (types.isKeyObject(value)) {
      if (value.type !== 'secret') return `a secret KeyObject, not a ${value.type} one`;
      handles ??= findHandles();
      return getPrototypeOf(value) === handles.keyPrototype ? handles.of(value) : undefined;
    }
    if (!types.isCryptoKey(value)) return undefined;
    handles ??= findHandles();
    return refusal(value) ?? handles.of(keyObjectOf(value));
  } catch {
    return undefined;
  }
}

/** Returns a copy of the bytes behind a handle; undefined if it is not one of Node.js. */
export function exportHandle(handle: object): Uint8Array | undefined {
  try {
    return handles!.bytesOf(handle);
  } catch {
    return undefined;
  }
}

/** Returns why the bytes of a CryptoKey cannot be exported. */
function refusal(key: CryptoKey): string | undefined {
  // The prototype's getters: an own property must not make a key extractable.
  const { prototype } = (globalThis as unknown as { CryptoKey: { prototype: object } }).CryptoKey;
  if (Reflect.get(prototype, 'type', key) !== 'secret')
    return 'a secret CryptoKey, not a public or private one';
  if (Reflect.get(prototype, 'extractable', key) !== true)
    return 'an extractable CryptoKey: this one does not give its bytes';
  return undefined;
}

/** KeyObjects of CryptoKeys: where a KeyObject serves as handle, a key must have only one. */
const keyObjects = new WeakMap<CryptoKey, KeyObject>();

function keyObjectOf(key: CryptoKey): KeyObject {
  let object = keyObjects.get(key);
  if (object === undefined) {
    // Already loaded: the key comes from it.
    object = (require('node:crypto') as typeof import('node:crypto')).KeyObject.from(key);
    keyObjects.set(key, object);
  }
  return object;
}

/**
 * The handles in secret KeyObjects: the value of a symbol that node:crypto does not export. Later
 * versions of Node.js have them in a private place; then the KeyObject itself serves as handle.
 */
interface Handles {
  /** The prototype of secret KeyObjects. */
  readonly keyPrototype: object;
  of(key: object): object | undefined;
  /** Throws for other objects. */
  bytesOf(handle: object): Uint8Array;
}

const { getPrototypeOf } = Object;
let handles: Handles | undefined;

/** Finds them in a new KeyObject. Called once there is a key: node:crypto is loaded. */
function findHandles(): Handles {
  const { createSecretKey } = require('node:crypto') as typeof import('node:crypto');
  const sample = createSecretKey(new Uint8Array(1)) as unknown as Record<symbol, unknown>;
  const symbol = Object.getOwnPropertySymbols(sample).find(
    (each) => typeof sample[each] === 'object',
  );
  const keyPrototype = getPrototypeOf(sample) as { export?: unknown };
  const bytesFrom = (from: { export?: unknown }): Handles['bytesOf'] =>
    Function.prototype.call.bind(from.export as never) as Handles['bytesOf'];
  if (symbol === undefined)
    return { keyPrototype, of: (key) => key, bytesOf: bytesFrom(keyPrototype) };
  const prototype = getPrototypeOf(sample[symbol]) as { export?: unknown };
  return {
    keyPrototype,
    of(key) {
      const handle = (key as Record<symbol, unknown>)[symbol];
      return typeof handle === 'object' && handle !== null && getPrototypeOf(handle) === prototype
        ? handle
        : undefined;
    },
    bytesOf: bytesFrom(prototype),
  };
}

/** Returns true if the value has the type of results. */
export function isBuffer(value: unknown): value is Buffer {
  return Buffer.isBuffer(value);
}

/** Returns false for values that are certain not to be an ArrayBuffer or SharedArrayBuffer. */
export function mayBeBuffer(value: unknown): boolean {
  return types.isAnyArrayBuffer(value);
}

/** Returns true for a web or Node.js stream that was read, in part or whole, or cancelled. */
export function isDisturbed(stream: object): boolean {
  const { Readable } = require('node:stream') as typeof import('node:stream');
  return Readable.isDisturbed(stream as never);
}

// the process

/**
 * Returns true while this process makes a V8 startup snapshot, for itself (`--build-snapshot`) or
 * for a single executable. Only then its flags name one; loading node:v8 takes 2 ms.
 */
export function buildsSnapshot(): boolean {
  if (!process.execArgv?.some((flag) => /snapshot|-sea/.test(flag))) return false;
  const { startupSnapshot } = require('node:v8') as typeof import('node:v8');
  // A number in Node.js.
  return Boolean(startupSnapshot?.isBuildingSnapshot());
}

// the event loop

// Taken at load time: test runners replace the global timers.

/** Keeps AsyncLocalStorage's context and reports the call to async_hooks. */
export const AsyncResource = Resource;

/** Runs before any other event. */
export const { nextTick } = process;

/**
 * Runs after other pending events.
 *
 * @internal
 */
export const nextTurn = setImmediate;

/** @internal */
export const after = later;

/**
 * Restarts a timer or creates one.
 *
 * @internal
 */
export function restart(timer: Timer | undefined, run: () => void, milliseconds: number): Timer {
  return timer?.refresh() ?? after(run, milliseconds).unref();
}

/** @internal */
export function every(milliseconds: number, run: () => void): Timer {
  return again(run, milliseconds).unref();
}

/** @internal */
export function stop(timer: Timer | undefined): void {
  end(timer);
}
