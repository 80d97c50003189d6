/**
 * The messages of ciphers in pieces, by handle: what crates/node/src/running_cipher.rs does. Their
 * handles are above those of keys.
 */
import { Purpose, Status } from '../request/frame.js';
import { ciphers } from '../catalog/catalog-table.js';
import {
  runningChaCha,
  runningChaChaPoly,
  runningCtr,
  runningGcm,
  type RunningMessage,
} from './ciphers/running.js';
import { move, sameTag } from './ciphers/text.js';
import { ivFits, tagFits } from './execute.js';
import type { PreparedKey } from './keys.js';
import { refuse } from './windows.js';

interface Entry {
  readonly algorithm: number;
  readonly encrypt: boolean;
  readonly message: RunningMessage;
  /** Bytes that may still follow. */
  left: number;
}

/** Handles of keys are below: an index and a generation of 29 bits. */
const FIRST = 2 ** 53 - 2 ** 33;

/** The messages of one engine. */
export class RunningCiphers {
  readonly #entries = new Map<number, Entry>();
  #next = FIRST;

  /** Begins a message; returns its handle. */
  create(
    algorithm: number,
    encrypt: boolean,
    iv: Uint8Array,
    aad: Uint8Array,
    key: Uint8Array | PreparedKey,
  ): number {
    const facts = ciphers[algorithm] ?? refuse(Status.Argument);
    const bytes = key instanceof Uint8Array ? key : keyBytes(key, algorithm);
    if (bytes.length !== facts.keySize) refuse(Status.KeySize);
    if (!ivFits(facts, iv.length)) refuse(Status.IvSize);
    if (!facts.aead && aad.length > 0) refuse(Status.NotSupported);
    if (aad.length > facts.maxAad) refuse(Status.AadTooLarge);
    const message = begin(facts.name, encrypt, bytes, iv, aad);
    return this.#keep({ algorithm, encrypt, message, left: facts.maxSource });
  }

  /** Encrypts or decrypts the next bytes. */
  update(handle: number, source: Uint8Array, target: Uint8Array): void {
    const entry = this.#get(handle);
    if (source.length > entry.left) refuse(Status.SourceTooLarge);
    entry.left -= source.length;
    move(source, target);
    entry.message.update(target);
  }

  /** Ends the message and disposes of it: writes the tag, or checks it. */
  finish(handle: number, tag: Uint8Array, verify: boolean): void {
    const { algorithm, encrypt, message } = this.#get(handle);
    try {
      const facts = ciphers[algorithm]!;
      if (facts.aead && encrypt === verify) refuse(Status.NotSupported);
      if (facts.aead ? !tagFits(facts, tag.length) : tag.length > 0) refuse(Status.TagSize);
      const full = message.tag();
      if (!verify) tag.set(full.subarray(0, tag.length));
      else if (!sameTag(full, tag)) refuse(Status.Authentication);
      full.fill(0);
    } finally {
      this.dispose(handle);
    }
  }

  /** Returns the handle of a copy of a decryption. */
  copy(handle: number): number {
    const entry = this.#get(handle);
    if (entry.encrypt) refuse(Status.NotSupported);
    return this.#keep({ ...entry, message: entry.message.copy() });
  }

  /** Wipes a message. Returns false if there is none of this handle. */
  dispose(handle: number): boolean {
    this.#entries.get(handle)?.message.dispose();
    return this.#entries.delete(handle);
  }

  #keep(entry: Entry): number {
    const handle = this.#next++;
    this.#entries.set(handle, entry);
    return handle;
  }

  #get(handle: number): Entry {
    return this.#entries.get(handle) ?? refuse(Status.KeyDisposed);
  }
}

function keyBytes(key: PreparedKey, algorithm: number): Uint8Array {
  return key.purpose === Purpose.Cipher && key.algorithm === algorithm
    ? key.bytes
    : refuse(Status.KeyAlgorithm);
}

function begin(
  name: string,
  encrypt: boolean,
  key: Uint8Array,
  iv: Uint8Array,
  aad: Uint8Array,
): RunningMessage {
  if (name === 'chacha20') return runningChaCha(key, iv);
  if (name.endsWith('-ctr')) return runningCtr(key, iv);
  if (name.endsWith('-gcm')) return runningGcm(key, iv, aad, encrypt);
  return name.endsWith('-poly1305')
    ? runningChaChaPoly(key, iv, aad, encrypt)
    : refuse(Status.NotSupported);
}
