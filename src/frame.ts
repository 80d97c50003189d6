/**
 * What passes between the front and an engine's binding: the calls, and the memory shared with it. Everything here mirrors
 * crates/node/src/calls.rs and completion.rs, by name and by number.
 */
/** What the binary exports; `calls.rs` documents each. */
export interface Native {
  run(
    source: Uint8Array | readonly Uint8Array[],
    target: Uint8Array | undefined,
    iv: Uint8Array | undefined,
    aad: Uint8Array | undefined,
    tag: Uint8Array | undefined,
    key: Uint8Array | undefined,
  ): number;
  /** These three take {@link At.Algorithm}, and as {@link At.SourceSize} {@link WHOLE}, or else the source is on the desk. */
  hash(source: unknown, target: Uint8Array): number;
  hashHex(source: unknown): string | undefined;
  hashBigInt(source: unknown): bigint | undefined;
  toBigIntLE(source: Uint8Array): bigint | undefined;
  toBigIntBE(source: Uint8Array): bigint | undefined;
  writeBigIntLE(number: bigint, target: Uint8Array): number | undefined;
  writeBigIntBE(number: bigint, target: Uint8Array): number | undefined;
  /**
   * The same for the state of a running hash, of {@link At.AadSize}, and the rest of the message on the desk. With the states of a key
   * (Operation.MacBegin) it is an HMAC; its state may be empty.
   */
  finishHex(state: Uint8Array, keyStates?: Uint8Array): string | undefined;
  /** Takes the number of an engine as in {@link At.Engine}, 0 if it is absent. */
  createKey(purpose: number, algorithm: number, bytes: Uint8Array, engine?: number): number;
  disposeKey(): number;
  /** A `Cancelled` of waiters.ts. */
  cancel(slot: number): number;
  /** Derivations that have gathered go to the pool. */
  depart(): void;
  /** Nothing was derived for a while: memory that is kept for derivations goes back to the system. */
  freeDerivationMemory(): void;
  /** How far a derivation has come, from 0 to 1. */
  progress(slot: number): number;
  /** With the frame as for a derivation, and a password hash as aad: 1 or 0, or the negative of a status. */
  needsRehash(source: Uint8Array, target: undefined, iv: undefined, aad: Uint8Array): number;
  /** Whether bytes are equal: 1 or 0; -1 if they are not as many. */
  equal(left: Uint8Array, right: Uint8Array): number;
  /** The most bytes derivations may take together (0 while it is not set), those taken, and the jobs that wait for some. */
  derivationMemory(which: number): number;
  setDerivationMemory(limit: number): void;
  /** Predicted nanoseconds of hashing so many bytes in so many messages. */
  predict(algorithm: number, bytes: number, messages: number): number;
  /** Of a hash (0) or cipher (1); what it tells stands in prices.ts. */
  price(cipher: number, algorithm: number, which: number): number;
  /** Another number whenever a price or the usual route has changed. */
  epoch(): number;
  /** All prices as JSON. */
  costs(): string;
  /** Nanoseconds of work that is done during its call while others are in flight. */
  inlineLimit(): number;
  /** Whether so many bytes may be copied: 1 or 0; -1 while no limit is set and that matters. */
  roomForCopies(size: number): number;
  /** The most bytes of copies, 0 while none is set, and the bytes copied now. */
  copies(which: number): number;
  setCopies(limit: number): void;
  usualRoute(): Route;
  setUsualRoute(route: Route): void;
  beginPolling(): void;
  poll(): Poll;
  /** `settle` is told how many records stand in the ring, and of which jobs, by slot, the result is not in the {@link Flag.Fresh} memory but this. */
  attach(frame: Float64Array, ring: Uint8Array, settle: (records: number, instead?: ReadonlyMap<number, Uint8Array>) => void, desk: Uint8Array): number;
  threads(which: number): number;
  setThreads(limit: number): void;
  /** Whether freed memory of large results is kept for others: pages.rs. */
  recycles(): number;
  setRecycling(keep: number): void;
  catalog(): string;
  engines(): string;
  /**
   * The state of a running hash that the kernel keeps is a ticket of {@link TICKET_SIZE} bytes. A copy of what it stands for, with a
   * ticket of its own in `next`; returns a status.
   */
  forkState(ticket: Uint8Array, next: Uint8Array): number;
  /** What a ticket stands for is closed: 1, or 0 if it was already. `Finish` does so by itself. */
  dropState(ticket: Uint8Array): number;
  /** What the kernel serves and why not the rest, as JSON: as far as it is known (0), or asked for now (1), which may load kernel modules. */
  kernelReport(probe: number): string;
  /** Why an engine was not available, or why a message is too large for it, when a call has just returned the status that says so. */
  lastReason(): string;
}

/** Indexes of the frame: `At` in calls.rs. */
export const enum At {
  Operation,
  Algorithm,
  Slot,
  Flags,
  Key,
  KeyOffset,
  KeySize,
  IvOffset,
  IvSize,
  SourceOffset,
  SourceSize,
  TargetOffset,
  TargetSize,
  AadOffset,
  AadSize,
  TagOffset,
  TagSize,
  SeedLow,
  SeedHigh,
  /** Of many messages: how many there are, and the size of each, unless {@link Flag.HasSizes} or {@link Flag.HasViews} says otherwise. */
  Count,
  MessageSize,
  /** Of a derivation: the most bytes of memory, and of a password hash the most milliseconds. Bytes needed are written here when they are too many. */
  MaxMemory,
  MaxTime,
  /** How an asynchronous call is to be run: a {@link Route}. */
  Route,
  /** Written by native code: the predicted nanoseconds of an accepted asynchronous job, 0 if it has run already. */
  Cost,
  /** Who computes: native (0), the kernel by its best way (1), by AF_ALG (2), by /dev/crypto (3). A prepared key decides for itself. */
  Engine,
  Length,
}

/** What is computed: the numbers of `Request::work` in calls.rs. */
export const enum Operation {
  Hash,
  Hmac,
  Encrypt,
  Decrypt,
  Seal,
  Open,
  /** A running hash moves on: its state travels as aad, the next one is the result; what comes before the source travels as iv. */
  Update,
  Finish,
  /** Synchronous only; the state it leaves is written to the tag. */
  Squeeze,
  MacUpdate,
  MacFinish,
  HashMany,
  HmacMany,
  /** A run of chunks: the base nonce travels as iv, the first chunk's number as seed. */
  SealChunks,
  OpenChunks,
  /** Derivations: password as key, salt as iv, other inputs as aad, a second secret as tag; their costs in the places of counts and seeds. */
  Scrypt,
  Pbkdf2,
  Hkdf,
  Argon2,
  /** The aad is a password hash. */
  Verify,
  /** A message in a file, whose path is the source; of {@link At.MessageSize}. */
  HashFile,
  /** Messages in {@link At.Count} files of at most {@link At.MessageSize}, whose paths end with NULs; what the target gets stands in files.rs. */
  HashFiles,
  /** Writes the states of an HMAC's key, which is the source, to the target: twice the hash's state size. Synchronous only. */
  MacBegin,
}

/** Which byte arguments a call has, and how it treats them: the constants of calls.rs. */
export const enum Flag {
  HasTarget = 1,
  HasIv = 2,
  HasAad = 4,
  HasTag = 8,
  HasKey = 16,
  Snapshot = 32,
  Cancellable = 64,
  /** The sizes of many messages are 64-bit floats in the place of the iv. */
  HasSizes = 128,
  /** The source is an array of typed arrays; the source's offset is the index of the first message. */
  HasViews = 256,
  /** The source is a copy of ours, made for this call. */
  Copied = 512,
  /** Copies are made however many there are. */
  Unlimited = 1024,
  /** The target was made for this result. */
  Fresh = 2048,
  /** Somebody wants to know how far a derivation has come. */
  Watched = 4096,
}

/** How an asynchronous call is run: `Route` in cost.rs. */
export const enum Route {
  /** As its predicted cost says. */
  Auto,
  /** During the call; it settles later all the same. */
  Inline,
  /** By one worker. */
  Pool,
  /** By all workers, each a part; by one where the work has no parts. */
  Split,
}

/** Bytes of the state of a running hash that the kernel keeps, of any hash. */
export const TICKET_SIZE = 16;

/** In {@link At.SourceSize}: all of the source that is passed. */
export const WHOLE = -1;

/** What came of looking for results: `Poll` in lifecycle.rs. */
export const enum Poll {
  Done,
  Again,
  InVain,
}

/** What a prepared key is for: `Purpose` in keys.rs. */
export const enum Purpose {
  Cipher,
  Mac,
  Hash,
}

/** How a call or a job ended: `Status` in work.rs. */
export const enum Status {
  Done,
  KeySize,
  IvSize,
  TagSize,
  OutputSize,
  SourceTooLarge,
  AadTooLarge,
  Authentication,
  NotSupported,
  Engine,
  /** An argument is not a typed array, or a range does not fit: the parser missed something, or the memory has gone. */
  Argument,
  /** The tag's range and the target's overlap. */
  Overlap,
  KeyDisposed,
  /** The prepared key belongs to another algorithm. */
  KeyAlgorithm,
  Cancelled,
  /** A bug of ours. */
  Internal,
  /** A copy did not fit into memory. */
  Memory,
  /** The bytes are not a state of this hash, or not one that can go on. */
  State,
  /** Not accepted yet: a limit for copies must be set first. */
  Undecided,
  SaltSize,
  /** A cost parameter that the algorithm has not. */
  Cost,
  /** More working memory than the call allows. */
  MemoryLimit,
  /** The text is no password hash. */
  Encoded,
  /** A password hash that asks for more work than the call allows. */
  Work,
  /** More working memory than all derivations together may take. */
  RoomLimit,
  /** The engine that was asked for cannot do this here. */
  Unavailable,
  /** The message is too large for the engine that was asked for. */
  TooLarge,
  /** Not a regular file that can be read and stays as it is. */
  File,
}

/** A result up to this size may travel in the ring; larger ones get a buffer of their own. */
export const RING_RESULT_MAX = 2048;
const RING_SIZE = 64 * 1024;

/** The numbers of one call. Private to this package: native code keeps its address. */
export const frame = new Float64Array(At.Length);

/** The parts of the desk: what running hashes gather, and short strings. */
export const GATHERED_MAX = 4096;
export const TEXT_MAX = 3072;
/** Short inputs. Private to this package like the frame: native code keeps its address, and need not be given it. */
export const desk = new Uint8Array(new ArrayBuffer(GATHERED_MAX + TEXT_MAX));

const ring = new ArrayBuffer(RING_SIZE);
/** Finished jobs, written by native code before it calls `settle`. */
export const ringBytes = new Uint8Array(ring);
/** The same memory as 32-bit numbers. */
export const ringNumbers = new Uint32Array(ring);
