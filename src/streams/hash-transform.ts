/** A web stream that passes bytes on and hashes them. */
import { data, sizeOf, type Data } from '../base/arguments.js';
import { createHash } from '../hashers/create.js';
import type { CreateHashOptions } from '../hashers/options.js';
import type { HashAlgorithm } from '../catalog/catalog.js';
import { PromiseCompletion } from '../scheduling/completions.js';
import type { TransformStream } from '#platform/base/stream-types.js';
import type { Digest, Encoding } from '../calls/digests.js';

/** A TransformStream that passes its input on; `digest` is that of all of it. */
export type HashTransformStream<E extends Encoding> = TransformStream<Data, Data> & {
  /** Resolves when the input has ended, and rejects if the stream fails. */
  readonly digest: Promise<Digest<E>>;
};

/** Larger chunks are hashed on the pool. */
const INLINE_BYTES = 64 * 1024;

// `hashTransformStream` of millrace/promises (tools/calls/digests.mjs).
export function hashingStream<E extends Encoding = 'buffer'>(
  algorithm: HashAlgorithm,
  encoding: E = 'buffer' as E,
  options?: CreateHashOptions,
): HashTransformStream<E> {
  const hasher = createHash(algorithm, options);
  const digest = new PromiseCompletion();
  // Not every caller waits for it: the stream reports its own failure.
  digest.promise.catch(() => {});
  const stream = new globalThis.TransformStream<Data, Data>({
    __proto__: null,
    async transform(chunk: Data, controller: { enqueue(chunk: Data): void }): Promise<void> {
      try {
        const bytes = data(chunk, 'chunk');
        if (sizeOf(bytes) < INLINE_BYTES) hasher.update(bytes);
        else await hasher.updateAsync(bytes);
      } catch (error) {
        digest.reject(error);
        throw error;
      }
      controller.enqueue(chunk);
    },
    flush(): void {
      try {
        digest.resolve(hasher.digest(encoding));
      } catch (error) {
        digest.reject(error);
        throw error;
      }
    },
    cancel: (reason: unknown) => digest.reject(reason),
  } as never);
  return Object.assign(stream, { digest: digest.promise }) as HashTransformStream<E>;
}
