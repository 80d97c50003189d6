/**
 * Prepared keys by handle. A handle is an index and a generation, as in crates/node/src/keys.rs, so
 * that the handle of a disposed key is refused and never means another key.
 */
import { Purpose, Status } from '../request/frame.js';
import { ciphers, hashes } from '../catalog/catalog-table.js';
import { takesRawKey } from '../catalog/parameters.js';
import { prepareCipher } from './ciphers/index.js';
import type { PortableCipher } from './ciphers/contract.js';
import { prepareMac } from './hashes/index.js';
import { checkBlock } from './hashes/parameters.js';
import type { PortableMac } from './hashes/contract.js';
import { copyOf, refuse } from './windows.js';

/** A key and what was computed from it. The bytes are sent to workers. */
export interface PreparedKey {
  readonly purpose: Purpose;
  readonly algorithm: number;
  readonly bytes: Uint8Array;
  readonly cipher: PortableCipher | undefined;
  readonly mac: PortableMac | undefined;
}

/** Prepares a copy of these bytes; refuses an invalid key. */
export function prepareKey(purpose: Purpose, algorithm: number, bytes: Uint8Array): PreparedKey {
  checkKey(purpose, algorithm, bytes);
  const own = copyOf(bytes);
  return {
    purpose,
    algorithm,
    bytes: own,
    cipher: purpose === Purpose.Cipher ? prepareCipher(algorithm, own) : undefined,
    mac: purpose === Purpose.Mac ? prepareMac(algorithm, own) : undefined,
  };
}

function checkKey(purpose: Purpose, algorithm: number, bytes: Uint8Array): void {
  const size = bytes.length;
  switch (purpose) {
    case Purpose.Cipher:
      if (size !== (ciphers[algorithm] ?? refuse(Status.Argument)).keySize) refuse(Status.KeySize);
      return;
    case Purpose.Mac:
      if (!(hashes[algorithm] ?? refuse(Status.Argument)).hmac) refuse(Status.NotSupported);
      return;
    case Purpose.Hash:
      checkHashKey(algorithm, bytes);
      return;
    default:
      refuse(Status.Argument);
  }
}

function checkHashKey(algorithm: number, bytes: Uint8Array): void {
  const { parameters } = hashes[algorithm] ?? refuse(Status.Argument);
  if (bytes.length % 8 !== 0) checkBlock(algorithm, bytes);
  else if (bytes.length !== 32) refuse(Status.KeySize);
  else if (parameters === null || !takesRawKey(parameters)) refuse(Status.NotSupported);
}

/** Returns the key of a hash with these parameters too. */
export function extended(
  { purpose, algorithm, bytes }: PreparedKey,
  block: Uint8Array,
): PreparedKey {
  if (purpose !== Purpose.Hash) refuse(Status.KeyAlgorithm);
  // The key is the first parameter; the last byte of a block ends it.
  const all = new Uint8Array(bytes.length - 1 + block.length);
  all.set(bytes.subarray(0, bytes.length - 1));
  all.set(block, bytes.length - 1);
  try {
    return prepareKey(Purpose.Hash, algorithm, all);
  } finally {
    all.fill(0);
  }
}

/** Wipes a key, as far as JavaScript can. */
export function wipeKey(key: PreparedKey): void {
  key.bytes.fill(0);
  key.cipher?.dispose();
  key.mac?.dispose();
}

interface Slot {
  generation: number;
  key: PreparedKey | undefined;
}

/** Handles are exact as numbers: index below 2^24, generation below 2^29. */
const INDEXES = 2 ** 24;
const GENERATIONS = 2 ** 29;

/** The prepared keys of one engine. */
export class Keys {
  readonly #slots: Slot[] = [];
  readonly #free: number[] = [];

  /** Stores a key and returns its handle, which is never 0. */
  keep(key: PreparedKey): number {
    const index = this.#free.pop() ?? this.#slots.length;
    if (index >= INDEXES) refuse(Status.Engine);
    const slot = (this.#slots[index] ??= { generation: 1, key: undefined });
    slot.key = key;
    return slot.generation * INDEXES + index;
  }

  /** Returns the key of a handle; refuses a disposed one. */
  get(handle: number): PreparedKey {
    const slot = this.#slots[handle % INDEXES];
    if (slot?.key === undefined || slot.generation !== Math.floor(handle / INDEXES))
      return refuse(Status.KeyDisposed);
    return slot.key;
  }

  /** Wipes a key. Returns false if it was disposed before. Jobs in flight have copies. */
  dispose(handle: number): boolean {
    const index = handle % INDEXES;
    const slot = this.#slots[index];
    if (slot?.key === undefined || slot.generation !== Math.floor(handle / INDEXES)) return false;
    wipeKey(slot.key);
    slot.key = undefined;
    slot.generation += 1;
    // Retires a slot after its last generation.
    if (slot.generation < GENERATIONS) this.#free.push(index);
    return true;
  }
}
