/**
 * hashMany and hmacMany on the calling thread. Short messages are copied into one native call, 15
 * ns a message, where reading an array element through Node-API takes 35 ns; longer ones are read
 * in place.
 */
import { sizeOf } from '../../base/arguments.js';
import { wipeCopy } from '../../base/secret-copy.js';
import type { Secret } from '../../base/secret-memory.js';
import { secretResult } from '../../base/secret-results.js';
import { defaultEngine } from '../../engines/engines.js';
import { setTarget } from '../../request/request.js';
import { routedSync, runFilled } from '../../scheduling/run.js';
import { checkPlace, isKeyed, type Batch } from './arguments.js';
import { checkMemory, sizesFor } from './messages.js';
import { fillRequest, finish } from './request.js';
import { allocate, allocateApart, utf8, writeText, type Buffer } from '#platform/base/runtime.js';

/** Runs a parsed call synchronously, and wipes its key. */
export function runManySync(batch: Batch): unknown {
  try {
    if (batch.route !== undefined) throw routedSync();
    return hashHere(batch);
  } finally {
    if (batch.key !== undefined) wipeCopy(batch.key);
  }
}

/** Runs a parsed call on this thread. */
export function hashHere(batch: Batch): unknown {
  const { messages, options } = batch;
  const { target, targetOffset } = options;
  const { list } = messages;
  const total = messages.count * options.size;
  if (target !== undefined && list === undefined && isNative(batch)) {
    // Reading the key may have detached or shrunk it.
    checkPlace(messages, options);
    hashPacked(batch, target, targetOffset);
    return total;
  }
  // The target may contain messages, so it is written last.
  const result =
    target === undefined || total > STAGE_SIZE ? resultOf(batch, total) : staged(total);
  if (list === undefined) hashPacked(batch, result, 0);
  else hashList(batch, list, result);
  return finish(batch, result);
}

/**
 * Returns true for the native engine, which neither fails in between nor overwrites a message that
 * it has not read.
 */
function isNative({ preference }: Batch): boolean {
  return preference === undefined && defaultEngine.engine.name === 'native';
}

/**
 * Returns reused memory for digests before they are copied to a target: the page faults of new
 * memory can cost 12 ns a digest.
 */
function staged(size: number): Secret<Buffer> {
  stage ??= secretResult(STAGE_SIZE);
  return stage.subarray(0, size) as Secret<Buffer>;
}

const STAGE_SIZE = 512 * 1024;
let stage: Secret<Buffer> | undefined;

/** Returns memory for the result: MACs are secret, digests are not. */
function resultOf(batch: Batch, size: number): Secret<Buffer> {
  return isKeyed(batch) ? secretResult(size) : (allocate(size) as Secret<Buffer>);
}

function hashPacked(batch: Batch, target: Uint8Array, offset: number): void {
  const { count, packed } = batch.messages;
  if (count === 0) return;
  fillRequest(batch, batch.messages, { first: 0, count, offset: 0, size: sizeOf(packed) });
  run(target, offset, count * batch.options.size);
}

function hashList(batch: Batch, list: (Uint8Array | string)[], result: Uint8Array): void {
  const { size } = batch.options;
  for (let first = 0, count: number; first < list.length; first += count) {
    count = fillShort(batch, list, first) || fillViews(batch, list, first);
    run(result, first * size, count * size);
  }
}

/** Messages up to this size in bytes are copied; for longer ones the copy does not pay. */
export const COPIED_MAX = 1024;

/** The most bytes of a UTF-16 unit in UTF-8. */
const UNIT_BYTES = 3;

/** Memory for short messages, reused so that it stays in the cache. */
const chunk = allocateApart(64 * 1024);
const sizes = sizesFor(1024);

/** Fills a request with the short messages from index `first` on. Returns their number. */
function fillShort(batch: Batch, list: readonly (Uint8Array | string)[], first: number): number {
  const { numbers } = sizes;
  const most = Math.min(list.length - first, numbers.length);
  let count = 0;
  let used = 0;
  let alike = true;
  for (; count < most && used + COPIED_MAX <= chunk.length; count++) {
    const each = list[first + count]!;
    let size = typeof each === 'string' ? each.length * UNIT_BYTES : sizeOf(each);
    if (size > COPIED_MAX) break;
    if (typeof each === 'string') size = writeText(chunk, each, used);
    else if (size > 0) chunk.set(each, used);
    else checkMemory(each, first + count);
    numbers[count] = size;
    alike &&= size === numbers[0];
    used += size;
  }
  if (count === 0) return 0;
  const packed = {
    count,
    list: undefined,
    packed: chunk,
    size: numbers[0]!,
    sizes: alike ? undefined : sizes,
  };
  fillRequest(batch, packed, { first: 0, count, offset: 0, size: used });
  return count;
}

/** So many short messages have a request of their own; fewer stay among long ones, in lanes. */
const SHORT_RUN = 32;

/**
 * Fills a request with the messages from index `first` on, the first of which is long, to the next
 * run of short ones. Returns their number.
 */
function fillViews(batch: Batch, list: (Uint8Array | string)[], first: number): number {
  let end = first;
  let short = 0;
  for (; end < list.length && short < SHORT_RUN; end++) {
    const each = list[end]!;
    const text = typeof each === 'string';
    const size = text ? each.length * UNIT_BYTES : sizeOf(each);
    short = size <= COPIED_MAX ? short + 1 : 0;
    if (text) list[end] = utf8(each);
    else if (size === 0) checkMemory(each, end);
  }
  const count = end - first - (short === SHORT_RUN ? short : 0);
  fillRequest(batch, batch.messages, { first, count, offset: 0, size: 0 });
  return count;
}

/** Runs the filled request; the digests go to the target. */
function run(target: Uint8Array, offset: number, size: number): void {
  setTarget(target, offset, size);
  runFilled();
}
