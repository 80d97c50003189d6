/**
 * Sealed streams as Node.js streams.
 */
import { addAbortSignal, Duplex, type DuplexOptions } from 'node:stream';
import { refuseEnded } from '../base/sources.js';
import { nextTick } from '#platform/base/runtime.js';
import type { Pump } from './chunk-pump.js';
import {
  KeyOpeningPump,
  keySealingPump,
  PassphraseOpeningPump,
  PassphraseSealingPump,
} from './passphrase/pumps.js';
import {
  keyOpeningSettings,
  keySealingSettings,
  openingSettings,
  sealingSettings,
} from './passphrase/parameters.js';
import {
  OpeningPump,
  SealingPump,
  streamOptions,
  type MakePump,
  type SealedStreamOptions,
  type StreamSettings,
} from './sealed-streams.js';

// promises.ts documents these functions.

export function sealStream(options: SealedStreamOptions): Duplex {
  const settings = streamOptions(options);
  return new ChunkStream(settings, (sink) => new SealingPump(sink, settings.sealing));
}

export function openStream(options: SealedStreamOptions): Duplex {
  const settings = streamOptions(options);
  return new ChunkStream(settings, (sink) => new OpeningPump(sink, settings.sealing));
}

export function sealStreamWithPassphrase(passphrase: unknown, options: unknown): Duplex {
  const settings = sealingSettings(options, true);
  return new ChunkStream(settings, (sink) => new PassphraseSealingPump(sink, passphrase, settings));
}

export function openStreamWithPassphrase(passphrase: unknown, options: unknown): Duplex {
  const settings = openingSettings(options, true);
  return new ChunkStream(settings, (sink) => new PassphraseOpeningPump(sink, passphrase, settings));
}

export function sealStreamWithKey(key: unknown, options: unknown): Duplex {
  const settings = keySealingSettings(options, true);
  return new ChunkStream(settings, (sink) => keySealingPump(sink, key, settings));
}

export function openStreamWithKey(key: unknown, options: unknown): Duplex {
  const settings = keyOpeningSettings(options, true);
  return new ChunkStream(settings, (sink) => new KeyOpeningPump(sink, key, settings));
}

class ChunkStream extends Duplex {
  readonly #pump: Pump;

  constructor({ signal, highWaterMark }: StreamSettings, makePump: MakePump) {
    super({ __proto__: null, highWaterMark } as DuplexOptions);
    this.#pump = makePump({
      put: (output) => this.push(output),
      fail: (error) => void this.destroy(error),
    });
    if (signal !== undefined) addAbortSignal(signal, this);
    this.on('pipe', (source) => refuseEnded(this, source));
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
