/**
 * Memory for secrets. Everything that Millrace makes and later wipes is made here; the type of
 * {@link wipe} and the architecture test keep it so.
 *
 * V8 keeps typed arrays of up to 64 bytes on its heap. The first native call that needs the address
 * of one moves the bytes to an ArrayBuffer, and the garbage collector moves arrays that survive:
 * `fill(0)` then reaches the last place only. The memory of an ArrayBuffer does not move.
 */
import { outOfMemory } from './errors.js';
import { sizeOf } from './intrinsics.js';
import type { FreshBytes } from './platform-types.js';

declare const secret: unique symbol;

/** Bytes that never move. The mark exists for the compiler only; views do not have it. */
export type Secret<Memory extends Uint8Array = FreshBytes> = Memory & { readonly [secret]: true };

/** Up to this many bytes a failed allocation throws V8's RangeError, as in platform/. */
const SMALL_BYTES = 4096;

/** Returns zeroed memory in a separate ArrayBuffer. */
export function secretMemory(size: number): Secret {
  return new Uint8Array(secretArrayBuffer(size)) as Secret;
}

/** Returns zeroed memory, from which the caller makes a {@link Secret} of another class. */
export function secretArrayBuffer(size: number): ArrayBuffer {
  return size <= SMALL_BYTES ? new ArrayBuffer(size) : large(size);
}

function large(size: number): ArrayBuffer {
  try {
    return new ArrayBuffer(size);
  } catch {
    throw outOfMemory(size);
  }
}

/** Returns a copy of the bytes in a separate ArrayBuffer. */
export function secretCopy(view: Uint8Array): Secret {
  const copy = secretMemory(sizeOf(view));
  if (copy.length > 0) copy.set(view);
  return copy;
}

const collected = /* @__PURE__ */ new FinalizationRegistry<Uint8Array>((memory) =>
  wipe(memory as Secret),
);

/** Wipes memory when its owner, to which it must not refer, is collected. Takes 500 ns. */
export function wipeWhenCollected(owner: object, memory: Uint8Array): void {
  collected.register(owner, memory);
}

/** Overwrites the bytes from `start` up to `end` with zeros, by default all of them. */
export function wipe(memory: Secret<Uint8Array>, start?: number, end?: number): void {
  memory.fill(0, start, end);
}
