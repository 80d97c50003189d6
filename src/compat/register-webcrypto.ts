/**
 * Puts Millrace behind WebCrypto for a whole program: `node --import millrace/register-webcrypto
 * app.js`, or with `--require`. It replaces methods of the platform's SubtleCrypto, so that
 * `globalThis.crypto` and `webcrypto` of node:crypto have them. Worker threads inherit it.
 *
 * @packageDocumentation
 */
import { logCalls } from './node-crypto/call-log-output.js';
import { platformSubtle, subtlePrototype } from './webcrypto/platform.js';
import { subtleMethods } from './webcrypto/subtle.js';

logCalls();
for (const [name, value] of Object.entries(
  subtleMethods((receiver) => receiver === platformSubtle),
))
  Object.defineProperty(subtlePrototype, name, {
    ...Object.getOwnPropertyDescriptor(subtlePrototype, 'digest'),
    value,
  });
