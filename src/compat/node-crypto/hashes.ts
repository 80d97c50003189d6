/** The functions of millrace/node-crypto that hash. */
import { createHash, hash, Hash } from './hash.js';
import { createHmac, Hmac } from './hmac.js';
import { availableOf, type Served } from './original.js';
import { setFipsMode } from './serving.js';

const served: Served<'hashes'> = { createHash, Hash, createHmac, Hmac, hash, setFips: setFipsMode };

/** The functions that Millrace replaces, by name. */
export const replacements = availableOf(served);
