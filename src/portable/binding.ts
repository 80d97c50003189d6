/**
 * The portable engine's binding: the exports of the native binary (`Native` in frame.ts) in
 * JavaScript. It runs in browsers, in workers and in Node.js; a {@link Host} holds what differs
 * between them.
 */
import { At, CopiedBytes, Poll, Purpose, Status, type Native } from '../request/frame.js';
import { WHOLE } from '../request/protocol.js';
import { ciphers, hashes as catalog } from '../catalog/catalog-table.js';
import { numberIn } from '../catalog/parameters.js';
import { isUint8Array } from '../request/intrinsics.js';
import { equal } from './equal.js';
import { hashes, macOfStates } from './hashes/index.js';
import { PLAIN, type HashParams } from './hashes/contract.js';
import { givenParams } from './hashes/parameters.js';
import type { Host } from './host.js';
import { Jobs } from './jobs.js';
import { needsRehash } from './kdf/index.js';
import { RunningCiphers } from './running-ciphers.js';
import { extended, Keys, prepareKey, type PreparedKey } from './keys.js';
import { numberOf, writeNumber } from './numbers.js';
import { ofMessages, costEpoch, costOf, defaultRoute, setDefaultRoute } from './cost-model.js';
import { costsReport, enginesReport } from './report.js';
import { workOf } from './request.js';
import { NOTHING, overlap, range, refuse, whole } from './windows.js';
import { perform, statusOf } from './execute.js';

/**
 * Sending work to a worker and receiving the result costs this thread about 8 times as much as with
 * native code (60 us, not 7). The cost comparison assumes the native figure, so it receives costs
 * divided by this ratio.
 */
const POOL_COST_RATIO = 8;

/** Returns a portable engine with its own keys, workers and settings. */
export function makePortable(host: Host): Native {
  const keys = new Keys();
  const messages = new RunningCiphers();
  let frame: Float64Array = new Float64Array(At.Length);
  let inputBuffer: Uint8Array = NOTHING;
  let jobs: Jobs | undefined;

  // The fast-path digests: numbers in the frame; the source is an argument or in the input buffer.

  /** Digests are computed here before they become text; the largest has 64 bytes. */
  const scratch = Array.from({ length: 65 }, (_, size) => new Uint8Array(size));

  function fastPathSource(source: unknown): Uint8Array {
    return frame[At.SourceSize] === WHOLE
      ? some(whole(source))
      : range(inputBuffer, frame[At.SourceOffset]!, frame[At.SourceSize]!);
  }

  /** Memory without bytes may be detached, which the full request finds out. */
  function some(bytes: Uint8Array): Uint8Array {
    return bytes.length > 0 ? bytes : refuse(Status.Argument);
  }

  /** Returns the prepared key of a fast-path call; refuses one of another hash. */
  function fastPathKey(handle: number, algorithm: number): PreparedKey {
    const key = keys.get(handle);
    return key.purpose !== Purpose.Cipher && key.algorithm === algorithm
      ? key
      : refuse(Status.KeyAlgorithm);
  }

  function fastPathDigest(source: Uint8Array, target: Uint8Array): void {
    const algorithm = frame[At.Algorithm]!;
    const { xof, digestSize } = catalog[algorithm] ?? refuse(Status.Argument);
    if (xof ? target.length === 0 : target.length !== digestSize) refuse(Status.OutputSize);
    const handle = frame[At.Key]!;
    if (handle === 0) {
      hashes[algorithm]!.digest(PLAIN, source, target);
      return;
    }
    const key = fastPathKey(handle, algorithm);
    if (key.mac === undefined) hashes[algorithm]!.digest(paramsOf(key, target), source, target);
    else key.mac.mac(source, target);
  }

  function fastPathResult(fill: (target: Uint8Array) => void): Uint8Array | undefined {
    try {
      const target = scratch[catalog[frame[At.Algorithm]!]?.digestSize ?? 0]!;
      if (target.length === 0) return undefined;
      fill(target);
      return target;
    } catch {
      return undefined;
    }
  }

  const native: Native = {
    run(source, target, iv, aad, tag, key) {
      try {
        const work = workOf(
          frame,
          keys,
          { source, target, iv, aad, tag, key },
          jobs?.budget.limit ?? 0,
        );
        if (frame[At.Slot]! < 0) return perform(work);
        (jobs ?? refuse(Status.Internal)).submit(work);
        return Status.Done;
      } catch (error) {
        return statusOf(error);
      }
    },

    hash(source, target) {
      try {
        const [from, to] = [fastPathSource(source), whole(target)];
        if (overlap(from, to)) return Status.Overlap;
        fastPathDigest(from, to);
        return Status.Done;
      } catch (error) {
        return statusOf(error);
      }
    },

    hashHex(source) {
      const digest = fastPathResult((target) => fastPathDigest(fastPathSource(source), target));
      return digest === undefined ? undefined : host.hex(digest);
    },

    hashPrefixedHex(source) {
      const text = native.hashHex(source);
      return text === undefined ? undefined : `0x${text}`;
    },
    prefixedHex: () => undefined,

    hashBigInt(source) {
      const digest = fastPathResult((target) => fastPathDigest(fastPathSource(source), target));
      return digest === undefined ? undefined : numberOf(digest, host.hex);
    },

    finishHex(state, keyStates) {
      const digest = fastPathResult((target) => {
        const algorithm = frame[At.Algorithm]!;
        const handle = frame[At.Key]!;
        const [from, rest] = [range(state, 0, frame[At.AadSize]!), fastPathSource(undefined)];
        if (keyStates !== undefined) {
          const { hmac, stateSize } = catalog[algorithm] ?? refuse(Status.Argument);
          if (!hmac || keyStates.length !== 2 * stateSize) refuse(Status.State);
          macOfStates(algorithm, keyStates).finish(from, rest, target);
          return;
        }
        const key = handle === 0 ? undefined : fastPathKey(handle, algorithm);
        if (key?.mac === undefined)
          hashes[algorithm]!.finish(
            key === undefined ? PLAIN : paramsOf(key, target),
            from,
            rest,
            target,
          );
        else key.mac.finish(from, rest, target);
      });
      return digest === undefined ? undefined : host.hex(digest);
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

    createKey(purpose, algorithm, bytes) {
      try {
        return keys.keep(prepareKey(purpose, algorithm, whole(bytes)));
      } catch (error) {
        return -statusOf(error);
      }
    },
    createMacKey(hash) {
      try {
        const { purpose, bytes } = keys.get(frame[At.Key]!);
        return purpose === Purpose.Cipher
          ? keys.keep(prepareKey(Purpose.Mac, hash, bytes))
          : -Status.KeyAlgorithm;
      } catch (error) {
        return -statusOf(error);
      }
    },
    extendKey(block) {
      try {
        return keys.keep(extended(keys.get(frame[At.Key]!), whole(block)));
      } catch (error) {
        return -statusOf(error);
      }
    },
    disposeKey: () => Number(messages.dispose(frame[At.Key]!) || keys.dispose(frame[At.Key]!)),

    createCipher(algorithm, encrypt, iv, aad, key) {
      try {
        const secret = key === undefined ? keys.get(frame[At.Key]!) : whole(key);
        return messages.create(algorithm, encrypt !== 0, whole(iv), whole(aad), secret);
      } catch (error) {
        return -statusOf(error);
      }
    },
    updateCipher(source, target) {
      try {
        const [at, size] = [frame[At.SourceOffset]!, frame[At.SourceSize]!];
        const to = range(target, frame[At.TargetOffset]!, size);
        messages.update(frame[At.Key]!, range(source, at, size), to);
        return Status.Done;
      } catch (error) {
        return statusOf(error);
      }
    },
    finishCipher(tag, verify) {
      try {
        messages.finish(frame[At.Key]!, whole(tag), verify === 1);
        return Status.Done;
      } catch (error) {
        return statusOf(error);
      }
    },
    copyCipher() {
      try {
        return messages.copy(frame[At.Key]!);
      } catch (error) {
        return -statusOf(error);
      }
    },

    cancel: (slot) => jobs?.cancel(slot) ?? 0,
    flushDerivations: () => jobs?.flush(),
    // The garbage collector owns the memory of derivations.
    freeDerivationMemory: () => {},
    progress: (slot) => jobs?.progress(slot) ?? 0,
    needsRehash(_source, _target, _iv, aad) {
      try {
        return Number(needsRehash(frame, range(aad, frame[At.AadOffset]!, frame[At.AadSize]!)));
      } catch (error) {
        return -statusOf(error);
      }
    },
    equal(left, right) {
      try {
        return equal(whole(left), whole(right));
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

    catalog: () => JSON.stringify({ hashes: catalog, ciphers }),
    version: () => '',
    engines: enginesReport,

    // A state is bytes here, never a handle, and the kernel is another engine.
    forkState: () => Status.State,
    dropState: () => 0,
    kernelReport: () => '{}',
    lastReason: () => '',
  };
  return native;
}

function paramsOf({ bytes }: PreparedKey, { length }: Uint8Array): HashParams {
  const params = givenParams(0n, bytes);
  // The fast path has digests of the default size only.
  const size = numberIn(params.parameters, 'outputLength');
  return size === undefined || size === length ? params : refuse(Status.OutputSize);
}

function acceptsBytes(bytes: unknown): true | undefined {
  return isUint8Array(bytes) || undefined;
}
