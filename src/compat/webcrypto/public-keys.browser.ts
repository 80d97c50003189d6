/** Asymmetric keys in browsers: the platform's. */

/** Not called, as Millrace keeps none. */
export function asymmetric(): typeof import('./asymmetric.js') {
  throw new TypeError('Millrace has no asymmetric keys here');
}
