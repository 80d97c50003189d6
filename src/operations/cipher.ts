/**
 * Cipher calls: seal and open (AEAD with the tag appended), and cipher, the general form, with
 * options or positional.
 */
import {
  cipherOptionNames,
  openOptionNames,
  sealOptionNames,
  targetOptionNames,
} from '../base/option-names.js';
import { surplusArguments } from '../base/arguments.js';
import { makeError } from '../base/errors.js';
import type { Accepted } from '../base/options.js';
import { clearRequest, request, type Parser } from '../request/request.js';
import { cipherFacts } from '../catalog/catalog.js';
import type { EnginePreference } from '../engines/engines.js';
import { routedSync, runFilled } from '../scheduling/run.js';
import { takes, type Takes } from '../scheduling/routes.js';
import { readCipher, readCipherPositional, readOpen, readSeal } from './cipher-readers.js';
import { provideCiphers } from '#platform/engines/parts.js';
import type {
  SealOptions,
  OpenOptions,
  CipherOptions,
  TextTargetOptions,
} from '../calls/ciphers.js';

provideCiphers();

/** `(algorithm, options)` of seal. */
export const sealParser: Parser = { fill: fillSeal, counts: [2], options: 1 };

type SealFields = SealOptions & Partial<TextTargetOptions>;
const sealTable: Takes<keyof SealFields> = takes(
  'seal(algorithm)',
  sealOptionNames,
  targetOptionNames,
);

function fillSeal(given: ArrayLike<unknown>, count: number, promised?: boolean): void {
  needOptions('seal', given, count);
  readSeal(given[0], given[1], promised ? sealTable.promised : sealTable.plain);
}

/** Runs `seal(algorithm, options)` on the calling thread. */
export function sealSync(algorithm: unknown, given: object): unknown {
  return runOptions(readSeal, algorithm, given, sealTable.plain);
}

function runOptions(
  fill: typeof readSeal,
  algorithm: unknown,
  given: object,
  accepted: Accepted<any>,
): unknown {
  try {
    fill(algorithm, given, accepted);
    if (request.routed) throw routedSync();
  } catch (error) {
    clearRequest();
    throw error;
  }
  return runFilled();
}

/** `(algorithm, options)` of open. */
export const openParser: Parser = { fill: fillOpen, counts: [2], options: 1 };

type OpenFields = OpenOptions & Partial<TextTargetOptions>;
const openTable: Takes<keyof OpenFields> = takes(
  'open(algorithm)',
  openOptionNames,
  targetOptionNames,
);

function fillOpen(given: ArrayLike<unknown>, count: number, promised?: boolean): void {
  needOptions('open', given, count);
  readOpen(given[0], given[1], promised ? openTable.promised : openTable.plain);
}

/** Runs `open(algorithm, options)` on the calling thread. */
export function openSync(algorithm: unknown, given: object): unknown {
  return runOptions(readOpen, algorithm, given, openTable.plain);
}

function needOptions(name: string, given: ArrayLike<unknown>, count: number): void {
  if (count !== 2 || given[1] === undefined)
    throw makeError('ERR_MISSING_ARGUMENT', `${name} needs an algorithm and an options object`);
}

/** `(algorithm, options)`, or 5 arguments, or 7 with aad and tag. */
export const cipherParser: Parser = { fill: fillCipher, counts: [2, 5, 7], options: 1 };

type CipherFields = CipherOptions & Partial<TextTargetOptions>;
const cipherTable: Takes<keyof CipherFields> = takes(
  'cipher(algorithm)',
  cipherOptionNames,
  targetOptionNames,
);

function fillCipher(
  given: ArrayLike<unknown>,
  count: number,
  promised?: boolean,
  asked?: EnginePreference,
): void {
  if (count < 2)
    throw makeError('ERR_MISSING_ARGUMENT', 'cipher needs an algorithm and an options object');
  const facts = cipherFacts(given[0]);
  if (count === 2) {
    if (given[1] === undefined)
      throw makeError('ERR_MISSING_ARGUMENT', 'cipher needs an options object');
    readCipher(facts, given[1], promised ? cipherTable.promised : cipherTable.plain);
  } else if (count === 5 || count === 7) readCipherPositional(facts, given, count, asked);
  else throw surplusArguments('cipher takes 2, 5 or 7 arguments', count);
}
