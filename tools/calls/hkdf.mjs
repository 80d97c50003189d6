// HKDF and its parts: the descriptions that tools/calls.mjs reads.

export default 'HKDF, which is loaded at its first call,';

/*
 * Derives a key from a high-entropy secret with HKDF (RFC 5869); arguments are those of
 * node:crypto. **Not for passwords.**
 *
 * @example
 * ```js
 * import { hkdf, randomBytes } from 'millrace';
 *
 * const secret = randomBytes(32);
 * const encryption = hkdf('sha256', secret, '', 'encryption', 32);
 * const signing = hkdf('sha256', secret, '', 'signing', 32);
 * ```
 *
 * @param digest name of the hash, for example `sha256`
 * @param ikm the secret: bytes, a string (UTF-8), a secret KeyObject or an extractable secret
 *   CryptoKey
 * @param salt bytes or a string, may be empty
 * @param info the purpose of the key: bytes or a string, may be empty
 * @param keylen size of the key in bytes, at most 255 digests
 *
 * `hkdf.extract(digest, ikm, salt)` and `hkdf.expand(digest, prk, info, keylen)` are its two parts,
 * for protocols that extract once and expand often. A `prk` has at least the bytes of a digest.
 * @throws MillraceError ERR_MISSING_ARGUMENT, ERR_ARGUMENT_TYPE, ERR_ARGUMENT_VALUE,
 *   ERR_UNKNOWN_ALGORITHM, ERR_OUTPUT_SIZE; `expand` also ERR_KEY_SIZE
 *
 * @promised
 * Derives a key from a high-entropy secret with HKDF (RFC 5869), not for passwords; see `hkdf` of
 * `millrace`.
 *
 * @example
 * ```js
 * import { hkdf, randomBytes } from 'millrace/promises';
 *
 * await hkdf('sha256', randomBytes(32), '', 'encryption', 32);
 * ```
 */
export const hkdf = {
  form: 'parts',
  parts: { extract: 'hkdfExtract', expand: 'hkdfExpand' },
  runs: {
    millrace: "derive(parserOf('$part'), arguments)",
    promises: "derivePromise(parserOf('$part'), arguments)",
  },
  takes: { digest: '', ikm: '', salt: '', info: '', keylen: '' },
  needs: 'a digest, ikm, a salt, info and keylen',
  reads: { digest: 'digest', keylen: 'hkdfSize', salt: 'data', info: 'data', ikm: 'secret' },
  sets: { key: 'ikm', iv: 'salt', aad: 'info', result: 'keylen' },
};

export const hkdfExtract = {
  form: 'parser',
  label: 'hkdf.extract',
  takes: { digest: '', ikm: '', salt: '' },
  needs: 'a digest, ikm and a salt',
  reads: { digest: 'digest', salt: 'data', ikm: 'secret' },
  sets: { key: 'ikm', iv: 'salt', result: 'digest.digestSize' },
};

export const hkdfExpand = {
  form: 'parser',
  label: 'hkdf.expand',
  takes: { digest: '', prk: '', info: '', keylen: '' },
  needs: 'a digest, a prk, info and keylen',
  reads: { digest: 'digest', keylen: 'hkdfSize', info: 'data', prk: 'secret' },
  sets: { key: 'prk', least: 'prk', aad: 'info', result: 'keylen' },
};
