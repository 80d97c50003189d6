/**
 * A message on its way through a cipher: the handle of its state in the engine, and what the caller
 * may do next. The public part is in cipher.ts, the asynchronous operations are in steps.ts.
 */
import { NO_BYTES, sizeOf } from '../base/arguments.js';
import { failure, makeError } from '../base/errors.js';
import { At, Flag, frame, Operation, type Native } from '../base/frame.js';
import { beginRequest, request, setEngines, setTarget } from '../request/request.js';
import { SMALL_BYTES, stage, takeStaged, wipeStage } from '../base/secret-results.js';
import type { CipherFacts } from '../catalog/facts.js';
import type { Engine } from '../engines/engines.js';
import type { Completion } from '../scheduling/completions.js';
import { runAsync } from '../scheduling/run.js';
import { Phase } from '../scheduling/steps.js';
import { HeldText } from './held.js';
import { allocate, allocateApart, type Buffer } from '#platform/base/runtime.js';
import { provideCiphers } from '#platform/engines/parts.js';

provideCiphers();

/** Larger results have memory of their own in any case. */
const POOLED_MAX = 4096;

/** A state in an engine, to be wiped. */
interface State {
  readonly binding: Native;
  /** 0 once there is no state. */
  handle: number;
  readonly held: HeldText | undefined;
}

/** Wipes states of ciphers that were collected before their end. No tokens: they cost 150 ns. */
const collected = new FinalizationRegistry<State>(disposeState);

function disposeState({ binding, handle, held }: State): void {
  if (handle === 0) return;
  held?.wipe();
  frame[At.Key] = handle;
  binding.disposeKey();
}

/** The purpose of a cipher. */
export interface CipherSetup {
  readonly facts: CipherFacts;
  readonly encrypt: boolean;
  readonly tagSize: number;
  /** True if plaintext is returned before the tag is checked; always for stream ciphers. */
  readonly immediate: boolean;
  readonly engine: Engine;
}

/** See above. Callers check {@link ready} first; the methods do not. */
export class RunningCipher {
  // Only declared: a defined field would be written twice.
  declare readonly setup: CipherSetup;
  declare phase: Phase;
  /** The error that later operations throw. */
  declare failure: unknown;
  /** Number of asynchronous operations in flight or waiting. */
  declare pending: number;
  /** The tag: computed by an encryption, expected by a decryption. */
  declare tag: Buffer | undefined;
  declare private readonly encrypt: boolean;
  declare private readonly binding: Native;
  declare private readonly state: State;
  declare private readonly held: HeldText | undefined;

  constructor(setup: CipherSetup, handle: number, held: HeldText | undefined) {
    this.setup = setup;
    this.phase = Phase.Open;
    this.failure = undefined;
    this.pending = 0;
    this.tag = undefined;
    this.encrypt = setup.encrypt;
    this.binding = setup.engine.binding;
    this.held = held;
    this.state = { binding: this.binding, handle, held };
    collected.register(this, this.state);
  }

  /** True if the engine can run an update on a worker. */
  get hasWorkers(): boolean {
    return this.setup.engine.name !== 'portable';
  }

  /** Encrypts or decrypts the next bytes, all of `source`. */
  update(source: Uint8Array): Buffer {
    const size = sizeOf(source);
    if (this.encrypt) {
      const target = size > POOLED_MAX ? this.memory(size) : allocate(size);
      this.run(source, 0, size, target, 0);
      return target;
    }
    if (this.held !== undefined) {
      this.hold(source, 0, size);
      return allocate(0);
    }
    if (size > SMALL_BYTES) {
      const target = this.memory(size);
      this.run(source, 0, size, target, 0);
      return target;
    }
    const staged = stage(size);
    try {
      this.run(source, 0, size, staged, 0);
    } catch (error) {
      wipeStage();
      throw error;
    }
    return takeStaged(staged);
  }

  /** Encrypts or decrypts the next bytes into the caller's memory. Returns the bytes written. */
  updateInto(source: Uint8Array, target: Uint8Array, offset: number): number {
    const size = sizeOf(source);
    if (this.held === undefined) {
      this.run(source, 0, size, target, offset);
      return size;
    }
    this.hold(source, 0, size);
    return 0;
  }

  /** Encrypts or decrypts a range of the source, in slices of an asynchronous update. */
  slice(
    source: Uint8Array,
    offset: number,
    size: number,
    target: Uint8Array,
    targetOffset: number,
  ): void {
    if (this.held === undefined) this.run(source, offset, size, target, targetOffset);
    else this.hold(source, offset, size);
  }

  /**
   * Encrypts or decrypts all of `source` on a worker, to `target` at `offset`; a decipher that
   * holds its plaintext ignores both. The source is lent unless `copied`.
   */
  updateAsync(
    completion: Completion,
    source: Uint8Array,
    target: Uint8Array,
    offset: number,
    copied: boolean,
  ): void {
    const { held, setup } = this;
    const size = sizeOf(source);
    const memory = held === undefined ? target : held.reserve(size);
    beginRequest(Operation.CipherUpdate, setup.facts.id, source, 0, size);
    setEngines({
      engines: [setup.engine],
      names: [setup.engine.name],
      handles: undefined,
      uses: undefined,
    });
    frame[At.Key] = this.state.handle;
    setTarget(memory, held === undefined ? offset : held.size, size);
    if (copied) request.flags |= Flag.Snapshot;
    runAsync(completion);
  }

  /** Accepts the end of {@link RunningCipher.updateAsync}. */
  updated(size: number): void {
    if (this.held !== undefined) this.held.size += size;
  }

  /** Ends the message. Returns the plaintext that was held. */
  final(): Buffer {
    const { setup, binding, held } = this;
    const { encrypt, tagSize } = setup;
    this.checkTag();
    const tag = encrypt ? allocate(tagSize) : (this.tag ?? NO_BYTES);
    frame[At.Key] = this.state.handle;
    this.forget();
    const status = binding.finishCipher(tag, encrypt ? 0 : 1);
    if (status !== 0) {
      const error = failure(status);
      this.fail(error);
      throw error;
    }
    this.phase = Phase.Finalized;
    if (encrypt) this.tag = tag as Buffer;
    if (held === undefined) return allocate(0);
    try {
      return held.take();
    } catch (error) {
      this.fail(error);
      throw error;
    }
  }

  /** Throws if a decryption has no tag to check. */
  checkTag(): void {
    const { encrypt, facts, tagSize } = this.setup;
    if (encrypt || tagSize === 0 || this.tag !== undefined) return;
    throw makeError(
      'ERR_MISSING_ARGUMENT',
      `${facts.name} needs the tag of ${tagSize} bytes before final: pass ` +
        'options.authTag to createDecipher, or call setAuthTag',
    );
  }

  /** Returns an independent copy of a decryption. */
  copy(): RunningCipher {
    const { setup, binding, held } = this;
    frame[At.Key] = this.state.handle;
    const handle = binding.copyCipher();
    if (handle < 0) throw failure(-handle);
    const copy = new RunningCipher(setup, handle, held?.copy());
    copy.tag = this.tag;
    return copy;
  }

  /** Wipes the state and records the error that later operations report. */
  fail(error: unknown): void {
    this.wipeHeld();
    this.phase = Phase.Failed;
    this.failure = error;
    if (this.state.handle === 0) return;
    frame[At.Key] = this.state.handle;
    this.forget();
    this.binding.disposeKey();
  }

  /** Wipes the plaintext that is held. */
  wipeHeld(): void {
    this.held?.wipe();
  }

  /** Returns memory for a result. Without it the message would lack a piece. */
  private memory(size: number): Buffer {
    try {
      return allocateApart(size);
    } catch (error) {
      this.fail(error);
      throw error;
    }
  }

  private hold(source: Uint8Array, offset: number, size: number): void {
    const held = this.held!;
    let memory: Buffer;
    try {
      memory = held.reserve(size);
    } catch (error) {
      this.fail(error);
      throw error;
    }
    this.run(source, offset, size, memory, held.size);
    held.size += size;
  }

  private run(
    source: Uint8Array,
    offset: number,
    size: number,
    target: Uint8Array,
    targetOffset: number,
  ): void {
    frame[At.Key] = this.state.handle;
    frame[At.SourceOffset] = offset;
    frame[At.SourceSize] = size;
    frame[At.TargetOffset] = targetOffset;
    const status = this.binding.updateCipher(source, target);
    if (status === 0) return;
    const error = failure(status);
    this.fail(error);
    throw error;
  }

  /** Forgets the state, which the engine no longer has. */
  private forget(): void {
    this.state.handle = 0;
  }
}

/** Returns the cipher if a synchronous operation may use it now. */
export function ready(running: RunningCipher): RunningCipher {
  if (running.phase !== Phase.Open || running.pending > 0) throw refusal(running, false);
  return running;
}

/** Returns the error of an operation that is not allowed now. */
export function refusal(running: RunningCipher, asynchronous: boolean): unknown {
  if (running.pending > 0 && !asynchronous)
    return makeError(
      'ERR_CIPHER_BUSY',
      'an asynchronous operation of this cipher is in flight: wait for its callback or ' +
        'promise, or make this operation asynchronous too',
    );
  if (running.phase === Phase.Failed) return running.failure;
  return spent('has ended its message');
}

/** Returns ERR_CIPHER_SPENT. */
export function spent(reason: string): Error {
  return makeError('ERR_CIPHER_SPENT', `this cipher ${reason}: create another, with a new nonce`);
}
