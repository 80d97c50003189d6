/**
 * scrypt (RFC 7914) and Argon2 (RFC 9106), with the arguments of node:crypto, and what password
 * hashes share with them: from arguments to a request.
 */
import {
  argon2CallParameterNames,
  derivationCallOptionNames,
  scryptOptionNames,
} from '../base/option-names.js';
import { data, NO_BYTES, sizeOf, unsigned } from '../base/arguments.js';
import { At, frame, Operation } from '../base/frame.js';
import { Form, setAad, setIv, setResult } from '../request/request.js';
import { makeError } from '../base/errors.js';
import {
  argon2Kind,
  argon2Version,
  checkArgon2Salt,
  keySize,
  scryptCost,
  scryptMaxmem,
  type ScryptCost,
} from '../base/kdf-costs.js';
import { between } from '../base/numbers.js';
import { none } from '../base/options.js';
import {
  beginDerivation,
  derivePromise,
  parserFor,
  readPassword,
  readSecrets,
  type Arguments,
  type DerivationParser,
  type Password,
} from './derive.js';
import type { Argon2CallParameters, Argon2Cost, ScryptOptions } from '../calls/derivations.js';
import { providePasswords } from '#platform/engines/parts.js';

providePasswords();

/** A checked cost as the request has it; 0 for what an algorithm has not. */
export interface Cost {
  /** N of scrypt, passes of Argon2, the base-2 logarithm of the rounds of bcrypt. */
  readonly count: number;
  /** The block size of scrypt, KiB of Argon2. */
  readonly memory: number;
  /** p of scrypt, lanes of Argon2. */
  readonly lanes: number;
  /** The number of an Argon2 and its version. */
  readonly variant: number;
  /** The most bytes that scrypt may take. */
  readonly most: number;
}

/** Starts a request as {@link beginDerivation} does, with a cost and a salt. */
export function beginPassword(
  operation: Operation,
  cost: Cost,
  salt: Uint8Array,
  password: Password,
  pepper?: Password,
): void {
  beginDerivation(operation, 0, password, pepper);
  setIv(salt, 0, sizeOf(salt));
  frameCost(cost);
}

export function frameCost({ count, memory, lanes, variant, most }: Cost): void {
  frame[At.Count] = count;
  frame[At.MessageSize] = memory;
  frame[At.SeedLow] = lanes;
  frame[At.SeedHigh] = variant;
  frame[At.MaxMemory] = most;
}

export const scryptParser: DerivationParser = parserFor(
  'scrypt(password, salt, keylen)',
  'scrypt needs a password, a salt and keylen',
  (given, count) => fillScrypt(given, count, false),
  scryptOptionNames,
  derivationCallOptionNames,
);

/** Derives with scrypt and returns a promise. */
export function scryptPromise(given: Arguments): Promise<unknown> {
  return derivePromise(scryptParser, given);
}

/** The same for costs that RFC 7914 forbids and other libraries accept. */
export const scryptBeyondRfc: DerivationParser = {
  ...scryptParser,
  fill: (given, count) => fillScrypt(given, count, true),
};

function fillScrypt(given: ArrayLike<unknown>, count: number, beyondRfc: boolean): void {
  const options = (count > 3 ? given[3] : none) as ScryptOptions;
  const cost = scryptCost(options, undefined, beyondRfc);
  const most = scryptMaxmem(cost, options.maxmem);
  const size = keySize(given[2], 'keylen');
  const salt = data(given[1], 'salt');
  const password = readPassword(given[0], 'password');
  beginPassword(Operation.Scrypt, costOfScrypt(cost, most), salt, password);
  setResult(size, Form.Secret);
}

/** Returns the cost of an scrypt that may take this many bytes. */
export function costOfScrypt({ N, r, p }: ScryptCost, most: number): Cost {
  return { count: N, memory: r, lanes: p, variant: 0, most };
}

export const argon2Parser: DerivationParser = {
  ...parserFor(
    'argon2(algorithm)',
    'argon2 needs an algorithm and parameters',
    fillArgon2,
    argon2CallParameterNames,
  ),
  // They are an input.
  least: 2,
  name: 'parameters',
};

/** Returns it. Node.js loads this file at the call, for the imported constant at once. */
export function parserOfArgon2(): DerivationParser {
  return argon2Parser;
}

function fillArgon2(given: ArrayLike<unknown>): void {
  const kind = argon2Kind(given[0], 'algorithm');
  const parameters = given[1] as Argon2CallParameters;
  const { message, nonce, tagLength = 32, secret, associatedData = NO_BYTES } = parameters;
  const version = argon2Version(parameters.version);
  const cost = argon2Cost(kind, version, parameters, 'parameters');
  const size = keySize(tagLength, 'parameters.tagLength', 4);
  const salt = data(nonce, 'parameters.nonce');
  checkArgon2Salt(sizeOf(salt), 'parameters');
  const associated = data(associatedData, 'parameters.associatedData');
  const [password, pepper] = readSecrets(
    message,
    'parameters.message',
    secret,
    'parameters.secret',
  );
  beginPassword(Operation.Argon2, cost, salt, password, pepper);
  setAad(associated, 0, sizeOf(associated));
  setResult(size, Form.Secret);
}

/** Reads and checks a cost. */
export function argon2Cost(
  kind: number,
  version: number,
  { memory = 19456, passes = 2, parallelism = 1 }: Argon2Cost,
  options: 'options' | 'parameters',
): Cost {
  between(passes, 1, 2 ** 32 - 1, `${options}.passes`);
  between(parallelism, 1, 2 ** 24 - 1, `${options}.parallelism`);
  unsigned(memory, `${options}.memory`);
  if (memory < 8 * parallelism || memory > 2 ** 32 - 1)
    throw makeError(
      'ERR_ARGUMENT_VALUE',
      `${options}.memory must be between 8 KiB a lane, ${8 * parallelism}, and ${2 ** 32 - 1}, ` +
        `not ${memory}`,
    );
  return { count: passes, memory, lanes: parallelism, variant: kind + version * 256, most: 0 };
}
