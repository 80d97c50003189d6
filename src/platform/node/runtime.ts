/**
 * What differs between Node.js and browsers: memory for results, texts, the event loop, and what
 * only one of them has. The rest of the front names neither Buffer nor `node:`; for browsers the
 * build puts browser.ts in this file's place, and likewise every `node-` file of this folder is
 * replaced by its `browser-` file.
 *
 * Functions, not values handed on: those become getters, which cost 6 ns a call.
 */
import { AsyncResource as Resource } from 'node:async_hooks';
import { constants } from 'node:buffer';
import { totalmem } from 'node:os';
import {
  clearInterval as end,
  setImmediate,
  setInterval as again,
  setTimeout as later,
} from 'node:timers';
import { types } from 'node:util';
import { outOfMemory } from '../../request/errors.js';

/** What results are: Buffers, in browsers Uint8Arrays. */
export type Buffer = globalThis.Buffer;
/** A key of node:crypto; in browsers there is none. */
export type KeyObject = import('node:crypto').KeyObject;
/** A key of WebCrypto. */
export type CryptoKey = import('node:crypto').webcrypto.CryptoKey;
/** How text stands for bytes, as Buffer has it. */
export type BufferEncoding = globalThis.BufferEncoding;
/** A timer that does not keep the process alive. */
export type Timer = NodeJS.Timeout;

// ---- memory -------------------------------------------------------------------------------------

/**
 * Bytes up to which a failed allocation keeps Node's own RangeError: so little is missing only when
 * Node itself is about to abort.
 */
const SMALL_BYTES = 4096;

/** Memory that is not cleared; small pieces share an ArrayBuffer. */
export function allocate(size: number): Buffer {
  return size <= SMALL_BYTES ? Buffer.allocUnsafe(size) : allocateLarge(size);
}

/** The same in an ArrayBuffer of its own, which nobody else can see. */
export function allocateApart(size: number): Buffer {
  return size <= SMALL_BYTES ? Buffer.allocUnsafeSlow(size) : allocateLarge(size);
}

// Apart: a handler for exceptions costs a digest of 64 bytes 1.5 % of its instructions. Nothing of
// this size comes from Buffer's pool.
function allocateLarge(size: number): Buffer {
  try {
    return Buffer.allocUnsafeSlow(size);
  } catch {
    throw outOfMemory(size);
  }
}

/** Memory as a result would show it. */
export function viewOf(memory: ArrayBufferLike, offset?: number, size?: number): Buffer {
  return Buffer.from(memory as ArrayBuffer, offset, size);
}

/** The most bytes of one result. */
export const SIZE_MAX = constants.MAX_LENGTH;
/** The most UTF-16 units of a string. */
export const STRING_MAX = constants.MAX_STRING_LENGTH;

/**
 * Bytes of memory there are for this process; Infinity if nobody may know. The answer takes 0.2 ms.
 */
export function memorySize(): number {
  return Math.min(
    told(totalmem),
    told(() => process.constrainedMemory?.()),
  );
}

/** Deno tells it only to who has `--allow-sys`. */
function told(ask: () => number | undefined): number {
  try {
    return ask() || Infinity;
  } catch {
    return Infinity;
  }
}

// ---- texts --------------------------------------------------------------------------------------

/** A text as UTF-8; lone surrogates become U+FFFD, as everywhere in Node. */
export function utf8(text: string): Buffer {
  try {
    return Buffer.from(text, 'utf8');
  } catch {
    throw outOfMemory(Buffer.byteLength(text, 'utf8'));
  }
}

/** The same in memory of its own. */
export function utf8Apart(text: string): Buffer {
  const target = allocateApart(Buffer.byteLength(text, 'utf8'));
  target.write(text, 'utf8');
  return target;
}

/** Writes a text as UTF-8 from `offset` on, where it fits; its size in bytes. */
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

/** Bytes as text in any encoding. */
export function textOf(digest: Buffer, encoding: BufferEncoding): string {
  return digest.toString(encoding);
}

/** The bytes that a text stands for. What does not belong to the encoding ends it or is skipped. */
export function bytesOfText(text: string, encoding: BufferEncoding): Buffer {
  return Buffer.from(text, encoding);
}

export function isEncoding(name: string): name is BufferEncoding {
  return Buffer.isEncoding(name);
}

/** The bytes of a string or of an array of numbers; throws at anything else. */
export function bytesOfList(value: unknown, encoding: BufferEncoding | undefined): Buffer {
  return Buffer.from(value as string, encoding);
}

// ---- kinds of values ----------------------------------------------------------------------------

/** What a key may be beside a string and a prepared key, for messages. */
export const KEY_KINDS: readonly string[] = [
  'a Buffer',
  'an ArrayBufferView',
  'an ArrayBuffer',
  'a secret KeyObject',
  'an extractable secret CryptoKey',
];

/**
 * A copy of the bytes of a secret KeyObject or CryptoKey; a text if it does not give them, which
 * says what it must be; undefined for everything else. May run code of the caller's: a forgery is
 * asked too.
 */
export function exportedSecret(value: unknown): Uint8Array | string | undefined {
  try {
    if (types.isProxy(value)) return undefined;
    if (types.isKeyObject(value))
      return value.type === 'secret'
        ? value.export()
        : `a secret KeyObject, not a ${value.type} one`;
    return types.isCryptoKey(value) ? exportedCryptoKey(value) : undefined;
  } catch {
    return undefined;
  }
}

function exportedCryptoKey(key: CryptoKey): Uint8Array | string {
  // The prototype's getters: an own property must not make a key extractable.
  const { prototype } = (globalThis as unknown as { CryptoKey: { prototype: object } }).CryptoKey;
  if (Reflect.get(prototype, 'type', key) !== 'secret')
    return 'a secret CryptoKey, not a public or private one';
  if (Reflect.get(prototype, 'extractable', key) !== true)
    return 'an extractable CryptoKey: this one does not give its bytes';
  // Loaded already: the key is of its making.
  return (require('node:crypto') as typeof import('node:crypto')).KeyObject.from(
    key,
  ).export() as Buffer;
}

/** Whether this is what results are. */
export function isBuffer(value: unknown): value is Buffer {
  return Buffer.isBuffer(value);
}

// ---- the event loop: timers of Node.js, as they were at the start, because test runners replace the global ones ----

/** Keeps AsyncLocalStorage's context, and tells async_hooks of a call. */
export const AsyncResource = Resource;

/** Before anything else happens. */
export const { nextTick } = process;

/** When other events have had their turns. */
export const nextTurn = setImmediate;

export const after = later;

/** Puts a timer off, or starts one. */
export function restart(timer: Timer | undefined, run: () => void, milliseconds: number): Timer {
  return timer?.refresh() ?? after(run, milliseconds).unref();
}

export function every(milliseconds: number, run: () => void): Timer {
  return again(run, milliseconds).unref();
}

export function stop(timer: Timer | undefined): void {
  end(timer);
}
