/**
 * Operations as messages to a worker and back: plain records that can be cloned, with transferable
 * buffers.
 */
import { At, Operation, Purpose, Status } from '../base/frame.js';
import { isMessageCipher, isOneMessage, makesTag } from '../base/operations.js';
import { pbkdf2 } from './webcrypto.js';
import { tryWebCrypto, isServed, type Ended } from './webcrypto-backend.js';
import type { Cost } from './cost-model.js';
import { joined } from './messages.js';
import type { Module } from './module.js';
import { transferableCopy, made, NOTHING } from './windows.js';
import { inSteps, perform, runnerOf, statusOf, type Pause } from './execute.js';
import { progressOf, type DeriveCalls } from './families/derivations.js';
import { Family } from './families/family.js';
import type { FamilyCall, Work } from './work.js';

/** A request to a worker: {@link Work} with the sizes of its results. */
export interface WorkerRequest extends Omit<Work, 'target' | 'call'> {
  /** Modules that the worker has not had, by the names of their families. */
  readonly modules: readonly (readonly [string, Module])[];
  readonly targetSize: number;
  /** The size of the tag to make. */
  readonly tagSize: number;
  /** A call of one family, by its name. */
  readonly call: (Omit<FamilyCall, 'family'> & { readonly family: string }) | undefined;
  /** True if the worker reports progress. */
  readonly reportsProgress: boolean;
  /** True if the worker measures the algorithm's cost after the result. */
  readonly measure: boolean;
}

/**
 * A message from a worker: it runs, its progress, its result (with the memory of a large source,
 * for reuse), a measured cost.
 */
export type WorkerResponse =
  | { readonly type: 'ready' }
  | { readonly type: 'progress'; readonly fraction: number }
  | {
      readonly type: 'end';
      readonly status: Status;
      readonly target: Uint8Array;
      readonly tag: Uint8Array;
      readonly spare: ArrayBuffer | undefined;
    }
  | {
      readonly type: 'cost';
      readonly operation: Operation;
      readonly algorithm: number;
      readonly cost: Cost;
    };

/**
 * Returns the work with copies of all inputs that the caller may change after the call.
 */
export function ownSecrets(work: Work): Work {
  const { numbers, secret, iv, aad, tag, operation } = work;
  return {
    ...work,
    numbers: numbers.slice(),
    secret: transferableCopy(secret),
    iv: transferableCopy(iv),
    aad: transferableCopy(aad),
    tag: makesTag(operation) ? tag : transferableCopy(tag),
  };
}

/** Wipes the copies after the work. */
export function wipeSecrets({
  secret,
  iv,
  aad,
  tag,
  operation,
}: Omit<Work, 'target' | 'call'>): void {
  for (const own of [secret, iv, aad]) own.fill(0);
  if (!makesTag(operation)) tag.fill(0);
}

/** Returns messages in separate memory as one copy. */
export function joinMessages(work: Work): Work {
  return work.views === undefined ? work : joined(work, work.views);
}

/** Returns the memory of a request, which is transferred: a clone would leave its bytes. */
export function memoryOf({ secret, iv, aad, tag, source }: WorkerRequest): ArrayBuffer[] {
  return [secret, iv, aad, tag, source]
    .filter(({ length }) => length > 0)
    .map(({ buffer }) => buffer as ArrayBuffer);
}

/** Returns the work without the inputs that were transferred. */
export function withoutInputs(work: Work): Work {
  const tag = makesTag(work.operation) ? work.tag : NOTHING;
  return { ...work, secret: NOTHING, iv: NOTHING, aad: NOTHING, tag, source: NOTHING };
}

/** Returns the request to a worker. All inputs must be copies. */
export function requestOf(
  work: Work,
  modules: WorkerRequest['modules'],
  reportsProgress: boolean,
  measure: boolean,
): WorkerRequest {
  const { target, call, ...inputs } = work;
  if (call !== undefined) families.set(call.family.name, call.family);
  const makes = makesTag(work.operation);
  return {
    ...inputs,
    modules,
    key: undefined,
    views: undefined,
    tag: makes ? NOTHING : work.tag,
    targetSize: target.length,
    tagSize: makes ? work.tag.length : 0,
    call: call && { ...call, family: call.family.name },
    reportsProgress,
    measure,
  };
}

/** The families of calls by name: in a worker those whose modules it was sent. */
const families = /* @__PURE__ */ new Map<string, Family<DeriveCalls>>();

function familyNamed(name: string): Family<DeriveCalls> {
  let family = families.get(name);
  if (family === undefined) families.set(name, (family = new Family(name, '', progressOf)));
  return family;
}

/** The modules that a worker was sent, by name; several families may use one. */
const received = /* @__PURE__ */ new Map<string, Module>();

/** Takes the modules of a request, and gives its families theirs. */
export function receiveModules(request: WorkerRequest): void {
  const { call, modules } = request;
  for (const [name, module] of modules) received.set(name, module);
  const wanted = call
    ? [familyNamed(call.family)]
    : runnerOf(request.operation).families(workOf(request));
  for (const family of wanted) {
    const module = received.get(family.name);
    if (module !== undefined) family.receive(module);
  }
}

/** The result of a request. */
export interface Outcome {
  readonly status: Status;
  readonly target: Uint8Array;
  readonly tag: Uint8Array;
}

/** Runs a request in a worker, which owns its copies. `pause` is called during long work. */
export function runRequest(request: WorkerRequest, pause: Pause): Outcome {
  try {
    const work = workOf(request);
    return outcome(request, work, perform(work, pause));
  } catch (error) {
    return outcome(request, undefined, statusOf(error));
  }
}

/** Runs a request on this thread; yields wherever other events may be handled. */
export function* requestInSteps(
  request: WorkerRequest,
  pause: Pause,
): Generator<undefined, Outcome, undefined> {
  try {
    const work = workOf(request);
    return outcome(request, work, yield* inSteps(work, pause));
  } catch (error) {
    return outcome(request, undefined, statusOf(error));
  }
}

/**
 * Runs a request with WebCrypto; in a worker, because some browsers compute before the call
 * returns. Resolves with undefined if WebCrypto cannot run it.
 */
export async function webcryptoRequest(request: WorkerRequest): Promise<Outcome | undefined> {
  const { operation, purpose } = request;
  if (operation === Operation.Pbkdf2) return pbkdf2Request(request, pbkdf2);
  if (purpose === Purpose.Hash || !isOneMessage(operation)) return undefined;
  const work = workOf(request);
  if (!(await isServed(work))) return undefined;
  return new Promise((resolve) => {
    const ended: Ended = (status, target, madeTag) => {
      wipeSecrets(request);
      resolve({ status, target, tag: madeTag });
    };
    if (!tryWebCrypto(work, ended, true)) resolve(undefined);
  });
}

/** WebCrypto takes 50 us for a call, and then a fifth of the module's time. */
const ITERATIONS_MIN = 1000;
/** Beyond this, seconds, the module derives: nothing ends a call of WebCrypto, not even exit. */
const ITERATIONS_MAX = 10_000_000;

/** Runs a PBKDF2 with the platform's function, if that is faster and may be used. */
export async function pbkdf2Request(
  request: WorkerRequest,
  platform: (...given: Parameters<typeof pbkdf2>) => Promise<Uint8Array> | Uint8Array | undefined,
): Promise<Outcome | undefined> {
  const { algorithm, numbers, secret, iv, targetSize, reportsProgress } = request;
  const iterations = numbers[At.Count]!;
  if (
    request.operation !== Operation.Pbkdf2 ||
    reportsProgress ||
    iterations < ITERATIONS_MIN ||
    iterations > ITERATIONS_MAX
  )
    return undefined;
  try {
    const target = await platform(algorithm, secret, iv, iterations, targetSize);
    if (target === undefined) return undefined;
    wipeSecrets(request);
    return { status: Status.Done, target, tag: NOTHING };
  } catch {
    // Some browsers refuse an empty password.
    return undefined;
  }
}

function workOf(request: WorkerRequest): Work {
  const { operation, source, targetSize, tagSize, call } = request;
  // A cipher works in place.
  const inPlace = isMessageCipher(operation) && source.length === targetSize;
  return {
    ...request,
    tag: makesTag(operation) ? made(tagSize) : request.tag,
    target: inPlace ? source : made(targetSize),
    call: call && { ...call, family: familyNamed(call.family) },
  };
}

function outcome(request: WorkerRequest, work: Work | undefined, status: Status): Outcome {
  wipeSecrets(request);
  if (status !== Status.Done || work === undefined)
    return { status, target: NOTHING, tag: NOTHING };
  return { status, target: work.target, tag: makesTag(request.operation) ? work.tag : NOTHING };
}
