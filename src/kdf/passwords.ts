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
  setResult,
  clearRequest,
  Form,
} from '../request/request.js';
import { failure, makeError, wrongType } from '../base/errors.js';
import {
  argon2Cost,
  setArgon2Of,
  setPepper,
  frameCost,
  readPasswords,
  type CheckedArgon2,
} from './argon2.js';
import { allocate, base64, utf8, type Buffer } from '#platform/base/runtime.js';
import { setKeyInput } from '../request/key-input.js';
import { wipeCopy } from '../base/secret-copy.js';
import { BCRYPT, bcryptString, refuseZero, setBcryptOf } from './bcrypt.js';
import {
  derivePromise,
  deriveSync,
  deriveThen,
  type Arguments,
  type DerivationParser,
} from './derive.js';
import type { Callback } from '../scheduling/completions.js';
import { setScryptOf } from './scrypt.js';
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

const hashTakes: Accepted<keyof (HashPasswordOptions & DerivationCallOptions)> = accepted(
  'hashPassword(password)',
  hashPasswordOptionNames,
  derivationCallOptionNames,
);
const rehashTakes: Accepted<keyof HashPasswordOptions> = accepted(
  'needsRehash(hash)',
  hashPasswordOptionNames,
);

/** What Argon2 and scrypt take beside their costs. */
const OWN = 'engine algorithm secret saltLength hashLength salt';
/** Without the other algorithm's costs, for messages. */
const argon2Takes = accepted('hashPassword with Argon2', argon2CostNames, OWN);
const scryptTakes = accepted('hashPassword with scrypt', scryptCostOptionNames, OWN);
const bcryptTakes = accepted('hashPassword with bcrypt', 'engine algorithm cost salt');
/** Options that bcrypt does not take. */
const NOT_BCRYPT = `${argon2CostNames} N r blockSize p parallelization saltLength hashLength`;

const SALT = { min: 8, max: 64 };
const HASH = { min: 16, max: 64 };
const MEMORY_MAX_BYTES = 256 * 1024 * 1024;
const TIME_MAX_MS = 5000;

/** OWASP's recommendation for scrypt. */
const SCRYPT: ScryptCost = { N: 2 ** 17, r: 8, p: 1 };

/** The base-2 logarithm of bcrypt's rounds. */
const BCRYPT_COST = { min: 4, max: 31, usual: 12 };

/** A checked algorithm and cost. */
type Scheme =
  | { readonly kind: 'argon2'; readonly cost: CheckedArgon2; readonly name: string }
  | { readonly kind: 'scrypt'; readonly cost: ScryptCost }
  | { readonly kind: 'bcrypt'; readonly cost: number };

interface Plan {
  readonly scheme: Scheme;
  readonly saltSize: number;
  readonly hashSize: number;
}

function planOf(options: HashPasswordOptions): Plan {
  const algorithm: unknown = options.algorithm ?? 'argon2id';
  const { saltLength, hashLength } = options;
  const saltSize =
    saltLength === undefined ? 16 : between(saltLength, SALT.min, SALT.max, 'options.saltLength');
  const hashSize =
    hashLength === undefined ? 32 : between(hashLength, HASH.min, HASH.max, 'options.hashLength');
  if (algorithm === 'scrypt') {
    refuseOthers(options, argon2CostNames, scryptTakes);
    return { scheme: { kind: 'scrypt', cost: scryptCost(options, SCRYPT) }, saltSize, hashSize };
  }
  if (algorithm === 'bcrypt') {
    refuseOthers(options, NOT_BCRYPT, bcryptTakes);
    const { cost = BCRYPT_COST.usual } = options;
    between(cost, BCRYPT_COST.min, BCRYPT_COST.max, 'options.cost');
    return { scheme: { kind: 'bcrypt', cost }, saltSize: BCRYPT.salt, hashSize: BCRYPT.hash };
  }
  if (typeof algorithm === 'string' && !algorithm.startsWith('argon2')) {
    const names = ['argon2id', 'argon2i', 'argon2d', 'scrypt', 'bcrypt'];
    throw makeError(
      'ERR_UNKNOWN_ALGORITHM',
      `options.algorithm must be ${names.join(', ')}, not ${shownName(algorithm, names)}`,
    );
  }
  const kind = argon2Kind(algorithm, 'options.algorithm');
  refuseOthers(options, scryptCostOptionNames, argon2Takes);
  const cost = argon2Cost(kind, argon2Version(undefined), options, 'options');
  return { scheme: { kind: 'argon2', cost, name: algorithm as string }, saltSize, hashSize };
}

/** Refuses a cost of another algorithm, which would have no effect. */
function refuseOthers(options: HashPasswordOptions, names: string, takes: Accepted<any>): void {
  for (const name of names.split(' ') as (keyof HashPasswordOptions)[])
    if (options[name] !== undefined) throw unknownName(name, 'options', takes);
}

/** A password hash in progress: its derivation, and the function that formats it. */
export interface Hashing {
  readonly parser: DerivationParser;
  readonly finish: (hash: Buffer) => string;
}

/** Reads `(password[, options])`. */
function hashing(given: Arguments, count: number): Hashing {
  const options = optionsOf<HashPasswordOptions & DerivationCallOptions>(
    count > 1 ? given[1] : undefined,
    'options',
    hashTakes,
  );
  // The derivation reads others of them: getters run once.
  if (count > 1) given[1] = options;
  const { scheme, saltSize, hashSize } = planOf(options);
  const { secret: pepper, salt: givenSalt } = options;
  const salt =
    givenSalt === undefined ? randomBytes(saltSize) : pooledCopy(bytes(givenSalt, 'options.salt'));
  const { min, max } = scheme.kind === 'bcrypt' ? { min: BCRYPT.salt, max: BCRYPT.salt } : SALT;
  between(sizeOf(salt), min, max, 'the size of options.salt');
  if (scheme.kind !== 'argon2' && pepper !== undefined) throw noSecret();
  return {
    parser: {
      fill: ({ 0: password }) => {
        if (scheme.kind === 'scrypt')
          setScryptOf(scheme.cost, scryptMemory(scheme.cost), password, salt, hashSize);
        else if (scheme.kind === 'bcrypt') setBcryptOf(scheme.cost, password, salt);
        else setArgon2Of(scheme.cost, password, salt, pepper, undefined, hashSize, 'options');
      },
      least: 1,
      needs: 'hashPassword needs a password',
      options: 1,
      name: 'options',
      takes: hashTakes,
    },
    finish: (hash) =>
      scheme.kind === 'bcrypt'
        ? bcryptString(scheme.cost, salt, hash)
        : `${prefixOf(scheme)}$${unpadded(salt)}$${unpadded(hash)}`,
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

function prefixOf(scheme: Exclude<Scheme, { readonly kind: 'bcrypt' }>): string {
  if (scheme.kind === 'scrypt') {
    const { N, r, p } = scheme.cost;
    return `$scrypt$ln=${Math.round(Math.log2(N))},r=${r},p=${p}`;
  }
  const { version, memory, passes, parallelism } = scheme.cost;
  return `$${scheme.name}$v=${version}$m=${memory},t=${passes},p=${parallelism}`;
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

/** `(password, hash[, options])`. */
export const verifyParser: DerivationParser = {
  fill: fillVerify,
  least: 2,
  needs: 'verifyPassword needs a password and a hash',
  options: 2,
  name: 'options',
  takes: accepted(
    'verifyPassword(password, hash)',
    verifyPasswordOptionNames,
    derivationCallOptionNames,
  ),
};

function fillVerify(given: ArrayLike<unknown>, count: number): void {
  const options = (count > 2 ? given[2] : none) as VerifyPasswordOptions;
  const { secret: pepper, maxMemory = MEMORY_MAX_BYTES, maxTime = TIME_MAX_MS } = options;
  unsigned(maxMemory, 'options.maxMemory');
  unsigned(maxTime, 'options.maxTime');
  const hash = hashText(given[1]);
  if (pepper !== undefined && !hash.startsWith('$argon2')) throw noSecret();
  const text = utf8(hash);
  const [password, secret] = readPasswords(given[0], 'password', pepper, 'options.secret');
  if (/^\$(?:2|bcrypt\$)/.test(hash)) {
    try {
      refuseZero(password);
    } catch (error) {
      wipeCopy(password);
      throw error;
    }
  }
  beginRequest(Operation.Verify, 0, NO_BYTES, 0, 0);
  setKeyInput(password);
  setPepper(secret);
  setAad(text, 0, sizeOf(text));
  frame[At.MaxMemory] = maxMemory;
  frame[At.MaxTime] = maxTime;
  setResult(1, Form.Verdict);
}

const operations = {
  argon2: Operation.Argon2,
  scrypt: Operation.Scrypt,
  bcrypt: Operation.Bcrypt,
} as const;

/** Reads `(hash[, options])`. Returns true if the password should be hashed again. */
export function needsRehashed(hash: unknown, given: unknown): boolean {
  const options = optionsOf<HashPasswordOptions>(given, 'options', rehashTakes);
  const { scheme, saltSize, hashSize } = planOf(options);
  const text = utf8(hashText(hash));
  try {
    beginRequest(operations[scheme.kind], 0, NO_BYTES, 0, 0);
    setAad(text, 0, sizeOf(text));
    if (scheme.kind === 'scrypt') {
      frame[At.Count] = scheme.cost.N;
      frame[At.MessageSize] = scheme.cost.r;
      frame[At.SeedLow] = scheme.cost.p;
    } else if (scheme.kind === 'bcrypt') {
      frame[At.Count] = scheme.cost;
    } else {
      frameCost(scheme.cost);
    }
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
