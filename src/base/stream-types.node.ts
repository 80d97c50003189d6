/** The types of Node.js and web streams. */
import type { Duplex } from 'node:stream';
import type { TransformStream, TransformStreamDefaultController } from 'node:stream/web';

export type { Duplex, TransformStream, TransformStreamDefaultController };
