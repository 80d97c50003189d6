/** The exports of millrace/node-crypto: Node's own, with those that Millrace serves in place. */
import { Cipheriv, createCipheriv, createDecipheriv, Decipheriv } from './cipher.js';
import {
  argon2,
  argon2Sync,
  hkdf,
  hkdfSync,
  pbkdf2,
  pbkdf2Sync,
  scrypt,
  scryptSync,
} from './derivations.js';
import { createHash, hash, Hash } from './hash.js';
import { createHmac, Hmac } from './hmac.js';
import { moduleExports, nameAs, nodeFunction, servedNames } from './original.js';
import { setFipsMode } from './serving.js';

type Function = (...given: never[]) => unknown;

const served: Readonly<Record<(typeof servedNames)[number], Function>> = {
  createHash,
  Hash,
  createHmac,
  Hmac,
  hash,
  createCipheriv,
  Cipheriv,
  createDecipheriv,
  Decipheriv,
  scrypt,
  scryptSync,
  pbkdf2,
  pbkdf2Sync,
  hkdf,
  hkdfSync,
  argon2,
  argon2Sync,
  setFips: setFipsMode,
};

/** The functions that Millrace replaces, by name: those that this version of Node.js has. */
export const replacements: Readonly<Record<string, Function>> = Object.fromEntries(
  servedNames.flatMap((name) => {
    const theirs = nodeFunction(name);
    if (theirs === undefined) return [];
    nameAs(served[name], theirs);
    return [[name, served[name]]];
  }),
);

/** Copies properties with their getters: reading some loads WebCrypto. */
function build(): object {
  const all = Object.getOwnPropertyDescriptors(moduleExports as object) as PropertyDescriptorMap;
  for (const [name, value] of Object.entries(replacements)) all[name] = { ...all[name], value };
  return Object.defineProperties({}, all);
}

export const nodeCrypto = build();
