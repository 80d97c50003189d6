/** PEM (RFC 7468), and which encoding a key in DER has. */
import { makeError, wrongType } from '../base/errors.js';
import { part, sizeOf } from '../base/intrinsics.js';
import { shownName } from '../base/nearest.js';
import { KeyForm } from '../base/protocol.js';
import { decodeBase64 } from '../base/secret-base64.js';
import { readSecret, SecretCopy, SecretKinds } from '../base/secret-copy.js';
import { secretCopy, type Secret } from '../base/secret-memory.js';
import { secretText } from '../base/secret-results.js';
import { native } from '../engines/binding.js';
import { base64, viewOf, type Buffer } from '#platform/base/runtime.js';

/** The labels of keys. */
const labels: Partial<Record<KeyForm, string>> = {
  [KeyForm.Pkcs8]: 'PRIVATE KEY',
  [KeyForm.EncryptedPkcs8]: 'ENCRYPTED PRIVATE KEY',
  [KeyForm.Pkcs1]: 'RSA PRIVATE KEY',
  [KeyForm.Sec1]: 'EC PRIVATE KEY',
  [KeyForm.Spki]: 'PUBLIC KEY',
  [KeyForm.Pkcs1Public]: 'RSA PUBLIC KEY',
};

const forms: readonly KeyForm[] = [
  KeyForm.Pkcs8,
  KeyForm.EncryptedPkcs8,
  KeyForm.Pkcs1,
  KeyForm.Sec1,
  KeyForm.Spki,
  KeyForm.Pkcs1Public,
];

/** A key in an encoding. */
export interface EncodedKey {
  readonly form: KeyForm;
  readonly bytes: Uint8Array;
}

/** Returns true for the encodings of private keys. */
export function isPrivateForm(form: KeyForm): boolean {
  return form < KeyForm.Spki;
}

/** Returns the form of a key in DER, by its first elements; undefined if it has none of them. */
export function formOfDer(der: Uint8Array): KeyForm | undefined {
  const start = contentAt(der, 0);
  if (der[0] !== SEQUENCE || start === undefined) return undefined;
  const first = contentAt(der, start);
  if (first === undefined) return undefined;
  const size = sizeAt(der, start, first);
  const second = der[first + size];
  if (der[start] === SEQUENCE) {
    if (second === BIT_STRING) return KeyForm.Spki;
    return second === OCTET_STRING ? KeyForm.EncryptedPkcs8 : undefined;
  }
  if (der[start] !== INTEGER) return undefined;
  if (second === SEQUENCE) return KeyForm.Pkcs8;
  if (second === OCTET_STRING) return KeyForm.Sec1;
  if (second !== INTEGER) return undefined;
  // A version, or the modulus.
  return size === 1 ? KeyForm.Pkcs1 : KeyForm.Pkcs1Public;
}

export const INTEGER = 2;
const BIT_STRING = 3;
const OCTET_STRING = 4;
export const SEQUENCE = 0x30;

/** Returns where the content of the element at `at` begins. */
function contentAt(der: Uint8Array, at: number): number | undefined {
  const size = der[at + 1];
  if (size === undefined || size > 0x84) return undefined;
  return size < 0x80 ? at + 2 : at + 2 + (size & 0x7f);
}

function sizeAt(der: Uint8Array, at: number, content: number): number {
  if (content === at + 2) return der[at + 1]!;
  let size = 0;
  for (let index = at + 2; index < content; index++) size = size * 256 + (der[index] ?? 0);
  return size;
}

/** Returns tag and size of an element with a content of at most 65,535 bytes. */
export function header(tag: number, size: number): Uint8Array {
  if (size < 128) return Uint8Array.of(tag, size);
  const [high, low] = [size >> 8, size & 255];
  return size < 256 ? Uint8Array.of(tag, 0x81, low) : Uint8Array.of(tag, 0x82, high, low);
}

/** Returns the numbers of a valid key in PKCS#1, without leading zeros; first a version, if any. */
export function pkcs1Numbers(der: Uint8Array): Uint8Array[] {
  const numbers: Uint8Array[] = [];
  for (let at = contentAt(der, 0)!; at < der.length;) {
    const start = contentAt(der, at)!;
    const size = sizeAt(der, at, start);
    const zeros = der[start] === 0 ? 1 : 0;
    numbers.push(part(der, start + zeros, size - zeros));
    at = start + size;
  }
  return numbers;
}

/** Returns true for bytes that are DER: text does not begin so. */
export function isDer(bytes: Uint8Array): boolean {
  const size = bytes[1] ?? 0;
  return bytes[0] === SEQUENCE && (size > 0x80 ? size < 0x85 : size + 2 === sizeOf(bytes));
}

/**
 * Finds a private or public key in PEM, and decodes it in the text's memory. A private key is found
 * in place of a public one if there is none.
 *
 * @throws MillraceError ERR_KEY_ENCODING, ERR_KEY_NOT_SUPPORTED
 */
export function decodePem(text: Uint8Array, argument: string, wantsPrivate: boolean): EncodedKey {
  const { form, start, end } = findBlock(text, argument, wantsPrivate);
  if (indexOf(text, 'Proc-Type:', start, end) >= 0)
    throw makeError(
      'ERR_KEY_NOT_SUPPORTED',
      `${argument} is encrypted in the format before PKCS#8: convert it with ` +
        'openssl pkcs8 -topk8 -in old.pem -out new.pem',
    );
  const size = decodeBase64(text, start, end, text, 0);
  if (size >= 0) return { form, bytes: part(text, 0, size) };
  const escaped = text.indexOf(BACKSLASH, start);
  throw makeError(
    'ERR_KEY_ENCODING',
    escaped >= start && escaped < end
      ? `${argument} is PEM with \\n in place of line breaks: use text.replace(/\\\\n/g, '\\n')`
      : `${argument} is PEM with text that is not base64`,
  );
}

const BACKSLASH = 0x5c;

/** The base64 of a key in PEM. */
interface Block {
  readonly form: KeyForm;
  readonly start: number;
  readonly end: number;
}

function findBlock(text: Uint8Array, argument: string, wantsPrivate: boolean): Block {
  let other: Block | undefined;
  let unknown: string | undefined;
  for (let at = indexOf(text, BEGIN, 0); at >= 0; at = indexOf(text, BEGIN, at + 1)) {
    const labelStart = at + BEGIN.length;
    const labelEnd = indexOf(text, DASHES, labelStart, labelStart + LABEL_MAX);
    if (labelEnd < 0) continue;
    const label = String.fromCharCode(...part(text, labelStart, labelEnd - labelStart));
    const start = labelEnd + DASHES.length;
    const end = indexOf(text, `-----END ${label}${DASHES}`, start);
    const form = forms.find((each) => labels[each] === label);
    if (form === undefined) {
      // `openssl ecparam -genkey` writes the curve before the key, which has it too.
      if (label !== 'EC PARAMETERS') unknown ??= label;
      continue;
    }
    if (end < 0)
      throw makeError('ERR_KEY_ENCODING', `${argument} is PEM without -----END ${label}-----`);
    const block = { form, start, end };
    if (isPrivateForm(form) === wantsPrivate) return block;
    other ??= block;
  }
  if (other !== undefined) {
    if (wantsPrivate) throw notPrivate(argument);
    return other;
  }
  throw noKey(argument, unknown);
}

const BEGIN = '-----BEGIN ';
const DASHES = '-----';
const LABEL_MAX = 64;

/** Returns the error of PEM without a key. */
function noKey(argument: string, label: string | undefined): Error {
  if (label === undefined)
    return makeError(
      'ERR_KEY_ENCODING',
      `${argument} is neither PEM, which has a line -----BEGIN ... KEY-----, nor DER`,
    );
  return makeError(
    'ERR_KEY_NOT_SUPPORTED',
    label.endsWith('CERTIFICATE')
      ? `${argument} is an X.509 certificate, which is not read: pass its key, ` +
          'new X509Certificate(pem).publicKey of node:crypto'
      : `${argument} is PEM of another kind, ${JSON.stringify(label)}: it must be one of ` +
          Object.values(labels).join(', '),
  );
}

/** Throws unless a value is one of some names. Messages show values of `others` too. */
export function checkOneOf(
  names: readonly string[],
  value: unknown,
  argument: string,
  code: 'ERR_ARGUMENT_VALUE' | 'ERR_KEY_NOT_SUPPORTED' = 'ERR_ARGUMENT_VALUE',
  others: readonly string[] = [],
): void {
  if (names.includes(value as string)) return;
  const expected = names.map((name) => `'${name}'`).join(', ');
  if (typeof value !== 'string') throw wrongType(argument, `one of ${expected}`, value);
  const shown = shownName(value, [...names, ...others]);
  throw makeError(code, `${argument} must be one of ${expected}, not ${shown}`);
}

/** Returns the error of a public key in the place of a private one. */
export function notPrivate(argument: string): Error {
  return makeError('ERR_ARGUMENT_TYPE', `${argument} must be a private key, not a public one`);
}

/** Returns where ASCII text begins in bytes, from `at` on and before `end`; -1 if nowhere. */
function indexOf(bytes: Uint8Array, text: string, at: number, end = bytes.length): number {
  const first = text.charCodeAt(0);
  const last = Math.min(end, bytes.length) - text.length;
  for (let found = bytes.indexOf(first, at); found >= 0; found = bytes.indexOf(first, found + 1)) {
    if (found > last) return -1;
    let matched = 1;
    while (matched < text.length && bytes[found + matched] === text.charCodeAt(matched)) matched++;
    if (matched === text.length) return found;
  }
  return -1;
}

/** The bytes of a line: 64 characters, which is what OpenSSL and Node.js write. */
const LINE_BYTES = 48;

/** Returns a key as PEM. Lines of secrets are encoded in a time that does not depend on them. */
export function encodePem(form: KeyForm, der: Buffer): string {
  const label = labels[form]!;
  let text = `-----BEGIN ${label}-----\n`;
  for (let at = 0; at < der.length; at += LINE_BYTES) {
    const size = Math.min(LINE_BYTES, der.length - at);
    const line = viewOf(der.buffer, der.byteOffset + at, size);
    text += `${native.base64(line) ?? base64(line)}\n`;
  }
  return `${text}-----END ${label}-----\n`;
}

/** Returns a copy of a passphrase. */
export function passphraseOf(value: unknown, argument: string): Secret {
  const secret = readSecret(value, argument, SecretKinds.Text);
  if (typeof secret === 'string') return secretText(secret);
  return SecretCopy.is(secret) ? secret.bytes : secretCopy(secret);
}
