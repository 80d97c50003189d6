/**
 * The platform's WebCrypto, captured when this module is loaded: millrace/register-webcrypto
 * replaces methods of its prototype. That loads this module first, so it loads nothing else.
 */
import type { PlatformCrypto } from '#platform/base/runtime.js';

export type Method = (...given: unknown[]) => Promise<unknown>;

interface Globals {
  readonly crypto: PlatformCrypto;
  readonly CryptoKey: { readonly prototype: object };
  readonly DOMException: new (message: string, name: string) => Error;
}

/** Pages that are not secure contexts, and test runners, may lack some of these. */
const {
  crypto = {} as PlatformCrypto,
  CryptoKey = class {},
  DOMException,
} = globalThis as unknown as Globals;
const subtle = crypto.subtle ?? (new (class {})() as PlatformCrypto['subtle']);

export { crypto as platformCrypto, subtle as platformSubtle, CryptoKey, DOMException };

/** The platform's SubtleCrypto.prototype; millrace/register-webcrypto replaces its methods. */
export const subtlePrototype = Object.getPrototypeOf(subtle) as Record<string, Method>;

/** The platform's methods by name. */
export const platformMethods: ReadonlyMap<string, Method> = new Map(
  Object.getOwnPropertyNames(subtlePrototype)
    .filter((name) => name !== 'constructor' && typeof subtlePrototype[name] === 'function')
    .map((name) => [name, subtlePrototype[name]!]),
);

/** The methods that earlier versions of the platform lack, with their lengths. */
const added: Readonly<Record<string, number>> = {
  getPublicKey: 2,
  encapsulateBits: 2,
  encapsulateKey: 5,
  decapsulateBits: 3,
  decapsulateKey: 6,
};

/** The methods of the platform, and in place of those that it lacks ones that reject. */
export const allMethods: ReadonlyMap<string, Method> = new Map([
  ...Object.entries(added).map(([name, length]): [string, Method] => {
    const refused: Method = () =>
      Promise.reject(
        new TypeError(`${name} takes ${length} arguments, and is a method of SubtleCrypto`),
      );
    return [name, Object.defineProperty(refused, 'length', { value: length })];
  }),
  ...platformMethods,
]);
