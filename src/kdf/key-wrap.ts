/**
 * AES key wrap (RFC 3394, RFC 5649). It is computed as derivations are: secrets in, a short secret
 * out.
 */
import {
  derivationCallOptionNames,
  unwrapKeyOptionNames,
  wrapKeyOptionNames,
} from '../base/option-names.js';
import { bytes, sizeOf } from '../base/arguments.js';
import { At, frame, Operation } from '../base/frame.js';
import { Form, setResult, setTag, type FillRequest } from '../request/request.js';
import { makeError } from '../base/errors.js';
import { readSecret, SecretKinds, secretSize } from '../base/secret-copy.js';
import {
  checkWrappingKey,
  unwrappedSize,
  wrapFacts,
  wrappedSize,
  type WrapFacts,
} from '../base/wrap-algorithms.js';
import {
  beginDerivation,
  parserFor,
  readSecrets,
  type DerivationParser,
  type Password,
} from './derive.js';
import { provideCiphers } from '#platform/engines/parts.js';
import type { WrapKeyOptions, UnwrapKeyOptions } from '../calls/ciphers.js';

provideCiphers();

export const wrapKeyParser: DerivationParser = parser(
  'wrapKey(algorithm)',
  fillWrap,
  wrapKeyOptionNames,
);
export const unwrapKeyParser: DerivationParser = parser(
  'unwrapKey(algorithm)',
  fillUnwrap,
  unwrapKeyOptionNames,
);

/** Returns one of them. Node.js loads this file at the call, for an imported constant at once. */
export function keyWrapParser(wrap: boolean): DerivationParser {
  return wrap ? wrapKeyParser : unwrapKeyParser;
}

/** Returns the parser of a call whose options are an input. */
function parser(signature: string, fill: FillRequest, names: string): DerivationParser {
  const needs = 'a key wrap needs an algorithm and options';
  return { ...parserFor(signature, needs, fill, names, derivationCallOptionNames), least: 2 };
}

function fillWrap(given: ArrayLike<unknown>): void {
  const facts = wrapFacts(given[0]);
  const { key, source } = given[1] as WrapKeyOptions;
  if (key === undefined || source === undefined)
    throw makeError('ERR_MISSING_ARGUMENT', 'wrapKey needs options.key and options.source');
  const [wrapping, wrapped] = readSecrets(
    key,
    'options.key',
    source,
    'options.source',
    SecretKinds.Keys,
  );
  begin(Operation.WrapKey, facts, wrapping, wrapped);
  setResult(wrappedSize(facts, secretSize(wrapped!)), Form.Secret);
}

function fillUnwrap(given: ArrayLike<unknown>): void {
  const facts = wrapFacts(given[0]);
  const { key, source } = given[1] as UnwrapKeyOptions;
  if (key === undefined || source === undefined)
    throw makeError('ERR_MISSING_ARGUMENT', 'unwrapKey needs options.key and options.source');
  const wrapped = bytes(source, 'options.source');
  const size = unwrappedSize(facts, sizeOf(wrapped));
  begin(Operation.UnwrapKey, facts, readSecret(key, 'options.key', SecretKinds.Keys));
  setTag(wrapped, 0, sizeOf(wrapped));
  // The engine adds a byte: how many of the bytes before it are padding.
  setResult(size + 1, Form.Unpadded);
}

function begin(operation: Operation, facts: WrapFacts, key: Password, source?: Password): void {
  beginDerivation(operation, 0, key, source);
  checkWrappingKey(facts, secretSize(key));
  frame[At.Count] = facts.padded ? 1 : 0;
}
