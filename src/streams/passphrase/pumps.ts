/**
 * Sealing and opening with a passphrase: derives the key with a header that is written or read,
 * then uses the pumps of sealed streams. For both kinds of streams and for whole messages.
 */
import { bytes, data, NO_BYTES, sizeOf } from '../../request/arguments.js';
import type { OutputSink, Pump } from '../chunk-pump.js';
import { makeError } from '../../request/errors.js';
import { allocateApart, viewOf, type Buffer } from '#platform/runtime.js';
import { OpeningPump, SealingPump } from '../sealed-streams.js';
import { FIXED_SIZE, headerSize, readHeader, SALT_SIZE, writeHeader } from './header.js';
import { checkLimits, keyOf, passphraseBytes } from './derive-key.js';
import {
  openingSettings,
  sealingSettings,
  type OpenSettings,
  type SealSettings,
} from './parameters.js';

/** A pump whose key must be derived first; input waits until then. */
abstract class DerivingPump implements Pump {
  readonly sink: OutputSink;
  readonly passphrase: Uint8Array;
  readonly #ender = new AbortController();
  readonly #signal: AbortSignal | undefined;
  #inner: Pump | undefined;
  /** The pending call for the inner pump: a write, or the end. */
  #waiting: ((pump: Pump) => void) | undefined;
  /** Reports an error to the pending call. */
  #refuse: ((error: Error) => void) | undefined;
  #closed = false;

  constructor(sink: OutputSink, passphrase: unknown, signal: AbortSignal | undefined) {
    this.sink = sink;
    this.passphrase = passphraseBytes(passphrase);
    this.#signal = signal;
  }

  /** Derives the key, then creates the inner pump. */
  protected begin(make: (signal: AbortSignal) => Promise<Pump>): void {
    make(this.#ender.signal).then(
      (pump) => {
        if (this.#closed) {
          pump.close();
          return;
        }
        this.#inner = pump;
        const waiting = this.#waiting;
        this.#waiting = this.#refuse = undefined;
        waiting?.(pump);
      },
      (error: Error) => this.fail(this.#signal?.aborted ? (this.#signal.reason as Error) : error),
    );
  }

  /** Ends the stream with an error. */
  protected fail(error: Error): void {
    if (this.#closed) return;
    this.sink.fail(error);
    this.close(error);
  }

  /** Calls `act` with the inner pump when it exists. One call at a time, as streams do. */
  protected whenReady(act: (pump: Pump) => void, refuse: (error: Error) => void): void {
    if (this.#inner !== undefined) act(this.#inner);
    else if (this.#closed) refuse(makeError('ERR_ENGINE', 'the stream was closed'));
    else [this.#waiting, this.#refuse] = [act, refuse];
  }

  abstract write(input: Uint8Array, taken: (error?: Error) => void): void;

  end(ended: (error?: Error) => void): void {
    this.whenReady((pump) => pump.end(ended), ended);
  }

  resume(): void {
    this.#inner?.resume();
  }

  close(error?: Error): void {
    if (this.#closed) return;
    this.#closed = true;
    // A waiting derivation has a copy.
    this.passphrase.fill(0);
    this.#ender.abort(error);
    this.#inner?.close(error);
    const refuse = this.#refuse;
    this.#waiting = this.#refuse = undefined;
    refuse?.(error ?? makeError('ERR_ENGINE', 'the stream was closed'));
  }
}

/** Seals. The header is the first output. */
export class PassphraseSealingPump extends DerivingPump {
  constructor(
    sink: OutputSink,
    passphrase: unknown,
    { algorithm, N, signal, onProgress }: SealSettings,
  ) {
    super(sink, passphrase, signal);
    const salt = globalThis.crypto.getRandomValues(new Uint8Array(SALT_SIZE));
    const scrypt = { N, r: 8, p: 1, salt };
    const header = writeHeader({ algorithm, scrypt });
    this.begin(async (ender) => {
      const key = await keyOf(this.passphrase, scrypt, { signal: ender, onProgress });
      try {
        return new SealingPump(headerFirst(header, sink), { algorithm, key, context: header });
      } finally {
        key.fill(0);
      }
    });
  }

  override write(input: Uint8Array, taken: (error?: Error) => void): void {
    this.whenReady((pump) => pump.write(input, taken), taken);
  }
}

/** Returns a sink that puts the header before the first output. */
function headerFirst(header: Uint8Array, sink: OutputSink): OutputSink {
  let first = true;
  return {
    put(output) {
      if (!first) return sink.put(output);
      first = false;
      const both = allocateApart(header.length + output.length);
      both.set(header);
      both.set(output, header.length);
      return sink.put(both);
    },
    fail: (error) => sink.fail(error),
  };
}

/** Opens. The header sets the parameters of the derivation, within limits. */
export class PassphraseOpeningPump extends DerivingPump {
  readonly #settings: OpenSettings;
  #header = new Uint8Array(FIXED_SIZE);
  #headerSize = 0;
  #complete = false;

  constructor(sink: OutputSink, passphrase: unknown, settings: OpenSettings) {
    super(sink, passphrase, settings.signal);
    this.#settings = settings;
  }

  override write(input: Uint8Array, taken: (error?: Error) => void): void {
    let rest: Uint8Array;
    try {
      rest = this.#complete ? input : this.#readHeader(input);
    } catch (error) {
      this.fail(error as Error);
      taken(error as Error);
      return;
    }
    if (!this.#complete) taken();
    else this.whenReady((pump) => pump.write(rest, taken), taken);
  }

  override end(ended: (error?: Error) => void): void {
    if (this.#complete) {
      super.end(ended);
      return;
    }
    const error =
      this.#headerSize < FIXED_SIZE
        ? makeError('ERR_FORMAT', 'not a file that millrace sealed')
        : makeError('ERR_TRUNCATED', 'the stream ends in its header');
    this.fail(error);
    ended(error);
  }

  /** Reads the header from the start of the input. Returns the rest. */
  #readHeader(input: Uint8Array): Uint8Array {
    let rest = input;
    while (!this.#complete) {
      const size = Math.min(this.#header.length - this.#headerSize, sizeOf(rest));
      this.#header.set(rest.subarray(0, size), this.#headerSize);
      this.#headerSize += size;
      rest = rest.subarray(size);
      if (this.#headerSize < this.#header.length) return rest;
      const whole = headerSize(this.#header);
      if (whole > this.#headerSize) {
        const longer = new Uint8Array(whole);
        longer.set(this.#header);
        this.#header = longer;
      } else {
        this.#complete = true;
        this.#derive();
      }
    }
    return rest;
  }

  #derive(): void {
    const context = this.#header;
    const { algorithm, scrypt } = readHeader(context);
    if (scrypt === undefined)
      throw makeError('ERR_FORMAT', 'was sealed with a key, not with a passphrase');
    checkLimits(scrypt, this.#settings);
    this.begin(async (ender) => {
      const key = await keyOf(this.passphrase, scrypt, {
        signal: ender,
        onProgress: this.#settings.onProgress,
      });
      try {
        return new OpeningPump(this.sink, { algorithm, key, context });
      } finally {
        key.fill(0);
      }
    });
  }
}

// whole messages

/** Seals a message in memory, which is copied at the call. */
export async function sealWithPassphrase(
  passphrase: unknown,
  source: unknown,
  options: unknown,
): Promise<Buffer> {
  const settings = sealingSettings(options, false);
  return through(
    data(source, 'data'),
    settings.signal,
    (sink) => new PassphraseSealingPump(sink, passphrase, settings),
  );
}

/** Opens a message in memory. Rejects unless all of it opens. */
export async function openWithPassphrase(
  passphrase: unknown,
  source: unknown,
  options: unknown,
): Promise<Buffer> {
  const settings = openingSettings(options, false);
  return through(
    bytes(source, 'data'),
    settings.signal,
    (sink) => new PassphraseOpeningPump(sink, passphrase, settings),
  );
}

function through(
  source: Uint8Array,
  signal: AbortSignal | undefined,
  make: (sink: OutputSink) => Pump,
): Promise<Buffer> {
  // A detached view cannot be copied: it is empty.
  const message = sizeOf(source) === 0 ? NO_BYTES : new Uint8Array(source);
  return new Promise((resolve, reject) => {
    const outputs: Buffer[] = [];
    signal?.throwIfAborted();
    const pump = make({
      put: (output) => outputs.push(output) > 0,
      fail: (error) => finish(() => reject(error)),
    });
    const abort = (): void => {
      reject(signal!.reason);
      pump.close(signal!.reason as Error);
    };
    const finish = (settle: () => void): void => {
      signal?.removeEventListener('abort', abort);
      settle();
    };
    signal?.addEventListener('abort', abort, { once: true });
    const failed = (error: Error): void => {
      for (const output of outputs) output.fill(0);
      pump.close(error);
      finish(() => reject(error));
    };
    pump.write(message, (error) => {
      if (error !== undefined) return failed(error);
      pump.end((reason) => {
        if (reason !== undefined) return failed(reason);
        const whole = joined(outputs);
        pump.close();
        finish(() => resolve(whole));
      });
    });
  });
}

/** Joins the outputs and wipes them. */
function joined(outputs: readonly Buffer[]): Buffer {
  if (outputs.length === 1) return outputs[0]!;
  const whole = viewOf(new ArrayBuffer(outputs.reduce((size, output) => size + output.length, 0)));
  let at = 0;
  for (const output of outputs) {
    whole.set(output, at);
    at += output.length;
    output.fill(0);
  }
  return whole;
}
