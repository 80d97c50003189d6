/** The checks of version 1 by the names that 1.1 to 1.5 had for them. */
import { abytes, aexists, ahash, anumber, aoutput } from './byte-helpers.js';

export const bool =
  () =>
  (value: unknown): void => {
    if (typeof value !== 'boolean') throw new Error(`boolean expected, not ${String(value)}`);
  };

/** Returns all of them, as the module's default export has them. */
export const checks = () => ({
  bool: bool(),
  bytes: abytes(1),
  exists: aexists(1),
  hash: ahash(1),
  number: anumber(1),
  output: aoutput(1),
});
