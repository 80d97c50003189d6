/**
 * One flat call, and the ways of waiting for it.
 *
 * A parser (hash.ts, hmac.ts, cipher.ts) describes the work: numbers in the frame, bytes in `call`.
 * Then one of three functions runs it: {@link runSync} here and now, {@link runCallback} and
 * {@link runPromise} on the pool. Nothing but this file knows about slots and completions.
 *
 * `call` is a single reused record: describing and running follow each other with no user code
 * in between, so no call can see another's.
 */
import { isResizable, NO_BYTES, part, sizeOf } from './arguments.js';
import { native, onSettle, servers } from '../engines/binding.js';
import { cipherOf, hashOf } from '../catalog/catalog.js';
import {
  base,
  recordFallback,
  withKeyEngines,
  usual as defaultEngine,
  type EnginePreference,
  type Engine,
} from '../engines/engines.js';
import {
  At,
  Flag,
  frame,
  Operation,
  Poll,
  completionBytes,
  completionNumbers,
  Route,
  Status,
  type Native,
} from './frame.js';
import { failure, makeError, MillraceError, wrongType } from './errors.js';
import { copyInto, isBytesView, isRevoked } from './intrinsics.js';
import { INLINE_ALONE_NS, RECORD_NUMBERS, COMPLETION_RESULT_MAX } from './protocol.js';
import { inlineLimit, predict, usual, wantsMeasure } from '../scheduling/cost-model.js';
import {
  allocate,
  allocateApart,
  base64,
  base64url,
  hex,
  memorySize,
  nextTurn,
  utf8Apart,
  viewOf,
  type Buffer,
} from '#platform/runtime.js';
import { encodeShort, keyScratch } from './input-buffer.js';
import { SMALL_BYTES, stage, takeStaged, wipeStage } from './secret-results.js';
import {
  isIdle,
  takeInlineBudget,
  deferError,
  deferResult,
} from '../scheduling/deferred-results.js';
import {
  CallbackCompletion,
  PromiseCompletion,
  SignalCompletion,
  type Callback,
  type Completion,
} from '../scheduling/completions.js';

/** What the caller gets. */
export const enum Form {
  /** The number of bytes written to the caller's target. */
  Size,
  Buffer,
  Hex,
  Base64,
  Base64url,
  BigInt,
  /** A derived key, as a Buffer that V8 does not move: who wipes it wipes all there is of it. */
  Secret,
  /** Whether it is a one. */
  Verdict,
}

/**
 * Fills the frame and {@link request} from the first `count` arguments; throws if one is wrong. A call
 * that is `promised` takes the options of {@link CallOptions}.
 */
export type FillRequest = (given: ArrayLike<unknown>, count: number, promised?: boolean) => void;

/** Reads one kind of call. */
export interface Parser {
  readonly fill: FillRequest;
  /** The numbers of arguments it understands, without callback or signal. */
  readonly counts: readonly number[];
}

/** The work being described. */
export const request = {
  /** Always given, many messages as an array; the rest `undefined` where absent. */
  source: NO_BYTES as Uint8Array | readonly Uint8Array[],
  /** The caller's memory. Without one, a new Buffer of `size` bytes is the result. */
  target: undefined as Uint8Array | undefined,
  iv: undefined as Uint8Array | undefined,
  aad: undefined as Uint8Array | undefined,
  tag: undefined as Uint8Array | undefined,
  key: undefined as Uint8Array | undefined,
  /** Size of the result in bytes. */
  size: 0,
  form: Form.Buffer,
  /** Frame flags collected so far. */
  flags: 0,
  /**
   * Bytes of the iv that stand before the result, and belong to it: a random nonce; otherwise 0.
   */
  prefix: 0,
  /** Whether a route was asked for. */
  routed: false,
  /** Who computes. */
  engine: base as Engine,
  /**
   * The engines that may, if that was asked for or follows from a key; otherwise the usual ones.
   */
  choice: undefined as EnginePreference | undefined,
};

/** Starts the description of a call without key, iv, aad or tag; parsers add those. */
export function beginRequest(
  operation: Operation,
  algorithm: number,
  source: Uint8Array | readonly Uint8Array[],
  offset: number,
  size: number,
): void {
  frame[At.Operation] = operation;
  frame[At.Algorithm] = algorithm;
  frame[At.Key] = 0;
  frame[At.SourceOffset] = offset;
  frame[At.SourceSize] = size;
  frame[At.TagSize] = 0;
  frame[At.SeedLow] = 0;
  frame[At.SeedHigh] = 0;
  frame[At.Route] = Route.Auto;
  request.source = source;
  request.flags = 0;
  request.prefix = 0;
  request.routed = false;
  const { engine } = defaultEngine;
  frame[At.Engine] = engine.number;
  // To write what is there already costs more than to look.
  if (request.engine !== engine) request.engine = engine;
  if (request.choice !== undefined) request.choice = undefined;
}

/** Who may compute: those that have the key, and, after that, those of them that are asked for. */
export function setEngines(asked: EnginePreference): void {
  const choice =
    request.choice?.handles === undefined ? asked : withKeyEngines(request.choice, asked);
  const engine = choice.engines[0]!;
  frame[At.Engine] = engine.number;
  if (request.engine !== engine) request.engine = engine;
  request.choice = choice;
  if (choice.handles !== undefined) frame[At.Key] = choice.handles[0]!;
}

/**
 * The engine that served cannot: what has been described is for the next one now, if there is one.
 */
function switchToNextEngine(reason: string): boolean {
  const { engine } = request;
  const { engines, handles } = request.choice ?? defaultEngine.choice;
  const at = engines.indexOf(engine) + 1;
  const next = engines[at];
  if (next === undefined) return false;
  recordFallback(algorithmName(), engine.name, next.name, reason);
  frame[At.Engine] = next.number;
  request.engine = next;
  if (handles !== undefined) frame[At.Key] = handles[at]!;
  return true;
}

/** What is described, for people. */
function algorithmName(): string {
  const [operation, algorithm] = [frame[At.Operation]! as Operation, frame[At.Algorithm]!];
  if (operation >= Operation.Scrypt) return 'key derivation';
  const isCipher =
    (operation >= Operation.Encrypt && operation <= Operation.Open) ||
    operation === Operation.SealChunks ||
    operation === Operation.OpenChunks;
  if (isCipher) return cipherOf(algorithm).name;
  const isMac =
    operation === Operation.Hmac ||
    operation === Operation.MacUpdate ||
    operation === Operation.MacFinish ||
    operation === Operation.HmacMany;
  return `${isMac ? 'hmac-' : ''}${hashOf(algorithm).name}`;
}

/** Runs what has been described by whoever serves it; its status. */
function invoke(target: Uint8Array | undefined): number {
  const status = request.engine.binding.run(
    request.source,
    target,
    request.iv,
    request.aad,
    request.tag,
    request.key,
  );
  return status < Status.Unavailable ? status : invokeAgain(status, target);
}

/** The engine does not serve it: the next ones are asked, as long as there are some. */
function invokeAgain(refusal: number, target: Uint8Array | undefined): number {
  let status = refusal;
  while (
    (status === Status.Unavailable || status === Status.TooLarge) &&
    switchToNextEngine(request.engine.binding.lastReason())
  ) {
    status = request.engine.binding.run(
      request.source,
      target,
      request.iv,
      request.aad,
      request.tag,
      request.key,
    );
  }
  return status;
}

/**
 * The result goes to the caller's memory, which an asynchronous call borrows together with the
 * source.
 */
export function setTarget(target: Uint8Array, offset: number, size: number): void {
  frame[At.TargetOffset] = offset;
  frame[At.TargetSize] = size;
  request.target = target;
  request.size = size;
  request.form = Form.Size;
  request.flags |= Flag.HasTarget;
}

/** The result is new: a Buffer, or a text made from it. */
export function setResult(size: number, form: Form): void {
  frame[At.TargetOffset] = 0;
  frame[At.TargetSize] = size;
  request.size = size;
  request.form = form;
}

/** A key given as bytes. */
export function setKey(key: Uint8Array, offset: number, size: number): void {
  frame[At.KeyOffset] = offset;
  frame[At.KeySize] = size;
  request.key = key;
  request.flags |= Flag.HasKey;
}

/**
 * Puts a short string into the scratch for keys, which is wiped as soon as the call has used or
 * copied it; its size.
 */
export function encodeKey(key: string): number {
  scratchKey = encodeShort(key, keyScratch);
  return scratchKey;
}

let scratchKey = 0;

/** A secret string as bytes, which are wiped as soon as the call has used or copied them. */
export function ownSecret(text: string): Uint8Array {
  const secret = utf8Apart(text);
  deferWipe(secret);
  return secret;
}

/** Bytes of ours, to be wiped as soon as the call has used or copied them. */
export function deferWipe(secret: Uint8Array): void {
  ownSecrets.push(secret);
}

const ownSecrets: Uint8Array[] = [];

/** An iv or nonce. */
export function setIv(iv: Uint8Array, offset: number, size: number): void {
  frame[At.IvOffset] = offset;
  frame[At.IvSize] = size;
  request.iv = iv;
  request.flags |= Flag.HasIv;
}

/**
 * Keeps the first bytes of the result for the iv. After the description of iv and target, whose
 * size includes it.
 */
export function setPrefix(size: number): void {
  frame[At.TargetOffset]! += size;
  frame[At.TargetSize]! -= size;
  request.prefix = size;
}

/** Additional authenticated data. */
export function setAad(aad: Uint8Array, offset: number, size: number): void {
  if (size === 0) return;
  frame[At.AadOffset] = offset;
  frame[At.AadSize] = size;
  request.aad = aad;
  request.flags |= Flag.HasAad;
}

/** A tag of its own: an output when encrypting, an input when decrypting. */
export function setTag(tag: Uint8Array, offset: number, size: number): void {
  frame[At.TagOffset] = offset;
  frame[At.TagSize] = size;
  request.tag = tag;
  request.flags |= Flag.HasTag;
}

/** How the call is to be run. */
export function setRoute(route: Route): void {
  frame[At.Route] = route;
  request.routed = true;
}

/** Describes a call, runs it now and returns its result. */
export function runSync(
  fill: FillRequest,
  given: ArrayLike<unknown>,
  count: number,
  choice?: EnginePreference,
): unknown {
  try {
    fill(given, count);
    if (choice !== undefined) setEngines(choice);
    if (request.routed) throw routedSync();
  } catch (error) {
    clearRequest();
    throw error;
  }
  return runFilled();
}

/** Runs now what has been described, and returns its result. */
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
  if (target === undefined) return runForResult();
  frame[At.Flags] = request.flags;
  const status = invoke(target);
  if (status !== 0) throw refused(status);
  if (request.prefix > 0) putPrefix(target);
  return request.size;
}

/** Runs now what has been described without a target, and returns its result in its form. */
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
  if (!staged) return encodeResult(result, form);
  if (form === Form.Buffer) return takeStaged(result);
  const text = encodeResult(result, form);
  wipeStage();
  return text;
}

function allocateResult(size: number, form: Form, secret: boolean): Buffer {
  if (form === Form.Secret) return viewOf(new ArrayBuffer(size));
  return secret ? allocateApart(size) : allocate(size);
}

/** Whether the result is secret: it is made with a key and is no ciphertext. */
function givesSecret(): boolean {
  if (frame[At.Key] === 0 && request.key === undefined) return false;
  const operation: Operation = frame[At.Operation]!;
  return operation !== Operation.Encrypt && operation !== Operation.Seal;
}

/** Writes the described iv before the result. After the run: a source may overlap its target. */
function putPrefix(target: Uint8Array): void {
  const end = frame[At.TargetOffset]!;
  const start = frame[At.IvOffset]!;
  copy(target, end - request.prefix, request.iv!, start, start + request.prefix);
}

/** The error for the status of the call that has just returned. */
function refused(status: number): Error {
  return failure(
    status,
    frame[At.MaxMemory],
    status >= Status.Unavailable ? request.engine.binding.lastReason() : '',
  );
}

/** The refusal of a route where there is none. */
export function routedSync(): Error {
  return makeError(
    'ERR_ARGUMENT_VALUE',
    'options.route: a synchronous call takes no route; pass a callback, or use millrace/promises',
  );
}

/**
 * Describes a call and runs it; `callback(error)` or `callback(undefined, result)` follows, never
 * before this returns.
 */
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
 * Describes a call and runs it, by a route if one is given. An abort rejects with the signal's
 * reason: at once if the job has not started, when it comes back if it was stopped on its way.
 */
export function runPromise(
  signal: AbortSignal | undefined,
  fill: FillRequest,
  given: ArrayLike<unknown>,
  count: number,
  route?: Route,
  choice?: EnginePreference,
): Promise<unknown> {
  const completion = signal === undefined ? new PromiseCompletion() : new SignalCompletion();
  if (signal?.aborted) {
    completion.reject(signal.reason);
    return completion.promise;
  }
  try {
    fill(given, count, true);
    if (route !== undefined) setRoute(route);
    if (choice !== undefined) setEngines(choice);
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

/** Sends what has been described to the pool, for a waiter made before the description began. */
export function runAsync(completion: Completion): void {
  try {
    submit(completion);
  } finally {
    clearRequest();
  }
}

/** An AbortSignal, or nothing. */
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

/** Lets go of the caller's memory: the record must not keep a buffer, least of all a key, alive. */
export function clearRequest(): void {
  if (scratchKey > 0) {
    keyScratch.fill(0, 0, scratchKey);
    scratchKey = 0;
  }
  while (ownSecrets.length > 0) ownSecrets.pop()!.fill(0);
  request.source = NO_BYTES;
  request.target = undefined;
  request.iv = undefined;
  request.aad = undefined;
  request.tag = undefined;
  request.key = undefined;
}

/** A digest in the form that was asked for. */
export function encodeResult(digest: Buffer, form: Form): Buffer | string | bigint | boolean {
  switch (form) {
    case Form.Hex:
      return hex(digest);
    case Form.Base64:
      return base64(digest);
    case Form.Base64url:
      return base64url(digest);
    case Form.BigInt:
      return native.toBigIntBE(digest) ?? BigInt(`0x${hex(digest)}`);
    case Form.Verdict:
      return digest[0] === 1;
    default:
      return digest;
  }
}

// Work that is done here, though the call is asynchronous.

/** Takes over what has been described if it is a short message; see company.ts. */
let takeShort: (completion: Completion) => boolean = () => false;

export function onShortMessage(take: (completion: Completion) => boolean): void {
  takeShort = take;
}

/** Runs what has been described wherever that is best. */
function start(user: Completion): void {
  if (takeShort(user)) return;
  const completion = request.prefix > 0 ? new Prefixed(user) : user;
  if (shouldRunInline()) runInline(completion);
  else submit(completion);
}

/**
 * Writes the described iv before the result when the call settles: before that a lent source may
 * lie there.
 */
class Prefixed implements Completion {
  readonly #user: Completion;
  readonly #iv = copyOf(part(request.iv!, frame[At.IvOffset]!, request.prefix));
  readonly #target = request.target;
  readonly #offset = frame[At.TargetOffset]! - request.prefix;

  constructor(user: Completion) {
    this.#user = user;
  }

  get slot(): number {
    return this.#user.slot;
  }

  set slot(slot: number) {
    this.#user.slot = slot;
  }

  succeed(value: unknown): void {
    const target = this.#target ?? (value as Buffer);
    if (!fitsResult(target, this.#offset, this.#iv.length)) {
      this.#user.fail(detachedTarget());
      return;
    }
    copy(target, this.#offset, this.#iv, 0, this.#iv.length);
    this.#user.succeed(value);
  }

  fail(error: unknown): void {
    this.#user.fail(error);
  }

  cancelled(): void {
    this.#user.cancelled();
  }
}

/**
 * What is written to the caller's memory when the call settles, a digest or tag, is native code's
 * to do inline; and what is refused, to refuse.
 */
function shouldRunInline(): boolean {
  const operation: Operation = frame[At.Operation]!;
  const { target } = request;
  // Prices are those of the usual engine; another one decides for itself.
  if (request.engine !== base) return false;
  if (operation > Operation.Open || (operation === Operation.Encrypt && request.tag !== undefined))
    return false;
  if (target !== undefined && (isDigestOperation(operation) || isResizable(target))) return false;
  const route: Route = frame[At.Route]! === Route.Auto ? usual() : frame[At.Route]!;
  if (route !== Route.Auto) return route === Route.Inline;
  const algorithm = frame[At.Algorithm]!;
  const other =
    operation <= Operation.Hmac ? request.size : request.aad === undefined ? 0 : frame[At.AadSize]!;
  const cost = predict(operation, algorithm, frame[At.SourceSize]! + other);
  if (cost > inlineLimit && !(cost <= INLINE_ALONE_NS && inFlight === 0 && isIdle())) return false;
  if (wantsMeasure(operation, algorithm)) {
    frame[At.Route] = Route.Pool;
    return false;
  }
  return takeInlineBudget(cost);
}

/** Runs now what has been described, and tells the waiter at the end of this turn. */
function runInline(completion: Completion): void {
  request.flags &= ~Flag.Cancellable;
  // The waiter writes it.
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

// Jobs in flight. A waiter stands in the slot whose number native code sends back, and beside it
// what belongs to the job: memory it has borrowed is kept from the garbage collector.

const completions: (Completion | undefined)[] = [];
const freeSlots: number[] = [];
let inFlight = 0;
/** Borrowed until the job settles. */
const lentSources: (Uint8Array | readonly Uint8Array[] | undefined)[] = [];
const lentTargets: (Uint8Array | undefined)[] = [];
/** Where a digest or tag is written when the job settles: on this thread, never by a worker. */
const places: (Uint8Array | undefined)[] = [];
const placeOffsets: number[] = [];
const sizes: number[] = [];
const forms: Form[] = [];
/** Whether the result is secret. */
const secrets: boolean[] = [];

/**
 * Hands the described call to native code. With a target in the description, source and target are
 * lent; without one the source is copied now, and the result comes back in the completion buffer, or, above
 * COMPLETION_RESULT_MAX, in a buffer made here that nobody else can reach before the job has settled.
 */
function submit(user: Completion): void {
  const retry = request.engine.here ? undefined : retried(user);
  const completion = retry ?? user;
  const slot = freeSlots.pop() ?? completions.length;
  completions[slot] = completion;
  lentSources[slot] = lentTargets[slot] = places[slot] = undefined;
  sizes[slot] = request.size;
  forms[slot] = request.form;
  secrets[slot] = givesSecret();
  inFlight += 1;
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
    if (!accepted) release(slot);
    if (retry !== undefined) retry.begin(accepted);
  }
  servers[slot] = request.engine.binding;
  completion.slot = slot;
  if (frame[At.Cost]! >= POLLED_COST) return;
  if (request.engine.binding !== native) pollOther(request.engine.binding);
  else if (!polling) beginPolling(frame[At.Cost] === 0);
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

/** In memory that stays where it is, so that it can be wiped. */
function copyOf(view: Uint8Array): Uint8Array {
  const copy = new Uint8Array(new ArrayBuffer(sizeOf(view)));
  if (copy.length > 0) copy.set(view);
  return copy;
}

/** Whether so many bytes may be copied for a call. If not, its work is done during the call. */
export function canCopy(size: number): boolean {
  const room = native.canCopy(size);
  if (room >= 0) return room > 0;
  decideCopies(native);
  return native.canCopy(size) > 0;
}

/** A quarter of the memory there is, 1 GiB at most. Asked for late: the answer takes 0.2 ms. */
const COPIES_MAX = 2 ** 30;

export function decideCopies(binding: Native): void {
  binding.setCopies(Math.min(COPIES_MAX, Math.floor(memorySize() / 4)));
}

/**
 * A job predicted to take fewer nanoseconds is looked for once per turn of the event loop instead
 * of letting the loop sleep: going to sleep and being woken takes longer than the job
 * (completion.rs has the figures).
 */
const POLLED_COST = 5_000;
let polling = false;
/**
 * How many times polling is left out, and how often next time: doubled whenever it was in vain, as
 * on a crowded machine.
 */
let left = 0;
let penalty = 0;
const PENALTY_MAX = 1024;

/** A job that has run already is certain to be found. */
function beginPolling(certain: boolean): void {
  if (left > 0 && !certain) {
    left -= 1;
    return;
  }
  polling = true;
  native.beginPolling();
  nextTurn(poll);
}

function poll(): void {
  const outcome = native.poll();
  if (outcome === Poll.Again) {
    nextTurn(poll);
    return;
  }
  polling = false;
  penalty = outcome === Poll.TimedOut ? Math.min(penalty * 2 + 1, PENALTY_MAX) : 0;
  left = penalty;
}

/** Engines other than the default one that are polled until they have no more results. */
const polledOthers = new Set<Native>();

/**
 * Without this a job that such an engine ran inline would never settle: the engine wakes the loop
 * for its workers' jobs only.
 */
function pollOther(binding: Native): void {
  if (polledOthers.has(binding)) return;
  polledOthers.add(binding);
  binding.beginPolling();
  const look = (): void => {
    if (binding.poll() === Poll.Again) nextTurn(look);
    else polledOthers.delete(binding);
  };
  nextTurn(look);
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

function isDigestOperation(operation: Operation): boolean {
  return (
    operation <= Operation.Hmac ||
    operation === Operation.Finish ||
    operation === Operation.MacFinish
  );
}

function lendTarget(slot: number, target: Uint8Array): void {
  lentTargets[slot] = target;
  request.target = target;
  request.flags |= Flag.HasTarget;
}

function release(slot: number): void {
  completions[slot] = lentSources[slot] = lentTargets[slot] = places[slot] = undefined;
  freeSlots.push(slot);
  inFlight -= 1;
}

/** Called by native code: `records` finished jobs stand in the completion buffer. */
onSettle((records, instead) => {
  let at = 0;
  for (; records > 0; records--) {
    const slot = completionNumbers[at]!;
    const status = completionNumbers[at + 1]!;
    const smallSize = completionNumbers[at + 2]!;
    const largeSize = completionNumbers[at + 3]!;
    const completion = completions[slot]!;
    if (status === 0) {
      const made = instead?.get(slot);
      if (made !== undefined) lentTargets[slot] = viewOf(made.buffer);
      collect(completion, slot, (at + RECORD_NUMBERS) * 4, smallSize, largeSize);
    } else {
      release(slot);
      if (status === Status.Cancelled) completion.cancelled();
      else
        completion.fail(
          failure(
            status,
            0,
            String.fromCharCode(
              ...completionBytes.subarray(
                (at + RECORD_NUMBERS) * 4 + smallSize,
                (at + RECORD_NUMBERS) * 4 + smallSize + largeSize,
              ),
            ),
          ),
        );
    }
    at += RECORD_NUMBERS + Math.ceil((smallSize + largeSize) / 4);
  }
});

/**
 * Puts what came with the record where it belongs. For a digest both parts together are the result;
 * for a cipher the small part is the tag and the large part the text.
 */
function collect(
  completion: Completion,
  slot: number,
  start: number,
  smallSize: number,
  largeSize: number,
): void {
  const end = start + smallSize + largeSize;
  const place = places[slot];
  const placeOffset = placeOffsets[slot]!;
  const size = sizes[slot]!;
  const form = forms[slot]!;
  const secret = secrets[slot]!;
  let result = lentTargets[slot] as Buffer | undefined;
  // Whoever is told may make calls, and take the slot.
  release(slot);
  let text = start;
  if (place !== undefined) {
    const placed = form === Form.Size ? end : start + smallSize;
    if (!fitsResult(place, placeOffset, placed - start)) {
      completion.fail(detachedTarget());
      return;
    }
    copy(place, placeOffset, completionBytes, start, placed);
    if (secret) completionBytes.fill(0, start, placed);
    text = placed;
  }
  if (form === Form.Size) {
    completion.succeed(size);
    return;
  }
  if (result === undefined) {
    result = allocateResult(size, form, secret);
    // A tag that is to be appended comes before its text in the record.
    const appended = text === start && largeSize > 0 ? smallSize : 0;
    copy(result, 0, completionBytes, text + appended, end);
    copy(result, largeSize, completionBytes, start, start + appended);
    if (secret) completionBytes.fill(0, start, end);
  }
  let value: unknown;
  try {
    value = encodeResult(result, form);
  } catch (error) {
    // No string or BigInt can be as long; the other jobs of the batch must still settle.
    completion.fail(error);
    return;
  }
  completion.succeed(value);
}

/** Writes a digest of `size` bytes to the caller's memory, and tells him. */
export function putDigest(
  completion: Completion,
  place: Uint8Array,
  placeOffset: number,
  digests: Buffer,
  start: number,
  size: number,
): void {
  if (!fitsResult(place, placeOffset, size)) {
    completion.fail(detachedTarget());
    return;
  }
  copy(place, placeOffset, digests, start, start + size);
  completion.succeed(size);
}

/**
 * The place may have been detached or shrunk meanwhile; its owner has broken the promise not to.
 */
function fitsResult(place: Uint8Array, offset: number, size: number): boolean {
  return offset + size <= sizeOf(place);
}

function detachedTarget(): Error {
  return makeError(
    'ERR_ARGUMENT_VALUE',
    'the place of the digest, tag or nonce was detached or shrunk before the call completed',
  );
}

/**
 * For a digest a loop takes a third of the time that a view and `set` take (20 ns against 60 for 32
 * bytes).
 */
function copy(
  target: Uint8Array,
  offset: number,
  source: Uint8Array,
  start: number,
  end: number,
): void {
  if (end - start > 64) {
    copyInto(target, part(source, start, end - start), offset);
    return;
  }
  for (; start < end; start++) target[offset++] = source[start]!;
}
