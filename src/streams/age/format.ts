/** The payload of an age file: ChaCha20-Poly1305 in chunks of 64 KiB (STREAM). */
import { cipherFacts } from '../../catalog/catalog.js';
import { wipe, type Secret } from '../../base/secret-memory.js';
import type { Buffer } from '#platform/base/runtime.js';
import { ChunkKey, TAG_SIZE, type ChunkNonce } from '../chunk-format.js';
import { deriveKey } from './header.js';

/** Bytes of the message in every chunk but the last. */
export const CHUNK_SIZE = 65_536;
export const SEALED_CHUNK_SIZE = CHUNK_SIZE + TAG_SIZE;
/** Bytes of the nonce at the beginning of the payload. */
export const NONCE_SIZE = 16;
/** The bytes of a chunk's nonce that are its number. */
const NUMBER_SIZE = 11;

const nonces = [0, 1].map((last): ChunkNonce => ({
  base: new Uint8Array(NUMBER_SIZE),
  suffix: Uint8Array.of(last),
}));

const facts = () => cipherFacts('chacha20-poly1305');

/** The key of a payload, of which the last chunk is marked. */
export class PayloadKey extends ChunkKey {
  constructor(key: Uint8Array) {
    super(facts(), key, CHUNK_SIZE);
  }

  protected override nonce(last: boolean): ChunkNonce {
    return nonces[last ? 1 : 0]!;
  }
}

/** Returns the key of the payload with this nonce. */
export function payloadKey(fileKey: Secret<Uint8Array>, nonce: Uint8Array): PayloadKey {
  const key = deriveKey(fileKey, nonce, 'payload');
  try {
    return new PayloadKey(key);
  } finally {
    wipe(key);
  }
}

/** Encrypts a file key under a nonce of zeros, by a key for it alone, which it wipes. */
export function wrapFileKey(wrapKey: Secret<Buffer>, fileKey: Secret<Uint8Array>): Uint8Array {
  return withKey(wrapKey, (key) => key.sealOne(fileKey));
}

/** Decrypts a file key; undefined if the key is another. Wipes the key. */
export function unwrapFileKey(
  wrapKey: Secret<Buffer>,
  body: Uint8Array,
): Secret<Uint8Array> | undefined {
  return withKey(wrapKey, (key) => key.openOne(0, body, false));
}

function withKey<Result>(wrapKey: Secret<Buffer>, run: (key: ChunkKey) => Result): Result {
  const key = new PayloadKey(wrapKey);
  try {
    return run(key);
  } finally {
    key.dispose();
    wipe(wrapKey);
  }
}
