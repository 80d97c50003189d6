/**
 * Prepared keys and the messages of incremental ciphers, by their handles. Their bytes are here, in
 * memory that does not move, and in a module's only during a call.
 */
import { Purpose, Status } from '../base/protocol.js';
import { secretMemory, wipe, type Secret } from '../base/secret-memory.js';
import type { ImportedKey } from './webcrypto.js';
import { refuse } from './windows.js';

/** A key that was prepared. */
export class PreparedKey {
  /** What was computed from it: of an HMAC the states after its blocks; of AES-GCM a message. */
  states: Secret | undefined;
  /** As WebCrypto has it; null while it is being imported. */
  imported: ImportedKey | null | undefined;

  constructor(
    readonly purpose: Purpose,
    readonly algorithm: number,
    public bytes: Secret,
  ) {}

  dispose(): void {
    wipe(this.bytes);
    if (this.states !== undefined) wipe(this.states);
    this.imported = undefined;
  }

  /** Returns a key of the same hash with more parameters: the last byte of a block ends it. */
  with(parameters: Uint8Array): PreparedKey {
    if (this.purpose !== Purpose.Hash) refuse(Status.KeyAlgorithm);
    const entries = Math.max(0, this.bytes.length - 1);
    const bytes = secretMemory(entries + parameters.length);
    bytes.set(this.bytes.subarray(0, entries));
    bytes.set(parameters, entries);
    return new PreparedKey(Purpose.Hash, this.algorithm, bytes);
  }
}

/**
 * An asymmetric key, whose bytes public-keys.ts describes; none while it is only reserved.
 */
export class AsymmetricKey extends PreparedKey {
  #disposed = false;

  constructor(bytes = secretMemory(0)) {
    // The purpose of no other operation.
    super(-1 as Purpose, 0, bytes);
  }

  /** Takes the bytes; wipes and refuses them if the key has some, or was disposed of meanwhile. */
  fill(bytes: Secret): void {
    if (this.bytes.length === 0 && !this.#disposed) {
      this.bytes = bytes;
      return;
    }
    wipe(bytes);
    refuse(Status.Argument);
  }

  override dispose(): void {
    this.#disposed = true;
    super.dispose();
  }
}

/** A message of an incremental cipher. */
export interface RunningCipher {
  update(source: Uint8Array, target: Uint8Array): void;
  /** Writes the tag, or checks it. */
  finish(tag: Uint8Array, verify: boolean): void;
  copy(): RunningCipher;
  dispose(): void;
}

/** What an engine keeps, by handles of which none is used twice. */
export class Keys {
  readonly #held = new Map<number, PreparedKey | RunningCipher>();
  #last = 0;

  /** The number of keys and messages. */
  get size(): number {
    return this.#held.size;
  }

  /** Returns the handle. */
  keep(held: PreparedKey | RunningCipher): number {
    this.#held.set(++this.#last, held);
    return this.#last;
  }

  /** Returns the key of a handle. */
  key(handle: number): PreparedKey {
    const held = this.#held.get(handle) ?? refuse(Status.KeyDisposed);
    return held instanceof PreparedKey ? held : refuse(Status.KeyAlgorithm);
  }

  /** Returns the asymmetric key of a handle. */
  asymmetric(handle: number): AsymmetricKey {
    const key = this.key(handle);
    return key instanceof AsymmetricKey ? key : refuse(Status.KeyAlgorithm);
  }

  /** Returns the message of a handle. */
  message(handle: number): RunningCipher {
    const held = this.#held.get(handle) ?? refuse(Status.KeyDisposed);
    return held instanceof PreparedKey ? refuse(Status.KeyAlgorithm) : held;
  }

  /** Wipes a key or a message. Returns false if it was disposed before. */
  dispose(handle: number): boolean {
    const held = this.#held.get(handle);
    held?.dispose();
    return this.#held.delete(handle);
  }
}
