/** HKDF of millrace/portable, with its two parts. */
import { makeError } from '../../base/errors.js';
import { hkdfSize, shortPrk } from '../../base/kdf-costs.js';
import { hkdf as derive, hkdfExpand, hkdfExtract } from '../families/hash-derivations.js';
import { recipeOf, type HashFunction } from './hash.js';
import { data, derivedKey, type Data, type Result } from './inputs.js';

/** HKDF (RFC 5869). */
export interface Hkdf {
  (digest: HashFunction<never>, ikm: Data, salt: Data, info: Data, keylen: number): Result;
  /** Extracts a uniform key, of one digest, from a secret. */
  readonly extract: (digest: HashFunction<never>, ikm: Data, salt: Data) => Result;
  /** Expands a uniform key to keys of any size; each `info` gives an independent one. */
  readonly expand: (digest: HashFunction<never>, prk: Data, info: Data, keylen: number) => Result;
}

/**
 * Derives a key from a high-entropy secret with HKDF (RFC 5869). Not for passwords.
 *
 * @example
 * ```js
 * import { hkdf, sha256 } from 'millrace/portable';
 *
 * const secret = crypto.getRandomValues(new Uint8Array(32));
 * hkdf(sha256, secret, '', 'encryption', 32);
 * ```
 *
 * @param digest a hash of millrace/portable, for example `sha256`
 * @param ikm the secret
 * @param salt may be empty
 * @param info the purpose of the key; may be empty
 * @param keylen size of the key in bytes, at most 255 digests
 * @throws MillraceError ERR_MISSING_ARGUMENT, ERR_ARGUMENT_TYPE, ERR_ARGUMENT_VALUE,
 *   ERR_OUTPUT_SIZE; `expand` also ERR_KEY_SIZE
 */
export const hkdf: Hkdf = /* @__PURE__ */ Object.assign(hkdfWhole, { extract, expand });

function hkdfWhole(
  digest: HashFunction<never>,
  ikm: Data,
  salt: Data,
  info: Data,
  keylen: number,
): Result {
  if (arguments.length < 5)
    throw makeError('ERR_MISSING_ARGUMENT', 'hkdf needs a digest, ikm, a salt, info and keylen');
  const recipe = recipeOf(digest, 'digest');
  const size = hkdfSize(keylen, recipe.name, recipe.digestSize);
  const [secret, other, purpose] = [data(ikm, 'ikm'), data(salt, 'salt'), data(info, 'info')];
  const target = derivedKey(size);
  derive(recipe.hash, recipe, secret, other, purpose, target);
  return target;
}

function extract(digest: HashFunction<never>, ikm: Data, salt: Data): Result {
  if (arguments.length < 3)
    throw makeError('ERR_MISSING_ARGUMENT', 'hkdf.extract needs a digest, ikm and a salt');
  const recipe = recipeOf(digest, 'digest');
  const [secret, other] = [data(ikm, 'ikm'), data(salt, 'salt')];
  const target = derivedKey(recipe.digestSize);
  hkdfExtract(recipe.hash, recipe, secret, other, target);
  return target;
}

function expand(digest: HashFunction<never>, prk: Data, info: Data, keylen: number): Result {
  if (arguments.length < 4)
    throw makeError('ERR_MISSING_ARGUMENT', 'hkdf.expand needs a digest, a prk, info and keylen');
  const recipe = recipeOf(digest, 'digest');
  const size = hkdfSize(keylen, recipe.name, recipe.digestSize);
  const [key, purpose] = [data(prk, 'prk'), data(info, 'info')];
  if (key.length < recipe.digestSize) throw shortPrk(recipe.name, recipe.digestSize, key.length);
  const target = derivedKey(size);
  hkdfExpand(recipe.hash, recipe, key, purpose, target);
  return target;
}
