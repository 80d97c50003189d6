/**
 * The library that implements each algorithm. A test compares the versions with the installed ones.
 */
import { ciphers } from '../catalog/catalog-table.js';
import { NOBLE_COMPRESSION } from './hashes/families.js';

/** Versions by library; `millrace` is code of this package. */
export const libraries = {
  '@noble/ciphers': '2.4.0',
  '@noble/hashes': '2.4.0',
  'hash-wasm': '4.13.0',
  millrace: '0.1.0',
} as const;

export type Library = keyof typeof libraries;

/** Returns the library that does most of an algorithm's work. */
export function libraryOf(name: string): Library {
  if (NOBLE_COMPRESSION.includes(name)) return '@noble/hashes';
  return ciphers.some((facts) => facts.name === name) && name.includes('poly1305')
    ? '@noble/ciphers'
    : 'millrace';
}
