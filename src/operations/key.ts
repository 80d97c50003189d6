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
import { readSecret, SecretCopy, SecretKinds, secretSize, wipeCopy } from '../base/secret-copy.js';
import { cipherFacts, findCipher, findHash, type KeyAlgorithm } from '../catalog/catalog.js';
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
import { hmacFacts } from './hmac.js';

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
  if (arguments.length > 3) refuseSurplus(arguments, 3, 'createKey(algorithm, key[, options])');
  if (arguments.length < 2)
    throw makeError('ERR_MISSING_ARGUMENT', 'createKey needs an algorithm and a key');
  const { engine } = optionsOf<CreateKeyOptions>(options, 'options', takes);
  const preference = readEnginePreference(engine) ?? defaultEngine.preference;
  const target = keyTarget(algorithm);
  const kinds = target.purpose === Purpose.Mac ? SecretKinds.Text : SecretKinds.Keys;
  return withKeyBytes(key, (secret) => prepareKey(target, secret, preference), 'key', kinds);
}

/** Prepares the key of an HMAC, for callers that accept prepared keys too. */
export function createMacKey(facts: HashFacts, key: unknown, preference: EnginePreference): Key {
  return withKeyBytes(key, (secret) => prepareKey(macTarget(facts), secret, preference));
}

/** Creates a key with parameters, for a running hash. */
export function createHashKey(
  facts: HashFacts,
  key: unknown,
  values: readonly Parameter[],
  preference: EnginePreference,
): Key {
  const prepare = (secret: Uint8Array): Key =>
    prepareKey(hashTarget(facts), secret, preference, 'options.key', values);
  return withKeyBytes(key, prepare, 'options.key', SecretKinds.Prepared);
}

/**
 * Calls `use` with the bytes of a key, and wipes copies afterwards. Error messages name the key
 * `argument` and list the kinds.
 */
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

/** What a key is prepared for: one object for each purpose and algorithm. */
export interface Target {
  readonly purpose: Purpose;
  readonly id: number;
  /** The algorithm of the prepared key. */
  readonly name: string;
  /** The least and the greatest size of the key in bytes. */
  readonly least: number;
  readonly most: number;
  /** The size in bytes of a random key. */
  readonly randomSize: number;
  /** True if the key travels to the engines in a block of parameters. */
  readonly block: boolean;
}

/**
 * Returns a function that makes the target of each algorithm once. Building the name of an HMAC
 * took 88 instructions of each hmac() of 64 bytes (callgrind).
 */
function madeOnce<Facts extends { readonly id: number }>(
  make: (facts: Facts) => Target,
): (facts: Facts) => Target {
  const made = emptySlots<Target>();
  return (facts) => (made[facts.id] ??= make(facts));
}

export const cipherTarget = /* @__PURE__ */ madeOnce(({ id, name, keySize }: CipherFacts) => ({
  purpose: Purpose.Cipher,
  id,
  name,
  least: keySize,
  most: keySize,
  randomSize: keySize,
  block: false,
}));

export const macTarget = /* @__PURE__ */ madeOnce(({ id, name, digestSize }: HashFacts) => ({
  purpose: Purpose.Mac,
  id,
  name: `hmac-${name}`,
  least: 0,
  most: Infinity,
  randomSize: digestSize,
  block: false,
}));

/** Returns the target of a keyed hash. */
export const hashTarget = /* @__PURE__ */ madeOnce(({ id, name, parameters }: HashFacts) => ({
  purpose: Purpose.Hash,
  id,
  name,
  least: parameters!.key![0],
  most: parameters!.key![1],
  randomSize: 32,
  block: !takesRawKey(parameters!),
}));

/** Returns the target of a key's algorithm: a cipher, `hmac-` and a hash, or a keyed hash. */
export function keyTarget(algorithm: unknown): Target {
  if (typeof algorithm !== 'string') throw wrongType('algorithm', 'a string', algorithm);
  const known = targets[algorithm];
  if (known !== undefined) return known;
  const target = findTarget(algorithm);
  if (target.name === algorithm) targets[algorithm] = target;
  return target;
}

/** By standard name. */
const targets: Record<string, Target | undefined> = { __proto__: null as never };

function findTarget(algorithm: string): Target {
  if (/^hmac-/i.test(algorithm)) return macTarget(hmacFacts(algorithm.slice(5)));
  const hash = findCipher(algorithm) === undefined ? findHash(algorithm) : undefined;
  if (hash === undefined) return cipherTarget(cipherFacts(algorithm));
  if (hash.parameters?.key !== undefined) return hashTarget(hash);
  throw notKeyed(hash);
}

/** Returns the error for a hash in the place of a keyed algorithm. */
export function notKeyed({ name, hmac }: HashFacts): Error {
  return makeError(
    'ERR_ARGUMENT_VALUE',
    `algorithm: ${name} takes no key${hmac ? `; did you mean hmac-${name}?` : ''}`,
  );
}

/** Checks the size of a key. Wipes a copy of another size. */
export function checkKeySize(
  { name, least, most }: Target,
  key: Uint8Array | SecretCopy,
  argument = 'key',
): void {
  const size = secretSize(key);
  if (size >= least && size <= most) return;
  wipeCopy(key);
  const limits = least === most ? String(least) : `${least} to ${most}`;
  throw makeError('ERR_KEY_SIZE', `${argument} must be ${limits} bytes for ${name}, not ${size}`);
}

/** Returns a block with a key, which is wiped after use. A copy of the key is wiped here. */
export function keyedBlock(key: Uint8Array | SecretCopy, values: readonly Parameter[]): SecretCopy {
  const bytes = SecretCopy.is(key) ? key.bytes : key;
  const whole = part(bytes, 0, sizeOf(bytes));
  const block = new SecretCopy(parameterBlock([['key', whole], ...values]));
  wipeCopy(key);
  return block;
}

/** Prepares a key. Error messages name it `argument`. */
export function prepareKey(
  target: Target,
  secret: Uint8Array,
  preference: EnginePreference,
  argument?: string,
  values: readonly Parameter[] = [],
): Key {
  checkKeySize(target, secret, argument);
  const size = sizeOf(secret);
  if (!target.block) return new Key(inside, prepareBytes(target, secret, preference), size);
  const block = keyedBlock(secret, values);
  try {
    return new Key(inside, prepareBytes(target, block.bytes, preference), size);
  } finally {
    block.wipe();
  }
}

/**
 * Prepares a key without an object for it. The caller checks its size, and calls
 * {@link release} when the key is not used any more.
 */
export function prepareBytes(
  { purpose, id, name }: Target,
  source: Uint8Array,
  preference: EnginePreference,
): Prepared {
  const engines: Engine[] = [];
  const handles: number[] = [];
  const { names } = preference;
  const prepared: Prepared = { algorithm: name, engines, handles, names, uses: noUses() };
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

/** Returns the handle, or throws the error of a failed call in its place. */
function checkedHandle(handle: number): number {
  if (handle < 0) throw failure(-handle);
  return handle;
}

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
  const prepared: Prepared = {
    algorithm: macTarget(facts).name,
    engines: [server],
    handles: [checkedHandle(server.binding.createMacKey(facts.id))],
    names: [server.name],
    uses: noUses(),
  };
  return new Key(inside, prepared, key.size);
}

/** Returns a key with the bytes of a prepared one, and parameters if there are any. */
export function extendedKey(key: Key, facts: HashFacts, values: readonly Parameter[]): Key {
  const { engines, handles, names } = keyEngines(key, facts.name);
  if (values.length === 0) return key;
  const block = parameterBlock(values);
  const last = extendedKeys.get(key);
  if (last !== undefined && isSame(last.block, block)) return last.key;
  const extended = engines.map((engine, index) => {
    frame[At.Key] = handles![index]!;
    return checkedHandle(engine.binding.extendKey(block));
  });
  const prepared = { algorithm: facts.name, engines, handles: extended, names, uses: noUses() };
  const made = new Key(inside, prepared, key.size);
  extendedKeys.set(key, { block, key: made });
  return made;
}

/** The last extended key of each key. */
const extendedKeys = new WeakMap<Key, { readonly block: Uint8Array; readonly key: Key }>();

function isSame(left: Uint8Array, right: Uint8Array): boolean {
  return left.length === right.length && left.every((byte, index) => byte === right[index]);
}
