/**
 * HKDF (RFC 5869), with the arguments of node:crypto.
 */
import { data, NO_BYTES, sizeOf } from '../request/arguments.js';
import { Operation } from '../request/frame.js';
import { setAad, beginRequest, setIv, setResult, Form } from '../request/request.js';
import { makeError } from '../request/errors.js';
import { hkdfSize } from '../request/kdf-costs.js';
import { setKeyInput } from '../request/key-input.js';
import {
  readPassword,
  type DerivationParser,
  derivationNames,
  type DerivationCallOptions,
} from './derive.js';
import { accepted, type Accepted } from '../request/options.js';
import { digestFacts } from './pbkdf2.js';

const SIGNATURE = 'hkdf(digest, ikm, salt, info, keylen)';
const takes: Accepted<keyof DerivationCallOptions> = accepted(SIGNATURE, derivationNames);

/** `(digest, ikm, salt, info, keylen[, options])`. */
export const hkdfParser: DerivationParser = {
  fill: fillHkdf,
  options: 5,
  name: 'options',
  takes,
};

function fillHkdf(given: ArrayLike<unknown>, count: number): void {
  if (count < 5)
    throw makeError('ERR_MISSING_ARGUMENT', 'hkdf needs a digest, ikm, a salt, info and keylen');
  const facts = digestFacts(given[0]);
  const size = hkdfSize(given[4], facts.name, facts.digestSize);
  const salt = data(given[2], 'salt');
  const info = data(given[3], 'info');
  const ikm = readPassword(given[1], 'ikm');
  beginRequest(Operation.Hkdf, facts.id, NO_BYTES, 0, 0);
  setKeyInput(ikm);
  setIv(salt, 0, sizeOf(salt));
  setAad(info, 0, sizeOf(info));
  setResult(size, Form.Secret);
}
