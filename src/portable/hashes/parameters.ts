/** Checks the parameters of a hash, as crates/core/src/parameters.rs does. */
import { Status } from '../../request/frame.js';
import {
  eachParameter,
  numberOf,
  takesRawKey,
  type ParameterName,
} from '../../catalog/parameters.js';
import { hashes as catalog, parameterNumbers } from '../../catalog/catalog-table.js';
import { refuse } from '../windows.js';
import type { HashParams } from './contract.js';

const names = Object.keys(parameterNumbers) as ParameterName[];
const NUMBERS: readonly ParameterName[] = ['domain', 'blockSize', 'outputLength'];
const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Refuses a block that is not in its one form, or that the hash does not take. */
export function checkBlock(algorithm: number, block: Uint8Array): void {
  const ranges = catalog[algorithm]!.parameters ?? refuse(Status.NotSupported);
  let least = 0;
  const whole = eachParameter(block, (number, value) => {
    const name = names[number];
    const range = name === undefined ? undefined : ranges[name];
    if (name === undefined || range === undefined || number < least)
      return refuse(Status.NotSupported);
    if (name === 'key' && takesRawKey(ranges)) refuse(Status.NotSupported);
    const isNumber = NUMBERS.includes(name);
    if (isNumber && value.length !== 8) refuse(Status.NotSupported);
    const size = isNumber ? numberOf(value) : value.length;
    if (size < range[0] || size > range[1]) refuse(refusals[name] ?? Status.NotSupported);
    if (name === 'context' && !isText(value)) refuse(Status.NotSupported);
    least = number + 1;
  });
  if (!whole) refuse(Status.NotSupported);
}

/** Returns what is in the place of a key: a raw key of 32 bytes, or a block. */
export function givenParams(seed: bigint, given: Uint8Array): HashParams {
  if (given.length % 8 !== 0) return { seed, key: undefined, parameters: given };
  return given.length === 32 ? { seed, key: given } : refuse(Status.KeySize);
}

const refusals: { readonly [Name in ParameterName]?: Status } = {
  key: Status.KeySize,
  salt: Status.SaltSize,
  outputLength: Status.OutputSize,
};

function isText(value: Uint8Array): boolean {
  try {
    utf8.decode(value);
    return true;
  } catch {
    return false;
  }
}
