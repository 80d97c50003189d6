/**
 * Node's own node:crypto, captured when this module is loaded. Everything here that calls Node uses
 * these functions: millrace/register replaces those of the module. It loads nothing else, as
 * millrace/register does so at once.
 */
import crypto = require('node:crypto');
import { types } from './key-types.js';

/** The functions and classes that Millrace replaces, if Node.js has them, by their module. */
export const servedBy = {
  hashes: ['createHash', 'Hash', 'createHmac', 'Hmac', 'hash', 'setFips'],
  ciphers: ['createCipheriv', 'Cipheriv', 'createDecipheriv', 'Decipheriv'],
  derivations: [
    'scrypt',
    'scryptSync',
    'pbkdf2',
    'pbkdf2Sync',
    'hkdf',
    'hkdfSync',
    'argon2',
    'argon2Sync',
  ],
  publicKeys: [
    'createPrivateKey',
    'createPublicKey',
    'sign',
    'verify',
    'createSign',
    'createVerify',
    'diffieHellman',
    'generateKeyPair',
    'generateKeyPairSync',
    'publicEncrypt',
    'privateDecrypt',
    'encapsulate',
    'decapsulate',
  ],
} as const;

/** Functions and classes that stay Node's and that other modules use. */
const others = ['getFips', 'Sign', 'Verify'] as const;

type ServedBy = typeof servedBy;
type OriginalName = ServedBy[keyof ServedBy][number] | (typeof others)[number];

/** The functions and classes that the installed types of Node.js 20 lack. */
interface OtherTypes {
  readonly hash: ((...given: unknown[]) => unknown) | undefined;
  readonly argon2: ((...given: unknown[]) => void) | undefined;
  readonly argon2Sync: ((...given: unknown[]) => Buffer) | undefined;
  readonly diffieHellman: (...given: never[]) => unknown;
  readonly encapsulate: ((...given: unknown[]) => unknown) | undefined;
  readonly decapsulate: ((...given: unknown[]) => unknown) | undefined;
  readonly Cipheriv: { readonly prototype: object };
  readonly Decipheriv: { readonly prototype: object };
}

/** Node's functions. */
export const original = Object.fromEntries(
  [...Object.values(servedBy).flat(), ...others].map((name) => [name, nodeFunction(name)]),
) as unknown as OtherTypes &
  Pick<typeof crypto, Exclude<OriginalName & keyof typeof crypto, keyof OtherTypes>>;

/**
 * Calls one of Node's functions with arguments as they were given, valid or not. Node's errors for
 * invalid ones are the reason to call it.
 */
export function callNode(function_: unknown, given: ArrayLike<unknown>): never {
  return Reflect.apply(function_ as (...given: unknown[]) => never, undefined, given) as never;
}

/** The exports of node:crypto as they are now. */
export const moduleExports = crypto;

/** The functions of one of these modules, by name. */
export type Served<Module extends keyof ServedBy> = Readonly<
  Record<ServedBy[Module][number], Function>
>;

export type Function = (...given: never[]) => unknown;

/** Returns Node's function or class of a name, without running a getter. */
export function nodeFunction(name: string): Function | undefined {
  const value: unknown = Object.getOwnPropertyDescriptor(crypto, name)?.value;
  return typeof value === 'function' ? (value as Function) : undefined;
}

/**
 * Gives a function the name, the length, the text and what util.promisify reads of Node's: packages
 * look for names of parameters in the text.
 */
export function nameAs(own: Function, theirs: Function): void {
  const value = Function.prototype.toString.bind(theirs);
  Object.defineProperty(own, 'toString', { value, writable: true, configurable: true });
  for (const property of ['name', 'length', ...Object.getOwnPropertySymbols(theirs)] as const)
    Object.defineProperty(own, property, {
      value: theirs[property as 'name'],
      configurable: true,
    });
}

/** Returns those functions that this version of Node.js has, named as Node's. */
export function availableOf(served: Readonly<Record<string, Function>>): Record<string, Function> {
  return Object.fromEntries(
    Object.entries(served).filter(([name, own]) => {
      const theirs = nodeFunction(name);
      if (theirs !== undefined) nameAs(own, theirs);
      return theirs !== undefined;
    }),
  );
}

/**
 * Returns true if reading an option runs no code of the caller. Node.js reads the options of other
 * objects, once and in its order.
 */
export function isPlain(options: unknown, name: string): boolean {
  if (options === null || types.isProxy(options)) return false;
  const own = Object.getOwnPropertyDescriptor(options, name);
  if (own !== undefined) return own.get === undefined && own.set === undefined;
  const prototype = Object.getPrototypeOf(options) as object | null;
  return prototype === null || (prototype === Object.prototype && !(name in prototype));
}

/** Values by name. */
export type Values = Readonly<Record<string, unknown>>;

/** Returns a copy of properties, undefined if reading one runs code of the caller. */
export function plainCopy(
  value: unknown,
  names: readonly string[],
): Record<string, unknown> | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const copy = { __proto__: null } as Record<string, unknown>;
  for (let index = 0; index < names.length; index++) {
    const name = names[index]!;
    if (!isPlain(value, name)) return undefined;
    copy[name] = (value as Values)[name];
  }
  return copy;
}
