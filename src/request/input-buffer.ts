/**
 * Encodes short strings into memory that is reused: 35 ns, where a new Buffer takes 65 to 150 ns.
 */

import { inputBuffer, GATHERED_MAX, TEXT_MAX } from '../base/frame.js';
import { secretMemory, type Secret } from '../base/secret-memory.js';

/** The most UTF-16 units of a short string; each may become three bytes. */
const SHORT = TEXT_MAX / 3;

/** The bytes of the last short string, valid until the next one. */
export const textScratch = new Uint8Array(inputBuffer.buffer, GATHERED_MAX, TEXT_MAX);
/** Their offset in the input buffer, in bytes. */
export const TEXT_OFFSET = GATHERED_MAX;
/** The same for keys; wiped after use. */
export const keyScratch: Secret = secretMemory(TEXT_MAX);

const encoder = new TextEncoder();
// Captured at load: no patched method may run while a request is being filled.
const encodeInto = encoder.encodeInto;

export function isShort(text: string): boolean {
  return text.length <= SHORT;
}

/**
 * Encodes a short string as UTF-8 and returns its size in bytes. Lone surrogates become U+FFFD, as
 * in Node.
 */
export function encodeShort(text: string, scratch: Uint8Array): number {
  return encodeInto.call(encoder, text, scratch).written;
}
