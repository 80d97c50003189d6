/**
 * AES key wrap (RFC 3394, RFC 5649). It is computed as derivations are: secrets in, a short secret
 * out.
 */
import {
  derivationCallOptionNames,
  unwrapKeyOptionNames,
  wrapKeyOptionNames,
} from '../base/option-names.js';
import { bytes, NO_BYTES, sizeOf } from '../base/arguments.js';
import { At, frame, Operation } from '../base/frame.js';
import { beginRequest, setResult, setTag, deferWipe, Form } from '../request/request.js';
import { makeError } from '../base/errors.js';
import { setKeyInput } from '../request/key-input.js';
import { accepted } from '../base/options.js';
import { readSecret, SecretCopy, SecretKinds, secretSize, wipeCopy } from '../base/secret-copy.js';
import {
  checkWrappingKey,
  unwrappedSize,
  wrapFacts,
  wrappedSize,
} from '../base/wrap-algorithms.js';
import type { DerivationParser } from './derive.js';
import { provideCiphers } from '#platform/engines/parts.js';
import type { WrapKeyOptions, UnwrapKeyOptions } from '../calls/ciphers.js';

provideCiphers();

/** `(algorithm, options)`. */
export const wrapKeyParser: DerivationParser = {
  fill: fillWrap,
  least: 2,
  needs: 'a key wrap needs an algorithm and options',
  options: 1,
  name: 'options',
  takes: accepted('wrapKey(algorithm)', wrapKeyOptionNames, derivationCallOptionNames),
};

/** `(algorithm, options)`. */
export const unwrapKeyParser: DerivationParser = {
  fill: fillUnwrap,
  least: 2,
  needs: 'a key wrap needs an algorithm and options',
  options: 1,
  name: 'options',
  takes: accepted('unwrapKey(algorithm)', unwrapKeyOptionNames, derivationCallOptionNames),
};

function fillWrap(given: ArrayLike<unknown>): void {
  const facts = wrapFacts(given[0]);
  const { key: wrappingKey, source: key } = given[1] as WrapKeyOptions;
  if (wrappingKey === undefined || key === undefined)
    throw makeError('ERR_MISSING_ARGUMENT', 'wrapKey needs options.key and options.source');
  const source = readSecret(key, 'options.source', SecretKinds.Keys);
  let wrapping: Uint8Array | SecretCopy | undefined;
  try {
    wrapping = readSecret(wrappingKey, 'options.key', SecretKinds.Keys);
    checkWrappingKey(facts, secretSize(wrapping));
    const size = wrappedSize(facts, secretSize(source));
    begin(Operation.WrapKey, facts.padded, wrapping);
    if (SecretCopy.is(source)) deferWipe(source.bytes);
    const view = SecretCopy.is(source) ? source.bytes : source;
    setTag(view, 0, sizeOf(view));
    setResult(size, Form.Secret);
  } catch (error) {
    wipeCopy(source);
    wipeCopy(wrapping);
    throw error;
  }
}

function fillUnwrap(given: ArrayLike<unknown>): void {
  const facts = wrapFacts(given[0]);
  const { key: wrappingKey, source } = given[1] as UnwrapKeyOptions;
  if (wrappingKey === undefined || source === undefined)
    throw makeError('ERR_MISSING_ARGUMENT', 'unwrapKey needs options.key and options.source');
  const wrapped = bytes(source, 'options.source');
  const size = unwrappedSize(facts, sizeOf(wrapped));
  const key = readSecret(wrappingKey, 'options.key', SecretKinds.Keys);
  try {
    checkWrappingKey(facts, secretSize(key));
  } catch (error) {
    wipeCopy(key);
    throw error;
  }
  begin(Operation.UnwrapKey, facts.padded, key);
  setTag(wrapped, 0, sizeOf(wrapped));
  // The engine adds a byte: how many of the bytes before it are padding.
  setResult(size + 1, Form.Unpadded);
}

function begin(
  operation: Operation.WrapKey | Operation.UnwrapKey,
  padded: boolean,
  key: Uint8Array | SecretCopy,
): void {
  beginRequest(operation, 0, NO_BYTES, 0, 0);
  setKeyInput(key);
  frame[At.Count] = padded ? 1 : 0;
}
