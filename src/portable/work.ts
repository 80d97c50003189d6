/**
 * One operation with all its inputs.
 */
import { Status, type Operation } from '../request/frame.js';
import { hashes as catalog } from '../catalog/catalog-table.js';
import { numberIn, takesRawKey } from '../catalog/parameters.js';
import { PLAIN, type HashParams } from './hashes/contract.js';
import { checkBlock } from './hashes/parameters.js';
import type { Derivation } from './kdf/index.js';
import type { PreparedKey } from './keys.js';
import { refuse } from './windows.js';

export interface Work {
  operation: Operation;
  /** The algorithm's number in the catalog. */
  algorithm: number;
  /** A prepared key; without one, `secret` holds the key's bytes, if any. */
  key: PreparedKey | undefined;
  secret: Uint8Array;
  seedLow: number;
  seedHigh: number;
  /** Of a running hash: the bytes before the source. Of many messages: their sizes. */
  iv: Uint8Array;
  /** Of a running hash: its state. */
  aad: Uint8Array;
  /**
   * Encryption writes its tag here and `Squeeze` the next state; decryption checks this tag; a
   * derivation reads its second secret here.
   */
  tag: Uint8Array;
  source: Uint8Array;
  target: Uint8Array;
  /** Many messages, each in its own memory. */
  views: readonly Uint8Array[] | undefined;
  /**
   * The number of messages or chunks in the source, and the size of each; the size {@link SIZED}
   * means that the iv holds the sizes.
   */
  count: number;
  size: number;
  derivation: Derivation | undefined;
}

export const SIZED = -1;

/** Refuses a digest size that the hash does not have with these parameters. */
export function checkTarget(
  { algorithm, target }: Work,
  { parameters }: HashParams,
  size = target.length,
): void {
  const { xof, digestSize } = catalog[algorithm]!;
  if (xof ? size === 0 : size !== (numberIn(parameters, 'outputLength') ?? digestSize))
    refuse(Status.OutputSize);
}

/** Refuses a seed, key or parameter that the hash does not take. */
export function checkParams({ algorithm }: Work, params: HashParams): void {
  if (params === PLAIN) return;
  const { seedBits, parameters } = catalog[algorithm]!;
  if (params.seed !== 0n && seedBits === 0) refuse(Status.NotSupported);
  if (params.key !== undefined && (parameters === null || !takesRawKey(parameters)))
    refuse(Status.NotSupported);
  if (params.parameters !== undefined) checkBlock(algorithm, params.parameters);
}
