/**
 * Results that are secret: what is made with a key and is no ciphertext, so opened texts, codes and
 * derived keys. Each has an ArrayBuffer of its own: the small Buffers of Node share one of 8 KiB,
 * and to send one of them to another thread sends the others along.
 *
 * A small result is computed in memory of this module and copied to a Buffer. V8 keeps a typed
 * array of up to 64 bytes on its heap and gives it an ArrayBuffer when somebody asks for that,
 * which native code does: so the copy is cheaper (40 ns) than the ArrayBuffer (300 ns and its
 * collection).
 */
import { allocateApart, viewOf, type Buffer } from '#platform/runtime.js';

/** Bytes of the largest result that V8 keeps on its heap. */
export const SMALL_BYTES = 64;

const memory = new ArrayBuffer(SMALL_BYTES);
const words = new Float64Array(memory);
const views: Buffer[] = [];

/** Memory for a small secret, good until the next one; {@link takeStaged} must follow. */
export function stage(size: number): Buffer {
  return (views[size] ??= viewOf(memory, 0, size));
}

/** What has been put there, in memory of its own. */
export function takeStaged(staged: Buffer): Buffer {
  const result = allocateApart(staged.length);
  result.set(staged);
  wipeStage();
  return result;
}

/** Nothing stays there. */
export function wipeStage(): void {
  for (let index = 0; index < words.length; index++) words[index] = 0;
}
