/**
 * The fast path for digests: one native call with a few numbers instead of a full request, and no
 * Buffer for an encoded digest. The source is the argument if its size is WHOLE, otherwise a range
 * of the input buffer. The functions return undefined if native code does not accept the arguments
 * (anything but a typed array); the full request then computes the digest or throws. The hash must
 * have a digest size. The key is a handle or 0, and makes the digest an HMAC if it was prepared for
 * one. The kernel engine has no fast path.
 */
import { defaultEngine, type Engine } from '../engines/engines.js';
import { sizeOf } from '../base/arguments.js';
import { At, frame, frameWords, type Native } from '../base/frame.js';
import { WHOLE } from '../base/protocol.js';
import type { HashFacts } from '../catalog/facts.js';
import { encodeShort, isShort, textScratch } from '../request/input-buffer.js';
import { allocate, type Buffer } from '#platform/base/runtime.js';
import { stage, takeStaged } from '../base/secret-results.js';

type Fast<Digest> = (
  facts: HashFacts,
  source: unknown,
  offset: number,
  size: number,
  key?: number,
  engine?: Engine,
) => Digest | undefined;

export const fastHex: Fast<string> = (facts, source, offset, size, key, engine) =>
  filled(facts, offset, size, key, engine)?.hashHex(source);

/** Returns the digest as hex after `0x`. */
export const fastPrefixedHex: Fast<string> = (facts, source, offset, size, key, engine) =>
  filled(facts, offset, size, key, engine)?.hashPrefixedHex(source);

/** Returns the digest as a big-endian BigInt. */
export const fastBigInt: Fast<bigint> = (facts, source, offset, size, key, engine) => {
  const binding = filled(facts, offset, size, key, engine);
  if (facts.digestSize > 8) return binding?.hashBigInt(source);
  // V8 makes the BigInt of a word itself.
  return binding?.hashWord(source) === 0 ? frameWords[At.Word] : undefined;
};

export const fastBuffer: Fast<Buffer> = (facts, source, offset, size, key, engine) => {
  // A MAC is secret. No digest is larger than the stage.
  const target = key ? stage(facts.digestSize) : allocate(facts.digestSize);
  if (filled(facts, offset, size, key, engine)?.hash(source, target) !== 0) return undefined;
  return key ? takeStaged(target) : target;
};

/**
 * Writes the digest of a whole Uint8Array into memory of the digest's size. Returns false if it
 * cannot.
 */
export function fastInto(
  facts: HashFacts,
  source: Uint8Array,
  target: Uint8Array,
  key?: number,
  engine?: Engine,
): boolean {
  return filled(facts, 0, WHOLE, key, engine)?.hash(source, target) === 0;
}

/**
 * Finishes a running hash without a seed. The state is empty if it has not begun; the rest of the
 * message is at the start of the input buffer. With the midstates of a key it finishes an HMAC.
 */
export function fastFinishHex(
  facts: HashFacts,
  state: Uint8Array,
  size: number,
  key: number,
  engine: Engine,
  keyStates: Uint8Array | undefined,
): string | undefined {
  frame[At.AadSize] = sizeOf(state) === 0 ? 0 : facts.stateSize;
  return filled(facts, 0, size, key, engine)?.finishHex(state, keyStates);
}

/** Fills the frame. Returns the binding for the fast path, if the engine has one. */
function filled(
  facts: HashFacts,
  offset: number,
  size: number,
  key: number | undefined,
  engine: Engine | undefined,
): Native | undefined {
  frame[At.Algorithm] = facts.id;
  frame[At.Key] = key ?? 0;
  frame[At.SourceOffset] = offset;
  frame[At.SourceSize] = size;
  return (engine ?? defaultEngine.engine).quick;
}

/**
 * Returns the size of a source for these functions: that of a short string, which is encoded into
 * the input buffer, or {@link WHOLE}.
 */
export function fastSize(data: unknown): number {
  return typeof data === 'string' && isShort(data) ? encodeShort(data, textScratch) : WHOLE;
}
