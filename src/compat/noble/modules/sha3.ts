/** SHA-3, Keccak and SHAKE. */
import * as algorithms from '#platform/compat/noble/algorithms.js';
import {
  optionHash,
  plainHash,
  type CHash,
  type HashXOF,
  type ShakeOpts,
} from '../hash-objects.js';
import type { Maker } from '../original.js';
import type { Readers } from '../parameters.js';

/** dkLen is the only option. */
const readers: Readers = { pick: ({ dkLen }) => [dkLen], reads: [] };

export const sha3_224 = /* @__PURE__ */ plainHash(algorithms.sha3_224, 'sponge', 7);
export const sha3_256 = /* @__PURE__ */ plainHash(algorithms.sha3_256, 'sponge', 8);
export const sha3_384 = /* @__PURE__ */ plainHash(algorithms.sha3_384, 'sponge', 9);
export const sha3_512 = /* @__PURE__ */ plainHash(algorithms.sha3_512, 'sponge', 10);
export const keccak_224 = /* @__PURE__ */ plainHash(algorithms.keccak224, 'sponge');
export const keccak_256 = /* @__PURE__ */ plainHash(algorithms.keccak256, 'sponge');
export const keccak_384 = /* @__PURE__ */ plainHash(algorithms.keccak384, 'sponge');
export const keccak_512 = /* @__PURE__ */ plainHash(algorithms.keccak512, 'sponge');
export const shake128 = /* @__PURE__ */ shake(algorithms.shake128, 16, 11, 'shake128');
export const shake256 = /* @__PURE__ */ shake(algorithms.shake256, 32, 12, 'shake256');
/** SHAKE with the output sizes of its collision resistance, in version 2. */
export const shake128_32 = /* @__PURE__ */ shake(algorithms.shake128, 32, 11, 'shake128_32');
export const shake256_64 = /* @__PURE__ */ shake(algorithms.shake256, 64, 12, 'shake256_64');

function shake(
  facts: algorithms.Algorithm,
  outputLen: number,
  nist: number,
  name: string,
): Maker<CHash<ShakeOpts, HashXOF>> {
  const shown = { subpath: 'sha3', name, kind: 'sponge', facts, outputLen, readers } as const;
  return optionHash<ShakeOpts, HashXOF>(shown, { nist });
}
