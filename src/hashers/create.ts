/** createHash and createHmac: from algorithm, key and options to a hasher. */
import { options as optionsObject } from '../base/arguments.js';
import { hashFacts, type HashAlgorithm } from '../catalog/catalog.js';
import type { HashFacts } from '../catalog/facts.js';
import {
  defaultEngine,
  localEngines,
  readEnginePreference,
  withKeyEngines,
  type EnginePreference,
} from '../engines/engines.js';
import { makeError, refuseSurplus } from '../base/errors.js';
import { parameterBlock } from '../catalog/parameters.js';
import { outputSize, splitSeed } from '../operations/hash.js';
import {
  checkKeyGiven,
  readParameters,
  type GivenParameters,
} from '../operations/hash-parameters.js';
import { hmacFacts } from '../operations/hmac.js';
import {
  createHashKey,
  createMacKey,
  extendedKey,
  hashTarget,
  macTarget,
  withKeyBytes,
} from '../operations/key.js';
import { givenKey } from '../operations/kept-keys.js';
import { keyAlgorithm, keyEngines, keyHandle, type Key } from '../request/key.js';
import type { KeyInput } from '../request/key-input.js';
import { Hash, Hmac, inside, TupleHash } from './hasher.js';
import { keepsStates, keyStates } from './key-states.js';
import { hashTakes, hmacTakes, type CreateHashOptions, type CreateHmacOptions } from './options.js';
import { Running } from './running.js';
import type { HashSetup } from './setup.js';
import { importState } from './state.js';

/**
 * Creates a hasher for a message that arrives in parts, with the interface of node:crypto's: a
 * stream.Transform with update, digest and copy. In addition it has asynchronous updates,
 * `digestInto`, `reset`, `squeeze` and `exportState`.
 *
 * @example
 * ```js
 * import { createHash } from 'millrace';
 *
 * createHash('sha256').update('a').update('bc').digest('hex');
 * // 'ba7816bf8f01cfea414140de5dae2223…'
 * ```
 *
 * @param algorithm name of the hash, in any case
 * @throws MillraceError ERR_UNKNOWN_ALGORITHM, ERR_ARGUMENT_TYPE, ERR_ARGUMENT_VALUE,
 *   ERR_OUTPUT_SIZE, ERR_KEY_SIZE, ERR_KEY_DISPOSED, ERR_KEY_ALGORITHM, ERR_STATE
 */
export function createHash(algorithm: HashAlgorithm, options?: CreateHashOptions): Hash {
  if (arguments.length > 2) refuseSurplus(arguments, 2, 'createHash(algorithm[, options])');
  const facts = hashFacts(algorithm);
  const Class = facts.tuple ? TupleHash : Hash;
  if (options === undefined) {
    if (!facts.direct) checkKeyGiven(facts);
    return new Class(
      inside,
      new Running(facts, false, undefined, 0, 0, facts.digestSize),
      undefined,
    );
  }
  const given = optionsObject<CreateHashOptions>(options, 'options', hashTakes(facts));
  const { outputLength, seed, key, state, engine } = given;
  const asked = readEnginePreference(engine);
  const size = outputLength === undefined ? facts.digestSize : outputSize(outputLength, facts);
  const { seedLow, seedHigh } = splitSeed(seed, facts);
  const parameters = readParameters(given, key, size, facts);
  const prepared = preparedKey(parameters, facts, asked);
  const keyBytes =
    parameters === undefined || prepared !== undefined
      ? undefined
      : parameterBlock(parameters.values);
  const preference = enginesFor(prepared, asked);
  const setup = {
    facts,
    mac: false,
    key: prepared,
    seedLow,
    seedHigh,
    size,
    // The kernel takes no parameters.
    preference:
      keyBytes === undefined ? preference : localEngines(preference, 'a hash with parameters'),
    keyBytes,
  };
  return new Class(inside, startRunning(setup, state, seed !== undefined), given);
}

/**
 * Creates an HMAC hasher for a message that arrives in parts; see {@link createHash}.
 *
 * @example
 * ```js
 * import { createHmac } from 'millrace';
 *
 * createHmac('sha256', 'a secret')
 *   .update('a ')
 *   .update('message')
 *   .digest('hex');
 * ```
 *
 * @param algorithm name of the hash, for example `sha256`
 * @param key bytes of any size, a string (UTF-8), a secret KeyObject, an extractable secret
 *   CryptoKey, or a key prepared for `hmac-sha256`. Of every key but a prepared one the hasher
 *   keeps the two midstates, which allow computing HMACs under the key. Over MD5, SHA-1, SHA-2 and
 *   RIPEMD-160 they do not reveal the key and are not wiped; over other hashes the key could be
 *   computed from them, and they are wiped when the hasher is collected. To control when, prepare a
 *   key and dispose of it
 * @throws MillraceError ERR_UNKNOWN_ALGORITHM, ERR_ARGUMENT_TYPE, ERR_ARGUMENT_VALUE,
 *   ERR_KEY_DISPOSED, ERR_KEY_ALGORITHM, ERR_STATE
 */
export function createHmac(
  algorithm: HashAlgorithm,
  key: string | KeyInput,
  options?: CreateHmacOptions,
): Hmac {
  if (arguments.length > 3) refuseSurplus(arguments, 3, 'createHmac(algorithm, key[, options])');
  if (arguments.length < 2)
    throw makeError('ERR_MISSING_ARGUMENT', 'createHmac needs an algorithm and a key');
  const facts = hmacFacts(algorithm);
  const own = optionsObject<CreateHmacOptions>(options, 'options', hmacTakes);
  const { state, engine } = own;
  const asked = readEnginePreference(engine);
  const target = macTarget(facts);
  const given = givenKey(key, target, asked);
  if (given !== undefined) keyHandle(given, target.name);
  const wanted = asked ?? defaultEngine.preference;
  const raw = given === undefined && keepsStates(wanted);
  const prepared = given ?? (raw ? undefined : createMacKey(facts, key, wanted));
  const preference = enginesFor(prepared, asked);
  const states = raw
    ? withKeyBytes(key, (bytes) => keyStates(facts, bytes, preference))
    : undefined;
  const setup = {
    facts,
    mac: true,
    key: prepared,
    seedLow: 0,
    seedHigh: 0,
    size: facts.digestSize,
    preference,
    keyBytes: states,
  };
  return new Hmac(inside, startRunning(setup, state, false), own);
}

function startRunning(setup: HashSetup, state: unknown, seeded: boolean): Running {
  // The kernel imports no states.
  if (state !== undefined)
    return importState(
      state,
      { ...setup, preference: localEngines(setup.preference, 'the state of a hasher') },
      seeded,
    );
  const { facts, mac, key, seedLow, seedHigh, size, preference, keyBytes } = setup;
  return new Running(facts, mac, key, seedLow, seedHigh, size, preference, keyBytes);
}

/** Returns the engines that may compute: those that have the key, if there is one. */
function enginesFor(key: Key | undefined, asked: EnginePreference | undefined): EnginePreference {
  if (key === undefined) return asked ?? defaultEngine.preference;
  const prepared = keyEngines(key, keyAlgorithm(key));
  return asked === undefined ? prepared : withKeyEngines(prepared, asked);
}

/** Returns the prepared key of a keyed hash. */
function preparedKey(
  parameters: GivenParameters | undefined,
  facts: HashFacts,
  asked: EnginePreference | undefined,
): Key | undefined {
  if (parameters?.key === undefined) return undefined;
  const { key, values } = parameters;
  const given = givenKey(key, hashTarget(facts), asked);
  return given === undefined
    ? createHashKey(facts, key, values, asked ?? defaultEngine.preference)
    : extendedKey(given, facts, values);
}
