/** The exports of millrace/node-crypto: Node's own, with those that Millrace serves in place. */
import { counted } from './call-log.js';
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
import { moduleExports, setFipsMode } from './original.js';

type Function = (...given: never[]) => unknown;

const served: Readonly<Record<string, Function>> = {
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
  Object.entries(served).filter(([name, own]) => {
    const theirs = valueOf(name);
    if (typeof theirs !== 'function') return false;
    for (const property of ['name', 'length'] as const)
      Object.defineProperty(own, property, { value: theirs[property], configurable: true });
    return true;
  }),
);

/**
 * Returns Node's functions that count their calls, in place of those that Millrace does not
 * replace. Getters, classes and constants remain as they are.
 */
export function countingFunctions(): Readonly<Record<string, object>> {
  const found: Record<string, object> = {};
  for (const [name, { value, writable }] of Object.entries(
    Object.getOwnPropertyDescriptors(moduleExports as object),
  )) {
    if (typeof value === 'function' && writable && /^[a-z]/.test(name) && !(name in replacements))
      found[name] = counted(name, value as object);
  }
  return found;
}

function valueOf(name: string): Function | undefined {
  return Object.getOwnPropertyDescriptor(moduleExports, name)?.value as Function | undefined;
}

/** Copies properties with their getters: reading some loads WebCrypto. */
function build(): object {
  const all = Object.getOwnPropertyDescriptors(moduleExports as object) as PropertyDescriptorMap;
  for (const [name, value] of Object.entries(replacements)) all[name] = { ...all[name], value };
  return Object.defineProperties({}, all);
}

export const nodeCrypto = build();
