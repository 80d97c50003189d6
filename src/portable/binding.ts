/**
 * The portable engine's binding: the exports of the native binary (`Native` in frame.ts) over the
 * WebAssembly module. It runs in browsers, in workers and in Node.js; a {@link Host} holds what
 * differs between them.
 */
import { At, CopiedBytes, Poll, Status, type Native } from '../base/frame.js';
import { isChunks, isCipher, isDerivation } from '../base/operations.js';
import { Purpose, WHOLE } from '../base/protocol.js';
import { ciphers, hashes } from '../catalog/catalog-table.js';
import { isLost, isUint8Array, part as sliceOf, sizeOf } from '../base/intrinsics.js';
import { ofMessages, costEpoch, costOf, defaultRoute, setDefaultRoute } from './cost-model.js';
import {
  accepted,
  checkDerivation,
  createKey,
  disposeKey,
  perform,
  place,
  statusOf,
  timeLimit,
  writeNumbers,
} from './execute.js';
import type { Host } from './host.js';
import {
  Instance,
  ofParts,
  Part,
  partOf,
  provided,
  unavailableReason,
  WINDOW,
  withSpare,
} from './instance.js';
import { Jobs } from './jobs.js';
import { numberOf, writeNumber } from './numbers.js';
import { costsReport, enginesReport } from './report.js';
import { workOf } from './request.js';
import { forgetImported } from './webcrypto-backend.js';
import { provideModule } from '#platform/portable/portable-module.js';
import { transferableCopy, NOTHING, overlap, range, refuse, whole } from './windows.js';
import { isEmptyText, type Work } from './work.js';

/**
 * Sending work to a worker and receiving the result costs this thread about 8 times as much as with
 * native code (60 us, not 7). The cost comparison assumes the native figure, so it receives costs
 * divided by this ratio.
 */
const POOL_COST_RATIO = 8;

/** Calls with more bytes at once run in an instance that frees its memory afterwards. */
const LARGE_BYTES = 2 ** 20;

/** Bytes of the longest digest that is not cryptographic. */
const CHECKSUM_MAX = 16;

/**
 * Bytes of a window for long digests on this thread: the first-level cache holds it with the part
 * of the message that is copied there.
 */
const CACHED_WINDOW = 16 * 1024;

/** Bytes of the room for a state of a hash without a tree. Trees divide larger windows. */
const STATE_ROOM = 384;

/** A handle is that of the module, below this number, and a multiple of it: the module's part. */
const PART_UNIT = 2 ** 51;
/** The generation of a key is above its index; see crates/request/src/keys.rs. */
const GENERATION_UNIT = 2 ** 24;

const inModule = (handle: number): number => handle % PART_UNIT;

/** Returns a portable engine with its own keys, workers and settings. */
export function makePortable(host: Host): Native {
  provideModule();
  let frame: Float64Array = new Float64Array(At.Length);
  let inputBuffer: Uint8Array = NOTHING;
  let jobs: Jobs | undefined;

  const instances = ofParts<Instance>();
  /** The last generation of the keys of each module. */
  const generations = ofParts<number>();
  /** Returns the instance of a module that holds its keys, made at first use. */
  function main(part = provided(Part.Digests)): Instance {
    const here = instances[part];
    return here === undefined || here.isLost ? begin(part, here) : here;
  }

  /** Makes an instance. The handles of a lost one name no key in it. */
  function begin(part: Part, lost: Instance | undefined): Instance {
    lost?.wipeAll();
    instances[part] = undefined;
    const next = new Instance(part, host.view);
    next.calls.begin_after(generations[part] ?? 0);
    return (instances[part] = next);
  }

  /** Returns the instance that holds a key or a message; the handle is then in its numbers. */
  function holder(handle: number): Instance {
    const part: Part = Math.floor(handle / PART_UNIT);
    if (instances[part] === undefined) refuse(Status.KeyDisposed);
    const here = main(part);
    here.numbers[At.Key] = inModule(handle);
    return here;
  }

  /** Returns the handle of what an instance of {@link main} made. */
  function handleOf(part: Part, made: number): number {
    const generation = Math.floor(accepted(made) / GENERATION_UNIT);
    generations[part] = Math.max(generations[part] ?? 0, generation);
    return made + part * PART_UNIT;
  }

  /** Returns a copy of the bytes of a prepared key, and its purpose. */
  function keyBytes(handle: number): { readonly secret: Uint8Array; readonly purpose: Purpose } {
    const here = holder(handle);
    const purpose = accepted(here.calls.key_purpose());
    const secret = here.takeOutput(accepted(here.calls.key_bytes()), (memory, start, end) =>
      transferableCopy(memory.subarray(start, end)),
    );
    return { secret, purpose };
  }

  /** Runs `work` and returns its status. */
  function status(work: () => Status | void): Status {
    try {
      return work() ?? Status.Done;
    } catch (error) {
      return statusOf(error);
    }
  }

  /** Runs `work`, which returns a number from 0 on, and returns that or minus a status. */
  function number(work: () => number): number {
    try {
      return work();
    } catch (error) {
      return -statusOf(error);
    }
  }

  /** Returns the work with the bytes of its prepared key, for another instance. */
  function withKeyBytes(work: Work): Work {
    return work.handle === 0 ? work : { ...work, ...keyBytes(work.handle) };
  }

  /** Runs an operation on this thread. */
  function performHere(work: Work): Status {
    const { operation, source, target } = work;
    // To prepare the key takes most of the time.
    if (isEmptyText(work)) return Status.Done;
    const derives = isDerivation(operation);
    // Other long texts pass through a window; an output of any length does not.
    const bytes = isChunks(operation) ? source.length : isCipher(operation) ? 0 : target.length;
    if (!derives && bytes <= LARGE_BYTES) {
      if (work.handle === 0) return perform(work, main(partOf(operation)));
      return perform({ ...work, handle: inModule(work.handle) }, holder(work.handle));
    }
    const keyed = withKeyBytes(work);
    const end = Date.now() + timeLimit(work);
    const run = (spare: Instance): Status => {
      spare.calls.set_derivation_memory(jobs?.budget.limit ?? 0);
      spare.pause = () => Date.now() > end;
      const ended = perform(keyed, spare);
      return derives && ended === Status.Cancelled ? Status.Work : ended;
    };
    try {
      return withSpare(operation, run);
    } finally {
      if (keyed !== work) keyed.secret.fill(0);
    }
  }

  // The fast-path digests: numbers in the frame; the source is an argument or in the input buffer.

  /**
   * Copies the source of a fast-path call to the arena. Returns its size; -1 if only the full
   * request can tell what is wrong.
   */
  function placeSource(to: Instance, source: unknown): number {
    const size = frame[At.SourceSize]!;
    const place = to.reserve(0);
    if (size !== WHOLE) {
      if (size > 0) to.memory.set(range(inputBuffer, frame[At.SourceOffset]!, size), place);
      return size;
    }
    const bytes = isUint8Array(source) ? source : whole(source);
    const length = sizeOf(bytes);
    if (length === 0) return isLost(source as ArrayBufferView) ? -1 : 0;
    if (length > WINDOW) return -1;
    to.memory.set(bytes, place);
    return length;
  }

  /** Calls `read` with what a function of the module wrote to the arena, and overwrites that. */
  function readDigest<Result>(
    here: Instance,
    written: number,
    inputs: number,
    read: (memory: Uint8Array, start: number, end: number) => Result,
  ): Result | undefined {
    try {
      const start = here.reserve(0);
      return accepted(written) > 0 ? read(here.memory, start, start + written) : undefined;
    } finally {
      here.wipe(Math.max(inputs, written));
    }
  }

  /** Returns true for the source of a fast-path call without a key on a whole typed array. */
  function isUnkeyed(source: unknown): source is Uint8Array {
    return frame[At.Key] === 0 && frame[At.SourceSize] === WHOLE && isUint8Array(source);
  }

  /**
   * Hashes a source in windows that the first-level cache holds, and copies the rest to the arena.
   * Returns the size of the rest, and the place of the state before it, 0 for none.
   */
  function absorb(here: Instance, source: Uint8Array): readonly [number, number] {
    const algorithm = frame[At.Algorithm]!;
    const length = sizeOf(source);
    const place = here.reserve(0);
    let [at, state, next] = [0, 0, CACHED_WINDOW];
    for (; length - at > CACHED_WINDOW; at += CACHED_WINDOW) {
      here.memory.set(sliceOf(source, at, CACHED_WINDOW), place);
      requireDone(here.calls.update_hash(algorithm, state, CACHED_WINDOW, next));
      // Two states take turns behind the window.
      [state, next] = [next, state === 0 ? next + STATE_ROOM : state];
    }
    here.memory.set(at > 0 ? sliceOf(source, at, length - at) : source, place);
    return [length - at, state];
  }

  /**
   * Computes the digest of a fast-path call by a hash that is not cryptographic, at the end of the
   * first {@link CHECKSUM_MAX} bytes of the arena, after zeros. Returns its size, or 0 for other
   * calls.
   */
  function checksum(here: Instance, source: unknown): number {
    const algorithm = frame[At.Algorithm]!;
    const facts = hashes[algorithm];
    if (facts === undefined || facts.cryptographic) return 0;
    if (!isUnkeyed(source) || sizeOf(source) === 0) return 0;
    const [rest, state] = absorb(here, source);
    requireDone(here.calls.checksum(algorithm, state, rest));
    return facts.digestSize;
  }

  /**
   * Calls `read` with the digest of a fast-path call by a cryptographic hash, of a source longer
   * than a window; returns undefined for other calls.
   */
  function longDigest<Result>(
    here: Instance,
    source: unknown,
    read: (memory: Uint8Array, start: number, end: number) => Result,
  ): Result | undefined {
    const algorithm = frame[At.Algorithm]!;
    const facts = hashes[algorithm];
    if (facts === undefined || facts.stateSize > STATE_ROOM) return undefined;
    if (!isUnkeyed(source) || sizeOf(source) <= CACHED_WINDOW) return undefined;
    try {
      const [rest, state] = absorb(here, source);
      const size = accepted(here.calls.digest(algorithm, rest, state));
      const start = here.reserve(0);
      return read(here.memory, start, start + size);
    } finally {
      here.wipe(CACHED_WINDOW + 2 * STATE_ROOM);
    }
  }

  /** Calls `read` with the digest of a fast-path call; returns undefined as {@link placeSource}. */
  function digestOf<Result>(
    source: unknown,
    read: (memory: Uint8Array, start: number, end: number) => Result,
  ): Result | undefined {
    const here = main();
    const checked = checksum(here, source);
    if (checked > 0) {
      const end = here.reserve(0) + CHECKSUM_MAX;
      return read(here.memory, end - checked, end);
    }
    const long = longDigest(here, source, read);
    if (long !== undefined) return long;
    const size = placeSource(here, source);
    if (size < 0) return undefined;
    here.numbers[At.Key] = inModule(frame[At.Key]!);
    return readDigest(here, here.calls.digest(frame[At.Algorithm]!, size, 0), size, read);
  }

  /**
   * Works like {@link digestOf}; returns undefined where only the full request can tell what is
   * wrong.
   */
  function fastDigest<Result>(
    source: unknown,
    read: (memory: Uint8Array, start: number, end: number) => Result,
  ): Result | undefined {
    try {
      return digestOf(source, read);
    } catch {
      return undefined;
    }
  }

  const toNumber = (memory: Uint8Array, start: number, end: number): bigint =>
    numberOf(memory, host.hex, start, end);

  const native: Native = {
    run(source, target, iv, aad, tag, key) {
      return status(() => {
        const work = workOf(frame, { source, target, iv, aad, tag, key });
        if (frame[At.Slot]! < 0) return performHere(work);
        const derivation = isDerivation(work.operation)
          ? withSpare(work.operation, (spare) =>
              checkDerivation(work, spare, jobs?.budget.limit ?? 0),
            )
          : undefined;
        (jobs ?? refuse(Status.Internal)).submit(work, derivation, performHere, withKeyBytes);
        return Status.Done;
      });
    },

    hash(source, target) {
      return status(() => {
        const to = whole(target);
        if (frame[At.SourceSize] === WHOLE && overlap(whole(source), to)) return Status.Overlap;
        const done = digestOf(source, (memory, start, end) => {
          if (end - start !== to.length) return Status.OutputSize;
          to.set(memory.subarray(start, end));
          return Status.Done;
        });
        return done ?? Status.Argument;
      });
    },

    hashHex: (source) => fastDigest(source, host.hex),
    hashPrefixedHex(source) {
      const text = native.hashHex(source);
      return text === undefined ? undefined : `0x${text}`;
    },
    prefixedHex: () => undefined,
    hex: () => undefined,
    base64: () => undefined,
    base64url: () => undefined,
    hashBigInt(source) {
      try {
        const here = main();
        const size = checksum(here, source);
        if (size > 0 && size <= 8) return here.word(here.reserve(0) + CHECKSUM_MAX - 8);
        return digestOf(source, toNumber);
      } catch {
        return undefined;
      }
    },

    finishHex(state, keyStates) {
      try {
        const here = main();
        const parts = [
          range(state, 0, frame[At.AadSize]!),
          range(inputBuffer, frame[At.SourceOffset]!, frame[At.SourceSize]!),
          keyStates === undefined ? NOTHING : whole(keyStates),
        ];
        const { length } = placeFirst(here, parts);
        const [of, rest, states] = parts.map(({ length }) => length);
        here.numbers[At.Key] = inModule(frame[At.Key]!);
        const written = here.calls.finish(frame[At.Algorithm]!, of!, rest!, states!);
        return readDigest(here, written, length, host.hex);
      } catch {
        return undefined;
      }
    },

    toBigIntLE: (source) =>
      acceptsBytes(source) && numberOf(whole(source).slice().reverse(), host.hex),
    toBigIntBE: (source) => acceptsBytes(source) && numberOf(whole(source), host.hex),
    writeBigIntLE(number, target) {
      if (typeof number !== 'bigint' || !acceptsBytes(target)) return 1;
      const bytes = whole(target);
      writeNumber(number, bytes);
      bytes.reverse();
      return undefined;
    },
    writeBigIntBE(number, target) {
      if (typeof number !== 'bigint' || !acceptsBytes(target)) return 1;
      writeNumber(number, whole(target));
      return undefined;
    },

    createKey: (purpose, algorithm, bytes) =>
      number(() => {
        const part = provided(purpose === Purpose.Cipher ? Part.Ciphers : Part.Digests);
        return handleOf(part, createKey(main(part), purpose, algorithm, whole(bytes)));
      }),
    createMacKey: (hash) =>
      number(() => {
        const { secret, purpose } = keyBytes(frame[At.Key]!);
        try {
          if (purpose !== Purpose.Cipher) refuse(Status.KeyAlgorithm);
          return native.createKey(Purpose.Mac, hash, secret, 0);
        } finally {
          secret.fill(0);
        }
      }),
    extendKey: (block) =>
      number(() => {
        const handle = frame[At.Key]!;
        const here = holder(handle);
        const { length } = placeFirst(here, [whole(block)]);
        here.numbers[At.Key] = inModule(handle);
        const made = here.calls.extend_key(length);
        here.wipe(length);
        return handleOf(Math.floor(handle / PART_UNIT), made);
      }),
    disposeKey() {
      const handle = frame[At.Key]!;
      forgetImported(handle);
      const disposed = number(() => Number(disposeKey(holder(handle), inModule(handle))));
      return Math.max(0, disposed);
    },

    createCipher: (algorithm, encrypt, iv, aad, key) =>
      number(() => {
        const part = provided(Part.Ciphers);
        const here = main(part);
        const parts = [whole(iv), whole(aad), key === undefined ? NOTHING : whole(key)];
        const { length } = placeFirst(here, parts);
        here.numbers[At.Key] = inModule(frame[At.Key]!);
        const [ivSize, aadSize, keySize] = parts.map((part) => part.length);
        const made = here.calls.create_cipher(
          algorithm,
          encrypt,
          ivSize!,
          aadSize!,
          key === undefined ? -1 : keySize!,
        );
        here.wipe(length);
        return handleOf(part, made);
      }),
    updateCipher: (source, target) =>
      status(() => {
        const size = frame[At.SourceSize]!;
        let from = range(source, frame[At.SourceOffset]!, size);
        const to = range(target, frame[At.TargetOffset]!, size);
        if (overlap(from, to)) {
          if (from.byteOffset !== to.byteOffset) to.set(from);
          from = to;
        }
        const handle = frame[At.Key]!;
        const here = holder(handle);
        const place = here.reserve(0);
        for (let at = 0; at < size || size === 0; at += WINDOW) {
          const length = Math.min(WINDOW, size - at);
          const { memory, numbers } = here;
          memory.set(from.subarray(at, at + length), place);
          numbers[At.Key] = inModule(handle);
          numbers[At.SourceOffset] = numbers[At.TargetOffset] = 0;
          numbers[At.SourceSize] = length;
          const done = here.calls.update_cipher();
          if (done === Status.Done) to.set(memory.subarray(place, place + length), at);
          here.wipe(length);
          if (done !== Status.Done || size === 0) return done;
        }
        return Status.Done;
      }),
    finishCipher: (tag, verify) =>
      status(() => {
        const handle = frame[At.Key]!;
        const here = holder(handle);
        const to = whole(tag);
        const { length, place } = placeFirst(here, [to]);
        here.numbers[At.Key] = inModule(handle);
        const done = here.calls.finish_cipher(length, verify);
        if (done === Status.Done && verify !== 1)
          to.set(here.memory.subarray(place, place + length));
        here.wipe(length);
        return done;
      }),
    copyCipher: () =>
      number(() => {
        const handle = frame[At.Key]!;
        return handleOf(Math.floor(handle / PART_UNIT), holder(handle).calls.copy_cipher());
      }),

    cancel: (slot) => jobs?.cancel(slot) ?? 0,
    flushDerivations: () => jobs?.flush(),
    // Memory is given back as soon as a derivation ends.
    freeDerivationMemory: () => {},
    progress: (slot) => jobs?.progress(slot) ?? 0,
    needsRehash: (_source, _target, _iv, aad) =>
      number(() => {
        const work = workOf(frame, {
          source: NOTHING,
          target: undefined,
          iv: undefined,
          aad,
          tag: undefined,
          key: undefined,
        });
        const here = main(provided(Part.Passwords));
        const sizes = { iv: frame[At.IvSize]!, target: frame[At.TargetSize]! };
        const places = place({ ...work, target: NOTHING }, here, 2 * WINDOW);
        const numbers = writeNumbers({ ...work, target: NOTHING }, places, here);
        [numbers[At.IvSize], numbers[At.TargetSize]] = [sizes.iv, sizes.target];
        const needed = here.calls.needs_rehash();
        here.wipe(places.size);
        return accepted(needed);
      }),
    equal(left, right) {
      try {
        const parts = [whole(left), whole(right)];
        if (parts[0]!.length !== parts[1]!.length) return -1;
        const { length } = placeFirst(main(), parts);
        const same = accepted(main().calls.equal(length / 2));
        main().wipe(length);
        return same;
      } catch {
        return -1;
      }
    },
    derivationMemory: (which) =>
      [jobs?.budget.limit, jobs?.budget.taken, jobs?.budget.waiting][which] ?? 0,
    setDerivationMemory(limit) {
      if (jobs !== undefined) jobs.budget.limit = limit;
    },

    predict: (algorithm, bytes, messages) =>
      Math.round(ofMessages(algorithm, bytes, messages) / POOL_COST_RATIO),
    cost(cipher, algorithm, which) {
      const cost = costOf(cipher === 1, algorithm);
      // Batching gains nothing here, and no inline operation is worth a job.
      return cost === undefined
        ? NaN
        : [cost.fixed / POOL_COST_RATIO, cost.perByte / POOL_COST_RATIO, 1, 1][which]!;
    },
    epoch: costEpoch,
    costs: costsReport,
    inlineLimit: () => 0,

    canCopy: (size) => jobs?.canCopy(size) ?? 1,
    copies: (which) => (which === CopiedBytes.Limit ? jobs?.copiesLimit : jobs?.copied) ?? 0,
    setCopies(limit) {
      if (jobs !== undefined) jobs.copiesLimit = limit;
    },
    defaultRoute: defaultRoute,
    setDefaultRoute,

    // Jobs deliver their results without polling.
    beginPolling: () => {},
    poll() {
      jobs?.settle();
      return Poll.Done;
    },

    attach(given, completionBuffer, settle, inputGiven) {
      if (jobs !== undefined) return 0;
      frame = given;
      inputBuffer = whole(inputGiven);
      jobs = new Jobs(host, frame, whole(completionBuffer), settle);
      return 1;
    },

    threads: (which) => [jobs?.pool.limit, jobs?.pool.started, jobs?.pool.queued][which] ?? 0,
    setThreads: (limit) => jobs?.pool.resize(limit),
    // There is nothing to recycle: the garbage collector owns the memory.
    recycles: () => 0,
    setRecycling: () => {},

    catalog: () => JSON.stringify({ hashes, ciphers }),
    version: () => '',
    engines: () => enginesReport(main),

    // A state is bytes here, never a handle, and the kernel is another engine.
    forkState: () => Status.State,
    dropState: () => 0,
    kernelReport: () => '{}',
    lastReason: unavailableReason,
  };
  return native;
}

/** Copies inputs to the arena, one after the other. Returns where, and their bytes in all. */
function placeFirst(
  instance: Instance,
  parts: readonly Uint8Array[],
): { readonly place: number; readonly length: number } {
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  const place = instance.reserve(length);
  let at = place;
  for (const part of parts) {
    instance.memory.set(part, at);
    at += part.length;
  }
  return { place, length };
}

/** Refuses with a status other than Status.Done. */
function requireDone(status: Status): void {
  if (status !== Status.Done) refuse(status);
}

function acceptsBytes(bytes: unknown): true | undefined {
  return isUint8Array(bytes) || undefined;
}
