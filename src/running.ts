/**
 * A running hash: the bytes of its state, what has been gathered for it, and how both move on. What users see of it
 * is in hasher.ts; operations in flight are in steps.ts.
 *
 * The state never leaves private memory: native code reads it, moves it on and writes it back in one call. Small
 * pieces of the message wait here until a call is worth it (a call costs 100 ns, gathering 15), and a message that
 * never grows beyond that is hashed in one go.
 */
import { NO_BYTES, part, sizeOf } from './arguments.js';
import { At, Flag, frame, Operation } from './binding.js';
import {
  call,
  describeAad,
  describeCall,
  describeIv,
  describeResult,
  describeTag,
  describeTarget,
  Form,
  runDescribed,
  runWaiting,
  type Waiter,
} from './call.js';
import type { HashFacts } from './catalog.js';
import { makeError } from './errors.js';
import { keyHandle, type Key } from './key.js';
import { quickBigInt, quickBuffer, quickHex } from './quick.js';

/** Bytes gathered before they are sent across. */
const GATHERED_MAX = 1024;

// The desk: memory for gathering that running hashes use in turn, because an ArrayBuffer for each would cost more than
// the rest of a small hash (150 ns). Who sits there when another comes moves its bytes to memory of its own.
const desk = Buffer.from(new ArrayBuffer(GATHERED_MAX));
let seated: Running | undefined;

/** What a running hash may still do. */
export const enum Phase {
  /** Take more of the message. */
  Open,
  /** Give output; the message has ended. */
  Squeezing,
  /** Nothing: it has given its digest. */
  Spent,
  /** Nothing: an operation failed. */
  Failed,
}

/** What a hash begins with. */
export interface Beginning {
  readonly facts: HashFacts;
  /** Whether it is an HMAC over the hash. */
  readonly mac: boolean;
  /** Of an HMAC or a keyed hash. */
  readonly key: Key | undefined;
  readonly seedLow: number;
  readonly seedHigh: number;
  /** The digest's size; 0 for an extendable output without one. */
  readonly size: number;
}

/** See the file. Callers look at `phase` and `pending` first: the methods do as they are told. */
export class Running implements Beginning {
  readonly facts: HashFacts;
  readonly mac: boolean;
  readonly key: Key | undefined;
  readonly seedLow: number;
  readonly seedHigh: number;
  readonly size: number;
  phase = Phase.Open;
  /** Why it failed. */
  failure: unknown;
  /** Bytes of the message so far. */
  length = 0;
  /** Asynchronous operations in flight or waiting for their turn. */
  pending = 0;
  /** Where bytes are gathered: the desk or memory of its own; `undefined` before the first. */
  #place: Buffer | undefined;
  #gathered = 0;
  /** Valid once begun. */
  #state: Uint8Array | undefined;
  #begun = false;

  constructor({ facts, mac, key, seedLow, seedHigh, size }: Beginning) {
    this.facts = facts;
    this.mac = mac;
    this.key = key;
    this.seedLow = seedLow;
    this.seedHigh = seedHigh;
    this.size = size;
  }

  /** Takes in bytes of the message, here and now. */
  take(source: Uint8Array, offset: number, size: number): void {
    if (this.fits(size)) {
      this.gather(source, offset, size);
    } else if (size < GATHERED_MAX / 2) {
      this.#advance(NO_BYTES, 0, 0);
      this.gather(source, offset, size);
    } else {
      this.#advance(source, offset, size);
      this.length += size;
    }
  }

  /** Whether so many bytes fit beside those gathered. */
  fits(size: number): boolean {
    return this.#gathered + size <= GATHERED_MAX;
  }

  /** Lays bytes that fit beside those gathered. */
  gather(source: Uint8Array, offset: number, size: number): void {
    if (size === 0) return;
    this.#sit().set(size === sizeOf(source) ? source : part(source, offset, size), this.#gathered);
    this.#gathered += size;
    this.length += size;
  }

  /** The same for a string as UTF-8; the longest it could be must fit. */
  gatherText(text: string): void {
    const size = this.#sit().write(text, this.#gathered, 'utf8');
    this.#gathered += size;
    this.length += size;
  }

  /**
   * Takes in bytes of the message on the pool. The state is away until the waiter is told, and then
   * {@link Running.returned} must be. The source is lent unless `copied`.
   */
  send(waiter: Waiter, source: Uint8Array, offset: number, size: number, copied: boolean): void {
    this.#describeUpdate(source, offset, size);
    if (copied) call.flags |= Flag.Snapshot;
    runWaiting(waiter);
    // Native code has copied what was gathered.
    this.#dropGathered();
    this.length += size;
  }

  /** What was sent has come back. */
  returned(): void {
    this.#begun = true;
  }

  /** The digest, after which it is spent. */
  digest(form: Form): unknown {
    const { size, facts } = this;
    let digest: unknown;
    if (!this.#begun && size === facts.digestSize && this.key === undefined && this.seedLow === 0 && this.seedHigh === 0) {
      const source = this.#place ?? NO_BYTES;
      if (form === Form.Hex) digest = quickHex(facts, source, this.#gathered);
      else if (form === Form.Buffer) digest = quickBuffer(facts, source, this.#gathered);
      else if (form === Form.BigInt) digest = quickBigInt(facts, source, this.#gathered);
    }
    if (digest === undefined) {
      this.#describeDigest();
      describeResult(size, form);
      digest = this.#run();
    }
    this.spend();
    return digest;
  }

  /** The same into the caller's memory; the digest's size. */
  digestInto(target: Uint8Array, offset: number): number {
    this.#describeDigest();
    describeTarget(target, offset, this.size);
    this.#run();
    this.spend();
    return this.size;
  }

  /** The same on the pool; {@link Running.spend} must be called when the waiter is told. */
  sendDigest(waiter: Waiter, form: Form): void {
    this.#describeDigest();
    describeResult(this.size, form);
    runWaiting(waiter);
  }

  /** The next bytes of an extendable output into the caller's memory; the first call ends the message. */
  squeeze(target: Uint8Array, offset: number, size: number): void {
    const handle = handleOf(this);
    const state = this.#room();
    describeCall(Operation.Squeeze, this.facts.id, this.#place ?? NO_BYTES, 0, this.#gathered);
    this.#describeSoFar(handle);
    describeTarget(target, offset, size);
    describeTag(state, 0, state.length);
    this.#run();
    this.#begun = true;
    this.#dropGathered();
    this.phase = Phase.Squeezing;
  }

  /** Another one that has taken in the same, with a digest of its own size. */
  copy(size: number): Running {
    const { facts, mac, key, seedLow, seedHigh } = this;
    const copy = new Running({ facts, mac, key, seedLow, seedHigh, size });
    if (this.#begun) {
      copy.#room().set(this.#state!);
      copy.#begun = true;
    }
    copy.gather(this.#place ?? NO_BYTES, 0, this.#gathered);
    copy.length = this.length;
    copy.phase = this.phase;
    return copy;
  }

  /** Begins anew. */
  reset(): void {
    this.spend();
    this.phase = Phase.Open;
    this.failure = undefined;
    this.length = 0;
  }

  /** A copy of the state, in which all of the message so far is. */
  save(): Uint8Array {
    if (!this.#begun || this.#gathered > 0) this.#advance(NO_BYTES, 0, 0);
    return new Uint8Array(this.#state!);
  }

  /** Goes on from a saved state of a message so long; ERR_STATE if it is none of this hash, seed and phase. */
  restore(state: Uint8Array, length: number, phase: Phase): void {
    this.#room().set(state);
    this.#begun = true;
    // Native code looks at all of a state when it is to move on, even by nothing.
    if (phase === Phase.Squeezing) this.squeeze(NO_BYTES, 0, 0);
    else this.#advance(NO_BYTES, 0, 0);
    this.length = length;
  }

  /** Forgets the message; what depends on a key is wiped. */
  spend(): void {
    if (this.#begun && this.key !== undefined) this.#state!.fill(0);
    this.#begun = false;
    this.#dropGathered();
    this.phase = Phase.Spent;
  }

  /** An operation has failed: so will all that follow. */
  fail(error: unknown): void {
    this.spend();
    this.phase = Phase.Failed;
    this.failure = error;
  }

  /** Moves on by what was gathered and then the source. */
  #advance(source: Uint8Array, offset: number, size: number): void {
    this.#describeUpdate(source, offset, size);
    this.#run();
    this.#begun = true;
    this.#dropGathered();
  }

  #describeUpdate(source: Uint8Array, offset: number, size: number): void {
    const handle = handleOf(this);
    const state = this.#room();
    const operation = this.mac ? Operation.MacUpdate : Operation.Update;
    if (size === 0) {
      describeCall(operation, this.facts.id, this.#place ?? NO_BYTES, 0, this.#gathered);
    } else {
      describeCall(operation, this.facts.id, source, offset, size);
      if (this.#gathered > 0) describeIv(this.#place!, 0, this.#gathered);
    }
    this.#describeSoFar(handle);
    describeTarget(state, 0, state.length);
  }

  #describeDigest(): void {
    const handle = handleOf(this);
    const { mac, facts } = this;
    const operation = this.#begun ? (mac ? Operation.MacFinish : Operation.Finish) : mac ? Operation.Hmac : Operation.Hash;
    describeCall(operation, facts.id, this.#place ?? NO_BYTES, 0, this.#gathered);
    this.#describeSoFar(handle);
  }

  #describeSoFar(handle: number): void {
    describeBeginning(this, handle);
    if (this.#begun) describeAad(this.#state!, 0, this.#state!.length);
  }

  #run(): unknown {
    try {
      return runDescribed();
    } catch (error) {
      this.fail(error);
      throw error;
    }
  }

  /** Memory for the state: an ArrayBuffer of its own, as Buffer's pool can be seen by anyone. */
  #room(): Uint8Array {
    return (this.#state ??= new Uint8Array(new ArrayBuffer(this.facts.stateSize)));
  }

  /** Where to gather. */
  #sit(): Buffer {
    if (this.#place !== undefined) return this.#place;
    if (seated !== undefined) seated.#stand();
    seated = this;
    this.#place = desk;
    return desk;
  }

  #stand(): void {
    const place = Buffer.from(new ArrayBuffer(GATHERED_MAX));
    place.set(desk);
    if (this.key !== undefined) desk.fill(0, 0, this.#gathered);
    this.#place = place;
  }

  #dropGathered(): void {
    if (this.key !== undefined) this.#place?.fill(0, 0, this.#gathered);
    this.#gathered = 0;
    if (seated === this) {
      seated = undefined;
      this.#place = undefined;
    }
  }
}

/** The handle of the key, 0 if there is none; throws if it was disposed. Called before a description begins. */
export function handleOf({ key }: Beginning): number {
  return key === undefined ? 0 : keyHandle(key, key.algorithm);
}

/** Adds key and seed to a description. */
export function describeBeginning({ seedLow, seedHigh }: Beginning, handle: number): void {
  frame[At.Key] = handle;
  frame[At.SeedLow] = seedLow;
  frame[At.SeedHigh] = seedHigh;
}

/** The refusal of an operation that comes too late or too early. */
export function refusal(running: Running, asynchronous: boolean): unknown {
  const { phase } = running;
  if (running.pending > 0 && !asynchronous) {
    return makeError(
      'ERR_HASHER_BUSY',
      'an asynchronous operation of this hasher is in flight: wait for its callback or promise, or make this operation asynchronous too',
    );
  }
  if (phase === Phase.Failed) return running.failure;
  const reason = phase === Phase.Squeezing ? 'has begun to give output' : 'has given its digest';
  return makeError('ERR_HASHER_SPENT', `this hasher ${reason}: reset() it or make another`);
}
