/**
 * Makes a hasher a Node.js stream. The stream is set up on first use, as in node:crypto, because
 * that costs more than a short hash. Until then only the prototypes identify it as a stream, from
 * the first hasher on, because loading node:stream takes a millisecond.
 */
import type { Transform, TransformCallback, TransformOptions } from 'node:stream';
import type { Names } from '../../request/options.js';

export type { TransformCallback, TransformOptions };

/** The names of stream options. */
export const streamNames: Names<TransformOptions> = {
  allowHalfOpen: true,
  autoDestroy: true,
  construct: true,
  decodeStrings: true,
  defaultEncoding: true,
  destroy: true,
  emitClose: true,
  encoding: true,
  final: true,
  flush: true,
  highWaterMark: true,
  objectMode: true,
  read: true,
  readableHighWaterMark: true,
  readableObjectMode: true,
  signal: true,
  transform: true,
  writableCorked: true,
  writableHighWaterMark: true,
  writableObjectMode: true,
  write: true,
  writev: true,
};

export const LazyTransform = function LazyTransform() {} as unknown as typeof Transform;
let Stream: typeof Transform | undefined;

/** Sets the prototypes. */
export function loadStream(): void {
  if (Stream !== undefined) return;
  Stream = (require('node:stream') as { Transform: typeof Transform }).Transform;
  Object.setPrototypeOf(LazyTransform, Stream);
  Object.setPrototypeOf(LazyTransform.prototype, Stream.prototype as object);
}

/**
 * Sets up a stream on the first access. `optionsOf` returns the options of a hasher in an array,
 * undefined for other objects.
 */
export function setUpLate(
  optionsOf: (stream: object) => [TransformOptions | undefined] | undefined,
): void {
  for (const name of ['_readableState', '_writableState'] as const) {
    Object.defineProperty(LazyTransform.prototype, name, {
      configurable: true,
      enumerable: true,
      get(this: object): unknown {
        const options = typeof this === 'object' ? optionsOf(this) : undefined;
        if (options === undefined) return undefined;
        // Defines both properties, which hides this accessor.
        Stream!.call(this as Transform, options[0]);
        (this as { _writableState: { decodeStrings: boolean } })._writableState.decodeStrings =
          false;
        return this[name as never];
      },
      set(value: unknown): void {
        Object.defineProperty(this, name, {
          value,
          configurable: true,
          enumerable: true,
          writable: true,
        });
      },
    });
  }
}
