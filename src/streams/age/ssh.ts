/** SSH keys as recipients and identities of age: ssh-ed25519 and ssh-rsa. */
import { joined, NO_BYTES, part } from '../../base/arguments.js';
import { makeError, MillraceError } from '../../base/errors.js';
import { decodeBase64 } from '../../base/secret-base64.js';
import { secretMemory, wipe, type Secret } from '../../base/secret-memory.js';
import { secretText } from '../../base/secret-results.js';
import { hashParser } from '../../operations/digest-readers.js';
import { privateDecryptParser, publicEncryptParser } from '../../operations/rsa-encryption.js';
import { hasSmallOrder } from '../../public-keys/ed25519-points.js';
import type { PrivateKey, PublicKey } from '../../public-keys/key-objects.js';
import { createPrivateKey, createPublicKey } from '../../public-keys/keys.js';
import { runPromise, runSync } from '../../scheduling/run.js';
import {
  allocateApart,
  base64url,
  bytesOfText,
  hex,
  textOf,
  utf8,
  viewOf,
} from '#platform/base/runtime.js';
import { encode, FILE_KEY_SIZE, deriveKey, malformed, type Stanza } from './header.js';
import {
  privateX25519,
  x25519Identity,
  x25519Recipient,
  type Agreement,
  type Identity,
  type Recipient,
} from './x25519.js';

const LABEL = 'age-encryption.org/v1/';
const ED25519 = 'ssh-ed25519';
const RSA = 'ssh-rsa';
const RSA_BITS_MIN = 2048;

/** Reads the fields of SSH's encoding (RFC 4251): a length of four bytes, then the bytes. */
function fieldsOf(bytes: Uint8Array, start: number, count: number): Uint8Array[] {
  const fields: Uint8Array[] = [];
  for (let at = start; fields.length < count;) {
    const size = numberAt(bytes, at);
    if (!(at + 4 + size <= bytes.length)) throw new RangeError('too short');
    fields.push(part(bytes, at + 4, size));
    at += 4 + size;
  }
  return fields;
}

/** Returns the number of four bytes, NaN if they are not there. */
function numberAt(bytes: Uint8Array, at: number): number {
  const [a, b, c, d] = part(bytes, Math.min(at, bytes.length), Math.min(4, bytes.length - at));
  return d === undefined ? NaN : a! * 2 ** 24 + (b! << 16) + (c! << 8) + d;
}

function field(bytes: Uint8Array): Uint8Array {
  const { length } = bytes;
  return joined(
    [Uint8Array.of(length >> 24, length >> 16, length >> 8, length), bytes],
    allocateApart,
  );
}

/** Returns a positive number without leading zeros as SSH encodes it. */
function positive(number: Uint8Array): Uint8Array {
  return field(number[0]! < 128 ? number : joined([Uint8Array.of(0), number], allocateApart));
}

const withoutZeros = (number: Uint8Array): Uint8Array =>
  number.subarray(number.findIndex((byte) => byte !== 0));

const text = (bytes: Uint8Array): string =>
  textOf(viewOf(bytes.buffer, bytes.byteOffset, bytes.length), 'latin1');

/** Returns the word by which a stanza names a key: the start of the hash of its encoding. */
function nameOf(blob: Uint8Array): string {
  const digest = runSync(hashParser.fill, ['sha256', blob], 2) as Uint8Array;
  return encode(part(digest, 0, 4));
}

/** Reads a line of an authorized_keys file, without options. */
export function sshRecipient(line: string, argument: string): Recipient {
  const [type, code = ''] = line.split(/[ \t]+/);
  if (type !== ED25519 && type !== RSA)
    throw makeError('ERR_KEY_NOT_SUPPORTED', `${argument}: age has no recipients ${type}`);
  const blob = bytesOfText(code, 'base64');
  try {
    const [name, first, second] = fieldsOf(blob, 0, type === RSA ? 3 : 2);
    if (text(name!) !== type || encode(blob) !== code.replace(/=+$/, '')) throw new RangeError();
    if (type === ED25519) return x25519Recipient(ed25519Agreement(blob, montgomery(first!)));
    const [e, n] = [first!, second!].map((number) => base64url(viewed(withoutZeros(number))));
    return rsaRecipient(blob, createPublicKey({ kty: 'RSA', n: n!, e: e! }));
  } catch (error) {
    if (error instanceof MillraceError && error.code === 'ERR_KEY_NOT_SUPPORTED') throw error;
    throw makeError('ERR_KEY_ENCODING', `${argument} is not a usable SSH key`);
  }
}

const viewed = (bytes: Uint8Array) => viewOf(bytes.buffer, bytes.byteOffset, bytes.length);

/** Reads a private key without passphrase: OpenSSH's format, PKCS#8 or PKCS#1 in PEM. */
export function sshIdentity(pem: string, argument: string): Identity {
  const key = pem.includes('BEGIN OPENSSH PRIVATE KEY')
    ? openSshKey(pem, argument)
    : createPrivateKey(pem);
  if (key.algorithm === 'ed25519') return ed25519Identity(key);
  if (key.algorithm === 'rsa') return rsaIdentity(key);
  const { algorithm } = key;
  key.dispose();
  throw makeError('ERR_KEY_NOT_SUPPORTED', `${argument}: age has no identities of ${algorithm}`);
}

const MAGIC = 'openssh-key-v1\0';

/** Reads OpenSSH's own format (PROTOCOL.key). */
function openSshKey(pem: string, argument: string): PrivateKey {
  const memory = secretText(pem);
  try {
    const start = pem.indexOf('KEY-----') + 8;
    const end = pem.indexOf('-----END', start);
    const size = decodeBase64(memory, start, end, memory, 0);
    const bytes = part(memory, 0, Math.max(size, 0));
    if (text(part(bytes, 0, Math.min(size, MAGIC.length))) !== MAGIC) throw new RangeError();
    const [cipher, kdf, kdfOptions] = fieldsOf(bytes, MAGIC.length, 3);
    if (text(cipher!) !== 'none')
      throw makeError(
        'ERR_KEY_NOT_SUPPORTED',
        `${argument} is encrypted: decrypt a copy of it with ssh-keygen -p`,
      );
    const at = MAGIC.length + 12 + cipher!.length + kdf!.length + kdfOptions!.length;
    if (numberAt(bytes, at) !== 1) throw new RangeError();
    const [, secrets] = fieldsOf(bytes, at + 4, 2);
    if (numberAt(secrets!, 0) !== numberAt(secrets!, 4)) throw new RangeError();
    const [name] = fieldsOf(secrets!, 8, 1);
    if (text(name!) === ED25519) {
      const [, , pair] = fieldsOf(secrets!, 8, 3);
      return createPrivateKey({ key: part(pair!, 0, 32), format: 'raw', algorithm: 'ed25519' });
    }
    if (text(name!) === RSA) return rsaKey(fieldsOf(secrets!, 8, 7).slice(1));
    throw makeError('ERR_KEY_NOT_SUPPORTED', `${argument}: age has no identities ${text(name!)}`);
  } catch (error) {
    if (error instanceof MillraceError) throw error;
    throw makeError('ERR_KEY_ENCODING', `${argument} is not a private key of OpenSSH`);
  } finally {
    wipe(memory);
  }
}

/** Makes a key of the numbers that OpenSSH stores, which has no exponents of the primes. */
function rsaKey(numbers: readonly Uint8Array[]): PrivateKey {
  const [n, e, d, qi, p, q] = numbers.map((each) => BigInt(`0x${hex(viewed(each))}`));
  const [nText, eText, dText, qiText, pText, qText, dp, dq] = [
    n,
    e,
    d,
    qi,
    p,
    q,
    d! % (p! - 1n),
    d! % (q! - 1n),
  ].map((number) => {
    const digits = number!.toString(16);
    return base64url(bytesOfText(digits.length % 2 === 0 ? digits : `0${digits}`, 'hex'));
  });
  const key = { n: nText!, e: eText!, d: dText!, qi: qiText!, p: pText!, q: qText! };
  return createPrivateKey({ kty: 'RSA', ...key, dp: dp!, dq: dq! });
}

const P = 2n ** 255n - 19n;

function power(base: bigint, exponent: bigint): bigint {
  let [result, factor] = [1n, base];
  for (let rest = exponent; rest > 0n; rest >>= 1n) {
    if (rest & 1n) result = (result * factor) % P;
    factor = (factor * factor) % P;
  }
  return result;
}

/** Converts a public key of Ed25519 to X25519 (RFC 7748): u = (1 + y) / (1 - y). */
function montgomery(point: Uint8Array): Uint8Array {
  const bytes = Uint8Array.from(point).reverse();
  bytes[0]! &= 127;
  const y = BigInt(`0x${hex(viewed(bytes))}`);
  const [square, d] = [(y * y) % P, (-121665n * power(121666n, P - 2n)) % P];
  const x2 = ((square + P - 1n) * power(((d * square + 1n) % P) + P, P - 2n)) % P;
  if (point.length !== 32 || hasSmallOrder(point) || power(x2, (P - 1n) / 2n) !== 1n)
    throw new RangeError('not a point of the curve');
  const u = ((1n + y) * power(P + 1n - (y % P), P - 2n)) % P;
  return Uint8Array.from(bytesOfText(u.toString(16).padStart(64, '0'), 'hex')).reverse();
}

const ed25519Blob = (publicKey: Uint8Array): Uint8Array =>
  joined([field(utf8(ED25519)), field(publicKey)], allocateApart);

const ed25519Agreement = (blob: Uint8Array, publicKey: Uint8Array): Agreement => ({
  type: ED25519,
  label: LABEL + ED25519,
  publicKey,
  args: [nameOf(blob)],
  tweak: deriveKey(NO_BYTES, blob, LABEL + ED25519),
});

function ed25519Identity(key: PrivateKey): Identity {
  const blob = ed25519Blob(key.publicKey().export({ format: 'raw' }));
  const seed = key.export({ format: 'raw' }) as Uint8Array as Secret;
  const digest = runSync(hashParser.fill, ['sha512', seed], 2) as Secret;
  const scalar = secretMemory(32);
  scalar.set(part(digest, 0, 32));
  try {
    return x25519Identity(privateX25519(scalar), (publicKey) => ed25519Agreement(blob, publicKey));
  } finally {
    for (const secret of [seed, digest, scalar]) wipe(secret);
    key.dispose();
  }
}

const oaep = { oaepHash: 'sha256', oaepLabel: LABEL + RSA };

function rsaRecipient(blob: Uint8Array, key: PublicKey): Recipient {
  if (key.size < RSA_BITS_MIN)
    throw makeError('ERR_KEY_NOT_SUPPORTED', `age needs RSA keys of ${RSA_BITS_MIN} bits`);
  const args = [nameOf(blob)];
  return {
    isPostQuantum: false,
    async wrap(fileKey) {
      const given = [{ key, ...oaep }, fileKey];
      const body = (await runPromise(undefined, publicEncryptParser.fill, given, 2)) as Uint8Array;
      return { type: RSA, args, body };
    },
  };
}

function rsaIdentity(key: PrivateKey): Identity {
  const { n, e } = key.publicKey().export({ format: 'jwk' });
  const [modulus, exponent] = [n!, e!].map((number) => bytesOfText(number, 'base64url'));
  const blob = joined([field(utf8(RSA)), positive(exponent!), positive(modulus!)], allocateApart);
  const name = nameOf(blob);
  return {
    async unwrap({ type, args, body }: Stanza) {
      if (type !== RSA) return undefined;
      if (args.length !== 1) throw malformed('a recipient ssh-rsa has not one argument');
      if (args[0] !== name) return undefined;
      const given = [{ key, ...oaep }, body];
      try {
        const fileKey = (await runPromise(
          undefined,
          privateDecryptParser.fill,
          given,
          2,
        )) as Secret;
        if (fileKey.length === FILE_KEY_SIZE) return fileKey;
        wipe(fileKey);
      } catch (error) {
        if (!(error instanceof MillraceError)) throw error;
      }
      throw malformed('the key of a recipient ssh-rsa cannot be decrypted');
    },
    dispose: () => key.dispose(),
  };
}
