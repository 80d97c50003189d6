/**
 * What makes a hasher a stream of Node's. It is set up when it is first used as one, as
 * node:crypto's hashes are: that costs more than a small hash. Until then only the prototypes say
 * that it is one; and they from the first hasher on, because node:stream takes a millisecond to
 * load.
 */
import type { Transform, TransformCallback, TransformOptions } from 'node:stream';
import type { Names } from '../../request/options.js';

export type { TransformCallback, TransformOptions };

/** The names of a stream's options. */
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

/** Makes the prototypes say it. */
export function loadStream(): void {
  if (Stream !== undefined) return;
  Stream = (require('node:stream') as { Transform: typeof Transform }).Transform;
  Object.setPrototypeOf(LazyTransform, Stream);
  Object.setPrototypeOf(LazyTransform.prototype, Stream.prototype as object);
}

/**
 * Sets a stream up when somebody looks into it. `optionsOf` gives the options of what is one of
 * ours, in an array.
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
        // Sets both properties, which hides this one.
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
