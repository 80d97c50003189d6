/**
 * Operations as messages to a worker and back: plain records that can be cloned, with transferable
 * buffers.
 */
import { Operation, Purpose, Status } from '../request/frame.js';
import { tryWebCrypto, isServed, type Ended } from './webcrypto-backend.js';
import { deriveFast, type Derivation, type Progress } from './kdf/index.js';
import { prepareKey, wipeKey } from './keys.js';
import type { Cost } from './cost-model.js';
import { copyOf, made, NOTHING } from './windows.js';
import { inputOf, perform, statusOf } from './execute.js';
import { SIZED, type Work } from './work.js';

/** A request to a worker: {@link Work} with the sizes of its results. */
export interface WorkerRequest {
  readonly operation: Operation;
  readonly algorithm: number;
  /** The purpose of a prepared key. */
  readonly purpose: Purpose | undefined;
  readonly secret: Uint8Array;
  readonly seedLow: number;
  readonly seedHigh: number;
  readonly iv: Uint8Array;
  readonly aad: Uint8Array;
  readonly tag: Uint8Array;
  readonly source: Uint8Array;
  readonly targetSize: number;
  /** The size of the tag to make. */
  readonly tagSize: number;
  readonly count: number;
  readonly size: number;
  readonly derivation: Derivation | undefined;
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
      readonly spare?: ArrayBuffer;
    }
  | {
      readonly type: 'cost';
      readonly operation: Operation;
      readonly algorithm: number;
      readonly cost: Cost;
    };

/** Returns true if the operation makes its tag instead of reading it. */
export function makesTag(operation: Operation): boolean {
  return operation === Operation.Encrypt || operation === Operation.Seal;
}

/** Returns the work with copies of all inputs that the caller may change after the call. */
export function ownSecrets(work: Work): Work {
  const { key, secret, iv, aad, tag, operation } = work;
  return {
    ...work,
    secret: copyOf(key?.bytes ?? secret),
    iv: copyOf(iv),
    aad: copyOf(aad),
    tag: makesTag(operation) ? tag : copyOf(tag),
  };
}

/** Wipes the copies after the work. */
export function wipeSecrets({ secret, iv, aad, tag, operation }: Work): void {
  for (const own of [secret, iv, aad]) own.fill(0);
  if (!makesTag(operation)) tag.fill(0);
}

/** Returns the request to a worker. The source must be a copy. */
export function requestOf(work: Work, reportsProgress: boolean, measure: boolean): WorkerRequest {
  const {
    operation,
    algorithm,
    key,
    secret,
    seedLow,
    seedHigh,
    iv,
    aad,
    tag,
    source,
    target,
    count,
    size,
    derivation,
  } = work;
  const makes = makesTag(operation);
  return {
    operation,
    algorithm,
    purpose: key?.purpose,
    secret,
    seedLow,
    seedHigh,
    iv,
    aad,
    tag: makes ? NOTHING : tag,
    source,
    targetSize: target.length,
    tagSize: makes ? tag.length : 0,
    count,
    size,
    derivation,
    reportsProgress,
    measure,
  };
}

/** Joins messages in separate memory into one copy, with their sizes. */
export function joinMessages(work: Work): Work {
  const { views } = work;
  if (views === undefined) return work;
  const sizes = new Float64Array(views.map(({ length }) => length));
  const source = made(sizes.reduce((sum, size) => sum + size, 0));
  let at = 0;
  for (const view of views) {
    source.set(view, at);
    at += view.length;
  }
  return { ...work, views: undefined, source, iv: new Uint8Array(sizes.buffer), size: SIZED };
}

/** The result of a request. */
export interface Outcome {
  readonly status: Status;
  readonly target: Uint8Array;
  readonly tag: Uint8Array;
}

/** Runs a request in a worker, which owns its copies. */
export function runRequest(request: WorkerRequest, progress: Progress | undefined): Outcome {
  return outcome(request, () => {
    const work = workOf(request);
    return { work, status: perform(work, progress) };
  });
}

/**
 * Runs a request with WebCrypto; in a worker, because some browsers compute before the call
 * returns. Resolves with undefined if WebCrypto cannot run it.
 */
export async function webcryptoRequest(request: WorkerRequest): Promise<Outcome | undefined> {
  const { operation, purpose, secret, source, targetSize, tagSize } = request;
  if (purpose === Purpose.Hash || operation > Operation.Open) return undefined;
  // WebCrypto takes the key's bytes and allocates its result: only the sizes of target and tag
  // matter.
  const tag = makesTag(operation) ? made(tagSize) : request.tag;
  const work: Work = {
    ...request,
    key: undefined,
    secret,
    tag,
    target: source.length === targetSize ? source : made(targetSize),
    views: undefined,
  };
  if (!(await isServed(work))) return undefined;
  return new Promise((resolve) => {
    const ended: Ended = (status, target, madeTag) => {
      for (const own of [secret, request.iv, request.aad]) own.fill(0);
      resolve({ status, target, tag: madeTag });
    };
    if (!tryWebCrypto(work, ended, true)) resolve(undefined);
  });
}

/** Derives with WebAssembly where available. With progress it uses JavaScript, which reports it. */
export async function deriveRequest(
  request: WorkerRequest,
  derivation: Derivation,
  progress: Progress | undefined,
): Promise<Outcome> {
  if (progress !== undefined) return runRequest(request, progress);
  let status = Status.Done;
  let work: Work | undefined;
  try {
    work = workOf(request);
    await deriveFast(derivation, inputOf(work), work.target);
  } catch (error) {
    status = statusOf(error);
  }
  return outcome(request, () => ({ work, status }));
}

function workOf(request: WorkerRequest): Work {
  const { operation, purpose, algorithm, secret, source, targetSize, tagSize } = request;
  // A cipher works in place.
  const inPlace =
    operation >= Operation.Encrypt && operation <= Operation.Open && source.length === targetSize;
  return {
    ...request,
    key: purpose === undefined ? undefined : prepareKey(purpose, algorithm, secret),
    secret: purpose === undefined ? secret : NOTHING,
    tag: makesTag(operation) ? made(tagSize) : request.tag,
    target: inPlace ? source : made(targetSize),
    views: undefined,
  };
}

function outcome(
  request: WorkerRequest,
  run: () => { readonly work: Work | undefined; readonly status: Status },
): Outcome {
  let status: Status;
  let work: Work | undefined;
  try {
    ({ work, status } = run());
  } catch (error) {
    status = statusOf(error);
  }
  if (work?.key !== undefined) wipeKey(work.key);
  for (const own of [request.secret, request.iv, request.aad, request.tag]) own.fill(0);
  if (status !== Status.Done || work === undefined)
    return { status, target: NOTHING, tag: NOTHING };
  return { status, target: work.target, tag: makesTag(request.operation) ? work.tag : NOTHING };
}
