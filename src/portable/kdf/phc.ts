/**
 * Parses password hashes as crates/core/src/kdf/phc.rs does: a string may be untrusted, so only the
 * canonical form is accepted, and its cost is checked against limits before anything is computed.
 */
import { Status } from '../../request/frame.js';
import { BCRYPT, decode, STANDARD } from './base64.js';
import { argon2Cost, checkScrypt, schemeMemory, schemeMilliseconds, scryptCost } from './costs.js';
import {
  refused,
  type Argon2Cost,
  type BcryptCost,
  type PasswordHash,
  type Scheme,
} from './contract.js';

/** The limits on a password hash. */
export interface Limits {
  readonly memory: number;
  readonly milliseconds: number;
}

/** The longest string, and the sizes of salts and hashes in bytes. */
const TEXT_MAX = 256;
const SALT = { least: 8, most: 64 };
/**
 * A shorter hash would match by chance too easily; and scrypt's shorter keys are prefixes of its
 * longer ones.
 */
const HASH = { least: 16, most: 64 };

/**
 * Parses a password hash. Refuses an invalid one with `Encoded`, parameters outside the scheme with
 * `Cost`, and costs above the limits with `Memory` and `Work`.
 */
export function parsePasswordHash(text: string, limits: Limits): PasswordHash {
  // Characters above one byte are refused below.
  if (text.length > TEXT_MAX) bad();
  const [nothing, name, ...fields] = text.split('$');
  if (nothing !== '' || name === undefined) bad();
  const found = fieldsOf(name!, fields);
  const needed = schemeMemory(found.scheme);
  if (needed > limits.memory) refused(Status.Memory, needed);
  if (schemeMilliseconds(found.scheme) > limits.milliseconds) refused(Status.Work);
  return { ...found, allowed: limits.milliseconds };
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
  return decoded.left === 0 && decoded.bytes.length >= least && decoded.bytes.length <= most
    ? decoded.bytes
    : bad();
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
