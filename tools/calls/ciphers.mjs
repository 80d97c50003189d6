// Ciphers: the descriptions that tools/calls.mjs reads.

export default 'Ciphers, and messages sealed with a passphrase,';

/** The positional arguments of a cipher without a tag. */
const positional = [
  'algorithm: CipherAlgorithm',
  'encrypt: boolean | 0 | 1',
  'key: KeyInput',
  'iv: Bytes',
  'source: Data',
];

/*
 * Encrypts and authenticates with an AEAD: AES-GCM (NIST SP 800-38D), ChaCha20-Poly1305 (RFC 8439),
 * XChaCha20-Poly1305 (draft-irtf-cfrg-xchacha), XAES-256-GCM (C2SP) or AES-256-GCM-SIV (RFC 8452).
 * The tag is appended to the ciphertext.
 *
 * Without a nonce, `seal` generates a random one and puts it before the ciphertext. Use
 * `xchacha20-poly1305` or `xaes-256-gcm` for that: random 24-byte nonces do not repeat. With the
 * 12-byte nonces of the others seal at most 2^32 messages with one key (NIST SP 800-38D, 8.3). A
 * sealed message is committed to its key and aad only with `commit: true`: without it, who knows
 * two keys can make a message that opens under both.
 *
 * @example
 * ```js
 * import { generateKey, open, seal } from 'millrace';
 *
 * const key = generateKey('aes-256-gcm');
 * const aad = 'user 42'; // authenticated, not encrypted
 * // Without a nonce a random one is put before the ciphertext.
 * const sealed = seal('aes-256-gcm', {
 *   key,
 *   source: 'attack at dawn',
 *   aad,
 * });
 * open('aes-256-gcm', { key, source: sealed, aad }).toString();
 * ```
 *
 * @param algorithm `xchacha20-poly1305`, `xaes-256-gcm`, `aes-128-gcm`, `aes-192-gcm`,
 *   `aes-256-gcm`, `chacha20-poly1305` or `aes-256-gcm-siv`
 * @returns ciphertext and tag, source size + 16 bytes, after the nonce if it was generated; with a
 *   target, the number of bytes written
 * @throws MillraceError ERR_UNKNOWN_ALGORITHM, ERR_ARGUMENT_TYPE, ERR_ARGUMENT_VALUE, ERR_KEY_SIZE,
 *   ERR_IV_SIZE, ERR_TAG_SIZE, ERR_SOURCE_SIZE, ERR_KEY_DISPOSED, ERR_KEY_ALGORITHM, ERR_RESIZABLE,
 *   ERR_NONCE_LIMIT
 *
 * @later
 * Seals asynchronously. Key, nonce and aad are copied at the call, and the source too without a
 * target. With a target both are lent: **do not transfer, detach, resize or write them before the
 * callback**.
 *
 * @throws MillraceError for invalid arguments; the callback is then not called
 *
 * @promised
 * Encrypts and authenticates; the tag is appended, and without a nonce a random one is generated
 * and put before the ciphertext. See `seal` of `millrace`. Without a target the source is copied at
 * the call; with one both are lent: **do not transfer, detach, resize or write them until the
 * promise settles**.
 *
 * @example
 * ```js
 * import { generateKey, open, seal } from 'millrace/promises';
 *
 * const key = generateKey('aes-256-gcm');
 * const source = 'attack at dawn';
 * const sealed = await seal('aes-256-gcm', { key, source });
 * await open('aes-256-gcm', { key, source: sealed });
 * ```
 */
export const seal = {
  form: 'call',
  takes: { algorithm: 'AeadAlgorithm' },
  options: 'SealOptions',
  result: 'Buffer',
  fast: {
    millrace: `
      if (arguments.length === 2 && typeof options === 'object' && options !== null)
        return sealSync(algorithm, options);`,
  },
  runs: { millrace: 'perform(sealParser, arguments)', promises: 'perform(sealParser, arguments)' },
  given: { millrace: 'algorithm?: unknown, options?: unknown' },
  reader: [
    'aead options commit engine tagSize text nonce aad room place route key again random',
    'Seal tagSize key nonceOrRandom aad place prefix asked',
  ],
};

/*
 * Checks and decrypts a message of {@link seal}. If anything is wrong (key, nonce, aad, tag, a
 * changed bit) it fails with ERR_AUTHENTICATION, returns nothing, and leaves the target all zero.
 *
 * @example
 * ```js
 * import { generateKey, open, seal } from 'millrace';
 *
 * const key = generateKey('aes-256-gcm');
 * const sealed = seal('aes-256-gcm', { key, source: 'attack at dawn' });
 * open('aes-256-gcm', { key, source: sealed }).toString();
 *
 * sealed[20] ^= 1;
 * try {
 *   open('aes-256-gcm', { key, source: sealed });
 * } catch (error) {
 *   console.log(error.code); // ERR_AUTHENTICATION
 * }
 * ```
 *
 * @returns the message, source size - 16 bytes, and 12 or 24 less if the source begins with the
 *   nonce; with a target, the number of bytes written
 * @throws MillraceError ERR_AUTHENTICATION, and those of {@link seal}
 *
 * @later
 * Opens asynchronously; memory is copied and lent as by {@link seal}.
 *
 * @throws MillraceError for invalid arguments; ERR_AUTHENTICATION goes to the callback
 *
 * @promised
 * Checks and decrypts a message of `seal`. Rejects with ERR_AUTHENTICATION if anything is wrong,
 * and then leaves the target all zero. See `open` of `millrace`. Without a target the source is
 * copied at the call; with one both are lent: **do not transfer, detach, resize or write them until
 * the promise settles**.
 *
 * @example
 * ```js
 * import { generateKey, open, seal } from 'millrace/promises';
 *
 * const key = generateKey('aes-256-gcm');
 * const source = await seal('aes-256-gcm', {
 *   key,
 *   source: 'attack at dawn',
 * });
 * const message = await open('aes-256-gcm', { key, source });
 * message.toString();
 * ```
 */
export const open = {
  form: 'call',
  takes: { algorithm: 'AeadAlgorithm' },
  options: 'OpenOptions',
  result: 'Buffer',
  fast: {
    millrace: `
      if (arguments.length === 2 && typeof options === 'object' && options !== null)
        return openSync(algorithm, options);`,
  },
  runs: { millrace: 'perform(openParser, arguments)', promises: 'perform(openParser, arguments)' },
  given: { millrace: 'algorithm?: unknown, options?: unknown' },
  reader: [
    'aead options commit engine tagSize sealed nonce aad place route key',
    'Open tagSize key nonceBefore aad place asked',
  ],
};

/*
 * Encrypts or decrypts: a stream cipher (AES-CTR of NIST SP 800-38A with a 128-bit big-endian
 * counter; ChaCha20 of RFC 8439 with a 16-byte iv: 4-byte little-endian counter, then the nonce),
 * or an AEAD with the tag in its own buffer. A stream cipher alone does not detect changes; prefer
 * {@link seal}.
 *
 * @example
 * ```js
 * import { cipher, generateKey, randomBytes } from 'millrace';
 *
 * const key = generateKey('aes-256-ctr');
 * const iv = randomBytes(16);
 * const text = cipher('aes-256-ctr', {
 *   encrypt: true,
 *   key,
 *   iv,
 *   source: 'secret',
 * });
 * cipher('aes-256-ctr', {
 *   encrypt: false,
 *   key,
 *   iv,
 *   source: text,
 * }).toString();
 * ```
 *
 * @param algorithm name of the cipher, in any case; {@link getCiphers} lists them
 * @returns the text, of the source's size; with a target, the number of bytes written
 * @throws MillraceError as {@link seal} and {@link open}; ERR_OVERLAP if a tag to be written
 *   overlaps the target
 *
 * @later
 * Encrypts or decrypts asynchronously. Key, iv, aad and a tag to check are copied at the call, and
 * the source too without a target. With a target both are lent: **do not transfer, detach, resize
 * or write them before the callback**. A tag to write is written when the call settles.
 *
 * @more1
 * Encrypts or decrypts, with positional arguments.
 *
 * @param encrypt true or 1 to encrypt, false or 0 to decrypt
 *
 * @more2
 * Encrypts or decrypts asynchronously, with positional arguments.
 *
 * @promised
 * Encrypts or decrypts with a stream cipher, or an AEAD with the tag in its own buffer; see
 * `cipher` of `millrace`. Without a target the source is copied at the call; with one both are
 * lent: **do not transfer, detach, resize or write them until the promise settles**.
 *
 * @example
 * ```js
 * import { cipher, generateKey, randomBytes } from 'millrace/promises';
 *
 * const key = generateKey('aes-256-ctr');
 * const iv = randomBytes(16);
 * await cipher('aes-256-ctr', {
 *   encrypt: true,
 *   key,
 *   iv,
 *   source: 'secret',
 * });
 * ```
 *
 * @more3
 * Encrypts or decrypts, with positional arguments.
 *
 * @param encrypt true or 1 to encrypt, false or 0 to decrypt
 *
 * @more4
 * Encrypts or decrypts with an AEAD, with positional arguments.
 */
export const cipher = {
  form: 'call',
  takes: { algorithm: 'CipherAlgorithm' },
  options: 'CipherOptions',
  result: 'Buffer',
  more: {
    millrace: [
      ['more1', [], [...positional, '...tagged: [] | [aad: Data, tag: Bytes]'], 'Buffer'],
      [
        'more2',
        [],
        [
          ...positional,
          '...tagged: [callback: Callback<Buffer>] | ' +
            '[aad: Data, tag: Bytes, callback: Callback<Buffer>]',
        ],
        'void',
      ],
    ],
    promises: [
      ['more3', [], [...positional, 'options?: CallOptions'], 'Promise<Buffer>'],
      [
        'more4',
        [],
        [...positional, 'aad: Data', 'tag: Bytes', 'options?: CallOptions'],
        'Promise<Buffer>',
      ],
    ],
  },
  runs: {
    millrace: 'perform(cipherParser, arguments)',
    promises: 'perform(cipherParser, arguments)',
  },
  reader: [
    'options engine direction text iv aad tag place route key again',
    'direction key iv aad tag place asked',
  ],
  positional: [
    'positional direction text iv seven aad tag key again',
    'direction key iv aad tag result',
  ],
};

/*
 * Seals a message with a passphrase, in the format of `millrace seal`; see `sealWithPassphrase` of
 * `millrace/promises`. There is no synchronous form, as deriving the key takes a third of a second.
 *
 * @example
 * ```js
 * import { sealWithPassphrase } from 'millrace';
 *
 * const passphrase = 'correct horse battery staple';
 * sealWithPassphrase(passphrase, 'attack at dawn', (error, sealed) => {
 *   if (error) throw error;
 *   console.log(sealed.length);
 * });
 * ```
 *
 * @throws MillraceError ERR_MISSING_ARGUMENT or ERR_ARGUMENT_TYPE if there is no callback; all
 *   other errors go to the callback
 *
 * @options
 * Seals a message with a passphrase, with options.
 */
export const sealWithPassphrase = {
  form: 'written',
  more: {
    millrace: [
      ['', [], ['passphrase: Data', 'data: Data', 'callback: Callback<Buffer>'], 'void'],
      [
        'options',
        [],
        [
          'passphrase: Data',
          'data: Data',
          'options: SealWithPassphraseOptions | undefined',
          'callback: Callback<Buffer>',
        ],
        'void',
      ],
    ],
  },
  runs: { millrace: "withPassphrase('sealWithPassphrase', given)" },
  given: { millrace: '...given: unknown[]' },
};

/*
 * Opens a message of {@link sealWithPassphrase} or `millrace seal` as a whole, or calls back with
 * an error; see `openWithPassphrase` of `millrace/promises`.
 *
 * @example
 * ```js
 * import { openWithPassphrase, sealWithPassphrase } from 'millrace';
 *
 * const passphrase = 'correct horse battery staple';
 * sealWithPassphrase(passphrase, 'attack at dawn', (error, sealed) => {
 *   if (error) throw error;
 *   openWithPassphrase(passphrase, sealed, (failure, message) => {
 *     if (failure) throw failure; // ERR_AUTHENTICATION if it was changed
 *     console.log(message.toString());
 *   });
 * });
 * ```
 *
 * @throws MillraceError ERR_MISSING_ARGUMENT or ERR_ARGUMENT_TYPE if there is no callback; all
 *   other errors go to the callback
 *
 * @options
 * Opens a message sealed with a passphrase, with options.
 */
export const openWithPassphrase = {
  form: 'written',
  more: {
    millrace: [
      ['', [], ['passphrase: Data', 'data: Bytes', 'callback: Callback<Buffer>'], 'void'],
      [
        'options',
        [],
        [
          'passphrase: Data',
          'data: Bytes',
          'options: OpenWithPassphraseOptions | undefined',
          'callback: Callback<Buffer>',
        ],
        'void',
      ],
    ],
  },
  runs: { millrace: "withPassphrase('openWithPassphrase', given)" },
  given: { millrace: '...given: unknown[]' },
};
