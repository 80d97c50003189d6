/**
 * Messages that come in pieces: async iterables, Node streams, web streams and Blobs, hashed in
 * constant memory.
 *
 * The next piece is asked for while the last one is being hashed on the pool. Small pieces are
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
 * A message in pieces: an async iterable of bytes or strings (UTF-8), a Node or web stream of them,
 * or a Blob.
 */
export type StreamSource = AsyncIterable<Data> | ReadableStream<Data> | Blob;

/** How far the hashing of a message in pieces has come. */
export interface Progress {
  /** Bytes hashed so far. */
  readonly bytes: number;
  /** Bytes in all, where they are known: of a Blob or a regular file. */
  readonly total: number | undefined;
}

/** Options of hashing a message in pieces. */
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
 * Small pieces are collected up to this many bytes; a piece of this size goes to the pool as it is.
 */
const BLOCK = 64 * 1024;

/**
 * Whether this is a message in pieces rather than bytes or a string. An array is neither: it might
 * be many messages.
 */
export function inBlocks(value: unknown): value is StreamSource {
  if (typeof value !== 'object' || value === null || isBytesView(value) || isRevoked(value))
    return false;
  const { getReader, stream } = value as { getReader?: unknown; stream?: unknown };
  return (
    Symbol.asyncIterator in value || typeof getReader === 'function' || typeof stream === 'function'
  );
}

/** Feeds all of `pieces` to the hasher, which nobody else uses meanwhile. */
export function absorb(
  hasher: Hasher,
  pieces: StreamSource,
  { signal, onProgress }: StreamOptions,
): Promise<void> {
  const source = reader(pieces);
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      reject(signal!.reason as Error);
      source.close(signal!.reason);
    };
    if (signal?.aborted) return stop();
    // One listener, not a race per piece: a promise that is raced a million times remembers each.
    signal?.addEventListener('abort', stop, { once: true });
    read(hasher, source, () => signal?.aborted === true, onProgress)
      .catch((error: unknown) => {
        source.close(error);
        throw error;
      })
      .finally(() => signal?.removeEventListener('abort', stop))
      .then(resolve, reject);
  });
}

async function read(
  hasher: Hasher,
  source: Reader,
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
    if (!aborted()) onProgress?.({ bytes: hashed, total: source.total });
  };
  /** Begins to hash; what was begun before has been waited for. */
  const begin = (view: Uint8Array, size: number): void => {
    hashing = hash(view, size);
    // It is awaited with the next piece, which may be long in coming; until then a failure is not
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

  let coming = source.next();
  for (;;) {
    const piece = await coming;
    if (piece === undefined || aborted()) break;
    const view = data(piece, 'piece');
    const size = sizeOf(view);
    if (size >= BLOCK) {
      await flush();
      await hashing;
      // Who made an iterable of his own may use the piece's memory again when asked for the next
      // one.
      begin(source.owned ? view : copyOf(view, size), size);
    } else {
      for (let at = 0; at < size;) {
        at += block.fill(view, at, size);
        if (block.size === BLOCK) await flush();
      }
    }
    coming = source.next();
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

/** Small pieces, one behind the other. */
class Block {
  size = 0;
  #bytes: Uint8Array | undefined;

  get bytes(): Uint8Array {
    return (this.#bytes ??= allocateApart(BLOCK));
  }

  /** Copies as much as fits of `view` from `at` on and tells how much. */
  fill(view: Uint8Array, at: number, end: number): number {
    const count = Math.min(end - at, BLOCK - this.size);
    this.bytes.set(part(view, at, count), this.size);
    this.size += count;
    return count;
  }
}

/** The four kinds of sources as one. */
interface Reader {
  /** The next piece, or undefined after the last. */
  next(): Promise<unknown>;
  /** Whether a piece's memory stays as it is after the next piece was asked for. */
  readonly owned: boolean;
  readonly total: number | undefined;
  /** Nothing more will be asked for. */
  close(reason: unknown): void;
}

function reader(pieces: StreamSource): Reader {
  const { stream, size, getReader } = pieces as Partial<Blob & ReadableStream>;
  if (typeof stream === 'function')
    return webReader((pieces as Blob).stream(), typeof size === 'number' ? size : undefined);
  if (typeof getReader === 'function') return webReader(pieces as ReadableStream, undefined);
  const iterator = (pieces as AsyncIterable<Data>)[Symbol.asyncIterator]();
  return {
    owned: isNodeStream(pieces),
    total: undefined,
    async next() {
      const { done, value } = await iterator.next();
      if (done === true) return undefined;
      return piece(value);
    },
    close(reason) {
      if (isNodeStream(pieces))
        pieces.on('error', () => {}).destroy(reason instanceof Error ? reason : undefined);
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
function isNodeStream(pieces: StreamSource): pieces is StreamSource & NodeStream {
  const { pipe, destroy } = pieces as Partial<NodeStream>;
  return typeof pipe === 'function' && typeof destroy === 'function';
}

function webReader(stream: ReadableStream<Data>, total: number | undefined): Reader {
  const source = stream.getReader();
  return {
    owned: true,
    total,
    async next() {
      const { done, value } = await source.read();
      return done ? undefined : piece(value);
    },
    close(reason) {
      source.cancel(reason).catch(() => {});
    },
  };
}

/** `undefined` means the end here, so it may not be a piece. */
function piece(value: unknown): unknown {
  if (value === undefined)
    throw wrongType('piece', 'a string, Buffer, ArrayBufferView or ArrayBuffer', value);
  return value;
}
