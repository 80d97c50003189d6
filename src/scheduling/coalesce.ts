/**
 * Short messages to be hashed, in company. What comes in one turn of the event loop is copied side
 * by side and hashed in one crossing when the turn ends, several messages at once where the CPU
 * can: that is quicker than one after the other at their calls (SHA-256 of 256 bytes with AVX-512:
 * 95 ns a message, alone 180), and than a job for each. So lent messages are copied too. More than
 * is right for one thread goes to the pool, whole companies at a time.
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

/** Nanoseconds that a message may take alone. */
const ALONE_COST = 3_000;
/** The longest message: a longer one is not worth the copy. */
const LONGEST = 4096;
/** The most messages of one company, and the memory they are copied to. */
const MEMBERS = 128;
const CHUNK_SIZE = 68 * 1024;
/**
 * Nanoseconds from which a company of {@link LANES} and more is full: on the pool it shall be among
 * the short jobs, which go before long ones. (16 messages of 4 KiB are above that, but fewer would
 * leave lanes empty.)
 */
const FULL_COST = 7_000;
/** As many messages as are hashed at once at most. */
const LANES = 16;
/**
 * Nanoseconds of companies that wait for the end of a turn; what comes in addition goes to the pool
 * at once.
 */
const HERE_COST = 20_000;
/** Digests of so many bytes share an ArrayBuffer, like small Buffers of Node's. */
const SLAB_SIZE = 8 * 1024;
/** Chunks kept for later companies. */
const SPARE = 64;

/** The hash of a short message, if this is one. Runs no code of the user's. */
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

/** Of a string at most: each UTF-16 unit may become three bytes. */
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
  /** Where the digest of {@link Form.Size} goes when its waiter is told. */
  readonly places: (Uint8Array | undefined)[] = [];
  readonly placeOffsets: number[] = [];
  facts!: HashFacts;
  count = 0;
  used = 0;
  cost = 0;
  /** Whether all messages are of one size. */
  alike = true;
  /** Whether a worker should do it even so, because he measures the price. */
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

/** By number of the hash, those that more can join. */
const open: (Batch | undefined)[] = [];
/** All that wait for the end of the turn. */
let gathered: Batch[] = [];
let gatheredCost = 0;
const spare: Batch[] = [];

/**
 * Copies a message that {@link batchableFacts} knows; its digest is told at the end of this turn or
 * later. False if it is no longer short: making the waiter may have run code of the user's.
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

// A digest that goes to the caller's memory: what has been described is copied all the same, which
// is quicker than a job for each.
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

/** Nobody joins any more. */
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
    // Those who come while these are told make companies of the next round.
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
    // Nobody is told during a call.
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

/** Tells each of an error. */
function refuse(company: Batch, error: unknown): void {
  for (let index = 0; index < company.count; index++) company.completions[index]!.fail(error);
  put(company);
}

function put(company: Batch): void {
  company.clear();
  if (spare.length < SPARE) spare.push(company);
}

/** Memory of ours on both sides: what the pool borrows nobody else can reach. */
function fill(company: Batch, target: Buffer, offset: number): void {
  const { facts, chunk, used, sizes, count } = company;
  beginRequest(count === 1 ? Operation.Hash : Operation.HashMany, facts.id, chunk, 0, used);
  // Whatever has become the usual engine since.
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

/** Gives each its digest, all of which stand in `digests` from `offset` on. */
function answer(company: Batch, digests: Buffer, offset: number): void {
  const { completions, forms, count } = company;
  const size = company.facts.digestSize;
  const { buffer, byteOffset } = digests;
  // One text of all, cut, is quicker than a text of each. A part may keep its whole alive, which is
  // short.
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
