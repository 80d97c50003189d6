/**
 * SHA-3, SHAKE, TurboSHAKE and the original Keccak, and what every hash over a sponge has in
 * common.
 */
import { StateError, type Blocks, type HashParams, type PortableHash } from './contract.js';
import { numberIn } from '../../catalog/parameters.js';
import { Duplex } from './duplex.js';

/** The final byte of the original Keccak, before NIST added domain bits. */
export const KECCAK = 0x01;
/** The final byte of SHA-3. */
export const SHA3 = 0x06;
/** The final byte of SHAKE. */
export const SHAKE = 0x1f;

/** A hash whose output comes out of a sponge. */
export abstract class SpongeHash implements PortableHash {
  protected readonly root: Duplex;
  readonly #xof: boolean;
  /** Only extendable outputs have it. */
  readonly squeeze?: NonNullable<PortableHash['squeeze']>;

  constructor(rate: number, rounds: number, xof: boolean) {
    this.root = new Duplex(rate, rounds);
    this.#xof = xof;
    if (xof)
      this.squeeze = (params, state, rest, target, next) =>
        this.#squeeze(params, state, rest, target, next);
  }

  digest(params: HashParams, source: Uint8Array, target: Uint8Array): void {
    this.begin(params);
    this.absorb(source);
    this.#finish(params, target);
  }

  update(params: HashParams, state: Uint8Array, source: Uint8Array, next: Uint8Array): void {
    this.#resume(params, state);
    this.absorb(source);
    this.save(next);
    this.wipe();
  }

  finish(params: HashParams, state: Uint8Array, rest: Uint8Array, target: Uint8Array): void {
    this.#resume(params, state);
    this.absorb(rest);
    this.#finish(params, target);
  }

  check(params: HashParams, state: Uint8Array): void {
    try {
      this.load(params, state, this.#xof);
    } finally {
      this.wipe();
    }
  }

  /** Starts a message. */
  protected begin(_params: HashParams): void {
    this.root.begin();
  }

  /** Loads a saved state, or throws {@link StateError}. */
  protected load(_params: HashParams, state: Uint8Array, xof: boolean): void {
    this.root.load(state, xof);
  }

  protected save(next: Uint8Array): void {
    this.root.save(next);
  }

  protected absorb(source: Uint8Array): void {
    this.root.absorb(source);
  }

  /** Ends the message; `bits` is the length of the output, 0 for an extendable one. */
  protected abstract end(params: HashParams, bits: number): void;

  /** Overwrites what is kept of the message. */
  protected wipe(): void {
    this.root.wipe();
  }

  /** Loads a state that still takes input; an empty state is a new hash. */
  #resume(params: HashParams, state: Uint8Array): void {
    if (state.length === 0) return this.begin(params);
    this.load(params, state, this.#xof);
    if (this.root.squeezing) this.#refuse();
  }

  #finish(params: HashParams, target: Uint8Array): void {
    this.end(params, this.#xof ? 0 : 8 * target.length);
    this.root.give(target);
    this.wipe();
  }

  #squeeze(
    params: HashParams,
    state: Uint8Array,
    rest: Uint8Array,
    target: Uint8Array,
    next: Uint8Array,
  ): void {
    if (state.length === 0) this.begin(params);
    else this.load(params, state, true);
    if (this.root.squeezing && rest.length > 0) this.#refuse();
    if (!this.root.squeezing) {
      this.absorb(rest);
      this.end(params, 0);
    }
    this.root.give(target);
    this.save(next);
    this.wipe();
  }

  /** Refuses a valid state in the wrong phase. */
  #refuse(): never {
    this.wipe();
    throw new StateError();
  }
}

/** A sponge with a rate in bytes and a final byte. */
export class Sponge extends SpongeHash {
  readonly #mark: number;

  constructor(rate: number, mark: number) {
    super(rate, 24, mark === SHAKE);
    this.#mark = mark;
  }

  /** Sets or removes the accelerator. */
  accelerate(blocks: Blocks | undefined): void {
    this.root.accelerate(blocks);
  }

  protected override end(): void {
    this.root.pad(this.#mark);
  }
}

/** The rounds of TurboSHAKE and of KangarooTwelve. */
export const TURBO_ROUNDS = 12;

/** TurboSHAKE (RFC 9861): SHAKE with half the rounds and a byte that separates domains. */
export class TurboShake extends SpongeHash {
  constructor(rate: number) {
    super(rate, TURBO_ROUNDS, true);
  }

  protected override end({ parameters }: HashParams): void {
    this.root.pad(numberIn(parameters, 'domain') ?? SHAKE);
  }
}
