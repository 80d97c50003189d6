/**
 * Messages in chunks (async iterables, Node.js streams, web streams and Blobs), hashed in constant
 * memory.
 *
 * The next chunk is read while the last one is hashed on the pool. Small chunks are collected into
 * blocks: one pool job for each block, and the event loop runs in between.
 */
import { data, part, sizeOf, type Data } from '../base/arguments.js';
import type { EngineOptions } from '../engines/engines.js';
import { wrongType } from '../base/errors.js';
import { copyInto, isBytesView, isRevoked } from '../base/intrinsics.js';
import { featureOf } from '../base/features.js';
import { isNodeStream, iteratorOf, refuseConsumed } from '../base/sources.js';
import { ONCE } from '../base/options.js';
import { allocateApart } from '#platform/base/runtime.js';

/**
 * A message in chunks: an async iterable of bytes or strings (UTF-8), a Node.js or web stream of
 * them, or a Blob.
 */
export type StreamSource = AsyncIterable<Data> | ReadableStream<Data> | Blob;

/** The progress of hashing a message in chunks. */
export interface Progress {
  /** Bytes hashed so far. */
  readonly bytes: number;
  /** Total bytes, if known: of a Blob or a regular file. */
  readonly total: number | undefined;
}

/** Options of hashing a message in chunks. */
export interface StreamOptions extends EngineOptions {
  /** Aborting stops the reading, closes the source and rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** Called on the event loop after each block. An exception ends the hashing. */
  readonly onProgress?: ((progress: Progress) => void) | undefined;
}

/**
 * Small chunks are collected up to this size; a chunk of at least this size goes to the pool
 * directly.
 */
const BLOCK_BYTES = 64 * 1024;

/**
 * Returns true for a message in chunks, false for bytes, a string or an array, which may be many
 * messages.
 */
export function isStreamSource(value: unknown): value is StreamSource {
  if (typeof value !== 'object' || value === null || isBytesView(value) || isRevoked(value))
    return false;
  return (
    Symbol.asyncIterator in value ||
    typeof featureOf(value as ReadableStream, 'getReader') === 'function' ||
    typeof featureOf(value as Blob, 'stream') === 'function'
  );
}

/** What takes the bytes of a source: a hasher. */
export interface Absorber {
  updateAsync(source: Uint8Array, offset: number, size: number): Promise<void>;
}

/**
 * Adds all of `source` to the hasher. Nothing else may use the hasher meanwhile. Throws if the
 * source was read before.
 */
export function absorbStream(
  hasher: Absorber,
  source: StreamSource,
  { signal, onProgress }: StreamOptions,
): Promise<void> {
  const input = reader(source);
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      reject(signal!.reason as Error);
      input.close(signal!.reason);
    };
    if (signal?.aborted) return stop();
    // One listener, not a race for each chunk: a promise keeps every race it takes part in.
    signal?.addEventListener('abort', stop, ONCE);
    read(hasher, input, () => signal?.aborted === true, onProgress)
      .catch((error: unknown) => {
        input.close(error);
        throw error;
      })
      .finally(() => signal?.removeEventListener('abort', stop))
      .then(resolve, reject);
  });
}

async function read(
  hasher: Absorber,
  input: Reader,
  aborted: () => boolean,
  onProgress: StreamOptions['onProgress'],
): Promise<void> {
  const blocks = [new Block(), new Block()] as const;
  let block: Block = blocks[0];
  let hashing: Promise<void> | undefined;
  let hashed = 0;

  const hash = async (view: Uint8Array, size: number): Promise<void> => {
    await hasher.updateAsync(view, 0, size);
    hashed += size;
    if (!aborted()) onProgress?.({ bytes: hashed, total: input.total });
  };
  /** Starts hashing; the previous call has completed. */
  const begin = (view: Uint8Array, size: number): void => {
    hashing = hash(view, size);
    // Awaited with the next chunk, which may take long; a failure until then is not unhandled.
    hashing.catch(() => {});
  };
  const flush = async (): Promise<void> => {
    if (block.size === 0) return;
    await hashing;
    begin(block.bytes, block.size);
    block = block === blocks[0] ? blocks[1] : blocks[0];
    block.size = 0;
  };

  let pending = input.next();
  for (;;) {
    const chunk = await pending;
    if (chunk === undefined || aborted()) break;
    const view = data(chunk, 'chunk');
    const size = sizeOf(view);
    if (size >= BLOCK_BYTES) {
      await flush();
      await hashing;
      // An iterable may reuse the chunk's memory when the next one is requested.
      begin(input.owned ? view : copyInto(allocateApart(size), view, 0), size);
    } else {
      for (let at = 0; at < size;) {
        at += block.fill(view, at, size);
        if (block.size === BLOCK_BYTES) await flush();
      }
    }
    pending = input.next();
  }
  await flush();
  await hashing;
}

/** Small chunks, joined. */
class Block {
  size = 0;
  #bytes: Uint8Array | undefined;

  get bytes(): Uint8Array {
    return (this.#bytes ??= allocateApart(BLOCK_BYTES));
  }

  /** Copies as much of `view` from `at` as fits. Returns the number of bytes. */
  fill(view: Uint8Array, at: number, end: number): number {
    const count = Math.min(end - at, BLOCK_BYTES - this.size);
    this.bytes.set(part(view, at, count), this.size);
    this.size += count;
    return count;
  }
}

/** The common interface of the four kinds of sources. */
interface Reader {
  /** Resolves with the next chunk, or undefined after the last. */
  next(): Promise<unknown>;
  /** True if a chunk's memory stays unchanged after the next chunk is requested. */
  readonly owned: boolean;
  readonly total: number | undefined;
  /** Ends the reading. */
  close(reason: unknown): void;
}

function reader(source: StreamSource): Reader {
  if (typeof featureOf(source as Blob, 'stream') === 'function') {
    const size = featureOf(source as Blob, 'size');
    return webReader((source as Blob).stream(), typeof size === 'number' ? size : undefined);
  }
  if (typeof featureOf(source as ReadableStream, 'getReader') === 'function') {
    refuseConsumed(source, 'data');
    return webReader(source as ReadableStream, undefined);
  }
  const iterator = iteratorOf(source as AsyncIterable<Data>, 'data');
  return {
    owned: isNodeStream(source),
    total: undefined,
    async next() {
      const { done, value } = await iterator.next();
      if (done === true) return undefined;
      return checkChunk(value);
    },
    close(reason) {
      if (isNodeStream(source))
        source.on('error', () => {}).destroy(reason instanceof Error ? reason : undefined);
      else void Promise.resolve(iterator.return?.()).catch(() => {});
    },
  };
}

function webReader(stream: ReadableStream<Data>, total: number | undefined): Reader {
  const input = stream.getReader();
  return {
    owned: true,
    total,
    async next() {
      const { done, value } = await input.read();
      return done ? undefined : checkChunk(value);
    },
    close(reason) {
      input.cancel(reason).catch(() => {});
    },
  };
}

/** Refuses `undefined`, which means the end. */
function checkChunk(value: unknown): unknown {
  if (value === undefined)
    throw wrongType('chunk', 'a string, Buffer, ArrayBufferView or ArrayBuffer', value);
  return value;
}
