/**
 * Sealed files, with a passphrase or a key: writes or reads the header, derives a passphrase's key,
 * then uses the pumps of sealed streams. For both kinds of streams and for whole messages.
 */
import { bytes, data, part, sizeOf } from '../../base/arguments.js';
import { type ChunkPump, type OutputSink } from '../chunk-pump.js';
import { makeError } from '../../base/errors.js';
import { withKeyBytes } from '../../operations/key.js';
import { isKey, type Key } from '../../request/key.js';
import type { KeyInput } from '../../request/key-input.js';
import { SecretKinds } from '../../base/secret-copy.js';
import { secretCopy, secretMemory, wipe, type Secret } from '../../base/secret-memory.js';
import { viewOf, type Buffer } from '#platform/base/runtime.js';
import { OpeningPump, SealingPump, through, type SealingWork } from '../sealed-streams.js';
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
  type KeySealSettings,
  type OpenSettings,
  type SealSettings,
} from './parameters.js';

/** Seals with a passphrase. The file's header is the first output. */
class PassphraseSealingPump extends SealingPump {
  readonly #passphrase: Secret;
  readonly #ender = new AbortController();

  constructor(sink: OutputSink, passphrase: unknown, { algorithm, N, onProgress }: SealSettings) {
    super(sink, undefined);
    this.#passphrase = passphraseBytes(passphrase);
    const salt = globalThis.crypto.getRandomValues(new Uint8Array(SALT_SIZE));
    const scrypt = { N, r: 8, p: 1, salt };
    const context = writeHeader({ algorithm, scrypt });
    const { signal } = this.#ender;
    const deriving = keyOf(this.#passphrase, scrypt, { signal, onProgress });
    this.hold(
      deriving.then((key) => {
        try {
          if (!this.closed) this.begin({ algorithm, key, context }, viewOf(context.buffer));
        } finally {
          wipe(key);
        }
      }),
    );
  }

  protected override wipe(): void {
    super.wipe();
    // A waiting derivation has a copy.
    wipe(this.#passphrase);
    this.#ender.abort();
  }
}

/** Returns a pump that seals with a key. */
function keySealingPump(sink: OutputSink, key: unknown, { algorithm }: KeySealSettings): ChunkPump {
  const context = writeHeader({ algorithm, scrypt: undefined });
  const sealing = { algorithm, key: key as KeyInput, context };
  return new SealingPump(sink, sealing, undefined, 0, viewOf(context.buffer));
}

/** Refuses a header of another kind; otherwise returns a function that resolves with the key. */
type KeyFor = (scrypt: HeaderScrypt | undefined) => (ender: AbortSignal) => Promise<Secret | Key>;

/** Opens. The header names the algorithm and where the key comes from. */
class FileOpeningPump extends OpeningPump {
  /** The passphrase, or the bytes of a key. */
  readonly #secret: Secret;
  readonly #keyFor: KeyFor;
  readonly #ender = new AbortController();
  #fileHeader = new Uint8Array(FIXED_SIZE);
  #fileHeaderSize = 0;
  #complete = false;

  constructor(sink: OutputSink, secret: Secret, keyFor: KeyFor) {
    super(sink, undefined);
    this.#secret = secret;
    this.#keyFor = keyFor;
  }

  protected override header(input: Uint8Array, at: number): number {
    if (this.#complete) return super.header(input, at);
    const size = Math.min(this.#fileHeader.length - this.#fileHeaderSize, sizeOf(input) - at);
    this.#fileHeader.set(part(input, at, size), this.#fileHeaderSize);
    this.#fileHeaderSize += size;
    if (this.#fileHeaderSize < this.#fileHeader.length) return size;
    const whole = headerSize(this.#fileHeader);
    if (whole > this.#fileHeaderSize) {
      const longer = new Uint8Array(whole);
      longer.set(this.#fileHeader);
      this.#fileHeader = longer;
    } else {
      this.#complete = true;
      const context = this.#fileHeader;
      const { algorithm, scrypt } = readHeader(context);
      const keyOfHeader = this.#keyFor(scrypt);
      this.hold(
        keyOfHeader(this.#ender.signal).then((key) => {
          try {
            if (!this.closed) this.begin({ algorithm, key, context });
          } finally {
            if (!isKey(key)) wipe(key);
          }
        }),
      );
    }
    return size;
  }

  protected override notCommitted(): Error {
    return makeError(
      'ERR_AUTHENTICATION',
      'authentication failed: wrong passphrase or key, or the header was changed',
    );
  }

  protected override checkLast(size: number): void {
    if (this.#complete) super.checkLast(size);
    else if (this.#fileHeaderSize < FIXED_SIZE) throw notSealedFile(this.#fileHeader);
    else throw makeError('ERR_TRUNCATED', 'the stream ends in its header');
  }

  protected override wipe(): void {
    super.wipe();
    // A waiting derivation has a copy.
    wipe(this.#secret);
    this.#ender.abort();
  }
}

/** Returns a pump that opens with a passphrase, within limits on what the header requires. */
function passphraseOpeningPump(
  sink: OutputSink,
  passphrase: unknown,
  settings: OpenSettings,
): ChunkPump {
  const secret = passphraseBytes(passphrase);
  return new FileOpeningPump(sink, secret, (scrypt) => {
    if (scrypt === undefined)
      throw makeError('ERR_FORMAT', 'sealed with a key, not a passphrase: use openWithKey');
    checkLimits(scrypt, settings);
    return (signal) => keyOf(secret, scrypt, { signal, onProgress: settings.onProgress });
  });
}

/** Returns a pump that opens with a key. */
function keyOpeningPump(sink: OutputSink, key: unknown): ChunkPump {
  const secret = isKey(key) ? secretMemory(0) : keyBytes(key);
  return new FileOpeningPump(sink, secret, (scrypt) => {
    if (scrypt !== undefined)
      throw makeError('ERR_FORMAT', 'sealed with a passphrase, not a key: use openWithPassphrase');
    return async () => (isKey(key) ? key : secret);
  });
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

// Each checks the options of a call or, by default, of a stream.

/** Seals with a passphrase. */
export function sealingWithPassphrase(
  passphrase: unknown,
  options: unknown,
  stream = true,
): SealingWork {
  const settings = sealingSettings(options, stream);
  return { ...settings, makePump: (sink) => new PassphraseSealingPump(sink, passphrase, settings) };
}

/** Opens with a passphrase. */
export function openingWithPassphrase(
  passphrase: unknown,
  options: unknown,
  stream = true,
): SealingWork {
  const settings = openingSettings(options, stream);
  return { ...settings, makePump: (sink) => passphraseOpeningPump(sink, passphrase, settings) };
}

/** Seals with a key. */
export function sealingWithKey(key: unknown, options: unknown, stream = true): SealingWork {
  const settings = keySealingSettings(options, stream);
  return { ...settings, makePump: (sink) => keySealingPump(sink, key, settings) };
}

/** Opens with a key. */
export function openingWithKey(key: unknown, options: unknown, stream = true): SealingWork {
  const settings = keyOpeningSettings(options, stream);
  return { ...settings, makePump: (sink) => keyOpeningPump(sink, key) };
}

/** Seals a message in memory, which is copied at the call. */
export async function sealWithPassphrase(...given: Message): Promise<Buffer> {
  const [passphrase, source, options] = given;
  const work = sealingWithPassphrase(passphrase, options, false);
  return through(data(source, 'data'), work);
}

/** Opens a message in memory. Rejects unless all of it opens. */
export async function openWithPassphrase(...given: Message): Promise<Buffer> {
  const [passphrase, source, options] = given;
  const work = openingWithPassphrase(passphrase, options, false);
  return through(bytes(source, 'data'), work);
}

/** Seals a message in memory with a key. The message is copied at the call. */
export async function sealWithKey(...given: Message): Promise<Buffer> {
  const [key, source, options] = given;
  const work = sealingWithKey(key, options, false);
  return through(data(source, 'data'), work);
}

/** Opens a message in memory with a key. Rejects unless all of it opens. */
export async function openWithKey(...given: Message): Promise<Buffer> {
  const [key, source, options] = given;
  const work = openingWithKey(key, options, false);
  return through(bytes(source, 'data'), work);
}

type Message = readonly [secret: unknown, source: unknown, options: unknown];
