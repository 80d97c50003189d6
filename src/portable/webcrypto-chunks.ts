/**
 * Runs of chunks by WebCrypto, one call for each chunk: AES-GCM of 64 KiB takes it 30 us, and
 * the module 800 us. All chunks of a run or none.
 */
import { At, Operation, Status } from '../base/frame.js';
import { checkRun, noncesOf } from './chunks.js';
import { failureOf, isTrusted, type Ended } from './webcrypto-backend.js';
import { cipher } from './webcrypto.js';
import { made, NOTHING, part, Refusal } from './windows.js';
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
    const tagSize = checkRun(work);
    const [sizeIn, sizeOut] = seals ? [size, size + tagSize] : [size + tagSize, size];
    const nonces = noncesOf(work);
    for (let index = 0; index < count; index++) {
      const chunk = part(source, index * sizeIn, Math.min(sizeIn, source.length - index * sizeIn));
      const answer = cipher(
        algorithm,
        seals ? 'encrypt' : 'decrypt',
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
    (error: unknown) => ended(failureOf(error), NOTHING, NOTHING),
  );
  return true;
}
