/** Key wrapping of millrace/portable: synchronous, in WebAssembly. */
import { makeError, wrongTag } from '../../base/errors.js';
import { ownOptions, type Accepted } from '../../base/options.js';
import {
  checkWrappingKey,
  unwrappedSize,
  wrapFacts,
  wrappedSize,
  type WrapAlgorithm,
  type WrapFacts,
} from '../../base/wrap-algorithms.js';
import { wrapWith } from '../families/derivations.js';
import { keyWrap } from '../family-modules.js';
import { accepted, bytes, type Bytes, type Result } from './inputs.js';

/** The keys of {@link wrapKey} and {@link unwrapKey}. */
export interface KeyWrapOptions {
  /** The wrapping key. */
  readonly key: Bytes;
  /** The key to wrap, or the wrapped key. */
  readonly source: Bytes;
}

const wrapTakes: Accepted<keyof KeyWrapOptions> = /* @__PURE__ */ accepted(
  'wrapKey(algorithm)',
  'key source',
);
const unwrapTakes: Accepted<keyof KeyWrapOptions> = /* @__PURE__ */ accepted(
  'unwrapKey(algorithm)',
  'key source',
);

/**
 * Encrypts and authenticates a key with another key (NIST SP 800-38F).
 *
 * @example
 * ```js
 * import { unwrapKey, wrapKey } from 'millrace/portable';
 *
 * const random = (size) => crypto.getRandomValues(new Uint8Array(size));
 * const key = random(32);
 * const wrapped = wrapKey('aes-256-kw', { key, source: random(32) });
 * unwrapKey('aes-256-kw', { key, source: wrapped });
 * ```
 *
 * @param algorithm `aes-128-kw`, `aes-192-kw`, `aes-256-kw` (RFC 3394), or `aes-128-kwp`,
 *   `aes-192-kwp`, `aes-256-kwp` (RFC 5649)
 * @throws MillraceError ERR_MISSING_ARGUMENT, ERR_ARGUMENT_TYPE, ERR_ARGUMENT_VALUE,
 *   ERR_UNKNOWN_ALGORITHM, ERR_KEY_SIZE, ERR_SOURCE_SIZE
 */
export function wrapKey(algorithm: WrapAlgorithm, options: KeyWrapOptions): Result {
  const { facts, key, source } = read(algorithm, options, arguments.length, 'wrapKey', wrapTakes);
  checkWrappingKey(facts, key.length);
  const size = wrappedSize(facts, source.length);
  return wrapWith(keyWrap, 'wrap', facts.padded, key, source, size);
}

/**
 * Decrypts a key that {@link wrapKey} wrapped.
 *
 * @example
 * ```js
 * import { unwrapKey, wrapKey } from 'millrace/portable';
 *
 * const random = (size) => crypto.getRandomValues(new Uint8Array(size));
 * const key = random(32);
 * const source = wrapKey('aes-256-kw', { key, source: random(32) });
 * unwrapKey('aes-256-kw', { key, source });
 * ```
 *
 * @throws MillraceError as {@link wrapKey}; ERR_AUTHENTICATION if the wrapping key differs or a bit
 *   has changed
 */
export function unwrapKey(algorithm: WrapAlgorithm, options: KeyWrapOptions): Result {
  const { facts, key, source } = read(
    algorithm,
    options,
    arguments.length,
    'unwrapKey',
    unwrapTakes,
  );
  const size = unwrappedSize(facts, source.length);
  checkWrappingKey(facts, key.length);
  const found = wrapWith(keyWrap, 'unwrap', facts.padded, key, source, size);
  if (found.length > 0) return found;
  throw wrongTag();
}

function read(
  algorithm: WrapAlgorithm,
  options: KeyWrapOptions,
  count: number,
  name: string,
  takes: Accepted<keyof KeyWrapOptions>,
): { facts: WrapFacts; key: Uint8Array; source: Uint8Array } {
  if (count < 2)
    throw makeError('ERR_MISSING_ARGUMENT', 'a key wrap needs an algorithm and options');
  const given = ownOptions<KeyWrapOptions>(options, 'options', takes);
  const facts = wrapFacts(algorithm);
  const { key, source } = given;
  if (key === undefined || source === undefined)
    throw makeError('ERR_MISSING_ARGUMENT', `${name} needs options.key and options.source`);
  return { facts, key: bytes(key, 'options.key'), source: bytes(source, 'options.source') };
}
