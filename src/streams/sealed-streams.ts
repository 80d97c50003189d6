/**
 * Large messages as streams of authenticated chunks, sealed and opened on all cores in constant
 * memory. chunk-format.ts is the format (C2SP chunked encryption), chunk-pump.ts processes the
 * chunks, this file adds web streams and whole messages, sealed-duplex.ts Node.js streams.
 */
import { sealedStreamOptionNames } from '../base/option-names.js';
import {
  bytes,
  joined,
  options as given,
  part,
  sizeOf,
  unsigned,
  type Bytes,
  type Data,
} from '../base/arguments.js';
import { abortSignal } from '../scheduling/run.js';
import { ChunkPump, promiseOf, type OutputSink } from './chunk-pump.js';
import {
  CHUNK_SIZE,
  HEADER_SIZE,
  InputKey,
  notCommitted,
  SALT_SIZE,
  SEALED_CHUNK_SIZE,
  TAG_SIZE,
} from './chunk-format.js';
import { makeError } from '../base/errors.js';
import type { KeyInput } from '../request/key-input.js';
import { allocateApart, type Buffer } from '#platform/base/runtime.js';
import { accepted, ONCE, type Accepted } from '../base/options.js';
import { secretCopy, type Secret } from '../base/secret-memory.js';
import { secretResult } from '../base/secret-results.js';
import { isSealedFile } from './sealed-file-header.js';
import type { TransformStream } from '#platform/base/stream-types.js';

export { openRange } from './open-range.js';

/** Options of a sealed stream, the same for sealing and opening. */
export interface SealedStreamOptions {
  /**
   * The AEAD of the chunks. With AES the stream is the specification's Cobblestone-128 or
   * Cobblestone-256.
   */
  readonly algorithm: 'aes-128-gcm' | 'aes-256-gcm' | 'chacha20-poly1305';
  /**
   * The key, of the algorithm's size: 16, 32 and 32 bytes. It must be random or come from a key
   * derivation function, never a password. One key may seal any number of streams. The key is
   * copied at the call, and the copy is wiped. A prepared key must be for `algorithm`; it may be
   * disposed of after the call.
   */
  readonly key: KeyInput;
  /**
   * The stream's purpose, such as a name, a version or a path. It is authenticated but not stored
   * in the stream: opening needs the same context. Copied at the call.
   */
  readonly context?: Data;
  /** Aborting destroys the stream. */
  readonly signal?: AbortSignal | undefined;
  /** Bytes that each side buffers before back-pressure; 1 MiB by default. */
  readonly highWaterMark?: number | undefined;
}

const takes: Accepted<keyof SealedStreamOptions> = accepted(
  'a sealed stream',
  sealedStreamOptionNames,
);

/** Checks the options of a stream that seals. */
export function sealing(options: SealedStreamOptions): SealingWork {
  const settings = streamOptions(options);
  return { ...settings, makePump: (sink) => new SealingPump(sink, settings.sealing) };
}

/** Checks the options of a stream that opens. */
export function opening(options: SealedStreamOptions): SealingWork {
  const settings = streamOptions(options);
  return { ...settings, makePump: (sink) => new OpeningPump(sink, settings.sealing) };
}

/** Keeps a pipe flowing while a run is processed. */
const HIGH_WATER_MARK = 2 ** 20;

/** The options of the stream itself. */
export interface StreamSettings {
  readonly signal: AbortSignal | undefined;
  readonly highWaterMark: number;
}

/** Seals or opens a message, as a stream or as a whole. */
export interface SealingWork extends StreamSettings {
  /** Called once. */
  readonly makePump: (sink: OutputSink) => ChunkPump;
}

/** Reads the options of a sealed stream; `sealing` are its own properties. */
function streamOptions(
  options: unknown,
): StreamSettings & { readonly sealing: SealedStreamOptions } {
  if (options === undefined)
    throw makeError(
      'ERR_MISSING_ARGUMENT',
      'a sealed stream needs an options object with algorithm and key',
    );
  const sealing = given<SealedStreamOptions>(options, 'options', takes);
  return { sealing, ...streamSettings(sealing) };
}

/** Checks the options of the stream itself. */
export function streamSettings({
  signal,
  highWaterMark = HIGH_WATER_MARK,
}: Pick<SealedStreamOptions, 'signal' | 'highWaterMark'>): StreamSettings {
  if (unsigned(highWaterMark, 'options.highWaterMark') === 0)
    throw makeError('ERR_ARGUMENT_VALUE', 'options.highWaterMark must be at least 1');
  return { signal: abortSignal(signal), highWaterMark };
}

/** What a pump needs of a TransformStreamDefaultController. */
interface Controller {
  enqueue(chunk: Uint8Array): void;
  error(reason: unknown): void;
}

/** Returns a web stream. */
export function transformStream({
  signal,
  highWaterMark,
  makePump,
}: SealingWork): TransformStream<Bytes, Buffer> {
  let pump!: ChunkPump;
  let controller!: Controller;
  const abort = (): void => {
    over(signal!.reason);
    controller.error(signal!.reason);
  };
  const over = (reason?: Error): void => {
    signal?.removeEventListener('abort', abort);
    pump.close(reason);
  };
  // The readable side throttles the writable one, and the pump limits its runs; nothing needs to
  // wait here.
  const sink: OutputSink = {
    room: undefined,
    put(output) {
      try {
        controller.enqueue(new Uint8Array(output.buffer, output.byteOffset, output.length));
      } catch (error) {
        // Cancelled; Node.js before 20.10 does not report that to the transformer.
        over(error as Error);
      }
      return true;
    },
    fail(error) {
      over(error);
      controller.error(error);
    },
  };
  const size = (input: Partial<ArrayBufferView>): number => input?.byteLength ?? 1;
  const transformer = {
    __proto__: null,
    start(given: Controller): void {
      controller = given;
      pump = makePump(sink);
      if (signal?.aborted) abort();
      else signal?.addEventListener('abort', abort, ONCE);
    },
    transform: (input: Bytes): Promise<void> =>
      promiseOf((done) => pump.write(bytes(input, 'chunk'), done)),
    async flush(): Promise<void> {
      await promiseOf((done) => pump.end(done));
      over();
    },
    cancel: over,
  };
  return new globalThis.TransformStream<Bytes, Buffer>(
    transformer,
    { __proto__: null, highWaterMark, size } as QueuingStrategy,
    { __proto__: null, highWaterMark, size } as QueuingStrategy,
  );
}

/** Returns a random salt, without node:crypto, which takes longer to load than this package. */
function randomSalt(): Uint8Array {
  return globalThis.crypto.getRandomValues(new Uint8Array(SALT_SIZE));
}

/** Seals. */
export class SealingPump extends ChunkPump {
  /**
   * Without `sealing`, {@link begin} must follow. `salt` and `first` (the number of the first
   * chunk) are for tests: a repeated salt under one key reveals both messages. The result starts
   * with `prefix`.
   */
  constructor(
    sink: OutputSink,
    sealing: SealedStreamOptions | undefined,
    salt?: Uint8Array,
    first = 0,
    prefix?: Buffer,
  ) {
    super(sink, { size: CHUNK_SIZE, sealed: false, marksLast: false }, first);
    if (sealing !== undefined) this.begin(sealing, prefix, salt);
  }

  /** Derives the keys and puts the header. */
  protected begin(
    { algorithm, key, context }: SealedStreamOptions,
    prefix?: Buffer,
    salt: Uint8Array = randomSalt(),
  ): void {
    const input = new InputKey(algorithm, key, context);
    try {
      const key = input.derive(salt);
      this.begun(key);
      const header = allocateApart(HEADER_SIZE);
      header.set(salt);
      header.set(key.commitment, SALT_SIZE);
      if (prefix !== undefined) this.emit(prefix);
      this.emit(header);
    } finally {
      input.dispose();
    }
  }
}

/** Opens. */
export class OpeningPump extends ChunkPump {
  #input: InputKey | undefined;
  readonly #header = allocateApart(HEADER_SIZE);
  #headerSize = 0;

  /** Without `sealing`, {@link begin} must follow. */
  constructor(sink: OutputSink, sealing: SealedStreamOptions | undefined) {
    super(sink, { size: SEALED_CHUNK_SIZE, sealed: true, marksLast: false }, 0);
    if (sealing !== undefined) this.begin(sealing);
  }

  protected begin({ algorithm, key, context }: SealedStreamOptions): void {
    this.#input = new InputKey(algorithm, key, context);
  }

  protected override header(input: Uint8Array, at: number): number {
    if (this.hasKey) return 0;
    const size = Math.min(HEADER_SIZE - this.#headerSize, sizeOf(input) - at);
    this.#header.set(part(input, at, size), this.#headerSize);
    this.#headerSize += size;
    if (this.#headerSize === HEADER_SIZE) {
      const key = this.#input!.derive(this.#header.subarray(0, SALT_SIZE));
      this.begun(key);
      this.#input!.dispose();
      if (!key.committed(this.#header.subarray(SALT_SIZE))) {
        if (isSealedFile(this.#header))
          throw makeError(
            'ERR_FORMAT',
            'this is a sealed file, not a sealed stream: use openWithKey, openWithPassphrase or ' +
              'their streams',
          );
        throw this.notCommitted();
      }
    }
    return size;
  }

  /** Returns the error for a header that the key does not commit to. */
  protected notCommitted(): Error {
    return notCommitted();
  }

  protected override checkLast(size: number): void {
    if (!this.hasKey) throw makeError('ERR_TRUNCATED', 'the stream ends in its header');
    if (size < TAG_SIZE) throw makeError('ERR_TRUNCATED', 'the stream ends before its last chunk');
  }

  protected override wipe(): void {
    this.#input?.dispose();
  }
}

/** Seals or opens a message in memory, which is copied first. */
export async function through(
  source: Uint8Array,
  { signal, makePump }: SealingWork,
): Promise<Buffer> {
  const message = secretCopy(source);
  signal?.throwIfAborted();
  const outputs: Buffer[] = [];
  const pump = makePump({
    room(size) {
      const header = joined(outputs.splice(0), allocateApart);
      const result = secretResult(header.length + size);
      result.set(header);
      outputs.push(result);
      return result.subarray(header.length) as Secret<Buffer>;
    },
    put: (output) => outputs.push(output) > 0,
    // The message reports it.
    fail() {},
  });
  const abort = (): void => pump.close(signal!.reason as Error);
  signal?.addEventListener('abort', abort, ONCE);
  try {
    await pump.message(message);
    return outputs.length === 1 ? outputs.pop()! : joined(outputs, allocateApart);
  } finally {
    signal?.removeEventListener('abort', abort);
    pump.close();
  }
}
