/**
 * One operation with all its inputs.
 */
import { At, Operation, type Purpose } from '../base/frame.js';
import { ciphers } from '../catalog/catalog-table.js';
import { NOTHING } from './windows.js';

export interface Work {
  readonly operation: Operation;
  /** The algorithm's number in the catalog. */
  readonly algorithm: number;
  /** The numbers of the call, as in the frame; those of its memory say nothing. */
  readonly numbers: Float64Array;
  /** The handle of a prepared key, 0 without one. */
  readonly handle: number;
  /** The purpose of a prepared key; its bytes are the secret. */
  readonly purpose: Purpose | undefined;
  /** The bytes of the key, if any. */
  readonly secret: Uint8Array;
  /** Of a running hash: the bytes before the source. Of many messages: their sizes. */
  readonly iv: Uint8Array;
  /** Of a running hash: its state. */
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
}

/** Returns true for an empty text of a stream cipher with a key of the right size. */
export function isEmptyText(work: Work): boolean {
  const { operation, algorithm, secret, iv, aad, tag, source, target } = work;
  if (source.length + target.length + aad.length + tag.length > 0) return false;
  if (operation !== Operation.Encrypt && operation !== Operation.Decrypt) return false;
  const { aead, keySize, ivSize } = ciphers[algorithm]!;
  return !aead && secret.length === keySize && iv.length === ivSize;
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
    handle: 0,
    purpose: undefined,
    secret: NOTHING,
    iv: NOTHING,
    aad: NOTHING,
    tag: NOTHING,
    source: NOTHING,
    target: NOTHING,
    views: undefined,
    ...given,
  };
}
