/**
 * HKDF (RFC 5869), with the arguments of node:crypto.
 */
import { data, NO_BYTES, sizeOf } from '../base/arguments.js';
import { Operation } from '../base/frame.js';
import { setAad, beginRequest, setIv, setResult, Form } from '../request/request.js';
import { makeError } from '../base/errors.js';
import { hkdfSize, shortPrk } from '../base/kdf-costs.js';
import { secretSize, wipeCopy } from '../base/secret-copy.js';
import { setKeyInput } from '../request/key-input.js';
import {
  readPassword,
  type DerivationParser,
  derivationNames,
  type DerivationCallOptions,
} from './derive.js';
import { accepted, type Accepted } from '../base/options.js';
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

/** `(digest, ikm, salt[, options])`. */
const hkdfExtractParser: DerivationParser = {
  fill: fillExtract,
  options: 3,
  name: 'options',
  takes: accepted('hkdf.extract(digest, ikm, salt)', derivationNames),
};

/** `(digest, prk, info, keylen[, options])`. */
export const hkdfExpandParser: DerivationParser = {
  fill: fillExpand,
  options: 4,
  name: 'options',
  takes: accepted('hkdf.expand(digest, prk, info, keylen)', derivationNames),
};

/** Returns the parser of HKDF or of one of its parts. */
export function hkdfParserOf(part: 'both' | 'extract' | 'expand'): DerivationParser {
  return part === 'both' ? hkdfParser : part === 'extract' ? hkdfExtractParser : hkdfExpandParser;
}

function fillExtract(given: ArrayLike<unknown>, count: number): void {
  if (count < 3)
    throw makeError('ERR_MISSING_ARGUMENT', 'hkdf.extract needs a digest, ikm and a salt');
  const facts = digestFacts(given[0]);
  const salt = data(given[2], 'salt');
  const ikm = readPassword(given[1], 'ikm');
  beginRequest(Operation.HkdfExtract, facts.id, NO_BYTES, 0, 0);
  setKeyInput(ikm);
  setIv(salt, 0, sizeOf(salt));
  setResult(facts.digestSize, Form.Secret);
}

function fillExpand(given: ArrayLike<unknown>, count: number): void {
  if (count < 4)
    throw makeError('ERR_MISSING_ARGUMENT', 'hkdf.expand needs a digest, a prk, info and keylen');
  const facts = digestFacts(given[0]);
  const size = hkdfSize(given[3], facts.name, facts.digestSize);
  const info = data(given[2], 'info');
  const prk = readPassword(given[1], 'prk');
  const found = secretSize(prk);
  if (found < facts.digestSize) {
    wipeCopy(prk);
    throw shortPrk(facts.name, facts.digestSize, found);
  }
  beginRequest(Operation.HkdfExpand, facts.id, NO_BYTES, 0, 0);
  setKeyInput(prk);
  setAad(info, 0, sizeOf(info));
  setResult(size, Form.Secret);
}

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
