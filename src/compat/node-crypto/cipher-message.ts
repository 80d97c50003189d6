/**
 * A message of createCipheriv on its way through the engine. The engine starts a message with its
 * additional data, which setAAD tells after the key: until then its key is kept here. The memory is
 * reused, and the key is wiped when the message starts.
 */
import type { CipherFacts } from '../../catalog/facts.js';
import { automatic } from '../../engines/engines.js';
import { failure } from '../../request/errors.js';
import { At, frame } from '../../request/frame.js';
import { copyInto, sizeOf } from '../../request/intrinsics.js';

const KEY_MAX = 32;
const NONCE_MAX = 128;
/** The most messages whose memory is kept for reuse. */
const FREE_MAX = 64;

/** The native engine, whatever `configure` chose for millrace. */
const { binding } = automatic.engines[0]!;

/** See above. */
export class CipherMessage {
  readonly #memory = new ArrayBuffer(KEY_MAX + NONCE_MAX);
  readonly #keyWords = new Float64Array(this.#memory, 0, KEY_MAX / 8);
  readonly #keys: Buffer[] = [];
  readonly #nonces: Buffer[] = [];
  #keySize = 0;
  #nonceSize = 0;
  /** 0 while there is no state in the engine. */
  #handle = 0;

  /** A string is a key in UTF-8, of `keySize` bytes. */
  set(key: Uint8Array | string, keySize: number, nonce: Uint8Array): void {
    this.#keySize = keySize;
    this.#nonceSize = sizeOf(nonce);
    if (typeof key === 'string') this.key.write(key);
    else copyInto(this.key, key, 0);
    copyInto(this.nonce, nonce, 0);
  }

  get key(): Buffer {
    return (this.#keys[this.#keySize] ??= Buffer.from(this.#memory, 0, this.#keySize));
  }

  get nonce(): Buffer {
    const size = this.#nonceSize;
    return (this.#nonces[size] ??= Buffer.from(this.#memory, KEY_MAX, size));
  }

  start({ id }: CipherFacts, encrypt: boolean, aad: Uint8Array): void {
    frame[At.Key] = 0;
    const handle = binding.createCipher(id, encrypt ? 1 : 0, this.nonce, aad, this.key);
    if (handle < 0) throw failure(-handle);
    this.#handle = handle;
    this.#wipeKey();
  }

  /** Encrypts or decrypts `size` bytes. Returns a status. */
  update(source: Uint8Array, size: number, target: Uint8Array): number {
    frame[At.Key] = this.#handle;
    frame[At.SourceOffset] = 0;
    frame[At.SourceSize] = size;
    frame[At.TargetOffset] = 0;
    return binding.updateCipher(source, target);
  }

  /** Ends the message: writes the tag of an encryption, otherwise checks it. Returns a status. */
  finish(tag: Uint8Array, encrypt: boolean): number {
    frame[At.Key] = this.#handle;
    this.#handle = 0;
    return binding.finishCipher(tag, encrypt ? 0 : 1);
  }

  dispose(): void {
    this.#wipeKey();
    if (this.#handle === 0) return;
    frame[At.Key] = this.#handle;
    this.#handle = 0;
    binding.disposeKey();
  }

  #wipeKey(): void {
    const words = this.#keyWords;
    for (let index = 0; index < words.length; index++) words[index] = 0;
  }
}

const free: CipherMessage[] = [];

/** The cipher that was created last, while it has not ended. */
let latest: object | undefined;
let latestMessage: CipherMessage | undefined;

/**
 * Wipes the messages of ciphers that were collected before their end. Only a cipher that has not
 * ended when the next is created is registered, because that takes 500 ns.
 */
const collected = new FinalizationRegistry<CipherMessage>(recycle);

/** Returns the message of a new cipher. */
export function beginMessage(owner: object): CipherMessage {
  if (latest !== undefined) collected.register(latest, latestMessage!, latestMessage);
  latest = owner;
  return (latestMessage = free.pop() ?? new CipherMessage());
}

/** Wipes the message of a cipher that does not need it any more. */
export function endMessage(owner: object, message: CipherMessage): void {
  if (latest === owner) latest = latestMessage = undefined;
  else collected.unregister(message);
  recycle(message);
}

function recycle(message: CipherMessage): void {
  message.dispose();
  if (free.length < FREE_MAX) free.push(message);
}
