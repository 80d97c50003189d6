/** generateKeyPair of `millrace`, with a callback as node:crypto has it. */
import type { KeyPair } from '../calls/public-keys.js';
import { keyPairParser } from '../operations/key-pairs.js';
import { perform } from './call.js';

/** Runs the call; a callback gets an error alone, or null and both keys. */
export function performKeyPair(given: IArguments): unknown {
  const last = given.length - 1;
  const callback: unknown = last >= 0 ? given[last] : undefined;
  if (typeof callback === 'function')
    given[last] = (error: unknown, pair: KeyPair): void => {
      if (error === null) callback(null, pair.publicKey, pair.privateKey);
      else callback(error);
    };
  return perform(keyPairParser, given);
}
