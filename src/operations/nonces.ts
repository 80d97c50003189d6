/**
 * Random nonces for messages that are sealed without one. A request for random bytes takes 1 to 10
 * us for 24 bytes as for 4096, so bytes are requested in batches, as in Node's `crypto.randomUUID`.
 * Each thread has its own batch, and no byte is used twice.
 */

/** 170 nonces of 24 bytes. */
const BATCH_BYTES = 4096;

let batch: Uint8Array | undefined;
let used = BATCH_BYTES;

/** Unused random bytes: `size` bytes of `memory` from `offset`, valid until the next call. */
export interface Nonce {
  memory: Uint8Array;
  offset: number;
}

/** Reused by every call. */
const nonce: Nonce = { memory: new Uint8Array(0), offset: 0 };

/** Returns a new random nonce of at most 24 bytes. */
export function randomNonce(size: number): Nonce {
  if (batch === undefined || used + size > BATCH_BYTES) {
    // A separate ArrayBuffer. node:crypto is not used because it takes longer to load than this
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
