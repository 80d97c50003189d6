/**
 * Hashers in browsers are not Node.js streams; `hash` of millrace/promises hashes a web stream.
 */

/** Options of streams: none here. */
export interface TransformOptions {}

/** The callback of a Node.js stream. */
export type TransformCallback = (error?: Error | null, data?: unknown) => void;

export class LazyTransform {}

export function loadStream(): void {}

export function setUpLate(
  _optionsOf: (stream: object) => [TransformOptions | undefined] | undefined,
): void {}
