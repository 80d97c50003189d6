/** `hkdf` of `millrace/promises`. The derivation itself is loaded at the first call. */
import { derivePromise } from '../../kdf/derive.js';
import { parserOf } from '../../kdf/parsers.js';
import type { HkdfPromises } from '../../calls/derivations.js';

/**
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
export const hkdf: HkdfPromises = /* @__PURE__ */ Object.assign(
  function hkdf(): Promise<unknown> {
    return derivePromise(parserOf('hkdf'), arguments);
  },
  {
    extract(): Promise<unknown> {
      return derivePromise(parserOf('hkdfExtract'), arguments);
    },
    expand(): Promise<unknown> {
      return derivePromise(parserOf('hkdfExpand'), arguments);
    },
  },
) as HkdfPromises;
