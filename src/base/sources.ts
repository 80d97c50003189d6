/**
 * Sources that were read before they were given, such as a request after a body parser: nothing, or
 * an unknown rest, is left in them, and the digest of nothing is the same for every message.
 *
 * Node.js streams, web streams, and iterators that Millrace itself has read are refused. An
 * iterator that other code has read, and in browsers a web stream that is not locked any more, look
 * like new ones.
 */
import { makeError, wrongType } from './errors.js';
import { featureOf } from './features.js';
import { isDisturbed } from '#platform/base/runtime.js';

/** The parts of a Node.js stream that are used here; old ones lack some. */
export interface NodeStream {
  pipe(...given: never[]): unknown;
  on(event: 'error', listener: () => void): this;
  destroy(reason?: Error): unknown;
  readonly destroyed?: boolean;
  readonly errored?: Error | null;
  readonly readableDidRead?: boolean;
  readonly readableEnded?: boolean;
  /** That of the package readable-stream tells more than its properties. */
  readonly _readableState?: { readonly endEmitted?: boolean };
}

/** Checks by shape, as loading node:stream takes longer than loading this package. */
export function isNodeStream<Source>(source: Source): source is Source & NodeStream {
  const { pipe, destroy } = source as Partial<NodeStream>;
  return typeof pipe === 'function' && typeof destroy === 'function';
}

/** The streams and iterators that calls have begun to read. */
const begun = new WeakSet<object>();

/**
 * Refuses a stream that was read before.
 *
 * @throws MillraceError ERR_SOURCE_CONSUMED; the stream's own error if it has failed
 */
export function refuseConsumed(source: object, name: string): void {
  if (isNodeStream(source)) {
    if (source.errored) throw source.errored;
    if (
      begun.has(source) ||
      source.readableDidRead === true ||
      source.destroyed === true ||
      hasEnded(source)
    )
      throw consumed(name);
    begun.add(source);
  } else if (typeof featureOf(source as ReadableStream, 'getReader') === 'function') {
    if ((source as ReadableStream).locked || isDisturbed(source)) throw consumed(name);
  }
}

/**
 * Returns the iterator of a source that was not read before.
 *
 * @throws MillraceError ERR_SOURCE_CONSUMED; the error of a stream that has failed
 */
export function iteratorOf<Item>(source: AsyncIterable<Item>, name: string): AsyncIterator<Item> {
  refuseConsumed(source, name);
  return newIterator(begin(source, Symbol.asyncIterator, name), source, name);
}

/** Works like {@link iteratorOf}, for an iterable that does not wait. */
export function syncIteratorOf<Item>(source: Iterable<Item>, name: string): Iterator<Item> {
  return newIterator(begin(source, Symbol.iterator, name), source, name);
}

/** Calls the method of an iterable, which may be another value. */
function begin<Name extends symbol, Kind>(
  source: { [Key in Name]: () => Kind },
  method: Name,
  name: string,
): Kind {
  if (typeof source[method] !== 'function') throw wrongType(name, 'an iterable', source);
  return source[method]();
}

/**
 * Returns the iterator. Refuses one that was read before and is its own iterable, such as a
 * generator.
 */
function newIterator<Kind extends object>(iterator: Kind, source: object, name: string): Kind {
  if (iterator !== source) return iterator;
  if (begun.has(iterator)) throw consumed(name);
  begun.add(iterator);
  return iterator;
}

/**
 * Destroys a stream that a source is piped into which has returned its end: the pipe would end at
 * once, after no byte.
 */
export function refuseEnded(stream: NodeStream, source: unknown): void {
  if (hasEnded(source as NodeStream)) stream.destroy(consumed('pipe'));
}

function hasEnded({ readableEnded, _readableState }: NodeStream): boolean {
  return readableEnded === true || _readableState?.endEmitted === true;
}

function consumed(name: string): Error {
  return makeError(
    'ERR_SOURCE_CONSUMED',
    `${name}: the stream or iterator was read before, so that its bytes are lost. Hash them where ` +
      'they are read (of a request the raw body, before it is parsed), or tee() a web stream',
  );
}
