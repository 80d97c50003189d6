/**
 * Parses password hashes as crates/core/src/kdf/phc.rs does: a string may be untrusted, so only the
 * canonical form is accepted, and its cost is checked against limits before anything is computed.
 */
import { Status } from '../../request/frame.js';
import { BCRYPT, decode, STANDARD } from './base64.js';
import { argon2Cost, argon2Scheme } from './argon2.js';
import { bcryptScheme, type BcryptCost } from './bcrypt.js';
import {
  NOTHING,
  Refused,
  refused,
  type Derivation,
  type DerivationInput,
  type Kdf,
  type Numbers,
  type Progress,
  type Scheme as SchemeOf,
  type Argon2Cost,
  type ScryptCost,
} from './contract.js';
import { checkScrypt, scryptCost, scryptScheme } from './scrypt.js';

/** The algorithm and cost of a password hash. */
export type Scheme = Argon2Cost | ScryptCost | BcryptCost;

/** A parsed password hash. */
export interface PasswordHash extends Derivation {
  readonly what: 'verify';
  readonly scheme: Scheme;
  /** The most predicted milliseconds. */
  readonly allowed: number;
  readonly salt: Uint8Array;
  readonly hash: Uint8Array;
}

/** The limits on a password hash. */
type Limits = Pick<Numbers, 'memory' | 'milliseconds'>;

export const NO_LIMITS: Limits = { memory: Infinity, milliseconds: Infinity };

const schemes = { argon2: argon2Scheme, scrypt: scryptScheme, bcrypt: bcryptScheme };

const codeOf = (scheme: Scheme): SchemeOf<Scheme> => schemes[scheme.what] as SchemeOf<Scheme>;

/** The longest string, and the sizes of salts and hashes in bytes. */
const TEXT_MAX = 1536;
const SALT = { least: 8, most: 512 };
/**
 * A shorter hash would match by chance too easily; and scrypt's shorter keys are prefixes of its
 * longer ones.
 */
const HASH = { least: 16, most: 512 };

/**
 * Parses a password hash. Refuses an invalid one with `Encoded`, also for parameters outside the
 * scheme, or `EncodedSize`, and costs above the limits with `MemoryLimit` and `Work`.
 */
export function parsePasswordHash(bytes: Uint8Array, limits: Limits): PasswordHash {
  const text = textOf(bytes);
  // Characters above one byte are refused below.
  if (text.length > TEXT_MAX) bad();
  const [nothing, name, ...fields] = text.split('$');
  if (nothing !== '' || name === undefined) bad();
  let found: Fields;
  let needed: number;
  try {
    found = fieldsOf(name!, fields);
    needed = codeOf(found.scheme).memory(found.scheme);
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    if (error.status === Status.Cost) bad();
    // More than can be addressed is more than any limit.
    return refused(
      error.status === Status.Memory ? Status.MemoryLimit : error.status,
      error.needed,
    );
  }
  const code = codeOf(found.scheme);
  if (needed > limits.memory) refused(Status.MemoryLimit, needed);
  const milliseconds = Math.floor(code.slowNanoseconds(found.scheme) / 1_000_000);
  if (milliseconds > limits.milliseconds) refused(Status.Work);
  return { ...found, allowed: limits.milliseconds };
}

/** Bytes that are not UTF-8 are not a password hash. */
function textOf(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return '';
  }
}

/** The content of a string. */
type Fields = Omit<PasswordHash, 'allowed'>;

function fieldsOf(name: string, fields: readonly string[]): Fields {
  switch (name) {
    case 'argon2d':
      return argon2Fields(0, fields);
    case 'argon2i':
      return argon2Fields(1, fields);
    case 'argon2id':
      return argon2Fields(2, fields);
    case 'scrypt':
      return scryptFields(fields);
    case '2a':
    case '2b':
    case '2y':
      return bcryptFields(name, fields);
    default:
      return bad();
  }
}

function argon2Fields(kind: Argon2Cost['kind'], fields: readonly string[]): Fields {
  // The first version may be omitted.
  const first = fields[0];
  const written = first?.startsWith('v=') === true;
  if (written && first !== 'v=16' && first !== 'v=19') bad();
  const rest = written ? fields.slice(1) : fields;
  const [memory, passes, lanes] = numbers(rest[0], ['m', 't', 'p']);
  return withSalt(
    argon2Cost(kind, first === 'v=19' ? 0x13 : 0x10, memory, passes, lanes),
    rest.slice(1),
  );
}

function scryptFields(fields: readonly string[]): Fields {
  const [log, r, p] = numbers(fields[0], ['ln', 'r', 'p']);
  if (log >= 64) refused(Status.Cost);
  const cost = scryptCost(2 ** log, r, p);
  checkScrypt(cost, Infinity);
  return withSalt(cost, fields.slice(1));
}

function bcryptFields(kind: BcryptCost['kind'], fields: readonly string[]): Fields {
  const [digits, text] = fields;
  if (fields.length !== 2 || !/^[0-9]{2}$/.test(digits!)) bad();
  const cost = Number(digits);
  if (cost < 4 || cost > 31) refused(Status.Cost);
  if (text!.length !== 53) bad();
  // Some implementations write more bits of the salt's last character than they read.
  const salt = decode(BCRYPT, text!.slice(0, 22)) ?? bad();
  const hash = decode(BCRYPT, text!.slice(22)) ?? bad();
  if (hash.left !== 0) bad();
  return {
    what: 'verify',
    scheme: { what: 'bcrypt', kind, cost },
    salt: salt.bytes,
    hash: hash.bytes,
  };
}

/** Parses the last two fields. */
function withSalt(scheme: Scheme, fields: readonly string[]): Fields {
  const [salt, hash] = fields;
  if (fields.length !== 2) bad();
  return { what: 'verify', scheme, salt: bytesOf(salt!, SALT), hash: bytesOf(hash!, HASH) };
}

function bytesOf(text: string, { least, most }: typeof SALT): Uint8Array {
  const decoded = decode(STANDARD, text) ?? bad();
  if (decoded.left !== 0) bad();
  const size = decoded.bytes.length;
  return size >= least && size <= most ? decoded.bytes : refused(Status.EncodedSize);
}

/** Parses three named numbers in this order. */
function numbers(
  field: string | undefined,
  names: readonly [string, string, string],
): [number, number, number] {
  const parts = (field ?? bad()).split(',');
  const found: [number, number, number] = [0, 0, 0];
  for (const [index, name] of names.entries()) {
    const digits = parts[index]?.startsWith(`${name}=`)
      ? parts[index]!.slice(name.length + 1)
      : bad();
    if (!/^(0|[1-9][0-9]*)$/.test(digits)) bad();
    found[index] = Number(digits) < 2 ** 32 ? Number(digits) : refused(Status.Cost);
  }
  return parts.length === names.length ? found : bad();
}

function bad(): never {
  return refused(Status.Encoded);
}

/**
 * Returns true if a password hash should be replaced: another scheme or cost, fewer bytes, or a
 * shorter salt.
 */
export function needsAnother(
  hash: PasswordHash,
  scheme: Scheme,
  saltSize: number,
  size: number,
): boolean {
  return !sameScheme(hash.scheme, scheme) || hash.salt.length < saltSize || hash.hash.length < size;
}

function sameScheme(one: Scheme, other: Scheme): boolean {
  const values = Object.entries(one);
  return values.every(
    ([name, value]) => (other as unknown as Record<string, unknown>)[name] === value,
  );
}

/** Verifies a password: the aad is the password hash, and the target becomes 1 or 0. */
export const verify: Kdf<PasswordHash> = {
  what: 'verify',
  read: (numbers, aad) => parsePasswordHash(aad, numbers),
  check({ scheme }, { password, secret }) {
    if (secret.length > 0 && scheme.what !== 'argon2') refused(Status.NotSupported);
    if (scheme.what === 'bcrypt' && password.includes(0)) refused(Status.NotSupported);
  },
  memory: ({ scheme }) => codeOf(scheme).memory(scheme),
  predict: ({ scheme }, size) => codeOf(scheme).predict(scheme, size),
  derive(derivation, input, target, progress) {
    const { scheme, hash, allowed } = derivation;
    const bytes = codeOf(scheme).bytes(
      scheme,
      hashInput(derivation, input),
      hash.length,
      clocked(allowed, progress),
    );
    target.fill(verdict(derivation, bytes));
  },
  async deriveFast(derivation, input, target) {
    const { scheme, hash } = derivation;
    const bytes = await codeOf(scheme).fastBytes(scheme, hashInput(derivation, input), hash.length);
    if (bytes !== undefined) target.fill(verdict(derivation, bytes));
    return bytes !== undefined;
  },
  timeLimit: ({ allowed }) => clockLimit(allowed),
};

function hashInput({ salt }: PasswordHash, { password, secret }: DerivationInput): DerivationInput {
  return { password, salt, secret, aad: NOTHING };
}

/**
 * Returns the time limit in milliseconds of work with this predicted limit: a prediction may be
 * wrong by a factor of 2, and a busy machine takes longer.
 */
function clockLimit(allowed: number): number {
  return 2 * allowed + 1000;
}

/** Ends work that exceeds its time limit, because a machine may be slower than predicted. */
function clocked(allowed: number, progress: Progress | undefined): Progress {
  const end = Date.now() + clockLimit(allowed);
  return (fraction) => {
    if (Date.now() > end) refused(Status.Work);
    progress?.(fraction);
  };
}

/** Returns 1 if the derived bytes are those of the hash, in constant time, and wipes them. */
function verdict({ hash }: PasswordHash, derived: Uint8Array): number {
  let difference = hash.length ^ derived.length;
  for (const [index, byte] of hash.entries()) difference |= byte ^ derived[index]!;
  derived.fill(0);
  return difference === 0 ? 1 : 0;
}
