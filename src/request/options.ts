/**
 * Checks the names of options. A misspelt option could silently weaken a call, so every function
 * rejects unknown names and suggests the intended one.
 *
 * Each function has a table of its option names beside the type of its options; the compiler checks
 * that they agree. Only own enumerable names are checked: options may be instances of a class and
 * inherit from anything.
 */
import { makeError, type MillraceError } from './errors.js';
import { distance } from '../catalog/nearest.js';

/** All names of the options of type `T`. */
export type Names<T extends object> = { readonly [Name in keyof T]-?: true };

/** The options that a function accepts. */
export interface Accepted<Name extends PropertyKey> {
  /** The function and its arguments for messages, such as `scrypt(password, salt, keylen)`. */
  readonly signature: string;
  /**
   * All names, the most recently used first, then undefined. Most calls pass the same names in the
   * same order, so that each name takes one comparison.
   */
  readonly order: (string | undefined)[];
  /** Returns the error for a name that a call with other arguments would take. */
  readonly refuse?: (name: string, argument: string) => MillraceError | undefined;
  /** Makes tables with different names incompatible types. It does not exist at run time. */
  readonly exactly?: (name: Name) => Name;
}

/** Makes the table of a function. */
export function accepted<Table extends object>(
  signature: string,
  names: Table,
): Accepted<keyof Table> {
  return { signature, order: [...Object.keys(names), undefined] };
}

/**
 * Throws if an own name is unknown. Takes 14 ns for four options and 18 ns for seven. Runs the
 * traps of a Proxy but no getter.
 */
export function checkNames(given: object, argument: string, table: Accepted<any>): void {
  const { order } = table;
  let at = 0;
  for (const name in given) {
    if (order[at] === name) at += 1;
    else at = place(given, name, at, argument, table);
  }
}

/** Moves a name to its expected place and returns the place of the next one. */
function place(
  given: object,
  name: string,
  at: number,
  argument: string,
  table: Accepted<any>,
): number {
  const { order } = table;
  const found = order.indexOf(name, at);
  if (found >= 0) {
    order[found] = order[at];
    order[at] = name;
    return at + 1;
  }
  // A Proxy's trap may have made the same call and changed the order.
  if (order.includes(name) || !Object.hasOwn(given, name)) return at;
  throw unknownName(name, argument, table);
}

/** Returns the error for an unknown option, with the intended name if it can be guessed. */
export function unknownName(
  name: string,
  argument: string,
  { signature, order, refuse }: Accepted<any>,
): MillraceError {
  const special = refuse?.(name, argument);
  if (special !== undefined) return special;
  const [call, inputs = ''] = signature.split(/[()]/);
  const shown = JSON.stringify(name.slice(0, 40)).slice(1, -1);
  const names = order.filter((each) => each !== undefined);
  const wanted = name.slice(0, 40).toLowerCase();
  const hint = meant(name, wanted, argument, names, inputs.split(', '));
  const note = notes[wanted] === undefined ? '' : ` (${notes[wanted]})`;
  const list = `it takes ${names.sort().join(', ')}`;
  return makeError(
    'ERR_ARGUMENT_VALUE',
    `${argument}.${shown} is not an option of ${call}; ` +
      `${hint === undefined ? list : `did you mean ${hint}?`}${note}`,
  );
}

function meant(
  name: string,
  wanted: string,
  argument: string,
  names: readonly string[],
  inputs: readonly string[],
): string | undefined {
  const rows = meanings.split('\n').map((row) => row.split(' = ').map((part) => part.split(' ')));
  const [ours = []] = rows.find(([, others]) => others!.includes(wanted)) ?? [];
  for (const each of [name, ...ours]) {
    if (names.includes(each)) return `${argument}.${each}`;
    if (inputs.includes(each)) return `the argument ${each}`;
  }
  const edits = (each: string): number => distance(wanted, each.toLowerCase());
  const nearest = names.reduce((left, right) => (edits(right) < edits(left) ? right : left));
  return edits(nearest) <= wanted.length / 3 ? `${argument}.${nearest}` : undefined;
}

/**
 * Names of the same options in WebCrypto, node:crypto, noble, argon2, bcrypt and libsodium, in
 * lower case. A line lists our names, then theirs; the first of ours that the function accepts is
 * meant. It is one string because every bundle of millrace/portable contains it.
 */
const meanings = `aad associatedData context = aad ad additionaldata additional_data \
additionalauthenticateddata associateddata authdata
iv nonce salt = iv nonce counter npub salt
authTagLength tagLength tag = authtaglength auth_tag_length taglen tagsize mac authtag
authTagLength tagLength tag hashLength outputLength keylen = taglength tag_length
outputLength authTagLength tagLength hashLength keylen = dklen keylen outputlen outputlength \
outlen hashlength hashlen length
memory = memorycost memlimit m mem
passes iterations N = timecost opslimit t time passes iterations rounds c
parallelism p = parallelism parallelization p threads lanes
N = n cost
maxmem maxMemory = maxmem maxmemory
secret key = secret pepper key
source message data = source data message msg plaintext ciphertext input password
target = output out dst
encoding = outputencoding
algorithm digest hash = algorithm name type hash digest
context info = context info personalization`;

/** Options that have another unit or place elsewhere. */
const notes: Readonly<Record<string, string | undefined>> = {
  __proto__: null as never,
  length: 'sizes are in bytes, not bits',
  taglength: 'sizes are in bytes, not bits',
  memlimit: 'in KiB, not bytes',
  signal: 'millrace/promises takes one',
};
