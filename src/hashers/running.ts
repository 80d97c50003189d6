/**
 * A running hash: its state and its buffered input. The public part is in hasher.ts, the
 * asynchronous operations are in steps.ts.
 *
 * The state stays in private memory: native code reads it, advances it and writes it back in one
 * call. Short updates are buffered (a call costs 100 ns, buffering 15 ns); a message that fits into
 * the buffer is hashed in one call.
 */
import { NO_BYTES, part, sizeOf } from '../base/arguments.js';
import { makeError } from '../base/errors.js';
import {
  At,
  Flag,
  frame,
  GATHERED_MAX,
  inputBuffer,
  Operation,
  type DirectNative,
} from '../base/frame.js';
import { KERNEL_HANDLE_BYTES } from '../base/protocol.js';
import {
  beginRequest,
  Form,
  request,
  setAad,
  setIv,
  setResult,
  setTag,
  setTarget,
} from '../request/request.js';
import { secretCopy, secretMemory, wipe, type Secret } from '../base/secret-memory.js';
import type { HashFacts } from '../catalog/facts.js';
import { defaultEngine, type EnginePreference } from '../engines/engines.js';
import type { Key } from '../request/key.js';
import type { Completion } from '../scheduling/completions.js';
import { runAsync, runFilled } from '../scheduling/run.js';
import { dropHandle, forkHandle, openHandle, registerHandle } from './kernel-handle.js';
import {
  allocateMemory,
  OWN_CAPACITY,
  putMemory,
  sharedMemory,
  takeMemory,
  type HashMemory,
} from './memory.js';
import { Phase } from '../scheduling/steps.js';
import { fastDigest, handleOf, setKeyAndSeed, type HashSetup } from './setup.js';
import type { TransformOptions } from '#platform/hashers/hasher-stream.js';
import { writeText, type Buffer } from '#platform/base/runtime.js';

/** A UTF-16 unit becomes at most this many bytes. */
const UTF8_MAX = 3;

/** The hash that uses {@link sharedMemory}. */
let sharedOwner: Running | undefined;

/** See above. Callers check `phase` and `pending` first; the methods do not. */
export class Running implements HashSetup {
  // Only declared: a defined field would be written twice.
  declare readonly facts: HashFacts;
  declare readonly mac: boolean;
  declare readonly key: Key | undefined;
  declare readonly keyBytes: Uint8Array | undefined;
  declare readonly seedLow: number;
  declare readonly seedHigh: number;
  declare readonly size: number;
  /** The first engine computes; once there is a state it is the only one. */
  declare preference: EnginePreference;
  declare phase: Phase;
  /** The error that later operations throw. */
  declare failure: unknown;
  /** Number of asynchronous operations in flight or waiting. */
  declare pending: number;
  declare private memory: HashMemory | undefined;
  /** Bytes of the message that are in the state. */
  declare private absorbed: number;
  /** Bytes of the message that are in the buffer. */
  declare private buffered: number;
  /** True if there is a state. */
  declare private hasState: boolean;
  /**
   * The digest that the hasher's stream returned at its end, for the one call of digest() that may
   * follow, as in node:crypto.
   */
  declare streamed: Buffer | undefined;
  declare streamOptions: TransformOptions | undefined;

  constructor(
    facts: HashFacts,
    mac: boolean,
    key: Key | undefined,
    seedLow: number,
    seedHigh: number,
    size: number,
    preference: EnginePreference = defaultEngine.preference,
    keyBytes?: Uint8Array,
  ) {
    this.facts = facts;
    this.mac = mac;
    this.key = key;
    this.keyBytes = keyBytes;
    this.seedLow = seedLow;
    this.seedHigh = seedHigh;
    this.size = size;
    this.preference = preference;
    this.phase = Phase.Open;
    this.failure = undefined;
    this.pending = 0;
    this.memory = undefined;
    this.absorbed = 0;
    this.buffered = 0;
    this.hasState = false;
    this.streamed = undefined;
    this.streamOptions = undefined;
  }

  /** Returns true if the state depends on a key. */
  get keyed(): boolean {
    return this.key !== undefined || this.keyBytes !== undefined;
  }

  /**
   * True for a hash with a key if the state may reveal the key. Its memory is not shared, and is
   * wiped when the hash is collected. The state of an HMAC over a one-way hash does not reveal it.
   */
  private get leases(): boolean {
    return this.mac ? !this.facts.oneWay : this.key !== undefined;
  }

  /** Returns the bytes of the message so far. */
  get length(): number {
    return this.absorbed + this.buffered;
  }

  /**
   * Buffers the whole source, as the fast path of update. Returns false in every other case. Short,
   * so that V8 inlines it, which halves its 30 ns.
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

  /** Adds bytes to the message synchronously. */
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

  /** Adds a string as UTF-8. Returns false if it may not fit into the buffer. */
  updateText(text: string): boolean {
    if (!this.fits(text.length * UTF8_MAX)) return false;
    const { buffer } = this.memory ?? this.acquire();
    const size = writeText(buffer, text, this.buffered);
    this.buffered += size;
    return true;
  }

  /** Returns true if this many bytes fit into the buffer. */
  fits(size: number): boolean {
    const capacity = this.memory?.capacity ?? (this.leases ? OWN_CAPACITY : GATHERED_MAX);
    return this.buffered + size <= capacity;
  }

  /** Buffers bytes that fit. */
  append(source: Uint8Array, offset: number, size: number): void {
    if (size === 0) return;
    const { buffer } = this.memory ?? this.acquire();
    buffer.set(size === sizeOf(source) ? source : part(source, offset, size), this.buffered);
    this.buffered += size;
  }

  /**
   * Adds bytes to the message on the pool. The state must not be used until the completion, which
   * must call {@link Running.updated}. The source is lent unless `copied`.
   */
  updateAsync(
    completion: Completion,
    source: Uint8Array,
    offset: number,
    size: number,
    copied: boolean,
  ): void {
    // No other hash may take over the memory while the pool writes the state.
    this.evict();
    this.openHandle();
    this.setUpdate(source, offset, size);
    if (copied) request.flags |= Flag.Snapshot;
    runAsync(completion);
    // Native code has copied the buffer.
    this.absorbed += this.buffered + size;
    this.clearBuffered();
  }

  /** Accepts the end of {@link Running.updateAsync}. */
  updated(): void {
    this.hasState = true;
  }

  /** Returns the digest and finalizes the hash. */
  digest(form: Form): unknown {
    let digest: unknown;
    const { memory, buffered } = this;
    if (memory === sharedMemory || buffered === 0)
      digest = fastDigest(this, this.hasState ? memory!.state : undefined, buffered, form);
    else if (this.leases) digest = this.digestOfLeased(form);
    if (digest === undefined) {
      this.fillDigest();
      setResult(this.size, form);
      digest = this.run();
    }
    this.finalize();
    return digest;
  }

  /**
   * Writes the digest into the caller's memory, finalizes the hash and returns the digest's size.
   */
  digestInto(target: Uint8Array, offset: number): number {
    this.fillDigest();
    setTarget(target, offset, this.size);
    this.run();
    this.finalize();
    return this.size;
  }

  /** Computes the digest on the pool; its completion must call {@link Running.finalize}. */
  digestAsync(completion: Completion, form: Form): void {
    this.fillDigest();
    setResult(this.size, form);
    runAsync(completion);
  }

  /**
   * Writes the next bytes of an extendable output into the caller's memory; the first call ends the
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

  /** Returns a running hash with the same message so far and the given digest size. */
  copy(size: number): Running {
    const { facts, mac, key, seedLow, seedHigh, preference, keyBytes } = this;
    const copy = new Running(facts, mac, key, seedLow, seedHigh, size, preference, keyBytes);
    if (this.memory !== undefined) {
      this.evict();
      const { buffer, state } = copy.acquire();
      buffer.set(part(this.memory.buffer, 0, this.buffered));
      if (this.hasState) {
        if (this.inKernel) forkHandle(this.preference, this.memory.state, copy, state);
        else state.set(this.memory.state);
      }
    }
    copy.buffered = this.buffered;
    copy.hasState = this.hasState;
    copy.absorbed = this.absorbed;
    copy.phase = this.phase;
    return copy;
  }

  /** Starts a new message. */
  reset(): void {
    this.finalize();
    this.phase = Phase.Open;
    this.failure = undefined;
    this.streamed = undefined;
    this.absorbed = 0;
  }

  /**
   * Returns a copy of the state, which includes the whole message so far. Before the first byte it
   * is empty: a state of BLAKE2 would be the key.
   */
  save(): Secret {
    this.openHandle();
    if (this.inKernel)
      throw makeError(
        'ERR_ENGINE_UNAVAILABLE',
        'the kernel keeps the state of this hasher and cannot export it: choose another ' +
          'engine in createHash or createHmac',
      );
    if (this.length === 0 && this.phase === Phase.Open) return secretMemory(0);
    if (!this.hasState || this.buffered > 0) this.advance(NO_BYTES, 0, 0);
    return secretCopy(part(this.memory!.state, 0, this.facts.stateSize));
  }

  /**
   * Resumes from the saved state of a message of this length. Throws ERR_STATE if it does not fit
   * the hash, seed and phase.
   */
  restore(state: Uint8Array, length: number, phase: Phase): void {
    this.acquire().state.set(state);
    this.hasState = true;
    // An empty update makes native code check the state.
    if (phase === Phase.Squeezing) this.squeeze(NO_BYTES, 0, 0);
    else this.advance(NO_BYTES, 0, 0);
    this.absorbed = length;
  }

  /** Discards the message and wipes what depends on a key. */
  finalize(): void {
    const { memory } = this;
    if (memory !== undefined) {
      if (this.inKernel && this.hasState) dropHandle(this, this.preference, memory.state);
      if (this.keyed && this.hasState) wipe(memory.state, 0, this.stateSize);
      this.absorbed += this.buffered;
      this.clearBuffered();
      if (sharedOwner === this) {
        sharedOwner = undefined;
        this.memory = undefined;
      } else if (this.leases && this.pending === 0) {
        putMemory(this.facts, memory);
        this.memory = undefined;
      }
    }
    this.hasState = false;
    this.phase = Phase.Finalized;
  }

  /** Records a failure, which all later operations report. */
  fail(error: unknown): void {
    this.finalize();
    this.phase = Phase.Failed;
    this.failure = error;
  }

  /** Computes the digest in the input buffer; undefined if the fast path cannot. */
  private digestOfLeased(form: Form): unknown {
    const { memory, buffered } = this;
    sharedOwner?.evict();
    inputBuffer.set(part(memory!.buffer, 0, buffered));
    try {
      return fastDigest(this, this.hasState ? memory!.state : undefined, buffered, form);
    } finally {
      wipe(inputBuffer, 0, buffered);
    }
  }

  /** Advances the state by the buffer and then the source. */
  private advance(source: Uint8Array, offset: number, size: number): void {
    if (!this.advanceDirectly(source, offset, size)) {
      this.openHandle();
      this.setUpdate(source, offset, size);
      this.run();
    }
    this.hasState = true;
    this.absorbed += this.buffered + size;
    this.clearBuffered();
  }

  /** Does it without a request, in a third of the time. Returns false if it cannot. */
  private advanceDirectly(source: Uint8Array, offset: number, size: number): boolean {
    const { direct } = this.preference.engines[0]!;
    if (direct === undefined || this.mac || this.keyed || this.seedLow !== 0 || this.seedHigh !== 0)
      return false;
    const { buffer, state } = this.memory ?? this.acquire();
    const { buffered } = this;
    frame[At.Algorithm] = this.facts.id;
    if (this.memory === sharedMemory) {
      frame[At.IvSize] = buffered;
    } else {
      frame[At.IvSize] = 0;
      if (buffered > 0) {
        if (!this.step(direct, state, buffer, 0, buffered)) return false;
        this.hasState = true;
        this.absorbed += buffered;
        this.buffered = 0;
        if (size === 0) return true;
      }
    }
    return this.step(direct, state, source, offset, size);
  }

  private step(
    direct: DirectNative,
    state: Uint8Array,
    source: Uint8Array,
    offset: number,
    size: number,
  ): boolean {
    frame[At.AadSize] = this.hasState ? this.facts.stateSize : 0;
    frame[At.SourceOffset] = offset;
    frame[At.SourceSize] = size;
    return direct.updateHash(state, source) === 0;
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
    const whole = !this.hasState && (this.keyBytes === undefined || !this.mac);
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

  /** Sets key, seed and state of the request. */
  private setSoFar(handle: number): void {
    setKeyAndSeed(this, handle);
    if (this.hasState) setAad(this.memory!.state, 0, this.stateSize);
  }

  private run(): unknown {
    try {
      return runFilled();
    } catch (error) {
      this.fail(error);
      throw error;
    }
  }

  // Hashes that run in the kernel: the state is a handle.

  /** Returns true if the hash runs in the kernel. */
  private get inKernel(): boolean {
    return !this.preference.engines[0]!.here;
  }

  private get stateSize(): number {
    return this.inKernel ? KERNEL_HANDLE_BYTES : this.facts.stateSize;
  }

  /** Opens a hash in the kernel before its first state. */
  private openHandle(): void {
    if (this.hasState || !this.inKernel) return;
    const handle = handleOf(this);
    const { state } = this.memory ?? this.acquire();
    try {
      this.preference = openHandle(this, handle, state);
    } catch (error) {
      this.fail(error);
      throw error;
    }
    if (!this.inKernel) return;
    this.hasState = true;
    registerHandle(this, this.preference, state);
  }

  private acquire(): HashMemory {
    // A hash without a key is not leased: the first checks spare it the getter.
    if ((this.mac || this.key !== undefined) && this.leases)
      return (this.memory = takeMemory(this.facts));
    if (sharedOwner !== undefined) sharedOwner.evict();
    sharedOwner = this;
    this.memory = sharedMemory;
    return sharedMemory;
  }

  /** Moves from the input buffer to the hash's own memory. */
  private evict(): void {
    if (this.memory !== undefined && this.memory !== sharedMemory) return;
    if (this.leases) {
      this.acquire();
      return;
    }
    const { buffer, state } = (this.memory = allocateMemory(
      Math.max(OWN_CAPACITY, this.buffered),
      this.facts.stateSize,
    ));
    if (sharedOwner !== this) return;
    sharedOwner = undefined;
    buffer.set(part(inputBuffer, 0, this.buffered));
    state.set(part(sharedMemory.state, 0, state.length));
    if (!this.keyed) return;
    wipe(inputBuffer, 0, this.buffered);
    wipe(sharedMemory.state, 0, state.length);
  }

  private clearBuffered(): void {
    if (this.keyed && this.buffered > 0) wipe(this.memory!.buffer, 0, this.buffered);
    this.buffered = 0;
  }
}
