/**
 * Coalesces short hashes. Messages of one event-loop iteration are copied side by side and hashed
 * in one native call when the iteration ends, several at once in SIMD lanes: SHA-256 of 256 bytes
 * takes 95 ns a message with AVX-512, alone 180 ns. Lent messages are copied too. Batches that are
 * too much for one thread go to the pool.
 */
import { isUint8Array, part, sizeOf } from '../base/arguments.js';
import { emptySlots } from '../base/intrinsics.js';
import { At, Flag, frame, Operation, Route } from '../base/frame.js';
import {
  request,
  beginRequest,
  setEngines,
  setIv,
  setTarget,
  Form,
  clearRequest,
} from '../request/request.js';
import { onShortMessage, runFilled, runAsync } from './run.js';
import { encodeResult, putDigest } from '../request/result.js';
import { allocateApart, hex, viewOf, writeText, type Buffer } from '#platform/base/runtime.js';
import { findHash, hashOf } from '../catalog/catalog.js';
import type { HashFacts } from '../catalog/facts.js';
import { automatic, base, defaultEngine } from '../engines/engines.js';
import { inlineLimit, predict, predictBatch, defaultRoute, wantsMeasure } from './cost-model.js';
import { awaitEnd, deferError, iteration, onLoopTurnEnd } from './deferred-results.js';
import { Completion } from './completions.js';

/** The most nanoseconds that a message may take alone. */
const MESSAGE_MAX_NS = 3_000;
/** The longest message in bytes; longer ones are not worth the copy. */
const MESSAGE_MAX_BYTES = 4096;
/** The most messages of a batch, and the bytes of memory they are copied to. */
const MESSAGES_MAX = 128;
const CHUNK_BYTES = 68 * 1024;
/**
 * A batch of at least {@link LANES} messages is submitted from this cost on, before the iteration
 * ends; fewer messages would leave lanes empty. The first batch of an iteration needs half as many,
 * so that there is one for the event loop and one for a worker.
 */
const FULL_NS = 7_000;
/** The most messages that are hashed at once. */
const LANES = 16;
/** The most nanoseconds of full batches that wait for the end of an iteration. */
const WAITING_MAX_NS = 20_000;
/** The size of the ArrayBuffers that digests share, as Node's small Buffers do. */
const SLAB_BYTES = 8 * 1024;
/** Memory kept for later batches. */
const SPARE_MAX = 64;

/** Returns the hash if the request hashes a short message. Runs no code of the caller. */
function batchableFacts(algorithm: unknown, data: unknown): HashFacts | undefined {
  if (typeof algorithm !== 'string') return undefined;
  const facts = findHash(algorithm);
  if (facts === undefined || !facts.direct) return undefined;
  return fits(facts, sizeIn(data)) && defaultRoute() === Route.Auto && defaultEngine.engine === base
    ? facts
    : undefined;
}

function fits(facts: HashFacts, size: number): boolean {
  return size <= MESSAGE_MAX_BYTES && predict(Operation.Hash, facts.id, size) <= MESSAGE_MAX_NS;
}

/**
 * Returns the most bytes of the data: each UTF-16 unit of a string may become three. An array
 * without bytes may be detached, which the full request finds out.
 */
function sizeIn(data: unknown): number {
  if (isUint8Array(data)) return sizeOf(data) || Infinity;
  return typeof data === 'string' ? data.length * 3 : Infinity;
}

class Batch {
  readonly chunk = allocateApart(CHUNK_BYTES);
  readonly sizes = new Float64Array(MESSAGES_MAX);
  readonly sizeBytes = new Uint8Array(this.sizes.buffer);
  readonly completions: (Completion | undefined)[] = [];
  readonly forms: Form[] = [];
  /** The target of a digest of {@link Form.Size}, written when the call settles. */
  readonly places: (Uint8Array | undefined)[] = [];
  readonly placeOffsets: number[] = [];
  facts!: HashFacts;
  count = 0;
  used = 0;
  cost = 0;
  /** True if all messages have the same size. */
  alike = true;
  /** True if a worker should run it to measure the cost. */
  onPool = false;

  get full(): boolean {
    return (
      this.count === MESSAGES_MAX ||
      this.used + MESSAGE_MAX_BYTES > CHUNK_BYTES ||
      (this.cost >= FULL_NS && this.count >= (submittedIn === iteration ? LANES : LANES / 2))
    );
  }

  clear(): void {
    this.completions.fill(undefined);
    this.places.fill(undefined);
    this.count = 0;
    this.used = 0;
    this.cost = 0;
    this.alike = true;
    this.onPool = false;
  }
}

/** The open batch of each hash, by number. */
const open = emptySlots<Batch>();
/** The batches that wait for the end of the iteration. */
let waiting: Batch[] = [];
/** The cost of the full ones among them, in nanoseconds. */
let waitingCost = 0;
/** The iteration in which a batch was last submitted. */
let submittedIn = -1;
const spare: Batch[] = [];

/**
 * Copies a short message into a batch. Returns its completion, which `make` creates, or undefined
 * for another message, an unknown hash or an absent form.
 */
export function coalesce<Made extends Completion>(
  algorithm: unknown,
  data: unknown,
  form: Form | undefined,
  make: () => Made,
): Made | undefined {
  const facts = batchableFacts(algorithm, data);
  if (facts === undefined || form === undefined) return undefined;
  const completion = make();
  // Creating it may have run the caller's code.
  const size = sizeIn(data as Uint8Array | string);
  if (size > MESSAGE_MAX_BYTES) return undefined;
  add(facts, data as Uint8Array | string, size, form, completion);
  return completion;
}

// Coalesces a request with a target: copying the digest is faster than a job.
onShortMessage((completion) => {
  const { target, source } = request;
  if (
    target === undefined ||
    request.engine !== base ||
    frame[At.Operation] !== Operation.Hash ||
    frame[At.Route] !== Route.Auto ||
    defaultRoute() !== Route.Auto
  )
    return false;
  const size = frame[At.SourceSize]!;
  const facts = hashOf(frame[At.Algorithm]!);
  if (request.size !== facts.digestSize || !fits(facts, size)) return false;
  if (
    frame[At.Key] !== 0 ||
    (request.flags & Flag.HasKey) !== 0 ||
    frame[At.SeedLow] !== 0 ||
    frame[At.SeedHigh] !== 0
  )
    return false;
  const offset = frame[At.SourceOffset]!;
  const whole = offset === 0 && size === sizeOf(source as Uint8Array);
  const data = whole ? (source as Uint8Array) : part(source as Uint8Array, offset, size);
  const place = frame[At.TargetOffset]!;
  const batch = open[facts.id] ?? begin(facts);
  batch.places[batch.count] = target;
  batch.placeOffsets[batch.count] = place;
  add(facts, data, size, Form.Size, completion);
  return true;
});

function add(
  facts: HashFacts,
  data: Uint8Array | string,
  size: number,
  form: Form,
  completion: Completion,
): void {
  const batch = open[facts.id] ?? begin(facts);
  const { count } = batch;
  let copied = size;
  if (typeof data === 'string') copied = writeText(batch.chunk, data, batch.used);
  else if (size > 0) batch.chunk.set(data, batch.used);
  batch.count = count + 1;
  batch.sizes[count] = copied;
  batch.alike &&= copied === batch.sizes[0];
  batch.used += copied;
  batch.completions[count] = completion;
  batch.forms[count] = form;
  batch.cost += predictBatch(facts.id, copied);
  if (batch.full) close(batch);
}

function begin(facts: HashFacts): Batch {
  const batch = spare.pop() ?? new Batch();
  batch.facts = facts;
  batch.onPool = wantsMeasure(Operation.Hash, facts.id, 0);
  open[facts.id] = batch;
  waiting.push(batch);
  awaitEnd();
  return batch;
}

/**
 * Submits the batch: the pool and the event loop share such jobs. The portable engine shares none,
 * and its workers take longer to reach: some batches wait for the end of the iteration.
 */
function close(batch: Batch): void {
  open[batch.facts.id] = undefined;
  if (!batch.onPool && inlineLimit === 0 && waitingCost + batch.cost <= WAITING_MAX_NS) {
    waitingCost += batch.cost;
    return;
  }
  waiting.splice(waiting.indexOf(batch), 1);
  submittedIn = iteration;
  send(batch);
}

onLoopTurnEnd({
  waits: () => waiting.length > 0,
  finish() {
    const batches = waiting;
    waiting = [];
    waitingCost = 0;
    // Requests made while these settle join batches of the next round.
    for (const batch of batches)
      if (open[batch.facts.id] === batch) open[batch.facts.id] = undefined;
    for (const batch of batches) {
      if (batch.onPool) send(batch);
      else hashHere(batch);
    }
  },
});

function hashHere(batch: Batch): void {
  const size = batch.count * batch.facts.digestSize;
  if (slabUsed + size > slab.length) {
    slab = allocateApart(Math.max(SLAB_BYTES, size));
    slabUsed = 0;
  }
  const offset = slabUsed;
  slabUsed += size;
  try {
    fill(batch, slab, offset);
    runFilled();
  } catch (error) {
    refuse(batch, error);
    return;
  }
  answer(batch, slab, offset);
}

let slab = allocateApart(SLAB_BYTES);
let slabUsed = 0;

function send(batch: Batch): void {
  try {
    const target = allocateApart(batch.count * batch.facts.digestSize);
    fill(batch, target, 0);
    request.flags |= Flag.Copied;
    if (batch.onPool) frame[At.Route] = Route.Pool;
    runAsync(new BatchCompletion(batch, target));
  } catch (error) {
    // No completion runs during a call.
    clearRequest();
    for (let index = 0; index < batch.count; index++) deferError(batch.completions[index]!, error);
    put(batch);
  }
}

class BatchCompletion extends Completion {
  constructor(
    readonly batch: Batch,
    readonly target: Buffer,
  ) {
    super();
  }

  succeed(): void {
    answer(this.batch, this.target, 0);
  }

  fail(error: unknown): void {
    refuse(this.batch, error);
  }
}

/** Fails each completion. */
function refuse(batch: Batch, error: unknown): void {
  for (let index = 0; index < batch.count; index++) batch.completions[index]!.fail(error);
  put(batch);
}

function put(batch: Batch): void {
  batch.clear();
  if (spare.length < SPARE_MAX) spare.push(batch);
}

/** Fills the request. Source and target are private memory, so that the pool may borrow them. */
function fill(batch: Batch, target: Buffer, offset: number): void {
  const { facts, chunk, used, sizes, count } = batch;
  beginRequest(count === 1 ? Operation.Hash : Operation.HashMany, facts.id, chunk, 0, used);
  // The default engine may have changed since.
  setEngines(automatic);
  if (batch.alike && (sizes[0]! > 0 || count === 1)) {
    frame[At.Count] = count;
    frame[At.MessageSize] = sizes[0]!;
  } else {
    setIv(batch.sizeBytes, 0, count * Float64Array.BYTES_PER_ELEMENT);
    request.flags |= Flag.HasSizes;
  }
  setTarget(target, offset, count * facts.digestSize);
}

/** Settles each completion with its digest, from `digests` at `offset`. */
function answer(batch: Batch, digests: Buffer, offset: number): void {
  const { completions, forms, count } = batch;
  const size = batch.facts.digestSize;
  const { buffer, byteOffset } = digests;
  // Encoding all digests as one string and slicing it is faster. A slice keeps the whole string
  // alive, which is short.
  let text = '';
  for (let index = 0, at = 0; index < count; index++, at += size) {
    const form = forms[index]!;
    const completion = completions[index]!;
    if (form === Form.Size) {
      putDigest(
        completion,
        batch.places[index]!,
        batch.placeOffsets[index]!,
        digests,
        offset + at,
        size,
      );
    } else if (form === Form.Hex) {
      if (text === '') text = hex(digests, offset, offset + count * size);
      completion.succeed(text.slice(2 * at, 2 * (at + size)));
    } else {
      const digest = viewOf(buffer, byteOffset + offset + at, size);
      completion.succeed(form === Form.Buffer ? digest : encodeResult(digest, form));
    }
  }
  put(batch);
}
