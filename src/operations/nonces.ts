/**
 * Random nonces for messages that are sealed without one. A request for random bytes takes 1 to 10
 * us for 24 bytes as for 4096, so bytes are requested in batches, as in Node's `crypto.randomUUID`.
 * Each thread has its own batch, and no byte is used twice.
 *
 * A startup snapshot contains no batch: all processes that start from it would use the same nonces.
 * A fork needs nothing here: V8 excludes its heap from the child (MADV_DONTFORK on Linux), so that
 * the child cannot run JavaScript.
 */
import type { KeyUses } from '../engines/engines.js';
import { makeError } from '../base/errors.js';
import { buildsSnapshot } from '#platform/base/runtime.js';

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

/** Nonces of up to this size repeat with a probability of 2^-33 after 2^32 messages. */
const SHORT_BYTES = 12;
/** The most messages that a prepared key seals with short random nonces (SP 800-38D, 8.3). */
const SHORT_NONCES_MAX = 2 ** 32;

/**
 * Returns a new random nonce of at most 24 bytes. `uses` are those of a prepared key.
 *
 * @throws MillraceError ERR_NONCE_LIMIT
 */
export function randomNonce(size: number, uses: KeyUses | undefined): Nonce {
  if (uses !== undefined && size <= SHORT_BYTES) {
    if (uses.shortNonces >= SHORT_NONCES_MAX) throw usedUp(size);
    uses.shortNonces += 1;
  }
  if (batch === undefined || used + size > BATCH_BYTES) fill();
  nonce.offset = used;
  used += size;
  return nonce;
}

function fill(): void {
  // A separate ArrayBuffer. node:crypto is not used because it takes longer to load than this
  // package.
  nonce.memory = batch ??= new Uint8Array(BATCH_BYTES);
  // If the request throws, the bytes in the batch count as used.
  used = BATCH_BYTES;
  globalThis.crypto.getRandomValues(batch);
  used = 0;
  if (buildsSnapshot()) batch = undefined;
}

function usedUp(size: number): Error {
  return makeError(
    'ERR_NONCE_LIMIT',
    `key has sealed 2^32 messages with random nonces of ${size} bytes, as many as are safe: ` +
      'use another key, or xchacha20-poly1305',
  );
}
