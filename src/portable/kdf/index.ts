/**
 * The key derivations of the catalog: read off the frame, priced in memory, and computed here and
 * now ({@link derive}) or, in a worker, by WebAssembly where that is faster ({@link deriveFast}).
 * All of them throw {@link Refused} with the status that native code has.
 */
export { Refused } from './contract.js';
export type { Derivation, DerivationInput, Progress } from './contract.js';
export { derivationOf, needsRehash } from './described.js';
export { clockLimit, derive, memoryOf, predict } from './derive.js';
export { deriveFast } from './fast.js';
