/**
 * Names of options. A misspelt option must not weaken a call without a word, so every call refuses
 * the names it does not know, and says which one was meant.
 *
 * Each call has a table of the names it takes, which stands beside the type of its options. The
 * compiler refuses a table that differs from the type. Only own enumerable names are refused:
 * options may inherit from anything, and may be objects of a class.
 */
import { makeError, type MillraceError } from './errors.js';
import { distance } from '../catalog/nearest.js';

/** All names of the options of type `T`. */
export type Names<T extends object> = { readonly [Name in keyof T]-?: true };

/** The names of the options that a call takes. */
export interface Accepted<Name extends PropertyKey> {
  /** The call with its arguments, for messages: `scrypt(password, salt, keylen)`. */
  readonly signature: string;
  /**
   * All names, the ones that came last in front and in their order, then `undefined`. Most calls
   * come with the same names in the same order, so that each name costs one comparison.
   */
  readonly order: (string | undefined)[];
  /** Makes the compiler tell tables of other names apart, be they more or fewer. Not there. */
  readonly exactly?: (name: Name) => Name;
}

/** Makes the table of a call. */
export function accepted<Table extends object>(
  signature: string,
  names: Table,
): Accepted<keyof Table> {
  return { signature, order: [...Object.keys(names), undefined] };
}

/**
 * Refuses own names that the call does not take: 14 ns for an object of four options, 18 for seven.
 * Runs the traps of a Proxy, but no getter.
 */
export function checkNames(given: object, argument: string, table: Accepted<any>): void {
  const { order } = table;
  let at = 0;
  for (const name in given) {
    if (order[at] === name) at += 1;
    else at = place(given, name, at, argument, table);
  }
}

/** Puts a name where it was expected; gives the place of the next one. */
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
  // A Proxy's trap may have made a call of the same kind, which has changed the order.
  if (order.includes(name) || !Object.hasOwn(given, name)) return at;
  throw unknownName(name, argument, table);
}

/**
 * The error for an option that the call does not take; names the one that was meant, if that can be
 * told.
 */
export function unknownName(
  name: string,
  argument: string,
  { signature, order }: Accepted<any>,
): MillraceError {
  const [call, inputs = ''] = signature.split(/[()]/);
  const shown = JSON.stringify(name.slice(0, 40)).slice(1, -1);
  const names = order.filter((each) => each !== undefined);
  const wanted = name.slice(0, 40).toLowerCase();
  const hint = meant(name, wanted, argument, names, inputs.split(', '));
  const note = notes[wanted] === undefined ? '' : ` (${notes[wanted]})`;
  const list = `it takes ${names.sort().join(', ')}`;
  return makeError(
    'ERR_ARGUMENT_VALUE',
    `${argument}.${shown} is not an option of ${call}; ${hint === undefined ? list : `did you mean ${hint}?`}${note}`,
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
 * What other libraries call the same thing, in lower case: WebCrypto, node:crypto, noble, the
 * argon2 and bcrypt packages, libsodium. Of several of our names, which come first, the first that
 * the call has is meant. One text, as it is in every bundle of millrace/portable.
 */
const meanings = `aad associatedData context = aad ad additionaldata additional_data additionalauthenticateddata associateddata authdata
iv nonce salt = iv nonce counter npub salt
authTagLength tagLength tag = authtaglength auth_tag_length taglen tagsize mac authtag
authTagLength tagLength tag hashLength outputLength keylen = taglength tag_length
outputLength authTagLength tagLength hashLength keylen = dklen keylen outputlen outputlength outlen hashlength hashlen length
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

/** What has another unit there, or stands elsewhere. */
const notes: Readonly<Record<string, string | undefined>> = {
  __proto__: null as never,
  length: 'sizes are in bytes, not bits',
  taglength: 'sizes are in bytes, not bits',
  memlimit: 'in KiB, not bytes',
  signal: 'millrace/promises takes one',
};
