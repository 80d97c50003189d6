/** The parameters of a running hash, and the part of a request that they decide. */
import { NO_BYTES, sizeOf } from '../base/arguments.js';
import { makeError } from '../base/errors.js';
import { At, frame } from '../base/frame.js';
import { Form, setEngines, setKey } from '../request/request.js';
import type { HashFacts } from '../catalog/facts.js';
import { defaultEngine, type EnginePreference } from '../engines/engines.js';
import { fastBigInt, fastBuffer, fastFinishHex, fastHex } from '../operations/fast-path.js';
import { keyAlgorithm, keyHandle, type Key } from '../request/key.js';
import { Phase, type Runner } from '../scheduling/steps.js';

/** The parameters of a running hash. */
export interface HashSetup {
  readonly facts: HashFacts;
  /** True for an HMAC over the hash. */
  readonly mac: boolean;
  /** The key of an HMAC or a keyed hash. */
  readonly key: Key | undefined;
  /**
   * Instead of `key`, what each request has in its place: the midstates of an HMAC's key that was
   * not prepared, or the parameters of a hash without a key.
   */
  readonly keyBytes: Uint8Array | undefined;
  readonly seedLow: number;
  readonly seedHigh: number;
  /** The digest's size in bytes; 0 for an extendable output without one. */
  readonly size: number;
  /** The engines that may compute it: those that have the key, if there is one. */
  readonly preference: EnginePreference;
}

/**
 * Returns the handle of the key, 0 without one; throws if it was disposed. Call it before filling a
 * request.
 */
export function handleOf({ key }: HashSetup): number {
  return key === undefined ? 0 : keyHandle(key, keyAlgorithm(key));
}

/** Sets key, seed and engines of a request. */
export function setKeyAndSeed(
  { seedLow, seedHigh, preference, keyBytes }: HashSetup,
  handle: number,
): void {
  frame[At.Key] = handle;
  if (keyBytes !== undefined) setKey(keyBytes, 0, sizeOf(keyBytes));
  if (preference !== defaultEngine.preference) setEngines(preference);
  frame[At.SeedLow] = seedLow;
  frame[At.SeedHigh] = seedHigh;
}

/**
 * Computes the digest of a state, if there is one, and the first `buffered` bytes of the input
 * buffer on the fast path. Returns undefined if it cannot.
 */
export function fastDigest(
  setup: HashSetup,
  state: Uint8Array | undefined,
  buffered: number,
  form: Form,
): unknown {
  const { facts, seedLow, seedHigh, keyBytes } = setup;
  if (seedLow !== 0 || seedHigh !== 0 || setup.size !== facts.digestSize) return undefined;
  const key = handleOf(setup);
  const engine = setup.preference.engines[0]!;
  if (state !== undefined || keyBytes !== undefined)
    return form === Form.Hex && (keyBytes === undefined || setup.mac)
      ? fastFinishHex(facts, state ?? NO_BYTES, buffered, key, engine, keyBytes)
      : undefined;
  if (form === Form.Hex) return fastHex(facts, undefined, 0, buffered, key, engine);
  if (form === Form.Buffer) return fastBuffer(facts, undefined, 0, buffered, key, engine);
  return form === Form.BigInt ? fastBigInt(facts, undefined, 0, buffered, key, engine) : undefined;
}

/** Returns the running hash if a synchronous operation may use it now. */
export function ready<T extends Runner>(running: T, also = Phase.Open): T {
  if ((running.phase !== Phase.Open && running.phase !== also) || running.pending > 0)
    throw refusal(running, false);
  return running;
}

/** Returns the error of an operation that the phase does not allow. */
export function refusal(running: Runner, asynchronous: boolean): unknown {
  const { phase } = running;
  if (running.pending > 0 && !asynchronous) {
    return makeError(
      'ERR_HASHER_BUSY',
      'an asynchronous operation of this hasher is in flight: wait for its callback or ' +
        'promise, or make this operation asynchronous too',
    );
  }
  if (phase === Phase.Failed) return running.failure;
  const reason = phase === Phase.Squeezing ? 'has started its output' : 'has returned its digest';
  return makeError('ERR_HASHER_SPENT', `this hasher ${reason}: call reset() or create another`);
}
