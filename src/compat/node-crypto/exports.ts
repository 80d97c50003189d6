/** The exports of millrace/node-crypto: Node's own, with those that Millrace serves in place. */
import { replacements as ciphers } from './ciphers.js';
import * as derivations from './derivations.js';
import { replacements as hashes } from './hashes.js';
import { availableOf, moduleExports, type Served } from './original.js';

// They are loaded at the first call.
const served: Served<'derivations'> = { ...derivations };

/** Copies properties with their getters: reading some loads WebCrypto. */
function build(): object {
  const all = Object.getOwnPropertyDescriptors(moduleExports as object) as PropertyDescriptorMap;
  for (const [name, value] of Object.entries({ ...hashes, ...ciphers, ...availableOf(served) }))
    all[name] = { ...all[name], value };
  return Object.defineProperties({}, all);
}

export const nodeCrypto = build();
