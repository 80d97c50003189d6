/**
 * HMAC (RFC 2104) over any hash: keeps the inner and outer state after the key's first block and
 * resumes from them for each message. A running HMAC's state is that of its inner hash.
 */
import { NO_BYTES, sizeOf } from '../../base/intrinsics.js';
import { secretMemory, wipe, wipeWhenCollected, type Secret } from '../../base/secret-memory.js';
import { aligned, WINDOW } from './family.js';
import { into, PLAIN, refuseState, type FamilyHash } from './hash.js';

/** The sizes of the hash in bytes. */
export interface MacSizes {
  readonly blockSize: number;
  readonly digestSize: number;
  readonly stateSize: number;
}

/** Writes the inner and the outer state of a key of any size: `2 * stateSize` bytes. */
export function writeKeyStates(
  hash: FamilyHash,
  { blockSize, digestSize, stateSize }: MacSizes,
  key: Uint8Array,
  states: Uint8Array,
): void {
  const pad = secretMemory(blockSize);
  if (key.length <= blockSize) pad.set(key);
  else hash.digest(PLAIN, key, pad.subarray(0, digestSize));
  for (let index = 0; index < blockSize; index++) pad[index]! ^= 0x36;
  hash.update(PLAIN, NO_BYTES, pad, states.subarray(0, stateSize));
  for (let index = 0; index < blockSize; index++) pad[index]! ^= 0x36 ^ 0x5c;
  hash.update(PLAIN, NO_BYTES, pad, states.subarray(stateSize));
  wipe(pad);
}

/** Up to this many bytes, a message is copied behind the key's block. */
const SHORT = 4096;

/** Writes the MAC of a whole message: of a short one by two calls of the hash instead of four. */
export function writeMac(
  hash: FamilyHash,
  sizes: MacSizes,
  key: Uint8Array,
  source: Uint8Array,
  target: Uint8Array,
): void {
  const { blockSize, digestSize } = sizes;
  const size = source.length;
  if (size > SHORT || key.length > blockSize) {
    withHmac(hash, sizes, key, (mac) => mac.mac(source, target));
    return;
  }
  const block = secretMemory(blockSize + Math.max(size, digestSize));
  try {
    block.set(key);
    block.set(source, blockSize);
    for (let index = 0; index < blockSize; index++) block[index]! ^= 0x36;
    const behind = block.subarray(blockSize, blockSize + digestSize);
    hash.digest(PLAIN, size < digestSize ? block.subarray(0, blockSize + size) : block, behind);
    for (let index = 0; index < blockSize; index++) block[index]! ^= 0x36 ^ 0x5c;
    hash.digest(PLAIN, block.subarray(0, blockSize + digestSize), target);
  } finally {
    wipe(block);
  }
}

/** Prepares a key of any size. */
export function prepareHmac(hash: FamilyHash, sizes: MacSizes, key: Uint8Array): Hmac {
  const states = secretMemory(2 * sizes.stateSize);
  writeKeyStates(hash, sizes, key, states);
  return new Hmac(hash, sizes, states);
}

/**
 * Finishes an HMAC from the state of its inner hash, and the outer one after the key. Returns false
 * if that takes two calls.
 */
function finishAtOnce(
  { family, id, stateSize }: FamilyHash,
  inner: Uint8Array,
  outer: Uint8Array,
  rest: Uint8Array,
  target: Uint8Array,
): boolean {
  const size = sizeOf(rest);
  if (size > WINDOW || family.open().mac === undefined) return false;
  const first = family.start;
  const second = aligned(first + stateSize);
  const result = aligned(second + stateSize);
  const window = aligned(result + target.length);
  family.reserve(window + WINDOW);
  const calls = family.open();
  const bytes = family.bytes();
  family.end = 0;
  try {
    bytes.set(inner, first);
    bytes.set(outer, second);
    if (size) bytes.set(rest, window);
    if (calls.mac!(id, first, second, window, size, result, target.length))
      refuseState(family, bytes);
    into(target)(bytes, result, result + target.length);
    family.end = bytes.length;
  } finally {
    family.wipe(window + size);
  }
  return true;
}

/** Calls `work` with the prepared key, which it wipes afterwards. */
export function withHmac(
  hash: FamilyHash,
  sizes: MacSizes,
  key: Uint8Array,
  work: (mac: Hmac) => void,
): void {
  const mac = prepareHmac(hash, sizes, key);
  try {
    work(mac);
  } finally {
    mac.dispose();
  }
}

/** A prepared key. */
export class Hmac {
  readonly guard = wipeWhenCollected;
  readonly squeeze = undefined;
  readonly #hash: FamilyHash;
  readonly #states: Secret;
  readonly #inner: Uint8Array;
  readonly #outer: Uint8Array;
  /** The inner digest, input of the outer hash. */
  readonly #digest: Secret;

  /** Takes the states from {@link writeKeyStates} without a copy. */
  constructor(hash: FamilyHash, { digestSize, stateSize }: MacSizes, states: Secret) {
    this.#hash = hash;
    this.#states = states;
    this.#inner = states.subarray(0, stateSize);
    this.#outer = states.subarray(stateSize);
    this.#digest = secretMemory(digestSize);
  }

  mac(source: Uint8Array, target: Uint8Array): void {
    this.finish(this.#inner, source, target);
  }

  update(state: Uint8Array, source: Uint8Array, next: Uint8Array): void {
    this.#hash.update(PLAIN, state.length === 0 ? this.#inner : state, source, next);
  }

  finish(state: Uint8Array, rest: Uint8Array, target: Uint8Array): void {
    const inner = state.length === 0 ? this.#inner : state;
    if (finishAtOnce(this.#hash, inner, this.#outer, rest, target)) return;
    this.#hash.finish(PLAIN, inner, rest, this.#digest);
    this.#hash.finish(PLAIN, this.#outer, this.#digest, target);
    wipe(this.#digest);
  }

  /** Wipes the key. */
  dispose(): void {
    wipe(this.#states);
  }

  /** Wipes the key when the object is collected; returns the object. */
  disposeWhenCollected(): this {
    this.guard(this, this.#states);
    return this;
  }
}
