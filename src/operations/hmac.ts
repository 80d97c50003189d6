/**
 * HMAC calls (RFC 2104), with an encoding or options.
 */
import { hmacOptionNames, targetOptionNames } from '../base/option-names.js';
import { surplusArguments } from '../base/arguments.js';
import { Operation } from '../base/frame.js';
import type { Parser } from '../request/request.js';
import { hashFacts } from '../catalog/catalog.js';
import type { HashFacts } from '../catalog/facts.js';
import { makeError } from '../base/errors.js';
import { emptySlots } from '../base/intrinsics.js';
import {
  digestRequest,
  fillParsed,
  readData,
  type Encoding,
  type HashOptions,
  type TargetOptions,
} from './hash.js';
import { readTextKey } from './kept-keys.js';
import type { EngineOptions, EnginePreference } from '../engines/engines.js';
import { takes, type Takes } from '../scheduling/routes.js';

/** `(algorithm, key, data[, encoding | options])`. */
export const hmacParser: Parser = { fill: fillHmac, counts: [3, 4], options: 3 };

/** Options of {@link hmac}. */
export type HmacOptions<E extends Encoding = Encoding> = Pick<HashOptions<E>, 'encoding'> &
  EngineOptions;

/** All that an HMAC takes in its options. */
export type HmacFields = HmacOptions & Partial<TargetOptions>;

export const hmacTable: Takes<keyof HmacFields> = takes(
  'hmac(algorithm, key, data)',
  hmacOptionNames,
  targetOptionNames,
);

function fillHmac(
  given: ArrayLike<unknown>,
  count: number,
  promised?: boolean,
  asked?: EnginePreference,
): void {
  if (count < 3) throw makeError('ERR_MISSING_ARGUMENT', 'hmac needs an algorithm, a key and data');
  if (count > 4) throw surplusArguments('hmac takes 3 or 4 arguments', count);
  const facts = hmacFacts(given[0]);
  const accepted = promised ? hmacTable.promised : hmacTable.plain;
  const request = digestRequest(count > 3 ? given[3] : undefined, facts, accepted);
  const source = readData(given[2], request);
  const key = readTextKey(given[1], facts, asked ?? request.preference);
  fillParsed(Operation.Hmac, facts, request, source, key);
}

/**
 * The properties of HMAC with a hash, by the hash's number: no seed, no key of the hash, one size.
 */
const known = emptySlots<HashFacts>();

/** Returns the hash of an HMAC. */
export function hmacFacts(name: unknown): HashFacts {
  const facts = hashFacts(name);
  if (facts.hmac)
    return (known[facts.id] ??= { ...facts, xof: false, seedBits: 0, parameters: null });
  throw makeError('ERR_ARGUMENT_VALUE', `algorithm: there is no HMAC over ${facts.name}`);
}
