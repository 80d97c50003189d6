/** Asymmetric keys are native code's. */

/** Loads the calls with asymmetric keys. */
export function asymmetric(): typeof import('./asymmetric.js') {
  return require('./asymmetric.js') as typeof import('./asymmetric.js');
}
