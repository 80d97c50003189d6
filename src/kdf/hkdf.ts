/**
 * HKDF (RFC 5869), with the arguments of node:crypto.
 */
import { data, NO_BYTES, sizeOf } from '../arguments.js';
import { Operation } from '../frame.js';
import { describeAad, describeCall, describeIv, describeKey, describeResult, Form, wipeLater } from '../call.js';
import { makeError, wrongType } from '../errors.js';
import { isKeyObject, type KeyObject } from '../platform/node.js';
import { accepted, type Accepted } from '../options.js';
import { derivationNames, describePassword, keySize, type DerivationCallOptions, type DerivationParser } from './derive.js';
import { digestFacts } from './pbkdf2.js';

const SIGNATURE = 'hkdf(digest, ikm, salt, info, keylen)';
const takes: Accepted<keyof DerivationCallOptions> = accepted(SIGNATURE, derivationNames);

/** `(digest, ikm, salt, info, keylen[, options])`. */
export const hkdfParser: DerivationParser = { describe: describeHkdf, options: 5, name: 'options', takes };

function describeHkdf(given: ArrayLike<unknown>, count: number): void {
  if (count < 5) throw makeError('ERR_MISSING_ARGUMENT', 'hkdf needs a digest, ikm, a salt, info and keylen');
  const facts = digestFacts(given[0]);
  const size = keySize(given[4], 'keylen');
  if (size > 255 * facts.digestSize) {
    throw makeError('ERR_OUTPUT_SIZE', `keylen must be at most 255 digests of ${facts.name}, ${255 * facts.digestSize} bytes, not ${size}`);
  }
  const ikm = isKeyObject(given[1]) ? exported(given[1]) : given[1];
  const salt = data(given[2], 'salt');
  const info = data(given[3], 'info');
  describeCall(Operation.Hkdf, facts.id, NO_BYTES, 0, 0);
  if (ikm instanceof Exported) describeKey(ikm.bytes, 0, sizeOf(ikm.bytes));
  else describePassword(ikm, 'ikm');
  describeIv(salt, 0, sizeOf(salt));
  describeAad(info, 0, sizeOf(info));
  describeResult(size, Form.Secret);
}

/** The bytes of a KeyObject, to be wiped. */
class Exported {
  constructor(readonly bytes: Uint8Array) {
    wipeLater(bytes);
  }
}

function exported(key: KeyObject): Exported {
  if (key.type !== 'secret') throw wrongType('ikm', 'a secret KeyObject, not a public or private one,', key);
  return new Exported(key.export());
}
