/**
 * Settles finished jobs from the records in the completion buffer.
 */
import { failure } from '../base/errors.js';
import { Status, completionBytes, completionNumbers } from '../base/frame.js';
import { RECORD_NUMBERS } from '../base/protocol.js';
import { Form } from '../request/request.js';
import {
  allocateResult,
  copy,
  detachedTarget,
  encodeResult,
  encodeSecret,
  fitsResult,
} from '../request/result.js';
import { wipe } from '../base/secret-memory.js';
import type { Completion } from './completions.js';
import { jobs, releaseSlot } from './slots.js';
import { type Buffer, viewOf } from '#platform/base/runtime.js';

/**
 * Settles the jobs in the completion buffer. Native code calls it with the number of records;
 * `made` is the result of the only one.
 */
export function settle(records: number, made?: Uint8Array): void {
  let at = 0;
  for (; records > 0; records--) {
    const slot = completionNumbers[at]!;
    const status = completionNumbers[at + 1]!;
    const smallSize = completionNumbers[at + 2]!;
    const largeSize = completionNumbers[at + 3]!;
    const completion = jobs[slot]!.completion!;
    if (status === 0) {
      if (made !== undefined) jobs[slot]!.target = viewOf(made.buffer);
      collect(completion, slot, (at + RECORD_NUMBERS) * 4, smallSize, largeSize);
    } else {
      releaseSlot(slot);
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
}

/**
 * Delivers the result of a record. For a digest both parts together are the result; for a cipher
 * the small part is the tag and the large part the text.
 */
function collect(
  completion: Completion,
  slot: number,
  start: number,
  smallSize: number,
  largeSize: number,
): void {
  const end = start + smallSize + largeSize;
  const { target, place, placeOffset, size, form, secret } = jobs[slot]!;
  let result = target as Buffer | undefined;
  // The completion may make calls, which may take the slot.
  releaseSlot(slot);
  let text = start;
  if (place !== undefined) {
    const placed = form === Form.Size ? end : start + smallSize;
    if (!fitsResult(place, placeOffset, placed - start)) {
      completion.fail(detachedTarget());
      return;
    }
    copy(place, placeOffset, completionBytes, start, placed);
    if (secret) wipe(completionBytes, start, placed);
    text = placed;
  }
  if (form === Form.Size) {
    completion.succeed(size);
    return;
  }
  if (result === undefined) {
    result = allocateResult(size, form, secret);
    // An appended tag precedes its text in the record.
    const appended = text === start && largeSize > 0 ? smallSize : 0;
    copy(result, 0, completionBytes, text + appended, end);
    copy(result, largeSize, completionBytes, start, start + appended);
    if (secret) wipe(completionBytes, start, end);
  }
  let value: unknown;
  try {
    value = (secret ? encodeSecret : encodeResult)(result, form);
  } catch (error) {
    // The result is too long for a string or BigInt. The other jobs of the batch must still settle.
    completion.fail(error);
    return;
  }
  completion.succeed(value);
}
