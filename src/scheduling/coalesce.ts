/**
 * Coalesces short hashes. Messages of one event-loop iteration are copied side by side and hashed
 * in one native call when the iteration ends, several at once in SIMD lanes: SHA-256 of 256 bytes
 * takes 95 ns a message with AVX-512, alone 180 ns. Lent messages are copied too. Batches that are
 * too much for one thread go to the pool.
 */
import { isUint8Array, part, sizeOf } from '../request/arguments.js';
import { At, Flag, frame, Operation, Route } from '../request/frame.js';
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
import { allocateApart, hex, viewOf, writeText, type Buffer } from '#platform/runtime.js';
import { findHash, hashOf } from '../catalog/catalog.js';
import type { HashFacts } from '../catalog/facts.js';
import { automatic, base, usual as defaultEngine } from '../engines/engines.js';
import { predict, predictBatch, usual, wantsMeasure } from './cost-model.js';
import { awaitEnd, onLoopTurnEnd, deferError } from './deferred-results.js';
import { Completion } from './completions.js';

/** The most nanoseconds that a message may take alone. */
const ALONE_COST = 3_000;
/** The longest message in bytes; longer ones are not worth the copy. */
const LONGEST = 4096;
/** The most messages of a batch, and the bytes of memory they are copied to. */
const MEMBERS = 128;
const CHUNK_SIZE = 68 * 1024;
/**
 * A batch of at least {@link LANES} messages is full from this cost on, so that the pool schedules
 * it among the short jobs. (16 messages of 4 KiB exceed it; fewer would leave lanes empty.)
 */
const FULL_COST = 7_000;
/** The most messages that are hashed at once. */
const LANES = 16;
/**
 * The most nanoseconds of batches that wait for the end of an iteration; further ones go to the
 * pool.
 */
const HERE_COST = 20_000;
/** The size of the ArrayBuffers that digests share, as Node's small Buffers do. */
const SLAB_SIZE = 8 * 1024;
/** Memory kept for later batches. */
const SPARE = 64;

/** Returns the hash if the request hashes a short message. Runs no code of the caller. */
export function batchableFacts(algorithm: unknown, data: unknown): HashFacts | undefined {
  if (typeof algorithm !== 'string') return undefined;
  const facts = findHash(algorithm);
  if (facts === undefined || facts.digestSize === 0) return undefined;
  return fits(facts, sizeIn(data)) && usual() === Route.Auto && defaultEngine.engine === base
    ? facts
    : undefined;
}

function fits(facts: HashFacts, size: number): boolean {
  return size <= LONGEST && predict(Operation.Hash, facts.id, size) <= ALONE_COST;
}

/** The most bytes of a string: each UTF-16 unit may become three. */
function sizeIn(data: unknown): number {
  if (isUint8Array(data)) return sizeOf(data);
  return typeof data === 'string' ? data.length * 3 : Infinity;
}

class Batch {
  readonly chunk = viewOf(new ArrayBuffer(CHUNK_SIZE));
  readonly sizes = new Float64Array(MEMBERS);
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
  away = false;

  get full(): boolean {
    return (
      this.count === MEMBERS ||
      this.used + LONGEST > CHUNK_SIZE ||
      (this.cost >= FULL_COST && this.count >= LANES)
    );
  }

  clear(): void {
    this.completions.fill(undefined);
    this.places.fill(undefined);
    this.count = 0;
    this.used = 0;
    this.cost = 0;
    this.alike = true;
    this.away = false;
  }
}

/** The open batch of each hash, by number. */
const open: (Batch | undefined)[] = [];
/** The batches that wait for the end of the iteration. */
let gathered: Batch[] = [];
let gatheredCost = 0;
const spare: Batch[] = [];

/**
 * Copies the message into a batch. Returns false if it is no longer short: creating the completion
 * may have run the caller's code.
 */
export function join(
  facts: HashFacts,
  data: Uint8Array | string,
  form: Form,
  completion: Completion,
): boolean {
  const size = sizeIn(data);
  if (size > LONGEST) return false;
  add(facts, data, size, form, completion);
  return true;
}

// Coalesces a request whose digest goes to the caller's memory: copying is faster than a job.
onShortMessage((completion) => {
  const { target, source } = request;
  if (
    target === undefined ||
    request.engine !== base ||
    frame[At.Operation] !== Operation.Hash ||
    frame[At.Route] !== Route.Auto ||
    usual() !== Route.Auto
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
  const company = open[facts.id] ?? begin(facts);
  company.places[company.count] = target;
  company.placeOffsets[company.count] = place;
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
  const company = open[facts.id] ?? begin(facts);
  const { count } = company;
  let copied = size;
  if (typeof data === 'string') copied = writeText(company.chunk, data, company.used);
  else if (size > 0) company.chunk.set(data, company.used);
  company.count = count + 1;
  company.sizes[count] = copied;
  company.alike &&= copied === company.sizes[0];
  company.used += copied;
  company.completions[count] = completion;
  company.forms[count] = form;
  company.cost += predictBatch(facts.id, copied);
  if (company.full) close(company);
}

function begin(facts: HashFacts): Batch {
  const company = spare.pop() ?? new Batch();
  company.facts = facts;
  company.away = wantsMeasure(Operation.Hash, facts.id);
  open[facts.id] = company;
  gathered.push(company);
  awaitEnd();
  return company;
}

/** Closes the batch. */
function close(company: Batch): void {
  open[company.facts.id] = undefined;
  if (!company.away && gatheredCost + company.cost <= HERE_COST) {
    gatheredCost += company.cost;
    return;
  }
  gathered.splice(gathered.indexOf(company), 1);
  send(company);
}

onLoopTurnEnd({
  waits: () => gathered.length > 0,
  finish() {
    const batches = gathered;
    gathered = [];
    gatheredCost = 0;
    // Requests made while these settle join batches of the next round.
    for (const company of batches)
      if (open[company.facts.id] === company) open[company.facts.id] = undefined;
    for (const company of batches) {
      if (company.away) send(company);
      else hashHere(company);
    }
  },
});

function hashHere(company: Batch): void {
  const size = company.count * company.facts.digestSize;
  if (slabUsed + size > slab.length) {
    slab = allocateApart(Math.max(SLAB_SIZE, size));
    slabUsed = 0;
  }
  const offset = slabUsed;
  slabUsed += size;
  try {
    fill(company, slab, offset);
    runFilled();
  } catch (error) {
    refuse(company, error);
    return;
  }
  answer(company, slab, offset);
}

let slab = allocateApart(SLAB_SIZE);
let slabUsed = 0;

function send(company: Batch): void {
  try {
    const target = allocateApart(company.count * company.facts.digestSize);
    fill(company, target, 0);
    request.flags |= Flag.Copied;
    frame[At.Route] = Route.Pool;
    runAsync(new CompanyWaiter(company, target));
  } catch (error) {
    // No completion runs during a call.
    clearRequest();
    for (let index = 0; index < company.count; index++)
      deferError(company.completions[index]!, error);
    put(company);
  }
}

class CompanyWaiter extends Completion {
  constructor(
    readonly company: Batch,
    readonly target: Buffer,
  ) {
    super();
  }

  succeed(): void {
    answer(this.company, this.target, 0);
  }

  fail(error: unknown): void {
    refuse(this.company, error);
  }
}

/** Fails each completion. */
function refuse(company: Batch, error: unknown): void {
  for (let index = 0; index < company.count; index++) company.completions[index]!.fail(error);
  put(company);
}

function put(company: Batch): void {
  company.clear();
  if (spare.length < SPARE) spare.push(company);
}

/** Source and target are private memory, so that the pool may borrow them. */
function fill(company: Batch, target: Buffer, offset: number): void {
  const { facts, chunk, used, sizes, count } = company;
  beginRequest(count === 1 ? Operation.Hash : Operation.HashMany, facts.id, chunk, 0, used);
  // The default engine may have changed since.
  setEngines(automatic);
  if (company.alike && (sizes[0]! > 0 || count === 1)) {
    frame[At.Count] = count;
    frame[At.MessageSize] = sizes[0]!;
  } else {
    setIv(company.sizeBytes, 0, count * Float64Array.BYTES_PER_ELEMENT);
    request.flags |= Flag.HasSizes;
  }
  setTarget(target, offset, count * facts.digestSize);
}

/** Settles each completion with its digest, from `digests` at `offset`. */
function answer(company: Batch, digests: Buffer, offset: number): void {
  const { completions, forms, count } = company;
  const size = company.facts.digestSize;
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
        company.places[index]!,
        company.placeOffsets[index]!,
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
  put(company);
}
