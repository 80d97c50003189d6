/** Reads the seed of a hash. Only bundles with such a hash have it. */
import { makeError } from '../../base/errors.js';
import { PLAIN } from '../families/hash.js';
import { checkSeedType, refuseParameters, type ReadParameters } from './hash.js';
import { unsigned } from './inputs.js';

/** Returns a seed of the bits that the hash takes. */
export const seedOf: ReadParameters = (given, recipe) => {
  const { seed } = given;
  const { name, seedBits = 0 } = recipe;
  refuseParameters(given, recipe);
  if (seed === undefined) return PLAIN;
  checkSeedType(seed);
  const wide = BigInt(typeof seed === 'number' ? unsigned(seed, 'options.seed') : seed);
  if (wide >= 0n && wide >> BigInt(seedBits) === 0n) {
    const parts = [wide & 0xffff_ffffn, wide >> 32n].map(Number) as [number, number];
    return { ...PLAIN, seed: parts };
  }
  throw makeError(
    'ERR_ARGUMENT_VALUE',
    `options.seed must be an unsigned integer of ${seedBits} bits for ${name}`,
  );
};
