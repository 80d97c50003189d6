/**
 * A message of AES-CTR or ChaCha20. Programs such as ssh2 make a cipher for each packet and abandon
 * it without `final`; registering each for its finalization takes as long as encrypting a packet.
 * Nothing of a message is therefore its own but its place in the keystream: ciphers with equal keys
 * share a copy of the key, which is registered once, and the engine has the states of the last few
 * ciphers. A cipher without a state begins again at its place.
 */
import type { CipherFacts } from '../../catalog/facts.js';
import { At, frame } from '../../base/frame.js';
import { copyInto, emptySlots, NO_BYTES, part } from '../../base/intrinsics.js';
import { secretMemory, wipe, type Secret } from '../../base/secret-memory.js';
import { binding, KEY_MAX, updateState } from './cipher-message.js';

const NONCE_SIZE = 16;
const AES_BLOCK = 16;
const CHACHA_BLOCK = 64;
/** The most states in the engine. */
const STATES_MAX = 64;
/** The most keys that the key of a new cipher is compared with. */
const SHARED_MAX = 8;
/** The most wiped keys that are kept for reuse. */
const FREE_MAX = 64;

/** A copy of a key. It is wiped when all its ciphers have ended or were collected. */
class SharedKey {
  readonly memory = secretMemory(KEY_MAX);
  /** The part of the memory that the key takes. */
  bytes: Uint8Array = NO_BYTES;
  size = 0;
  /** The number of ciphers that have not ended. */
  ciphers = 0;

  constructor() {
    collectedKeys.register(this, this.memory);
  }

  /** Returns true for an equal key of this size. The time does not depend on the bytes. */
  equals(key: Uint8Array): boolean {
    const { memory, size } = this;
    let difference = 0;
    for (let index = 0; index < size; index++) difference |= memory[index]! ^ key[index]!;
    return difference === 0;
  }
}

const collectedKeys = new FinalizationRegistry<Secret>((memory) => wipe(memory));
const free: SharedKey[] = [];
/** The last keys of ciphers that have not ended. */
const shared: SharedKey[] = [];
let sharedNext = 0;

function shareKey(key: Uint8Array | string, size: number): SharedKey {
  if (typeof key !== 'string')
    for (const each of shared)
      if (each.size === size && each.equals(key)) {
        each.ciphers += 1;
        return each;
      }
  const made = free.pop() ?? new SharedKey();
  if (made.size !== size) made.bytes = part(made.memory, 0, size);
  made.size = size;
  made.ciphers = 1;
  if (typeof key === 'string') Buffer.from(made.memory.buffer).write(key);
  else copyInto(made.memory, key, 0);
  if (shared.length < SHARED_MAX) shared.push(made);
  else shared[sharedNext++ % SHARED_MAX] = made;
  forgetLater();
  return made;
}

function releaseKey(key: SharedKey): void {
  key.ciphers -= 1;
  if (key.ciphers > 0) return;
  wipe(key.memory);
  const at = shared.indexOf(key);
  if (at >= 0) {
    const last = shared.pop()!;
    if (at < shared.length) shared[at] = last;
  }
  if (free.length < FREE_MAX) free.push(key);
}

/** Messages with a state in the engine; the oldest is at `statesNext`. */
const states = emptySlots<StreamMessage>(STATES_MAX);
let statesNext = 0;

/**
 * Forgets keys and states after a garbage collection. Those of abandoned ciphers are then collected
 * by the next one; other ciphers begin again.
 */
const collections = new FinalizationRegistry<undefined>(() => {
  waiting = false;
  shared.length = 0;
  for (const message of states) message?.disposeState();
  states.fill(undefined);
});
let waiting = false;

function forgetLater(): void {
  if (waiting) return;
  waiting = true;
  collections.register({}, undefined);
}

/** The block counter and the nonce at the place where a message begins again. */
const place = secretMemory(NONCE_SIZE);
const keystream = secretMemory(CHACHA_BLOCK);

/** See above. */
export class StreamMessage {
  readonly #facts: CipherFacts;
  readonly #encrypt: boolean;
  readonly #key: SharedKey;
  /** The block counter and the nonce of the first byte. */
  readonly nonce = new Uint8Array(NONCE_SIZE);
  /** The number of bytes that were processed. */
  #size = 0;
  /** 0 while the engine has no state. */
  #handle = 0;
  #index = 0;

  /** Begins a message. A string is a key in UTF-8. */
  constructor(facts: CipherFacts, encrypt: boolean, key: Uint8Array | string, nonce: Uint8Array) {
    this.#facts = facts;
    this.#encrypt = encrypt;
    this.#key = shareKey(key, facts.keySize);
    copyInto(this.nonce, nonce, 0);
  }

  get key(): Uint8Array {
    return this.#key.bytes;
  }

  /** Encrypts or decrypts `size` bytes. Returns a status. */
  update(source: Uint8Array, size: number, target: Uint8Array): number {
    if (this.#handle === 0) {
      const status = this.#begin();
      if (status !== 0) return status;
    }
    this.#size += size;
    return updateState(this.#handle, source, size, target);
  }

  /** Wipes the state, and the key if no other cipher has it. The message is not used any more. */
  end(): void {
    if (this.#handle !== 0) states[this.#index] = undefined;
    this.disposeState();
    releaseKey(this.#key);
  }

  disposeState(): void {
    if (this.#handle === 0) return;
    frame[At.Key] = this.#handle;
    this.#handle = 0;
    binding.disposeKey();
  }

  /** Makes a state at the place of the message. Returns a status. */
  #begin(): number {
    const { id } = this.#facts;
    const skipped = this.#setPlace();
    frame[At.Key] = 0;
    const handle = binding.createCipher(id, this.#encrypt ? 1 : 0, place, NO_BYTES, this.key);
    if (handle < 0) return -handle;
    this.#handle = handle;
    states[statesNext]?.disposeState();
    states[statesNext] = this;
    this.#index = statesNext;
    statesNext = (statesNext + 1) % STATES_MAX;
    forgetLater();
    if (skipped === 0) return 0;
    const status = updateState(handle, keystream, skipped, keystream);
    wipe(keystream);
    return status;
  }

  /** Writes the place of the block that comes next. Returns the bytes of it that are used. */
  #setPlace(): number {
    copyInto(place, this.nonce, 0);
    if (this.#size === 0) return 0;
    // CTR counts in all 16 bytes, the last is the lowest; ChaCha20 in the first 8, the first is.
    const counts = this.#facts.name === 'chacha20';
    const block = counts ? CHACHA_BLOCK : AES_BLOCK;
    let carry = Math.floor(this.#size / block);
    for (let index = 0; index < (counts ? 8 : NONCE_SIZE) && carry > 0; index++) {
      const at = counts ? index : NONCE_SIZE - 1 - index;
      const sum = place[at]! + (carry % 256);
      place[at] = sum;
      carry = Math.floor(carry / 256) + (sum >> 8);
    }
    return this.#size % block;
  }
}
