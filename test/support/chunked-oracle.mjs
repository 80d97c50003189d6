// C2SP chunked encryption once more, straight from the specification
// (https://c2sp.org/chunked-encryption) and on node:crypto alone: the oracle of sealed streams.
// Whole messages, nothing fast.

import { createCipheriv, createDecipheriv, createHmac } from 'node:crypto';

export const CHUNK = 16 * 1024;
export const TAG = 16;
export const HEADER = 24 + 32;

/** By Millrace's names. */
export const chunkedAlgorithms = {
  'aes-128-gcm': { aead: 'AEAD_AES_128_GCM', keySize: 16, node: 'aes-128-gcm' },
  'aes-256-gcm': { aead: 'AEAD_AES_256_GCM', keySize: 32, node: 'aes-256-gcm' },
  'chacha20-poly1305': { aead: 'AEAD_CHACHA20_POLY1305', keySize: 32, node: 'chacha20-poly1305' },
};

/** Returns the sealed message; `salt` is 24 bytes. */
export function sealChunked(algorithm, { key, context = '', salt, message, first = 0 }) {
  const { aeadKey, baseNonce, commitment } = derive(algorithm, key, salt, context);
  const chunks = Array.from({ length: Math.floor(message.length / CHUNK) + 1 }, (_, index) =>
    sealChunk(
      algorithm,
      aeadKey,
      nonceOf(baseNonce, first + index),
      message.subarray(index * CHUNK, (index + 1) * CHUNK),
    ),
  );
  return Buffer.concat([salt, commitment, ...chunks]);
}

/** Returns the message; throws if anything is wrong. */
export function openChunked(algorithm, { key, context = '', sealed }) {
  if (sealed.length < HEADER) throw new Error('no header');
  const { aeadKey, baseNonce, commitment } = derive(
    algorithm,
    key,
    sealed.subarray(0, 24),
    context,
  );
  if (!commitment.equals(sealed.subarray(24, HEADER))) throw new Error('commitment');
  const chunks = [];
  for (let at = HEADER, index = 0; ; at += CHUNK + TAG, index++) {
    const chunk = sealed.subarray(at, at + CHUNK + TAG);
    if (chunk.length < TAG) throw new Error('truncated');
    chunks.push(openChunk(algorithm, aeadKey, nonceOf(baseNonce, index), chunk));
    if (chunk.length < CHUNK + TAG) return Buffer.concat(chunks);
  }
}

/**
 * Returns the keys of a message: HKDF-Expand, written out, as node:crypto's hkdf extracts first.
 */
export function derive(algorithm, key, salt, context) {
  const { aead, keySize } = chunkedAlgorithms[algorithm];
  const info = Buffer.concat([
    Buffer.from('c2sp.org/chunked-encryption@v1+'),
    Buffer.from(aead),
    Buffer.of(0),
    salt,
    Buffer.from(context),
  ]);
  let block = Buffer.alloc(0);
  let material = Buffer.alloc(0);
  for (let counter = 1; material.length < keySize + 12 + 32; counter++) {
    block = createHmac('sha512', key)
      .update(block)
      .update(info)
      .update(Buffer.of(counter))
      .digest();
    material = Buffer.concat([material, block]);
  }
  return {
    aeadKey: material.subarray(0, keySize),
    baseNonce: material.subarray(keySize, keySize + 12),
    commitment: material.subarray(keySize + 12, keySize + 44),
  };
}

/** Returns the base nonce as a number, XOR the chunk's number. */
function nonceOf(baseNonce, index) {
  const number = BigInt(`0x${baseNonce.toString('hex')}`) ^ BigInt(index);
  return Buffer.from(number.toString(16).padStart(24, '0'), 'hex');
}

function sealChunk(algorithm, key, nonce, text) {
  const cipher = createCipheriv(chunkedAlgorithms[algorithm].node, key, nonce, {
    authTagLength: TAG,
  });
  return Buffer.concat([cipher.update(text), cipher.final(), cipher.getAuthTag()]);
}

function openChunk(algorithm, key, nonce, sealed) {
  const cipher = createDecipheriv(chunkedAlgorithms[algorithm].node, key, nonce, {
    authTagLength: TAG,
  });
  cipher.setAuthTag(sealed.subarray(sealed.length - TAG));
  return Buffer.concat([cipher.update(sealed.subarray(0, sealed.length - TAG)), cipher.final()]);
}
