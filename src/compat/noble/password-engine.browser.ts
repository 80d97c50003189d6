/**
 * scrypt and Argon2 of millrace/noble-hashes in browsers: by their modules. Asynchronous calls run
 * on the workers of the engine.
 */
import { derive, type DeriveCalls } from '../../portable/families/derivations.js';
import type { Family } from '../../portable/families/family.js';
import * as modules from '../../portable/family-modules.js';
import { scryptMemory } from '../../base/kdf-costs.js';
import { secretMemory } from '../../base/secret-memory.js';
import { copiesOf, inputsOf, wipeInputs, type Inputs } from '../../portable/text-inputs.js';
import type { FreshBytes } from '../../base/platform-types.js';
import type { Argon2Given, Progress, ScryptGiven } from './derivations.js';

/** The arguments of {@link derive}, with the size of the target. */
interface Call {
  readonly family: Family<DeriveCalls>;
  readonly memory: number;
  readonly before: readonly number[];
  readonly inputs: Inputs;
  readonly after: readonly number[];
  readonly size: number;
  readonly report: Progress;
}

function scryptCall(...[password, salt, size, cost, report]: ScryptGiven): Call {
  return {
    family: modules.scrypt,
    memory: scryptMemory(cost),
    before: [],
    inputs: inputsOf(password, salt),
    after: [cost.N, cost.r, cost.p],
    size,
    report,
  };
}

const kinds = ['argon2d', 'argon2i', 'argon2id'];

function argon2Call(...[algorithm, password, salt, size, cost, report]: Argon2Given): Call {
  const { memory, passes, parallelism, version, secret, associatedData } = cost;
  return {
    family: modules.argon2,
    memory: memory * 1024,
    before: [kinds.indexOf(algorithm), version, memory, passes, parallelism],
    inputs: inputsOf(password, salt, secret, associatedData),
    after: [],
    size,
    report,
  };
}

/** Derives with scrypt (RFC 7914). */
export function scrypt(...given: ScryptGiven): FreshBytes {
  return derived(scryptCall(...given));
}

/** Derives with scrypt on a worker. */
export function scryptLater(...given: ScryptGiven): Promise<FreshBytes> {
  return derivedLater(scryptCall(...given));
}

/** Derives with Argon2 (RFC 9106). */
export function argon2(...given: Argon2Given): FreshBytes {
  return derived(argon2Call(...given));
}

/** Derives with Argon2 on a worker. */
export function argon2Later(...given: Argon2Given): Promise<FreshBytes> {
  return derivedLater(argon2Call(...given));
}

function derived({ family, memory, before, inputs, after, size, report }: Call): FreshBytes {
  const target = secretMemory(size);
  try {
    derive(family, memory, before, inputs.bytes, after, target, report);
  } finally {
    wipeInputs(inputs);
  }
  return target;
}

/** Derives on a worker of the engine, or here, which blocks, if memory is short there. */
async function derivedLater(given: Call): Promise<FreshBytes> {
  const call = { ...given, inputs: copiesOf(given.inputs) };
  const { family, memory, before, after, size, report } = call;
  const { bytes } = call.inputs;
  try {
    const [{ deriveLater }, { portableHost }] = await Promise.all([
      import('../../portable/derive-later.js'),
      import('../../engines/portable.browser.js'),
    ]);
    const shape = { family, memory, before, inputs: bytes.length, after };
    const key = await deriveLater(portableHost, shape, bytes, size, report);
    if (key === undefined) return derived(call);
    report?.(1);
    return key as FreshBytes;
  } finally {
    wipeInputs(call.inputs);
  }
}
