/**
 * The arguments of hashMany and hmacMany. Getters of options and sources run before memory is read.
 */
import { isUint8Array, options, range, sizeOf } from '../../base/arguments.js';
import { makeError } from '../../base/errors.js';
import { Operation, type Route } from '../../base/frame.js';
import type { KeyMaterial } from '../../request/key-input.js';
import type { Accepted } from '../../base/options.js';
import type { Form } from '../../request/request.js';
import { SecretCopy } from '../../base/secret-copy.js';
import { wipe, type Secret } from '../../base/secret-memory.js';
import { secretText } from '../../base/secret-results.js';
import { checkTextSize } from '../../request/text-size.js';
import type { HashFacts } from '../../catalog/facts.js';
import {
  readEnginePreference,
  withKeyEngines,
  type EnginePreference,
} from '../../engines/engines.js';
import { readRoute, type RouteOptions } from '../../scheduling/routes.js';
import { digestForm, outputSize, readPlace, splitSeed } from '../hash.js';
import { checkKeyed, readParameters, type GivenParameters } from '../hash-parameters.js';
import type { Messages } from './messages.js';
import { SIZE_MAX } from '#platform/base/runtime.js';
import type { Encoding, HashOptions, TargetOptions } from '../../calls/digests.js';

/** Parses the arguments of hashMany or hmacMany. */
export interface ManyParser {
  readonly parse: (
    given: ArrayLike<unknown>,
    count: number,
    promised?: boolean,
    asked?: EnginePreference,
  ) => Batch;
  /** The numbers of arguments it accepts, without the callback. */
  readonly counts: readonly number[];
  /** The index of the options among the arguments. */
  readonly options: number;
  /** The index of the messages among the arguments. */
  readonly sources: number;
}

/** The parsed call. */
export interface Batch {
  readonly operation: Operation;
  readonly facts: HashFacts;
  readonly key: Uint8Array | undefined;
  /** The key if it is a copy made here. */
  readonly ownKey: Secret | undefined;
  /** The requested engines, or those that hold the key. */
  readonly preference: EnginePreference | undefined;
  readonly seedLow: number;
  readonly seedHigh: number;
  /** The size of a digest in bytes. */
  readonly size: number;
  /** The form of the array's elements; undefined for one Buffer. */
  readonly form: Form | undefined;
  readonly target: Uint8Array | undefined;
  readonly targetOffset: number;
  /** The requested route. */
  readonly route: Route | undefined;
  readonly messages: Messages;
}

/** The parsed options; the key is not parsed yet. */
export type Wanted = Omit<Batch, 'operation' | 'facts' | 'messages' | 'key' | 'ownKey'> & {
  readonly parameters: GivenParameters | undefined;
};

/** Returns the call with its key, which was parsed after all other arguments. */
export function batchOf(
  operation: Operation,
  facts: HashFacts,
  wanted: Wanted,
  messages: Messages,
  key: KeyMaterial | undefined,
): Batch {
  const { preference, seedLow, seedHigh, size, form, target, targetOffset, route } = wanted;
  let bytes: Uint8Array | undefined;
  let ownKey: Secret | undefined;
  let engines = preference;
  if (key !== undefined) {
    if (isUint8Array(key)) {
      bytes = key;
    } else if (typeof key === 'string') {
      bytes = ownKey = secretText(key);
    } else if (SecretCopy.is(key)) {
      bytes = ownKey = key.bytes;
    } else {
      engines = enginesAmong(key, preference);
    }
  }
  // One literal: three spreads take 5,000 instructions.
  return {
    operation,
    facts,
    key: bytes,
    ownKey,
    preference: engines,
    seedLow,
    seedHigh,
    size,
    form,
    target,
    targetOffset,
    route,
    messages,
  };
}

/** Parses an encoding or an options object. */
export function readOptions(value: unknown, facts: HashFacts, accepted: Accepted<any>): Wanted {
  const text = typeof value === 'string';
  const given = options<Partial<HashOptions & TargetOptions & RouteOptions>>(
    text ? undefined : value,
    'options',
    accepted,
  );
  const encoding = text ? (value as Encoding) : given.encoding;
  const { outputLength, seed, key, target, targetOffset, route, engine } = given;
  const preference = readEnginePreference(engine);
  const form = encoding === undefined ? undefined : digestForm(encoding);
  const size = outputSize(outputLength, facts);
  if (form !== undefined) checkTextSize(size, form);
  const { seedLow, seedHigh } = splitSeed(seed, facts);
  let parameters: GivenParameters | undefined;
  if (facts.parameters !== null) parameters = readParameters(given, key, size, facts);
  else if (key !== undefined) checkKeyed(facts);
  const place = readPlace(target, targetOffset, encoding);
  return {
    parameters,
    preference,
    seedLow,
    seedHigh,
    size,
    form,
    target: place?.target,
    targetOffset: place?.targetOffset ?? 0,
    route: readRoute(route),
  };
}

/** Restricts the engines to the requested ones that hold the prepared key. */
export function enginesAmong(
  prepared: EnginePreference | undefined,
  asked: EnginePreference | undefined,
): EnginePreference | undefined {
  return prepared?.handles !== undefined && asked !== undefined
    ? withKeyEngines(prepared, asked)
    : (asked ?? prepared);
}

/** Checks that the digests fit into a Buffer and the target. */
export function checkPlace({ count }: Messages, { size, target, targetOffset }: Wanted): void {
  const total = count * size;
  if (total > SIZE_MAX)
    throw makeError(
      'ERR_OUTPUT_SIZE',
      `${count} digests of ${size} bytes do not fit into one Buffer`,
    );
  if (target !== undefined) range(targetOffset, total, sizeOf(target), 'target');
}

/** Returns true if the digests depend on a key, and are therefore secret. */
export function isKeyed({ key, preference }: Batch): boolean {
  return key !== undefined || preference?.handles !== undefined;
}

/** Wipes the copy of the key. */
export function wipeKey({ ownKey }: Batch): void {
  if (ownKey !== undefined) wipe(ownKey);
}
