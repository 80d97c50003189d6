/**
 * The interface of an engine's binding: its functions and the memory it shares with JavaScript.
 * protocol.ts has the numbers.
 */
import {
  At,
  COMPLETION_BUFFER_BYTES,
  type CopiedBytes,
  type KdfMemory,
  type Poll,
  type PublicKeyAlgorithm,
  type RawCurve,
  type RawOperation,
  type CostPart,
  type Route,
  type SecureMemory,
  type Threads,
} from './protocol.js';

export * from './protocol.js';
import { secretMemory, type Secret } from './secret-memory.js';

/**
 * Settles the jobs of so many records in the completion buffer. `made` is the result of the only
 * one if it is not in its {@link Flag.Fresh} memory.
 */
export type Settle = (records: number, made?: Uint8Array) => void;

/** The exports of the native binary, documented in crates/node/src/exports.rs. */
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
   * Writes the digest to the target. This and the next four read {@link At.Algorithm}, and the
   * source from the argument if {@link At.SourceSize} is {@link WHOLE}, otherwise from the input
   * buffer.
   */
  hash(source: unknown, target: Uint8Array): number;
  hashHex(source: unknown): string | undefined;
  /** Works like `hashHex`, but the text begins with `0x`. */
  hashPrefixedHex(source: unknown): string | undefined;
  hashBigInt(source: unknown): bigint | undefined;
  /** Writes a digest of at most 8 bytes to {@link At.Word}. Returns a status. */
  hashWord(source: unknown): number;
  /**
   * Returns consecutive digests of `size` bytes as hex, each after `0x`; undefined if the text is
   * long.
   */
  prefixedHex(digests: Uint8Array, size: number): string | undefined;
  /**
   * Returns the bytes as text, as the next two do, in a time that depends on their number only;
   * undefined if the text is long.
   */
  hex(bytes: Uint8Array): string | undefined;
  base64(bytes: Uint8Array): string | undefined;
  base64url(bytes: Uint8Array): string | undefined;
  toBigIntLE(source: Uint8Array): bigint | undefined;
  toBigIntBE(source: Uint8Array): bigint | undefined;
  writeBigIntLE(number: bigint, target: Uint8Array): number | undefined;
  writeBigIntBE(number: bigint, target: Uint8Array): number | undefined;
  /**
   * Finishes a running hash: its state has {@link At.AadSize} bytes, and the rest of the message is
   * in the input buffer. With the midstates of a key (Operation.MacBegin) it finishes an HMAC; the
   * state may then be empty.
   */
  finishHex(state: Uint8Array, keyStates?: Uint8Array): string | undefined;
  /** Prepares a key. `engine` is a number as in {@link At.Engine}; 0 by default. */
  createKey(purpose: number, algorithm: number, bytes: Uint8Array, engine?: number): number;
  /**
   * Prepares an HMAC key from the bytes of a prepared cipher key. Returns its handle, or minus a
   * {@link Status}.
   */
  createMacKey(hash: number): number;
  /**
   * Adds parameters to the prepared key of a hash; its handle is in the frame. Returns the handle
   * of another key, or minus a {@link Status}.
   */
  extendKey(parameters: Uint8Array): number;
  disposeKey(): number;
  /** Returns the handle of an empty asymmetric key, which an operation fills, or minus a status. */
  reserveKey(): number;
  /** Returns the handle of the public key of a private one, or minus a {@link Status}. */
  publicKeyOf(): number;
  /** Writes what an asymmetric key is to the frame, as crates/request/src/public_keys.rs says. */
  describeKey(): number;
  /**
   * Writes an asymmetric key to the target, if it fits there. Returns its size, or minus a
   * {@link Status}. To encrypt it with the passphrase, the frame has the number of a cipher as
   * algorithm and the iterations as count.
   */
  exportKey(form: number, target: Uint8Array, passphrase: Uint8Array): number;
  /**
   * Begins a message of an incremental cipher; the key is bytes, or the handle in the frame.
   * Returns the handle of the message, or minus a {@link Status}.
   */
  createCipher(
    algorithm: number,
    encrypt: number,
    iv: Uint8Array,
    aad: Uint8Array,
    key: Uint8Array | undefined,
  ): number;
  /**
   * Encrypts or decrypts {@link At.SourceSize} bytes, with the handle of the message in the frame.
   * Returns a status.
   */
  updateCipher(source: Uint8Array, target: Uint8Array): number;
  /** Ends the message and disposes of it; writes the tag, or checks it if `verify` is 1. */
  finishCipher(tag: Uint8Array, verify: number): number;
  /** Returns the handle of a copy of the message, or minus a {@link Status}. */
  copyCipher(): number;
  /** Returns a {@link CancelResult}. */
  cancel(slot: number): number;
  /** Submits the derivations of this event-loop iteration to the pool. */
  flushDerivations(): void;
  /** Returns memory kept for derivations to the system. */
  freeDerivationMemory(): void;
  /** Returns the progress of a derivation, from 0 to 1. */
  progress(slot: number): number;
  /**
   * Reads the frame as for a derivation, and a password hash as aad. Returns 1 or 0, or minus a
   * {@link Status}.
   */
  needsRehash(source: Uint8Array, target: undefined, iv: undefined, aad: Uint8Array): number;
  /** Returns 1 if the bytes are equal, 0 if they differ and 2 if their sizes differ. */
  equal(left: Uint8Array, right: Uint8Array): number;
  /**
   * Returns, by `which`, the limit in bytes for all derivations together (0 if unset), the bytes in
   * use, or the number of jobs that wait for memory.
   */
  derivationMemory(which: KdfMemory): number;
  setDerivationMemory(limit: number): void;
  /** Predicts the nanoseconds to hash `bytes` bytes in `messages` messages. */
  predict(algorithm: number, bytes: number, messages: number): number;
  /** Returns a part of the cost of a hash (0) or cipher (1). */
  cost(cipher: number, algorithm: number, part: CostPart): number;
  /** Changes whenever a cost or the default route changes. */
  epoch(): number;
  /** Returns all costs as JSON. */
  costs(): string;
  /** Returns the nanoseconds of work that run inline while other jobs are in flight. */
  inlineLimit(): number;
  /** Returns 1 if `size` bytes may be copied, 0 if not, and -1 if the limit is unset and needed. */
  canCopy(size: number): number;
  /** Returns the limit in bytes for copies (0 if unset) or the bytes copied now. */
  copies(which: CopiedBytes): number;
  setCopies(limit: number): void;
  /** Counts bytes copied for an operation that waits; negative ones were released. */
  countCopies(bytes: number): void;
  defaultRoute(): Route;
  setDefaultRoute(route: Route): void;
  beginPolling(): void;
  poll(): Poll;
  attach(
    frame: Float64Array,
    completionBuffer: Uint8Array,
    settle: Settle,
    inputBuffer: Uint8Array,
  ): number;
  threads(which: Threads): number;
  setThreads(limit: number): void;
  /** Keeps or returns the memory of collected large results (crates/request/src/pages.rs). */
  recycles(): number;
  setRecycling(keep: number): void;
  /** Returns how prepared keys are kept, as JSON. */
  secureMemory(): string;
  secureMemoryMode(): SecureMemory;
  /** Sets how keys are kept from now on. Returns a status. */
  setSecureMemory(mode: SecureMemory): number;
  /** Returns the package version that the binary was built from; empty for the portable engine. */
  version(): string;
  engines(): string;
  /**
   * Copies a running hash in the kernel and writes the copy's handle, {@link KERNEL_HANDLE_BYTES}
   * bytes, to `next`. Returns a status.
   */
  forkState(handle: Uint8Array, next: Uint8Array): number;
  /**
   * Closes a running hash in the kernel. Returns 0 if it was closed already. `Finish` closes it
   * too.
   */
  dropState(handle: Uint8Array): number;
  /**
   * Returns, as JSON, what the kernel serves and why it does not serve the rest: the known part
   * (0), or after probing (1), which may load kernel modules.
   */
  kernelReport(probe: number): string;
  /**
   * Returns why the last call was refused, after a status of an unavailable engine or a message too
   * large for it.
   */
  lastReason(): string;
}

/**
 * Synchronous calls that native code runs without a request; the portable engine has none of them.
 * They return a status, and leave the target unchanged unless it is 0.
 */
export interface DirectNative extends Native {
  /**
   * Hashes or authenticates ({@link At.Operation}) as {@link Native.hash} does, with a seed, and
   * with a key given as a handle or ({@link Flag.HasKey}) as bytes. The digest goes to a range of
   * the target, which may overlap the source.
   */
  digest(source: unknown, target: Uint8Array, key: Uint8Array | undefined): number;
  /**
   * Writes the digest of each pair of nodes to the target, which may begin where the nodes do but
   * not overlap them otherwise. The frame has the algorithm.
   */
  hashPairs(nodes: Uint8Array, target: Uint8Array): number;
  /**
   * Adds {@link At.IvSize} bytes of the input buffer, then a range of the source, to a running hash
   * without a key and a seed. Its state has {@link At.AadSize} bytes, 0 at first, and is replaced.
   */
  updateHash(state: Uint8Array, source: Uint8Array): number;
  /**
   * Runs an operation with the bytes of keys, all Uint8Arrays. It refuses inputs of other sizes,
   * and then may have written the target.
   */
  rawKeys(
    operation: RawOperation,
    target: Uint8Array,
    first: Uint8Array,
    second?: Uint8Array,
    third?: Uint8Array,
    parameter?: RawCurve | PublicKeyAlgorithm,
  ): number;
}

/** The numbers of one call. Private: native code keeps its address. */
export const frame: Float64Array = new Float64Array(At.Length);
/** The same memory as integers of 64 bits. */
export const frameWords: BigUint64Array = new BigUint64Array(frame.buffer);

/** The parts of the input buffer: buffered input of running hashes, and short strings. */
export const GATHERED_MAX = 4096;
export const TEXT_MAX = 3072;
/** Short inputs. Private: native code keeps its address, so that calls need not pass it. */
export const inputBuffer: Secret = secretMemory(GATHERED_MAX + TEXT_MAX);

/** The records of finished jobs, which native code writes before it calls `settle`. */
export const completionBytes: Secret = secretMemory(COMPLETION_BUFFER_BYTES);
/** The same memory as 32-bit numbers. */
export const completionNumbers: Uint32Array = new Uint32Array(completionBytes.buffer);
