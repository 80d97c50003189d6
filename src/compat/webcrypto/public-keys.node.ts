/** The calls with asymmetric keys, loaded at the first of them. */

type Asymmetric = typeof import('./asymmetric.js');

/** Loads the calls with asymmetric keys. */
export function asymmetric(): Asymmetric {
  return require('./asymmetric.js') as Asymmetric;
}

/** Calls `use` with the calls that make a key. */
export function withAsymmetric<T>(use: (calls: Asymmetric) => T): T | Promise<T> {
  return use(asymmetric());
}
