/** The types of what calls with asymmetric keys take and return. */
import type { Bytes, Data } from '../base/arguments.js';
import type { MillraceError } from '../base/errors.js';
import type { HashAlgorithm } from '../catalog/catalog.js';
import type { EngineOptions } from '../engines/engines.js';
import type { ExportPrivateKeyOptions, ExportPublicKeyOptions } from '../public-keys/export.js';
import type { PublicKeyAlgorithmName } from '../public-keys/algorithm-names.js';
import type { JsonWebKey } from '../public-keys/jwk.js';
import type { PrivateKey, PublicKey } from '../public-keys/key-objects.js';
import type { AsymmetricKeyOptions, PrivateKeyInput, PublicKeyInput } from '../public-keys/keys.js';
import type { Buffer, CryptoKey, KeyObject } from '#platform/base/runtime.js';
import type { Encoding, Output, PackedSources } from './digests.js';

/** How a message is signed. These can also stand beside `key` in its object, as in node:crypto. */
export interface SignatureParameters {
  /**
   * The padding of an RSA signature: `'pkcs1'` (RSASSA-PKCS1-v1_5) or `'pss'`, or the constants 1
   * and 6 of node:crypto. Default: `'pkcs1'`; keys of rsa-pss take `'pss'` only.
   */
  readonly padding?: 'pkcs1' | 'pss' | 1 | 6 | undefined;
  /**
   * The size of PSS's salt in bytes; `'digest'` (-1) for that of the hash; `'max'` for the most
   * that fits; `'auto'` for that when signing and for any size when verifying. -2 is the same as
   * `'auto'`. Default: `'auto'`, or what a key of rsa-pss prescribes.
   */
  readonly saltLength?: number | 'digest' | 'max' | 'auto' | undefined;
  /** The hash of PSS's mask generation. Default: the hash of the message. */
  readonly mgf1Hash?: HashAlgorithm | undefined;
  /**
   * The form of an ECDSA signature: `'der'`, of varying size, or `'ieee-p1363'`, as JOSE and
   * WebCrypto have it. Default: `'der'`.
   */
  readonly dsaEncoding?: 'der' | 'ieee-p1363' | undefined;
  /** The context of an ML-DSA signature, at most 255 bytes. */
  readonly context?: Data;
  /**
   * True if `data` is the digest of the message by the hash; for ML-DSA the 64 bytes that FIPS 204
   * calls mu. Default: false.
   */
  readonly digest?: boolean | undefined;
}

/** Options of {@link verify}. */
export interface VerifyOptions extends EngineOptions, SignatureParameters {}

/** Options of {@link sign}. */
export interface SignOptions<E extends Encoding = Encoding>
  extends EngineOptions, SignatureParameters {
  /** The encoding of the signature. Default: `'buffer'`. */
  readonly encoding?: E | undefined;
}

/** A private key that signs, maybe with parameters beside it. */
export type SigningKey = PrivateKeyInput | (AsymmetricKeyOptions & SignatureParameters);

/** A public key that verifies, maybe with parameters beside it. A private key has one. */
export type VerifyingKey = PublicKeyInput | (AsymmetricKeyOptions & SignatureParameters);

/** An array or another iterable, or consecutive elements of one size. */
export type Many<Element> = readonly Element[] | Iterable<Element> | PackedSources;

/** Raw public keys one after the other. */
export interface PackedKeys {
  /** The keys; those of NIST's curves are uncompressed points. */
  readonly data: Bytes;
  readonly algorithm: PublicKeyAlgorithmName;
}

/** Private keys, one for each message, or one for all. */
export type SigningKeys = PrivateKeyInput | readonly PrivateKeyInput[];

/** Public keys, one for each message, or one for all. */
export type VerifyingKeys = PublicKeyInput | readonly PublicKeyInput[] | PackedKeys;

/** The keys of {@link diffieHellman}. */
export interface DiffieHellmanOptions extends EngineOptions {
  /** The own private key. */
  readonly privateKey: PrivateKeyInput;
  /** The peer's public key, of the same algorithm. */
  readonly publicKey: PublicKeyInput;
}

/** Options of {@link encapsulate}. */
export interface EncapsulateOptions extends EngineOptions {}

/** What {@link encapsulate} returns. */
export interface Encapsulation {
  /** The shared secret, 32 bytes in their own ArrayBuffer. */
  readonly sharedKey: Buffer;
  /** What {@link decapsulate} makes the same secret of. */
  readonly ciphertext: Buffer;
}

/** Options of {@link decapsulate}. */
export interface DecapsulateOptions extends EngineOptions {}

/** What sender and recipient of HPKE (RFC 9180) must agree on, beside the recipient's key. */
export interface HpkeOptions extends EngineOptions {
  /** The key derivation function. Default: `'hkdf-sha256'`. */
  readonly kdf?: 'hkdf-sha256' | 'hkdf-sha384' | 'hkdf-sha512' | undefined;
  /** The AEAD; contexts can also export secrets only. Default: `'aes-128-gcm'`. */
  readonly aead?: 'aes-128-gcm' | 'aes-256-gcm' | 'chacha20-poly1305' | 'export-only' | undefined;
  /** What the application binds the encryption to. Default: nothing. */
  readonly info?: Data | undefined;
  /** A secret of 32 bytes or more that authenticates the sender (mode `psk`), with `pskId`. */
  readonly psk?: Bytes | KeyObject | CryptoKey | undefined;
  /** The name of `psk`. */
  readonly pskId?: Data | undefined;
}

/** Options of {@link createHpkeSender}. */
export interface HpkeSenderOptions extends HpkeOptions {
  /**
   * The sender's private key, of the recipient's algorithm, which authenticates the sender (mode
   * `auth`): X25519 or a curve of NIST.
   */
  readonly senderKey?: PrivateKeyInput | undefined;
}

/** Options of {@link createHpkeRecipient}. */
export interface HpkeRecipientOptions extends HpkeOptions {
  /** The public key of the only sender to accept (mode `auth`). */
  readonly senderPublicKey?: PublicKeyInput | undefined;
}

/** Options of {@link hpkeSeal}. */
export interface HpkeSealOptions extends HpkeSenderOptions {
  /** What is authenticated but not encrypted. */
  readonly aad?: Data | undefined;
}

/** Options of {@link hpkeOpen}. */
export interface HpkeOpenOptions extends HpkeRecipientOptions {
  /** What the sender authenticated with the message. */
  readonly aad?: Data | undefined;
}

/** What {@link hpkeSeal} returns. */
export interface HpkeSealed<T extends Bytes | undefined = undefined> {
  /** What the recipient needs beside its private key. */
  readonly encapsulatedKey: Buffer;
  /** The ciphertext, and its tag of 16 bytes; with a target, the size of both. */
  readonly ciphertext: Output<T, Buffer>;
}

/** How RSA encrypts. These can also stand beside `key` in its object, as in node:crypto. */
export interface RsaEncryptionParameters {
  /**
   * `'oaep'` or `'pkcs1'`, or the constants 4 and 1 of node:crypto. Default: `'oaep'`.
   */
  readonly padding?: 'oaep' | 'pkcs1' | 4 | 1 | undefined;
  /** The hash of OAEP. Default: `'sha1'`, as in node:crypto. */
  readonly oaepHash?: HashAlgorithm | undefined;
  /** The hash of OAEP's mask generation. Default: `oaepHash`. */
  readonly mgf1Hash?: HashAlgorithm | undefined;
  /** The label of OAEP, which the decryption must give too. */
  readonly oaepLabel?: Data | undefined;
}

/** Options of {@link publicEncrypt} and {@link privateDecrypt}. */
export interface RsaEncryptionOptions extends EngineOptions, RsaEncryptionParameters {}

/** A public key that encrypts, maybe with parameters beside it. A private key has one. */
export type EncryptionKey = PublicKeyInput | (AsymmetricKeyOptions & RsaEncryptionParameters);

/** A private key that decrypts, maybe with parameters beside it. */
export type DecryptionKey = PrivateKeyInput | (AsymmetricKeyOptions & RsaEncryptionParameters);

/** The kind of a new key pair: an algorithm, or `'ec'` with a curve. */
export type KeyPairType = PublicKeyAlgorithmName | 'ec';

/** Options of {@link generateKeyPair}. */
export interface GenerateKeyPairOptions<
  P extends ExportPublicKeyOptions | undefined = ExportPublicKeyOptions | undefined,
  S extends ExportPrivateKeyOptions | undefined = ExportPrivateKeyOptions | undefined,
> extends EngineOptions {
  /** Of `'ec'`: `'P-256'`, `'P-384'`, `'P-521'` or the names that OpenSSL has for them. */
  readonly namedCurve?: string | undefined;
  /** Of RSA: the bits of the modulus, 2,048 to 8,192 in steps of 128. */
  readonly modulusLength?: number | undefined;
  /** Of RSA. Default: 65537. */
  readonly publicExponent?: number | undefined;
  /** Of `'rsa-pss'`: the only hash that the key takes. */
  readonly hashAlgorithm?: HashAlgorithm | undefined;
  /** Of `'rsa-pss'`: the only hash of the mask generation. Default: `hashAlgorithm`. */
  readonly mgf1HashAlgorithm?: HashAlgorithm | undefined;
  /** Of `'rsa-pss'`: the least size of the salt in bytes. Default: that of the digest. */
  readonly saltLength?: number | undefined;
  /** Returns the public key in this encoding. */
  readonly publicKeyEncoding?: P;
  /** Returns the private key in this encoding. */
  readonly privateKeyEncoding?: S;
}

/** What {@link generateKeyPair} returns: keys, or their encodings. */
export interface KeyPair<P = undefined, S = undefined> {
  readonly publicKey: PairMember<P, PublicKey>;
  readonly privateKey: PairMember<S, PrivateKey>;
}

/** The callback of {@link generateKeyPair}, as in node:crypto: an error alone, or null and keys. */
export type KeyPairCallback<P = undefined, S = undefined> = (
  error: MillraceError | null,
  publicKey: PairMember<P, PublicKey>,
  privateKey: PairMember<S, PrivateKey>,
) => void;

/** A key in the encoding that was asked for. */
type PairMember<Encoded, Own> = Encoded extends { readonly format: 'pem' }
  ? string
  : Encoded extends { readonly format: 'jwk' }
    ? JsonWebKey
    : Encoded extends object
      ? Buffer
      : Own;
