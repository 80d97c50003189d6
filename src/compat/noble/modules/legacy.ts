/** MD5, SHA-1 and RIPEMD-160. */
import * as algorithms from '#platform/compat/noble/algorithms.js';
import { plainHash } from '../hash-objects.js';

export const md5 = /* @__PURE__ */ plainHash(algorithms.md5, 'md');
export const sha1 = /* @__PURE__ */ plainHash(algorithms.sha1, 'md');
export const ripemd160 = /* @__PURE__ */ plainHash(algorithms.ripemd160, 'md');
