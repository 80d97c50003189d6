/** The memory of running hashes: their state and the input that native code has not received. */
import { GATHERED_MAX, inputBuffer } from '../request/frame.js';
import { viewOf, type Buffer } from '#platform/runtime.js';

/** Maximum bytes of a state. */
const STATE_MAX = 4096;

/** The memory of a running hash, in its own ArrayBuffers: Buffer's pool is visible to all code. */
export interface HashMemory {
  /** Input that native code has not received, and its maximum bytes. */
  readonly buffer: Buffer;
  readonly capacity: number;
  readonly state: Uint8Array;
}

/**
 * Buffer size of a running hash with its own memory: less than the input buffer, because there may
 * be many.
 */
export const OWN_CAPACITY = 1024;

export function allocateMemory(capacity: number, stateSize: number): HashMemory {
  return {
    buffer: viewOf(new ArrayBuffer(capacity)),
    capacity,
    state: new Uint8Array(new ArrayBuffer(stateSize)),
  };
}

/**
 * Running hashes share the input buffer in turn: memory for each would cost more than the rest of a
 * short hash (300 ns). The current owner moves to its own memory when another hash needs the
 * buffer. An owner that is no longer referenced stays alive until then: a weak reference would cost
 * each hash 100 ns.
 */
export const sharedMemory: HashMemory = {
  buffer: viewOf(inputBuffer.buffer, inputBuffer.byteOffset, inputBuffer.length),
  capacity: GATHERED_MAX,
  state: new Uint8Array(new ArrayBuffer(STATE_MAX)),
};
