/**
 * Preparing keys: the key schedule (or HMAC's midstates) is computed once and held in native
 * memory.
 */
import { createKeyOptionNames } from '../base/option-names.js';
import { options as optionsOf, isUint8Array, part, sizeOf, type Data } from '../base/arguments.js';
import { failure, makeError, wrongType, refuseSurplus } from '../base/errors.js';
import { At, frame, Purpose, Status } from '../base/frame.js';
import { emptySlots } from '../base/intrinsics.js';
import { inside, Key, keyEngines, release, type Prepared } from '../request/key.js';
import { accepted, type Accepted } from '../base/options.js';
import { readSecret, SecretCopy, SecretKinds, wipeCopy } from '../base/secret-copy.js';
import {
  cipherFacts,
  findCipher,
  findHash,
  hashFacts,
  type KeyAlgorithm,
} from '../catalog/catalog.js';
import type { CipherFacts, HashFacts } from '../catalog/facts.js';
import { parameterBlock, takesRawKey, type Parameter } from '../catalog/parameters.js';
import {
  defaultEngine,
  engineOf,
  noUses,
  readEnginePreference,
  recordFallback,
  type Engine,
  type EnginePreference,
} from '../engines/engines.js';
import { secretText } from '../base/secret-results.js';
import type { CryptoKey, KeyObject } from '#platform/base/runtime.js';
import { provideCiphers } from '#platform/engines/parts.js';
import type { CreateKeyOptions } from '../calls/ciphers.js';

const takes: Accepted<keyof CreateKeyOptions> = accepted(
  'createKey(algorithm, key)',
  createKeyOptionNames,
);

/**
 * Prepares a key for repeated use: for a 64-byte AES-256-GCM message the schedule costs more than
 * the message.
 *
 * @example
 * ```js
 * import { createKey, randomBytes, seal } from 'millrace';
 *
 * const key = createKey('aes-256-gcm', randomBytes(32));
 * seal('aes-256-gcm', { key, source: 'attack at dawn' });
 * key.dispose(); // wipes it
 * ```
 *
 * @param algorithm a cipher (`aes-256-gcm`), `hmac-` and a hash (`hmac-sha256`), or a keyed hash
 * (`blake3`, `blake2b512`, `blake2s256`)
 * @param key the key: exactly the cipher's key size in bytes; any size for HMAC (RFC 2104), where a
 * string is encoded as UTF-8; 32 bytes for BLAKE3, 1 to 64 for BLAKE2b, 1 to 32 for BLAKE2s. Copied
 * at the call. It may be a secret
 *   KeyObject of node:crypto or an extractable secret CryptoKey of WebCrypto.
 * @param options the engines that prepare the key and run calls with it
 * @throws MillraceError ERR_UNKNOWN_ALGORITHM, ERR_ARGUMENT_TYPE, ERR_KEY_SIZE,
 * ERR_ENGINE_UNAVAILABLE
 */
export function createKey(
  algorithm: KeyAlgorithm,
  key: Data | KeyObject | CryptoKey,
  options?: CreateKeyOptions,
): Key {
  provideCiphers();
  if (arguments.length > 3) refuseSurplus(arguments, 3, 'createKey');
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
  return prepareFor(macTarget(facts), key, preference, 'key', SecretKinds.Prepared);
}

/** Returns the algorithm for which a key of an HMAC over a hash is prepared. */
export function macName({ id, name }: HashFacts): string {
  return (macNames[id] ??= `hmac-${name}`);
}

/**
 * By the hash's number. Building the name took 88 instructions of each hmac() of 64 bytes
 * (callgrind).
 */
const macNames = emptySlots<string>();

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
    uses: noUses(),
  };
  return new Key(inside, prepared, macName(facts), key.size);
}

/** Prepares a key. Error messages name the key `argument` and list the kinds in `also`. */
export function prepareFor(
  { purpose, id, name, size, hash }: Target,
  key: unknown,
  preference: EnginePreference,
  argument = 'key',
  also = SecretKinds.Keys,
  values: readonly Parameter[] = [],
): Key {
  const kinds = purpose === Purpose.Mac ? also | SecretKinds.Text : also;
  return withKeyBytes(
    key,
    (secret) => {
      if (hash === undefined) return prepare(purpose, id, name, size, secret, preference, argument);
      const bytes = hashKeyBytes(hash, secret, values, argument);
      try {
        const given = SecretCopy.is(bytes) ? bytes.bytes : bytes;
        return prepare(purpose, id, name, undefined, given, preference, argument, sizeOf(secret));
      } finally {
        wipeCopy(bytes);
      }
    },
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
  if (isUint8Array(key) && sizeOf(key) > 0) return use(key);
  const given = readSecret(key, argument, kinds);
  const secret = typeof given === 'string' ? new SecretCopy(secretText(given)) : given;
  try {
    return use(SecretCopy.is(secret) ? secret.bytes : secret);
  } finally {
    wipeCopy(secret);
  }
}

/** The purpose of a prepared key. */
export interface Target {
  readonly purpose: Purpose;
  readonly id: number;
  readonly name: string;
  /** The key's size in bytes; undefined if any size is accepted. */
  readonly size: number | undefined;
  /** The hash of a keyed hash. */
  readonly hash: HashFacts | undefined;
}

export function cipherTarget({ id, name, keySize }: CipherFacts): Target {
  return { purpose: Purpose.Cipher, id, name, size: keySize, hash: undefined };
}

export function macTarget(hash: HashFacts): Target {
  return {
    purpose: Purpose.Mac,
    id: hash.id,
    name: macName(hash),
    size: undefined,
    hash: undefined,
  };
}

export function hashTarget(hash: HashFacts): Target {
  return { purpose: Purpose.Hash, id: hash.id, name: hash.name, size: undefined, hash };
}

/** Creates a key with parameters, for a running hash. */
export function createHashKey(
  facts: HashFacts,
  key: unknown,
  values: readonly Parameter[],
  preference: EnginePreference,
): Key {
  const target = hashTarget(facts);
  return prepareFor(target, key, preference, 'options.key', SecretKinds.Prepared, values);
}

/** Returns what the engines take as the key of a hash: a raw key, or a block in memory to wipe. */
function hashKeyBytes(
  { name, parameters }: HashFacts,
  key: Uint8Array,
  values: readonly Parameter[],
  argument: string,
): SecretCopy | Uint8Array {
  const [least, most] = parameters!.key!;
  const size = sizeOf(key);
  if (size < least || size > most) {
    const limits = least === most ? String(least) : `${least} to ${most}`;
    throw makeError('ERR_KEY_SIZE', `${argument} must be ${limits} bytes for ${name}, not ${size}`);
  }
  if (takesRawKey(parameters!)) return key;
  return new SecretCopy(parameterBlock([['key', part(key, 0, size)], ...values]));
}

/** Returns the engines that hold a prepared key, and their handles of it with parameters too. */
export function extendedEngines(
  key: Key,
  facts: HashFacts,
  values: readonly Parameter[],
): EnginePreference {
  return keyEngines(extendedKey(key, facts, values), facts.name);
}

/** Returns a key with the bytes of a prepared one, and parameters. */
export function extendedKey(key: Key, facts: HashFacts, values: readonly Parameter[]): Key {
  const { engines, handles, names } = keyEngines(key, facts.name);
  const block = parameterBlock(values);
  const last = extendedKeys.get(key);
  if (last !== undefined && isSame(last.block, block)) return last.key;
  const extended = engines.map((engine, index) => {
    frame[At.Key] = handles![index]!;
    const handle = engine.binding.extendKey(block);
    if (handle < 0) throw failure(-handle);
    return handle;
  });
  const prepared: Prepared = {
    algorithm: facts.name,
    engines,
    handles: extended,
    names,
    uses: noUses(),
  };
  const made = new Key(inside, prepared, facts.name, key.size);
  extendedKeys.set(key, { block, key: made });
  return made;
}

/** The last extended key of each key. */
const extendedKeys = new WeakMap<Key, { readonly block: Uint8Array; readonly key: Key }>();

function isSame(left: Uint8Array, right: Uint8Array): boolean {
  return left.length === right.length && left.every((byte, index) => byte === right[index]);
}

/** By standard name. */
const targets: Record<string, Target | undefined> = { __proto__: null as never };

function target(algorithm: unknown): Target {
  if (typeof algorithm !== 'string') throw wrongType('algorithm', 'a string', algorithm);
  const known = targets[algorithm];
  if (known !== undefined) return known;
  const found = findTarget(algorithm);
  if (found.name === algorithm) targets[algorithm] = found;
  return found;
}

function findTarget(algorithm: string): Target {
  if (/^hmac-/i.test(algorithm)) {
    const hash = hashFacts(algorithm.slice(5));
    if (hash.hmac) return macTarget(hash);
    throw makeError('ERR_ARGUMENT_VALUE', `algorithm: there is no HMAC over ${hash.name}`);
  }
  const hash = findCipher(algorithm) === undefined ? findHash(algorithm) : undefined;
  if (hash === undefined) return cipherTarget(cipherFacts(algorithm));
  if (hash.parameters?.key !== undefined) return hashTarget(hash);
  throw notKeyed(hash);
}

/** Returns the size in bytes of a random key: of a cipher, of an HMAC's digest, or 32. */
export function generatedKeySize(algorithm: unknown): number {
  // Refuses what takes no key.
  target(algorithm);
  const name = algorithm as string;
  if (/^hmac-/i.test(name)) return hashFacts(name.slice(5)).digestSize;
  return findCipher(name)?.keySize ?? 32;
}

/** Returns the error for a hash in the place of a keyed algorithm. */
export function notKeyed({ name, hmac }: HashFacts): Error {
  return makeError(
    'ERR_ARGUMENT_VALUE',
    `algorithm: ${name} takes no key${hmac ? `; did you mean hmac-${name}?` : ''}`,
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
  actual = sizeOf(source),
): Key {
  if (size !== undefined && actual !== size)
    throw makeError('ERR_KEY_SIZE', `${argument} must be ${size} bytes for ${name}, not ${actual}`);
  const prepared = prepareBytes({ purpose, id, name }, source, preference);
  return new Key(inside, prepared, name, actual);
}

/**
 * Prepares a key without an object for it. The caller checks its size, and calls
 * {@link release} when the key is not used any more.
 */
export function prepareBytes(
  { purpose, id, name }: Pick<Target, 'purpose' | 'id' | 'name'>,
  source: Uint8Array,
  preference: EnginePreference,
): Prepared {
  const engines: Engine[] = [];
  const handles: number[] = [];
  const prepared: Prepared = {
    algorithm: name,
    engines,
    handles,
    names: preference.names,
    uses: noUses(),
  };
  for (const engine of preference.engines) {
    const handle = engine.binding.createKey(purpose, id, source, engine.number);
    if (handle >= 0) {
      engines.push(engine);
      handles.push(handle);
    } else if (-handle >= Status.Unavailable) {
      if (engines.length > 0) continue;
      const reason = engine.binding.lastReason();
      const next = preference.engines.at(preference.engines.indexOf(engine) + 1);
      if (next === undefined) throw failure(-handle, 0, reason);
      recordFallback(name, engine.name, next.name, reason);
    } else {
      release(prepared);
      throw failure(-handle);
    }
  }
  return prepared;
}
