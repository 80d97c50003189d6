/** Runs of chunks of one message: their sizes and nonces. */
import { At, Operation, Status } from '../base/frame.js';
import { ciphers } from '../catalog/catalog-table.js';
import { overlap, refuse } from './windows.js';
import type { Work } from './work.js';

/**
 * Checks that source and target have the sizes of these chunks. Returns the tag's size in bytes.
 */
export function checkRun(work: Work): number {
  const { operation, algorithm, numbers, source, target, iv, aad } = work;
  const [count, size] = [numbers[At.Count]!, numbers[At.MessageSize]!];
  const [text, sealed] = operation === Operation.SealChunks ? [source, target] : [target, source];
  if ([source, iv, aad].some((input) => overlap(target, input))) refuse(Status.Overlap);
  const { aead, tagSize, ivSize } = ciphers[algorithm]!;
  if (!aead) refuse(Status.NotSupported);
  const most = count * size;
  const fits =
    count > 0 &&
    size > 0 &&
    text.length >= most - size &&
    text.length <= most &&
    text.length + count * tagSize === sealed.length;
  if (!fits) refuse(Status.OutputSize);
  if (iv.length + aad.length !== ivSize) refuse(Status.IvSize);
  return tagSize;
}

/**
 * Returns a function from a chunk's place in the run to its nonce: the base nonce with the chunk's
 * number, big-endian, XORed into its end, and its suffix. A nonce is valid until the next call.
 */
export function noncesOf({ iv, aad, numbers }: Work): (index: number) => Uint8Array {
  const nonce = new Uint8Array(iv.length + aad.length);
  const first = (BigInt(numbers[At.SeedHigh]!) << 32n) | BigInt(numbers[At.SeedLow]!);
  return (index) => {
    let number = first + BigInt(index);
    if (number >= 2n ** 64n) refuse(Status.SourceTooLarge);
    nonce.set(iv);
    nonce.set(aad, iv.length);
    for (let at = iv.length - 1; number > 0n; at--, number >>= 8n)
      nonce[at]! ^= Number(number & 0xffn);
    return nonce;
  };
}
