/** A hash or an HMAC of a message that arrives in parts. */
import { makeError } from '../../base/errors.js';
import { Unclonable } from '../../base/unclonable.js';
import { encoded, encodingOf, type Digest, type Encoding } from './encodings.js';
import { data, memory, NO_BYTES, type Data, type Result } from './inputs.js';
import type { Guard } from '../families/hash.js';
import type { LongOutput } from './long-output.js';

/** The update and output functions of a hash or an HMAC. */
export interface RunningSteps {
  /** Wipes states that may reveal a key. */
  readonly guard: Guard | undefined;
  update(state: Uint8Array, source: Uint8Array, next: Uint8Array): void;
  finish(state: Uint8Array, rest: Uint8Array, target: Uint8Array): void;
  readonly squeeze: ((state: Uint8Array, target: Uint8Array, next: Uint8Array) => void) | undefined;
}

/** A message that arrives in parts, of a hash function or an HMAC. */
export class Running extends Unclonable {
  /** The standard name of the hash. */
  readonly algorithm: string;
  /** The digest's size in bytes. */
  readonly outputLength: number;
  readonly #steps: RunningSteps;
  readonly #stateSize: number;
  readonly #long: LongOutput | undefined;
  #state: Uint8Array = NO_BYTES;
  #phase: 'open' | 'squeezing' | 'finalized' = 'open';

  /** Made by `create` and `createHmac`; `long` as for `makeHash`. */
  constructor(
    algorithm: string,
    steps: RunningSteps,
    size: number,
    stateSize: number,
    long?: LongOutput,
  ) {
    super();
    this.algorithm = algorithm;
    this.outputLength = size;
    this.#steps = steps;
    this.#stateSize = stateSize;
    this.#long = long;
  }

  /**
   * Adds bytes, or a string's UTF-8 encoding, to the message.
   *
   * @throws MillraceError ERR_ARGUMENT_TYPE, ERR_HASHER_SPENT after the digest
   */
  update(part: Data): this {
    this.#expect('open');
    const source = data(part, 'data');
    const next = this.#next();
    this.#steps.update(this.#state, source, next);
    this.#state = next;
    return this;
  }

  /**
   * Ends the message and returns its digest. No operation may follow.
   *
   * @throws MillraceError ERR_HASHER_SPENT, ERR_ARGUMENT_VALUE, ERR_ARGUMENT_TYPE
   */
  digest(): Result;
  digest<E extends Encoding>(encoding: E): Digest<E>;
  digest(encoding?: unknown): unknown {
    this.#expect('open');
    const wanted = encodingOf(encoding);
    this.#long?.check(this.outputLength, wanted);
    const digest = memory(this.outputLength);
    this.#steps.finish(this.#state, NO_BYTES, digest);
    this.#state.fill(0);
    this.#phase = 'finalized';
    return encoded(digest, wanted);
  }

  /**
   * Returns the next `size` bytes of an extendable output, 1 to 2^30 at a time. The first
   * call ends the message.
   *
   * @throws MillraceError ERR_HASHER_SPENT after the digest, ERR_ARGUMENT_VALUE, ERR_ARGUMENT_TYPE
   */
  squeeze(size: number): Result;
  squeeze<E extends Encoding>(size: number, encoding: E): Digest<E>;
  squeeze(size: unknown, encoding?: unknown): unknown {
    const { squeeze } = this.#steps;
    if (!squeeze)
      throw makeError(
        'ERR_ARGUMENT_VALUE',
        `squeeze: the output of ${this.algorithm} has a fixed size`,
      );
    if (this.#phase === 'open') this.#phase = 'squeezing';
    this.#expect('squeezing');
    const next = this.#next();
    const output = this.#long!.part(size, encoding, (target) => squeeze(this.#state, target, next));
    this.#state = next;
    return output;
  }

  /** Returns an independent copy. */
  copy(): this {
    const copy = new Running(
      this.algorithm,
      this.#steps,
      this.outputLength,
      this.#stateSize,
      this.#long,
    );
    if (this.#state.length > 0) (copy.#state = copy.#next()).set(this.#state);
    copy.#phase = this.#phase;
    return copy as this;
  }

  /** Returns the memory of the next state. */
  #next(): Uint8Array {
    if (this.#state.length > 0) return this.#state;
    const state = new Uint8Array(this.#stateSize);
    this.#steps.guard?.(this, state);
    return state;
  }

  #expect(phase: 'open' | 'squeezing'): void {
    if (this.#phase === phase) return;
    const reason =
      this.#phase === 'squeezing' ? 'has started its output' : 'has returned its digest';
    throw makeError('ERR_HASHER_SPENT', `this hasher ${reason}: create another`);
  }
}
