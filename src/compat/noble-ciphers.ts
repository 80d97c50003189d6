/**
 * The modules of `@noble/ciphers` over Millrace. Programs import the sub-paths, as they do noble's:
 * `millrace/noble-ciphers/aes.js` has the interface of version 2 and
 * `millrace/noble-ciphers/v1/aes.js` that of version 1. This module has all of them by sub-path,
 * and the functions that say where noble itself is and what it computes.
 *
 * @packageDocumentation
 */
export type { Cipher, CipherFunction, XorStream } from './noble/cipher-objects.js';
export type { KeyWrapFunction } from './noble/key-wraps.js';
export type { MajorVersion, NobleModule, NoblePackage, NobleSource } from './noble/original.js';

export { v1, v2 } from './noble/cipher-modules.js';
export { useNoble, nobleCalls, knownNoble } from './noble/original.js';
