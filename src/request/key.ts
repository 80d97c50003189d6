/** Prepared keys: objects that name the key schedule, or the midstates, in native memory. */
import type { EnginePreference, KeyUses } from '../engines/engines.js';
import { makeError, refuseSurplus } from '../base/errors.js';
import { At, frame } from '../base/frame.js';
import { isBytesView } from '../base/intrinsics.js';
import { Unclonable } from '../base/unclonable.js';

declare global {
  // For programs without the library ESNext.Disposable.
  interface SymbolConstructor {
    readonly dispose: unique symbol;
  }
}

/** Permits only operations/key.ts to construct keys. */
export const inside = Symbol('inside');

/**
 * Reads a key's handle, 0 if it is disposed. The class sets it, because only the class can read the
 * private field.
 */
let handleOf: (key: Key) => number;
let preparedIn: (key: Key) => Prepared;
/** Returns true for a {@link Key}. */
let isKey: (value: unknown) => value is Key;

/**
 * A prepared key, created by {@link createKey} and accepted wherever a key is. The key bytes cannot
 * be read back. Disposing it (or `using`) wipes the native memory once no job uses it. Garbage
 * collection wipes a key that was not disposed of, and the end of the environment wipes all keys. A
 * key cannot be sent to another thread: postMessage and structuredClone throw a DataCloneError.
 */
export class Key extends Unclonable {
  #handle: number;
  readonly #prepared: Prepared;
  /** The algorithm's standard name, e.g. `aes-256-gcm` or `hmac-sha256`. */
  readonly algorithm: string;
  /** The key's size in bytes. */
  readonly size: number;

  /** @internal */
  constructor(permission: symbol, prepared: Prepared, size: number) {
    super();
    if (permission !== inside)
      throw makeError('ERR_ARGUMENT_TYPE', 'keys are made by createKey(algorithm, bytes)');
    this.#handle = prepared.handles[0]!;
    this.#prepared = prepared;
    this.algorithm = prepared.algorithm;
    this.size = size;
    forgotten.register(this, prepared);
  }

  /** True once {@link Key.dispose} was called; using the key then fails with ERR_KEY_DISPOSED. */
  get disposed(): boolean {
    return this.#handle === 0;
  }

  /**
   * Wipes the key. Jobs already started or queued with it still complete. Calling it again does
   * nothing.
   */
  dispose(): void {
    if (arguments.length > 0) refuseSurplus(arguments, 0, 'dispose()');
    if (this.#handle === 0) return;
    release(this.#prepared);
    this.#handle = 0;
  }

  /** Does the same as {@link Key.dispose}, for `using key = createKey(...)`. */
  [Symbol.dispose](): void {
    this.dispose();
  }

  static {
    handleOf = (key) => key.#handle;
    preparedIn = (key) => key.#prepared;
    // Most keys are Buffers, and testing those for a private field is slow.
    isKey = (value): value is Key =>
      typeof value === 'object' && value !== null && !isBytesView(value) && #handle in value;
  }
}

/** The engines that hold the key, and its handle in each. */
export interface Prepared extends EnginePreference {
  /**
   * The algorithm that it was prepared for. The caller can change `Key.algorithm`, so it is not
   * used here.
   */
  readonly algorithm: string;
  readonly handles: readonly number[];
  readonly uses: KeyUses;
}

/** Without tokens, which cost a key 150 ns: {@link release} does nothing the second time. */
const forgotten = new FinalizationRegistry<Prepared>(release);

/** Releases a key when its object is collected. */
export function releaseWhenCollected(owner: object, prepared: Prepared): void {
  forgotten.register(owner, prepared);
}

/** Wipes the key once no job uses it. */
export function release(prepared: Prepared): void {
  const { engines, handles, uses } = prepared;
  if (uses.waiting > 0) {
    uses.over = () => release(prepared);
    return;
  }
  if (uses.wiped) return;
  uses.wiped = true;
  for (let index = 0; index < engines.length; index++) {
    frame[At.Key] = handles[index]!;
    engines[index]!.binding.disposeKey();
  }
  uses.released?.();
}

export { isKey };

/** Calls `then` once the native memory of a key is wiped. */
export function onRelease(key: Key, then: () => void): void {
  preparedIn(key).uses.released = then;
}

/** Returns the engines that hold a key prepared for `algorithm`, and its handles. */
export function keyEngines(key: Key, algorithm: string): EnginePreference {
  keyHandle(key, algorithm);
  return preparedIn(key);
}

/** Returns the algorithm for which a key was prepared. */
export function keyAlgorithm(key: Key): string {
  return preparedIn(key).algorithm;
}

/** Returns the handle of a key prepared for `algorithm` in the first of its engines. */
export function keyHandle(key: Key, algorithm: string): number {
  const handle = handleOf(key);
  if (handle === 0) throw makeError('ERR_KEY_DISPOSED', 'key was disposed');
  const { algorithm: own } = preparedIn(key);
  if (own !== algorithm)
    throw makeError('ERR_KEY_ALGORITHM', `key was prepared for ${own}, not for ${algorithm}`);
  return handle;
}
