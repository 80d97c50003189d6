/**
 * Iterables of messages and paths. Their code is the caller's: it runs between calls, never while a
 * request is being filled, and it may reuse or change what it has given out.
 */
import { makeError, wrongType } from './errors.js';
import { isBytesView, isRevoked } from './intrinsics.js';
import { ONCE } from './options.js';
import { isNodeStream, iteratorOf, syncIteratorOf } from './sources.js';

/** Many values: in an array, or given out one after the other. */
export type Items<Item> = Iterable<Item> | AsyncIterable<Item>;

/**
 * Returns true for an object with an iterator. A string or a view of bytes is one value, although
 * it has an iterator too. Runs the traps of a Proxy.
 */
export function isIterable(value: unknown): value is Iterable<unknown> {
  return has(value, Symbol.iterator);
}

/** Works like {@link isIterable}, for `for await`. */
export function isAsyncIterable(value: unknown): value is AsyncIterable<unknown> {
  return has(value, Symbol.asyncIterator);
}

/** The superclass of typed arrays; a Proxy of one has their iterator, which throws. */
const TypedArray = Object.getPrototypeOf(Uint8Array) as new () => object;

function has(value: unknown, iterator: symbol): boolean {
  if (typeof value !== 'object' || value === null || isBytesView(value) || isRevoked(value))
    return false;
  if (value instanceof TypedArray) return false;
  return typeof (value as Record<symbol, unknown>)[iterator] === 'function';
}

/**
 * Returns the items of an array, or of an iterable, which is run to its end; an exception of `read`
 * closes it.
 */
export function readItems<Item>(
  value: unknown,
  name: string,
  expected: string,
  read: (item: unknown, name: string) => Item,
): Item[] {
  if (!isIterable(value)) {
    if (isAsyncIterable(value))
      throw makeError(
        'ERR_ARGUMENT_TYPE',
        `${name} must be ${expected}; the function of millrace/promises takes an async iterable`,
      );
    throw wrongType(name, expected, value);
  }
  const items: Item[] = [];
  const iterator = syncIteratorOf(value, name);
  for (const item of { [Symbol.iterator]: () => iterator })
    items.push(read(item, `${name}[${items.length}]`));
  return items;
}

/**
 * Calls `take` with each item until it returns false or rejects, which closes the iterator. Waits
 * for a promise of `take` before it asks for the next item. An abort closes the iterator and
 * rejects at once with the signal's reason, also while the next item is awaited.
 */
export function eachItem(
  source: Items<unknown>,
  name: string,
  signal: AbortSignal | undefined,
  take: (item: unknown, index: number) => boolean | Promise<boolean>,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const iterator = isAsyncIterable(source) ? iteratorOf(source, name) : undefined;
    const stop = (): void => {
      reject(signal!.reason as Error);
      if (iterator !== undefined) close(source, iterator);
    };
    if (signal?.aborted) return stop();
    // One listener, not a race for each item: a promise keeps every race it takes part in.
    signal?.addEventListener('abort', stop, ONCE);
    const taken = async (item: unknown, index: number): Promise<boolean> =>
      (await take(item, index)) && signal?.aborted !== true;
    (iterator === undefined
      ? takeEach(syncIteratorOf(source as Iterable<unknown>, name), take, signal)
      : takeAwaited({ [Symbol.asyncIterator]: () => iterator }, taken)
    )
      .finally(() => signal?.removeEventListener('abort', stop))
      .then(resolve, reject);
  });
}

/** Runs without a pause while `take` returns booleans. */
async function takeEach(
  iterator: Iterator<unknown>,
  take: (item: unknown, index: number) => boolean | Promise<boolean>,
  signal: AbortSignal | undefined,
): Promise<void> {
  let index = 0;
  for (const item of { [Symbol.iterator]: () => iterator }) {
    const more = take(item, index++);
    if (!(typeof more === 'boolean' ? more : await more) || signal?.aborted === true) break;
  }
}

async function takeAwaited(
  source: AsyncIterable<unknown>,
  take: (item: unknown, index: number) => Promise<boolean>,
): Promise<void> {
  let index = 0;
  for await (const item of source) if (!(await take(item, index++))) break;
}

/** Closes an iterator that may be waiting. A Node.js stream would wait for its next chunk. */
function close(source: unknown, iterator: AsyncIterator<unknown>): void {
  if (isNodeStream(source)) source.destroy();
  try {
    Promise.resolve(iterator.return?.()).catch(() => {});
  } catch {
    // The abort is the error that the caller sees.
  }
}
