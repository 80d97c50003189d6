/**
 * Memory for secret results: opened plaintext, MACs and derived keys. Each gets its own
 * ArrayBuffer, because Node's small Buffers share one of 8 KiB, and transferring one to another
 * thread exposes the others.
 *
 * A small result is computed in memory of this module and copied to a Buffer. V8 keeps typed arrays
 * of up to 64 bytes on its heap and allocates their ArrayBuffer when native code asks for it; the
 * copy takes 40 ns, the ArrayBuffer 300 ns and its collection.
 */
import { allocateApart, viewOf, type Buffer } from '#platform/runtime.js';

/** The largest typed array that V8 keeps on its heap, in bytes. */
export const SMALL_BYTES = 64;

const memory = new ArrayBuffer(SMALL_BYTES);
const words = new Float64Array(memory);
const views: Buffer[] = [];

/**
 * Returns memory for a small secret, valid until the next one. {@link takeStaged} or {@link
 * wipeStage} must follow.
 */
export function stage(size: number): Buffer {
  return (views[size] ??= viewOf(memory, 0, size));
}

/** Returns a copy of the staged secret and wipes the stage. */
export function takeStaged(staged: Buffer): Buffer {
  const result = allocateApart(staged.length);
  result.set(staged);
  wipeStage();
  return result;
}

/** Wipes the stage. */
export function wipeStage(): void {
  for (let index = 0; index < words.length; index++) words[index] = 0;
}
