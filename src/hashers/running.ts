/**
 * A running hash: the bytes of its state, what has been gathered for it, and how both move on. What
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
interface Region {
  /** Where bytes are gathered before they are sent across, and how many. */
  readonly gathered: Buffer;
  readonly room: number;
  readonly state: Uint8Array;
}

/**
 * What a running hash gathers at a seat of its own: less than at the input buffer, as there may be many.
 */
const OWN_ROOM = 1024;

function makeRegion(room: number, stateSize: number): Region {
  return {
    gathered: viewOf(new ArrayBuffer(room)),
    room,
    state: new Uint8Array(new ArrayBuffer(stateSize)),
  };
}

// The seat at the input buffer: running hashes use it in turn, because memory for each would cost more than
// the rest of a small hash (300 ns). Who sits there when another comes moves to a seat of its own.
// (One that is forgotten there, and its key, are collected when the next one comes: to hold it
// weakly would cost each hash 100 ns.)
const inputRegion: Region = {
  gathered: viewOf(inputBuffer.buffer, inputBuffer.byteOffset, inputBuffer.length),
  room: GATHERED_MAX,
  state: new Uint8Array(new ArrayBuffer(STATE_MAX)),
};
let acquired: Running | undefined;

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
export class Running implements Beginning {
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
  declare private region: Region | undefined;
  /** Bytes of the message in the state. */
  declare private sent: number;
  /** Bytes gathered since. */
  declare private gathered: number;
  /** Whether there is a state. */
  declare private begun: boolean;

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
    this.region = undefined;
    this.sent = 0;
    this.gathered = 0;
    this.begun = false;
  }

  /** Whether what it holds depends on a key. */
  get keyed(): boolean {
    return this.key !== undefined || this.keyStates !== undefined;
  }

  /** Bytes of the message so far. */
  get length(): number {
    return this.sent + this.gathered;
  }

  /**
   * The everyday update: lays all of the source beside what is gathered. False if there is anything
   * to consider. Short, so that it is compiled into its callers: that halves its 30 ns.
   */
  takeAtOnce(source: Uint8Array): boolean {
    const { gathered } = this;
    const size = sizeOf(source);
    if (this.phase !== Phase.Open || this.pending > 0 || size === 0) return false;
    const region = this.region ?? this.sit();
    if (gathered + size > region.room) return false;
    region.gathered.set(source, gathered);
    this.gathered = gathered + size;
    return true;
  }

  /** Takes in bytes of the message, here and now. */
  take(source: Uint8Array, offset: number, size: number): void {
    if (this.fits(size)) {
      this.gather(source, offset, size);
    } else if (size < OWN_ROOM / 2) {
      this.advance(NO_BYTES, 0, 0);
      this.gather(source, offset, size);
    } else {
      this.advance(source, offset, size);
    }
  }

  /** Takes in a string as UTF-8; false if it is too long to be gathered. */
  takeText(text: string): boolean {
    if (!this.fits(text.length * UTF8_MAX)) return false;
    const { gathered } = this.region ?? this.sit();
    const size = writeText(gathered, text, this.gathered);
    this.gathered += size;
    return true;
  }

  /** Whether so many bytes fit beside those gathered. */
  fits(size: number): boolean {
    return this.gathered + size <= (this.region ?? inputRegion).room;
  }

  /** Lays bytes that fit beside those gathered. */
  gather(source: Uint8Array, offset: number, size: number): void {
    if (size === 0) return;
    const { gathered } = this.region ?? this.sit();
    gathered.set(size === sizeOf(source) ? source : part(source, offset, size), this.gathered);
    this.gathered += size;
  }

  /**
   * Takes in bytes of the message on the pool. The state is away until the waiter is told, and then
   * {@link Running.returned} must be. The source is lent unless `copied`.
   */
  send(
    completion: Completion,
    source: Uint8Array,
    offset: number,
    size: number,
    copied: boolean,
  ): void {
    // While the state is away nobody may come to its place.
    this.leave();
    this.begin();
    this.setUpdate(source, offset, size);
    if (copied) request.flags |= Flag.Snapshot;
    runAsync(completion);
    // Native code has copied what was gathered.
    this.sent += this.gathered + size;
    this.dropGathered();
  }

  /** What was sent has come back. */
  returned(): void {
    this.begun = true;
  }

  /** The digest, after which it is spent. */
  digest(form: Form): unknown {
    let digest: unknown;
    if (this.seedLow === 0 && this.seedHigh === 0) digest = this.quickDigest(form);
    if (digest === undefined) {
      this.fillDigest();
      setResult(this.size, form);
      digest = this.run();
    }
    this.spend();
    return digest;
  }

  /** The same into the caller's memory; the digest's size. */
  digestInto(target: Uint8Array, offset: number): number {
    this.fillDigest();
    setTarget(target, offset, this.size);
    this.run();
    this.spend();
    return this.size;
  }

  /** The same on the pool; {@link Running.spend} must be called when the waiter is told. */
  sendDigest(completion: Completion, form: Form): void {
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
    this.begin();
    const { gathered, state } = this.region ?? this.sit();
    beginRequest(Operation.Squeeze, this.facts.id, gathered, 0, this.gathered);
    this.setSoFar(handle);
    setTarget(target, offset, size);
    setTag(state, 0, this.stateSize);
    this.run();
    this.begun = true;
    this.sent += this.gathered;
    this.dropGathered();
    this.phase = Phase.Squeezing;
  }

  /** Another one that has taken in the same, with a digest of its own size. */
  copy(size: number): Running {
    const { facts, mac, key, seedLow, seedHigh, choice, keyStates } = this;
    const copy = new Running(facts, mac, key, seedLow, seedHigh, size, choice, keyStates);
    if (this.region !== undefined) {
      this.leave();
      const { gathered, state } = copy.sit();
      gathered.set(part(this.region.gathered, 0, this.gathered));
      if (this.begun) {
        if (this.held) this.fork(copy, state);
        else state.set(this.region.state);
      }
    }
    copy.gathered = this.gathered;
    copy.begun = this.begun;
    copy.sent = this.sent;
    copy.phase = this.phase;
    return copy;
  }

  /** Begins anew. */
  reset(): void {
    this.spend();
    this.phase = Phase.Open;
    this.failure = undefined;
    this.sent = 0;
  }

  /** A copy of the state, in which all of the message so far is. */
  save(): Uint8Array {
    this.begin();
    if (this.held)
      throw makeError(
        'ERR_ENGINE_UNAVAILABLE',
        'the kernel keeps the state of this hasher and does not give it out: createHash and createHmac take another engine',
      );
    if (!this.begun || this.gathered > 0) this.advance(NO_BYTES, 0, 0);
    const copy = new Uint8Array(new ArrayBuffer(this.facts.stateSize));
    copy.set(part(this.region!.state, 0, copy.length));
    return copy;
  }

  /**
   * Goes on from a saved state of a message so long; ERR_STATE if it is none of this hash, seed and
   * phase.
   */
  restore(state: Uint8Array, length: number, phase: Phase): void {
    this.sit().state.set(state);
    this.begun = true;
    // Native code looks at all of a state when it is to move on, even by nothing.
    if (phase === Phase.Squeezing) this.squeeze(NO_BYTES, 0, 0);
    else this.advance(NO_BYTES, 0, 0);
    this.sent = length;
  }

  /** Forgets the message; what depends on a key is wiped. */
  spend(): void {
    const { region } = this;
    if (region !== undefined) {
      if (this.held && this.begun) this.drop();
      if (this.keyed && this.begun) region.state.fill(0, 0, this.stateSize);
      this.sent += this.gathered;
      this.dropGathered();
      if (acquired === this) {
        acquired = undefined;
        this.region = undefined;
      }
    }
    this.begun = false;
    this.phase = Phase.Spent;
  }

  /** An operation has failed: so will all that follow. */
  fail(error: unknown): void {
    this.spend();
    this.phase = Phase.Failed;
    this.failure = error;
  }

  /** Moves on by what was gathered and then the source. */
  private advance(source: Uint8Array, offset: number, size: number): void {
    this.begin();
    this.setUpdate(source, offset, size);
    this.run();
    this.begun = true;
    this.sent += this.gathered + size;
    this.dropGathered();
  }

  private setUpdate(source: Uint8Array, offset: number, size: number): void {
    const handle = handleOf(this);
    const { gathered, state } = this.region ?? this.sit();
    const operation = this.mac ? Operation.MacUpdate : Operation.Update;
    if (size === 0) {
      beginRequest(operation, this.facts.id, gathered, 0, this.gathered);
    } else {
      beginRequest(operation, this.facts.id, source, offset, size);
      if (this.gathered > 0) setIv(gathered, 0, this.gathered);
    }
    this.setSoFar(handle);
    setTarget(state, 0, this.stateSize);
  }

  private fillDigest(): void {
    const handle = handleOf(this);
    const { mac, facts } = this;
    const whole = !this.begun && this.keyStates === undefined;
    const operation = whole
      ? mac
        ? Operation.Hmac
        : Operation.Hash
      : mac
        ? Operation.MacFinish
        : Operation.Finish;
    beginRequest(operation, facts.id, this.region?.gathered ?? NO_BYTES, 0, this.gathered);
    this.setSoFar(handle);
  }

  /** Key, seed, and the state so far. */
  private setSoFar(handle: number): void {
    fillBeginning(this, handle);
    if (this.begun) setAad(this.region!.state, 0, this.stateSize);
  }

  private quickDigest(form: Form): unknown {
    const { facts, region, gathered, keyStates } = this;
    if ((region !== inputRegion && gathered > 0) || this.size !== facts.digestSize)
      return undefined;
    const key = handleOf(this);
    const engine = this.choice.engines[0]!;
    if (this.begun || keyStates !== undefined) {
      if (form !== Form.Hex) return undefined;
      return fastFinishHex(
        facts,
        this.begun ? region!.state : NO_BYTES,
        gathered,
        key,
        engine,
        keyStates,
      );
    }
    if (form === Form.Hex) return fastHex(facts, undefined, 0, gathered, key, engine);
    if (form === Form.Buffer) return fastBuffer(facts, undefined, 0, gathered, key, engine);
    return form === Form.BigInt
      ? fastBigInt(facts, undefined, 0, gathered, key, engine)
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
  private get held(): boolean {
    return !this.choice.engines[0]!.here;
  }

  private get stateSize(): number {
    return this.held ? KERNEL_HANDLE_BYTES : this.facts.stateSize;
  }

  /**
   * Before there is a state that the kernel keeps: has it made, and so finds out which of several
   * engines it will be of.
   */
  private begin(): void {
    if (this.begun || !this.held) return;
    const all = this.choice;
    const [engine, next] = all.engines;
    const handle = handleOf(this);
    const { state } = this.region ?? this.sit();
    this.choice = sliceOf(all, 0);
    try {
      beginRequest(
        this.mac ? Operation.MacUpdate : Operation.Update,
        this.facts.id,
        NO_BYTES,
        0,
        0,
      );
      fillBeginning(this, handle);
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
      this.begin();
      return;
    }
    this.begun = true;
    this.keep(state);
  }

  /** Closes the hash in the kernel when this object is collected. */
  private keep(state: Uint8Array): void {
    forgotten.register(
      this,
      { binding: this.choice.engines[0]!.binding, handle: state.slice(0, KERNEL_HANDLE_BYTES) },
      this,
    );
  }

  private fork(copy: Running, next: Uint8Array): void {
    const { binding } = this.choice.engines[0]!;
    const status = binding.forkState(
      part(this.region!.state, 0, KERNEL_HANDLE_BYTES),
      part(next, 0, KERNEL_HANDLE_BYTES),
    );
    if (status !== 0)
      throw failure(status, 0, status >= Status.Unavailable ? binding.lastReason() : '');
    copy.keep(next);
  }

  private drop(): void {
    forgotten.unregister(this);
    this.choice.engines[0]!.binding.dropState(part(this.region!.state, 0, KERNEL_HANDLE_BYTES));
  }

  private sit(): Region {
    if (acquired !== undefined) acquired.leave();
    acquired = this;
    this.region = inputRegion;
    return inputRegion;
  }

  /** Moves from the input buffer to a seat of its own, if it has none. */
  private leave(): void {
    if (this.region !== undefined && this.region !== inputRegion) return;
    const { gathered, state } = (this.region = makeRegion(
      Math.max(OWN_ROOM, this.gathered),
      this.facts.stateSize,
    ));
    if (acquired !== this) return;
    acquired = undefined;
    gathered.set(part(inputBuffer, 0, this.gathered));
    state.set(part(inputRegion.state, 0, state.length));
    if (!this.keyed) return;
    inputBuffer.fill(0, 0, this.gathered);
    inputRegion.state.fill(0, 0, state.length);
  }

  private dropGathered(): void {
    if (this.keyed && this.gathered > 0) this.region!.gathered.fill(0, 0, this.gathered);
    this.gathered = 0;
  }
}

/** Closes hashes in the kernel whose objects were collected. */
const forgotten = new FinalizationRegistry<{
  readonly binding: Native;
  readonly handle: Uint8Array;
}>(({ binding, handle }) => void binding.dropState(handle));

/**
 * The handle of the key, 0 if there is none; throws if it was disposed. Called before a description
 * begins.
 */
export function handleOf({ key }: Beginning): number {
  return key === undefined ? 0 : keyHandle(key, keyAlgorithm(key));
}

/** Adds key, seed and engines to a description. */
export function fillBeginning(
  { seedLow, seedHigh, choice, keyStates }: Beginning,
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
  const reason = phase === Phase.Squeezing ? 'has begun to give output' : 'has given its digest';
  return makeError('ERR_HASHER_SPENT', `this hasher ${reason}: reset() it or make another`);
}
