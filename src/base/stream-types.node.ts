/** The types of Node.js and web streams. */
/** @ts-ignore any without @types/node */
import type { Duplex } from 'node:stream';

export type { Duplex };
/** Of the DOM's types where a program has them, as `Blob.stream()` is; else of @types/node. */
export type TransformStream<In, Out> = globalThis.TransformStream<In, Out>;
