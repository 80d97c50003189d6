/**
 * One operation with all its inputs.
 */
import { Status, type Operation } from '../request/frame.js';
import { hashes as catalog } from '../catalog/catalog-table.js';
import { PLAIN, type HashParams } from './hashes/contract.js';
import type { Derivation } from './kdf/index.js';
import type { PreparedKey } from './keys.js';
import { refuse } from './windows.js';

export interface Work {
  operation: Operation;
  /** Its number in the catalog. */
  algorithm: number;
  /** A prepared key; otherwise the bytes of one, or none. */
  key: PreparedKey | undefined;
  secret: Uint8Array;
  seedLow: number;
  seedHigh: number;
  /** Of a running hash: what comes before the source. Of many messages: their sizes. */
  iv: Uint8Array;
  /** Of a running hash: its state. */
  aad: Uint8Array;
  /**
   * Where encryption writes its tag and `Squeeze` the state it leaves; the tag that decryption
   * checks; the second secret of a derivation.
   */
  tag: Uint8Array;
  source: Uint8Array;
  target: Uint8Array;
  /** Many messages, anywhere. */
  views: readonly Uint8Array[] | undefined;
  /**
   * Many messages, or chunks, one after the other in the source, each of a size; a size of {@link
   * SIZED} says that sizes stand in the iv.
   */
  count: number;
  size: number;
  derivation: Derivation | undefined;
}

export const SIZED = -1;

/** Refuses a digest of a size that the hash has not. */
export function checkTarget({ algorithm, target }: Work, size = target.length): void {
  const { xof, digestSize } = catalog[algorithm]!;
  if (xof ? size === 0 : size !== digestSize) refuse(Status.OutputSize);
}

/** Refuses a seed or key that the hash does not take. */
export function checkParams({ algorithm }: Work, params: HashParams): void {
  if (params === PLAIN) return;
  const { seedBits, keySize } = catalog[algorithm]!;
  if ((params.seed !== 0n && seedBits === 0) || (params.key !== undefined && keySize === 0))
    refuse(Status.NotSupported);
}
