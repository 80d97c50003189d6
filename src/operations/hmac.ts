/**
 * HMAC calls (RFC 2104): the friendly form, with an encoding or options, and the window form.
 */
import { bytes, range, sizeOf, unsigned } from '../request/arguments.js';
import { Operation } from '../request/frame.js';
import { beginRequest, setTarget, type Parser } from '../request/request.js';
import { hashFacts } from '../catalog/catalog.js';
import type { HashFacts } from '../catalog/facts.js';
import { makeError } from '../request/errors.js';
import {
  setData,
  fillDigest,
  digestRequest,
  readData,
  targetNames,
  type HashOptions,
  type TargetOptions,
} from './hash.js';
import { macName } from './key.js';
import {
  checkKeyRange,
  setKeyInput,
  setKeyRange,
  readKey,
  readTextKey,
} from '../request/key-input.js';
import { engineNames, type EngineOptions } from '../engines/engines.js';
import type { Names } from '../request/options.js';
import { takes, type Takes } from '../scheduling/routes.js';

/** `(algorithm, key, data[, encoding | options])` or the nine arguments of the window form. */
export const hmacParser: Parser = { fill: fillHmac, counts: [3, 4, 9] };

/** What an HMAC takes of a hash's options. */
export type HmacOptions = Pick<HashOptions, 'encoding'> & Partial<TargetOptions> & EngineOptions;

export const hmacNames: Names<HmacOptions> = { encoding: true, ...targetNames, ...engineNames };

const table: Takes<keyof HmacOptions> = takes('hmac(algorithm, key, data)', hmacNames);

function fillHmac(given: ArrayLike<unknown>, count: number, promised?: boolean): void {
  if (count < 3) throw makeError('ERR_MISSING_ARGUMENT', 'hmac needs an algorithm, a key and data');
  const facts = hmacFacts(given[0]);
  if (count > 4) {
    fillHmacWindow(facts, given, count);
    return;
  }
  const accepted = promised ? table.promised : table.plain;
  const request = digestRequest(count > 3 ? given[3] : undefined, facts, accepted);
  const source = readData(given[2], request);
  const key = readTextKey(given[1], macName(facts), 'key');
  setData(Operation.Hmac, facts, source);
  setKeyInput(key);
  fillDigest(request);
}

function fillHmacWindow(facts: HashFacts, given: ArrayLike<unknown>, count: number): void {
  if (count !== 9) {
    throw makeError(
      'ERR_MISSING_ARGUMENT',
      `hmac takes 3 or 4 arguments, or 9 with offsets, and a callback; not ${count}`,
    );
  }
  const keyOffset = unsigned(given[2], 'keyOffset');
  const keySize = unsigned(given[3], 'keySize');
  const source = bytes(given[4], 'source');
  const sourceOffset = unsigned(given[5], 'sourceOffset');
  const sourceSize = unsigned(given[6], 'sourceSize');
  const target = bytes(given[7], 'target');
  const targetOffset = unsigned(given[8], 'targetOffset');
  range(sourceOffset, sourceSize, sizeOf(source), 'source');
  range(targetOffset, facts.digestSize, sizeOf(target), 'target');
  const key = readKey(given[1], macName(facts), 'key');
  checkKeyRange(key, keyOffset, keySize);
  beginRequest(Operation.Hmac, facts.id, source, sourceOffset, sourceSize);
  setKeyRange(key, keyOffset, keySize);
  setTarget(target, targetOffset, facts.digestSize);
}

/**
 * The facts of an HMAC over a hash, by the hash's number: no seed, no key of the hash's own, one
 * size.
 */
const known: HashFacts[] = [];

/** The hash under an HMAC. */
export function hmacFacts(name: unknown): HashFacts {
  const facts = hashFacts(name);
  if (facts.hmac) return (known[facts.id] ??= { ...facts, xof: false, seedBits: 0, keySize: 0 });
  throw makeError('ERR_ARGUMENT_VALUE', `algorithm: there is no HMAC over ${facts.name}`);
}
