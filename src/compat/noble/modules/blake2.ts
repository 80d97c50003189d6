/** BLAKE2b and BLAKE2s. */
import type { Given, Parameter } from '../../../catalog/parameters.js';
import * as algorithms from '#platform/compat/noble/algorithms.js';
import { optionHash, type CHash, type Spec } from '../hash-objects.js';
import { backed, type Maker } from '../original.js';
import { isNumber, isParameter, isPlain } from '../parameters.js';

/** Options of BLAKE2. */
export interface Blake2Opts {
  /** Bytes of the digest. */
  dkLen?: number;
  /** A key, which makes the digest a MAC. */
  key?: Uint8Array;
  /** 16 bytes for BLAKE2b, 8 for BLAKE2s. */
  salt?: Uint8Array;
  /** 16 bytes for BLAKE2b, 8 for BLAKE2s. */
  personalization?: Uint8Array;
}

export const blake2b = /* @__PURE__ */ blake2(algorithms.blake2b512, 'blake2b');
export const blake2s = /* @__PURE__ */ blake2(algorithms.blake2s256, 'blake2s');

/** Returns the initial values of BLAKE2s, which are those of SHA-256 (version 1). */
export const IV = (): ArrayLike<number> =>
  Uint32Array.of(
    0x6a09e667,
    0xbb67ae85,
    0x3c6ef372,
    0xa54ff53a,
    0x510e527f,
    0x9b05688c,
    0x1f83d9ab,
    0x5be0cd19,
  );

function blake2(facts: algorithms.Algorithm, name: string): Maker<CHash<Blake2Opts>> {
  return backed('blake2', name, (major) => {
    const outputLen = facts.digestSize;
    const spec: Spec = { major, kind: 'md', facts, outputLen, xof: false, encode: undefined };
    const read = (options: Blake2Opts): Given | undefined => {
      if (!isPlain(options)) return undefined;
      const { dkLen: size = outputLen, key, salt, personalization } = options;
      if (!isNumber(size, outputLen)) return undefined;
      const given = { key, salt, personalization };
      const values: Parameter[] = size === outputLen ? [] : [['outputLength', size]];
      for (const each of ['key', 'salt', 'personalization'] as const) {
        const value = given[each];
        if (value === undefined) continue;
        const [least, most] = facts.parameters![each]!;
        if (!isParameter(value) || value.length < least || value.length > most) return undefined;
        if (each !== 'key') values.push([each, value]);
      }
      return { size, key, values };
    };
    return optionHash<Blake2Opts>(spec, {
      subpath: 'blake2',
      name,
      always: false,
      bare: false,
      read,
    });
  });
}
