/**
 * The portable engine's binding: the exports of the native binary (`Native` in frame.ts) over the
 * modules of the families. It runs in browsers, in workers and in Node.js; a {@link Host} holds
 * what differs between them.
 */
import { At, CopiedBytes, Poll, Status, type Native } from '../base/frame.js';
import { isDerivation } from '../base/operations.js';
import { Operation, Purpose, SecureMemory, WHOLE } from '../base/protocol.js';
import { secretCopy, secretMemory, wipe, type Secret } from '../base/secret-memory.js';
import { ciphers, hashes } from '../catalog/catalog-table.js';
import { isLost, isUint8Array, sizeOf } from '../base/intrinsics.js';
import { ofMessages, costEpoch, costOf, defaultRoute, setDefaultRoute } from './cost-model.js';
import { checkParams, hashOf, macOf } from './digests.js';
import { canRun, perform, refusalReason, runnerOf, statusOf } from './execute.js';
import { PLAIN, type HashParams } from './families/hash.js';
import { Hmac } from './families/hmac.js';
import type { Host } from './host.js';
import { Jobs } from './jobs.js';
import { AsymmetricKey, Keys, PreparedKey } from './keys.js';
import { numberOf, writeNumber } from './numbers.js';
import { costsReport, enginesReport, unavailableReason } from './report.js';
import { workOf } from './request.js';
import { provideOperations } from '#platform/portable/portable-module.js';
import { NOTHING, overlap, range, refuse, whole } from './windows.js';
import type { Work } from './work.js';

/**
 * Sending work to a worker and receiving the result costs this thread about 8 times as much as with
 * native code (60 us, not 7). The cost comparison assumes the native figure, so it receives costs
 * divided by this ratio.
 */
const POOL_COST_RATIO = 8;

/** Returns a portable engine with its own keys, workers and settings. */
export function makePortable(host: Host): Native {
  provideOperations();
  let frame: Float64Array = new Float64Array(At.Length);
  let words = new BigUint64Array(frame.buffer);
  let inputBuffer: Uint8Array = NOTHING;
  let jobs: Jobs | undefined;
  const keys = new Keys();
  let secureMemory = SecureMemory.Preferred;

  /** Keeps a key, unless keys must be in locked memory. */
  function keep(key: Parameters<Keys['keep']>[0]): number {
    if (secureMemory === SecureMemory.Required) refuse(Status.SecureMemory);
    return keys.keep(key);
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

  /** Returns the needs of a derivation, within the limit for all of them together. */
  function checked(work: Work): ReturnType<NonNullable<ReturnType<typeof runnerOf>['check']>> {
    const { check } = runnerOf(work.operation);
    const limit = jobs?.budget.limit ?? 0;
    const needs = check!(work);
    if (limit === 0 || needs.memory <= limit) return needs;
    // Fewer lanes at once may fit.
    work.numbers[At.MaxMemory] = limit;
    let fewer = needs;
    try {
      fewer = check!(work);
    } catch (error) {
      const found = statusOf(error);
      if (found !== Status.Memory && found !== Status.MemoryLimit) throw error;
      refuse(Status.KdfMemoryLimit);
    }
    if (fewer.memory <= limit) return fewer;
    work.numbers[At.MaxMemory] = fewer.memory;
    return refuse(Status.KdfMemoryLimit);
  }

  // The fast-path digests: numbers in the frame; the source is an argument or in the input buffer.

  /**
   * Returns the source of a fast-path call; undefined if only the full request can tell what is
   * wrong.
   */
  function sourceOf(source: unknown): Uint8Array | undefined {
    const size = frame[At.SourceSize]!;
    if (size !== WHOLE)
      return size > 0 ? range(inputBuffer, frame[At.SourceOffset]!, size) : NOTHING;
    const bytes = isUint8Array(source) ? source : whole(source);
    return sizeOf(bytes) === 0 && isLost(source as ArrayBufferView) ? undefined : bytes;
  }

  /** Returns the parameters, or the HMAC, of the prepared key of a fast-path call. */
  function preparedOf(handle: number): HashParams | Hmac {
    if (handle === 0) return PLAIN;
    const key = keys.key(handle);
    if (key.algorithm !== frame[At.Algorithm]) refuse(Status.KeyAlgorithm);
    if (key.purpose === Purpose.Mac) return macOf(key);
    if (key.purpose !== Purpose.Hash) refuse(Status.KeyAlgorithm);
    return { ...PLAIN, secret: key.bytes };
  }

  /**
   * Calls `read` with the digest of a fast-path call after a state; returns undefined as
   * {@link sourceOf}.
   */
  function digestOf<Result>(
    source: Uint8Array | undefined,
    state: Uint8Array,
    by: HashParams | Hmac,
    read: (memory: Uint8Array, start: number, end: number) => Result,
  ): Result | undefined {
    if (source === undefined) return undefined;
    const algorithm = frame[At.Algorithm]!;
    const { digestSize } = hashes[algorithm] ?? refuse(Status.Argument);
    if (!(by instanceof Hmac))
      return hashOf(algorithm).run('finish', by, state, source, digestSize, read);
    const digest = secretMemory(digestSize);
    by.finish(state, source, digest);
    try {
      return read(digest, 0, digestSize);
    } finally {
      wipe(digest);
    }
  }

  /**
   * Works like {@link digestOf} for a whole message; returns undefined where only the full request
   * can tell what is wrong.
   */
  function fastDigest<Result>(
    source: unknown,
    read: (memory: Uint8Array, start: number, end: number) => Result,
  ): Result | undefined {
    try {
      return digestOf(sourceOf(source), NOTHING, preparedOf(frame[At.Key]!), read);
    } catch {
      return undefined;
    }
  }

  const ofKeys = () => runnerOf(Operation.ImportKey).keys!;
  const asymmetric = () => keys.asymmetric(frame[At.Key]!);

  const toNumber = (memory: Uint8Array, start: number, end: number): bigint =>
    numberOf(memory, host.hex, start, end);

  const native: Native = {
    run(source, target, iv, aad, tag, key) {
      return status(() => {
        const work = workOf(frame, { source, target, iv, aad, tag, key }, keys);
        if (frame[At.Slot]! < 0) {
          if (isDerivation(work.operation)) checked(work);
          return perform(work);
        }
        const derivation = isDerivation(work.operation) ? checked(work) : undefined;
        (jobs ?? refuse(Status.Internal)).submit(work, derivation);
        return Status.Done;
      });
    },

    hash(source, target) {
      return status(() => {
        const to = whole(target);
        if (frame[At.SourceSize] === WHOLE && overlap(whole(source), to)) return Status.Overlap;
        const by = preparedOf(frame[At.Key]!);
        const done = digestOf(sourceOf(source), NOTHING, by, (memory, start, end) => {
          if (end - start !== to.length) return Status.OutputSize;
          to.set(memory.subarray(start, end));
          return Status.Done;
        });
        return done ?? Status.Argument;
      });
    },

    hashHex(source) {
      // The most common call, without the steps of the others.
      if (frame[At.Key] === 0 && frame[At.SourceSize] === WHOLE && isUint8Array(source))
        try {
          const algorithm = frame[At.Algorithm]!;
          const { digestSize } = hashes[algorithm]!;
          if (sizeOf(source) > 0)
            return hashOf(algorithm).run('finish', PLAIN, NOTHING, source, digestSize, host.hex);
        } catch {
          return undefined;
        }
      return fastDigest(source, host.hex);
    },
    hashPrefixedHex(source) {
      const text = native.hashHex(source);
      return text === undefined ? undefined : `0x${text}`;
    },
    prefixedHex: () => undefined,
    hex: () => undefined,
    base64: () => undefined,
    base64url: () => undefined,
    hashBigInt(source) {
      const { digestSize } = hashes[frame[At.Algorithm]!]!;
      const short =
        frame[At.Key] === 0 &&
        frame[At.SourceSize] === WHOLE &&
        isUint8Array(source) &&
        sizeOf(source) > 0
          ? hashOf(frame[At.Algorithm]!).number(source, digestSize)
          : undefined;
      return short ?? fastDigest(source, toNumber);
    },
    hashWord(source) {
      const number = native.hashBigInt(source);
      if (number === undefined) return Status.Argument;
      words[At.Word] = number;
      return Status.Done;
    },

    finishHex(state, keyStates) {
      try {
        const begun = range(state, 0, frame[At.AadSize]!);
        const algorithm = frame[At.Algorithm]!;
        const by =
          keyStates === undefined
            ? preparedOf(frame[At.Key]!)
            : new Hmac(hashOf(algorithm), hashes[algorithm]!, whole(keyStates) as Secret);
        return digestOf(sourceOf(undefined), begun, by, host.hex);
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
      number(() => keep(keyOf(purpose, algorithm, whole(bytes)))),
    createMacKey: (hash) =>
      number(() => {
        const { purpose, bytes } = keys.key(frame[At.Key]!);
        if (purpose !== Purpose.Cipher) refuse(Status.KeyAlgorithm);
        return keep(keyOf(Purpose.Mac, hash, bytes));
      }),
    extendKey: (block) => number(() => keep(keys.key(frame[At.Key]!).with(whole(block)))),
    disposeKey: () => Number(keys.dispose(frame[At.Key]!)),
    reserveKey: () => number(() => keep(new AsymmetricKey())),
    publicKeyOf: () => number(() => keys.keep(ofKeys().publicKeyOf(asymmetric()))),
    describeKey: () => status(() => ofKeys().describe(asymmetric(), frame)),
    exportKey: (form, target) =>
      number(() => {
        const bytes = ofKeys().export(asymmetric(), form);
        const place = whole(target);
        if (bytes.length <= place.length) place.set(bytes);
        wipe(bytes);
        return bytes.length;
      }),

    createCipher: (algorithm, encrypt, iv, aad, key) =>
      number(() => {
        const given = key === undefined ? keys.key(frame[At.Key]!) : whole(key);
        if (key === undefined) {
          const { purpose, algorithm: of } = given as PreparedKey;
          if (purpose !== Purpose.Cipher || of !== algorithm) refuse(Status.KeyAlgorithm);
        }
        const { begin } = runnerOf(Operation.CipherUpdate);
        return keys.keep(begin!(algorithm, encrypt !== 0, given, whole(iv), whole(aad)));
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
        keys.message(frame[At.Key]!).update(from, to);
      }),
    finishCipher: (tag, verify) =>
      status(() => {
        const message = keys.message(frame[At.Key]!);
        try {
          message.finish(whole(tag), verify === 1);
        } finally {
          keys.dispose(frame[At.Key]!);
        }
      }),
    copyCipher: () => number(() => keys.keep(keys.message(frame[At.Key]!).copy())),

    cancel: (slot) => jobs?.cancel(slot) ?? 0,
    flushDerivations: () => jobs?.flush(),
    // Memory is given back as soon as a derivation ends.
    freeDerivationMemory: () => {},
    progress: (slot) => jobs?.progress(slot) ?? 0,
    needsRehash: (_source, _target, _iv, aad) =>
      number(() => {
        const sizes = [frame[At.IvSize]!, frame[At.TargetSize]!] as const;
        const given = { source: NOTHING, target: undefined, iv: undefined, tag: undefined };
        const work = workOf(frame, { ...given, aad, key: undefined }, keys);
        return Number(runnerOf(work.operation).outdated!(work, ...sizes));
      }),
    equal(left, right) {
      try {
        const [one, other] = [whole(left), whole(right)];
        if (one.length !== other.length) return 2;
        let difference = 0;
        for (let index = 0; index < one.length; index++) difference |= one[index]! ^ other[index]!;
        return Number(difference === 0);
      } catch {
        return 2;
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
    countCopies(bytes) {
      if (jobs !== undefined) jobs.copied += bytes;
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
      words = new BigUint64Array(frame.buffer, frame.byteOffset, frame.length);
      inputBuffer = whole(inputGiven);
      jobs = new Jobs(host, frame, whole(completionBuffer), settle);
      return 1;
    },

    threads: (which) => [jobs?.pool.limit, jobs?.pool.started, jobs?.pool.queued][which] ?? 0,
    setThreads: (limit) => jobs?.pool.resize(limit),
    // There is nothing to recycle: the garbage collector owns the memory.
    recycles: () => 0,
    setRecycling: () => {},
    secureMemory: () => secureMemoryReport,
    secureMemoryMode: () => secureMemory,
    setSecureMemory(mode) {
      secureMemory = mode;
      return mode === SecureMemory.Required && keys.size > 0 ? Status.SecureMemory : Status.Done;
    },

    version: () => '',
    engines: enginesReport,

    // A state is bytes here, never a handle, and the kernel is another engine.
    forkState: () => Status.State,
    dropState: () => 0,
    kernelReport: () => '{}',
    lastReason: () =>
      refusalReason ||
      unavailableReason() ||
      (canRun(Operation.ImportKey) ? ofKeys().laterOnly : ''),
  };
  return native;
}

/** What `engines()` reports of this engine's keys. */
const secureMemoryReport = JSON.stringify({
  locked: false,
  guarded: false,
  undumped: false,
  wipedOnFork: false,
  used: 0,
  committed: 0,
  reason: 'WebAssembly and JavaScript cannot lock memory',
});

/** Prepares a key; refuses a size or parameters that its algorithm does not take. */
function keyOf(purpose: Purpose, algorithm: number, bytes: Uint8Array): PreparedKey {
  if (purpose === Purpose.Cipher) {
    const { keySize } = ciphers[algorithm] ?? refuse(Status.Argument);
    if (bytes.length !== keySize) refuse(Status.KeySize);
  } else {
    const { hmac } = hashes[algorithm] ?? refuse(Status.Argument);
    if (purpose === Purpose.Hash) checkParams(algorithm, bytes);
    else if (purpose !== Purpose.Mac) refuse(Status.Argument);
    else if (!hmac) refuse(Status.NotSupported);
  }
  return new PreparedKey(purpose, algorithm, secretCopy(bytes));
}

function acceptsBytes(bytes: unknown): true | undefined {
  return isUint8Array(bytes) || undefined;
}
