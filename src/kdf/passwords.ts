/**
 * Password hashes as strings: creation, verification and comparison with the current options.
 */
import {
  argon2CostNames,
  derivationCallOptionNames,
  hashPasswordOptionNames,
  scryptCostOptionNames,
  verifyPasswordOptionNames,
} from '../base/option-names.js';
import { bytes, NO_BYTES, options as optionsOf, sizeOf, unsigned } from '../base/arguments.js';
import { shownName } from '../base/nearest.js';
import { native } from '../engines/binding.js';
import { At, Flag, frame, Operation } from '../base/frame.js';
import { copyInto } from '../base/intrinsics.js';
import {
  request,
  setAad,
  beginRequest,
  type FillRequest,
  setResult,
  clearRequest,
  Form,
} from '../request/request.js';
import { failure, makeError, wrongType } from '../base/errors.js';
import {
  argon2Cost,
  beginPassword,
  costOfScrypt,
  frameCost,
  type Cost,
} from './password-derivations.js';
import { allocate, base64, utf8, type Buffer } from '#platform/base/runtime.js';
import { BCRYPT, bcryptBase64, checkPassword, refuseZero } from './bcrypt.js';
import {
  beginDerivation,
  derivePromise,
  deriveSync,
  deriveThen,
  parserFor,
  readSecrets,
  type Arguments,
  type DerivationParser,
} from './derive.js';
import type { Callback } from '../scheduling/completions.js';
import {
  argon2Kind,
  argon2Version,
  scryptCost,
  scryptMemory,
  type ScryptCost,
} from '../base/kdf-costs.js';
import { between } from '../base/numbers.js';
import { accepted, none, unknownName, type Accepted } from '../base/options.js';
import { providePasswords } from '#platform/engines/parts.js';
import type {
  DerivationCallOptions,
  HashPasswordOptions,
  VerifyPasswordOptions,
} from '../calls/derivations.js';

providePasswords();

const hashParser: DerivationParser = parserFor(
  'hashPassword(password)',
  'hashPassword needs a password',
  () => {},
  hashPasswordOptionNames,
  derivationCallOptionNames,
);
const rehashTakes: Accepted<keyof HashPasswordOptions> = accepted(
  'needsRehash(hash)',
  hashPasswordOptionNames,
);

/** What Argon2 and scrypt take beside their costs. */
const OWN = 'engine algorithm secret saltLength hashLength salt';
/** Without the other algorithms' costs, for messages. */
const argon2Takes = accepted('hashPassword with Argon2', argon2CostNames, OWN);
const scryptTakes = accepted('hashPassword with scrypt', scryptCostOptionNames, OWN);
const bcryptTakes = accepted('hashPassword with bcrypt', 'engine algorithm cost salt');

const SALT = { min: 8, max: 64 };
const HASH = { min: 16, max: 64 };
const MEMORY_MAX_BYTES = 256 * 1024 * 1024;
const TIME_MAX_MS = 5000;

/** OWASP's recommendation for scrypt. */
const SCRYPT: ScryptCost = { N: 2 ** 17, r: 8, p: 1 };

/** The base-2 logarithm of bcrypt's rounds. */
const BCRYPT_COST = { min: 4, max: 31, usual: 12 };

/** The algorithm of a password hash with a checked cost. */
interface Scheme {
  readonly operation: Operation.Argon2 | Operation.Scrypt | Operation.Bcrypt;
  readonly cost: Cost;
  /** The start of the string, before the salt. */
  readonly prefix: string;
  readonly saltSize: number;
  readonly hashSize: number;
}

function schemeOf(options: HashPasswordOptions): Scheme {
  const algorithm: unknown = options.algorithm ?? 'argon2id';
  const { saltLength = 16, hashLength = 32 } = options;
  const saltSize = between(saltLength, SALT.min, SALT.max, 'options.saltLength');
  const hashSize = between(hashLength, HASH.min, HASH.max, 'options.hashLength');
  if (algorithm === 'scrypt') {
    refuseOthers(options, scryptTakes);
    const given = scryptCost(options, SCRYPT);
    const cost = costOfScrypt(given, scryptMemory(given));
    const prefix = `$scrypt$ln=${Math.round(Math.log2(given.N))},r=${given.r},p=${given.p}`;
    return { operation: Operation.Scrypt, cost, prefix, saltSize, hashSize };
  }
  if (algorithm === 'bcrypt') {
    refuseOthers(options, bcryptTakes);
    const { min, max, usual } = BCRYPT_COST;
    const { cost: count = usual } = options;
    between(count, min, max, 'options.cost');
    return {
      operation: Operation.Bcrypt,
      cost: { count, memory: 0, lanes: 0, variant: 0, most: 0 },
      prefix: `$2b$${String(count).padStart(2, '0')}$`,
      saltSize: BCRYPT.salt,
      hashSize: BCRYPT.hash,
    };
  }
  if (typeof algorithm === 'string' && !algorithm.startsWith('argon2')) {
    const names = ['argon2id', 'argon2i', 'argon2d', 'scrypt', 'bcrypt'];
    throw makeError(
      'ERR_UNKNOWN_ALGORITHM',
      `options.algorithm must be ${names.join(', ')}, not ${shownName(algorithm, names)}`,
    );
  }
  const kind = argon2Kind(algorithm, 'options.algorithm');
  refuseOthers(options, argon2Takes);
  const version = argon2Version(undefined);
  const cost = argon2Cost(kind, version, options, 'options');
  const { count, memory, lanes } = cost;
  const prefix = `$${algorithm as string}$v=${version}$m=${memory},t=${count},p=${lanes}`;
  return { operation: Operation.Argon2, cost, prefix, saltSize, hashSize };
}

/** Refuses what another algorithm takes and would have no effect; the secret has its own error. */
function refuseOthers(options: HashPasswordOptions, takes: Accepted<any>): void {
  for (const name of hashPasswordOptionNames.split(' ') as (keyof HashPasswordOptions)[])
    if (name !== 'secret' && options[name] !== undefined && !takes.order.includes(name))
      throw unknownName(name, 'options', takes);
}

/** A password hash in progress: its derivation, and the function that formats it. */
interface Hashing {
  readonly parser: DerivationParser;
  readonly finish: (hash: Buffer) => string;
}

/** Reads `(password[, options])`. */
function hashing(given: Arguments, count: number): Hashing {
  const options = optionsOf<HashPasswordOptions & DerivationCallOptions>(
    count > 1 ? given[1] : undefined,
    'options',
    hashParser.takes,
  );
  // The derivation reads others of them: getters run once.
  if (count > 1) given[1] = options;
  const { operation, cost, prefix, saltSize, hashSize } = schemeOf(options);
  const { secret: pepper, salt: givenSalt } = options;
  const bcrypt = operation === Operation.Bcrypt;
  const salt =
    givenSalt === undefined ? randomBytes(saltSize) : pooledCopy(bytes(givenSalt, 'options.salt'));
  const { min, max } = bcrypt ? { min: saltSize, max: saltSize } : SALT;
  between(sizeOf(salt), min, max, 'the size of options.salt');
  if (operation !== Operation.Argon2 && pepper !== undefined) throw noSecret();
  const fill: FillRequest = ({ 0: password }) => {
    const [first, second] = readSecrets(password, 'password', pepper, 'options.secret');
    beginPassword(operation, cost, salt, first, second);
    if (bcrypt) checkPassword(first);
    setResult(hashSize, Form.Secret);
  };
  return {
    parser: { ...hashParser, fill },
    finish: (hash) =>
      bcrypt
        ? `${prefix}${bcryptBase64(salt)}${bcryptBase64(hash)}`
        : `${prefix}$${unpadded(salt)}$${unpadded(hash)}`,
  };
}

/** Runs `hashPassword(password[, options][, callback])`. */
export function hashPasswordNow(given: IArguments): unknown {
  const count = given.length - 1;
  const last: unknown = count >= 0 ? given[count] : undefined;
  if (typeof last !== 'function') {
    const { parser, finish } = hashing(given, given.length);
    return finish(deriveSync(parser, given, given.length) as Buffer);
  }
  const { parser, finish } = hashing(given, count);
  const then: Callback<unknown> = (error, hash) =>
    error === null
      ? (last as Callback<string>)(null, finish(hash as Buffer))
      : (last as (error: unknown) => void)(error);
  return deriveThen(then, parser, given, count);
}

/** Runs it with a promise. */
export function hashPasswordLater(given: IArguments): Promise<unknown> {
  try {
    const { parser, finish } = hashing(given, given.length);
    return derivePromise(parser, given).then((hash) => finish(hash as Buffer));
  } catch (error) {
    return Promise.reject(error as Error);
  }
}

/** Returns Base64 without padding. */
function unpadded(bytes: Buffer): string {
  return base64(bytes).replace(/=+$/, '');
}

/** Returns a copy of bytes that are not secret, in memory that other results share. */
function pooledCopy(view: Uint8Array): Buffer {
  return copyInto(allocate(sizeOf(view)), view, 0);
}

/** Returns random bytes, without node:crypto, which takes longer to load than this package. */
function randomBytes(size: number): Buffer {
  return globalThis.crypto.getRandomValues(allocate(size));
}

export const verifyParser: DerivationParser = parserFor(
  'verifyPassword(password, hash)',
  'verifyPassword needs a password and a hash',
  fillVerify,
  verifyPasswordOptionNames,
  derivationCallOptionNames,
);

function fillVerify(given: ArrayLike<unknown>, count: number): void {
  const options = (count > 2 ? given[2] : none) as VerifyPasswordOptions;
  const { secret: pepper, maxMemory = MEMORY_MAX_BYTES, maxTime = TIME_MAX_MS } = options;
  unsigned(maxMemory, 'options.maxMemory');
  unsigned(maxTime, 'options.maxTime');
  const hash = hashText(given[1]);
  if (!hash.startsWith('$') && isPasswordHash(given[0]))
    throw makeError(
      'ERR_PASSWORD_HASH',
      'hash is not a PHC or bcrypt string: the password comes first, ' +
        'verifyPassword(password, hash)',
    );
  if (pepper !== undefined && !hash.startsWith('$argon2')) throw noSecret();
  const text = utf8(hash);
  const [password, secret] = readSecrets(given[0], 'password', pepper, 'options.secret');
  beginDerivation(Operation.Verify, 0, password, secret);
  if (/^\$(?:2|bcrypt\$)/.test(hash)) refuseZero(password);
  setAad(text, 0, sizeOf(text));
  frame[At.MaxMemory] = maxMemory;
  frame[At.MaxTime] = maxTime;
  setResult(1, Form.Verdict);
}

/** Reads `(hash[, options])`. Returns true if the password should be hashed again. */
export function needsRehashed(hash: unknown, given: unknown): boolean {
  const options = optionsOf<HashPasswordOptions>(given, 'options', rehashTakes);
  const { operation, cost, saltSize, hashSize } = schemeOf(options);
  const text = utf8(hashText(hash));
  try {
    beginRequest(operation, 0, NO_BYTES, 0, 0);
    setAad(text, 0, sizeOf(text));
    frameCost(cost);
    frame[At.IvSize] = saltSize;
    frame[At.TargetSize] = hashSize;
    frame[At.Flags] = request.flags | Flag.HasAad;
    const answer = native.needsRehash(NO_BYTES, undefined, undefined, text);
    if (answer < 0) throw failure(-answer);
    return answer === 1;
  } finally {
    clearRequest();
  }
}

/** More than the longest PHC string, with a salt and a hash of 512 bytes, has. */
const HASH_TEXT_MAX = 1536;

/** Returns true for what looks like a PHC or bcrypt string. */
function isPasswordHash(value: unknown): boolean {
  return typeof value === 'string' && /^\$(?:argon2|scrypt|bcrypt|2[abxy]?)[^$]*\$/.test(value);
}

function hashText(value: unknown): string {
  if (typeof value !== 'string') throw wrongType('hash', 'a string', value);
  if (value.length > 0 && value.length <= HASH_TEXT_MAX) return value;
  throw makeError(
    'ERR_PASSWORD_HASH',
    `hash is not a PHC or bcrypt string: it has ${value.length} characters, not 1 to ${HASH_TEXT_MAX}`,
  );
}

function noSecret(): Error {
  return makeError('ERR_ARGUMENT_VALUE', 'options.secret: only Argon2 takes one');
}
