/**
 * Sealed streams as Node's streams.
 */
import { addAbortSignal, Duplex } from 'node:stream';
import type { ChunkPump, Outlet } from './chunk-pump.js';
import { OpeningPump, SealingPump, streamOptions, type SealedStreamOptions } from './sealed-streams.js';

// What these promise is said where users see it: promises.ts.

export function sealStream(options: SealedStreamOptions): Duplex {
  return new ChunkStream(options, (outlet) => new SealingPump(outlet, options));
}

export function openStream(options: SealedStreamOptions): Duplex {
  return new ChunkStream(options, (outlet) => new OpeningPump(outlet, options));
}

type MakePump = (outlet: Outlet) => ChunkPump;

class ChunkStream extends Duplex {
  readonly #pump: ChunkPump;

  constructor(options: unknown, makePump: MakePump) {
    const { signal, highWaterMark } = streamOptions(options);
    super({ highWaterMark });
    this.#pump = makePump({ put: (output) => this.push(output), fail: (error) => void this.destroy(error) });
    if (signal !== undefined) addAbortSignal(signal, this);
  }

  override _write(piece: Uint8Array, _encoding: BufferEncoding, taken: (error?: Error) => void): void {
    this.#pump.write(piece, taken);
  }

  override _final(done: (error?: Error) => void): void {
    this.#pump.end((error) => {
      if (error === undefined) this.push(null);
      done(error);
    });
  }

  override _read(): void {
    this.#pump.resume();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#pump.close(error ?? undefined);
    done(error);
  }
}
