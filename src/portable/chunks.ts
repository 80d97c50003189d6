/**
 * A run of sealed chunks in one operation, as in crates/core/src/chunks.rs: the iv is the base
 * nonce, the seed the number of the first chunk. Source and target do not overlap: the bytes that
 * were verified are those that are decrypted.
 */
import { Status } from '../request/frame.js';
import { ciphers } from '../catalog/catalog-table.js';
import type { PortableCipher } from './ciphers/contract.js';
import { NOTHING, overlap, part, refuse } from './windows.js';
import type { Work } from './work.js';

export function sealChunks(work: Work, cipher: PortableCipher): void {
  const { source, target, size } = work;
  const tagSize = checkRun(work, source.length, target.length);
  each(work, (nonce, index) => {
    const text = part(source, index * size, Math.min(size, source.length - index * size));
    const sealed = index * (size + tagSize);
    cipher.seal!(
      nonce,
      NOTHING,
      text,
      part(target, sealed, text.length),
      part(target, sealed + text.length, tagSize),
    );
  });
}

export function openChunks(work: Work, cipher: PortableCipher): void {
  const { source, target, size } = work;
  const tagSize = checkRun(work, target.length, source.length);
  each(work, (nonce, index) => {
    const text = part(target, index * size, Math.min(size, target.length - index * size));
    const sealed = index * (size + tagSize);
    const intact = cipher.open!(
      nonce,
      NOTHING,
      part(source, sealed, text.length),
      text,
      part(source, sealed + text.length, tagSize),
    );
    if (!intact) refuse(Status.Authentication);
  });
}

/**
 * Checks that source and target have the sizes of these chunks. Returns the tag's size in bytes.
 */
export function checkRun(
  { algorithm, source, target, iv, count, size }: Work,
  text: number,
  sealed: number,
): number {
  if (overlap(target, source) || overlap(target, iv)) refuse(Status.Overlap);
  const { aead, tagSize, ivSize } = ciphers[algorithm]!;
  if (!aead) refuse(Status.NotSupported);
  const most = count * size;
  const fits =
    count > 0 &&
    size > 0 &&
    text >= most - size &&
    text <= most &&
    text + count * tagSize === sealed;
  if (!fits) refuse(Status.OutputSize);
  if (iv.length !== ivSize) refuse(Status.IvSize);
  return tagSize;
}

/** Processes each chunk under its nonce. If one fails, the target is wiped. */
function each(work: Work, one: (nonce: Uint8Array, index: number) => void): void {
  const nonces = noncesOf(work);
  try {
    for (let index = 0; index < work.count; index++) one(nonces(index), index);
  } catch (error) {
    work.target.fill(0);
    throw error;
  }
}

/**
 * Returns a function from a chunk's place in the run to its nonce: the base nonce with the chunk's
 * number, big-endian, XORed into its end. A nonce is valid until the next call.
 */
export function noncesOf({ iv, seedLow, seedHigh }: Work): (index: number) => Uint8Array {
  const nonce = new Uint8Array(iv.length);
  const first = (BigInt(seedHigh) << 32n) | BigInt(seedLow);
  return (index) => {
    let number = first + BigInt(index);
    if (number >= 2n ** 64n) refuse(Status.SourceTooLarge);
    nonce.set(iv);
    for (let at = nonce.length - 1; number > 0n; at--, number >>= 8n)
      nonce[at]! ^= Number(number & 0xffn);
    return nonce;
  };
}
