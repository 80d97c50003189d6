/**
 * Memory for secret results: opened plaintext, MACs and derived keys. Each gets its own
 * ArrayBuffer, because Node's small Buffers share one of 8 KiB, and transferring one to another
 * thread exposes the others.
 *
 * A small result is computed in memory of this module and copied to a Buffer. V8 keeps typed arrays
 * of up to 64 bytes on its heap and allocates their ArrayBuffer when native code asks for it; the
 * copy takes 40 ns, the ArrayBuffer 300 ns and its collection.
 */
import { allocateApart, utf8Size, viewOf, writeText, type Buffer } from '#platform/base/runtime.js';
import { emptySlots } from './intrinsics.js';
import { secretArrayBuffer, type Secret } from './secret-memory.js';

/** The largest typed array that V8 keeps on its heap, in bytes. */
export const SMALL_BYTES = 64;

const memory = secretArrayBuffer(SMALL_BYTES);
const words = new Float64Array(memory);
const views = emptySlots<Secret<Buffer>>(SMALL_BYTES + 1);

/**
 * Returns memory for a small secret, valid until the next one. {@link takeStaged} or {@link
 * wipeStage} must follow.
 */
export function stage(size: number): Secret<Buffer> {
  return (views[size] ??= viewOf(memory, 0, size) as Secret<Buffer>);
}

/** Returns a copy of the staged secret and wipes the stage. */
export function takeStaged(staged: Buffer): Buffer {
  const result = allocateApart(staged.length);
  result.set(staged);
  wipeStage();
  return result;
}

/** Zeroing larger memory costs more than it is worth, and V8 never has it on its heap. */
const ZEROED_BYTES = 4096;

/** Returns memory for a secret in a separate ArrayBuffer, which V8 does not move. */
export function secretResult(size: number): Secret<Buffer> {
  const result = size > ZEROED_BYTES ? allocateApart(size) : viewOf(secretArrayBuffer(size));
  return result as Secret<Buffer>;
}

/** Returns the UTF-8 of a secret text. */
export function secretText(text: string): Secret<Buffer> {
  const memory = secretResult(utf8Size(text));
  writeText(memory, text, 0);
  return memory;
}

/** Wipes the stage. A loop takes twice the instructions before V8 compiles it. */
export function wipeStage(): void {
  words[0] = words[1] = words[2] = words[3] = 0;
  words[4] = words[5] = words[6] = words[7] = 0;
}
