/**
 * The limit on bytes that the copies of asynchronous calls may take together.
 */
import { native } from '../engines/binding.js';
import type { Native } from '../base/frame.js';
import { memorySize } from '#platform/base/runtime.js';

/** Returns true if `size` bytes may be copied for a call. If not, the call runs inline. */
export function canCopy(size: number): boolean {
  const allowed = native.canCopy(size);
  if (allowed >= 0) return allowed > 0;
  decideCopies(native);
  return native.canCopy(size) > 0;
}

/**
 * Counts bytes that were copied for an operation that waits for others of its object; negative ones
 * were released. They are not refused: the operation must come after the others, and its caller may
 * change its memory. Other calls copy less meanwhile.
 */
export function countCopies(bytes: number): void {
  native.countCopies(bytes);
}

/**
 * The default limit: a quarter of the memory, at most 1 GiB. Reading the memory size takes 0.2 ms,
 * so it is done on first use.
 */
const COPIES_MAX = 2 ** 30;

export function decideCopies(binding: Native): void {
  binding.setCopies(Math.min(COPIES_MAX, Math.floor(memorySize() / 4)));
}
