/**
 * Sealed files, with a passphrase or a key: writes or reads the header, derives a passphrase's key,
 * then uses the pumps of sealed streams. For both kinds of streams and for whole messages.
 */
import { bytes, data, sizeOf } from '../../base/arguments.js';
import type { OutputSink, Pump } from '../chunk-pump.js';
import { makeError } from '../../base/errors.js';
import { withKeyBytes } from '../../operations/key.js';
import { isKey, type Key } from '../../request/key.js';
import type { KeyInput } from '../../request/key-input.js';
import { ONCE } from '../../base/options.js';
import { SecretKinds } from '../../base/secret-copy.js';
import { secretCopy, secretMemory, wipe, type Secret } from '../../base/secret-memory.js';
import { secretResult } from '../../base/secret-results.js';
import { viewOf, type Buffer } from '#platform/base/runtime.js';
import { OpeningPump, SealingPump } from '../sealed-streams.js';
import {
  FIXED_SIZE,
  headerSize,
  KEY_SIZE,
  notSealedFile,
  readHeader,
  SALT_SIZE,
  writeHeader,
  type HeaderScrypt,
} from '../sealed-file-header.js';
import { checkLimits, keyOf, passphraseBytes } from './derive-key.js';
import {
  keyOpeningSettings,
  keySealingSettings,
  openingSettings,
  sealingSettings,
  type KeyOpenSettings,
  type KeySealSettings,
  type OpenSettings,
  type SealSettings,
} from './parameters.js';

/** A pump that derives or chooses its key first; input waits until then. */
abstract class DerivingPump implements Pump {
  readonly sink: OutputSink;
  /** The passphrase, or the bytes of a key. */
  readonly secret: Secret;
  readonly #ender = new AbortController();
  readonly #signal: AbortSignal | undefined;
  #inner: Pump | undefined;
  /** The pending call for the inner pump: a write, or the end. */
  #waiting: ((pump: Pump) => void) | undefined;
  /** Reports an error to the pending call. */
  #refuse: ((error: Error) => void) | undefined;
  #closed = false;

  constructor(sink: OutputSink, secret: Secret, signal: AbortSignal | undefined) {
    this.sink = sink;
    this.secret = secret;
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
    wipe(this.secret);
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
    super(sink, passphraseBytes(passphrase), signal);
    const salt = globalThis.crypto.getRandomValues(new Uint8Array(SALT_SIZE));
    const scrypt = { N, r: 8, p: 1, salt };
    const header = writeHeader({ algorithm, scrypt });
    this.begin(async (ender) => {
      const key = await keyOf(this.secret, scrypt, { signal: ender, onProgress });
      try {
        return new SealingPump(headerFirst(header, sink), { algorithm, key, context: header });
      } finally {
        wipe(key);
      }
    });
  }

  override write(input: Uint8Array, taken: (error?: Error) => void): void {
    this.whenReady((pump) => pump.write(input, taken), taken);
  }
}

/** Returns a pump that seals with a key. */
export function keySealingPump(
  sink: OutputSink,
  key: unknown,
  { algorithm }: KeySealSettings,
): Pump {
  const header = writeHeader({ algorithm, scrypt: undefined });
  return new SealingPump(headerFirst(header, sink), {
    algorithm,
    key: key as KeyInput,
    context: header,
  });
}

/** Returns a sink that puts the header before the first output. */
function headerFirst(header: Uint8Array, sink: OutputSink): OutputSink {
  let first = true;
  return {
    put(output) {
      if (!first) return sink.put(output);
      first = false;
      sink.put(viewOf(header.buffer, header.byteOffset, header.length));
      return sink.put(output);
    },
    fail: (error) => sink.fail(error),
  };
}

/** Opens. The header names the algorithm and where the key comes from. */
abstract class FileOpeningPump extends DerivingPump {
  #header = new Uint8Array(FIXED_SIZE);
  #headerSize = 0;
  #complete = false;

  /** Refuses a header of another kind; otherwise returns a function that resolves with the key. */
  protected abstract keyFor(
    scrypt: HeaderScrypt | undefined,
  ): (ender: AbortSignal) => Promise<Secret | Key>;

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
        ? notSealedFile(this.#header)
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
        this.#open();
      }
    }
    return rest;
  }

  #open(): void {
    const context = this.#header;
    const { algorithm, scrypt } = readHeader(context);
    const keyOfHeader = this.keyFor(scrypt);
    this.begin(async (ender) => {
      const key = await keyOfHeader(ender);
      try {
        return new OpeningPump(this.sink, { algorithm, key, context });
      } finally {
        if (!isKey(key)) wipe(key);
      }
    });
  }
}

/** Opens with a passphrase. The header sets the parameters of the derivation, within limits. */
export class PassphraseOpeningPump extends FileOpeningPump {
  readonly #settings: OpenSettings;

  constructor(sink: OutputSink, passphrase: unknown, settings: OpenSettings) {
    super(sink, passphraseBytes(passphrase), settings.signal);
    this.#settings = settings;
  }

  protected override keyFor(
    scrypt: HeaderScrypt | undefined,
  ): (ender: AbortSignal) => Promise<Secret | Key> {
    if (scrypt === undefined)
      throw makeError('ERR_FORMAT', 'sealed with a key, not a passphrase: use openWithKey');
    checkLimits(scrypt, this.#settings);
    const { onProgress } = this.#settings;
    return (signal) => keyOf(this.secret, scrypt, { signal, onProgress });
  }
}

/** Opens with a key. */
export class KeyOpeningPump extends FileOpeningPump {
  readonly #key: Key | undefined;

  constructor(sink: OutputSink, key: unknown, { signal }: KeyOpenSettings) {
    super(sink, isKey(key) ? secretMemory(0) : keyBytes(key), signal);
    this.#key = isKey(key) ? key : undefined;
  }

  protected override keyFor(scrypt: HeaderScrypt | undefined): () => Promise<Secret | Key> {
    if (scrypt !== undefined)
      throw makeError('ERR_FORMAT', 'sealed with a passphrase, not a key: use openWithPassphrase');
    return async () => this.#key ?? this.secret;
  }
}

/** Copies a key until the header names the algorithm. */
function keyBytes(key: unknown): Secret {
  const checkedCopy = (secret: Uint8Array): Secret => {
    if (sizeOf(secret) !== KEY_SIZE)
      throw makeError('ERR_KEY_SIZE', `key must be ${KEY_SIZE} bytes, not ${sizeOf(secret)}`);
    return secretCopy(secret);
  };
  return withKeyBytes(key, checkedCopy, 'key', SecretKinds.Prepared);
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

/** Seals a message in memory with a key. The message is copied at the call. */
export async function sealWithKey(
  key: unknown,
  source: unknown,
  options: unknown,
): Promise<Buffer> {
  const settings = keySealingSettings(options, false);
  return through(data(source, 'data'), settings.signal, (sink) =>
    keySealingPump(sink, key, settings),
  );
}

/** Opens a message in memory with a key. Rejects unless all of it opens. */
export async function openWithKey(
  key: unknown,
  source: unknown,
  options: unknown,
): Promise<Buffer> {
  const settings = keyOpeningSettings(options, false);
  return through(
    bytes(source, 'data'),
    settings.signal,
    (sink) => new KeyOpeningPump(sink, key, settings),
  );
}

function through(
  source: Uint8Array,
  signal: AbortSignal | undefined,
  make: (sink: OutputSink) => Pump,
): Promise<Buffer> {
  const message = secretCopy(source);
  return new Promise((resolve, reject) => {
    const outputs: Secret<Buffer>[] = [];
    signal?.throwIfAborted();
    const pump = make({
      put: (output) => outputs.push(output as Secret<Buffer>) > 0,
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
    signal?.addEventListener('abort', abort, ONCE);
    const failed = (error: Error): void => {
      for (const output of outputs) wipe(output);
      pump.close(error);
      finish(() => reject(error));
    };
    pump.write(message, (error) => {
      if (error !== undefined) return failed(error);
      pump.end((reason) => {
        if (reason !== undefined) return failed(reason);
        let whole: Buffer;
        try {
          whole = joined(outputs);
        } catch (thrown) {
          return failed(thrown as Error);
        }
        pump.close();
        finish(() => resolve(whole));
      });
    });
  });
}

/** Joins the outputs and wipes them. */
function joined(outputs: readonly Secret<Buffer>[]): Buffer {
  if (outputs.length === 1) return outputs[0]!;
  const whole = secretResult(outputs.reduce((size, output) => size + output.length, 0));
  let at = 0;
  for (const output of outputs) {
    whole.set(output, at);
    at += output.length;
    wipe(output);
  }
  return whole;
}
