/** The memory of running hashes: their state and the input that native code has not received. */
import { GATHERED_MAX, inputBuffer } from '../base/frame.js';
import { KERNEL_HANDLE_BYTES } from '../base/protocol.js';
import type { HashFacts } from '../catalog/facts.js';
import { secretMemory, wipe, type Secret } from '../base/secret-memory.js';
import { secretResult } from '../base/secret-results.js';
import { viewOf, type Buffer } from '#platform/base/runtime.js';
import { emptySlots } from '../base/intrinsics.js';

/** Maximum bytes of a state. */
const STATE_MAX = 4096;

/** The memory of a running hash, in its own ArrayBuffers: Buffer's pool is visible to all code. */
export interface HashMemory {
  /** Input that native code has not received, and its maximum bytes. */
  readonly buffer: Secret<Buffer>;
  readonly capacity: number;
  readonly state: Secret;
}

/**
 * Buffer size of a running hash with its own memory: less than the input buffer, because there may
 * be many.
 */
export const OWN_CAPACITY = 1024;

export function allocateMemory(capacity: number, stateSize: number): HashMemory {
  return {
    buffer: secretResult(capacity),
    capacity,
    // Of a CRC it is shorter than a handle in the kernel.
    state: secretMemory(Math.max(stateSize, KERNEL_HANDLE_BYTES)),
  };
}

/** The most memories of an algorithm that are kept for reuse. */
const FREE_MAX = 64;
const free = emptySlots<HashMemory[]>();

/** Wipes the memory of hashes with a key that were collected before their digest. */
const collected = new FinalizationRegistry<readonly Secret[]>((all) =>
  all.forEach((each) => wipe(each)),
);

/**
 * Returns memory for a hash with a key: its state may reveal the key. It is not shared: the last
 * owner of shared memory stays alive, and its key with it. Each memory is registered once, not each
 * hash that uses it: that takes 500 ns.
 */
export function takeMemory({ id, stateSize }: HashFacts): HashMemory {
  const kept = free[id]?.pop();
  if (kept !== undefined) return kept;
  const memory = allocateMemory(OWN_CAPACITY, stateSize);
  collected.register(memory, [memory.buffer, memory.state]);
  return memory;
}

/** Takes back wiped memory. */
export function putMemory({ id }: HashFacts, memory: HashMemory): void {
  const kept = (free[id] ??= []);
  if (kept.length < FREE_MAX) kept.push(memory);
}

/**
 * Running hashes without a key share the input buffer in turn: memory for each would cost more than
 * the rest of a short hash (300 ns). The current owner moves to its own memory when another hash
 * needs the buffer. An owner that is no longer referenced stays alive until then: a weak reference
 * would cost each hash 100 ns.
 */
export const sharedMemory: HashMemory = {
  buffer: viewOf(inputBuffer.buffer, inputBuffer.byteOffset, inputBuffer.length) as Secret<Buffer>,
  capacity: GATHERED_MAX,
  state: secretMemory(STATE_MAX),
};
