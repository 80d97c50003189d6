/**
 * Runs of chunks by WebCrypto, one call for each chunk: AES-GCM of 64 KiB takes it 30 us, and
 * JavaScript 800 us. All chunks of a run or none, as in chunks.ts.
 */
import { Operation, Status } from '../request/frame.js';
import { checkRun, noncesOf } from './chunks.js';
import { isTrusted, type Ended } from './webcrypto-backend.js';
import { gcmOpen, gcmSeal, NotAuthentic } from './webcrypto.js';
import { made, NOTHING, part, Refusal } from './windows.js';
import type { Work } from './work.js';

/** The chunk size in bytes from which WebCrypto is faster. */
const CHUNK_MIN_BYTES = 4096;

/** Starts a run whose source is lent. Returns false if another engine must do it. */
export function tryWebCryptoChunks(work: Work, ended: Ended): boolean {
  const { operation, algorithm, source, target, size, count } = work;
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
    const secret = work.key?.bytes ?? work.secret;
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
    // chunks.ts reports the error.
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
