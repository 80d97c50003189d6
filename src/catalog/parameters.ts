/**
 * The parameters of hashes beside the seed: key, salt, output size and so on. The catalog says
 * which of them a hash takes. They travel to the engines as one block of bytes in the place of a
 * key, which crates/core/src/parameters.rs documents.
 */
import { makeError } from '../base/errors.js';
import { secretMemory, type Secret } from '../base/secret-memory.js';
import { parameterNumbers } from './catalog-table.js';
import type { ParameterRange, ParameterRanges } from './facts.js';

/** The name of a parameter, which is that of its option. */
export type ParameterName = keyof typeof parameterNumbers;

/** The value of a parameter. */
export type Parameter = readonly [ParameterName, Uint8Array | number];

/** The options of a digest. */
export interface Given {
  /** Bytes of the digest. */
  readonly size: number;
  readonly key: Uint8Array | undefined;
  /** The others, with the size if the digest depends on it. */
  readonly values: readonly Parameter[];
}

/** Returns the options of a digest. */
export function givenOf(size: number, values: readonly Parameter[] = [], key?: Uint8Array): Given {
  return { size, key, values };
}

/** The most bytes of an output that has any length. */
export const OUTPUT_MAX: number = 0x4000_0000;

/** Entries begin at multiples of this. */
const ALIGN = 8;

/** Returns the block of these parameters. */
export function parameterBlock(parameters: readonly Parameter[]): Secret {
  let size = 1;
  for (const [, value] of parameters) size += ALIGN + padded(sizeOf(value));
  const block = secretMemory(size);
  const view = new DataView(block.buffer);
  let at = 0;
  for (const [name, value] of inOrder(parameters)) {
    view.setUint32(at, parameterNumbers[name], true);
    view.setUint32(at + 4, sizeOf(value), true);
    at += ALIGN;
    if (typeof value === 'number') view.setBigUint64(at, BigInt(value), true);
    else if (value.length > 0) block.set(value, at);
    at += padded(sizeOf(value));
  }
  return block;
}

function inOrder(parameters: readonly Parameter[]): readonly Parameter[] {
  return [...parameters].sort(
    ([left], [right]) => parameterNumbers[left] - parameterNumbers[right],
  );
}

function sizeOf(value: Uint8Array | number): number {
  return typeof value === 'number' ? 8 : value.length;
}

function padded(size: number): number {
  return Math.ceil(size / ALIGN) * ALIGN;
}

/** Returns true if the hash has a key of 32 bytes, which is passed as it is. */
export function takesRawKey({ key }: ParameterRanges): boolean {
  return key !== undefined && key[0] === 32 && key[1] === 32;
}

/** Checks the size of a parameter in bytes, or a number. */
export function checkParameter(
  name: ParameterName,
  value: Uint8Array | number,
  [least, most]: ParameterRange,
  algorithm: string,
): void {
  const size = typeof value === 'number' ? value : value.length;
  if (size >= least && size <= most) return;
  const limits = least === most ? String(least) : `${least} to ${most}`;
  throw makeError(
    name === 'key' ? 'ERR_KEY_SIZE' : 'ERR_ARGUMENT_VALUE',
    `options.${name} must be ${limits}${typeof value === 'number' ? '' : ' bytes'} for ` +
      `${algorithm}, not ${size}`,
  );
}

/** Returns the error for a parameter that the hash does not take. */
export function takesNo(name: ParameterName, algorithm: string): Error {
  return makeError('ERR_ARGUMENT_VALUE', `options.${name}: ${algorithm} takes no ${name}`);
}
