/**
 * Recipients and identities of age: X25519, hybrid with ML-KEM-768, and SSH keys. A recipient wraps
 * the key of a file in a stanza of its header, an identity unwraps it.
 */
import { data, NO_BYTES } from '../../base/arguments.js';
import { makeError, wrongType } from '../../base/errors.js';
import { secretCopy, wipe } from '../../base/secret-memory.js';
import type { PrivateKey } from '../../public-keys/key-objects.js';
import { textOf, viewOf } from '#platform/base/runtime.js';
import { decodeBech32, encodeBech32 } from './bech32.js';
import { hybridIdentity, hybridRecipient, privateHybrid } from './hybrid.js';
import { sshIdentity, sshRecipient } from './ssh.js';
import {
  KEY_SIZE,
  privateX25519,
  randomSecret,
  x25519Identity,
  x25519Recipient,
  type Agreement,
  type Identity,
  type Recipient,
} from './x25519.js';

const nativeAgreement = (publicKey: Uint8Array): Agreement => ({
  type: 'X25519',
  label: 'age-encryption.org/v1/X25519',
  publicKey,
  args: [],
  tweak: undefined,
});

/** What is written as a line: the kinds of recipients and identities of age itself. */
const kinds = {
  x25519: { recipient: 'age', identity: 'AGE-SECRET-KEY-', key: privateX25519 },
  mlkem768x25519: { recipient: 'age1pq', identity: 'AGE-SECRET-KEY-PQ-', key: privateHybrid },
} as const;

/** The kinds of identities that can be generated. */
export type AgeIdentityType = keyof typeof kinds;

/** Returns a new identity as text. */
export function generate(type: unknown): string {
  if (typeof type !== 'string') throw wrongType('type', 'a string', type);
  if (!Object.hasOwn(kinds, type))
    throw makeError(
      'ERR_ARGUMENT_VALUE',
      `type must be '${Object.keys(kinds).join("' or '")}', not ${JSON.stringify(type)}`,
    );
  const secret = randomSecret(KEY_SIZE);
  const { identity } = kinds[type as AgeIdentityType];
  const text = encodeBech32(identity.toLowerCase(), secret).toUpperCase();
  wipe(secret);
  return text;
}

/** Returns the key of an identity of age itself, and its kind; undefined for other text. */
function keyOfLine(line: string): [AgeIdentityType, PrivateKey] | undefined {
  const decoded = decodeBech32(line);
  if (decoded === undefined) return undefined;
  try {
    for (const type of ['x25519', 'mlkem768x25519'] as const)
      if (decoded.prefix === kinds[type].identity && decoded.bytes.length === KEY_SIZE)
        return [type, kinds[type].key(decoded.bytes)];
    return undefined;
  } finally {
    wipe(decoded.bytes);
  }
}

/** Returns the recipients of the identities in a text, one a line. */
export function recipientsOf(text: unknown): string {
  const recipients = linesOf(textFrom(text, 'identity')).map(([line, number]) => {
    const found = keyOfLine(line);
    if (found === undefined) throw notIdentity('identity', number);
    const [type, key] = found;
    const publicKey = key.publicKey().export({ format: 'raw' });
    key.dispose();
    return encodeBech32(kinds[type].recipient, publicKey);
  });
  if (recipients.length === 0)
    throw makeError('ERR_KEY_ENCODING', 'identity has no line with an identity');
  return recipients.join('\n');
}

/** Reads the recipients in a text: one a line, without those that begin with #. */
export function readRecipients(text: string, argument: string): Recipient[] {
  return linesOf(text).map(([line, number]) => {
    if (line.startsWith('ssh-')) return sshRecipient(line, `${argument}, line ${number}`);
    const decoded = decodeBech32(line);
    const { prefix, bytes } = decoded ?? { prefix: '', bytes: NO_BYTES };
    if (prefix === 'age' && bytes.length === KEY_SIZE)
      return x25519Recipient(nativeAgreement(bytes));
    if (prefix === 'age1pq') return hybridRecipient(bytes);
    if (/^age1\w+$/.test(prefix))
      throw makeError(
        'ERR_KEY_NOT_SUPPORTED',
        `${argument}, line ${number}: recipients ${prefix} need a plugin of age`,
      );
    throw makeError(
      'ERR_KEY_ENCODING',
      /^AGE-SECRET-KEY-/i.test(line)
        ? `${argument}, line ${number} is an identity, which is secret, not a recipient`
        : `${argument}, line ${number} is not a recipient: expected age1..., age1pq1... or an ` +
            'SSH key',
    );
  });
}

/** Reads the identities in a text: lines as of recipients, or an SSH key in PEM. */
export function readIdentities(text: string, argument: string): Identity[] {
  if (/^\s*-----BEGIN [A-Z ]*PRIVATE KEY-----/.test(text)) return [sshIdentity(text, argument)];
  return linesOf(text).map(([line, number]) => {
    if (line.startsWith('AGE-PLUGIN-'))
      throw makeError(
        'ERR_KEY_NOT_SUPPORTED',
        `${argument}, line ${number}: this identity needs a plugin of age`,
      );
    const found = keyOfLine(line);
    if (found === undefined) throw notIdentity(argument, number);
    const [type, key] = found;
    return type === 'x25519' ? x25519Identity(key, nativeAgreement) : hybridIdentity(key);
  });
}

// No part of the line is shown: it is a secret.
function notIdentity(argument: string, number: number): Error {
  return makeError(
    'ERR_KEY_ENCODING',
    `${argument}, line ${number} is not an identity: expected AGE-SECRET-KEY-... or a private ` +
      'SSH key',
  );
}

/** Returns the lines that are neither empty nor comments, with their numbers from 1. */
function linesOf(text: string): [string, number][] {
  return text
    .split('\n')
    .map((line, index): [string, number] => [line.trim(), index + 1])
    .filter(([line]) => line !== '' && !line.startsWith('#'));
}

/** Returns the text of an argument, which may be bytes. */
export function textFrom(value: unknown, argument: string): string {
  if (typeof value === 'string') return value;
  const copy = secretCopy(data(value, argument));
  const text = textOf(viewOf(copy.buffer), 'latin1');
  wipe(copy);
  return text;
}
