/** Operations with the bytes of keys: one native call, without a request. */
import {
  Status,
  type PublicKeyAlgorithm,
  type RawCurve,
  type RawOperation,
} from '../base/protocol.js';
import { defaultEngine } from '../engines/engines.js';

/** Runs an operation. Returns a status; undefined if there is no native code. */
function run(
  operation: RawOperation,
  target: Uint8Array,
  first: Uint8Array,
  second?: Uint8Array,
  third?: Uint8Array,
  parameter?: RawCurve | PublicKeyAlgorithm,
): number | undefined {
  return defaultEngine.engine.direct?.rawKeys(operation, target, first, second, third, parameter);
}

/**
 * Runs an operation on Uint8Arrays. Returns false, and may have written the target, if native code
 * refuses the inputs or there is none: other engines have no such operations.
 */
export function runRaw(...given: Parameters<typeof run>): boolean {
  return run(...given) === Status.Done;
}

/**
 * Runs an operation that verifies. Returns its verdict, or undefined if native code refuses the
 * inputs or there is none.
 */
export function judgeRaw(...given: Parameters<typeof run>): boolean | undefined {
  const status = run(...given);
  return status === Status.Done ? true : status === Status.Authentication ? false : undefined;
}
