/** Reads the parameters of hashes: key, salt and so on. Only bundles with such a hash have it. */
import {
  checkParameter,
  parameterBlock,
  takesRawKey,
  type Parameter,
} from '../../catalog/parameters.js';
import { makeError, wrongType } from '../../base/errors.js';
import { secretCopy, wipeWhenCollected, type Secret } from '../../base/secret-memory.js';
import { parameterNames, refuseSeed, takesNoParameter, type ReadParameters } from './hash.js';
import { PLAIN, type HashParams } from '../families/hash.js';
import { bytes, data, unsigned } from './inputs.js';

/** Returns a copy of a raw key, or the block of the parameters. There is no seed. */
export const parametersOf: ReadParameters = (given, recipe, size) => {
  const { name: algorithm, parameters: ranges, digestSize, keyRequired } = recipe;
  const values: Parameter[] = [];
  let raw: Uint8Array | undefined;
  for (const name of parameterNames) {
    const value: unknown = given[name];
    if (value === undefined) {
      if (name === 'key' && keyRequired)
        throw makeError('ERR_MISSING_ARGUMENT', `options.key must be given: ${algorithm} is a MAC`);
      continue;
    }
    const range = ranges?.[name];
    if (range === undefined) {
      throw takesNoParameter(name, recipe);
    }
    const option = `options.${name}`;
    if (name === 'context' && typeof value !== 'string') throw wrongType(option, 'a string', value);
    if (name === 'domain' || name === 'blockSize') {
      const number = unsigned(value, option);
      checkParameter(name, number, range, algorithm);
      values.push([name, number]);
      continue;
    }
    const view = name === 'key' ? bytes(value, option) : data(value, option);
    checkParameter(name, view, range, algorithm);
    if (name === 'key' && takesRawKey(ranges!)) raw = view;
    else values.push([name, view]);
  }
  if (raw !== undefined && values.length > 0)
    throw makeError('ERR_ARGUMENT_VALUE', 'options.key and options.context exclude each other');
  if (ranges?.outputLength !== undefined && size !== digestSize)
    values.push(['outputLength', size]);
  refuseSeed(given.seed, recipe);
  if (values.length > 0) return guarded(parameterBlock(values));
  return raw === undefined ? PLAIN : guarded(secretCopy(raw));
};

function guarded(secret: Secret): HashParams {
  return { ...PLAIN, secret, guard: wipeWhenCollected };
}
