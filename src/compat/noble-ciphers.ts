/**
 * The modules of `@noble/ciphers` over Millrace. Programs import the sub-paths, as they do noble's:
 * `millrace/noble-ciphers/aes.js` has the interface of version 2 and
 * `millrace/noble-ciphers/v1/aes.js` that of version 1. This module has all of them by sub-path,
 * and the functions that say where noble itself is and what it computes.
 *
 * @packageDocumentation
 */
import { ciphers1, ciphers2 } from './noble/cipher-modules.js';
import * as original from './noble/original.js';

export type { Cipher, CipherFunction, XorStream } from './noble/cipher-objects.js';
export type { KeyWrapFunction } from './noble/key-wraps.js';
export type { MajorVersion, NobleModule, NoblePackage, NobleSource } from './noble/original.js';

/** The modules of @noble/ciphers 2 by sub-path: `v2.aes.gcm`. */
export const v2: typeof ciphers2 = ciphers2;
/** The modules of @noble/ciphers 1 by sub-path: `v1.aes.gcm`. */
export const v1: typeof ciphers1 = ciphers1;
/** Sets where noble itself comes from. */
export const useNoble = original.useNoble;
/** Returns how many calls noble itself has served, by name. */
export const nobleCalls = original.nobleCalls;
/** The versions of noble that the modules stand in for. */
export const knownNoble = original.known;
