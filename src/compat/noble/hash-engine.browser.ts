/**
 * Hashes of millrace/noble-hashes: each by the module of its family, so that a bundle has only
 * those that it uses.
 */
import { parameterBlock, takesRawKey, type Given } from '../../catalog/parameters.js';
import type { HashParams, Recipe } from '../../portable/families/hash.js';
import { PLAIN } from '../../portable/families/hash.js';
import { prepareHmac, writeMac as write } from '../../portable/families/hmac.js';
import type { RunningSteps } from '../../portable/functions/running.js';
import { isUint8Array, NO_BYTES, part } from '../../base/intrinsics.js';
import {
  secretCopy,
  secretMemory,
  wipe,
  wipeWhenCollected,
  type Secret,
} from '../../base/secret-memory.js';
import type { FreshBytes } from '../../base/platform-types.js';
import type { Algorithm } from './algorithms.browser.js';

/** A running hash or HMAC. */
export class Running {
  readonly size: number;
  readonly #steps: RunningSteps;
  #state: Secret;
  #begun = false;

  constructor(steps: RunningSteps, size: number, stateSize: number) {
    this.size = size;
    this.#steps = steps;
    this.#state = secretMemory(stateSize);
    steps.guard?.(this, this.#state);
  }

  get #before(): Uint8Array {
    return this.#begun ? this.#state : NO_BYTES;
  }

  /** Adds bytes to the message. Returns true. */
  tryBuffer(source: Uint8Array): boolean {
    this.#steps.update(this.#before, source, this.#state);
    return (this.#begun = true);
  }

  /** Adds bytes to the message. */
  update(source: Uint8Array, offset: number, size: number): void {
    this.tryBuffer(part(source, offset, size));
  }

  /** Fills the memory with the digest. */
  finish(target: Uint8Array): void {
    this.#steps.finish(this.#before, NO_BYTES, target);
  }

  /** Writes the next bytes of an extendable output; the first call ends the message. */
  squeeze(target: Uint8Array, offset: number, size: number): void {
    if (size === 0) return;
    this.#steps.squeeze!(this.#before, part(target, offset, size), this.#state);
    this.#begun = true;
  }

  /** Returns a running hash with the same message so far and the given digest size. */
  copy(size: number): Running {
    const copy = new Running(this.#steps, size, this.#state.length);
    copy.#state.set(this.#state);
    copy.#begun = this.#begun;
    return copy;
  }

  /** Wipes the state. */
  finalize(): void {
    wipe(this.#state);
  }
}

function paramsOf({ parameters }: Recipe, { key, values }: Given): HashParams {
  if (key === undefined && values.length === 0) return PLAIN;
  const secret =
    key !== undefined && takesRawKey(parameters!)
      ? secretCopy(key)
      : parameterBlock(key === undefined ? values : [['key', key], ...values]);
  return { ...PLAIN, secret, guard: wipeWhenCollected };
}

/** Begins a running hash. */
export function begin(algorithm: Algorithm, given: Given): Running {
  const { hash, stateSize } = algorithm;
  const params = paramsOf(algorithm, given);
  const steps: RunningSteps = {
    guard: params.guard,
    update: (state, source, next) => hash.update(params, state, source, next),
    finish: (state, rest, target) => hash.finish(params, state, rest, target),
    squeeze: (state, target, next) => hash.squeeze!(params, state, target, next),
  };
  // All copies of the hash share the steps.
  params.guard?.(steps, params.secret);
  return new Running(steps, given.size, stateSize);
}

/** Begins a running HMAC. */
export function beginMac(algorithm: Algorithm, key: Uint8Array): Running | undefined {
  const mac = prepareHmac(algorithm.hash, algorithm, key).disposeWhenCollected();
  return new Running(mac, algorithm.digestSize, algorithm.stateSize);
}

/** Returns the digest of a whole message; undefined if it is not a Uint8Array. */
export function digestOf(algorithm: Algorithm, data: unknown): FreshBytes | undefined {
  if (!isUint8Array(data)) return undefined;
  const digest = new Uint8Array(algorithm.digestSize);
  algorithm.hash.digest(PLAIN, data, digest);
  return digest;
}

/** Returns the digest of a whole message. */
export function digestWith(algorithm: Algorithm, given: Given, bytes: Uint8Array): FreshBytes {
  const target = new Uint8Array(given.size);
  const params = paramsOf(algorithm, given);
  try {
    algorithm.hash.digest(params, bytes, target);
  } finally {
    wipe(params.secret as Secret);
  }
  return target;
}

/** Writes an HMAC. */
export function writeMac(
  algorithm: Algorithm,
  key: Uint8Array,
  data: Uint8Array,
  target: Uint8Array,
): void {
  write(algorithm.hash, algorithm, key, data, target);
}

/** Returns the digest, of this size, in separate memory. It ends the running hash. */
export function resultOf(running: Running, size: number): FreshBytes {
  const digest = new Uint8Array(size);
  writeResult(running, digest);
  return digest;
}

/** Fills memory with the digest. It ends the running hash. */
export function writeResult(running: Running, target: Uint8Array): void {
  running.finish(target);
  running.finalize();
}

/** Ends a running hash. */
export function end(running: Running): void {
  running.finalize();
}
