/**
 * Submits the request to an engine's worker threads.
 */
import { onSettle, servers } from '../engines/binding.js';
import { defaultEngine } from '../engines/engines.js';
import { isResizable } from '../base/arguments.js';
import { MillraceError } from '../base/errors.js';
import { At, Flag, Operation, Status, frame } from '../base/frame.js';
import { givesDigest } from '../base/operations.js';
import { invoke, refused, switchToNextEngine } from '../request/invoke.js';
import { COMPLETION_RESULT_MAX } from '../base/protocol.js';
import { clearRequest, deferWipe, request } from '../request/request.js';
import { givesSecret, resizableTarget } from '../request/result.js';
import { secretCopy, wipe, type Secret } from '../base/secret-memory.js';
import { Relay, type Completion } from './completions.js';
import { decideCopies } from './copies.js';
import { pollFor } from './poll.js';
import { settle } from './settle.js';
import { acquireSlot, jobs, releaseSlot, type Job } from './slots.js';
import { allocateApart } from '#platform/base/runtime.js';

onSettle(settle);

/**
 * Submits the request. With a target, source and target are lent. Without one the source is copied
 * now, and the result returns in the completion buffer or, above COMPLETION_RESULT_MAX bytes, in a
 * new buffer that nothing else references until the job settles.
 */
export function submit(user: Completion): void {
  const retry = request.engine.here ? undefined : retried(user);
  const completion = retry ?? user;
  const slot = acquireSlot(completion);
  const job = jobs[slot]!;
  job.size = request.size;
  job.form = request.form;
  job.secret = givesSecret();
  let accepted = false;
  try {
    if (request.target === undefined) {
      request.flags |= Flag.Snapshot;
      if (request.size > COMPLETION_RESULT_MAX || request.prefix > 0) {
        lendTarget(job, allocateApart(request.size));
        request.flags |= Flag.Fresh;
      }
    } else {
      lend(job, request.target);
    }
    if (request.tag !== undefined && frame[At.Operation] === Operation.Encrypt) {
      job.place = request.tag;
      job.placeOffset = frame[At.TagOffset]!;
    }
    frame[At.Slot] = slot;
    frame[At.Flags] = request.flags;
    let status = invoke(request.target);
    if (status === Status.CopyLimitUnset) {
      decideCopies(request.engine.binding);
      status = invoke(request.target);
    }
    if (status !== 0) throw refused(status);
    accepted = true;
  } finally {
    if (!accepted) releaseSlot(slot);
    if (retry !== undefined) retry.begin(accepted);
  }
  servers[slot] = request.engine.binding;
  completion.slot = slot;
  pollFor(request.engine.binding, frame[At.Cost]!);
}

/**
 * Returns a completion that tries the next engine if the kernel refuses, or undefined if there is
 * no next engine.
 */
function retried(user: Completion): Retry | undefined {
  const { engines } = request.preference ?? defaultEngine.preference;
  return engines.at(-1) === request.engine ? undefined : new Retry(user);
}

/** Keeps a copy of the request for the next engine, because the caller may change its memory. */
class Retry extends Relay {
  readonly #frame = frame.slice();
  readonly #key: Secret | undefined = request.key && secretCopy(request.key);
  readonly #call = { ...request, preference: request.preference ?? defaultEngine.preference };

  constructor(user: Completion) {
    super(user);
    const kept = this.#call;
    if (kept.target === undefined && !Array.isArray(kept.source))
      kept.source = secretCopy(kept.source as Uint8Array);
    kept.iv = kept.iv && secretCopy(kept.iv);
    kept.aad = kept.aad && secretCopy(kept.aad);
    kept.key = this.#key;
    // The tag of an encryption is an output and is not copied.
    if (frame[At.Operation] !== Operation.Encrypt) kept.tag = kept.tag && secretCopy(kept.tag);
  }

  /** Records that the job was accepted and will settle, or was refused and never does. */
  begin(accepted: boolean): void {
    const { preference } = this.#call;
    if (!accepted) this.#wipe();
    else if (preference.uses !== undefined) preference.uses.waiting += 1;
  }

  override succeed(value: unknown): void {
    this.#end();
    super.succeed(value);
  }

  override fail(error: unknown): void {
    if (
      error instanceof MillraceError &&
      error.code === 'ERR_ENGINE_UNAVAILABLE' &&
      this.#again(error.message)
    )
      return;
    this.#end();
    super.fail(error);
  }

  override cancelled(): void {
    this.#end();
    super.cancelled();
  }

  #again(reason: string): boolean {
    frame.set(this.#frame);
    Object.assign(request, this.#call);
    try {
      if (!switchToNextEngine(reason)) return false;
      // The next engine copies the key.
      if (this.#key !== undefined) deferWipe(this.#key);
      submit(this.user);
    } catch (error) {
      this.user.fail(error);
    } finally {
      clearRequest();
    }
    this.#leave();
    return true;
  }

  #wipe(): void {
    if (this.#key !== undefined) wipe(this.#key);
  }

  #end(): void {
    this.#wipe();
    this.#leave();
  }

  /** Releases a prepared key that was disposed of meanwhile. */
  #leave(): void {
    const { uses } = this.#call.preference;
    if (uses !== undefined && --uses.waiting === 0) uses.over?.();
  }
}

/** Lends the caller's memory: the source, and the target unless the result is a digest. */
function lend(job: Job, target: Uint8Array): void {
  const { source } = request;
  // The memory of a resizable source can shrink, so it is copied. (The messages of a batch were
  // checked before.)
  if (!Array.isArray(source) && isResizable(source as Uint8Array)) request.flags |= Flag.Snapshot;
  job.source = source;
  if (givesDigest(frame[At.Operation]!) && request.size <= COMPLETION_RESULT_MAX) {
    job.place = target;
    job.placeOffset = frame[At.TargetOffset]!;
    request.target = undefined;
    request.flags &= ~Flag.HasTarget;
  } else if (isResizable(target)) {
    throw resizableTarget();
  } else {
    lendTarget(job, target);
  }
}

function lendTarget(job: Job, target: Uint8Array): void {
  job.target = target;
  request.target = target;
  request.flags |= Flag.HasTarget;
}
