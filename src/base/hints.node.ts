/**
 * The parts of error messages that guess what was meant. Bundles for browsers omit them: they are
 * 1.4 KB, compressed.
 */
import { distance } from './nearest.js';
import { streamNames } from './stream-types.node.js';

/**
 * Returns what follows in the message of an unknown option: the name that is meant, if it can be
 * guessed, or else the names that the call takes.
 */
export function optionHint(
  name: string,
  argument: string,
  names: readonly string[],
  signature: string,
): string {
  const wanted = name.toLowerCase();
  if (wanted === 'encrypt' || wanted === 'decrypt')
    return 'createCipher encrypts, createDecipher decrypts; cipher takes options.encrypt';
  const [call = '', inputs = ''] = signature.split(/[()]/);
  if (/^(?:auth_?)?tag$|^mac$/.test(wanted) && tags[call] !== undefined) return tags[call];
  const hint = meant(name, wanted, argument, names, inputs.split(', '));
  const note = notes[wanted] === undefined ? '' : ` (${notes[wanted]})`;
  const told = hint === undefined ? `it takes ${listed(names)}` : `did you mean ${hint}?`;
  return told + note;
}

/** Lists Millrace's names; a call that takes the options of streams takes all of them. */
function listed(names: readonly string[]): string {
  const streams = streamNames.join(' ').split(' ');
  if (!streams.every((each) => names.includes(each))) return names.join(', ');
  const own = names.filter((each) => !streams.includes(each)).join(', ');
  return `${own === '' ? '' : `${own} and `}the options of streams`;
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
    if (each !== '' && inputs.includes(each)) return `the argument ${each}`;
  }
  const edits = (each: string): number => distance(wanted, each.toLowerCase());
  const nearest = names.reduce((left, right) => (edits(right) < edits(left) ? right : left));
  return edits(nearest) <= wanted.length / 3 ? `${argument}.${nearest}` : undefined;
}

/**
 * Names of the same options in WebCrypto, node:crypto, noble, argon2, bcrypt and libsodium, in
 * lower case. A line lists our names, then theirs; the first of ours that the function accepts is
 * meant.
 */
const meanings = `aad associatedData context = aad ad additionaldata additional_data \
additionalauthenticateddata associateddata authdata
iv nonce salt = iv nonce counter npub salt
authTag tag mac authTagLength tagLength = authtag auth_tag tag mac
authTagLength tagLength tag = authtaglength auth_tag_length taglen tagsize
authTagLength tagLength tag hashLength outputLength keylen = taglength tag_length
outputLength authTagLength tagLength hashLength keylen = dklen keylen outputlen outputlength \
outlen hashlength hashlen length
memory = memorycost memlimit m mem
cost = rounds saltrounds
passes iterations N = timecost opslimit t time passes iterations c rounds
parallelism p = parallelism parallelization p threads lanes
N = n cost
maxmem maxMemory = maxmem maxmemory
secret key = secret pepper key
source message data = source data message msg plaintext ciphertext input password
target = output out dst
encoding = outputencoding
algorithm digest hash = algorithm name type hash digest
context info = context info personalization`;

/** Where the tag is of calls that take none. */
const tags: Readonly<Record<string, string | undefined>> = {
  __proto__: null as never,
  seal: 'the tag is the end of the result',
  open: 'the tag is the end of source: Buffer.concat([ciphertext, tag])',
  hpkeSeal: 'the tag is the end of the result',
  hpkeOpen: 'the tag is the end of ciphertext: Buffer.concat([ciphertext, tag])',
  createCipher: 'cipher.authTag has the tag after final',
};

/** Options that have another unit or place elsewhere. */
const notes: Readonly<Record<string, string | undefined>> = {
  __proto__: null as never,
  length: 'sizes are in bytes, not bits',
  taglength: 'sizes are in bytes, not bits',
  memlimit: 'in KiB, not bytes',
  signal: 'millrace/promises takes one',
};

/** Returns what to do about a value: a promise, text for bytes, or a function for options. */
export function typeHint(
  expected: string,
  value: unknown,
  classOf: (value: unknown) => unknown,
): string {
  if (typeof value === 'function')
    return expected.includes(' object') ? ': a promise takes no callback' : '';
  if (typeof value === 'object' && classOf(value) === 'Promise') return ': await it';
  if (!expected.includes('Buffer')) return '';
  if (typeof value === 'string')
    return ": Buffer.from(text, 'hex') reads hex, Buffer.from(text, 'base64') Base64";
  const name = String(classOf(value));
  return /Stream$|^Response$/.test(name) ? ': hash of millrace/promises takes a stream' : '';
}
