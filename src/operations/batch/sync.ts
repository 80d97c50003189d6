/**
 * hashMany and hmacMany on the calling thread. Short messages are copied into one native call, 15
 * ns a message, where reading an array element through Node-API takes 35 ns; longer ones are read
 * in place.
 */
import { range, sizeOf } from '../../base/arguments.js';
import { defaultEngine } from '../../engines/engines.js';
import { setTarget } from '../../request/request.js';
import { routedSync, runFilled } from '../../scheduling/run.js';
import type { Secret } from '../../base/secret-memory.js';
import { secretResult } from '../../base/secret-results.js';
import { isKeyed, wipeKey, type Batch, type ManyParser } from './arguments.js';
import { checkMemory } from './messages.js';
import { fillBeginning, finish, setPacked, setSized, setViews } from './request.js';
import { allocate, allocateApart, utf8, writeText, type Buffer } from '#platform/base/runtime.js';

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

/** Hashes the parsed call and wipes its key. */
export function hashHere(batch: Batch): unknown {
  const { messages, target, size } = batch;
  const total = messages.count * size;
  if (target !== undefined && messages.list === undefined && total > 0 && isNative(batch))
    return hashPacked(batch, target, total);
  // The target may contain messages, so it is written last.
  const result =
    target === undefined || total > STAGE_SIZE ? resultOf(batch, total) : staged(total);
  try {
    if (messages.list !== undefined) {
      hashList(batch, messages.list, result);
    } else if (messages.count > 0) {
      setPacked(batch, messages.packed, 0, messages.count, messages.size);
      fillBeginning(batch);
      setTarget(result, 0, total);
      runFilled();
    }
  } finally {
    if (batch.ownKey !== undefined) wipeKey(batch);
  }
  return finish(batch, result);
}

/**
 * Returns true for the native engine, which neither fails in between nor overwrites a message that
 * it has not read.
 */
function isNative({ preference }: Batch): boolean {
  return preference === undefined && defaultEngine.engine.name === 'native';
}

/** Hashes packed messages in one request, straight to the target. */
function hashPacked(batch: Batch, target: Uint8Array, total: number): number {
  const { messages, targetOffset } = batch;
  try {
    // Reading the key may have detached or shrunk it.
    range(targetOffset, total, sizeOf(target), 'target');
    setPacked(batch, messages.packed, 0, messages.count, messages.size);
    fillBeginning(batch);
    setTarget(target, targetOffset, total);
    runFilled();
  } finally {
    wipeKey(batch);
  }
  return total;
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

/** Messages up to this size in bytes are copied; for longer ones the copy does not pay. */
export const COPIED_MAX = 1024;

/** Memory for short messages, reused so that it stays in the cache. */
const chunk = allocateApart(64 * 1024);
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
        else checkMemory(each, index);
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
