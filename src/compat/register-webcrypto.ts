/**
 * Puts Millrace behind WebCrypto for a whole program: `node --import millrace/register-webcrypto
 * app.js`, or with `--require`. It replaces methods of the platform's SubtleCrypto, so that
 * `globalThis.crypto` and `webcrypto` of node:crypto have them. Worker threads inherit it.
 *
 * @packageDocumentation
 */
import { allMethods, platformSubtle, subtlePrototype, type Method } from './webcrypto/original.js';

type CallLog = typeof import('./node-crypto/call-log-output.js');
type Subtle = typeof import('./webcrypto/subtle.js');

/** The methods that load Millrace's: a program that calls none of them starts without it. */
const first = new Map<string, Method>();
let loaded: Readonly<Record<string, Method>> | undefined;

const { env } = process;
const { apply } = Reflect;
if (Object.hasOwn(env, 'MILLRACE_REGISTER_LOG') && env.MILLRACE_REGISTER_LOG === '1')
  (require('./node-crypto/call-log-output.js') as CallLog).logCalls();
for (const [name, theirs] of allMethods) {
  const method = {
    async [name](this: unknown, ...given: unknown[]): Promise<unknown> {
      return await apply(load()[name]!, this, given);
    },
  }[name]!;
  Object.defineProperty(method, 'length', { value: theirs.length, configurable: true });
  first.set(name, method);
  put(name, method);
}

/** Returns Millrace's methods, and puts them in place when they are loaded. */
function load(): Readonly<Record<string, Method>> {
  if (loaded !== undefined) return loaded;
  const { subtleMethods } = require('./webcrypto/subtle.js') as Subtle;
  loaded = subtleMethods((receiver) => receiver === platformSubtle);
  // A program may have replaced some of them by others, which call them.
  for (const [name, own] of Object.entries(loaded))
    if (subtlePrototype[name] === first.get(name)) put(name, own);
  return loaded;
}

function put(name: string, value: Method): void {
  Object.defineProperty(subtlePrototype, name, {
    ...Object.getOwnPropertyDescriptor(subtlePrototype, 'digest'),
    value,
  });
}
