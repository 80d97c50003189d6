/** The exports of millrace/node-crypto: Node's own, with those that Millrace serves in place. */
import { replacements as ciphers } from './ciphers.js';
import * as derivations from './derivations.js';
import { replacements as hashes } from './hashes.js';
import { availableOf, moduleExports, servedBy, type Served } from './original.js';

// They are loaded at the first call.
const served: Served<'derivations'> = { ...derivations };
type PublicKeys = typeof import('./public-keys.js');
const publicKeys = Object.fromEntries(
  servedBy.publicKeys.map((name) => [
    name,
    (...given: unknown[]): unknown => {
      const loaded: Served<'publicKeys'> = require('./public-keys.js') as PublicKeys;
      return Reflect.apply(loaded[name] as never, undefined, given);
    },
  ]),
);

/** Copies properties with their getters: reading some loads WebCrypto. */
function build(): object {
  const all = Object.getOwnPropertyDescriptors(moduleExports as object) as PropertyDescriptorMap;
  // Those of Millrace, for its keys, where Node.js has none.
  for (const name of ['encapsulate', 'decapsulate']) {
    if (Object.hasOwn(all, name)) continue;
    const value = publicKeys[name];
    all[name] = { value, writable: true, enumerable: true, configurable: true };
  }
  const available = availableOf({ ...served, ...publicKeys });
  for (const [name, value] of Object.entries({ ...hashes, ...ciphers, ...available }))
    all[name] = { ...all[name], value };
  return Object.defineProperties({}, all);
}

export const nodeCrypto = build();
