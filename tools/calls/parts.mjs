// Hashes of objects larger than one machine: the descriptions that tools/calls.mjs reads.

export default 'Hashes of large objects in parts, which are loaded at their first call,';

const also = { later: 'RouteOptions', promised: 'CallOptions' };

/*
 * Hashes a part of a large object, which any worker or machine may do independently. The result is
 * plain data for {@link joinParts}, small for blake3: at most 32 bytes for each doubling of the
 * part's size, twice. For kt128 it has 1/256 of the part's size, for kt256 1/128.
 *
 * @example
 * ```js
 * import { hash, hashPart, joinParts, randomBytes } from 'millrace';
 *
 * const whole = randomBytes(100_000);
 * const { length: size } = whole;
 * const parts = [0, 65_536].map((offset) => {
 *   const data = whole.subarray(offset, offset + 65_536);
 *   return hashPart('blake3', data, { offset, size });
 * });
 * const digest = joinParts('blake3', parts, 'hex');
 * digest === hash('blake3', whole, 'hex'); // true
 * ```
 *
 * @param algorithm `blake3`, `kt128` or `kt256`
 * @param data the bytes of the part
 * @throws MillraceError ERR_UNKNOWN_ALGORITHM, ERR_MISSING_ARGUMENT, ERR_ARGUMENT_TYPE,
 *   ERR_ARGUMENT_VALUE (another algorithm, an offset or a length that fits no part, a
 *   `customization`, which is an option of {@link joinParts}), ERR_KEY_SIZE
 *
 * @later
 * Hashes a part asynchronously, a large one on all cores. `data` is copied at the call.
 *
 * @promised
 * Hashes a part of a large object, on all cores if it is large; see `hashPart` of `millrace`.
 * `data` is copied at the call.
 *
 * @example
 * ```js
 * import { hashPart, joinParts } from 'millrace/promises';
 *
 * const data = Buffer.from('the only part');
 * const part = await hashPart('kt128', data, { size: data.length });
 * await joinParts('kt128', [part], 'hex');
 * ```
 */
export const hashPart = {
  form: 'derivation',
  required: true,
  takes: { algorithm: "'blake3' | 'kt128' | 'kt256'", data: 'Bytes' },
  options: 'HashPartOptions',
  also,
  result: 'HashPart',
  runs: {
    millrace: 'perform(hashPartParser, arguments)',
    promises: 'perform(hashPartParser, arguments)',
  },
};

/*
 * Computes the digest of an object from all its parts: exactly that of `hash(algorithm, whole)`
 * with the same options.
 *
 * @example
 * ```js
 * import { hashPart, joinParts } from 'millrace';
 *
 * const part = hashPart('blake3', Buffer.from('abc'), { size: 3 });
 * joinParts('blake3', [part], 'hex');
 * // '6437b3ac38465133ffb63b75273a8db5…'
 * ```
 *
 * @param algorithm that of the parts
 * @param parts the results of {@link hashPart}, in any order, as they were or through JSON.
 *   Together they must be the object: parts that are missing, doubled or overlap are refused
 * @throws MillraceError ERR_STATE for parts that are no such results, are damaged or do not fit
 *   together, and for those of another algorithm, version or kind; otherwise as {@link hash}
 *
 * @options
 * Computes the digest of an object from all its parts with options: those of {@link hash}, with the
 * key or context of the parts.
 *
 * @returns the digest; with a target, its size in bytes
 *
 * @later
 * Computes the digest of an object from all its parts asynchronously.
 *
 * @promised
 * Computes the digest of an object from all its parts; see `joinParts` of `millrace`.
 *
 * @example
 * ```js
 * import { hashPart, joinParts } from 'millrace/promises';
 *
 * const part = await hashPart('blake3', Buffer.from('abc'), { size: 3 });
 * await joinParts('blake3', [part], 'hex');
 * // '6437b3ac38465133ffb63b75273a8db5…'
 * ```
 */
export const joinParts = {
  form: 'digest',
  takes: {
    algorithm: "'blake3' | 'kt128' | 'kt256'",
    parts: 'Iterable<HashPart>',
  },
  options: 'JoinPartsOptions',
  runs: {
    millrace: 'perform(joinPartsParser, arguments)',
    promises: 'perform(joinPartsParser, arguments)',
  },
};
