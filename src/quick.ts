/**
 * The everyday digest in one crossing: two numbers instead of a described call, and no Buffer for a text. What native
 * code does not take (anything but a typed array) gives `undefined`; the described call then does it, or explains.
 */
import { At, frame, native } from './binding.js';
import type { HashFacts } from './catalog.js';

// `size` bytes from the start of the source, or WHOLE. The hash must have a digest size of its own.

export function quickHex(facts: HashFacts, source: unknown, size: number): string | undefined {
  frame[At.Algorithm] = facts.id;
  frame[At.SourceSize] = size;
  return native.hashHex(source);
}

/** Big-endian. */
export function quickBigInt(facts: HashFacts, source: unknown, size: number): bigint | undefined {
  frame[At.Algorithm] = facts.id;
  frame[At.SourceSize] = size;
  return native.hashBigInt(source);
}

export function quickBuffer(facts: HashFacts, source: unknown, size: number): Buffer | undefined {
  const target = Buffer.allocUnsafe(facts.digestSize);
  frame[At.Algorithm] = facts.id;
  frame[At.SourceSize] = size;
  return native.hash(source, target) === 0 ? target : undefined;
}
