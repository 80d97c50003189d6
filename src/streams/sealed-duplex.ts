/**
 * Sealed streams as Node.js streams.
 */
import { addAbortSignal, Duplex, type DuplexOptions } from 'node:stream';
import { refuseEnded } from '../base/sources.js';
import { nextTick, type Buffer } from '#platform/base/runtime.js';
import type { ChunkPump } from './chunk-pump.js';
import type { SealingWork } from './sealed-streams.js';

/** Returns a Node.js stream. */
export function duplexStream(work: SealingWork): Duplex {
  return new ChunkStream(work);
}

/**
 * Gives an output buffer back to its stream for reuse: memory that was touched before takes no page
 * faults. The caller must not use it again.
 */
export function reuseOutput(stream: Duplex, output: Buffer): void {
  ChunkStream.reuse(stream, output);
}

class ChunkStream extends Duplex {
  readonly #pump: ChunkPump;

  constructor({ signal, highWaterMark, makePump }: SealingWork) {
    super({ __proto__: null, highWaterMark } as DuplexOptions);
    this.#pump = makePump({
      room: undefined,
      put: (output) => this.push(output),
      fail: (error) => void this.destroy(error),
    });
    if (signal !== undefined) addAbortSignal(signal, this);
    this.on('pipe', (source) => refuseEnded(this, source));
  }

  static reuse(stream: Duplex, output: Buffer): void {
    if (#pump in stream) stream.#pump.reuse(output);
  }

  override _write(
    input: Uint8Array,
    _encoding: BufferEncoding,
    taken: (error?: Error) => void,
  ): void {
    this.#pump.write(input, taken);
  }

  override _final(done: (error?: Error) => void): void {
    this.#pump.end((error) => {
      if (error === undefined) this.push(null);
      done(error);
    });
  }

  override _read(): void {
    // Not at once: read() joins, by a copy, what is pushed inside it with what it had.
    nextTick(() => this.#pump.resume());
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#pump.close(error ?? undefined);
    done(error);
  }
}
