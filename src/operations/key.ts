/**
 * Prepared keys: the key schedule (or HMAC's midstates) computed once, held in native memory, wiped
 * on disposal.
 */
import { options as optionsOf, sizeOf, type Data } from '../request/arguments.js';
import {
  readEnginePreference,
  engineOf,
  recordFallback,
  defaultEngine,
  type EnginePreference,
  type Engine,
  type EngineOptions,
  type KeyPin,
  engineNames,
} from '../engines/engines.js';
import { At, Purpose, frame, Status } from '../request/frame.js';
import { cipherFacts, findCipher, findHash, hashFacts } from '../catalog/catalog.js';
import type { HashFacts } from '../catalog/facts.js';
import { failure, makeError, wrongType } from '../request/errors.js';
import { isBytesView } from '../request/intrinsics.js';
import { utf8Apart, type CryptoKey, type KeyObject } from '#platform/runtime.js';
import { readSecret, SecretCopy, SecretKinds, wipeCopy } from '../request/secret-copy.js';
import { accepted, type Accepted } from '../request/options.js';

/** Gives the functions of this file, and only them, access to the constructor and the handle. */
const inside = Symbol('inside');

/**
 * Reads a key's handle, 0 if it is disposed. The class sets it, because only the class can read the
 * private field.
 */
let handleOf: (key: Key) => number;
let preparedIn: (key: Key) => Prepared;
let isKey: (value: unknown) => value is Key;

/**
 * A prepared key, created by {@link createKey} and accepted wherever a key is. The key bytes cannot
 * be read back. Disposing it (or `using`) wipes the native memory once no job uses it. Garbage
 * collection wipes a key that was not disposed of, and the end of the environment wipes all keys. A
 * key cannot be sent to another thread.
 */
export class Key {
  #handle: number;
  readonly #prepared: Prepared;
  /** The algorithm's standard name, e.g. `aes-256-gcm` or `hmac-sha256`. */
  readonly algorithm: string;
  /** The key's size in bytes. */
  readonly size: number;

  /** @internal */
  constructor(permission: symbol, prepared: Prepared, algorithm: string, size: number) {
    if (permission !== inside)
      throw makeError('ERR_ARGUMENT_TYPE', 'keys are made by createKey(algorithm, bytes)');
    this.#handle = prepared.handles[0]!;
    this.#prepared = prepared;
    this.algorithm = algorithm;
    this.size = size;
    forgotten.register(this, prepared, this);
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
    if (this.#handle === 0) return;
    forgotten.unregister(this);
    release(this.#prepared);
    this.#handle = 0;
  }

  /** The same as {@link Key.dispose}, for `using key = createKey(...)`. */
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
interface Prepared extends EnginePreference {
  /** What it was prepared for. The caller can change `Key.algorithm`, so it is not used here. */
  readonly algorithm: string;
  readonly handles: readonly number[];
  readonly pin: KeyPin;
}

const forgotten = new FinalizationRegistry<Prepared>(release);

function release(prepared: Prepared): void {
  const { engines, handles, pin } = prepared;
  if (pin.waiting > 0) {
    pin.over = () => release(prepared);
    return;
  }
  for (let index = 0; index < engines.length; index++) {
    frame[At.Key] = handles[index]!;
    engines[index]!.binding.disposeKey();
  }
}

/** Options of {@link createKey}. */
export interface CreateKeyOptions extends EngineOptions {}

const takes: Accepted<keyof CreateKeyOptions> = accepted('createKey(algorithm, key)', engineNames);

/**
 * Prepares a key for repeated use: for a 64-byte AES-256-GCM message the schedule costs more than
 * the message.
 *
 * @param algorithm a cipher (`aes-256-gcm`), `hmac-` and a hash (`hmac-sha256`), or a keyed hash
 * (`blake3`)
 * @param key the key: exactly the cipher's key size in bytes; any size for HMAC (RFC 2104), where a
 *   string is encoded as UTF-8; 32 bytes for BLAKE3. Copied at the call. It may be a secret
 *   KeyObject of node:crypto or an extractable secret CryptoKey of WebCrypto.
 * @param options the engines that prepare the key and run calls with it
 * @throws MillraceError ERR_UNKNOWN_ALGORITHM, ERR_ARGUMENT_TYPE, ERR_KEY_SIZE,
 * ERR_ENGINE_UNAVAILABLE
 */
export function createKey(
  algorithm: string,
  key: Data | KeyObject | CryptoKey,
  options?: CreateKeyOptions,
): Key {
  if (arguments.length < 2)
    throw makeError('ERR_MISSING_ARGUMENT', 'createKey needs an algorithm and a key');
  const { engine } = optionsOf<CreateKeyOptions>(options, 'options', takes);
  return createKeyFor(algorithm, key, readEnginePreference(engine) ?? defaultEngine.preference);
}

/**
 * Creates a key for these engines. Error messages name the key `argument` and list the kinds in
 * `also`.
 */
export function createKeyFor(
  algorithm: string,
  key: unknown,
  preference: EnginePreference,
  argument?: string,
  also?: SecretKinds,
): Key {
  return prepareFor(target(algorithm), key, preference, argument, also);
}

/** Prepares the key of an HMAC, for callers that accept prepared keys too. */
export function createMacKey(
  facts: HashFacts,
  key: unknown,
  preference: EnginePreference = defaultEngine.preference,
): Key {
  return prepareFor(
    { purpose: Purpose.Mac, id: facts.id, name: macName(facts), size: undefined },
    key,
    preference,
    'key',
    SecretKinds.Prepared,
  );
}

/** What a key for an HMAC over a hash is prepared for. */
export function macName({ id, name }: HashFacts): string {
  return (macNames[id] ??= `hmac-${name}`);
}

/**
 * By the hash's number. Building the name took 88 instructions of each hmac() of 64 bytes
 * (callgrind).
 */
const macNames: string[] = [];

/**
 * Prepares an HMAC key from the bytes of a prepared key of the cipher `algorithm`, for sealed
 * streams.
 */
export function macKeyOf(key: Key, algorithm: string, facts: HashFacts): Key {
  const { engines, handles } = keyEngines(key, algorithm);
  const [engine] = engines;
  // Native code also holds the bytes of the kernel's keys.
  const server = engine!.here ? engine! : (engineOf('native') as Engine);
  frame[At.Key] = handles![0]!;
  const handle = server.binding.createMacKey(facts.id);
  if (handle < 0) throw failure(-handle);
  const prepared: Prepared = {
    algorithm: macName(facts),
    engines: [server],
    handles: [handle],
    names: [server.name],
    pin: { waiting: 0, over: undefined },
  };
  return new Key(inside, prepared, macName(facts), key.size);
}

function prepareFor(
  { purpose, id, name, size }: Target,
  key: unknown,
  preference: EnginePreference,
  argument = 'key',
  also = SecretKinds.Keys,
): Key {
  const kinds = purpose === Purpose.Mac ? also | SecretKinds.Text : also;
  return withKeyBytes(
    key,
    (secret) => prepare(purpose, id, name, size, secret, preference, argument),
    argument,
    kinds,
  );
}

/** Calls `use` with the bytes of a key, and wipes copies afterwards. */
export function withKeyBytes<T>(
  key: unknown,
  use: (secret: Uint8Array) => T,
  argument = 'key',
  kinds = SecretKinds.Text | SecretKinds.Prepared,
): T {
  const given = readSecret(key, argument, kinds);
  const secret = typeof given === 'string' ? new SecretCopy(utf8Apart(given)) : given;
  try {
    return use(SecretCopy.is(secret) ? secret.bytes : secret);
  } finally {
    wipeCopy(secret);
  }
}

interface Target {
  readonly purpose: Purpose;
  readonly id: number;
  readonly name: string;
  /** The key's size in bytes; undefined if any size is accepted. */
  readonly size: number | undefined;
}

function target(algorithm: unknown): Target {
  if (typeof algorithm !== 'string') throw wrongType('algorithm', 'a string', algorithm);
  if (/^hmac-/i.test(algorithm)) {
    const hash = hashFacts(algorithm.slice(5));
    if (hash.hmac)
      return { purpose: Purpose.Mac, id: hash.id, name: macName(hash), size: undefined };
    throw makeError('ERR_ARGUMENT_VALUE', `algorithm: there is no HMAC over ${hash.name}`);
  }
  const hash = findCipher(algorithm) === undefined ? findHash(algorithm) : undefined;
  if (hash === undefined) {
    const { id, name, keySize } = cipherFacts(algorithm);
    return { purpose: Purpose.Cipher, id, name, size: keySize };
  }
  if (hash.keySize > 0)
    return { purpose: Purpose.Hash, id: hash.id, name: hash.name, size: hash.keySize };
  throw makeError(
    'ERR_ARGUMENT_VALUE',
    `algorithm: ${hash.name} takes no key${hash.hmac ? `; did you mean hmac-${hash.name}?` : ''}`,
  );
}

function prepare(
  purpose: Purpose,
  id: number,
  name: string,
  size: number | undefined,
  source: Uint8Array,
  preference: EnginePreference,
  argument: string,
): Key {
  const actual = sizeOf(source);
  if (size !== undefined && actual !== size)
    throw makeError('ERR_KEY_SIZE', `${argument} must be ${size} bytes for ${name}, not ${actual}`);
  const engines: Engine[] = [];
  const handles: number[] = [];
  const prepared: Prepared = {
    algorithm: name,
    engines,
    handles,
    names: preference.names,
    pin: { waiting: 0, over: undefined },
  };
  for (const engine of preference.engines) {
    const handle = engine.binding.createKey(purpose, id, source, engine.number);
    if (handle >= 0) {
      engines.push(engine);
      handles.push(handle);
    } else if (-handle >= Status.Unavailable) {
      if (engines.length > 0) continue;
      const reason = engine.binding.lastReason();
      const next = preference.engines[preference.engines.indexOf(engine) + 1];
      if (next === undefined) throw failure(-handle, 0, reason);
      recordFallback(name, engine.name, next.name, reason);
    } else {
      release(prepared);
      throw failure(-handle);
    }
  }
  return new Key(inside, prepared, name, actual);
}

export { isKey };

/** Returns the engines that hold a key prepared for `algorithm`, and its handles. */
export function keyEngines(key: Key, algorithm: string): EnginePreference {
  keyHandle(key, algorithm);
  return preparedIn(key);
}

/** What a key was prepared for. */
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
