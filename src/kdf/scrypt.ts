/**
 * scrypt (RFC 7914), with the arguments of node:crypto.
 */
import { derivationCallOptionNames, scryptOptionNames } from '../base/option-names.js';
import { data, NO_BYTES, sizeOf } from '../base/arguments.js';
import { At, frame, Operation } from '../base/frame.js';
import { beginRequest, setIv, setResult, Form } from '../request/request.js';
import { keySize, scryptCost, scryptMaxmem, type ScryptCost } from '../base/kdf-costs.js';
import { setKeyInput } from '../request/key-input.js';
import { readPassword, type DerivationParser } from './derive.js';
import { accepted, none } from '../base/options.js';
import { providePasswords } from '#platform/engines/parts.js';
import type { DerivationCallOptions, ScryptOptions } from '../calls/derivations.js';

providePasswords();

type Fields = ScryptOptions & DerivationCallOptions;
/** `(password, salt, keylen[, options])`. */
export const scryptParser: DerivationParser = {
  fill: fillScrypt,
  least: 3,
  needs: 'scrypt needs a password, a salt and keylen',
  options: 3,
  name: 'options',
  takes: accepted('scrypt(password, salt, keylen)', scryptOptionNames, derivationCallOptionNames),
};

/** The same for costs that RFC 7914 forbids and other libraries accept. */
export const scryptBeyondRfc: DerivationParser = {
  ...scryptParser,
  fill: (given, count) => fillScrypt(given, count, true),
};

function fillScrypt(given: ArrayLike<unknown>, count: number, beyondRfc = false): void {
  const options = (count > 3 ? given[3] : none) as Fields;
  const cost = scryptCost(options, undefined, beyondRfc);
  const maxmem = scryptMaxmem(cost, options.maxmem);
  const size = keySize(given[2], 'keylen');
  setScryptOf(cost, maxmem, given[0], given[1], size);
}

/** Fills the request of an scrypt with a checked cost. */
export function setScryptOf(
  { N, r, p }: ScryptCost,
  maxmem: number,
  passwordGiven: unknown,
  saltGiven: unknown,
  size: number,
): void {
  const salt = data(saltGiven, 'salt');
  const password = readPassword(passwordGiven, 'password');
  beginRequest(Operation.Scrypt, 0, NO_BYTES, 0, 0);
  setKeyInput(password);
  setIv(salt, 0, sizeOf(salt));
  frame[At.Count] = N;
  frame[At.MessageSize] = r;
  frame[At.SeedLow] = p;
  frame[At.MaxMemory] = maxmem;
  setResult(size, Form.Secret);
}
