/**
 * Files of age (https://c2sp.org/age): a header, a nonce and sealed chunks, by the pump of sealed
 * streams; for both kinds of streams, for whole messages and for ranges of them.
 */
import { bytes, data, joined, part, sizeOf, type Data } from '../../base/arguments.js';
import { makeError, wrongType } from '../../base/errors.js';
import { secretCopy, wipe, type Secret } from '../../base/secret-memory.js';
import { secretResult, secretText } from '../../base/secret-results.js';
import { allocateApart, type Buffer } from '#platform/base/runtime.js';
import { TAG_SIZE } from '../chunk-format.js';
import { ChunkPump, type OutputSink } from '../chunk-pump.js';
import { cut } from '../open-range.js';
import { rangeReader } from '../range-reader.js';
import type { ReadRange } from '../../calls/outboards.js';
import { keyOf } from '../passphrase/derive-key.js';
import { through, type SealingWork } from '../sealed-streams.js';
import { ArmorReader, ArmorWriter } from './armor.js';
import {
  CHUNK_SIZE,
  NONCE_SIZE,
  payloadKey,
  SEALED_CHUNK_SIZE,
  unwrapFileKey,
  wrapFileKey,
  type PayloadKey,
} from './format.js';
import {
  checkMac,
  decode,
  encode,
  FILE_KEY_SIZE,
  HEADER_MAX_BYTES,
  HeaderReader,
  malformed,
  writeHeader,
  type Header,
  type Stanza,
} from './header.js';
import {
  decryptSettings,
  encryptSettings,
  rangeSettings,
  type DecryptSettings,
  type EncryptSettings,
} from './options.js';
import { readIdentities } from './recipients.js';
import { randomSecret, WRAPPED_SIZE, type Identity } from './x25519.js';

export { generate, recipientsOf } from './recipients.js';

const SCRYPT = 'scrypt';
const SALT_SIZE = 16;
const SALT_LABEL = 'age-encryption.org/v1/scrypt';

/** Returns a copy of a passphrase. */
function passphraseOf(passphrase: Data): Secret {
  const copy =
    typeof passphrase === 'string'
      ? secretText(passphrase)
      : secretCopy(data(passphrase, 'options.passphrase'));
  if (copy.length === 0)
    throw makeError('ERR_ARGUMENT_VALUE', 'options.passphrase must not be empty');
  return copy;
}

/** Derives the key that wraps a file key, and wipes the passphrase. */
function scryptKey(
  passphrase: Secret,
  salt: Uint8Array,
  workFactor: number,
  signal: AbortSignal,
): Promise<Secret<Buffer>> {
  const salted = joined([secretText(SALT_LABEL), salt], allocateApart);
  const scrypt = { N: 2 ** workFactor, r: 8, p: 1, salt: salted };
  return keyOf(passphrase, scrypt, { signal, onProgress: undefined });
}

/** Encrypts. The header is the first output. */
class EncryptingPump extends ChunkPump {
  readonly #armor: ArmorWriter | undefined;
  readonly #passphrase: Secret | undefined;
  readonly #ender = new AbortController();

  constructor(sink: OutputSink, settings: EncryptSettings) {
    const armor = settings.armor ? new ArmorWriter(sink) : undefined;
    super(armor ?? sink, { size: CHUNK_SIZE, sealed: false, marksLast: true }, 0);
    this.#armor = armor;
    if (settings.passphrase !== undefined) this.#passphrase = passphraseOf(settings.passphrase);
    this.hold(this.#begin(settings));
  }

  async #begin({ recipients, workFactor }: EncryptSettings): Promise<void> {
    const fileKey = randomSecret(FILE_KEY_SIZE);
    try {
      const stanzas: Stanza[] = [];
      if (this.#passphrase !== undefined) {
        const salt = randomSecret(SALT_SIZE);
        const key = await scryptKey(this.#passphrase, salt, workFactor, this.#ender.signal);
        const args = [encode(salt), String(workFactor)];
        stanzas.push({ type: SCRYPT, args, body: wrapFileKey(key, fileKey) });
      }
      for (const recipient of recipients) stanzas.push(await recipient.wrap(fileKey));
      if (this.closed) return;
      const nonce = randomSecret(NONCE_SIZE);
      this.begun(payloadKey(fileKey, nonce));
      const header = writeHeader(stanzas, fileKey);
      if (header.length > HEADER_MAX_BYTES)
        throw makeError(
          'ERR_ARGUMENT_VALUE',
          `options.recipients: their header has ${header.length} bytes; the most that ` +
            `is read are ${HEADER_MAX_BYTES}`,
        );
      this.emit(joined([header, nonce], allocateApart));
    } finally {
      wipe(fileKey);
    }
  }

  protected override finished(): void {
    this.#armor?.finish();
  }

  protected override wipe(): void {
    if (this.#passphrase !== undefined) wipe(this.#passphrase);
    this.#ender.abort();
  }
}

/** Unwraps the key of a file, with the first of some secrets that fits. */
class Unwrapper {
  readonly #identities: Identity[] = [];
  readonly #passphrase: Secret | undefined;
  readonly #maxWorkFactor: number;
  readonly #ender = new AbortController();

  constructor({ identities, passphrase, maxWorkFactor }: DecryptSettings) {
    try {
      for (const [index, text] of identities.entries())
        this.#identities.push(...readIdentities(text, `options.identities[${index}]`));
      if (passphrase !== undefined) this.#passphrase = passphraseOf(passphrase);
    } catch (error) {
      this.dispose();
      throw error;
    }
    this.#maxWorkFactor = maxWorkFactor;
  }

  /** Resolves to the file key of a header, of which it checks the MAC. */
  async unwrap(header: Header): Promise<Secret<Uint8Array>> {
    const fileKey = await this.#find(header.stanzas);
    if (fileKey === undefined)
      throw makeError(
        'ERR_AUTHENTICATION',
        'authentication failed: ' +
          (header.stanzas[0]!.type !== SCRYPT
            ? 'no identity is of a recipient of the age file'
            : this.#passphrase === undefined
              ? 'the age file has a passphrase, not recipients'
              : 'the passphrase of the age file is another one'),
      );
    try {
      checkMac(header, fileKey);
      return fileKey;
    } catch (error) {
      wipe(fileKey);
      throw error;
    }
  }

  async #find(stanzas: readonly Stanza[]): Promise<Secret<Uint8Array> | undefined> {
    if (stanzas.some(({ type }) => type === SCRYPT)) {
      if (stanzas.length > 1) throw malformed('a passphrase is not alone');
      return this.#passphrase && this.#unwrapScrypt(stanzas[0]!, this.#passphrase);
    }
    for (const identity of this.#identities)
      for (const stanza of stanzas) {
        // Each attempt ends a turn of the event loop, in which an abort may arrive.
        const fileKey = await identity.unwrap(stanza);
        if (fileKey !== undefined || this.#ender.signal.aborted) return fileKey;
      }
    return undefined;
  }

  async #unwrapScrypt(
    { args, body }: Stanza,
    passphrase: Secret,
  ): Promise<Secret<Uint8Array> | undefined> {
    const isComplete = args.length === 2;
    const [digits, factor] = isComplete ? (args as [string, string]) : ['', ''];
    const salt = decode(digits);
    if (salt?.length !== SALT_SIZE || !/^[1-9][0-9]*$/.test(factor) || body.length !== WRAPPED_SIZE)
      throw malformed('the recipient scrypt has not a salt, a work factor and a key');
    if (Number(factor) > this.#maxWorkFactor)
      throw makeError(
        'ERR_WORK_LIMIT',
        `the age file asks for scrypt with N = 2^${factor.slice(0, 10)}; options.maxWorkFactor ` +
          `allows 2^${this.#maxWorkFactor}`,
      );
    const key = await scryptKey(passphrase, salt, Number(factor), this.#ender.signal);
    return unwrapFileKey(key, body);
  }

  /** Wipes the secrets, and stops a derivation. */
  dispose(): void {
    for (const identity of this.#identities) identity.dispose();
    if (this.#passphrase !== undefined) wipe(this.#passphrase);
    this.#ender.abort();
  }
}

const endsInHeader = (): Error => makeError('ERR_TRUNCATED', 'the age file ends in its header');

/** Refuses a last chunk without a tag, or without data after others. */
function checkLastChunk(size: number, number: number): void {
  if (size < TAG_SIZE) throw makeError('ERR_TRUNCATED', 'the age file ends before its last chunk');
  if (size === TAG_SIZE && number > 0)
    throw makeError('ERR_FORMAT', 'the last chunk of the age file is empty');
}

/** The first letter of a header; armor begins with another. */
const HEADER_FIRST = 0x61;

/** Decrypts. */
class DecryptingPump extends ChunkPump {
  readonly #unwrapper: Unwrapper;
  readonly #header = new HeaderReader();
  #armor: ArmorReader | undefined;
  #begun = false;
  #fileKey: Secret<Uint8Array> | undefined;
  readonly #nonce = allocateApart(NONCE_SIZE);
  #nonceSize = 0;

  constructor(sink: OutputSink, settings: DecryptSettings) {
    super(sink, { size: SEALED_CHUNK_SIZE, sealed: true, marksLast: true }, 0);
    this.#unwrapper = new Unwrapper(settings);
  }

  protected override decode(input: Uint8Array): Uint8Array {
    if (!this.#begun && sizeOf(input) > 0) {
      this.#begun = true;
      if (input[0] !== HEADER_FIRST) this.#armor = new ArmorReader();
    }
    return this.#armor === undefined ? input : this.#armor.decode(input);
  }

  protected override header(input: Uint8Array, at: number): number {
    if (!this.#header.complete) {
      const taken = this.#header.take(input, at);
      if (this.#header.complete) this.hold(this.#unwrap());
      return taken;
    }
    if (this.hasKey) return 0;
    const size = Math.min(NONCE_SIZE - this.#nonceSize, sizeOf(input) - at);
    this.#nonce.set(part(input, at, size), this.#nonceSize);
    this.#nonceSize += size;
    if (this.#nonceSize === NONCE_SIZE) {
      this.begun(payloadKey(this.#fileKey!, this.#nonce));
      wipe(this.#fileKey!);
    }
    return size;
  }

  async #unwrap(): Promise<void> {
    const fileKey = await this.#unwrapper.unwrap(this.#header.read());
    this.#unwrapper.dispose();
    if (this.closed) wipe(fileKey);
    else this.#fileKey = fileKey;
  }

  protected override checkLast(size: number, number: number): void {
    this.#armor?.finish();
    if (!this.hasKey) throw endsInHeader();
    checkLastChunk(size, number);
  }

  protected override wipe(): void {
    this.#unwrapper.dispose();
    if (this.#fileKey !== undefined) wipe(this.#fileKey);
  }
}

/** Encrypts; checks the options of a call or, by default, of a stream. */
export function encrypting(options: unknown, stream = true): SealingWork {
  const settings = encryptSettings(options, stream);
  return { ...settings, makePump: (sink) => new EncryptingPump(sink, settings) };
}

/** Decrypts; checks the options of a call or, by default, of a stream. */
export function decrypting(options: unknown, stream = true): SealingWork {
  const settings = decryptSettings(options, stream);
  return { ...settings, makePump: (sink) => new DecryptingPump(sink, settings) };
}

/** Encrypts a message in memory, which is copied at the call. */
export async function encryptMessage(source: unknown, options: unknown): Promise<Buffer> {
  const work = encrypting(options, false);
  return through(data(source, 'data'), work);
}

/** Decrypts a file in memory, which is copied at the call. Rejects unless all is authentic. */
export async function decryptMessage(source: unknown, options: unknown): Promise<Buffer> {
  const work = decrypting(options, false);
  return through(bytes(source, 'data'), work);
}

/** How much of a file is read for its header at first; most have less. */
const HEADER_FIRST_BYTES = 4096;

/** Decrypts a part of a file. */
export async function decryptPart(read: unknown, options: unknown): Promise<Buffer> {
  if (typeof read !== 'function') throw wrongType('read', 'a function', read);
  const settings = rangeSettings(options);
  const { start, end, take } = rangeReader(read as ReadRange, settings, Number.MAX_SAFE_INTEGER);
  const unwrapper = new Unwrapper(settings);
  let key: PayloadKey | undefined;
  try {
    const header = new HeaderReader();
    let place = 0;
    for (let size = HEADER_FIRST_BYTES; !header.complete; size = HEADER_MAX_BYTES) {
      const taken = await take(place, place + size);
      if (sizeOf(taken) === 0) throw endsInHeader();
      if (place === 0 && taken[0] !== HEADER_FIRST)
        throw makeError('ERR_FORMAT', 'not an age file, or an armored one, which has no ranges');
      place += header.take(taken, 0);
    }
    const fileKey = await unwrapper.unwrap(header.read());
    const nonce = await take(place, place + NONCE_SIZE);
    if (sizeOf(nonce) < NONCE_SIZE) throw endsInHeader();
    key = payloadKey(fileKey, nonce);
    wipe(fileKey);
    const first = Math.floor(start / CHUNK_SIZE);
    const wanted = (Math.ceil(end / CHUNK_SIZE) - first) * SEALED_CHUNK_SIZE;
    place += NONCE_SIZE + first * SEALED_CHUNK_SIZE;
    // One byte more tells whether the last of the chunks is that of the message.
    const sealed = secretCopy(await take(place, place + wanted + 1));
    const isLast = sealed.length <= wanted;
    const size = Math.min(sealed.length, wanted);
    const count = Math.ceil(size / SEALED_CHUNK_SIZE);
    if (count === 0) return secretResult(0);
    const whole = isLast ? count - 1 : count;
    if (isLast) checkLastChunk(size - whole * SEALED_CHUNK_SIZE, first + whole);
    const opened = secretResult(size - count * TAG_SIZE);
    const chunks = { first, count, last: isLast, isOver: () => false };
    await key.runs('open', chunks, sealed.subarray(0, size), opened);
    return cut(opened, start - first * CHUNK_SIZE, end - first * CHUNK_SIZE);
  } finally {
    unwrapper.dispose();
    key?.dispose();
  }
}
