/** The hash functions of sha3-addons: NIST SP 800-185 and RFC 9861. */
import type { FreshBytes } from '../../../base/platform-types.js';
import { encodeItems } from '../../../catalog/integers.js';
import { givenOf, OUTPUT_MAX, type Given, type Parameter } from '../../../catalog/parameters.js';
import * as algorithms from '#platform/compat/noble/algorithms.js';
import { digestWith } from '#platform/compat/noble/hash-engine.js';
import { message } from '../checks.js';
import {
  begun,
  described,
  optionHash,
  type CHash,
  type HashXOF,
  type KDFInput,
  type ShakeOpts,
  type Spec,
} from '../hash-objects.js';
import { backed, original, type MajorVersion, type Maker } from '../original.js';
import { inputOf, isNumber, isPlain, sizeOption } from '../parameters.js';

type Algorithm = algorithms.Algorithm;

/** Options of KMAC, TupleHash and KangarooTwelve. */
export interface KangarooOpts extends ShakeOpts {
  /** The customization string. */
  personalization?: Uint8Array;
}

/** Options of cSHAKE. */
export interface cShakeOpts extends KangarooOpts {
  /** The function name, which NIST assigns. */
  NISTfn?: KDFInput;
}

/** Options of ParallelHash. */
export interface ParallelOpts extends KangarooOpts {
  /** Bytes of a block; 8 by default. */
  blockLen?: number;
}

/** Options of TurboSHAKE. */
export interface TurboshakeOpts extends ShakeOpts {
  /** The domain separation byte, 1 to 127; 31 by default. */
  D?: number;
}

/** KMAC: a function of key and message. */
export interface IKMAC {
  (key: Uint8Array, data: Uint8Array, options?: KangarooOpts): FreshBytes;
  /** Bytes of the result (version 2). */
  readonly outputLen: number;
  /** Bytes of a block of the hash (version 2). */
  readonly blockLen: number;
  /** True for an extendable output (version 2). */
  readonly canXOF: boolean;
  /** Returns a running MAC for a message in parts. */
  create(key: Uint8Array, options?: KangarooOpts): HashXOF;
}

/** TupleHash: a function of an array of items. */
export interface ITupleHash {
  (messages: Uint8Array[], options?: KangarooOpts): FreshBytes;
  /** Bytes of the digest (version 2). */
  readonly outputLen: number;
  /** Bytes of a block of the hash (version 2). */
  readonly blockLen: number;
  /** True for an extendable output (version 2). */
  readonly canXOF: boolean;
  /** Returns a running hash; each update adds one item. */
  create(options?: KangarooOpts): HashXOF;
}

/** The MAC over KangarooTwelve of RFC 9861. */
export type HopMAC = (
  key: Uint8Array,
  data: Uint8Array,
  personalization: Uint8Array,
  dkLen?: number,
) => FreshBytes;

export const cshake128 = /* @__PURE__ */ cshake(algorithms.cshake128, 'cshake128', 16);
export const cshake256 = /* @__PURE__ */ cshake(algorithms.cshake256, 'cshake256', 32);
export const kmac128 = /* @__PURE__ */ kmac(algorithms.kmac128, 'kmac128', 16);
export const kmac256 = /* @__PURE__ */ kmac(algorithms.kmac256, 'kmac256', 32);
export const kmac128xof = /* @__PURE__ */ kmac(algorithms.kmacxof128, 'kmac128xof', 16);
export const kmac256xof = /* @__PURE__ */ kmac(algorithms.kmacxof256, 'kmac256xof', 32);
export const parallelhash128 = /* @__PURE__ */ parallelHash(
  algorithms.parallelhash128,
  'parallelhash128',
  16,
);
export const parallelhash256 = /* @__PURE__ */ parallelHash(
  algorithms.parallelhash256,
  'parallelhash256',
  32,
);
export const parallelhash128xof = /* @__PURE__ */ parallelHash(
  algorithms.parallelhashxof128,
  'parallelhash128xof',
  16,
);
export const parallelhash256xof = /* @__PURE__ */ parallelHash(
  algorithms.parallelhashxof256,
  'parallelhash256xof',
  32,
);
export const tuplehash128 = /* @__PURE__ */ tupleHash(algorithms.tuplehash128, 'tuplehash128', 16);
export const tuplehash256 = /* @__PURE__ */ tupleHash(algorithms.tuplehash256, 'tuplehash256', 32);
export const tuplehash128xof = /* @__PURE__ */ tupleHash(
  algorithms.tuplehashxof128,
  'tuplehash128xof',
  16,
);
export const tuplehash256xof = /* @__PURE__ */ tupleHash(
  algorithms.tuplehashxof256,
  'tuplehash256xof',
  32,
);
export const turboshake128 = /* @__PURE__ */ turboshake(
  algorithms.turboshake128,
  'turboshake128',
  32,
);
export const turboshake256 = /* @__PURE__ */ turboshake(
  algorithms.turboshake256,
  'turboshake256',
  64,
);
/** KangarooTwelve by its names in version 2. */
export const kt128 = /* @__PURE__ */ kangaroo(algorithms.kt128, 'kt128', 32);
export const kt256 = /* @__PURE__ */ kangaroo(algorithms.kt256, 'kt256', 64);
/** KangarooTwelve by its name in version 1. */
export const k12 = /* @__PURE__ */ kangaroo(algorithms.kt128, 'k12', 32);
/** Its MAC, in version 2. */
export const HopMAC128 = /* @__PURE__ */ hopMac(kt128);
export const HopMAC256 = /* @__PURE__ */ hopMac(kt256);

function specOfAddon(major: MajorVersion, facts: Algorithm, outputLen: number): Spec {
  return { major, kind: 'sponge', facts, outputLen, xof: facts.xof === true, encode: undefined };
}

function family<Options>(name: string, read: (options: Options) => Given | undefined) {
  return { subpath: 'sha3-addons', name, always: false, bare: false, read };
}

/** Returns the parameters of a digest that depends on its size unless it is extendable. */
function sized(spec: Spec, size: number, values: Parameter[]): Given {
  const { xof, digestSize } = spec.facts;
  if (!xof && size !== digestSize) values.push(['outputLength', size]);
  return givenOf(size, values);
}

function cshake(
  algorithm: Algorithm,
  name: string,
  outputLen: number,
): Maker<CHash<cShakeOpts, HashXOF>> {
  return backed('sha3-addons', name, (major) => {
    const spec = specOfAddon(major, algorithm, outputLen);
    const read = (options: cShakeOpts): Given | undefined => {
      if (!isPlain(options)) return undefined;
      const { dkLen, personalization, NISTfn } = options;
      const size = sizeOption(dkLen, outputLen);
      const values = customization(major, personalization);
      if (size === undefined || values === undefined) return undefined;
      if (NISTfn !== undefined) {
        // Both versions take strings.
        const name = inputOf(1, NISTfn);
        if (name === undefined) return undefined;
        values.push(['functionName', name]);
      }
      return givenOf(size, values);
    };
    return optionHash<cShakeOpts, HashXOF>(spec, family(name, read));
  });
}

/** Returns the customization string as a parameter. */
function customization(major: MajorVersion, personalization: unknown): Parameter[] | undefined {
  if (personalization === undefined) return [];
  const bytes = inputOf(major, personalization);
  return bytes === undefined ? undefined : [['customization', bytes]];
}

function turboshake(
  algorithm: Algorithm,
  name: string,
  outputLen: number,
): Maker<CHash<TurboshakeOpts, HashXOF>> {
  return backed('sha3-addons', name, (major) => {
    const read = (options: TurboshakeOpts): Given | undefined => {
      if (!isPlain(options)) return undefined;
      const { dkLen, D } = options;
      const size = sizeOption(dkLen, outputLen);
      if (size === undefined) return undefined;
      if (D === undefined) return givenOf(size);
      return isNumber(D, 127) ? givenOf(size, [['domain', D]]) : undefined;
    };
    const spec = specOfAddon(major, algorithm, outputLen);
    return optionHash<TurboshakeOpts, HashXOF>(spec, family(name, read));
  });
}

function kangaroo(
  algorithm: Algorithm,
  name: string,
  outputLen: number,
): Maker<CHash<KangarooOpts, HashXOF>> {
  return backed('sha3-addons', name, (major) => {
    const read = (options: KangarooOpts): Given | undefined => {
      if (!isPlain(options)) return undefined;
      const { dkLen, personalization } = options;
      const size = sizeOption(dkLen, outputLen);
      const values = customization(major, personalization);
      return size === undefined || values === undefined ? undefined : givenOf(size, values);
    };
    const spec = specOfAddon(major, algorithm, outputLen);
    return optionHash<KangarooOpts, HashXOF>(spec, family(name, read));
  });
}

function hopMac(kangarooTwelve: Maker<CHash<KangarooOpts, HashXOF>>): Maker<HopMAC> {
  return backed(...kangarooTwelve.noble!, (major) => {
    const hash = kangarooTwelve(major);
    return (key, data, personalization, dkLen) =>
      hash(key, {
        __proto__: null,
        personalization: hash(data, { __proto__: null, personalization } as KangarooOpts),
        ...(dkLen === undefined ? {} : { dkLen }),
      } as KangarooOpts);
  });
}

/** Bytes of a block of ParallelHash in noble. */
const PARALLEL_BLOCK = 8;

function parallelHash(
  algorithm: Algorithm,
  name: string,
  outputLen: number,
): Maker<CHash<ParallelOpts, HashXOF>> {
  return backed('sha3-addons', name, (major) => {
    const spec = specOfAddon(major, algorithm, outputLen);
    const read = (options: ParallelOpts): Given | undefined => {
      if (!isPlain(options)) return undefined;
      const { dkLen, personalization, blockLen = PARALLEL_BLOCK } = options;
      const size = sizeOption(dkLen, outputLen);
      const values = customization(major, personalization);
      if (size === undefined || values === undefined || !isNumber(blockLen, OUTPUT_MAX))
        return undefined;
      values.push(['blockSize', blockLen]);
      return sized(spec, size, values);
    };
    const whole = { ...family(name, read), always: true, bare: true };
    return optionHash<ParallelOpts, HashXOF>(spec, whole);
  });
}

/** The options of a call without any. */
const NONE: KangarooOpts = /* @__PURE__ */ Object.freeze({ __proto__: null } as {});

/** Returns the parameters of KMAC and TupleHash without the key. */
function macParameters(spec: Spec, options: KangarooOpts): Given | undefined {
  if (!isPlain(options)) return undefined;
  const { dkLen, personalization } = options;
  const size = sizeOption(dkLen, spec.outputLen);
  const values = customization(spec.major, personalization);
  return size === undefined || values === undefined ? undefined : sized(spec, size, values);
}

function kmac(algorithm: Algorithm, name: string, outputLen: number): Maker<IKMAC> {
  return backed('sha3-addons', name, (major) => {
    const spec = specOfAddon(major, algorithm, outputLen);
    const lent = (): any => original(major, 'hashes', 'sha3-addons', name);
    const read = (key: Uint8Array, options: KangarooOpts): Given | undefined => {
      const parameters = macParameters(spec, options);
      const bytes = inputOf(major, key);
      if (parameters === undefined || bytes === undefined) return undefined;
      return { ...parameters, key: bytes };
    };
    const mac = (key: Uint8Array, data: Uint8Array, options: KangarooOpts = NONE): FreshBytes => {
      const parameters = read(key, options);
      if (parameters === undefined) return lent()(key, data, options);
      return digestWith(spec.facts, parameters, message(major, data));
    };
    const create = (key: Uint8Array, options: KangarooOpts = NONE): HashXOF => {
      const parameters = read(key, options);
      return parameters === undefined ? lent().create(key, options) : begun(spec, parameters);
    };
    return described(mac as never, spec, create, {
      nist: undefined,
      bare: true,
    }) as unknown as IKMAC;
  });
}

function tupleHash(algorithm: Algorithm, name: string, outputLen: number): Maker<ITupleHash> {
  return backed('sha3-addons', name, (major) => {
    const encode = (item: Uint8Array): Uint8Array => encodeItems([item]);
    const spec = { ...specOfAddon(major, algorithm, outputLen), encode };
    const lent = (): any => original(major, 'hashes', 'sha3-addons', name);
    const tuple = (messages: Uint8Array[], options: KangarooOpts = NONE): FreshBytes => {
      const parameters = macParameters(spec, options);
      if (parameters === undefined || !Array.isArray(messages)) return lent()(messages, options);
      const items = encodeItems(messages.map((each) => message(major, each)));
      return digestWith(spec.facts, parameters, items);
    };
    const create = (options: KangarooOpts = NONE): HashXOF => {
      const parameters = macParameters(spec, options);
      return parameters === undefined ? lent().create(options) : begun(spec, parameters);
    };
    return described(tuple as never, spec, create, {
      nist: undefined,
      bare: true,
    }) as unknown as ITupleHash;
  });
}
