/**
 * An authenticated message on its way through the engine. The engine starts a message with its
 * additional data, which setAAD tells after the key: until then its key is kept here. The memory is
 * reused, and the key is wiped when the message starts, when it ends, or when the cipher is
 * collected before.
 */
import type { CipherFacts } from '../../catalog/facts.js';
import { automatic } from '../../engines/engines.js';
import { failure } from '../../base/errors.js';
import { At, frame } from '../../base/frame.js';
import { copyInto, sizeOf } from '../../base/intrinsics.js';
import { secretMemory } from '../../base/secret-memory.js';

export const KEY_MAX = 32;
const NONCE_MAX = 128;
/** The most messages that are kept for reuse. */
const FREE_MAX = 64;

/** The native engine, whatever `configure` chose for millrace. */
export const { binding } = automatic.engines[0]!;

/** The contents that must be wiped when a message is collected before its end. */
interface Contents {
  readonly keyWords: Float64Array;
  /** 0 while there is no state in the engine. */
  handle: number;
}

/**
 * Each message is registered once, not each cipher that uses it: that takes 500 ns. A cipher that
 * ends puts its message back, and one that is collected takes its message with it.
 */
const collected = new FinalizationRegistry<Contents>(clear);

function clear(contents: Contents): void {
  const { keyWords, handle } = contents;
  for (let index = 0; index < keyWords.length; index++) keyWords[index] = 0;
  if (handle === 0) return;
  frame[At.Key] = handle;
  contents.handle = 0;
  binding.disposeKey();
}

/** See above. */
export class CipherMessage {
  readonly #memory = secretMemory(KEY_MAX + NONCE_MAX).buffer;
  readonly #contents: Contents = {
    keyWords: new Float64Array(this.#memory, 0, KEY_MAX / 8),
    handle: 0,
  };
  /** Views of the memory, by size. */
  readonly #keys: Buffer[] = [];
  readonly #nonces: Buffer[] = [];
  key!: Buffer;
  nonce!: Buffer;

  constructor() {
    collected.register(this, this.#contents);
  }

  /** Sets key and nonce. A string is a key in UTF-8, of `keySize` bytes. */
  set(key: Uint8Array | string, keySize: number, nonce: Uint8Array): void {
    this.key = this.#view(this.#keys, 0, keySize);
    this.nonce = this.#view(this.#nonces, KEY_MAX, sizeOf(nonce));
    if (typeof key === 'string') this.key.write(key);
    else copyInto(this.key, key, 0);
    copyInto(this.nonce, nonce, 0);
  }

  /** Returns the view of this size, made at its first use. */
  #view(views: Buffer[], offset: number, size: number): Buffer {
    for (let index = 0; index < views.length; index++)
      if (views[index]!.length === size) return views[index]!;
    const view = Buffer.from(this.#memory, offset, size);
    views.push(view);
    return view;
  }

  start({ id }: CipherFacts, encrypt: boolean, aad: Uint8Array): void {
    frame[At.Key] = 0;
    const handle = binding.createCipher(id, encrypt ? 1 : 0, this.nonce, aad, this.key);
    if (handle < 0) throw failure(-handle);
    clear(this.#contents);
    this.#contents.handle = handle;
  }

  /** Encrypts or decrypts `size` bytes. Returns a status. */
  update(source: Uint8Array, size: number, target: Uint8Array): number {
    return updateState(this.#contents.handle, source, size, target);
  }

  /** Ends the message: writes the tag of an encryption, otherwise checks it. Returns a status. */
  finish(tag: Uint8Array, encrypt: boolean): number {
    frame[At.Key] = this.#contents.handle;
    this.#contents.handle = 0;
    return binding.finishCipher(tag, encrypt ? 0 : 1);
  }

  /** Wipes the message. It is not used any more, except by its next owner. */
  end(): void {
    clear(this.#contents);
    if (free.length < FREE_MAX) free.push(this);
  }
}

const free: CipherMessage[] = [];

/** Encrypts or decrypts `size` bytes with a state in the engine. Returns a status. */
export function updateState(
  handle: number,
  source: Uint8Array,
  size: number,
  target: Uint8Array,
): number {
  frame[At.Key] = handle;
  frame[At.SourceOffset] = 0;
  frame[At.SourceSize] = size;
  frame[At.TargetOffset] = 0;
  return binding.updateCipher(source, target);
}

/** Returns the message of a new cipher. A string is a key in UTF-8, of `keySize` bytes. */
export function beginMessage(
  key: Uint8Array | string,
  keySize: number,
  nonce: Uint8Array,
): CipherMessage {
  const message = free.pop() ?? new CipherMessage();
  message.set(key, keySize, nonce);
  return message;
}
