/**
 * Prepared keys, held by number. A handle is an index and a generation, as in
 * crates/node/src/keys.rs, so that a disposed one is refused rather than mistaken for its
 * successor.
 */
import { Purpose, Status } from '../request/frame.js';
import { ciphers, hashes } from '../catalog/catalog-table.js';
import { prepareCipher } from './ciphers/index.js';
import type { PortableCipher } from './ciphers/contract.js';
import { prepareMac } from './hashes/index.js';
import type { PortableMac } from './hashes/contract.js';
import { copyOf, refuse } from './windows.js';

/** A key with what was computed of it. The bytes are kept too: a worker is sent them. */
export interface PreparedKey {
  readonly purpose: Purpose;
  readonly algorithm: number;
  readonly bytes: Uint8Array;
  readonly cipher: PortableCipher | undefined;
  readonly mac: PortableMac | undefined;
}

/** Prepares a copy of these bytes; refuses what is no key of the algorithm. */
export function prepareKey(purpose: Purpose, algorithm: number, bytes: Uint8Array): PreparedKey {
  checkKey(purpose, algorithm, bytes.length);
  const own = copyOf(bytes);
  return {
    purpose,
    algorithm,
    bytes: own,
    cipher: purpose === Purpose.Cipher ? prepareCipher(algorithm, own) : undefined,
    mac: purpose === Purpose.Mac ? prepareMac(algorithm, own) : undefined,
  };
}

function checkKey(purpose: Purpose, algorithm: number, size: number): void {
  switch (purpose) {
    case Purpose.Cipher:
      if (size !== (ciphers[algorithm] ?? refuse(Status.Argument)).keySize) refuse(Status.KeySize);
      return;
    case Purpose.Mac:
      if (!(hashes[algorithm] ?? refuse(Status.Argument)).hmac) refuse(Status.NotSupported);
      return;
    case Purpose.Hash:
      if (hashes[algorithm] === undefined) refuse(Status.Argument);
      if (size !== HASH_KEY) refuse(Status.KeySize);
      return;
    default:
      refuse(Status.Argument);
  }
}

/** Bytes of the key of every keyed hash. */
export const HASH_KEY = 32;

/** Forgets a key, as far as JavaScript can. */
export function wipeKey(key: PreparedKey): void {
  key.bytes.fill(0);
  key.cipher?.dispose();
  key.mac?.dispose();
}

interface Slot {
  generation: number;
  key: PreparedKey | undefined;
}

/** Handles stay exact as numbers: index below 2^24, generation below 2^29. */
const INDEXES = 2 ** 24;
const GENERATIONS = 2 ** 29;

/** The prepared keys of one environment. */
export class Keys {
  readonly #slots: Slot[] = [];
  readonly #free: number[] = [];

  /** Keeps a key; its handle is never 0. */
  keep(key: PreparedKey): number {
    const index = this.#free.pop() ?? this.#slots.length;
    if (index >= INDEXES) refuse(Status.Engine);
    const slot = (this.#slots[index] ??= { generation: 1, key: undefined });
    slot.key = key;
    return slot.generation * INDEXES + index;
  }

  /** The key of a handle; refuses one that was disposed. */
  get(handle: number): PreparedKey {
    const slot = this.#slots[handle % INDEXES];
    if (slot?.key === undefined || slot.generation !== Math.floor(handle / INDEXES))
      return refuse(Status.KeyDisposed);
    return slot.key;
  }

  /** Wipes a key; false if it was disposed before. Jobs in flight have what they need. */
  dispose(handle: number): boolean {
    const index = handle % INDEXES;
    const slot = this.#slots[index];
    if (slot?.key === undefined || slot.generation !== Math.floor(handle / INDEXES)) return false;
    wipeKey(slot.key);
    slot.key = undefined;
    slot.generation += 1;
    // A slot whose generations are used up is retired.
    if (slot.generation < GENERATIONS) this.#free.push(index);
    return true;
  }
}
