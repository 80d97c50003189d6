/**
 * Argon2 (RFC 9106), with the arguments of node:crypto from version 24 on.
 */
import { argon2CallParameterNames } from '../base/option-names.js';
import { data, NO_BYTES, sizeOf, unsigned } from '../base/arguments.js';
import { At, frame, Operation } from '../base/frame.js';
import {
  setAad,
  beginRequest,
  setIv,
  setResult,
  setTag,
  Form,
  ownSecret,
  deferWipe,
} from '../request/request.js';
import { makeError } from '../base/errors.js';
import { argon2Kind, argon2Version, checkArgon2Salt, keySize } from '../base/kdf-costs.js';
import { between } from '../base/numbers.js';

import { setKeyInput } from '../request/key-input.js';
import { SecretCopy, wipeCopy } from '../base/secret-copy.js';
import { readPassword, type Password, type DerivationParser } from './derive.js';
import { accepted } from '../base/options.js';
import { providePasswords } from '#platform/engines/parts.js';
import type { Argon2Cost, Argon2CallParameters } from '../calls/derivations.js';

providePasswords();

/** A checked cost. */
export interface CheckedArgon2 {
  readonly kind: number;
  readonly version: number;
  readonly memory: number;
  readonly passes: number;
  readonly parallelism: number;
}

/** `(algorithm, parameters)`. */
export const argon2Parser: DerivationParser = {
  fill: fillArgon2,
  least: 2,
  needs: 'argon2 needs an algorithm and parameters',
  options: 1,
  name: 'parameters',
  takes: accepted('argon2(algorithm)', argon2CallParameterNames),
};

function fillArgon2(given: ArrayLike<unknown>): void {
  const kind = argon2Kind(given[0], 'algorithm');
  const parameters = given[1] as Argon2CallParameters;
  const { message, nonce, tagLength, secret: pepper, associatedData } = parameters;
  const version = argon2Version(parameters.version);
  const cost = argon2Cost(kind, version, parameters, 'parameters');
  const size = tagLength === undefined ? 32 : keySize(tagLength, 'parameters.tagLength', 4);
  setArgon2Of(cost, message, nonce, pepper, associatedData, size, 'parameters');
}

/** Fills the request of an Argon2 with a checked cost. */
export function setArgon2Of(
  cost: CheckedArgon2,
  message: unknown,
  nonceGiven: unknown,
  pepperGiven: unknown,
  associatedGiven: unknown,
  size: number,
  options: 'options' | 'parameters',
): void {
  const nonce = data(nonceGiven, `${options}.nonce`);
  checkArgon2Salt(sizeOf(nonce), options);
  const associated =
    associatedGiven === undefined ? NO_BYTES : data(associatedGiven, `${options}.associatedData`);
  const [password, pepper] = readPasswords(
    message,
    options === 'parameters' ? 'parameters.message' : 'password',
    pepperGiven,
    `${options}.secret`,
  );
  beginRequest(Operation.Argon2, 0, NO_BYTES, 0, 0);
  setKeyInput(password);
  setPepper(pepper);
  setIv(nonce, 0, sizeOf(nonce));
  setAad(associated, 0, sizeOf(associated));
  frameCost(cost);
  setResult(size, Form.Secret);
}

/** Reads a password and Argon2's optional secret. */
export function readPasswords(
  password: unknown,
  name: string,
  pepper: unknown,
  pepperName: string,
): [Password, Password | undefined] {
  const second = pepper === undefined ? undefined : readPassword(pepper, pepperName);
  try {
    return [readPassword(password, name), second];
  } catch (error) {
    wipeCopy(second);
    throw error;
  }
}

/** Sets Argon2's optional secret. A copy is wiped when the call has used or copied it. */
export function setPepper(pepper: Password | undefined): void {
  if (pepper === undefined) return;
  if (SecretCopy.is(pepper)) deferWipe(pepper.bytes);
  const bytes = SecretCopy.is(pepper)
    ? pepper.bytes
    : typeof pepper === 'string'
      ? ownSecret(pepper)
      : pepper;
  setTag(bytes, 0, sizeOf(bytes));
}

export function frameCost({ kind, version, memory, passes, parallelism }: CheckedArgon2): void {
  frame[At.Count] = passes;
  frame[At.MessageSize] = memory;
  frame[At.SeedLow] = parallelism;
  frame[At.SeedHigh] = kind + version * 256;
}

/** Reads and checks a cost. */
export function argon2Cost(
  kind: number,
  version: number,
  given: Argon2Cost,
  options: 'options' | 'parameters',
): CheckedArgon2 {
  const { memory = 19456, passes = 2, parallelism = 1 } = given;
  between(passes, 1, 2 ** 32 - 1, `${options}.passes`);
  between(parallelism, 1, 2 ** 24 - 1, `${options}.parallelism`);
  unsigned(memory, `${options}.memory`);
  if (memory < 8 * parallelism || memory > 2 ** 32 - 1) {
    throw makeError(
      'ERR_ARGUMENT_VALUE',
      `${options}.memory must be between 8 KiB a lane, ${8 * parallelism}, and ${2 ** 32 - 1}, ` +
        `not ${memory}`,
    );
  }
  return { kind, version, memory, passes, parallelism };
}
