/**
 * The key derivations of the catalog: decoded from the frame, with their memory, computed in
 * JavaScript ({@link derive}) or, in a worker, in WebAssembly where that is faster ({@link
 * deriveFast}). All throw {@link Refused} with the status of native code.
 */
export { Refused } from './contract.js';
export type { Derivation, DerivationInput, Progress } from './contract.js';
export { derivationOf, needsRehash } from './described.js';
export { clockLimit, derive, memoryOf, predict } from './derive.js';
export { deriveFast } from './fast.js';
