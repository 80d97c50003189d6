// Calls with asymmetric keys: the descriptions that tools/calls.mjs reads.

export default 'Calls with asymmetric keys, which are loaded at the first of them,';

const TARGET = 'T extends Bytes | undefined = undefined';
const toTarget = (options) => `${options} & Partial<TargetOptions<T>>`;
/** What the options of asynchronous calls have beside their own. */
const also = { later: 'RouteOptions', promised: 'CallOptions' };

/*
 * Signs `data` with a private key: Ed25519 (RFC 8032), ECDSA with P-256, P-384 and P-521 (FIPS
 * 186-5), RSASSA-PKCS1-v1_5 and RSASSA-PSS (RFC 8017), ML-DSA (FIPS 204). Arguments are those of
 * node:crypto. ECDSA and ML-DSA are randomized: two signatures of a message differ.
 *
 * @example
 * ```js
 * import { generateKeyPair, sign, verify } from 'millrace';
 *
 * const { privateKey, publicKey } = generateKeyPair('ed25519');
 * const signature = sign(null, 'a message', privateKey);
 * verify(null, 'a message', publicKey, signature); // true
 * ```
 *
 * @param algorithm name of the hash, for example `sha256`; null for Ed25519 and ML-DSA
 * @param data the message: bytes or a string (UTF-8)
 * @param key a private key: as {@link createPrivateKey} takes it, maybe in an object with
 *   parameters such as `{ key, padding: 'pss' }`
 * @returns the signature; with a target, its size in bytes. One of ECDSA in DER has up to 72, 104
 *   or 139 bytes, which a target must have.
 * @throws MillraceError ERR_MISSING_ARGUMENT, ERR_ARGUMENT_TYPE, ERR_ARGUMENT_VALUE,
 *   ERR_UNKNOWN_ALGORITHM, ERR_SOURCE_SIZE; ERR_KEY_ALGORITHM for a key that does not sign; for
 *   keys as {@link createPrivateKey}
 *
 * @later
 * Signs asynchronously. All arguments are copied at the call.
 *
 * @promised
 * Signs `data` with a private key; see `sign` of `millrace`. All arguments are copied at the call.
 *
 * @example
 * ```js
 * import { generateKeyPair, sign, verify } from 'millrace/promises';
 *
 * const options = { namedCurve: 'P-256' };
 * const { privateKey, publicKey } = await generateKeyPair('ec', options);
 * const signature = await sign('sha256', 'a message', privateKey);
 * await verify('sha256', 'a message', publicKey, signature); // true
 * ```
 */
export const sign = {
  form: 'derivation',
  types: ["E extends Encoding = 'buffer'", TARGET],
  takes: { algorithm: 'HashAlgorithm | null | undefined', data: 'Data', key: 'SigningKey' },
  options: toTarget('SignOptions<E>'),
  also,
  result: 'Output<T, Digest<E>>',
  runs: {
    millrace: 'perform(signParser, arguments)',
    promises: 'perform(signParser, arguments)',
  },
};

/*
 * Returns true if `signature` is that of `data` by the private key that belongs to `key`. Bytes of
 * any other size or content are false. Ed25519 verifies without cofactor, as OpenSSL does.
 *
 * @example
 * ```js
 * import { generateKeyPair, sign, verify } from 'millrace';
 *
 * const pair = generateKeyPair('rsa', { modulusLength: 2048 });
 * const padding = 'pss';
 * const message = 'a message';
 * const signature = sign('sha256', message, pair.privateKey, { padding });
 * const key = { key: pair.publicKey, padding };
 * verify('sha256', message, key, signature); // true
 * ```
 *
 * @param algorithm name of the hash, for example `sha256`; null for Ed25519 and ML-DSA
 * @param data the message: bytes or a string (UTF-8)
 * @param key a public key, or a private one, of which the public key is taken: as
 *   {@link createPublicKey} takes it, maybe in an object with parameters
 * @param signature the signature
 * @throws MillraceError as {@link sign}
 *
 * @later
 * Verifies asynchronously. All arguments are copied at the call.
 *
 * @promised
 * Resolves to true if `signature` is that of `data`; see `verify` of `millrace`. All arguments are
 * copied at the call.
 *
 * @example
 * ```js
 * import { generateKeyPair, sign, verify } from 'millrace/promises';
 *
 * const { privateKey, publicKey } = await generateKeyPair('ml-dsa-65');
 * const context = 'an application';
 * const signature = await sign(null, 'text', privateKey, { context });
 * await verify(null, 'text', publicKey, signature, { context }); // true
 * ```
 */
export const verify = {
  form: 'derivation',
  takes: {
    algorithm: 'HashAlgorithm | null | undefined',
    data: 'Data',
    key: 'VerifyingKey',
    signature: 'Bytes',
  },
  options: 'VerifyOptions',
  also,
  result: 'boolean',
  runs: {
    millrace: 'perform(verifySignatureParser, arguments)',
    promises: 'perform(verifySignatureParser, arguments)',
  },
};

/*
 * Signs many messages in one call. The signatures are those of {@link sign}.
 *
 * @example
 * ```js
 * import { generateKeyPair, signMany } from 'millrace';
 *
 * const { privateKey } = generateKeyPair('ed25519');
 * const [first, second] = signMany(null, ['one', 'two'], privateKey, {
 *   encoding: 'base64url',
 * });
 * ```
 *
 * @param algorithm name of the hash, for example `sha256`; null for Ed25519 and ML-DSA
 * @param messages an array or iterable of bytes and strings, or `{ data, size }`: consecutive
 *   messages of one size
 * @param keys an array of private keys, one for each message, or one for all: as
 *   {@link createPrivateKey} takes them. All sign in the same way: of one hash, padding and encoding
 * @returns an array of signatures; with a target, which takes them one after the other, their size
 *   in bytes
 * @throws MillraceError as {@link sign}; the message names the element: `keys[17]`
 *
 * @later
 * Signs many messages on all cores. All arguments are copied at the call.
 *
 * @promised
 * Signs many messages in one call, divided among all cores; see `signMany` of `millrace`. All
 * arguments are copied at the call. An abort rejects unless all of the work has started.
 *
 * @example
 * ```js
 * import { generateKeyPair, signMany } from 'millrace/promises';
 *
 * const { privateKey } = await generateKeyPair('p-256');
 * await signMany('sha256', ['one', 'two'], privateKey);
 * ```
 */
export const signMany = {
  form: 'derivation',
  types: ["E extends Encoding = 'buffer'", TARGET],
  takes: {
    algorithm: 'HashAlgorithm | null | undefined',
    messages: 'Many<Data>',
    keys: 'SigningKeys',
  },
  options: toTarget('SignOptions<E>'),
  also,
  result: 'Output<T, Digest<E>[]>',
  runs: {
    millrace: 'performSignatures(false, arguments)',
    promises: 'signaturesLater(false, arguments)',
  },
};

/*
 * Verifies many signatures in one call. Returns for each what {@link verify} returns: no equation
 * over several signatures is used, which could accept others.
 *
 * @example
 * ```js
 * import { generateKeyPair, signMany, verifyMany } from 'millrace';
 *
 * const { privateKey, publicKey } = generateKeyPair('ed25519');
 * const messages = ['one', 'two'];
 * const signatures = signMany(null, messages, privateKey);
 * verifyMany(null, messages, publicKey, signatures); // [true, true]
 *
 * // Keys, messages and signatures one after the other:
 * const keys = {
 *   data: Buffer.concat(Array(2).fill(publicKey.export({ format: 'raw' }))),
 *   algorithm: 'ed25519',
 * };
 * const packed = { data: Buffer.concat(signatures), size: 64 };
 * const data = Buffer.from('onetwo');
 * verifyMany(null, { data, size: 3 }, keys, packed);
 * ```
 *
 * @param algorithm name of the hash, for example `sha256`; null for Ed25519 and ML-DSA
 * @param messages an array or iterable of bytes and strings, or `{ data, size }`: consecutive
 *   messages of one size
 * @param keys an array of keys, one for each message, or one for all: as {@link createPublicKey}
 *   takes them; or `{ data, algorithm }`: consecutive raw keys, of which a wrong one is false
 * @param signatures an array or iterable of bytes, or `{ data, size }`
 * @throws MillraceError as {@link verify}; the message names the element: `keys[17]`
 *
 * @later
 * Verifies many signatures on all cores. All arguments are copied at the call.
 *
 * @promised
 * Verifies many signatures in one call, divided among all cores; see `verifyMany` of `millrace`.
 * All arguments are copied at the call. An abort rejects unless all of the work has started.
 *
 * @example
 * ```js
 * import { generateKeyPair, signMany, verifyMany } from 'millrace/promises';
 *
 * const { privateKey, publicKey } = await generateKeyPair('p-256');
 * const messages = ['one', 'two'];
 * const signatures = await signMany('sha256', messages, privateKey);
 * await verifyMany('sha256', messages, publicKey, signatures); // [true, true]
 * ```
 */
export const verifyMany = {
  form: 'derivation',
  takes: {
    algorithm: 'HashAlgorithm | null | undefined',
    messages: 'Many<Data>',
    keys: 'VerifyingKeys',
    signatures: 'Many<Bytes>',
  },
  options: 'VerifyOptions',
  also,
  result: 'boolean[]',
  runs: {
    millrace: 'performSignatures(true, arguments)',
    promises: 'signaturesLater(true, arguments)',
  },
};

/*
 * Returns the secret that a private key and the public key of a peer have in common: X25519 (RFC
 * 7748) or ECDH with P-256, P-384 or P-521 (SP 800-56A). The secret is not uniform: derive keys
 * from it, by {@link hkdf}. It has its own ArrayBuffer.
 *
 * @example
 * ```js
 * import { diffieHellman, generateKeyPair, hkdf } from 'millrace';
 *
 * const [own, peer] = [
 *   generateKeyPair('x25519'),
 *   generateKeyPair('x25519'),
 * ];
 * const { privateKey } = own;
 * const { publicKey } = peer;
 * const secret = diffieHellman({ privateKey, publicKey });
 * const key = hkdf('sha256', secret, '', 'encryption', 32);
 * ```
 *
 * @returns the secret of 32, 48 or 66 bytes; with a target, its size
 * @throws MillraceError ERR_MISSING_ARGUMENT, ERR_ARGUMENT_TYPE, ERR_ARGUMENT_VALUE;
 *   ERR_KEY_ALGORITHM for keys of different algorithms, or of one that does not agree;
 *   ERR_KEY_INVALID for a public key of small order; for keys as {@link createPrivateKey}
 *
 * @later
 * Agrees on a secret asynchronously. All arguments are copied at the call.
 *
 * @promised
 * Resolves to the secret that two keys have in common; see `diffieHellman` of `millrace`.
 *
 * @example
 * ```js
 * import { diffieHellman, generateKeyPair } from 'millrace/promises';
 *
 * const { privateKey } = await generateKeyPair('p-384');
 * const { publicKey } = await generateKeyPair('p-384');
 * await diffieHellman({ privateKey, publicKey });
 * ```
 */
export const diffieHellman = {
  form: 'derivation',
  types: [TARGET],
  options: toTarget('DiffieHellmanOptions'),
  required: true,
  also,
  result: 'Output<T, Buffer>',
  runs: {
    millrace: 'perform(diffieHellmanParser, arguments)',
    promises: 'perform(diffieHellmanParser, arguments)',
  },
};

/*
 * Makes a random shared secret, and a ciphertext of it for the owner of the key: ML-KEM-512, -768
 * or -1024 (FIPS 203).
 *
 * @example
 * ```js
 * import { decapsulate, encapsulate, generateKeyPair } from 'millrace';
 *
 * const { privateKey, publicKey } = generateKeyPair('ml-kem-768');
 * const { sharedKey, ciphertext } = encapsulate(publicKey);
 * decapsulate(privateKey, ciphertext); // sharedKey
 * ```
 *
 * @param key a public key, as {@link createPublicKey} takes it
 * @throws MillraceError ERR_MISSING_ARGUMENT, ERR_ARGUMENT_TYPE; ERR_KEY_ALGORITHM for a key of
 *   another algorithm; for keys as {@link createPublicKey}
 *
 * @later
 * Makes a shared secret and its ciphertext asynchronously.
 *
 * @promised
 * Makes a shared secret and its ciphertext; see `encapsulate` of `millrace`.
 *
 * @example
 * ```js
 * import {
 *   decapsulate,
 *   encapsulate,
 *   generateKeyPair,
 * } from 'millrace/promises';
 *
 * const { privateKey, publicKey } = await generateKeyPair('ml-kem-768');
 * const { sharedKey, ciphertext } = await encapsulate(publicKey);
 * await decapsulate(privateKey, ciphertext); // sharedKey
 * ```
 */
export const encapsulate = {
  form: 'derivation',
  takes: { key: 'PublicKeyInput' },
  options: 'EncapsulateOptions',
  also,
  result: 'Encapsulation',
  runs: {
    millrace: 'perform(encapsulateParser, arguments)',
    promises: 'perform(encapsulateParser, arguments)',
  },
};

/*
 * Returns the shared secret in the ciphertext that {@link encapsulate} made: 32 bytes in their own
 * ArrayBuffer. A changed ciphertext gives another secret, which only this key can compute.
 *
 * @example
 * ```js
 * import { decapsulate, encapsulate, generateKeyPair } from 'millrace';
 *
 * const { privateKey, publicKey } = generateKeyPair('ml-kem-1024');
 * const { sharedKey, ciphertext } = encapsulate(publicKey);
 * decapsulate(privateKey, ciphertext); // sharedKey
 * ```
 *
 * @param key a private key, as {@link createPrivateKey} takes it
 * @param ciphertext 768, 1,088 or 1,568 bytes
 * @returns the secret; with a target, its size
 * @throws MillraceError ERR_MISSING_ARGUMENT, ERR_ARGUMENT_TYPE, ERR_ARGUMENT_VALUE,
 *   ERR_SOURCE_SIZE; ERR_KEY_ALGORITHM for a key of another algorithm; for keys as
 *   {@link createPrivateKey}
 *
 * @later
 * Returns the shared secret asynchronously. All arguments are copied at the call.
 *
 * @promised
 * Resolves to the shared secret in a ciphertext; see `decapsulate` of `millrace`.
 *
 * @example
 * ```js
 * import {
 *   decapsulate,
 *   encapsulate,
 *   generateKeyPair,
 * } from 'millrace/promises';
 *
 * const { privateKey, publicKey } = await generateKeyPair('ml-kem-512');
 * const { sharedKey, ciphertext } = await encapsulate(publicKey);
 * await decapsulate(privateKey, ciphertext); // sharedKey
 * ```
 */
export const decapsulate = {
  form: 'derivation',
  types: [TARGET],
  takes: { key: 'PrivateKeyInput', ciphertext: 'Bytes' },
  options: toTarget('DecapsulateOptions'),
  also,
  result: 'Output<T, Buffer>',
  runs: {
    millrace: 'perform(decapsulateParser, arguments)',
    promises: 'perform(decapsulateParser, arguments)',
  },
};

/*
 * Encrypts a short message with an RSA key: RSAES-OAEP or RSAES-PKCS1-v1_5 (RFC 8017). The message
 * has at most the bytes of the modulus less two digests and 2; for SHA-256 and 2,048 bits 190.
 *
 * @example
 * ```js
 * import {
 *   generateKeyPair,
 *   privateDecrypt,
 *   publicEncrypt,
 * } from 'millrace';
 *
 * const options = { modulusLength: 2048 };
 * const { privateKey, publicKey } = generateKeyPair('rsa', options);
 * const oaepHash = 'sha256';
 * const text = publicEncrypt({ key: publicKey, oaepHash }, 'a secret');
 * const secret = privateDecrypt({ key: privateKey, oaepHash }, text);
 * secret.toString(); // 'a secret'
 * ```
 *
 * @param key a public key, as {@link createPublicKey} takes it, maybe in an object with parameters
 * @param data the message: bytes or a string (UTF-8)
 * @returns the ciphertext, with the size of the modulus; with a target, its size
 * @throws MillraceError ERR_MISSING_ARGUMENT, ERR_ARGUMENT_TYPE, ERR_ARGUMENT_VALUE,
 *   ERR_UNKNOWN_ALGORITHM, ERR_SOURCE_SIZE; ERR_KEY_ALGORITHM for a key that is not of RSA; for
 *   keys as {@link createPublicKey}
 *
 * @later
 * Encrypts asynchronously. All arguments are copied at the call.
 *
 * @promised
 * Encrypts a short message with an RSA key; see `publicEncrypt` of `millrace`.
 *
 * @example
 * ```js
 * import { generateKeyPair, publicEncrypt } from 'millrace/promises';
 *
 * const options = { modulusLength: 2048 };
 * const { publicKey } = await generateKeyPair('rsa', options);
 * await publicEncrypt(publicKey, 'a secret', { oaepHash: 'sha256' });
 * ```
 */
export const publicEncrypt = {
  form: 'derivation',
  types: [TARGET],
  takes: { key: 'EncryptionKey', data: 'Data' },
  options: toTarget('RsaEncryptionOptions'),
  also,
  result: 'Output<T, Buffer>',
  runs: {
    millrace: 'perform(publicEncryptParser, arguments)',
    promises: 'perform(publicEncryptParser, arguments)',
  },
};

/*
 * Decrypts what {@link publicEncrypt} encrypted with OAEP. The message has its own ArrayBuffer.
 * PKCS#1 v1.5 is refused: AWS-LC reports wrong padding, from which attackers learn messages.
 *
 * @example
 * ```js
 * import {
 *   generateKeyPair,
 *   privateDecrypt,
 *   publicEncrypt,
 * } from 'millrace';
 *
 * const options = { modulusLength: 2048 };
 * const { privateKey, publicKey } = generateKeyPair('rsa', options);
 * const text = publicEncrypt(publicKey, 'a secret');
 * privateDecrypt(privateKey, text).toString(); // 'a secret'
 * ```
 *
 * @param key a private key, as {@link createPrivateKey} takes it, maybe in an object with
 * parameters
 * @param data the ciphertext
 * @returns the message; with a target, its size
 * @throws MillraceError as {@link publicEncrypt}; ERR_AUTHENTICATION if the ciphertext does not
 *   decrypt; ERR_NOT_SUPPORTED for PKCS#1 v1.5
 *
 * @later
 * Decrypts asynchronously. All arguments are copied at the call.
 *
 * @promised
 * Decrypts what `publicEncrypt` encrypted with OAEP; see `privateDecrypt` of `millrace`.
 *
 * @example
 * ```js
 * import {
 *   generateKeyPair,
 *   privateDecrypt,
 *   publicEncrypt,
 * } from 'millrace/promises';
 *
 * const options = { modulusLength: 2048 };
 * const { privateKey, publicKey } = await generateKeyPair('rsa', options);
 * const text = await publicEncrypt(publicKey, 'a secret');
 * const secret = await privateDecrypt(privateKey, text);
 * secret.toString(); // 'a secret'
 * ```
 */
export const privateDecrypt = {
  form: 'derivation',
  types: [TARGET],
  takes: { key: 'DecryptionKey', data: 'Bytes' },
  options: toTarget('RsaEncryptionOptions'),
  also,
  result: 'Output<T, Buffer>',
  runs: {
    millrace: 'perform(privateDecryptParser, arguments)',
    promises: 'perform(privateDecryptParser, arguments)',
  },
};

/*
 * Generates a key pair: of Ed25519, X25519, a curve of NIST, RSA, RSA-PSS, ML-KEM or ML-DSA. Types
 * and options are those of node:crypto.
 *
 * @example
 * ```js
 * import { generateKeyPair } from 'millrace';
 *
 * const { publicKey, privateKey } = generateKeyPair('ed25519', {
 *   publicKeyEncoding: { type: 'spki', format: 'pem' },
 *   privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
 * });
 * publicKey.startsWith('-----BEGIN PUBLIC KEY-----'); // true
 * ```
 *
 * @param type an algorithm, such as `ed25519`, `rsa` or `ml-kem-768`; or `ec`, with
 *   `options.namedCurve`
 * @returns the keys, or their encodings if the options have some
 * @throws MillraceError ERR_MISSING_ARGUMENT, ERR_ARGUMENT_TYPE, ERR_ARGUMENT_VALUE,
 *   ERR_UNKNOWN_ALGORITHM, ERR_KEY_SIZE
 *
 * @later
 * Generates a key pair asynchronously. The callback gets both keys.
 *
 * @promised
 * Generates a key pair; see `generateKeyPair` of `millrace`. An RSA key takes hundreds of
 * milliseconds; a signal cancels it.
 *
 * @example
 * ```js
 * import { generateKeyPair } from 'millrace/promises';
 *
 * const { privateKey } = await generateKeyPair('rsa', {
 *   modulusLength: 3072,
 *   signal: AbortSignal.timeout(60_000),
 * });
 * privateKey.size; // 3072
 * ```
 */
export const generateKeyPair = {
  form: 'derivation',
  types: [
    'P extends ExportPublicKeyOptions | undefined = undefined',
    'S extends ExportPrivateKeyOptions | undefined = undefined',
  ],
  takes: { type: 'KeyPairType' },
  options: 'GenerateKeyPairOptions<P, S>',
  also,
  result: 'KeyPair<P, S>',
  callback: 'KeyPairCallback<P, S>',
  runs: {
    millrace: 'performKeyPair(arguments)',
    promises: 'perform(keyPairParser, arguments)',
  },
};
