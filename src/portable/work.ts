/**
 * One operation with all its inputs.
 */
import { At, Operation, type Purpose } from '../base/frame.js';
import type { DeriveCalls } from './families/derivations.js';
import type { Family } from './families/family.js';
import type { PreparedKey } from './keys.js';
import { NOTHING } from './windows.js';

export interface Work {
  readonly operation: Operation;
  /** The algorithm's number in the catalog. */
  readonly algorithm: number;
  /** The numbers of the call, as in the frame; those of its memory say nothing. */
  readonly numbers: Float64Array;
  /** A prepared key of this thread. */
  readonly key: PreparedKey | undefined;
  /** Its purpose, in a worker too. */
  readonly purpose: Purpose | undefined;
  /** The bytes of the key, if any. */
  readonly secret: Uint8Array;
  /** Of a running hash: the bytes before the source. Of many messages: their sizes. */
  readonly iv: Uint8Array;
  /** Of a running hash: its state. Of an agreement: the peer's key. */
  readonly aad: Uint8Array;
  /**
   * Encryption writes its tag here and `Squeeze` the next state; decryption checks this tag; a
   * derivation reads its second secret here.
   */
  readonly tag: Uint8Array;
  readonly source: Uint8Array;
  readonly target: Uint8Array;
  /** Many messages, each in its own memory, instead of the source. */
  readonly views: readonly Uint8Array[] | undefined;
  /** A call of one family instead of the operation. */
  readonly call: FamilyCall | undefined;
}

/** A derivation by one family; its inputs are secret, iv, tag and aad, or the first two of them. */
export interface FamilyCall {
  readonly family: Family<DeriveCalls>;
  readonly memory: number;
  readonly before: readonly number[];
  readonly inputs: number;
  readonly after: readonly number[];
}

/** How much longer than predicted a password hash may take, and milliseconds for other load. */
const TIME_FACTOR = 2;
const TIME_FLOOR_MS = 1000;

/** Returns the milliseconds that an operation may take; checking a password hash has a limit. */
export function timeLimit({ operation, numbers }: Work): number {
  const milliseconds = numbers[At.MaxTime]!;
  return operation === Operation.Verify && milliseconds > 0
    ? TIME_FACTOR * milliseconds + TIME_FLOOR_MS
    : Infinity;
}

/** Returns the work of an operation without options. */
export function plainWork(operation: Operation, algorithm: number, given: Partial<Work>): Work {
  const numbers = new Float64Array(At.Length);
  numbers[At.Operation] = operation;
  numbers[At.Algorithm] = algorithm;
  return {
    operation,
    algorithm,
    numbers,
    key: undefined,
    purpose: undefined,
    secret: NOTHING,
    iv: NOTHING,
    aad: NOTHING,
    tag: NOTHING,
    source: NOTHING,
    target: NOTHING,
    views: undefined,
    call: undefined,
    ...given,
  };
}
