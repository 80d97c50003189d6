/** `hkdf` of `millrace`. The derivation itself is loaded at the first call. */
import { derive } from '../kdf/derive.js';
import { parserOf } from '../kdf/parsers.js';
import type { Hkdf } from '../calls/derivations.js';

/**
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
 */
export const hkdf: Hkdf = /* @__PURE__ */ Object.assign(
  function hkdf(): unknown {
    return derive(parserOf('hkdf'), arguments);
  },
  {
    extract(): unknown {
      return derive(parserOf('hkdfExtract'), arguments);
    },
    expand(): unknown {
      return derive(parserOf('hkdfExpand'), arguments);
    },
  },
) as Hkdf;
