// Verification of MACs: the descriptions that tools/calls.mjs reads.

export default 'Verification of MACs';

/*
 * Returns true if `mac` is the code of `source` under the key: an HMAC, a KMAC, or the digest of a
 * keyed BLAKE2 or BLAKE3. The comparison takes a time that does not depend on the bytes. A code of
 * another size than the algorithm's, or than `options.outputLength`, is false.
 *
 * @example
 * ```js
 * import { generateKey, hash, verifyMac } from 'millrace';
 *
 * const key = generateKey('blake3');
 * const source = 'a message';
 * const mac = hash('blake3', source, { key });
 * verifyMac('blake3', { key, source, mac }); // true
 * ```
 *
 * @param algorithm `hmac-` and a hash (`hmac-sha256`), or a keyed hash (`kmac128`, `blake3`)
 * @throws MillraceError as {@link hash} and {@link hmac}; ERR_MISSING_ARGUMENT, ERR_ARGUMENT_VALUE
 *   for an algorithm without a key
 *
 * @later
 * Verifies a code asynchronously. Key, message and code are copied at the call.
 *
 * @promised
 * Resolves to true if `mac` is the code of `source` under the key; see `verifyMac` of `millrace`.
 * Key, message and code are copied at the call.
 *
 * @example
 * ```js
 * import { generateKey, hash, verifyMac } from 'millrace/promises';
 *
 * const key = generateKey('blake3');
 * const source = 'a message';
 * const mac = await hash('blake3', source, { key });
 * await verifyMac('blake3', { key, source, mac }); // true
 * ```
 */
export const verifyMac = {
  form: 'verdict',
  takes: { algorithm: 'MacAlgorithm' },
  options: 'VerifyMacOptions',
  result: 'boolean',
  runs: {
    millrace: "verify('verifyMac', readMac, arguments)",
    promises: "verifyLater('verifyMac', readMac, arguments)",
  },
};

/*
 * Returns true if `mac` is the HMAC of `source` (RFC 2104): {@link verifyMac} with the name of the
 * hash.
 *
 * @example
 * ```js
 * import { hmac, verifyHmac } from 'millrace';
 *
 * const key = 'a secret';
 * const source = 'a message';
 * const mac = hmac('sha256', key, source);
 * verifyHmac('sha256', { key, source, mac }); // true
 * ```
 *
 * @param algorithm name of the hash, for example `sha256`
 * @throws MillraceError as {@link hmac}; ERR_MISSING_ARGUMENT
 *
 * @later
 * Verifies an HMAC asynchronously. Key, message and code are copied at the call.
 *
 * @promised
 * Resolves to true if `mac` is the HMAC of `source`; see `verifyHmac` of `millrace`. Key, message
 * and code are copied at the call.
 *
 * @example
 * ```js
 * import { hmac, verifyHmac } from 'millrace/promises';
 *
 * const key = 'a secret';
 * const source = 'a message';
 * const mac = await hmac('sha256', key, source);
 * await verifyHmac('sha256', { key, source, mac }); // true
 * ```
 */
export const verifyHmac = {
  form: 'verdict',
  takes: { algorithm: 'HashAlgorithm' },
  options: 'VerifyHmacOptions',
  result: 'boolean',
  runs: {
    millrace: "verify('verifyHmac', readHmac, arguments)",
    promises: "verifyLater('verifyHmac', readHmac, arguments)",
  },
};
