/** HMAC of millrace/portable. */
import { makeError } from '../../base/errors.js';
import { ownOptions, type Accepted } from '../../base/options.js';
import { prepareHmac, writeMac } from '../families/hmac.js';
import { encoded, encodingOf, type Digest, type Encoding } from './encodings.js';
import { recipeOf, type DigestOptions, type HashFunction } from './hash.js';
import { accepted, data, type Data, type Result } from './inputs.js';
import { Running } from './running.js';

const takes: Accepted<keyof DigestOptions> = /* @__PURE__ */ accepted(
  'hmac(hash, key, data)',
  'encoding',
);

/**
 * Returns the HMAC (RFC 2104) of a message.
 *
 * @example
 * ```js
 * import { hmac, sha256 } from 'millrace/portable';
 *
 * hmac(sha256, 'a secret', 'a message', 'hex');
 * ```
 *
 * @param hash a hash of millrace/portable, for example `sha256`
 * @param key of any size; a string means its UTF-8 encoding
 * @param message bytes, or a string for its UTF-8 encoding
 * @throws MillraceError ERR_MISSING_ARGUMENT, ERR_ARGUMENT_TYPE, ERR_ARGUMENT_VALUE for a hash
 *   without HMAC
 */
export function hmac(hash: HashFunction<never>, key: Data, message: Data): Result;
export function hmac<E extends Encoding>(
  hash: HashFunction<never>,
  key: Data,
  message: Data,
  encoding: E,
): Digest<E>;
export function hmac<E extends Encoding = 'buffer'>(
  hash: HashFunction<never>,
  key: Data,
  message: Data,
  options: DigestOptions<E>,
): Digest<E>;
export function hmac(hash: unknown, key: unknown, message: unknown, second?: unknown): unknown {
  if (arguments.length < 3)
    throw makeError('ERR_MISSING_ARGUMENT', 'hmac needs a hash, a key and data');
  const recipe = recipeOf(hash, 'hash');
  const form =
    second === undefined || typeof second === 'string'
      ? second
      : ownOptions<DigestOptions>(second, 'options', takes).encoding;
  const encoding = encodingOf(form);
  const secret = data(key, 'key');
  const source = data(message, 'data');
  const target = new Uint8Array(recipe.digestSize);
  writeMac(recipe.hash, recipe, secret, source, target);
  return encoded(target, encoding);
}

/**
 * Starts the HMAC of a message in parts. For several messages under one key call `copy()` first.
 *
 * @example
 * ```js
 * import { createHmac, sha256 } from 'millrace/portable';
 *
 * createHmac(sha256, 'a secret')
 *   .update('a ')
 *   .update('message')
 *   .digest('hex');
 * ```
 *
 * @throws MillraceError as {@link hmac}
 */
export function createHmac(hash: HashFunction<never>, key: Data): RunningHmac {
  const recipe = recipeOf(hash, 'hash');
  const mac = prepareHmac(recipe.hash, recipe, data(key, 'key')).disposeWhenCollected();
  const { name, digestSize, stateSize } = recipe;
  return new Running(name, mac, digestSize, stateSize);
}

/** A message that is authenticated in parts. */
export type RunningHmac = Running;
