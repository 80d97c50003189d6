// Key wrapping: the descriptions that tools/calls.mjs reads.

export default 'Key wrapping';

/*
 * Encrypts and authenticates a key with another key, deterministically and without a nonce (NIST SP
 * 800-38F). The result has 8 bytes more than the key, with padding to a multiple of 8.
 *
 * @example
 * ```js
 * import { generateKey, unwrapKey, wrapKey } from 'millrace';
 *
 * const master = generateKey('aes-256-gcm');
 * const dataKey = generateKey('aes-256-gcm');
 * const wrapped = wrapKey('aes-256-kw', { key: master, source: dataKey });
 * unwrapKey('aes-256-kw', { key: master, source: wrapped }); // dataKey
 * ```
 *
 * @param algorithm `aes-128-kw`, `aes-192-kw` or `aes-256-kw` (RFC 3394) for keys of at least 16
 *   bytes, a multiple of 8; `aes-128-kwp`, `aes-192-kwp` or `aes-256-kwp` (RFC 5649) for keys of
 *   any size from 1 byte. Keys have at most 64 KiB.
 * @throws MillraceError ERR_MISSING_ARGUMENT, ERR_ARGUMENT_TYPE, ERR_ARGUMENT_VALUE,
 *   ERR_UNKNOWN_ALGORITHM, ERR_KEY_SIZE, ERR_SOURCE_SIZE
 *
 * @promised
 * Wraps a key with another key; see `wrapKey` of `millrace`.
 *
 * @example
 * ```js
 * import { generateKey, wrapKey } from 'millrace/promises';
 *
 * const key = generateKey('aes-256-gcm');
 * const source = generateKey('hmac-sha256');
 * await wrapKey('aes-256-kw', { key, source });
 * ```
 */
export const wrapKey = {
  form: 'derivation',
  takes: { algorithm: 'WrapAlgorithm' },
  options: 'WrapKeyOptions',
  required: true,
  result: 'Buffer',
  runs: {
    millrace: 'derive(wrapKeyParser, arguments)',
    promises: 'derivePromise(wrapKeyParser, arguments)',
  },
};

/*
 * Decrypts a key that {@link wrapKey} wrapped. The result has its own ArrayBuffer.
 *
 * @example
 * ```js
 * import { generateKey, unwrapKey, wrapKey } from 'millrace';
 *
 * const master = generateKey('aes-256-gcm');
 * const dataKey = generateKey('aes-256-gcm');
 * const wrapped = wrapKey('aes-256-kw', { key: master, source: dataKey });
 *
 * try {
 *   unwrapKey('aes-256-kw', {
 *     key: generateKey('aes-256-gcm'),
 *     source: wrapped,
 *   });
 * } catch (error) {
 *   console.log(error.code); // ERR_AUTHENTICATION
 * }
 * ```
 *
 * @throws MillraceError as {@link wrapKey}; ERR_AUTHENTICATION if the wrapping key differs or a bit
 *   has changed, without any byte of the key
 *
 * @promised
 * Unwraps a key; rejects with ERR_AUTHENTICATION; see `unwrapKey` of `millrace`.
 *
 * @example
 * ```js
 * import { generateKey, unwrapKey, wrapKey } from 'millrace/promises';
 *
 * const key = generateKey('aes-256-gcm');
 * const source = await wrapKey('aes-256-kw', {
 *   key,
 *   source: generateKey('hmac-sha256'),
 * });
 * await unwrapKey('aes-256-kw', { key, source });
 * ```
 */
export const unwrapKey = {
  form: 'derivation',
  takes: { algorithm: 'WrapAlgorithm' },
  options: 'UnwrapKeyOptions',
  required: true,
  result: 'Buffer',
  runs: {
    millrace: 'derive(unwrapKeyParser, arguments)',
    promises: 'derivePromise(unwrapKeyParser, arguments)',
  },
};
