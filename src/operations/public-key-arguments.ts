/** What the calls with asymmetric keys have in common: arguments, parameters and results. */
import {
  NO_BYTES,
  options as optionsOf,
  range,
  sizeOf,
  sizeOfFound,
  wrongCount,
} from '../base/arguments.js';
import { makeError, wrongType } from '../base/errors.js';
import type { Operation, Route } from '../base/frame.js';
import { isRevoked } from '../base/intrinsics.js';
import { shownName } from '../base/nearest.js';
import {
  accepted,
  checkNames,
  isOptions,
  isPromise,
  ownProperties,
  pick,
  type Accepted,
} from '../base/options.js';
import { NO_HASH } from '../base/protocol.js';
import { wipe, type Secret } from '../base/secret-memory.js';
import { hashFacts } from '../catalog/catalog.js';
import { readEnginePreference, type EnginePreference } from '../engines/engines.js';
import type { HeldKey } from '../public-keys/held-key.js';
import { isAsymmetricKey } from '../public-keys/key-objects.js';
import {
  beginRequest,
  deferRelease,
  setFinish,
  setAad,
  setEngines,
  setResult,
  setRoute,
  type FillRequest,
  type Form,
  type Parser,
} from '../request/request.js';
import { copy } from '../request/result.js';
import { readRoute, takes } from '../scheduling/routes.js';
import type { Place } from './hash.js';
import type { Buffer } from '#platform/base/runtime.js';

/** Options without a prototype, with names that were checked. */
export type Options = Readonly<Record<string, unknown>>;

/**
 * Returns the parser of `name(inputs[, options])` with options of these names, or of
 * `name({ … })`, of which the options are the inputs. `fill` gets the arguments and the options;
 * the parser returns what it returns.
 */
export function parserFor<Read = void>(
  name: string,
  inputs: string,
  fill: (given: ArrayLike<unknown>, options: Options) => Read,
  ...names: string[]
): ParserOf<Read> {
  const isObject = inputs.startsWith('{');
  const least = isObject ? 0 : inputs.split(', ').length;
  const { plain, promised: all } = takes<any>(`${name}(${inputs})`, ...names);
  return {
    counts: [least, least + 1],
    options: least,
    fill(given, count, promised) {
      if (count < least || count > least + 1)
        throw wrongCount(
          `${name}(${inputs}${isObject ? '' : '[, options]'}[, callback])`,
          given,
          count,
          promised,
        );
      const options = count > least ? given[least] : undefined;
      return fill(given, optionsOf<any>(options, 'options', promised ? all : plain));
    },
  };
}

/** A parser that returns what it has read. */
export interface ParserOf<Read> extends Parser {
  readonly fill: (...given: Parameters<FillRequest>) => Read;
}

/** A key, and the options with the parameters beside it. */
export interface KeyAndOptions {
  readonly key: unknown;
  readonly options: Options;
}

/** The properties beside a key that say how to read it. */
const READING = 'key format type passphrase encoding algorithm';
const { hasOwn, keys } = Object;

/**
 * Takes the key and the parameters of these names out of `{ key, padding, … }`, as node:crypto has
 * it; any other value is the key. Options precede parameters. Getters run once.
 */
export function readKeyObject(
  value: unknown,
  options: Options,
  names: string,
  table: Accepted<any>,
): KeyAndOptions {
  if (!isOptions(value) || isAsymmetricKey(value) || isPromise(value) || isRevoked(value))
    return { key: value, options };
  const own = ownProperties(value, 'key') as Options;
  if (!hasOwn(own, 'key')) return { key: hasOwn(own, 'kty') ? own : value, options };
  checkNames(own, 'key', table);
  const reading = pick(own, READING) as Options;
  return {
    key: keys(reading).length > 1 ? reading : own.key,
    options: { ...pick(own, names), ...options, __proto__: null },
  };
}

/** Returns the table of the properties of a key's object. */
export function keyTable(name: string, names: string): Accepted<any> {
  return accepted(name, READING, names);
}

/** Returns the number of a hash for the frame; without a name {@link NO_HASH}. */
export function hashNumber(name: unknown, argument: string): number {
  return name === undefined ? NO_HASH : hashFacts(name, argument).id;
}

/** Returns the index of a value among those that a parameter takes. */
export function readChoice(value: unknown, name: string, choices: readonly unknown[]): number {
  const index = choices.indexOf(value);
  if (index >= 0) return index;
  const names = choices.filter((each) => typeof each === 'string');
  const expected = `'${names.join("' or '")}'`;
  if (typeof value !== 'string') throw wrongType(name, expected, value);
  throw makeError(
    'ERR_ARGUMENT_VALUE',
    `${name} must be ${expected}, not ${shownName(value, names)}`,
  );
}

/** Refuses parameters that the algorithm does not take. */
export function refuseOthers(
  options: Options,
  names: readonly string[],
  taken: string,
  algorithm: string,
): void {
  for (let index = 0; index < names.length; index++) {
    const name = names[index]!;
    if (options[name] !== undefined && !taken.includes(name))
      throw makeError('ERR_ARGUMENT_VALUE', `${name}: ${algorithm} takes none`);
  }
}

/** Returns the error for a key that has no such operation. */
export function wrongKey(argument: string, { algorithm }: HeldKey, needs: string): Error {
  return makeError('ERR_KEY_ALGORITHM', `${argument} must be a key of ${needs}, not ${algorithm}`);
}

/** The engines and the route of a call. */
export interface EngineAndRoute {
  readonly preference: EnginePreference | undefined;
  readonly route: Route | undefined;
}

/** Reads the options of every call. */
export function readCallOptions({ engine, route }: Options): EngineAndRoute {
  return { preference: readEnginePreference(engine), route: readRoute(route) };
}

/** Starts the request of a call with a key, which is read last. */
export function beginWithKey(
  operation: Operation,
  algorithm: number,
  source: Uint8Array,
  name: string,
  held: HeldKey,
  { preference, route }: EngineAndRoute,
): void {
  // Reading the key may have run other code.
  const size = source === NO_BYTES ? 0 : sizeOfFound(source, name);
  beginRequest(operation, algorithm, source, 0, size);
  setEngines(held);
  if (preference !== undefined) setEngines(preference);
  if (route !== undefined) setRoute(route);
}

/** Keeps a key while others are read: getters of those may make calls, which release keys. */
export function hold({ uses }: HeldKey): void {
  uses.waiting += 1;
}

/** Ends {@link hold}. */
export function letGo(key: HeldKey): void {
  const { uses } = key;
  uses.waiting -= 1;
  if (uses.over === undefined) return;
  uses.over = undefined;
  deferRelease(key);
}

/** Sets additional bytes, such as a context. */
export function setExtra(bytes: Uint8Array | undefined, name: string): void {
  if (bytes !== undefined) setAad(bytes, 0, sizeOfFound(bytes, name));
}

/** Copies a result to the caller's memory and returns its size. */
export function writeTo({ target, targetOffset }: Place, bytes: Uint8Array): number {
  const size = sizeOf(bytes);
  range(targetOffset, size, sizeOf(target), 'target');
  copy(target, targetOffset, bytes, 0, size);
  return size;
}

/** Returns the result, or copies it to the caller's memory and returns its size. */
export function setOutput(size: number, form: Form, place: Place | undefined): void {
  setResult(size, form);
  if (place === undefined) return;
  setFinish({
    succeed(made) {
      try {
        return writeTo(place, made as Buffer);
      } finally {
        wipe(made as Secret<Buffer>);
      }
    },
    fail: undefined,
  });
}
