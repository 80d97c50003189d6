/**
 * Hashers in browsers are no streams of Node's. Who has a stream hands it to `hash` of
 * millrace/promises.
 */

import type { Names } from '../../request/options.js';

/** Options of streams: there are none here. */
export interface TransformOptions {}

/** Their names. */
export const streamNames: Names<TransformOptions> = {};

/** How a stream of Node's is told that a chunk was taken. */
export type TransformCallback = (error?: Error | null, data?: unknown) => void;

export class LazyTransform {}

export function loadStream(): void {}

export function setUpLate(
  _optionsOf: (stream: object) => [TransformOptions | undefined] | undefined,
): void {}
