/**
 * Submits the request to an engine's worker threads.
 */
import { onSettle, servers } from '../engines/binding.js';
import { usual as defaultEngine } from '../engines/engines.js';
import { isResizable } from '../request/arguments.js';
import { MillraceError, makeError } from '../request/errors.js';
import { At, Flag, Operation, Status, frame } from '../request/frame.js';
import { invoke, refused, switchToNextEngine } from '../request/invoke.js';
import { COMPLETION_RESULT_MAX } from '../request/protocol.js';
import { clearRequest, deferWipe, request } from '../request/request.js';
import { copyOf, givesSecret, isDigestOperation } from '../request/result.js';
import type { Completion } from './completions.js';
import { decideCopies } from './copies.js';
import { pollFor } from './poll.js';
import { settle } from './settle.js';
import {
  acquireSlot,
  forms,
  lentSources,
  lentTargets,
  placeOffsets,
  places,
  releaseSlot,
  secrets,
  sizes,
} from './slots.js';
import { allocateApart } from '#platform/runtime.js';

onSettle(settle);

/**
 * Hands the described call to native code. With a target in the description, source and target are
 * lent; without one the source is copied now, and the result comes back in the completion buffer, or, above
 * COMPLETION_RESULT_MAX, in a buffer made here that nobody else can reach before the job has settled.
 */
export function submit(user: Completion): void {
  const retry = request.engine.here ? undefined : retried(user);
  const completion = retry ?? user;
  const slot = acquireSlot(completion);
  sizes[slot] = request.size;
  forms[slot] = request.form;
  secrets[slot] = givesSecret();
  let accepted = false;
  try {
    if (request.target === undefined) {
      request.flags |= Flag.Snapshot;
      if (request.size > COMPLETION_RESULT_MAX || request.prefix > 0) {
        lendTarget(slot, allocateApart(request.size));
        request.flags |= Flag.Fresh;
      }
    } else {
      lend(slot, request.target);
    }
    if (request.tag !== undefined && frame[At.Operation] === Operation.Encrypt) {
      places[slot] = request.tag;
      placeOffsets[slot] = frame[At.TagOffset]!;
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
 * A waiter behind which the next engine is asked when the kernel comes back with a refusal, if
 * there is a next one.
 */
function retried(user: Completion): Retry | undefined {
  const { engines } = request.choice ?? defaultEngine.choice;
  return engines.at(-1) === request.engine ? undefined : new Retry(user);
}

/**
 * Keeps what has been described: it is copied again, as the caller's memory may be another by then.
 */
class Retry implements Completion {
  readonly #user: Completion;
  readonly #frame = frame.slice();
  readonly #call = { ...request, choice: request.choice ?? defaultEngine.choice };

  constructor(user: Completion) {
    this.#user = user;
    const kept = this.#call;
    if (kept.target === undefined && !Array.isArray(kept.source))
      kept.source = copyOf(kept.source as Uint8Array);
    kept.iv = kept.iv && copyOf(kept.iv);
    kept.aad = kept.aad && copyOf(kept.aad);
    kept.key = kept.key && copyOf(kept.key);
    // An output stays where it is.
    if (frame[At.Operation] !== Operation.Encrypt) kept.tag = kept.tag && copyOf(kept.tag);
  }

  /** The job is on its way, and will settle; or it is not, and never does. */
  begin(accepted: boolean): void {
    const { key, choice } = this.#call;
    if (!accepted) key?.fill(0);
    else if (choice.pin !== undefined) choice.pin.waiting += 1;
  }

  get slot(): number {
    return this.#user.slot;
  }

  set slot(slot: number) {
    this.#user.slot = slot;
  }

  succeed(value: unknown): void {
    this.#end();
    this.#user.succeed(value);
  }

  fail(error: unknown): void {
    if (
      error instanceof MillraceError &&
      error.code === 'ERR_ENGINE_UNAVAILABLE' &&
      this.#again(error.message)
    )
      return;
    this.#end();
    this.#user.fail(error);
  }

  cancelled(): void {
    this.#end();
    this.#user.cancelled();
  }

  #again(reason: string): boolean {
    frame.set(this.#frame);
    Object.assign(request, this.#call);
    try {
      if (!switchToNextEngine(reason)) return false;
      this.#deferWipe();
      submit(this.#user);
    } catch (error) {
      this.#user.fail(error);
    } finally {
      clearRequest();
    }
    this.#leave();
    return true;
  }

  /** Where the next engine has copied the secrets. */
  #deferWipe(): void {
    const { key } = this.#call;
    if (key !== undefined) deferWipe(key);
  }

  #end(): void {
    this.#call.key?.fill(0);
    this.#leave();
  }

  /** A prepared key that was disposed of meanwhile may go now. */
  #leave(): void {
    const { pin } = this.#call.choice;
    if (pin !== undefined && --pin.waiting === 0) pin.over?.();
  }
}

/** The caller's memory: the source is borrowed, and the target unless the result is a digest. */
function lend(slot: number, target: Uint8Array): void {
  const { source } = request;
  // The memory of a resizable source can vanish; it is copied, into the target where that is the
  // result. (Many messages were looked at one by one.)
  if (!Array.isArray(source) && isResizable(source as Uint8Array)) request.flags |= Flag.Snapshot;
  lentSources[slot] = source;
  if (isDigestOperation(frame[At.Operation]!) && request.size <= COMPLETION_RESULT_MAX) {
    places[slot] = target;
    placeOffsets[slot] = frame[At.TargetOffset]!;
    request.target = undefined;
    request.flags &= ~Flag.HasTarget;
  } else if (isResizable(target)) {
    throw makeError(
      'ERR_RESIZABLE',
      'target must not be resizable in an asynchronous call: its memory could vanish under the worker',
    );
  } else {
    lendTarget(slot, target);
  }
}

function lendTarget(slot: number, target: Uint8Array): void {
  lentTargets[slot] = target;
  request.target = target;
  request.flags |= Flag.HasTarget;
}
