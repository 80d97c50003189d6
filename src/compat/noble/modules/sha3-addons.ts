/** The hash functions of sha3-addons: NIST SP 800-185 and RFC 9861. */
import type { FreshBytes } from '../../../base/platform-types.js';
import { encodeItems } from '../../../catalog/integers.js';
import { OUTPUT_MAX, type Given, type ParameterName } from '../../../catalog/parameters.js';
import * as algorithms from '#platform/compat/noble/algorithms.js';
import { digestWith } from '#platform/compat/noble/hash-engine.js';
import { message } from '../checks.js';
import {
  begun,
  described,
  newSpec,
  NONE,
  optionHash,
  optionReader,
  type CHash,
  type HashXOF,
  type KDFInput,
  type ShakeOpts,
} from '../hash-objects.js';
import { backed, original, type MajorVersion, type Maker } from '../original.js';
import { inputOf, isNumber, type Reader, type Readers } from '../parameters.js';

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

/** The properties of a hash, in version 2. */
type Properties = Pick<CHash, 'outputLen' | 'blockLen' | 'canXOF'>;

/** KMAC: a function of key and message. */
export interface IKMAC extends Properties {
  (key: Uint8Array, data: Uint8Array, options?: KangarooOpts): FreshBytes;
  /** Returns a running MAC for a message in parts. */
  create(key: Uint8Array, options?: KangarooOpts): HashXOF;
}

/** TupleHash: a function of an array of items. */
export interface ITupleHash extends Properties {
  (messages: Uint8Array[], options?: KangarooOpts): FreshBytes;
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

/** Reads bytes or text. */
function readText(name: ParameterName, value: unknown, major: MajorVersion): ReturnType<Reader> {
  if (value === undefined) return null;
  const bytes = inputOf(major, value);
  return bytes === undefined ? undefined : [name, bytes];
}

const readCustom: Reader = (value, { major }) => readText('customization', value, major);
const custom: Readers = {
  pick: ({ dkLen, personalization }) => [dkLen, personalization],
  reads: [readCustom],
};
const cshakeReaders: Readers = {
  pick: ({ dkLen, personalization, NISTfn }) => [dkLen, personalization, NISTfn],
  // Both versions take strings.
  reads: [readCustom, (value) => readText('functionName', value, 1)],
};
/** Bytes of a block of ParallelHash in noble. */
const PARALLEL_BLOCK = 8;
const parallelReaders: Readers = {
  pick: ({ dkLen, personalization, blockLen }) => [dkLen, personalization, blockLen],
  reads: [
    readCustom,
    (value = PARALLEL_BLOCK) => (isNumber(value, OUTPUT_MAX) ? ['blockSize', value] : undefined),
  ],
};
const turboshakeReaders: Readers = {
  pick: ({ dkLen, D }) => [dkLen, D],
  reads: [
    (value) => (value === undefined ? null : isNumber(value, 127) ? ['domain', value] : undefined),
  ],
};

export const cshake128 = /* @__PURE__ */ cshake(algorithms.cshake128, 16);
export const cshake256 = /* @__PURE__ */ cshake(algorithms.cshake256, 32);
export const kmac128 = /* @__PURE__ */ kmac(algorithms.kmac128, 16);
export const kmac256 = /* @__PURE__ */ kmac(algorithms.kmac256, 32);
export const kmac128xof = /* @__PURE__ */ kmac(algorithms.kmacxof128, 16);
export const kmac256xof = /* @__PURE__ */ kmac(algorithms.kmacxof256, 32);
export const parallelhash128 = /* @__PURE__ */ parallelHash(algorithms.parallelhash128, 16);
export const parallelhash256 = /* @__PURE__ */ parallelHash(algorithms.parallelhash256, 32);
export const parallelhash128xof = /* @__PURE__ */ parallelHash(algorithms.parallelhashxof128, 16);
export const parallelhash256xof = /* @__PURE__ */ parallelHash(algorithms.parallelhashxof256, 32);
export const tuplehash128 = /* @__PURE__ */ tupleHash(algorithms.tuplehash128, 16);
export const tuplehash256 = /* @__PURE__ */ tupleHash(algorithms.tuplehash256, 32);
export const tuplehash128xof = /* @__PURE__ */ tupleHash(algorithms.tuplehashxof128, 16);
export const tuplehash256xof = /* @__PURE__ */ tupleHash(algorithms.tuplehashxof256, 32);
export const turboshake128 = /* @__PURE__ */ turboshake(algorithms.turboshake128, 32);
export const turboshake256 = /* @__PURE__ */ turboshake(algorithms.turboshake256, 64);
/** KangarooTwelve by its names in version 2. */
export const kt128 = /* @__PURE__ */ kangaroo(algorithms.kt128, 32);
export const kt256 = /* @__PURE__ */ kangaroo(algorithms.kt256, 64);
/** KangarooTwelve by its name in version 1. */
export const k12 = /* @__PURE__ */ kangaroo(algorithms.kt128, 32, 'k12');
/** Its MAC, in version 2. */
export const HopMAC128 = /* @__PURE__ */ hopMac(kt128);
export const HopMAC256 = /* @__PURE__ */ hopMac(kt256);

/** Returns noble's name of an algorithm: `kmac128xof` for `kmacxof128`. */
function nameOf({ name }: Algorithm): string {
  return name.replace(/xof(\d+)$/, '$1xof');
}

/** Returns the arguments of {@link optionHash}. */
function family(
  facts: Algorithm,
  outputLen: number,
  readers: Readers,
  name: string = nameOf(facts),
) {
  return { subpath: 'sha3-addons', name, kind: 'sponge', facts, outputLen, readers } as const;
}

function cshake(facts: Algorithm, outputLen: number): Maker<CHash<cShakeOpts, HashXOF>> {
  return optionHash(family(facts, outputLen, cshakeReaders));
}

function turboshake(facts: Algorithm, outputLen: number): Maker<CHash<TurboshakeOpts, HashXOF>> {
  return optionHash(family(facts, outputLen, turboshakeReaders));
}

function kangaroo(
  facts: Algorithm,
  outputLen: number,
  name?: string,
): Maker<CHash<KangarooOpts, HashXOF>> {
  return optionHash(family(facts, outputLen, custom, name));
}

function parallelHash(facts: Algorithm, outputLen: number): Maker<CHash<ParallelOpts, HashXOF>> {
  return optionHash(family(facts, outputLen, parallelReaders), { bare: true });
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

function kmac(facts: Algorithm, outputLen: number): Maker<IKMAC> {
  const name = nameOf(facts);
  return backed('sha3-addons', name, (major) => {
    const spec = newSpec(major, 'sponge', facts, outputLen);
    const readOptions = optionReader(spec, custom);
    const lent = (): any => original(major, 'hashes', 'sha3-addons', name);
    const read = (key: Uint8Array, options: KangarooOpts): Given | undefined => {
      const parameters = readOptions(options);
      const bytes = inputOf(major, key);
      if (parameters === undefined || bytes === undefined) return undefined;
      return { ...parameters, key: bytes };
    };
    const mac = (key: Uint8Array, data: Uint8Array, options: KangarooOpts = NONE): FreshBytes => {
      const parameters = read(key, options);
      if (parameters === undefined) return lent()(key, data, options);
      return digestWith(facts, parameters, message(major, data));
    };
    const create = (key: Uint8Array, options: KangarooOpts = NONE): HashXOF => {
      const parameters = read(key, options);
      return parameters === undefined ? lent().create(key, options) : begun(spec, parameters);
    };
    return described(mac as never, spec, create, { bare: true }) as unknown as IKMAC;
  });
}

function tupleHash(facts: Algorithm, outputLen: number): Maker<ITupleHash> {
  const name = nameOf(facts);
  return backed('sha3-addons', name, (major) => {
    const encode = (item: Uint8Array): Uint8Array => encodeItems([item]);
    const spec = { ...newSpec(major, 'sponge', facts, outputLen), encode };
    const read = optionReader(spec, custom);
    const lent = (): any => original(major, 'hashes', 'sha3-addons', name);
    const tuple = (messages: Uint8Array[], options: KangarooOpts = NONE): FreshBytes => {
      const parameters = read(options);
      if (parameters === undefined || !Array.isArray(messages)) return lent()(messages, options);
      const items = encodeItems(messages.map((each) => message(major, each)));
      return digestWith(facts, parameters, items);
    };
    const create = (options: KangarooOpts = NONE): HashXOF => {
      const parameters = read(options);
      return parameters === undefined ? lent().create(options) : begun(spec, parameters);
    };
    return described(tuple as never, spec, create, { bare: true }) as unknown as ITupleHash;
  });
}
