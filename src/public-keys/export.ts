/** What keys export and tell of themselves. */
import type { Data } from '../base/arguments.js';
import { makeError } from '../base/errors.js';
import { between } from '../base/numbers.js';
import { ownOptions, accepted, type Accepted } from '../base/options.js';
import { exportPrivateKeyOptionNames } from '../base/option-names.js';
import { KeyForm, PublicKeyAlgorithm } from '../base/protocol.js';
import { wipe, type Secret } from '../base/secret-memory.js';
import { hashOf } from '../catalog/catalog.js';
import { native } from '../engines/binding.js';
import { release } from '../request/key.js';
import { checkOneOf, encodePem, passphraseOf, pkcs1Numbers } from './encodings.js';
import {
  exportBytes,
  FIELD_BYTES,
  keyCiphers,
  publicKeyOf,
  type HeldKey,
  type KeyEncryption,
} from './held-key.js';
import { exportJwk, type JsonWebKey } from './jwk.js';
import type { Buffer } from '#platform/base/runtime.js';

/** The encoding in which `PublicKey.export` returns a key. */
export interface ExportPublicKeyOptions {
  /** `der` and `raw` are returned as a Buffer. */
  readonly format: 'pem' | 'der' | 'jwk' | 'raw';
  /**
   * The structure of PEM and DER, by default `spki`; of a raw point on a NIST curve by default
   * `uncompressed`.
   */
  readonly type?: 'spki' | 'pkcs1' | 'uncompressed' | 'compressed' | undefined;
}

/** The encoding in which `PrivateKey.export` returns a key. */
export interface ExportPrivateKeyOptions {
  /** `der`, `raw` and `seed` are returned as a Buffer, alone in its ArrayBuffer. */
  readonly format: 'pem' | 'der' | 'jwk' | 'raw' | 'seed';
  /** The structure of PEM and DER. Default: `pkcs8`. */
  readonly type?: 'pkcs8' | 'pkcs1' | 'sec1' | undefined;
  /** Encrypts PKCS#8 by PBES2 (RFC 8018), under a key that PBKDF2 derives from the passphrase. */
  readonly cipher?: (typeof keyCiphers)[number] | undefined;
  /** The passphrase of the cipher: bytes or a string, which is encoded as UTF-8. */
  readonly passphrase?: Data | undefined;
  /**
   * The iterations of PBKDF2 with SHA-256, at most 10 million. Default: 2048, as in node:crypto.
   * OWASP asks for 600,000, which hold the calling thread for some 50 ms.
   */
  readonly iterations?: number | undefined;
}

/** What `export` returns for a format. */
export type ExportedKey<Format> = Format extends 'pem'
  ? string
  : Format extends 'jwk'
    ? JsonWebKey
    : Buffer;

/** What `asymmetricKeyDetails` has, as in node:crypto. */
export interface AsymmetricKeyDetails {
  /** The curve: `prime256v1`, `secp384r1` or `secp521r1`. */
  readonly namedCurve?: string;
  /** The bits of an RSA modulus. */
  readonly modulusLength?: number;
  /** The public exponent of RSA. */
  readonly publicExponent?: bigint;
  /** The hash that a key of RSA-PSS prescribes. */
  readonly hashAlgorithm?: string;
  /** The hash of MGF1 that a key of RSA-PSS prescribes. */
  readonly mgf1HashAlgorithm?: string;
  /** The least number of bytes of the salt that a key of RSA-PSS prescribes. */
  readonly saltLength?: number;
}

const takes: Accepted<keyof ExportPrivateKeyOptions> = accepted(
  'export()',
  exportPrivateKeyOptionNames,
);

type Types = Readonly<Record<string, KeyForm>>;

/** The types of each format and their forms; the first is the default. */
const privateTypes: Types = {
  __proto__: null as never,
  pkcs8: KeyForm.Pkcs8,
  pkcs1: KeyForm.Pkcs1,
  sec1: KeyForm.Sec1,
};
const publicTypes: Types = {
  __proto__: null as never,
  spki: KeyForm.Spki,
  pkcs1: KeyForm.Pkcs1Public,
};
const pointTypes: Types = {
  __proto__: null as never,
  uncompressed: KeyForm.PublicRaw,
  compressed: KeyForm.Compressed,
};

/** An encoding that was read. */
export interface KeyEncoding {
  readonly format: 'pem' | 'der' | 'jwk';
  /** The form of PEM and DER. */
  readonly form: KeyForm;
  /** The name of the type in messages. */
  readonly argument: string;
  readonly encryption: KeyEncryption | undefined;
}

/** Returns a key in the encoding that the options of `export` ask for. */
export function exportKey(key: HeldKey, options: unknown): string | Buffer | JsonWebKey {
  if (options === undefined)
    throw makeError('ERR_MISSING_ARGUMENT', "export needs options, such as { format: 'pem' }");
  return encodeKey(key, readEncoding(options, 'options', key.isPrivate));
}

/**
 * Reads the options of an encoding. Error messages name them `argument`. The passphrase is a copy,
 * which {@link encodeKey} or {@link wipeEncoding} wipes.
 */
export function readEncoding(options: unknown, argument: string, isPrivate: boolean): KeyEncoding {
  const own = ownOptions<ExportPrivateKeyOptions>(options, argument, takes);
  const { format, type } = own;
  const formats = ['pem', 'der', 'jwk', 'raw', ...(isPrivate ? ['seed'] : [])];
  checkOneOf(formats, format, `${argument}.format`);
  const typed = `${argument}.type`;
  if (format === 'pem' || format === 'der' || (format === 'raw' && !isPrivate)) {
    const types = format === 'raw' ? pointTypes : isPrivate ? privateTypes : publicTypes;
    const names = Object.keys(types);
    if (type !== undefined) checkOneOf(names, type, typed);
    const plain = types[type ?? names[0]!]!;
    const encryption = readEncryption(own, argument, plain);
    const form = encryption === undefined ? plain : KeyForm.EncryptedPkcs8;
    return { format: format === 'pem' ? format : 'der', form, argument: typed, encryption };
  }
  if (type !== undefined)
    throw makeError('ERR_ARGUMENT_VALUE', `${typed}: format ${format} has no types`);
  const form = format === 'seed' ? KeyForm.Seed : KeyForm.PrivateRaw;
  const encryption = readEncryption(own, argument, form);
  return { format: format === 'jwk' ? format : 'der', form, argument: typed, encryption };
}

/** Reads how a key of this form is encrypted; undefined if it is not. */
function readEncryption(
  { cipher, passphrase, iterations = 2048 }: ExportPrivateKeyOptions,
  argument: string,
  form: KeyForm,
): KeyEncryption | undefined {
  if (cipher === undefined) {
    if (passphrase === undefined && iterations === 2048) return undefined;
    throw makeError(
      'ERR_MISSING_ARGUMENT',
      `${argument}.cipher is missing: pass 'aes-256-cbc' to encrypt the key`,
    );
  }
  checkOneOf(keyCiphers, cipher, `${argument}.cipher`);
  if (form !== KeyForm.Pkcs8)
    throw makeError(
      'ERR_NOT_SUPPORTED',
      `${argument}.cipher: only private keys of type pkcs8, as pem or der, are encrypted`,
    );
  if (passphrase === undefined)
    throw makeError('ERR_MISSING_ARGUMENT', `${argument}.cipher needs ${argument}.passphrase`);
  return {
    cipher: keyCiphers.indexOf(cipher),
    iterations: between(iterations, 1, 10_000_000, `${argument}.iterations`),
    passphrase: passphraseOf(passphrase, `${argument}.passphrase`),
  };
}

/** Wipes the passphrase of an encoding. */
export function wipeEncoding(encoding: KeyEncoding | undefined): void {
  if (encoding?.encryption !== undefined) wipe(encoding.encryption.passphrase);
}

/** Returns a key in an encoding, of which it wipes the passphrase. */
export function encodeKey(key: HeldKey, encoding: KeyEncoding): string | Buffer | JsonWebKey {
  const { format, form, argument, encryption } = encoding;
  try {
    if (format === 'jwk') return exportJwk(key);
    checkRsa(key, form, argument);
    const bytes = exportBytes(key, form, encryption);
    return format === 'pem' ? pemOf(form, bytes) : bytes;
  } finally {
    wipeEncoding(encoding);
  }
}

/** Checks that a key has the form: PKCS#1 has no place for the parameters of RSA-PSS. */
function checkRsa(
  { algorithm, algorithmNumber }: Pick<HeldKey, 'algorithm' | 'algorithmNumber'>,
  form: KeyForm,
  argument: string,
): void {
  if (form !== KeyForm.Pkcs1 && form !== KeyForm.Pkcs1Public) return;
  if (algorithmNumber !== PublicKeyAlgorithm.Rsa)
    throw makeError('ERR_KEY_ALGORITHM', `${argument}: pkcs1 is for rsa keys, not ${algorithm}`);
}

/** Returns PEM, and wipes the DER. */
function pemOf(form: KeyForm, der: Secret<Buffer>): string {
  try {
    return encodePem(form, der);
  } finally {
    wipe(der);
  }
}

/** Returns true for keys of one kind with the same public key and parameters. */
export function equalKeys(left: HeldKey, right: HeldKey): boolean {
  if (left.isPrivate !== right.isPrivate || left.algorithmNumber !== right.algorithmNumber)
    return false;
  return native.equal(spkiOf(left), spkiOf(right)) === 1;
}

function spkiOf(key: HeldKey): Buffer {
  return withPublic(key, (publicKey) => exportBytes(publicKey, KeyForm.Spki));
}

/** Calls `use` with the public key of a key. */
function withPublic<T>(key: HeldKey, use: (publicKey: HeldKey) => T): T {
  if (!key.isPrivate) return use(key);
  const publicKey = publicKeyOf(key);
  try {
    return use(publicKey);
  } finally {
    release(publicKey);
  }
}

/** Returns what node:crypto tells of a key. */
export function keyDetails(key: HeldKey): AsymmetricKeyDetails {
  const { algorithmNumber, modulusBits, restriction } = key;
  if (FIELD_BYTES[algorithmNumber] > 0)
    return { namedCurve: CURVES[algorithmNumber - PublicKeyAlgorithm.P256]! };
  if (modulusBits === 0) return {};
  const der = withPublic(key, (publicKey) => exportBytes(publicKey, KeyForm.Pkcs1Public));
  const exponent = pkcs1Numbers(der)[1]!;
  const publicExponent = exponent.reduce((number, byte) => number * 256n + BigInt(byte), 0n);
  const rsa = { modulusLength: modulusBits, publicExponent };
  if (restriction === undefined) return rsa;
  return {
    ...rsa,
    hashAlgorithm: hashOf(restriction.hash).name,
    mgf1HashAlgorithm: hashOf(restriction.mgf1Hash).name,
    saltLength: restriction.saltLength,
  };
}

/** OpenSSL's names of the curves, from P-256 on. */
const CURVES = ['prime256v1', 'secp384r1', 'secp521r1'];
