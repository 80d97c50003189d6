/**
 * Runs of chunks by WebCrypto, one call for each chunk: AES-GCM of 64 KiB takes it 30 us, and
 * the module 800 us. All chunks of a run or none.
 */
import { At, Operation, Status } from '../base/frame.js';
import { ciphers } from '../catalog/catalog-table.js';
import { isTrusted, type Ended } from './webcrypto-backend.js';
import { gcmOpen, gcmSeal, NotAuthentic } from './webcrypto.js';
import { made, NOTHING, overlap, part, Refusal, refuse } from './windows.js';
import type { Work } from './work.js';

/** The chunk size in bytes from which WebCrypto is faster. */
const CHUNK_MIN_BYTES = 4096;

/** Starts a run with a lent source. Returns false if another engine must do it. */
export function tryWebCryptoChunks(work: Work, ended: Ended): boolean {
  const { operation, algorithm, numbers, source, target, secret } = work;
  const [count, size] = [numbers[At.Count]!, numbers[At.MessageSize]!];
  const seals = operation === Operation.SealChunks;
  if (
    (!seals && operation !== Operation.OpenChunks) ||
    size < CHUNK_MIN_BYTES ||
    source.length < CHUNK_MIN_BYTES
  )
    return false;
  if (!isTrusted({ operation: seals ? Operation.Seal : Operation.Open, algorithm })) return false;
  const result = made(target.length);
  const results: Promise<void>[] = [];
  try {
    const tagSize = seals
      ? checkRun(work, source.length, target.length)
      : checkRun(work, target.length, source.length);
    const [sizeIn, sizeOut] = seals ? [size, size + tagSize] : [size + tagSize, size];
    const nonces = noncesOf(work);
    for (let index = 0; index < count; index++) {
      const chunk = part(source, index * sizeIn, Math.min(sizeIn, source.length - index * sizeIn));
      const answer = (seals ? gcmSeal : gcmOpen)(
        algorithm,
        secret,
        nonces(index),
        NOTHING,
        chunk,
        tagSize,
        true,
      );
      if (answer === undefined) return false;
      results.push(answer.then((bytes) => result.set(bytes, index * sizeOut)));
    }
  } catch (error) {
    void Promise.allSettled(results);
    // The module reports the error.
    if (error instanceof Refusal) return false;
    throw error;
  }
  Promise.all(results).then(
    () => ended(Status.Done, result, NOTHING),
    (error: unknown) =>
      ended(
        error instanceof NotAuthentic ? Status.Authentication : Status.Engine,
        NOTHING,
        NOTHING,
      ),
  );
  return true;
}

/**
 * Checks that source and target have the sizes of these chunks. Returns the tag's size in bytes.
 */
function checkRun(
  { algorithm, numbers, source, target, iv }: Work,
  text: number,
  sealed: number,
): number {
  const [count, size] = [numbers[At.Count]!, numbers[At.MessageSize]!];
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

/**
 * Returns a function from a chunk's place in the run to its nonce: the base nonce with the chunk's
 * number, big-endian, XORed into its end. A nonce is valid until the next call.
 */
function noncesOf({ iv, numbers }: Work): (index: number) => Uint8Array {
  const nonce = new Uint8Array(iv.length);
  const first = (BigInt(numbers[At.SeedHigh]!) << 32n) | BigInt(numbers[At.SeedLow]!);
  return (index) => {
    let number = first + BigInt(index);
    if (number >= 2n ** 64n) refuse(Status.SourceTooLarge);
    nonce.set(iv);
    for (let at = nonce.length - 1; number > 0n; at--, number >>= 8n)
      nonce[at]! ^= Number(number & 0xffn);
    return nonce;
  };
}
