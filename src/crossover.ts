/**
 * Tiny messages: up to which size a digest in plain JavaScript takes less time than the way into native code. Nowhere, until this
 * machine has been calibrated.
 */
import { automatic, engineOf, usual } from './engines.js';
import { WHOLE, type Native } from './frame.js';

/** By number of the hash: the most bytes, -1 for none. */
const limits = new Int32Array(64).fill(-1);
/** There once there is any limit. */
let portable: Native | undefined;

/** Digests of messages of up to `size` bytes are the portable engine's where none is asked for; of none at all with -1. */
export function setPortableLimit(id: number, size: number): void {
  limits[id] = size;
  if (size >= 0) portable ??= portableBinding();
}

/** The portable engine beside native code, if it is there. */
export function portableBinding(): Native | undefined {
  const engine = engineOf('portable');
  return 'binding' in engine ? engine.binding : undefined;
}

/** Who gives the digest of a message of `size` bytes, or as large as what is passed: `native`, or somebody who is sooner. */
export function sooner(id: number, source: unknown, size: number, key: number, native: Native): Native {
  if (portable === undefined || key !== 0 || usual.choice !== automatic) return native;
  const bytes = size === WHOLE ? (source instanceof Uint8Array ? source.length : Infinity) : size;
  return bytes <= limits[id]! ? portable : native;
}
