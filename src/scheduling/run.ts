/**
 * Runs a request: synchronously, with a callback or with a promise. An asynchronous call with
 * little work runs inline and settles at the end of the event-loop iteration; the others go to the
 * pool.
 */
import { type EnginePreference, base } from '../engines/engines.js';
import { isResizable, part } from '../base/arguments.js';
import { makeError, wrongType } from '../base/errors.js';
import { At, Flag, Operation, Route, frame } from '../base/frame.js';
import { givesDigest, isHashOrHmac, isOneMessage } from '../base/operations.js';
import { isBytesView, isRevoked } from '../base/intrinsics.js';
import { invoke, refused } from '../request/invoke.js';
import {
  COPY_NS_PER_KIB,
  INLINE_ALONE_NS,
  INLINE_FIRST_JOBS,
  INLINE_FIRST_NS,
} from '../base/protocol.js';
import {
  type FillRequest,
  type Finish,
  Form,
  clearRequest,
  request,
  setEngines,
  setRoute,
} from '../request/request.js';
import {
  allocateResult,
  copy,
  detachedTarget,
  encodeResult,
  encodeSecret,
  fitsResult,
  givesSecret,
  putPrefix,
} from '../request/result.js';
import { secretCopy } from '../base/secret-memory.js';
import { SMALL_BYTES, stage, takeStaged, wipeStage } from '../base/secret-results.js';
import {
  type Callback,
  CallbackCompletion,
  type Completion,
  PromiseCompletion,
  Relay,
  SignalCompletion,
} from './completions.js';
import { inlineLimit, predict, defaultRoute, wantsMeasure } from './cost-model.js';
import { deferError, deferResult, pending, takeInlineBudget } from './deferred-results.js';
import { inFlight } from './slots.js';
import { submit } from './submit.js';
import type { Buffer } from '#platform/base/runtime.js';

/** Fills a request, runs it synchronously and returns its result. */
export function runSync(
  fill: FillRequest,
  given: ArrayLike<unknown>,
  count: number,
  preference?: EnginePreference,
): unknown {
  try {
    fill(given, count, false, preference);
    if (preference !== undefined) setEngines(preference);
    if (request.routed) throw routedSync();
  } catch (error) {
    clearRequest();
    throw error;
  }
  return runFilled();
}

/** Runs the filled request synchronously and returns its result. */
export function runFilled(): unknown {
  try {
    return runNow();
  } finally {
    clearRequest();
  }
}

function runNow(): unknown {
  frame[At.Slot] = -1;
  const { target } = request;
  if (target === undefined)
    return request.finish === undefined ? runForResult() : runFinished(request.finish);
  frame[At.Flags] = request.flags;
  const status = invoke(target);
  if (status !== 0) throw refused(status);
  if (request.prefix > 0) putPrefix(target);
  return request.size;
}

/** Runs a request without a target and returns the encoded result. */
function runForResult(): unknown {
  const { size, form } = request;
  const secret = givesSecret();
  const staged = secret && size <= SMALL_BYTES && form !== Form.Secret;
  const result = staged ? stage(size) : allocateResult(size, form, secret);
  frame[At.Flags] = request.flags | Flag.HasTarget | Flag.Fresh;
  const status = invoke(result);
  if (status !== 0) {
    if (staged) wipeStage();
    throw refused(status);
  }
  if (request.prefix > 0) putPrefix(result);
  if (!staged) return (secret ? encodeSecret : encodeResult)(result, form);
  if (form === Form.Buffer) return takeStaged(result);
  const text = encodeResult(result, form);
  wipeStage();
  return text;
}

function runFinished({ succeed, fail }: Finish): unknown {
  let made: unknown;
  try {
    made = runForResult();
  } catch (error) {
    fail?.();
    throw error;
  }
  return succeed(made);
}

/** Returns the error for a route in a synchronous call. */
export function routedSync(): Error {
  return makeError(
    'ERR_ARGUMENT_VALUE',
    'options.route: a synchronous call takes no route; pass a callback, or use millrace/promises',
  );
}

/** Fills a request and runs it. The callback is called after this function has returned. */
export function runCallback(
  callback: Callback<unknown>,
  fill: FillRequest,
  given: ArrayLike<unknown>,
  count: number,
): void {
  const completion = new CallbackCompletion(callback);
  try {
    fill(given, count);
    start(completion);
  } finally {
    clearRequest();
  }
}

/**
 * Fills a request and runs it, by `route` if given. An abort rejects with the signal's reason: at
 * once if the job has not started, otherwise when it has stopped.
 */
export function runPromise(
  signal: AbortSignal | undefined,
  fill: FillRequest,
  given: ArrayLike<unknown>,
  count: number,
  route?: Route,
  preference?: EnginePreference,
): Promise<unknown> {
  const completion = signal === undefined ? new PromiseCompletion() : new SignalCompletion();
  if (signal?.aborted) {
    completion.reject(signal.reason);
    return completion.promise;
  }
  try {
    fill(given, count, true, preference);
    if (route !== undefined) setRoute(route);
    if (preference !== undefined) setEngines(preference);
    if (signal !== undefined) request.flags |= Flag.Cancellable;
    start(completion);
  } catch (error) {
    completion.reject(error);
    return completion.promise;
  } finally {
    clearRequest();
  }
  if (completion instanceof SignalCompletion && completion.slot >= 0)
    completion.attachSignal(signal!);
  return completion.promise;
}

/**
 * Submits the filled request to the pool. The completion was created before the request was filled.
 */
export function runAsync(completion: Completion): void {
  try {
    submit(completion);
  } finally {
    clearRequest();
  }
}

/** Returns an AbortSignal or undefined. */
export function abortSignal(value: unknown): AbortSignal | undefined {
  if (value === undefined) return undefined;
  const signal = value as AbortSignal;
  if (
    typeof value !== 'object' ||
    value === null ||
    isBytesView(value) ||
    isRevoked(value) ||
    typeof signal.aborted !== 'boolean' ||
    typeof signal.addEventListener !== 'function'
  ) {
    throw wrongType('options.signal', 'an AbortSignal', value);
  }
  return signal;
}

/** Takes the request if it hashes a short message; see coalesce.ts. */
let takeShort: (completion: Completion) => boolean = () => false;

export function onShortMessage(take: (completion: Completion) => boolean): void {
  takeShort = take;
}

/** Runs the filled request by the cheapest route. */
function start(user: Completion): void {
  if (takeShort(user)) return;
  const completion = request.prefix > 0 ? new Prefixed(user) : user;
  if (request.finish !== undefined) submitFinishing(completion, request.finish);
  else if (shouldRunInline()) runInline(completion);
  else submit(completion);
}

function submitFinishing(user: Completion, finish: Finish): void {
  const completion = new Finishing(user, finish);
  try {
    submit(completion);
  } catch (error) {
    finish.fail?.();
    throw error;
  }
}

/** Makes the result when the call settles. */
class Finishing extends Relay {
  readonly #finish: Finish;

  constructor(user: Completion, finish: Finish) {
    super(user);
    this.#finish = finish;
  }

  override succeed(made: unknown): void {
    let value: unknown;
    try {
      value = this.#finish.succeed(made);
    } catch (error) {
      super.fail(error);
      return;
    }
    super.succeed(value);
  }

  override fail(error: unknown): void {
    this.#finish.fail?.();
    super.fail(error);
  }

  override cancelled(): void {
    this.#finish.fail?.();
    super.cancelled();
  }
}

/** Writes the prefix before the result when the call settles: until then a source may be there. */
class Prefixed extends Relay {
  readonly #prefix = secretCopy(part(request.iv!, request.prefixFrom, request.prefix));
  readonly #target = request.target;
  readonly #offset = frame[At.TargetOffset]! - request.prefix;

  override succeed(value: unknown): void {
    const target = this.#target ?? (value as Buffer);
    if (!fitsResult(target, this.#offset, this.#prefix.length)) {
      this.fail(detachedTarget());
      return;
    }
    copy(target, this.#offset, this.#prefix, 0, this.#prefix.length);
    super.succeed(value);
  }
}

/**
 * Returns true if the request should run now. Native code itself runs or refuses requests with
 * the caller's memory for the digest or tag.
 */
function shouldRunInline(): boolean {
  const operation: Operation = frame[At.Operation]!;
  const { target } = request;
  // The cost model is that of the default engine; other engines decide for themselves.
  if (request.engine !== base) return false;
  if (!isOneMessage(operation) || (operation === Operation.Encrypt && request.tag !== undefined))
    return false;
  if (target !== undefined && (givesDigest(operation) || isResizable(target))) return false;
  const route: Route = frame[At.Route]! === Route.Auto ? defaultRoute() : frame[At.Route]!;
  if (route !== Route.Auto) return route === Route.Inline;
  const algorithm = frame[At.Algorithm]!;
  const other = isHashOrHmac(operation)
    ? request.size
    : request.aad === undefined
      ? 0
      : frame[At.AadSize]!;
  const size = frame[At.SourceSize]!;
  const cost = predict(operation, algorithm, size + other);
  // Without a target the source would be copied for a worker, which holds the event loop as work
  // does.
  const copyCost = target === undefined ? (size * COPY_NS_PER_KIB) / 1024 : 0;
  const submitCost = inlineLimit + copyCost;
  if (inlineLimit === 0) return false;
  if (cost > INLINE_ALONE_NS && cost > copyCost) return false;
  const short = cost <= submitCost || (inFlight === 0 && !pending());
  if (!short && inFlight >= INLINE_FIRST_JOBS) return false;
  if (wantsMeasure(operation, algorithm, cost)) {
    frame[At.Route] = Route.Pool;
    return false;
  }
  return takeInlineBudget(cost, copyCost, short ? undefined : INLINE_FIRST_NS);
}

/** Runs the request now and completes it at the end of the event-loop iteration. */
function runInline(completion: Completion): void {
  request.flags &= ~Flag.Cancellable;
  // The completion writes the prefix.
  request.prefix = 0;
  let value: unknown;
  try {
    value = runNow();
  } catch (error) {
    deferError(completion, error);
    return;
  }
  deferResult(completion, value);
}
