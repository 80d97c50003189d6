/**
 * The limit on bytes that the copies of asynchronous calls may take together.
 */
import { native } from '../engines/binding.js';
import type { Native } from '../request/frame.js';
import { memorySize } from '#platform/runtime.js';

/** Whether so many bytes may be copied for a call. If not, its work is done during the call. */
export function canCopy(size: number): boolean {
  const room = native.canCopy(size);
  if (room >= 0) return room > 0;
  decideCopies(native);
  return native.canCopy(size) > 0;
}

/** A quarter of the memory there is, 1 GiB at most. Asked for late: the answer takes 0.2 ms. */
const COPIES_MAX = 2 ** 30;

export function decideCopies(binding: Native): void {
  binding.setCopies(Math.min(COPIES_MAX, Math.floor(memorySize() / 4)));
}
