/**
 * A running hash: the bytes of its state, what has been buffered for it, and how both move on. What
 * users see of it is in hasher.ts; operations in flight are in steps.ts.
 *
 * The state never leaves private memory: native code reads it, moves it on and writes it back in
 * one call. Small pieces of the message wait here until a call is worth it (a call costs 100 ns,
 * gathering 15), and a message that never grows beyond that is hashed in one go.
 */
import { NO_BYTES, part, sizeOf } from '../request/arguments.js';
import {
  At,
  inputBuffer,
  Flag,
  frame,
  GATHERED_MAX,
  Operation,
  type Native,
  Status,
} from '../request/frame.js';
import { KERNEL_HANDLE_BYTES } from '../request/protocol.js';
import {
  request,
  setAad,
  beginRequest,
  setEngines,
  setIv,
  setKey,
  setResult,
  setTag,
  setTarget,
  Form,
} from '../request/request.js';
import { runFilled, runAsync } from '../scheduling/run.js';
import type { HashFacts } from '../catalog/facts.js';
import { recordFallback, sliceOf, usual, type EnginePreference } from '../engines/engines.js';
import { failure, makeError, MillraceError } from '../request/errors.js';
import { keyAlgorithm, keyHandle, type Key } from '../operations/key.js';
import { viewOf, writeText, type Buffer } from '#platform/runtime.js';
import { fastBigInt, fastBuffer, fastFinishHex, fastHex } from '../operations/fast-path.js';
import type { Completion } from '../scheduling/completions.js';

/** A string's UTF-16 units become at most so many bytes each. */
const UTF8_MAX = 3;
/** No state is longer. */
const STATE_MAX = 4096;

/**
 * Where a running hash has its bytes: ArrayBuffers of its own, as Buffer's pool can be seen by
 * anyone.
 */
interface HashMemory {
  /** Where bytes are buffered before they are sent, and how many. */
  readonly buffer: Buffer;
  readonly capacity: number;
  readonly state: Uint8Array;
}

/**
 * What a running hash gathers at a seat of its own: less than at the input buffer, as there may be many.
 */
const OWN_CAPACITY = 1024;

function allocateMemory(capacity: number, stateSize: number): HashMemory {
  return {
    buffer: viewOf(new ArrayBuffer(capacity)),
    capacity,
    state: new Uint8Array(new ArrayBuffer(stateSize)),
  };
}

// The seat at the input buffer: running hashes use it in turn, because memory for each would cost more than
// the rest of a small hash (300 ns). Who sits there when another comes moves to a seat of its own.
// (One that is collected there, and its key, are collected when the next one comes: to hold it
// weakly would cost each hash 100 ns.)
const sharedMemory: HashMemory = {
  buffer: viewOf(inputBuffer.buffer, inputBuffer.byteOffset, inputBuffer.length),
  capacity: GATHERED_MAX,
  state: new Uint8Array(new ArrayBuffer(STATE_MAX)),
};
let sharedOwner: Running | undefined;

/** What a running hash may still do. */
export const enum Phase {
  /** Take more of the message. */
  Open,
  /** Give output; the message has ended. */
  Squeezing,
  /** Nothing: it has given its digest. */
  Finalized,
  /** Nothing: an operation failed. */
  Failed,
}

/** What a hash begins with. */
export interface HashSetup {
  readonly facts: HashFacts;
  /** Whether it is an HMAC over the hash. */
  readonly mac: boolean;
  /** Of an HMAC or a keyed hash. */
  readonly key: Key | undefined;
  /** Of an HMAC whose key was not prepared: the states of its key, instead of `key`. */
  readonly keyStates?: Uint8Array | undefined;
  readonly seedLow: number;
  readonly seedHigh: number;
  /** The digest's size; 0 for an extendable output without one. */
  readonly size: number;
  /** The engines that may compute it; of a key, those that have it. */
  readonly choice: EnginePreference;
}

/** See the file. Callers look at `phase` and `pending` first: the methods do as they are told. */
export class Running implements HashSetup {
  // Declared only: a field that is defined first and assigned then is written twice.
  declare readonly facts: HashFacts;
  declare readonly mac: boolean;
  declare readonly key: Key | undefined;
  declare readonly keyStates: Uint8Array | undefined;
  declare readonly seedLow: number;
  declare readonly seedHigh: number;
  declare readonly size: number;
  /** The first of them computes; when there is a state it is the only one. */
  declare choice: EnginePreference;
  declare phase: Phase;
  /** Why it failed. */
  declare failure: unknown;
  /** Asynchronous operations in flight or waiting for their turn. */
  declare pending: number;
  declare private memory: HashMemory | undefined;
  /** Bytes of the message in the state. */
  declare private absorbed: number;
  /** Bytes buffered since. */
  declare private buffered: number;
  /** Whether there is a state. */
  declare private hasState: boolean;

  constructor(
    facts: HashFacts,
    mac: boolean,
    key: Key | undefined,
    seedLow: number,
    seedHigh: number,
    size: number,
    choice: EnginePreference = usual.choice,
    keyStates?: Uint8Array,
  ) {
    this.facts = facts;
    this.mac = mac;
    this.key = key;
    this.keyStates = keyStates;
    this.seedLow = seedLow;
    this.seedHigh = seedHigh;
    this.size = size;
    this.choice = choice;
    this.phase = Phase.Open;
    this.failure = undefined;
    this.pending = 0;
    this.memory = undefined;
    this.absorbed = 0;
    this.buffered = 0;
    this.hasState = false;
  }

  /** Whether what it holds depends on a key. */
  get keyed(): boolean {
    return this.key !== undefined || this.keyStates !== undefined;
  }

  /** Bytes of the message so far. */
  get length(): number {
    return this.absorbed + this.buffered;
  }

  /**
   * The everyday update: lays all of the source beside what is buffered. False if there is anything
   * to consider. Short, so that it is compiled into its callers: that halves its 30 ns.
   */
  tryBuffer(source: Uint8Array): boolean {
    const { buffered } = this;
    const size = sizeOf(source);
    if (this.phase !== Phase.Open || this.pending > 0 || size === 0) return false;
    const memory = this.memory ?? this.acquire();
    if (buffered + size > memory.capacity) return false;
    memory.buffer.set(source, buffered);
    this.buffered = buffered + size;
    return true;
  }

  /** Takes in bytes of the message, here and now. */
  update(source: Uint8Array, offset: number, size: number): void {
    if (this.fits(size)) {
      this.append(source, offset, size);
    } else if (size < OWN_CAPACITY / 2) {
      this.advance(NO_BYTES, 0, 0);
      this.append(source, offset, size);
    } else {
      this.advance(source, offset, size);
    }
  }

  /** Takes in a string as UTF-8; false if it is too long to be buffered. */
  updateText(text: string): boolean {
    if (!this.fits(text.length * UTF8_MAX)) return false;
    const { buffer } = this.memory ?? this.acquire();
    const size = writeText(buffer, text, this.buffered);
    this.buffered += size;
    return true;
  }

  /** Whether so many bytes fit beside those buffered. */
  fits(size: number): boolean {
    return this.buffered + size <= (this.memory ?? sharedMemory).capacity;
  }

  /** Lays bytes that fit beside those buffered. */
  append(source: Uint8Array, offset: number, size: number): void {
    if (size === 0) return;
    const { buffer } = this.memory ?? this.acquire();
    buffer.set(size === sizeOf(source) ? source : part(source, offset, size), this.buffered);
    this.buffered += size;
  }

  /**
   * Takes in bytes of the message on the pool. The state is away until the waiter is told, and then
   * {@link Running.updated} must be. The source is lent unless `copied`.
   */
  updateAsync(
    completion: Completion,
    source: Uint8Array,
    offset: number,
    size: number,
    copied: boolean,
  ): void {
    // While the state is away nobody may come to its place.
    this.evict();
    this.openHandle();
    this.setUpdate(source, offset, size);
    if (copied) request.flags |= Flag.Snapshot;
    runAsync(completion);
    // Native code has copied what was buffered.
    this.absorbed += this.buffered + size;
    this.clearBuffered();
  }

  /** What was sent has come back. */
  updated(): void {
    this.hasState = true;
  }

  /** The digest, after which it is spent. */
  digest(form: Form): unknown {
    let digest: unknown;
    if (this.seedLow === 0 && this.seedHigh === 0) digest = this.fastDigest(form);
    if (digest === undefined) {
      this.fillDigest();
      setResult(this.size, form);
      digest = this.run();
    }
    this.finalize();
    return digest;
  }

  /** The same into the caller's memory; the digest's size. */
  digestInto(target: Uint8Array, offset: number): number {
    this.fillDigest();
    setTarget(target, offset, this.size);
    this.run();
    this.finalize();
    return this.size;
  }

  /** The same on the pool; {@link Running.finalize} must be called when the waiter is told. */
  digestAsync(completion: Completion, form: Form): void {
    this.fillDigest();
    setResult(this.size, form);
    runAsync(completion);
  }

  /**
   * The next bytes of an extendable output into the caller's memory; the first call ends the
   * message.
   */
  squeeze(target: Uint8Array, offset: number, size: number): void {
    const handle = handleOf(this);
    this.openHandle();
    const { buffer, state } = this.memory ?? this.acquire();
    beginRequest(Operation.Squeeze, this.facts.id, buffer, 0, this.buffered);
    this.setSoFar(handle);
    setTarget(target, offset, size);
    setTag(state, 0, this.stateSize);
    this.run();
    this.hasState = true;
    this.absorbed += this.buffered;
    this.clearBuffered();
    this.phase = Phase.Squeezing;
  }

  /** Another one that has taken in the same, with a digest of its own size. */
  copy(size: number): Running {
    const { facts, mac, key, seedLow, seedHigh, choice, keyStates } = this;
    const copy = new Running(facts, mac, key, seedLow, seedHigh, size, choice, keyStates);
    if (this.memory !== undefined) {
      this.evict();
      const { buffer, state } = copy.acquire();
      buffer.set(part(this.memory.buffer, 0, this.buffered));
      if (this.hasState) {
        if (this.inKernel) this.forkHandle(copy, state);
        else state.set(this.memory.state);
      }
    }
    copy.buffered = this.buffered;
    copy.hasState = this.hasState;
    copy.absorbed = this.absorbed;
    copy.phase = this.phase;
    return copy;
  }

  /** Begins anew. */
  reset(): void {
    this.finalize();
    this.phase = Phase.Open;
    this.failure = undefined;
    this.absorbed = 0;
  }

  /** A copy of the state, in which all of the message so far is. */
  save(): Uint8Array {
    this.openHandle();
    if (this.inKernel)
      throw makeError(
        'ERR_ENGINE_UNAVAILABLE',
        'the kernel keeps the state of this hasher and does not give it out: createHash and createHmac take another engine',
      );
    if (!this.hasState || this.buffered > 0) this.advance(NO_BYTES, 0, 0);
    const copy = new Uint8Array(new ArrayBuffer(this.facts.stateSize));
    copy.set(part(this.memory!.state, 0, copy.length));
    return copy;
  }

  /**
   * Goes on from a saved state of a message so long; ERR_STATE if it is none of this hash, seed and
   * phase.
   */
  restore(state: Uint8Array, length: number, phase: Phase): void {
    this.acquire().state.set(state);
    this.hasState = true;
    // Native code looks at all of a state when it is to move on, even by nothing.
    if (phase === Phase.Squeezing) this.squeeze(NO_BYTES, 0, 0);
    else this.advance(NO_BYTES, 0, 0);
    this.absorbed = length;
  }

  /** Forgets the message; what depends on a key is wiped. */
  finalize(): void {
    const { memory } = this;
    if (memory !== undefined) {
      if (this.inKernel && this.hasState) this.dropHandle();
      if (this.keyed && this.hasState) memory.state.fill(0, 0, this.stateSize);
      this.absorbed += this.buffered;
      this.clearBuffered();
      if (sharedOwner === this) {
        sharedOwner = undefined;
        this.memory = undefined;
      }
    }
    this.hasState = false;
    this.phase = Phase.Finalized;
  }

  /** An operation has failed: so will all that follow. */
  fail(error: unknown): void {
    this.finalize();
    this.phase = Phase.Failed;
    this.failure = error;
  }

  /** Moves on by what was buffered and then the source. */
  private advance(source: Uint8Array, offset: number, size: number): void {
    this.openHandle();
    this.setUpdate(source, offset, size);
    this.run();
    this.hasState = true;
    this.absorbed += this.buffered + size;
    this.clearBuffered();
  }

  private setUpdate(source: Uint8Array, offset: number, size: number): void {
    const handle = handleOf(this);
    const { buffer, state } = this.memory ?? this.acquire();
    const operation = this.mac ? Operation.MacUpdate : Operation.Update;
    if (size === 0) {
      beginRequest(operation, this.facts.id, buffer, 0, this.buffered);
    } else {
      beginRequest(operation, this.facts.id, source, offset, size);
      if (this.buffered > 0) setIv(buffer, 0, this.buffered);
    }
    this.setSoFar(handle);
    setTarget(state, 0, this.stateSize);
  }

  private fillDigest(): void {
    const handle = handleOf(this);
    const { mac, facts } = this;
    const whole = !this.hasState && this.keyStates === undefined;
    const operation = whole
      ? mac
        ? Operation.Hmac
        : Operation.Hash
      : mac
        ? Operation.MacFinish
        : Operation.Finish;
    beginRequest(operation, facts.id, this.memory?.buffer ?? NO_BYTES, 0, this.buffered);
    this.setSoFar(handle);
  }

  /** Key, seed, and the state so far. */
  private setSoFar(handle: number): void {
    setKeyAndSeed(this, handle);
    if (this.hasState) setAad(this.memory!.state, 0, this.stateSize);
  }

  private fastDigest(form: Form): unknown {
    const { facts, memory, buffered, keyStates } = this;
    if ((memory !== sharedMemory && buffered > 0) || this.size !== facts.digestSize)
      return undefined;
    const key = handleOf(this);
    const engine = this.choice.engines[0]!;
    if (this.hasState || keyStates !== undefined) {
      if (form !== Form.Hex) return undefined;
      return fastFinishHex(
        facts,
        this.hasState ? memory!.state : NO_BYTES,
        buffered,
        key,
        engine,
        keyStates,
      );
    }
    if (form === Form.Hex) return fastHex(facts, undefined, 0, buffered, key, engine);
    if (form === Form.Buffer) return fastBuffer(facts, undefined, 0, buffered, key, engine);
    return form === Form.BigInt
      ? fastBigInt(facts, undefined, 0, buffered, key, engine)
      : undefined;
  }

  private run(): unknown {
    try {
      return runFilled();
    } catch (error) {
      this.fail(error);
      throw error;
    }
  }

  // Hashes that run in the kernel: a handle takes the place of the state.

  /** True if the hash runs in the kernel. */
  private get inKernel(): boolean {
    return !this.choice.engines[0]!.here;
  }

  private get stateSize(): number {
    return this.inKernel ? KERNEL_HANDLE_BYTES : this.facts.stateSize;
  }

  /**
   * Before there is a state that the kernel keeps: has it made, and so finds out which of several
   * engines it will be of.
   */
  private openHandle(): void {
    if (this.hasState || !this.inKernel) return;
    const all = this.choice;
    const [engine, next] = all.engines;
    const handle = handleOf(this);
    const { state } = this.memory ?? this.acquire();
    this.choice = sliceOf(all, 0);
    try {
      beginRequest(
        this.mac ? Operation.MacUpdate : Operation.Update,
        this.facts.id,
        NO_BYTES,
        0,
        0,
      );
      setKeyAndSeed(this, handle);
      setTarget(state, 0, KERNEL_HANDLE_BYTES);
      runFilled();
    } catch (error) {
      if (
        next === undefined ||
        !(error instanceof MillraceError) ||
        error.code !== 'ERR_ENGINE_UNAVAILABLE'
      ) {
        this.fail(error);
        throw error;
      }
      recordFallback(
        `${this.mac ? 'hmac-' : ''}${this.facts.name}`,
        engine!.name,
        next.name,
        error.message,
      );
      this.choice = sliceOf(all, 1, all.engines.length);
      this.openHandle();
      return;
    }
    this.hasState = true;
    this.registerHandle(state);
  }

  /** Closes the hash in the kernel when this object is collected. */
  private registerHandle(state: Uint8Array): void {
    collected.register(
      this,
      { binding: this.choice.engines[0]!.binding, handle: state.slice(0, KERNEL_HANDLE_BYTES) },
      this,
    );
  }

  private forkHandle(copy: Running, next: Uint8Array): void {
    const { binding } = this.choice.engines[0]!;
    const status = binding.forkState(
      part(this.memory!.state, 0, KERNEL_HANDLE_BYTES),
      part(next, 0, KERNEL_HANDLE_BYTES),
    );
    if (status !== 0)
      throw failure(status, 0, status >= Status.Unavailable ? binding.lastReason() : '');
    copy.registerHandle(next);
  }

  private dropHandle(): void {
    collected.unregister(this);
    this.choice.engines[0]!.binding.dropState(part(this.memory!.state, 0, KERNEL_HANDLE_BYTES));
  }

  private acquire(): HashMemory {
    if (sharedOwner !== undefined) sharedOwner.evict();
    sharedOwner = this;
    this.memory = sharedMemory;
    return sharedMemory;
  }

  /** Moves from the input buffer to a seat of its own, if it has none. */
  private evict(): void {
    if (this.memory !== undefined && this.memory !== sharedMemory) return;
    const { buffer, state } = (this.memory = allocateMemory(
      Math.max(OWN_CAPACITY, this.buffered),
      this.facts.stateSize,
    ));
    if (sharedOwner !== this) return;
    sharedOwner = undefined;
    buffer.set(part(inputBuffer, 0, this.buffered));
    state.set(part(sharedMemory.state, 0, state.length));
    if (!this.keyed) return;
    inputBuffer.fill(0, 0, this.buffered);
    sharedMemory.state.fill(0, 0, state.length);
  }

  private clearBuffered(): void {
    if (this.keyed && this.buffered > 0) this.memory!.buffer.fill(0, 0, this.buffered);
    this.buffered = 0;
  }
}

/** Closes hashes in the kernel whose objects were collected. */
const collected = new FinalizationRegistry<{
  readonly binding: Native;
  readonly handle: Uint8Array;
}>(({ binding, handle }) => void binding.dropState(handle));

/**
 * The handle of the key, 0 if there is none; throws if it was disposed. Called before a description
 * begins.
 */
export function handleOf({ key }: HashSetup): number {
  return key === undefined ? 0 : keyHandle(key, keyAlgorithm(key));
}

/** Adds key, seed and engines to a description. */
export function setKeyAndSeed(
  { seedLow, seedHigh, choice, keyStates }: HashSetup,
  handle: number,
): void {
  frame[At.Key] = handle;
  if (keyStates !== undefined) setKey(keyStates, 0, sizeOf(keyStates));
  if (choice !== usual.choice) setEngines(choice);
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
  const reason = phase === Phase.Squeezing ? 'has hasState to give output' : 'has given its digest';
  return makeError('ERR_HASHER_SPENT', `this hasher ${reason}: reset() it or make another`);
}
