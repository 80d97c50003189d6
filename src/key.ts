/**
 * Prepared keys: the key schedule (or HMAC's midstates) computed once, held in native memory, wiped on
 * disposal.
 */
import { bytes, data, sizeOf, type Data } from './arguments.js';
import { native } from './binding.js';
import { At, Purpose, frame } from './frame.js';
import { cipherFacts, findCipher, findHash, hashFacts, type HashFacts } from './catalog.js';
import { failure, makeError, wrongType } from './errors.js';
import { isKeyObject, utf8Apart, type KeyObject } from './platform/node.js';

/** Unlocks the constructor and the handle for this file's functions only. */
const inside = Symbol('inside');

/** Reads a key's handle; 0 when disposed. Set by the class itself, which alone sees the field. */
let handleOf: (key: Key) => number;
let isKey: (value: unknown) => value is Key;

/**
 * A prepared key, made by {@link createKey} and accepted wherever a key is. The key bytes cannot be
 * read back. Disposing it (or `using`) wipes the native memory as soon as no job uses it any more;
 * a key that is merely forgotten is wiped when the garbage collector finds it, and all keys are
 * wiped when their environment ends. A key cannot be sent to another thread.
 */
export class Key {
  #handle: number;
  /** The algorithm's standard name, e.g. `aes-256-gcm` or `hmac-sha256`. */
  readonly algorithm: string;
  /** The key's size in bytes. */
  readonly size: number;

  /** @internal */
  constructor(permission: symbol, handle: number, algorithm: string, size: number) {
    if (permission !== inside) throw makeError('ERR_ARGUMENT_TYPE', 'keys are made by createKey(algorithm, bytes)');
    this.#handle = handle;
    this.algorithm = algorithm;
    this.size = size;
    forgotten.register(this, handle, this);
  }

  /** True once {@link Key.dispose} was called; using the key then fails with ERR_KEY_DISPOSED. */
  get disposed(): boolean {
    return this.#handle === 0;
  }

  /** Wipes the key. Jobs already started or queued with it still complete. Calling it again does nothing. */
  dispose(): void {
    if (this.#handle === 0) return;
    forgotten.unregister(this);
    release(this.#handle);
    this.#handle = 0;
  }

  /** The same as {@link Key.dispose}, for `using key = createKey(...)`. */
  [Symbol.dispose](): void {
    this.dispose();
  }

  static {
    handleOf = (key) => key.#handle;
    // Most keys are Buffers, and asking those for a private field is slow.
    isKey = (value): value is Key =>
      typeof value === 'object' && value !== null && !ArrayBuffer.isView(value) && #handle in value;
  }
}

const forgotten = new FinalizationRegistry<number>(release);

function release(handle: number): void {
  frame[At.Key] = handle;
  native.disposeKey();
}

/**
 * Prepares a key for repeated use: for a 64-byte AES-256-GCM message the schedule costs more than the message.
 *
 * @param algorithm a cipher (`aes-256-gcm`), `hmac-` and a hash (`hmac-sha256`), or a keyed hash (`blake3`)
 * @param key the key: exactly the cipher's key size in bytes; any size for HMAC (RFC 2104), where a string stands
 *   for its UTF-8 bytes; 32 bytes for BLAKE3. Copied at the call; a secret KeyObject of node:crypto is taken too.
 * @throws MillraceError ERR_UNKNOWN_ALGORITHM, ERR_ARGUMENT_TYPE, ERR_KEY_SIZE
 */
export function createKey(algorithm: string, key: Data | KeyObject): Key {
  if (arguments.length < 2) throw makeError('ERR_MISSING_ARGUMENT', 'createKey needs an algorithm and a key');
  return prepareFor(target(algorithm), key);
}

/** Prepares the key of an HMAC; {@link createKey} without the name. */
export function createMacKey(facts: HashFacts, key: Data | KeyObject): Key {
  return prepareFor({ purpose: Purpose.Mac, id: facts.id, name: macName(facts), size: undefined }, key);
}

/** What a key for an HMAC over a hash is prepared for. */
export function macName({ name }: HashFacts): string {
  return `hmac-${name}`;
}

function prepareFor({ purpose, id, name, size }: Target, key: Data | KeyObject): Key {
  if (isKeyObject(key)) {
    if (key.type !== 'secret') throw wrongType('key', 'a secret KeyObject', key);
    return prepareAndWipe(key.export());
  }
  if (typeof key === 'string' && purpose === Purpose.Mac) return prepareAndWipe(utf8Apart(key));
  return prepare(purpose, id, name, size, purpose === Purpose.Mac ? data(key, 'key') : bytes(key, 'key'));

  function prepareAndWipe(secret: Uint8Array): Key {
    try {
      return prepare(purpose, id, name, size, secret);
    } finally {
      secret.fill(0);
    }
  }
}

interface Target {
  readonly purpose: Purpose;
  readonly id: number;
  readonly name: string;
  /** In bytes; undefined if any will do. */
  readonly size: number | undefined;
}

function target(algorithm: unknown): Target {
  if (typeof algorithm !== 'string') throw wrongType('algorithm', 'a string', algorithm);
  if (/^hmac-/i.test(algorithm)) {
    const hash = hashFacts(algorithm.slice(5));
    if (hash.hmac) return { purpose: Purpose.Mac, id: hash.id, name: macName(hash), size: undefined };
    throw makeError('ERR_ARGUMENT_VALUE', `algorithm: there is no HMAC over ${hash.name}`);
  }
  const hash = findCipher(algorithm) === undefined ? findHash(algorithm) : undefined;
  if (hash === undefined) {
    const { id, name, keySize } = cipherFacts(algorithm);
    return { purpose: Purpose.Cipher, id, name, size: keySize };
  }
  if (hash.keySize > 0) return { purpose: Purpose.Hash, id: hash.id, name: hash.name, size: hash.keySize };
  throw makeError(
    'ERR_ARGUMENT_VALUE',
    `algorithm: ${hash.name} takes no key${hash.hmac ? `; did you mean hmac-${hash.name}?` : ''}`,
  );
}

function prepare(purpose: Purpose, id: number, name: string, size: number | undefined, source: Uint8Array): Key {
  const actual = sizeOf(source);
  if (size !== undefined && actual !== size) throw makeError('ERR_KEY_SIZE', `key must be ${size} bytes for ${name}, not ${actual}`);
  const handle = native.createKey(purpose, id, source);
  if (handle < 0) throw failure(-handle);
  return new Key(inside, handle, name, actual);
}

export { isKey };

/** The native handle of a key prepared for `algorithm`. */
export function keyHandle(key: Key, algorithm: string): number {
  const handle = handleOf(key);
  if (handle === 0) throw makeError('ERR_KEY_DISPOSED', 'key was disposed');
  if (key.algorithm !== algorithm) {
    throw makeError('ERR_KEY_ALGORITHM', `key was prepared for ${key.algorithm}, not for ${algorithm}`);
  }
  return handle;
}
