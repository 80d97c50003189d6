/**
 * Messages that come in chunks: async iterables, Node streams, web streams and Blobs, hashed in
 * constant memory.
 *
 * The next chunk is asked for while the last one is being hashed on the pool. Small chunks are
 * collected into blocks, so that the pool is asked once per block and the event loop gets its turn
 * between two.
 */
import { data, part, sizeOf, type Data } from '../request/arguments.js';
import { type EngineOptions, engineNames } from '../engines/engines.js';
import { wrongType } from '../request/errors.js';
import type { Hasher } from '../hashers/hasher.js';
import { isBytesView, isRevoked } from '../request/intrinsics.js';
import type { Names } from '../request/options.js';
import { allocateApart } from '#platform/runtime.js';

/**
 * A message in chunks: an async iterable of bytes or strings (UTF-8), a Node or web stream of them,
 * or a Blob.
 */
export type StreamSource = AsyncIterable<Data> | ReadableStream<Data> | Blob;

/** How far the hashing of a message in chunks has come. */
export interface Progress {
  /** Bytes hashed so far. */
  readonly bytes: number;
  /** Bytes in all, where they are known: of a Blob or a regular file. */
  readonly total: number | undefined;
}

/** Options of hashing a message in chunks. */
export interface StreamOptions extends EngineOptions {
  /** Its abort ends the reading, closes the source and rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** Called on the event loop whenever a block has been hashed. What it throws ends the hashing. */
  readonly onProgress?: ((progress: Progress) => void) | undefined;
}

export const streamOptionNames: Names<StreamOptions> = {
  signal: true,
  onProgress: true,
  ...engineNames,
};

/**
 * Small chunks are collected up to this many bytes; a chunk of this size goes to the pool as it is.
 */
const BLOCK_BYTES = 64 * 1024;

/**
 * Whether this is a message in chunks rather than bytes or a string. An array is neither: it might
 * be many messages.
 */
export function isStreamSource(value: unknown): value is StreamSource {
  if (typeof value !== 'object' || value === null || isBytesView(value) || isRevoked(value))
    return false;
  const { getReader, stream } = value as { getReader?: unknown; stream?: unknown };
  return (
    Symbol.asyncIterator in value || typeof getReader === 'function' || typeof stream === 'function'
  );
}

/** Feeds all of `source` to the hasher, which nobody else uses meanwhile. */
export function absorbStream(
  hasher: Hasher,
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
    // One listener, not a race per chunk: a promise that is raced a million times remembers each.
    signal?.addEventListener('abort', stop, { once: true });
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
  hasher: Hasher,
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
  /** Begins to hash; what was begun before has been waited for. */
  const begin = (view: Uint8Array, size: number): void => {
    hashing = hash(view, size);
    // It is awaited with the next chunk, which may be long in coming; until then a failure is not
    // unhandled.
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
      // Who made an iterable of his own may use the chunk's memory again when asked for the next
      // one.
      begin(input.owned ? view : copyOf(view, size), size);
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

/** Not `slice`, which asks the view's class what to make. */
function copyOf(view: Uint8Array, size: number): Uint8Array {
  const copy = allocateApart(size);
  copy.set(view);
  return copy;
}

/** Small chunks, one behind the other. */
class Block {
  size = 0;
  #bytes: Uint8Array | undefined;

  get bytes(): Uint8Array {
    return (this.#bytes ??= allocateApart(BLOCK_BYTES));
  }

  /** Copies as much as fits of `view` from `at` on and tells how much. */
  fill(view: Uint8Array, at: number, end: number): number {
    const count = Math.min(end - at, BLOCK_BYTES - this.size);
    this.bytes.set(part(view, at, count), this.size);
    this.size += count;
    return count;
  }
}

/** The four kinds of sources as one. */
interface Reader {
  /** The next chunk, or undefined after the last. */
  next(): Promise<unknown>;
  /** Whether a chunk's memory stays as it is after the next chunk was asked for. */
  readonly owned: boolean;
  readonly total: number | undefined;
  /** Nothing more will be asked for. */
  close(reason: unknown): void;
}

function reader(source: StreamSource): Reader {
  const { stream, size, getReader } = source as Partial<Blob & ReadableStream>;
  if (typeof stream === 'function')
    return webReader((source as Blob).stream(), typeof size === 'number' ? size : undefined);
  if (typeof getReader === 'function') return webReader(source as ReadableStream, undefined);
  const iterator = (source as AsyncIterable<Data>)[Symbol.asyncIterator]();
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

interface NodeStream {
  pipe(): unknown;
  on(event: 'error', listener: () => void): this;
  destroy(reason?: Error): unknown;
}

/** By its shape: loading node:stream only to ask takes longer than loading all of this package. */
function isNodeStream(source: StreamSource): source is StreamSource & NodeStream {
  const { pipe, destroy } = source as Partial<NodeStream>;
  return typeof pipe === 'function' && typeof destroy === 'function';
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

/** `undefined` means the end here, so it may not be a chunk. */
function checkChunk(value: unknown): unknown {
  if (value === undefined)
    throw wrongType('chunk', 'a string, Buffer, ArrayBufferView or ArrayBuffer', value);
  return value;
}
