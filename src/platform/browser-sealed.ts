/**
 * Sealed streams in browsers: those of the web.
 */
import { makeError } from '../errors.js';
import * as streams from '../sealed-streams.js';

/** A stream of Node's: there is none here. */
export type Duplex = never;
export type TransformStream<In, Out> = globalThis.TransformStream<In, Out>;
export type TransformStreamDefaultController<Out> = globalThis.TransformStreamDefaultController<Out>;

export function sealedStreams(): typeof streams {
  return streams;
}

export function sealedDuplexes(): { sealStream(options: unknown): Duplex; openStream(options: unknown): Duplex } {
  throw makeError('ERR_NOT_SUPPORTED', 'streams of Node.js do not exist here: use sealTransformStream and openTransformStream');
}
