/**
 * Results of jobs: whether one may replace its target, and otherwise its copy to the target.
 */
import { Operation, Status } from '../base/frame.js';
import { derivesSecret, isChunks, isOneMessage } from '../base/operations.js';
import type { Work } from './work.js';

/** The result of a job. */
export interface JobResult {
  status: Status;
  readonly work: Work;
  /** True if the result is secret; a worker has the inputs that tell. */
  readonly secret: boolean;
  /** The memory that the result belongs in: the caller's or the engine's. */
  readonly place: Uint8Array;
  readonly tagPlace: Uint8Array;
  /** The result, until it is copied there. */
  readonly target: Uint8Array | undefined;
  readonly tag: Uint8Array | undefined;
  /**
   * The target was allocated for this result and is not visible yet: other memory may replace it.
   */
  readonly fresh: boolean;
}

/** Returns true if the result is secret: made with a key and not a ciphertext. */
export function givesSecret({ operation, secret }: Work): boolean {
  if (derivesSecret(operation)) return true;
  return (
    secret.length > 0 &&
    operation !== Operation.Encrypt &&
    operation !== Operation.Seal &&
    operation !== Operation.SealChunks
  );
}

/** Returns a result that can replace the target: it fills memory that nothing else refers to. */
export function transferableResult({
  status,
  fresh,
  work: { operation },
  place,
  tagPlace,
  target,
  tag,
}: JobResult): Uint8Array | undefined {
  // Runs of chunks, many messages and states are read from the target itself.
  if (
    status !== Status.Done ||
    !fresh ||
    target === undefined ||
    !isOneMessage(operation) ||
    target.length !== place.length
  )
    return undefined;
  if (operation === Operation.Encrypt && tagPlace.length > 0) return undefined;
  // A tag that follows the text in the target must follow it here.
  const appended = operation === Operation.Seal ? tagPlace.length : 0;
  if (
    appended > 0 &&
    (tag?.length !== appended ||
      tag.buffer !== target.buffer ||
      tag.byteOffset !== target.byteOffset + target.length)
  )
    return undefined;
  const size = target.length + appended;
  // The target must fill its memory: a nonce may precede a result.
  if (place.byteOffset !== 0 || place.buffer.byteLength !== size) return undefined;
  return target.byteOffset === 0 && target.buffer.byteLength === size
    ? new Uint8Array(target.buffer)
    : undefined;
}

/** Copies a result from elsewhere to the target. A refused result leaves no partial output. */
export function putResult(job: JobResult): void {
  const { work, place, tagPlace, target, tag } = job;
  const chunks = isChunks(work.operation);
  if (job.status === Status.Authentication || (chunks && job.status === Status.Cancelled)) {
    place.fill(0);
    return;
  }
  if (job.status !== Status.Done) return;
  if (
    (target !== undefined && target.length !== place.length) ||
    (tag !== undefined && tag.length > tagPlace.length)
  ) {
    // The owner has detached or shrunk the target despite its promise.
    job.status = Status.Argument;
    return;
  }
  if (target !== undefined) place.set(target);
  if (tag !== undefined && tag.length > 0) tagPlace.set(tag);
  if (job.secret) target?.fill(0);
}
