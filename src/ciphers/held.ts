/** Plaintext that is held until its tag is checked. */
import { makeError } from '../base/errors.js';
import { part } from '../base/arguments.js';
import { wipe, type Secret } from '../base/secret-memory.js';
import { secretResult } from '../base/secret-results.js';
import type { Buffer } from '#platform/base/runtime.js';

/** The most bytes that a decipher holds. */
export const HELD_MAX = 64 * 2 ** 20;

/** The capacity of the first memory, in bytes. */
const FIRST = 1024;

/** Memory that grows with the message, in separate ArrayBuffers, which are wiped. */
export class HeldText {
  #memory: Secret<Buffer> = secretResult(0);
  /** The bytes that are held. */
  size = 0;

  /** Makes room for more bytes and returns the memory; they go to `size` and on. */
  reserve(count: number): Buffer {
    const size = this.size + count;
    if (size > HELD_MAX)
      throw makeError(
        'ERR_HELD_LIMIT',
        `the decipher holds plaintext until its tag is checked, at most ${HELD_MAX} bytes: use ` +
          'sealStream and openStream for long messages, or options.unverified',
      );
    const memory = this.#memory;
    if (size <= memory.length) return memory;
    const capacity = Math.min(Math.max(size, 2 * memory.length, FIRST), HELD_MAX);
    const larger = secretResult(capacity);
    if (this.size > 0) larger.set(part(memory, 0, this.size));
    this.wipe();
    this.#memory = larger;
    return larger;
  }

  /** Returns the plaintext, of which nothing remains here. */
  take(): Buffer {
    const memory = this.#memory;
    if (memory.length === this.size) {
      this.#memory = secretResult(0);
      return memory;
    }
    const result = secretResult(this.size);
    if (this.size > 0) result.set(part(memory, 0, this.size));
    this.wipe();
    return result;
  }

  /** Returns a copy. */
  copy(): HeldText {
    const copy = new HeldText();
    if (this.size > 0) {
      copy.reserve(this.size).set(part(this.#memory, 0, this.size));
      copy.size = this.size;
    }
    return copy;
  }

  /** Wipes the memory. */
  wipe(): void {
    wipe(this.#memory);
  }
}
