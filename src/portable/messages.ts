/**
 * Many messages in one operation, and their sizes.
 */
import { At, Flag, Status } from '../base/frame.js';
import { isSize, made, part, refuse } from './windows.js';
import type { Work } from './work.js';

/** Returns the number of messages. */
export function messageCount({ views, numbers, iv }: Work): number {
  if (views !== undefined) return views.length;
  return (numbers[At.Flags]! & Flag.HasSizes) !== 0 ? iv.length >>> 3 : numbers[At.Count]!;
}

/** Returns the messages, which are windows of the source or in their own memory. */
export function* messagesOf(work: Work): Generator<Uint8Array, void, undefined> {
  const { views, numbers, iv, source } = work;
  if (views !== undefined) {
    yield* views;
    return;
  }
  const count = messageCount(work);
  if (!isSize(count)) refuse(Status.Argument);
  // The sizes are in the byte order of this machine, and need not be aligned.
  const sizes =
    (numbers[At.Flags]! & Flag.HasSizes) !== 0
      ? new Float64Array(Uint8Array.from(iv.subarray(0, 8 * count)).buffer)
      : undefined;
  for (let index = 0, offset = 0; index < count; index++) {
    const size = sizes === undefined ? numbers[At.MessageSize]! : sizes[index]!;
    if (!isSize(size) || offset + size > source.length) refuse(Status.Argument);
    yield part(source, offset, size);
    offset += size;
  }
}

/** Returns messages in separate memory as one copy, with their sizes. */
export function joined(work: Work, views: readonly Uint8Array[]): Work {
  const numbers = work.numbers.slice();
  numbers[At.Flags] = (numbers[At.Flags]! | Flag.HasSizes | Flag.HasIv) & ~Flag.HasViews;
  const sizes = new Float64Array(views.length);
  const source = made(views.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const [index, view] of views.entries()) {
    sizes[index] = view.length;
    source.set(view, at);
    at += view.length;
  }
  return { ...work, numbers, views: undefined, source, iv: new Uint8Array(sizes.buffer) };
}
