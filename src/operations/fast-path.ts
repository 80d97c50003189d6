/**
 * The everyday digest in one crossing: a few numbers instead of a described call, and no Buffer for
 * a text. The source is what is passed if the size is WHOLE, else a range of the input buffer. What
 * native code does not take (anything but a typed array) gives `undefined`; the described call then
 * does it, or explains. The hash must have a digest size; the key is a handle or 0, and makes the
 * digest an HMAC if it was prepared for one. The kernel has no such calls.
 */
import { usual, type Engine } from '../engines/engines.js';
import { sizeOf } from '../request/arguments.js';
import { At, frame } from '../request/frame.js';
import type { HashFacts } from '../catalog/facts.js';
import { allocate, type Buffer } from '#platform/runtime.js';
import { stage, takeStaged } from '../request/secret-results.js';

export function fastHex(
  facts: HashFacts,
  source: unknown,
  offset: number,
  size: number,
  key = 0,
  engine?: Engine,
): string | undefined {
  const { quick } = engine ?? usual.engine;
  if (quick === undefined) return undefined;
  fill(facts, offset, size, key);
  return quick.hashHex(source);
}

/** Big-endian. */
export function fastBigInt(
  facts: HashFacts,
  source: unknown,
  offset: number,
  size: number,
  key = 0,
  engine?: Engine,
): bigint | undefined {
  const { quick } = engine ?? usual.engine;
  if (quick === undefined) return undefined;
  fill(facts, offset, size, key);
  return quick.hashBigInt(source);
}

export function fastBuffer(
  facts: HashFacts,
  source: unknown,
  offset: number,
  size: number,
  key = 0,
  engine?: Engine,
): Buffer | undefined {
  const { quick } = engine ?? usual.engine;
  if (quick === undefined) return undefined;
  // A code is secret, and no digest longer than what can be staged.
  const target = key === 0 ? allocate(facts.digestSize) : stage(facts.digestSize);
  fill(facts, offset, size, key);
  if (quick.hash(source, target) !== 0) return undefined;
  return key === 0 ? target : takeStaged(target);
}

/**
 * Of a running hash without a seed: its state, which is empty if it has not begun, and the rest of
 * the message at the start of the input buffer. With the states of a key it is an HMAC.
 */
export function fastFinishHex(
  facts: HashFacts,
  state: Uint8Array,
  size: number,
  key: number,
  { quick }: Engine,
  keyStates: Uint8Array | undefined,
): string | undefined {
  if (quick === undefined) return undefined;
  fill(facts, 0, size, key);
  frame[At.AadSize] = sizeOf(state) === 0 ? 0 : facts.stateSize;
  return quick.finishHex(state, keyStates);
}

function fill(facts: HashFacts, offset: number, size: number, key: number): void {
  frame[At.Algorithm] = facts.id;
  frame[At.Key] = key;
  frame[At.SourceOffset] = offset;
  frame[At.SourceSize] = size;
}
