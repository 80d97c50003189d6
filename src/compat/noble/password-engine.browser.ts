/**
 * scrypt and Argon2 of millrace/noble-hashes in browsers: by their modules. Asynchronous calls run
 * on the workers of the engine.
 */
import { derive, type DeriveCalls } from '../../portable/families/derivations.js';
import type { Family } from '../../portable/families/family.js';
import * as modules from '../../portable/family-modules.js';
import { secretMemory } from '../../base/secret-memory.js';
import {
  copiesOf,
  inputsOf,
  wipeInputs,
  type Input,
  type Inputs,
} from '../../portable/text-inputs.js';
import type { FreshBytes } from '../../base/platform-types.js';
import type { Argon2Cost, Progress, ScryptCost } from './derivations.js';

/** The arguments of {@link derive} but the target. */
interface Call {
  readonly family: Family<DeriveCalls>;
  readonly memory: number;
  readonly before: readonly number[];
  readonly inputs: Inputs;
  readonly after: readonly number[];
}

function scryptCall(password: Input, salt: Input, { N, r, p }: ScryptCost): Call {
  const memory = 128 * r * (N + p + 2);
  const inputs = inputsOf(password, salt);
  return { family: modules.scrypt, memory, before: [], inputs, after: [N, r, p] };
}

const kinds = ['argon2d', 'argon2i', 'argon2id'];

function argon2Call(algorithm: string, password: Input, salt: Input, cost: Argon2Cost): Call {
  const { memory, passes, parallelism, version, secret, associatedData } = cost;
  return {
    family: modules.argon2,
    memory: memory * 1024,
    before: [kinds.indexOf(algorithm), version, memory, passes, parallelism],
    inputs: inputsOf(password, salt, secret, associatedData),
    after: [],
  };
}

/** Derives with scrypt (RFC 7914). */
export function scrypt(password: Input, salt: Input, size: number, cost: ScryptCost): FreshBytes {
  return derived(scryptCall(password, salt, cost), size);
}

/** Derives with scrypt on a worker. */
export function scryptLater(
  password: Input,
  salt: Input,
  size: number,
  cost: ScryptCost,
  report: Progress,
): Promise<FreshBytes> {
  return derivedLater(scryptCall(password, salt, cost), size, report);
}

/** Derives with Argon2 (RFC 9106); `algorithm` is `argon2d`, `argon2i` or `argon2id`. */
export function argon2(
  algorithm: string,
  password: Input,
  salt: Input,
  size: number,
  cost: Argon2Cost,
): FreshBytes {
  return derived(argon2Call(algorithm, password, salt, cost), size);
}

/** Derives with Argon2 on a worker. */
export function argon2Later(
  algorithm: string,
  password: Input,
  salt: Input,
  size: number,
  cost: Argon2Cost,
  report: Progress,
): Promise<FreshBytes> {
  return derivedLater(argon2Call(algorithm, password, salt, cost), size, report);
}

function derived(
  { family, memory, before, inputs, after }: Call,
  size: number,
  report?: Progress,
): FreshBytes {
  const target = secretMemory(size);
  try {
    derive(family, memory, before, inputs.bytes, after, target, report);
  } finally {
    wipeInputs(inputs);
  }
  return target;
}

/** Derives on a worker of the engine, or here, which blocks, if memory is short there. */
async function derivedLater(given: Call, size: number, report: Progress): Promise<FreshBytes> {
  const call = { ...given, inputs: copiesOf(given.inputs) };
  const { family, memory, before, after } = call;
  const { bytes } = call.inputs;
  try {
    const [{ deriveLater }, { portableHost }] = await Promise.all([
      import('../../portable/derive-later.js'),
      import('../../engines/portable.browser.js'),
    ]);
    const shape = { family, memory, before, inputs: bytes.length, after };
    const key = await deriveLater(portableHost, shape, bytes, size, report);
    if (key === undefined) return derived(call, size, report);
    report?.(1);
    return key as FreshBytes;
  } finally {
    wipeInputs(call.inputs);
  }
}
