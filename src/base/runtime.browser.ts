/**
 * The exports of node/runtime.ts for browsers and other runtimes of the web platform (workers, edge
 * runtimes).
 */
import { outOfMemory } from './errors.js';
import { featureOf } from './features.js';
import { hexOf } from './hex.js';
import type { BufferEncoding, FreshBytes } from './platform-types.js';
import { base64Of, bytesOfEncoded, encodingOf, textIn } from './text.browser.js';

export type {
  BufferEncoding,
  FreshBytes,
  PlatformCrypto,
  PlatformKey,
  PlatformSubtle,
} from './platform-types.js';

/** The type of results. */
export type Buffer = FreshBytes;
/** Any bytes, for the arguments of the compatibility entry points. */
export type AnyBuffer = Uint8Array;
/** Errors of the platform; Node.js has system errors. */
export type SystemError = Error;
/** Browsers have no KeyObject. */
export type KeyObject = never;
/** A CryptoKey exports its bytes asynchronously only: export it first. */
export type CryptoKey = never;
export type Timer = ReturnType<typeof setTimeout>;

// memory

/** Allocates memory, always in its own ArrayBuffer. */
export function allocate(size: number): Buffer {
  try {
    return new Uint8Array(size);
  } catch {
    throw outOfMemory(size);
  }
}

export const allocateApart = allocate;

export function viewOf(memory: ArrayBufferLike, offset?: number, size?: number): Buffer {
  return new Uint8Array(memory as ArrayBuffer, offset, size);
}

/** The limit of every current engine, in bytes. */
export const SIZE_MAX = 0xffff_ffff;
/** V8's limit in UTF-16 units, the lowest of all engines. */
export const STRING_MAX = 0x1fff_ffe8;

/**
 * Returns the device's memory in bytes, as far as known: browsers round it, some do not report it.
 */
export function memorySize(): number {
  const place = globalThis as { readonly navigator?: { readonly deviceMemory?: number } };
  const navigator = featureOf(place, 'navigator');
  return ((navigator && featureOf(navigator, 'deviceMemory')) ?? 4) * 2 ** 30;
}

// texts

const encoder = /* @__PURE__ */ new TextEncoder();

export function utf8(text: string): Buffer {
  return encoder.encode(text);
}

export const utf8Apart = utf8;

/** Returns the bytes of the text in UTF-8. A lone surrogate becomes U+FFFD, of three bytes. */
export function utf8Size(text: string): number {
  let size = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.codePointAt(at)!;
    size += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    if (code >= 0x10000) at++;
  }
  return size;
}

export function writeText(target: Uint8Array, text: string, offset: number): number {
  return encoder.encodeInto(text, target.subarray(offset)).written;
}

export const hex = hexOf;
export const base64 = base64Of;

export function base64url(digest: Uint8Array): string {
  return base64Of(digest).replace(/\+/g, '-').replace(/\//g, '_').replace(/=+$/, '');
}

export function textOf(digest: Uint8Array, encoding: BufferEncoding): string {
  const name = encodingOf(encoding)!;
  if (name === 'base64url') return base64url(digest);
  return textIn(digest, name);
}

export function bytesOfText(text: string, encoding: BufferEncoding): Buffer {
  return bytesOfEncoded(text, encodingOf(encoding)!);
}

export function isEncoding(name: string): name is BufferEncoding {
  return encodingOf(name) !== undefined;
}

export function bytesOfList(value: unknown, encoding: BufferEncoding = 'utf8'): Buffer {
  if (typeof value === 'string') {
    if (!isEncoding(encoding)) throw new TypeError(`Unknown encoding: ${String(encoding)}`);
    return bytesOfText(value, encoding);
  }
  if (Array.isArray(value)) return Uint8Array.from(value as number[]);
  throw new TypeError('data must be a string, an array of numbers or an ArrayBufferView');
}

// kinds of values

/** The types of keys in messages, besides strings and prepared keys. */
export const KEY_KINDS: readonly string[] = [
  'an ArrayBufferView',
  "an ArrayBuffer (of a CryptoKey what crypto.subtle.exportKey('raw', key) gives)",
];

/** Returns undefined: nothing here exports a key synchronously. */
export function exportedSecret(_value: unknown): Uint8Array | string | undefined {
  return undefined;
}

/** Returns undefined: there are no KeyObjects. */
export function secretHandle(_value: unknown): object | string | undefined {
  return undefined;
}

/** Returns undefined; is not called. */
export function exportHandle(_handle: object): Uint8Array | undefined {
  return undefined;
}

export function isBuffer(value: unknown): value is Buffer {
  return value instanceof Uint8Array;
}

/** Returns false for values that are certain not to be an ArrayBuffer or SharedArrayBuffer. */
export function mayBeBuffer(value: unknown): boolean {
  return typeof value === 'object' && value !== null;
}

/** Returns false: browsers do not tell. */
export function isDisturbed(_stream: object): boolean {
  return false;
}

// the process

/** Returns false: only Node.js makes startup snapshots. */
export function buildsSnapshot(): boolean {
  return false;
}

// the event loop

/** Async contexts do not exist here, so there is nothing to keep. */
export class AsyncResource {
  constructor(_kind: string, _options?: unknown) {}

  /** Calls a function. */
  runInAsyncScope<This, Given extends unknown[], Result>(
    run: (this: This, ...given: Given) => Result,
    self?: This,
    ...given: Given
  ): Result {
    return run.apply(self as This, given);
  }

  /** Does nothing. */
  emitDestroy(): this {
    return this;
  }

  /** Returns the function itself. */
  static bind<Run extends (...given: never[]) => unknown>(run: Run): Run {
    return run;
  }
}

export function nextTick<Given extends unknown[]>(
  run: (...given: Given) => void,
  ...given: Given
): void {
  queueMicrotask(() => run(...given));
}

/**
 * Calls `run` after other pending events. A message, because browsers delay timers by 4 ms. Edge
 * runtimes, which have no workers, get timers: in workerd a channel belongs to one request.
 */
export function nextTurn(run: () => void): void {
  turn ??= startTurns();
  turn(run);
}

let turn: ((run: () => void) => void) | undefined;

function startTurns(): (run: () => void) => void {
  const place = globalThis as { setImmediate?: (run: () => void) => void; Worker?: unknown };
  const setImmediate = featureOf(place, 'setImmediate');
  if (typeof setImmediate === 'function') return setImmediate;
  if (typeof MessageChannel !== 'function' || featureOf(place, 'Worker') === undefined)
    return (run) => void after(run, 0);
  const { port1, port2 } = new MessageChannel();
  const waiting: (() => void)[] = [];
  (port1 as { onmessage?: () => void }).onmessage = () => waiting.shift()!();
  return (run) => {
    waiting.push(run);
    port2.postMessage(undefined);
  };
}

const [later, again, end, endAgain] = [setTimeout, setInterval, clearTimeout, clearInterval];

export function after(run: () => void, milliseconds: number): Timer {
  return later(run, milliseconds);
}

export function restart(timer: Timer | undefined, run: () => void, milliseconds: number): Timer {
  end(timer);
  return letEnd(later(run, milliseconds));
}

export function every(milliseconds: number, run: () => void): Timer {
  return letEnd(again(run, milliseconds));
}

export function stop(timer: Timer | undefined): void {
  endAgain(timer);
}

/** Keeps the timer from keeping the process alive, in runtimes where it would. */
function letEnd(timer: Timer): Timer {
  (timer as { unref?: () => void }).unref?.();
  return timer;
}
