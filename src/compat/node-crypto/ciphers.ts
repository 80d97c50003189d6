/** The functions of millrace/node-crypto that encrypt and decrypt. */
import { Cipheriv, createCipheriv, createDecipheriv, Decipheriv } from './cipher.js';
import { availableOf, type Served } from './original.js';

const served: Served<'ciphers'> = { createCipheriv, Cipheriv, createDecipheriv, Decipheriv };

/** The functions that Millrace replaces, by name. */
export const replacements = availableOf(served);
