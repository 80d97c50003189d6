/** The types of Node.js and web streams, and the names of their options. */
/** @ts-ignore any without @types/node */
import type { Duplex } from 'node:stream';

export type { Duplex };
/** Of the DOM's types where a program has them, as `Blob.stream()` is; else of @types/node. */
export type TransformStream<In, Out> = globalThis.TransformStream<In, Out>;

/** The names of stream options. */
export const streamNames = [
  'allowHalfOpen autoDestroy construct decodeStrings defaultEncoding destroy emitClose',
  'encoding final flush highWaterMark objectMode read readableHighWaterMark',
  'readableObjectMode signal transform writableCorked writableHighWaterMark',
  'writableObjectMode write writev',
] as const;
