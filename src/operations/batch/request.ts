/** The requests of hashMany and hmacMany, one for many messages, and the result of a call. */
import { range, sizeOf } from '../../base/arguments.js';
import { At, Flag, frame } from '../../base/frame.js';
import { copyInto } from '../../base/intrinsics.js';
import { beginRequest, Form, request, setEngines, setIv, setKey } from '../../request/request.js';
import { encodeResult, prefixedHex } from '../../request/result.js';
import { isKeyed, type Batch } from './arguments.js';
import { wipe, type Secret } from '../../base/secret-memory.js';
import { secretResult } from '../../base/secret-results.js';
import { hex, STRING_MAX, type Buffer } from '#platform/base/runtime.js';

/** Sets consecutive messages with their sizes. */
export function setSized(
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

/** Sets consecutive messages of one size. */
export function setPacked(
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

/** Sets messages in separate views. */
export function setViews(
  { operation, facts }: Batch,
  views: readonly Uint8Array[],
  first: number,
  count: number,
): void {
  beginRequest(operation, facts.id, views, first, 0);
  frame[At.Count] = count;
  request.flags |= Flag.HasViews;
}

/** Sets key, engines and seed. */
export function fillBeginning({ key, preference, seedLow, seedHigh }: Batch): void {
  if (key !== undefined) setKey(key, 0, sizeOf(key));
  if (preference !== undefined) setEngines(preference);
  frame[At.SeedLow] = seedLow;
  frame[At.SeedHigh] = seedHigh;
}

/** The most digests that are encoded as one string of hex. */
const TEXT_DIGESTS = 32;

/** Returns the result of the call. */
export function finish(batch: Batch, result: Secret<Buffer>): unknown {
  const { messages, size, form, target, targetOffset } = batch;
  if (target !== undefined) {
    // The target may have been detached or shrunk meanwhile.
    range(targetOffset, result.length, sizeOf(target), 'target');
    if (result.length > 0) copyInto(target, result, targetOffset);
    if (isKeyed(batch)) wipe(result);
    return result.length;
  }
  if (form === undefined) return result;
  const digests = new Array<unknown>(messages.count);
  const apart = isKeyed(batch);
  if (form === Form.Hex || form === Form.PrefixedHex) {
    // Encodes several digests as one string and slices it: 99 ns a message instead of 141. A slice
    // keeps the whole string alive, so the string is short.
    const prefixed = form === Form.PrefixedHex;
    const text = prefixed ? 2 * size + 2 : 2 * size;
    const together = Math.max(1, Math.min(TEXT_DIGESTS, Math.floor(STRING_MAX / text)));
    for (let first = 0; first < messages.count; first += together) {
      const end = Math.min(first + together, messages.count);
      const whole = prefixed
        ? prefixedHex(result.subarray(first * size, end * size), size)
        : hex(result, first * size, end * size);
      for (let index = first, at = 0; index < end; index++, at += text)
        digests[index] = whole.slice(at, at + text);
    }
    if (apart) wipe(result);
    return digests;
  }
  for (let index = 0; index < messages.count; index++) {
    const start = index * size;
    const digest = result.subarray(start, start + size);
    digests[index] =
      form === Form.Buffer && apart ? secretResultCopy(digest) : encodeResult(digest, form);
  }
  if (apart) wipe(result);
  return digests;
}

/** Returns a copy in an ArrayBuffer that no other code has. */
export function secretResultCopy(view: Uint8Array): Secret<Buffer> {
  return copyInto(secretResult(sizeOf(view)), view, 0);
}
