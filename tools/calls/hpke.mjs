// Calls of hybrid public key encryption: the descriptions that tools/calls.mjs reads.

export default 'Hybrid public key encryption (HPKE), which is loaded at its first call,';

const also = { later: 'RouteOptions', promised: 'CallOptions' };

/*
 * Encrypts one message for the owner of a key, by hybrid public key encryption (HPKE, RFC 9180).
 * The KEM follows from the key: X25519, P-256, P-384, P-521, ML-KEM or X-Wing.
 *
 * @example
 * ```js
 * import { generateKeyPair, hpkeOpen, hpkeSeal } from 'millrace';
 *
 * const { privateKey, publicKey } = generateKeyPair('x25519');
 * const info = 'an application';
 * const { encapsulatedKey, ciphertext } = hpkeSeal(publicKey, 'a secret', {
 *   info,
 * });
 * hpkeOpen(privateKey, encapsulatedKey, ciphertext, { info }).toString();
 * ```
 *
 * @param publicKey the recipient's key, as {@link createPublicKey} takes it
 * @param plaintext bytes or a string (UTF-8)
 * @returns what is sent; with a target, the size of the ciphertext in its place
 * @throws MillraceError ERR_MISSING_ARGUMENT, ERR_ARGUMENT_TYPE, ERR_ARGUMENT_VALUE; ERR_KEY_SIZE
 *   for a short `psk`; ERR_KEY_ALGORITHM for a key without KEM or a sender's key of another
 *   algorithm; ERR_KEY_INVALID for a public key of small order; for keys as
 *   {@link createPrivateKey}
 *
 * @later
 * Encrypts one message asynchronously. All arguments are copied at the call.
 *
 * @promised
 * Encrypts one message for the owner of a key; see `hpkeSeal` of `millrace`. All arguments are
 * copied at the call.
 *
 * @example
 * ```js
 * import { generateKeyPair, hpkeOpen, hpkeSeal } from 'millrace/promises';
 *
 * const { privateKey, publicKey } = await generateKeyPair('x-wing');
 * const options = { aead: 'aes-256-gcm', aad: 'a header' };
 * const sealed = await hpkeSeal(publicKey, 'a secret', options);
 * const { encapsulatedKey, ciphertext } = sealed;
 * await hpkeOpen(privateKey, encapsulatedKey, ciphertext, options);
 * ```
 */
export const hpkeSeal = {
  form: 'derivation',
  types: ['T extends Bytes | undefined = undefined'],
  takes: { publicKey: 'PublicKeyInput', plaintext: 'Data' },
  options: 'HpkeSealOptions & Partial<TargetOptions<T>>',
  also,
  result: 'HpkeSealed<T>',
  runs: {
    millrace: 'perform(hpkeSealParser, arguments)',
    promises: 'perform(hpkeSealParser, arguments)',
  },
};

/*
 * Decrypts a message of {@link hpkeSeal}, with the same options. The plaintext has its own
 * ArrayBuffer.
 *
 * @example
 * ```js
 * import { generateKeyPair, hpkeOpen, hpkeSeal } from 'millrace';
 *
 * const { privateKey, publicKey } = generateKeyPair('p-256');
 * const sender = generateKeyPair('p-256');
 * const senderKey = sender.privateKey;
 * const sealed = hpkeSeal(publicKey, 'a secret', { senderKey });
 * const { encapsulatedKey, ciphertext } = sealed;
 * hpkeOpen(privateKey, encapsulatedKey, ciphertext, {
 *   senderPublicKey: sender.publicKey,
 * });
 * ```
 *
 * @param privateKey the recipient's key, as {@link createPrivateKey} takes it
 * @returns the plaintext; with a target, its size
 * @throws MillraceError ERR_AUTHENTICATION if anything differs, and then nothing is written;
 *   ERR_SOURCE_SIZE; ERR_KEY_INVALID for an encapsulated key that is no point; otherwise as
 *   {@link hpkeSeal}
 *
 * @later
 * Decrypts asynchronously. All arguments are copied at the call.
 *
 * @promised
 * Decrypts a message of `hpkeSeal`; see `hpkeOpen` of `millrace`. All arguments are copied at the
 * call.
 *
 * @example
 * ```js
 * import { generateKeyPair, hpkeOpen, hpkeSeal } from 'millrace/promises';
 *
 * const { privateKey, publicKey } = await generateKeyPair('ml-kem-768');
 * const sealed = await hpkeSeal(publicKey, 'a secret');
 * const { encapsulatedKey, ciphertext } = sealed;
 * await hpkeOpen(privateKey, encapsulatedKey, ciphertext);
 * ```
 */
export const hpkeOpen = {
  form: 'derivation',
  types: ['T extends Bytes | undefined = undefined'],
  takes: { privateKey: 'PrivateKeyInput', encapsulatedKey: 'Bytes', ciphertext: 'Bytes' },
  options: 'HpkeOpenOptions & Partial<TargetOptions<T>>',
  also,
  result: 'Output<T, Buffer>',
  runs: {
    millrace: 'perform(hpkeOpenParser, arguments)',
    promises: 'perform(hpkeOpenParser, arguments)',
  },
};

/*
 * Begins the messages for one recipient, by HPKE (RFC 9180): `seal` encrypts and numbers each, and
 * `export` derives further secrets. Large messages are divided among all workers.
 *
 * @example
 * ```js
 * import {
 *   createHpkeRecipient,
 *   createHpkeSender,
 *   generateKeyPair,
 * } from 'millrace';
 *
 * const { privateKey, publicKey } = generateKeyPair('x25519');
 * const sender = createHpkeSender(publicKey);
 * const first = sender.seal('one', 'header');
 * const second = sender.seal('two');
 *
 * const { encapsulatedKey } = sender;
 * const recipient = createHpkeRecipient(privateKey, encapsulatedKey);
 * recipient.open(first, 'header').toString(); // 'one'
 * recipient.open(second).toString(); // 'two'
 * recipient.export('a label', 32).equals(sender.export('a label', 32));
 * ```
 *
 * @param publicKey the recipient's key, as {@link createPublicKey} takes it
 * @throws MillraceError as {@link hpkeSeal}
 *
 * @later
 * Begins the messages for one recipient asynchronously.
 *
 * @promised
 * Begins the messages for one recipient; see `createHpkeSender` of `millrace`.
 *
 * @example
 * ```js
 * import { createHpkeSender, generateKeyPair } from 'millrace/promises';
 *
 * const { publicKey } = await generateKeyPair('p-384');
 * const aead = 'chacha20-poly1305';
 * const sender = await createHpkeSender(publicKey, { aead });
 * await Promise.all([sender.sealAsync('one'), sender.sealAsync('two')]);
 * sender.dispose(); // wipes the keys
 * ```
 */
export const createHpkeSender = {
  form: 'derivation',
  takes: { publicKey: 'PublicKeyInput' },
  options: 'HpkeSenderOptions',
  also,
  result: 'HpkeSender',
  runs: {
    millrace: 'perform(hpkeSenderParser, arguments)',
    promises: 'perform(hpkeSenderParser, arguments)',
  },
};

/*
 * Begins to receive the messages of {@link createHpkeSender}, with the same options: `open`
 * decrypts them in their order.
 *
 * @example
 * ```js
 * import {
 *   createHpkeRecipient,
 *   createHpkeSender,
 *   generateKeyPair,
 * } from 'millrace';
 *
 * const { privateKey, publicKey } = generateKeyPair('x25519');
 * const aead = 'export-only';
 * const { encapsulatedKey } = createHpkeSender(publicKey, { aead });
 * const recipient = createHpkeRecipient(privateKey, encapsulatedKey, {
 *   aead,
 * });
 * recipient.export('a label', 32).length; // 32
 * ```
 *
 * @param privateKey the recipient's key, as {@link createPrivateKey} takes it
 * @param encapsulatedKey that of the sender's context
 * @throws MillraceError as {@link hpkeOpen}. With wrong keys or options no message opens.
 *
 * @later
 * Begins to receive messages asynchronously.
 *
 * @promised
 * Begins to receive messages; see `createHpkeRecipient` of `millrace`.
 *
 * @example
 * ```js
 * import {
 *   createHpkeRecipient,
 *   createHpkeSender,
 *   generateKeyPair,
 * } from 'millrace/promises';
 *
 * const { privateKey, publicKey } = await generateKeyPair('x25519');
 * const sender = await createHpkeSender(publicKey);
 * const recipient = await createHpkeRecipient(
 *   privateKey,
 *   sender.encapsulatedKey,
 * );
 * const ciphertext = await sender.sealAsync('one');
 * await recipient.openAsync(ciphertext);
 * ```
 */
export const createHpkeRecipient = {
  form: 'derivation',
  takes: { privateKey: 'PrivateKeyInput', encapsulatedKey: 'Bytes' },
  options: 'HpkeRecipientOptions',
  also,
  result: 'HpkeRecipient',
  runs: {
    millrace: 'perform(hpkeRecipientParser, arguments)',
    promises: 'perform(hpkeRecipientParser, arguments)',
  },
};
