/**
 * Many messages in one call: hashMany and hmacMany. The digests are consecutive in one Buffer, or
 * an array.
 *
 * A synchronous call copies short messages into one native call, 15 ns a message, where reading an
 * array element through Node-API takes 35 ns; it reads longer messages in place. An asynchronous
 * call divides the work into jobs, at most one for each thread.
 */
import {
  bytes,
  data,
  isResizable,
  isUint8Array,
  options,
  range,
  sizeOf,
  unsigned,
  type Bytes,
  type Data,
} from '../request/arguments.js';
import { native, servers } from '../engines/binding.js';
import { At, Flag, frame, Operation, Route } from '../request/frame.js';
import {
  request,
  beginRequest,
  setEngines,
  setIv,
  setKey,
  setTarget,
  Form,
} from '../request/request.js';
import { encodeResult } from '../request/result.js';
import { canCopy } from '../scheduling/copies.js';
import { routedSync, runFilled, runAsync } from '../scheduling/run.js';
import { hashFacts } from '../catalog/catalog.js';
import type { HashFacts } from '../catalog/facts.js';
import { readEnginePreference, withKeyEngines, type EnginePreference } from '../engines/engines.js';
import { makeError, wrongType } from '../request/errors.js';
import {
  checkKeyed,
  digestForm,
  hashKey,
  outputSize,
  splitSeed,
  type Digest,
  type Encoding,
  type HashOptions,
  type TargetOptions,
  hashNames,
  targetNames,
} from './hash.js';
import { hmacFacts, hmacNames, type HmacFields } from './hmac.js';
import { copyInto, isBytesView, isRevoked } from '../request/intrinsics.js';
import { macName } from './key.js';
import { readTextKey, type KeyMaterial } from '../request/key-input.js';
import {
  allocate,
  allocateApart,
  hex,
  nextTick,
  SIZE_MAX,
  STRING_MAX,
  utf8,
  utf8Apart,
  viewOf,
  writeText,
  type Buffer,
} from '#platform/runtime.js';
import type { Accepted } from '../request/options.js';
import { defaultRoute } from '../scheduling/cost-model.js';
import { routeOf, type RouteOptions, takes, type Takes } from '../scheduling/routes.js';
import { SecretCopy } from '../request/secret-copy.js';
import { checkTextSize } from '../request/text-size.js';
import { deferResult } from '../scheduling/deferred-results.js';
import {
  CallbackCompletion,
  PromiseCompletion,
  SignalCompletion,
  Completion,
  type Callback,
} from '../scheduling/completions.js';
import { CancelResult, Threads } from '../request/protocol.js';

/** Consecutive messages of one size. */
export interface PackedSources {
  /** The messages; a whole number of them. */
  readonly data: Bytes;
  /** The size of each message in bytes. */
  readonly size: number;
}

/** The messages: the elements of an array, or consecutive messages of one size. */
export type Sources = readonly Data[] | PackedSources;

/** Options of hashMany and hmacMany, for an encoding and a target. */
export type ManyOptions<
  Options,
  E extends Encoding | undefined,
  T extends Bytes | undefined,
> = Omit<Options, 'encoding'> & { readonly encoding?: E } & Partial<TargetOptions<T>>;

/** The result: bytes written with a target, an array with an encoding, otherwise one Buffer. */
export type ManyOutput<
  E extends Encoding | undefined,
  T extends Bytes | undefined = undefined,
> = T extends Bytes ? number : E extends Encoding ? Digest<E>[] : Buffer;

/** Parses the arguments of hashMany or hmacMany. */
export interface ManyParser {
  readonly parse: (given: ArrayLike<unknown>, count: number, promised?: boolean) => Batch;
  /** The numbers of arguments it accepts, without the callback. */
  readonly counts: readonly number[];
}

/** `(algorithm, sources[, encoding | options])`. */
export const hashManyParser: ManyParser = { parse: parseHashMany, counts: [2, 3] };

/** `(algorithm, key, sources[, encoding | options])`. */
export const hmacManyParser: ManyParser = { parse: parseHmacMany, counts: [3, 4] };

/** The parsed call. */
interface Batch {
  readonly operation: Operation;
  readonly facts: HashFacts;
  readonly key: Uint8Array | undefined;
  /** True if the key is a copy made here. */
  readonly wipe: boolean;
  /** The requested engines, or those that hold the key. */
  readonly preference: EnginePreference | undefined;
  readonly seedLow: number;
  readonly seedHigh: number;
  /** The size of a digest in bytes. */
  readonly size: number;
  /** The form of the array's elements; undefined for one Buffer. */
  readonly form: Form | undefined;
  readonly target: Uint8Array | undefined;
  readonly targetOffset: number;
  /** The requested route. */
  readonly route: Route | undefined;
  readonly messages: Messages;
}

interface Messages {
  readonly count: number;
  /** A private copy of the array. */
  readonly list: (Uint8Array | string)[] | undefined;
  /** Or consecutive messages of this size. */
  readonly packed: Uint8Array;
  readonly size: number;
}

/** Hashes synchronously. */
export function runManySync(
  { parse }: ManyParser,
  given: ArrayLike<unknown>,
  count: number,
): unknown {
  const batch = parse(given, count);
  if (batch.route === undefined) return hashHere(batch);
  wipeKey(batch);
  throw routedSync();
}

function hashHere(batch: Batch): unknown {
  const { messages, target, size } = batch;
  const total = messages.count * size;
  // The target may contain messages, so it is written last.
  const result =
    target === undefined || total > STAGE_SIZE ? resultOf(batch, total) : staged(total);
  try {
    if (messages.list !== undefined) {
      hashList(batch, messages.list, result);
    } else if (messages.count > 0) {
      setPacked(batch, messages.packed, 0, messages.count, messages.size);
      run(batch, result, 0, messages.count);
    }
  } finally {
    wipeKey(batch);
  }
  return finish(batch, result);
}

/** MACs are secret, digests are not. */
function resultOf(batch: Batch, size: number): Buffer {
  return isKeyed(batch) ? allocateApart(size) : allocate(size);
}

function isKeyed({ key, preference }: Batch): boolean {
  return key !== undefined || preference?.handles !== undefined;
}

/**
 * Reused memory for digests before they are copied to a target: the page faults of new memory can
 * cost 12 ns a digest.
 */
function staged(size: number): Buffer {
  stage ??= viewOf(new ArrayBuffer(STAGE_SIZE));
  return stage.subarray(0, size);
}

const STAGE_SIZE = 512 * 1024;
let stage: Buffer | undefined;

/** Hashes on the pool. The callback receives what {@link runManySync} returns. */
export function runManyCallback(
  callback: Callback<unknown>,
  { parse }: ManyParser,
  given: ArrayLike<unknown>,
  count: number,
): void {
  const completion = new CallbackCompletion(callback);
  start(parse(given, count), completion, false);
}

/** Hashes on the pool. An abort rejects with the signal's reason unless all jobs are done. */
export function runManyPromise(
  signal: AbortSignal | undefined,
  { parse }: ManyParser,
  given: ArrayLike<unknown>,
  count: number,
  route: Route | undefined,
  preference: EnginePreference | undefined,
): Promise<unknown> {
  const completion = signal === undefined ? new PromiseCompletion() : new ManyPromise();
  if (signal?.aborted) {
    completion.reject(signal.reason);
    return completion.promise;
  }
  let parts: Parts | undefined;
  try {
    let batch = parse(given, count, true);
    if (route !== undefined) batch = { ...batch, route };
    if (preference !== undefined)
      batch = { ...batch, preference: enginesAmong(batch.preference, preference) };
    parts = start(batch, completion, signal !== undefined);
  } catch (error) {
    completion.reject(error);
    return completion.promise;
  }
  if (parts !== undefined && completion instanceof ManyPromise && !parts.settled) {
    completion.parts = parts;
    completion.attachSignal(signal!);
  }
  return completion.promise;
}

// Arguments. Getters of options and sources run before memory is read.

type HashFields = HashOptions & Partial<TargetOptions>;
const hashTable: Takes<keyof HashFields> = takes('hashMany(algorithm, sources)', {
  ...hashNames,
  ...targetNames,
});
const hmacTable: Takes<keyof HmacFields> = takes('hmacMany(algorithm, key, sources)', hmacNames);

function parseHashMany(given: ArrayLike<unknown>, count: number, promised?: boolean): Batch {
  if (count < 2 || count > 3)
    throw makeError(
      'ERR_MISSING_ARGUMENT',
      'hashMany takes (algorithm, sources[, options][, callback]), ' + `not ${count} arguments`,
    );
  const facts = hashFacts(given[0]);
  const wanted = readOptions(
    count > 2 ? given[2] : undefined,
    facts,
    promised ? hashTable.promised : hashTable.plain,
  );
  const messages = readSources(given[1]);
  const parts = checked(messages, wanted);
  return {
    operation: Operation.HashMany,
    facts,
    ...wanted,
    ...parts,
    ...keyed(hashKey(wanted.key, facts), wanted),
  };
}

function parseHmacMany(given: ArrayLike<unknown>, count: number, promised?: boolean): Batch {
  if (count < 3 || count > 4)
    throw makeError(
      'ERR_MISSING_ARGUMENT',
      'hmacMany takes (algorithm, key, sources[, options][, callback]), ' +
        `not ${count} arguments`,
    );
  const facts = hmacFacts(given[0]);
  const wanted = readOptions(
    count > 3 ? given[3] : undefined,
    facts,
    promised ? hmacTable.promised : hmacTable.plain,
  );
  const messages = readSources(given[2]);
  const parts = checked(messages, wanted);
  return {
    operation: Operation.HmacMany,
    facts,
    ...wanted,
    ...parts,
    ...keyed(readTextKey(given[1], macName(facts), 'key'), wanted),
  };
}

/** The parsed options; the key is not parsed yet. */
type Wanted = Omit<Batch, 'operation' | 'facts' | 'messages' | 'key' | 'wipe'> & {
  readonly key: unknown;
};

/** Parses the key, after all other arguments. */
function keyed(
  key: KeyMaterial | undefined,
  { preference }: Wanted,
): Pick<Batch, 'key' | 'wipe' | 'preference'> {
  if (key === undefined) return { key, wipe: false, preference };
  if (isUint8Array(key)) return { key, wipe: false, preference };
  if (typeof key === 'string') return { key: utf8Apart(key), wipe: true, preference };
  if (SecretCopy.is(key)) return { key: key.bytes, wipe: true, preference };
  return { key: undefined, wipe: false, preference: enginesAmong(key, preference) };
}

function readOptions(value: unknown, facts: HashFacts, accepted: Accepted<any>): Wanted {
  const given: Partial<HashOptions & TargetOptions & RouteOptions> =
    typeof value === 'string'
      ? { encoding: value as Encoding }
      : options(value, 'options', accepted);
  const { encoding, outputLength, seed, key, target, targetOffset, route, engine } = given;
  const asked = engine === undefined ? undefined : readEnginePreference(engine, 'options.engine');
  const form = encoding === undefined ? undefined : digestForm(encoding);
  const size = outputSize(outputLength, facts);
  if (form !== undefined) checkTextSize(size, form);
  const [seedLow, seedHigh] = splitSeed(seed, facts);
  if (key !== undefined) checkKeyed(facts);
  if (target === undefined && targetOffset !== undefined)
    throw makeError('ERR_MISSING_ARGUMENT', 'options.targetOffset needs options.target');
  if (target !== undefined && encoding !== undefined)
    throw makeError('ERR_ARGUMENT_VALUE', 'options.encoding and options.target exclude each other');
  return {
    key,
    preference: asked,
    seedLow,
    seedHigh,
    size,
    form,
    target: target === undefined ? undefined : bytes(target, 'options.target'),
    targetOffset: targetOffset === undefined ? 0 : unsigned(targetOffset, 'options.targetOffset'),
    route: route === undefined ? undefined : routeOf(route, 'options.route'),
  };
}

/** Restricts the engines to the requested ones that hold the prepared key. */
function enginesAmong(
  prepared: EnginePreference | undefined,
  asked: EnginePreference | undefined,
): EnginePreference | undefined {
  return prepared?.handles !== undefined && asked !== undefined
    ? withKeyEngines(prepared, asked)
    : (asked ?? prepared);
}

function readSources(value: unknown): Messages {
  if (isRevoked(value) || isBytesView(value))
    throw wrongType('sources', 'an array, or an object with data and size', value);
  if (Array.isArray(value)) {
    // Reads each element once, because an array may have getters. Sizes are read afterwards.
    const length = unsigned(value.length, 'sources.length');
    if (length >= 2 ** 32)
      throw makeError('ERR_ARGUMENT_VALUE', `sources.length must be below 2^32, not ${length}`);
    const list = new Array<Uint8Array | string>(length);
    for (let index = 0; index < list.length; index++) {
      const each: unknown = value[index];
      list[index] =
        isUint8Array(each) || typeof each === 'string' ? each : data(each, `sources[${index}]`);
    }
    return { count: list.length, list, packed: none, size: 0 };
  }
  if (typeof value !== 'object' || value === null || !('data' in value) || !('size' in value)) {
    throw wrongType('sources', 'an array, or an object with data and size', value);
  }
  const { data: all, size: given } = value;
  const packed = bytes(all, 'sources.data');
  const size = unsigned(given, 'sources.size');
  const total = sizeOf(packed);
  if (size === 0) throw makeError('ERR_ARGUMENT_VALUE', 'sources.size must be at least 1');
  if (total % size !== 0)
    throw makeError(
      'ERR_ARGUMENT_VALUE',
      `sources.data must be a whole number of messages of ${size} bytes, and has ${total} bytes`,
    );
  return { count: total / size, list: undefined, packed, size };
}

const none = new Uint8Array(0);

function checked(
  messages: Messages,
  { size, target, targetOffset }: Wanted,
): { messages: Messages } {
  const total = messages.count * size;
  if (total > SIZE_MAX)
    throw makeError(
      'ERR_OUTPUT_SIZE',
      `${messages.count} digests of ${size} bytes do not fit into one Buffer`,
    );
  if (target !== undefined) range(targetOffset, total, sizeOf(target), 'target');
  return { messages };
}

// Synchronous calls.

/** Messages up to this size in bytes are copied; for longer ones the copy does not pay. */
const COPIED_MAX = 1024;

/** Memory for short messages, reused so that it stays in the cache. */
const chunk = viewOf(new ArrayBuffer(64 * 1024));
const chunkSizes = new Float64Array(1024);
const chunkSizeBytes = new Uint8Array(chunkSizes.buffer);

function hashList(batch: Batch, list: (Uint8Array | string)[], result: Uint8Array): void {
  const count = list.length;
  let index = 0;
  while (index < count) {
    const first = index;
    let used = 0;
    let alike = true;
    for (
      ;
      index < count && index - first < chunkSizes.length && used + COPIED_MAX <= chunk.length;
      index++
    ) {
      const each = list[index]!;
      let copied: number;
      if (typeof each === 'string') {
        if (!isShort(each)) break;
        copied = writeText(chunk, each, used);
      } else {
        copied = sizeOf(each);
        if (copied > COPIED_MAX) break;
        if (copied > 0) chunk.set(each, used);
      }
      chunkSizes[index - first] = copied;
      alike &&= copied === chunkSizes[0];
      used += copied;
    }
    if (index > first) {
      if (alike) setPacked(batch, chunk, 0, index - first, chunkSizes[0]!);
      else setSized(batch, chunk, 0, used, chunkSizeBytes, 0, index - first);
      run(batch, result, first, index - first);
      continue;
    }
    for (; index < count; index++) {
      const each = list[index]!;
      if (typeof each === 'string' ? isShort(each) : sizeOf(each) <= COPIED_MAX) break;
      if (typeof each === 'string') list[index] = utf8(each);
    }
    setViews(batch, list as Uint8Array[], first, index - first);
    run(batch, result, first, index - first);
  }
}

/**
 * Returns true if a string is short enough to be copied: each UTF-16 unit may become three bytes.
 */
function isShort(text: string): boolean {
  return text.length * 3 <= COPIED_MAX;
}

/** Runs the filled request; the digests go to the result from index `first`. */
function run(batch: Batch, result: Uint8Array, first: number, count: number): void {
  fillBeginning(batch);
  setTarget(result, first * batch.size, count * batch.size);
  runFilled();
}

// Asynchronous calls.

/** The predicted nanoseconds that are worth a job. */
const JOB = 100_000;

/** The fixed cost of a message in bytes, roughly its padding. */
const PADDING = 64;

/**
 * Hashes by the requested route. Returns undefined if it ran inline; the completion then settles at
 * the end of the event-loop iteration.
 */
function start(batch: Batch, user: Completion, cancellable: boolean): Parts | undefined {
  const route = batch.route ?? defaultRoute();
  const here =
    route === Route.Inline ||
    (route === Route.Auto && batch.target === undefined && !canCopy(sourceSize(batch.messages)));
  if (here) {
    deferResult(user, hashHere(batch));
    return undefined;
  }
  try {
    return send(batch, route, user, cancellable);
  } finally {
    wipeKey(batch); // Native code has copied the key.
  }
}

/** An estimate for strings. */
function sourceSize({ list, packed }: Messages): number {
  if (list === undefined) return sizeOf(packed);
  let size = 0;
  for (const each of list) size += typeof each === 'string' ? each.length : sizeOf(each);
  return size;
}

/**
 * Divides the work into jobs and submits them. Without a target the messages are copied; with a
 * target they are lent.
 */
function send(batch: Batch, route: Route, user: Completion, cancellable: boolean): Parts {
  const { messages, size, facts } = batch;
  const { count } = messages;
  const result = allocateApart(count * size);
  const parts = new Parts(batch, user, result);
  if (count === 0) {
    nextTick(settleNothing, parts);
    return parts;
  }
  const { fill, sizes, total, copied } = own(batch);
  const worthwhile =
    route === Route.Pool
      ? 1
      : route === Route.Split
        ? count
        : Math.floor(native.predict(facts.id, total, count) / JOB);
  const jobs = Math.max(1, Math.min(native.threads(Threads.Limit), worthwhile, count));
  const share = (total + count * PADDING) / jobs;
  for (let job = 1, first = 0, end = 0, weight = 0; job <= jobs; job++, first = end) {
    for (; end < count && (job === jobs || weight < share * job); end++) {
      weight += (sizes === undefined ? messages.size : sizes[end]!) + PADDING;
    }
    if (end === first) continue;
    const part = new Part(parts);
    try {
      fill(first, end);
      fillBeginning(batch);
      setTarget(result, first * size, (end - first) * size);
      if (cancellable) request.flags |= Flag.Cancellable;
      if (copied) request.flags |= Flag.Copied;
      // The route of each job.
      if (route !== Route.Auto) frame[At.Route] = Route.Pool;
      runAsync(part);
    } catch (error) {
      // The submitted jobs must settle before the call does.
      if (!parts.cut(error)) throw error;
      return parts;
    }
    parts.add(part);
  }
  return parts;
}

function settleNothing(parts: Parts): void {
  parts.settle();
}

interface Owned {
  /** Fills a request with the messages from `first` up to `end`. */
  readonly fill: (first: number, end: number) => void;
  /** The sizes in bytes, if they differ. */
  readonly sizes: Float64Array | undefined;
  readonly total: number;
  /** True if the messages are copies. */
  readonly copied: boolean;
}

/**
 * The messages in memory that does not change until the jobs are done: lent by the caller, or
 * copies.
 */
function own(batch: Batch): Owned {
  const { messages, target } = batch;
  const lent = target !== undefined;
  const { list } = messages;
  if (list === undefined) {
    const packed =
      lent && !isResizable(messages.packed) ? messages.packed : copyOf(messages.packed);
    return {
      fill: (first, end) => setPacked(batch, packed, first, end - first, messages.size),
      sizes: undefined,
      total: sizeOf(packed),
      copied: packed !== messages.packed,
    };
  }
  const sizes = new Float64Array(list.length);
  let total = 0;
  for (let index = 0; index < list.length; index++) {
    const each = list[index]!;
    if (typeof each === 'string') list[index] = utf8(each);
    total += sizes[index] = sizeOf(list[index] as Uint8Array);
  }
  const views = list as Uint8Array[];
  // Short lent messages are copied too, which is faster than passing each view.
  if (lent && total > list.length * COPIED_MAX) {
    // The memory of a resizable buffer can shrink.
    for (let index = 0; index < views.length; index++)
      if (isResizable(views[index]!)) views[index] = copyOf(views[index]!);
    return {
      fill: (first, end) => setViews(batch, views, first, end - first),
      sizes,
      total,
      copied: false,
    };
  }
  const all = allocateApart(total);
  const offsets = new Float64Array(list.length + 1);
  for (let index = 0, offset = 0; index < views.length; index++) {
    if (sizes[index]! > 0) all.set(views[index]!, offset);
    offset += sizes[index]!;
    offsets[index + 1] = offset;
  }
  const sizeBytes = new Uint8Array(sizes.buffer);
  return {
    fill: (first, end) =>
      setSized(
        batch,
        all,
        offsets[first]!,
        offsets[end]! - offsets[first]!,
        sizeBytes,
        first,
        end - first,
      ),
    sizes,
    total,
    copied: true,
  };
}

function copyOf(view: Uint8Array): Buffer {
  const copy = allocateApart(sizeOf(view));
  if (copy.length > 0) copy.set(view);
  return copy;
}

/** The jobs of one call. */
class Parts {
  settled = false;
  /** The reason of the abort, if there was one. */
  reason: unknown;
  #parts: Part[] = [];
  #left = 0;
  #failure: { error: unknown } | undefined;

  constructor(
    readonly batch: Batch,
    readonly user: Completion,
    readonly result: Buffer,
  ) {}

  add(part: Part): void {
    this.#parts.push(part);
    this.#left += 1;
  }

  /**
   * Handles a job that could not be submitted. Returns true if others are in flight; the call
   * settles after them.
   */
  cut(error: unknown): boolean {
    this.#failure = { error };
    return this.#left > 0;
  }

  done(error: unknown): void {
    if (error !== undefined) this.#failure ??= { error };
    this.#left -= 1;
    if (this.#left === 0) this.settle();
  }

  /**
   * The signal has aborted: those that have not started never will, and those that run stop soon.
   */
  abort(reason: unknown): void {
    this.reason = reason;
    for (const part of this.#parts) {
      if (part.done || servers[part.slot]!.cancel(part.slot) !== CancelResult.BeforeStart) continue;
      part.done = true;
      this.#failure = { error: reason };
      this.#left -= 1;
    }
    // Running jobs may read lent memory, which is the caller's again once the promise settles.
    if (this.#left === 0 && this.#failure !== undefined) this.settle();
  }

  settle(): void {
    if (this.settled) return;
    this.settled = true;
    let value: unknown;
    let failure = this.#failure;
    if (failure === undefined) {
      try {
        value = finish(this.batch, this.result);
      } catch (error) {
        failure = { error };
      }
    }
    if (failure === undefined) this.user.succeed(value);
    else this.user.fail(failure.error);
  }
}

class Part extends Completion {
  done = false;

  constructor(readonly parts: Parts) {
    super();
  }

  succeed(): void {
    this.#end(undefined);
  }

  fail(error: unknown): void {
    this.#end(error);
  }

  override cancelled(): void {
    this.#end(this.parts.reason);
  }

  #end(error: unknown): void {
    if (this.done) return;
    this.done = true;
    this.parts.done(error);
  }
}

class ManyPromise extends SignalCompletion {
  parts: Parts | undefined;

  override abort(reason: unknown): void {
    this.parts!.abort(reason);
  }
}

// Both.

/** Consecutive messages with their sizes. */
function setSized(
  { operation, facts }: Batch,
  all: Uint8Array,
  offset: number,
  total: number,
  sizes: Uint8Array,
  first: number,
  count: number,
): void {
  beginRequest(operation, facts.id, all, offset, total);
  setIv(sizes, first * 8, count * 8);
  request.flags |= Flag.HasSizes;
}

/** Consecutive messages of one size. */
function setPacked(
  { operation, facts }: Batch,
  packed: Uint8Array,
  first: number,
  count: number,
  size: number,
): void {
  beginRequest(operation, facts.id, packed, first * size, count * size);
  frame[At.Count] = count;
  frame[At.MessageSize] = size;
}

/** Messages in separate views. */
function setViews(
  { operation, facts }: Batch,
  views: readonly Uint8Array[],
  first: number,
  count: number,
): void {
  beginRequest(operation, facts.id, views, first, 0);
  frame[At.Count] = count;
  request.flags |= Flag.HasViews;
}

function fillBeginning({ key, preference, seedLow, seedHigh }: Batch): void {
  if (key !== undefined) setKey(key, 0, sizeOf(key));
  if (preference !== undefined) setEngines(preference);
  frame[At.SeedLow] = seedLow;
  frame[At.SeedHigh] = seedHigh;
}

function wipeKey({ key, wipe }: Batch): void {
  if (wipe) key!.fill(0);
}

/** The most digests whose hex is encoded as one string. */
const TEXT_DIGESTS = 32;

/** The result of the call. */
function finish(batch: Batch, result: Buffer): unknown {
  const { messages, size, form, target, targetOffset } = batch;
  if (target !== undefined) {
    // The target may have been detached or shrunk meanwhile.
    range(targetOffset, result.length, sizeOf(target), 'target');
    if (result.length > 0) copyInto(target, result, targetOffset);
    if (isKeyed(batch)) result.fill(0);
    return result.length;
  }
  if (form === undefined) return result;
  const digests = new Array<unknown>(messages.count);
  const apart = isKeyed(batch);
  if (form === Form.Hex) {
    // Encodes several digests as one string and slices it: 99 ns a message instead of 141. A slice
    // keeps the whole string alive, so the string is short.
    const text = 2 * size;
    const together = Math.max(1, Math.min(TEXT_DIGESTS, Math.floor(STRING_MAX / text)));
    for (let first = 0; first < messages.count; first += together) {
      const end = Math.min(first + together, messages.count);
      const whole = hex(result, first * size, end * size);
      for (let index = first, at = 0; index < end; index++, at += text)
        digests[index] = whole.slice(at, at + text);
    }
    if (apart) result.fill(0);
    return digests;
  }
  for (let index = 0; index < messages.count; index++) {
    const start = index * size;
    const digest = result.subarray(start, start + size);
    digests[index] = form === Form.Buffer && apart ? copyOf(digest) : encodeResult(digest, form);
  }
  if (apart) result.fill(0);
  return digests;
}
