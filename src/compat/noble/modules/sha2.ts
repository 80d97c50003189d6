/** SHA-2. */
import * as algorithms from '#platform/compat/noble/algorithms.js';
import { plainHash } from '../hash-objects.js';

export const sha224 = /* @__PURE__ */ plainHash(algorithms.sha224, 'md', 4);
export const sha256 = /* @__PURE__ */ plainHash(algorithms.sha256, 'md', 1);
export const sha384 = /* @__PURE__ */ plainHash(algorithms.sha384, 'md', 2);
export const sha512 = /* @__PURE__ */ plainHash(algorithms.sha512, 'md', 3);
export const sha512_224 = /* @__PURE__ */ plainHash(algorithms.sha512_224, 'md', 5);
export const sha512_256 = /* @__PURE__ */ plainHash(algorithms.sha512_256, 'md', 6);
