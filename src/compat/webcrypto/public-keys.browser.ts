/**
 * The calls with asymmetric keys in browsers: for the algorithms that the platform lacks. They are
 * a file of their own, with their WebAssembly, which is loaded when the first key is made.
 */

type Asymmetric = typeof import('./asymmetric.js');

let loaded: Asymmetric | undefined;

/** Returns the calls with a key, which {@link withAsymmetric} has loaded to make it. */
export function asymmetric(): Asymmetric {
  return loaded!;
}

/** Calls `use` with the calls that make a key. */
export async function withAsymmetric<T>(use: (calls: Asymmetric) => T): Promise<T> {
  return use((loaded = await import('./asymmetric.js')));
}
