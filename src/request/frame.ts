/**
 * What passes between the front and an engine's binding: the calls, and the memory shared with it.
 * The numbers stand in protocol.ts.
 */
import {
  At,
  COMPLETION_BUFFER_BYTES,
  type CopiedBytes,
  type KdfMemory,
  type Poll,
  type CostPart,
  type Route,
  type Threads,
} from './protocol.js';

export {
  At,
  CancelResult,
  CopiedBytes,
  EngineNumber,
  Flag,
  KdfMemory,
  Operation,
  Poll,
  CostPart,
  Purpose,
  Route,
  Status,
  Threads,
} from './protocol.js';

/** What the binary exports; `exports.rs` documents each. */
export interface Native {
  run(
    source: Uint8Array | readonly Uint8Array[],
    target: Uint8Array | undefined,
    iv: Uint8Array | undefined,
    aad: Uint8Array | undefined,
    tag: Uint8Array | undefined,
    key: Uint8Array | undefined,
  ): number;
  /**
   * These three take {@link At.Algorithm}, and as {@link At.SourceSize} {@link WHOLE}, or else the
   * source is on the input buffer.
   */
  hash(source: unknown, target: Uint8Array): number;
  hashHex(source: unknown): string | undefined;
  hashBigInt(source: unknown): bigint | undefined;
  toBigIntLE(source: Uint8Array): bigint | undefined;
  toBigIntBE(source: Uint8Array): bigint | undefined;
  writeBigIntLE(number: bigint, target: Uint8Array): number | undefined;
  writeBigIntBE(number: bigint, target: Uint8Array): number | undefined;
  /**
   * The same for the state of a running hash, of {@link At.AadSize}, and the rest of the message on
   * the input buffer. With the states of a key (Operation.MacBegin) it is an HMAC; its state may be empty.
   */
  finishHex(state: Uint8Array, keyStates?: Uint8Array): string | undefined;
  /** Takes the number of an engine as in {@link At.Engine}, 0 if it is absent. */
  createKey(purpose: number, algorithm: number, bytes: Uint8Array, engine?: number): number;
  /**
   * An HMAC key of the bytes of a prepared key of a cipher: its handle, or minus a {@link Status}.
   */
  createMacKey(hash: number): number;
  disposeKey(): number;
  /** A {@link CancelResult}. */
  cancel(slot: number): number;
  /** Derivations that have gathered go to the pool. */
  flushDerivations(): void;
  /**
   * Nothing was derived for a while: memory that is kept for derivations goes back to the system.
   */
  freeDerivationMemory(): void;
  /** How far a derivation has come, from 0 to 1. */
  progress(slot: number): number;
  /**
   * With the frame as for a derivation, and a password hash as aad: 1 or 0, or the negative of a
   * status.
   */
  needsRehash(source: Uint8Array, target: undefined, iv: undefined, aad: Uint8Array): number;
  /** Whether bytes are equal: 1 or 0; -1 if they are not as many. */
  equal(left: Uint8Array, right: Uint8Array): number;
  /**
   * The most bytes derivations may take together (0 while it is not set), those taken, and the jobs
   * that wait for some.
   */
  derivationMemory(which: KdfMemory): number;
  setDerivationMemory(limit: number): void;
  /** Predicted nanoseconds of hashing so many bytes in so many messages. */
  predict(algorithm: number, bytes: number, messages: number): number;
  /** Of a hash (0) or cipher (1); what it tells stands in prices.ts. */
  cost(cipher: number, algorithm: number, part: CostPart): number;
  /** Another number whenever a price or the usual route has changed. */
  epoch(): number;
  /** All prices as JSON. */
  costs(): string;
  /** Nanoseconds of work that is done during its call while others are in flight. */
  inlineLimit(): number;
  /** Whether so many bytes may be copied: 1 or 0; -1 while no limit is set and that matters. */
  canCopy(size: number): number;
  /** The most bytes of copies, 0 while none is set, and the bytes copied now. */
  copies(which: CopiedBytes): number;
  setCopies(limit: number): void;
  defaultRoute(): Route;
  setDefaultRoute(route: Route): void;
  beginPolling(): void;
  poll(): Poll;
  /**
   * `settle` is told how many records stand in the completion buffer, and of which jobs, by slot, the result is
   * not in the {@link Flag.Fresh} memory but this.
   */
  attach(
    frame: Float64Array,
    completionBuffer: Uint8Array,
    settle: (records: number, instead?: ReadonlyMap<number, Uint8Array>) => void,
    inputBuffer: Uint8Array,
  ): number;
  threads(which: Threads): number;
  setThreads(limit: number): void;
  /** Whether freed memory of large results is kept for others: pages.rs. */
  recycles(): number;
  setRecycling(keep: number): void;
  catalog(): string;
  /**
   * The version of millrace that the binary was built from; empty for the portable engine, which is
   * part of the front.
   */
  version(): string;
  engines(): string;
  /**
   * Copies a running hash that is in the kernel, and writes the copy's handle to `next`; returns a
   * status. Such a handle, of {@link KERNEL_HANDLE_BYTES} bytes, takes the place of a state.
   */
  forkState(handle: Uint8Array, next: Uint8Array): number;
  /** Closes such a hash: 1, or 0 if it was closed already. `Finish` closes it too. */
  dropState(handle: Uint8Array): number;
  /**
   * What the kernel serves and why not the rest, as JSON: as far as it is known (0), or asked for
   * now (1), which may load kernel modules.
   */
  kernelReport(probe: number): string;
  /**
   * Why an engine was not available, or why a message is too large for it, when a call has just
   * returned the status that says so.
   */
  lastReason(): string;
}

/** The numbers of one call. Private to this package: native code keeps its address. */
export const frame = new Float64Array(At.Length);

/** The parts of the input buffer: what running hashes gather, and short strings. */
export const GATHERED_MAX = 4096;
export const TEXT_MAX = 3072;
/**
 * Short inputs. Private to this package like the frame: native code keeps its address, and need not
 * be given it.
 */
export const inputBuffer = new Uint8Array(new ArrayBuffer(GATHERED_MAX + TEXT_MAX));

const completionBuffer = new ArrayBuffer(COMPLETION_BUFFER_BYTES);
/** Finished jobs, written by native code before it calls `settle`. */
export const completionBytes = new Uint8Array(completionBuffer);
/** The same memory as 32-bit numbers. */
export const completionNumbers = new Uint32Array(completionBuffer);
