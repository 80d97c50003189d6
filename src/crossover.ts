/**
 * Tiny messages: up to which size a digest in plain JavaScript takes less time than the way into native code. Nowhere, until this
 * machine has been calibrated.
 */
import { native } from './binding.js';
import { WHOLE, type Native } from './frame.js';

/** By number of the hash: the most bytes, -1 for none. */
const limits = new Int32Array(64).fill(-1);
/** There once there is any limit. */
let portable: Native | undefined;

/** Hashes of a message of up to `size` bytes are the portable engine's; -1 takes them back. */
export function setPortableLimit(id: number, size: number, engine: () => Native): void {
  limits[id] = size;
  if (size >= 0) portable ??= engine();
}

/** Who gives the digest of a message: of `size` bytes, or as large as what is passed. */
export function sooner(id: number, source: unknown, size: number): Native {
  if (portable === undefined) return native;
  const bytes = size === WHOLE ? (source instanceof Uint8Array ? source.length : Infinity) : size;
  return bytes <= limits[id]! ? portable : native;
}
