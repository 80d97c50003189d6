/**
 * Makes a hasher a Node.js stream. The stream is set up on first use, as in node:crypto, because
 * that costs more than a short hash. Until then only the prototypes identify it as a stream, from
 * the first hasher on, because loading node:stream takes a millisecond.
 */
/** @ts-ignore any without @types/node */
import type { Transform, TransformCallback, TransformOptions } from 'node:stream';
import { refuseEnded } from '../base/sources.js';

export type { TransformCallback, TransformOptions };

export const LazyTransform = function LazyTransform() {} as unknown as typeof Transform;
let Stream: typeof Transform | undefined;

/** Sets the prototypes. */
export function loadStream(): void {
  if (Stream !== undefined) return;
  Stream = (require('node:stream') as { Transform: typeof Transform }).Transform;
  Object.setPrototypeOf(LazyTransform, Stream);
  Object.setPrototypeOf(LazyTransform.prototype, Stream.prototype as object);
  // A listener would be lost: the stream is set up after a source has announced its pipe.
  const { emit } = Stream.prototype;
  LazyTransform.prototype.emit = function (this: Transform, name: string, ...given: unknown[]) {
    if (name === 'pipe') refuseEnded(this, given.at(0));
    return emit.call(this, name, ...given);
  } as Transform['emit'];
}

/** Returns the options of a stream of one class in an array, undefined for other objects. */
type OptionsOf = (stream: object) => [TransformOptions | undefined] | undefined;

/** One for each class of streams. */
const classes: OptionsOf[] = [];

/** Sets up the streams of a class on the first access. */
export function setUpLate(optionsOf: OptionsOf): void {
  classes.push(optionsOf);
  if (classes.length > 1) return;
  for (const name of ['_readableState', '_writableState'] as const) {
    Object.defineProperty(LazyTransform.prototype, name, {
      configurable: true,
      enumerable: true,
      get(this: object): unknown {
        let options: [TransformOptions | undefined] | undefined;
        if (typeof this === 'object')
          for (const each of classes) if ((options = each(this)) !== undefined) break;
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
