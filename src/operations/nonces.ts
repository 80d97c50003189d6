/**
 * Random nonces for messages that are sealed without one. One request to the system for random
 * bytes takes 1 to 10 us whether it asks for 24 bytes or 4096, so bytes are requested in batches.
 * Every thread and every process has a batch of its own, and no byte is given out twice. (Node's
 * own `crypto.randomUUID` keeps a batch in the same way.)
 */

/** 170 nonces of 24 bytes. */
const BATCH_BYTES = 4096;

let batch: Uint8Array | undefined;
let used = BATCH_BYTES;

/**
 * Random bytes that nobody has been given yet: `size` bytes of `memory` from `offset` on. They are
 * valid until the next call.
 */
export interface Nonce {
  memory: Uint8Array;
  offset: number;
}

/** Reused by every call. */
const nonce: Nonce = { memory: new Uint8Array(0), offset: 0 };

/** Returns a new random nonce of at most 24 bytes. */
export function randomNonce(size: number): Nonce {
  if (batch === undefined || used + size > BATCH_BYTES) {
    // In an ArrayBuffer of its own. Not of node:crypto, which takes longer to load than all of this
    // package.
    nonce.memory = batch ??= new Uint8Array(BATCH_BYTES);
    // If the request throws, the bytes in the batch count as used.
    used = BATCH_BYTES;
    globalThis.crypto.getRandomValues(batch);
    used = 0;
  }
  nonce.offset = used;
  used += size;
  return nonce;
}
