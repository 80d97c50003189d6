/**
 * PBKDF2 (RFC 8018) over HMAC, with the arguments of node:crypto.
 */
import { data, NO_BYTES, sizeOf } from '../base/arguments.js';
import { At, frame, Operation } from '../base/frame.js';
import { beginRequest, setIv, setResult, Form } from '../request/request.js';
import { hashFacts } from '../catalog/catalog.js';
import type { HashFacts } from '../catalog/facts.js';
import { makeError } from '../base/errors.js';
import { keySize } from '../base/kdf-costs.js';
import { between } from '../base/numbers.js';
import { setKeyInput } from '../request/key-input.js';
import { accepted, type Accepted } from '../base/options.js';
import {
  derivationNames,
  readPassword,
  type DerivationCallOptions,
  type DerivationParser,
} from './derive.js';

const SIGNATURE = 'pbkdf2(password, salt, iterations, keylen, digest)';
const takes: Accepted<keyof DerivationCallOptions> = accepted(SIGNATURE, derivationNames);

/** `(password, salt, iterations, keylen, digest[, options])`. */
export const pbkdf2Parser: DerivationParser = {
  fill: fillPbkdf2,
  options: 5,
  name: 'options',
  takes,
};

function fillPbkdf2(given: ArrayLike<unknown>, count: number): void {
  if (count < 5)
    throw makeError(
      'ERR_MISSING_ARGUMENT',
      'pbkdf2 needs a password, a salt, iterations, keylen and a digest',
    );
  const iterations = between(given[2], 1, 2 ** 32 - 1, 'iterations');
  const size = keySize(given[3], 'keylen');
  const facts = digestFacts(given[4]);
  const salt = data(given[1], 'salt');
  const password = readPassword(given[0], 'password');
  beginRequest(Operation.Pbkdf2, facts.id, NO_BYTES, 0, 0);
  setKeyInput(password);
  setIv(salt, 0, sizeOf(salt));
  frame[At.Count] = iterations;
  setResult(size, Form.Secret);
}

/** Returns the hash of that name; throws if it has no HMAC. */
export function digestFacts(name: unknown): HashFacts {
  const facts = hashFacts(name, 'digest');
  if (facts.hmac) return facts;
  throw makeError('ERR_ARGUMENT_VALUE', `digest: there is no HMAC over ${facts.name}`);
}
