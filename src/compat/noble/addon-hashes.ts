/** The hash functions of sha3-addons: NIST SP 800-185 and RFC 9861. */
import { findHash } from '../../catalog/catalog.js';
import { encodeItems } from '../../catalog/integers.js';
import { OUTPUT_MAX } from '../../operations/hash.js';
import type { Parameter } from '../../catalog/parameters.js';
import { message } from './checks.js';
import type { KDFInput } from './derivations.js';
import {
  described,
  optionHash,
  RunningHash,
  type CHash,
  type HashXOF,
  type ShakeOpts,
  type Spec,
} from './hash-objects.js';
import { original, type Line } from './original.js';
import {
  beginWith,
  digestWith,
  inputOf,
  isNumber,
  isPlain,
  sizeOption,
  type Parameters,
} from './parameters.js';

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
  (key: Uint8Array, data: Uint8Array, options?: KangarooOpts): Uint8Array;
  /** Bytes of the result (line 2). */
  readonly outputLen: number;
  /** Bytes of a block of the hash (line 2). */
  readonly blockLen: number;
  /** True for an extendable output (line 2). */
  readonly canXOF: boolean;
  /** Returns a running MAC for a message in parts. */
  create(key: Uint8Array, options?: KangarooOpts): HashXOF;
}

/** TupleHash: a function of an array of items. */
export interface ITupleHash {
  (messages: Uint8Array[], options?: KangarooOpts): Uint8Array;
  /** Bytes of the digest (line 2). */
  readonly outputLen: number;
  /** Bytes of a block of the hash (line 2). */
  readonly blockLen: number;
  /** True for an extendable output (line 2). */
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
) => Uint8Array;

/** The hash functions of both lines. */
export function addons(line: Line) {
  return {
    cshake128: cshake(line, 'cshake128', 16),
    cshake256: cshake(line, 'cshake256', 32),
    kmac128: kmac(line, 'kmac128', 'kmac128', 16),
    kmac256: kmac(line, 'kmac256', 'kmac256', 32),
    kmac128xof: kmac(line, 'kmacxof128', 'kmac128xof', 16),
    kmac256xof: kmac(line, 'kmacxof256', 'kmac256xof', 32),
    parallelhash128: parallelHash(line, 'parallelhash128', 'parallelhash128', 16),
    parallelhash256: parallelHash(line, 'parallelhash256', 'parallelhash256', 32),
    parallelhash128xof: parallelHash(line, 'parallelhashxof128', 'parallelhash128xof', 16),
    parallelhash256xof: parallelHash(line, 'parallelhashxof256', 'parallelhash256xof', 32),
    tuplehash128: tupleHash(line, 'tuplehash128', 'tuplehash128', 16),
    tuplehash256: tupleHash(line, 'tuplehash256', 'tuplehash256', 32),
    tuplehash128xof: tupleHash(line, 'tuplehashxof128', 'tuplehash128xof', 16),
    tuplehash256xof: tupleHash(line, 'tuplehashxof256', 'tuplehash256xof', 32),
    turboshake128: turboshake(line, 'turboshake128', 32),
    turboshake256: turboshake(line, 'turboshake256', 64),
  };
}

/** KangarooTwelve and its MAC by the names of version 2. */
export function kangarooTwelve() {
  const [kt128, kt256] = [kangaroo(2, 'kt128', 'kt128', 32), kangaroo(2, 'kt256', 'kt256', 64)];
  return { kt128, kt256, HopMAC128: hopMac(kt128), HopMAC256: hopMac(kt256) };
}

/** KangarooTwelve by its name in version 1. */
export function kangarooOne() {
  return { k12: kangaroo(1, 'kt128', 'k12', 32) };
}

function specOfAddon(line: Line, algorithm: string, outputLen: number): Spec {
  const facts = findHash(algorithm)!;
  return { line, kind: 'sponge', facts, outputLen, xof: facts.xof };
}

function family<Options>(name: string, read: (options: Options) => Parameters | undefined) {
  return { subpath: 'sha3-addons', name, read };
}

/** Returns the parameters of a digest that depends on its size unless it is extendable. */
function sized(spec: Spec, size: number, values: Parameter[]): Parameters {
  const { xof, digestSize } = spec.facts;
  if (!xof && size !== digestSize) values.push(['outputLength', size]);
  return { size, values };
}

function cshake(line: Line, name: string, outputLen: number): CHash<cShakeOpts, HashXOF> {
  const spec = specOfAddon(line, name, outputLen);
  const read = (options: cShakeOpts): Parameters | undefined => {
    if (!isPlain(options)) return undefined;
    const { dkLen, personalization, NISTfn } = options;
    const size = sizeOption(dkLen, outputLen);
    const values = customization(line, personalization);
    if (size === undefined || values === undefined) return undefined;
    if (NISTfn !== undefined) {
      // Both lines take strings.
      const name = inputOf(1, NISTfn);
      if (name === undefined) return undefined;
      values.push(['functionName', name]);
    }
    return { size, values };
  };
  return optionHash<cShakeOpts, HashXOF>(spec, family(name, read));
}

/** Returns the customization string as a parameter. */
function customization(line: Line, personalization: unknown): Parameter[] | undefined {
  if (personalization === undefined) return [];
  const bytes = inputOf(line, personalization);
  return bytes === undefined ? undefined : [['customization', bytes]];
}

function turboshake(line: Line, name: string, outputLen: number): CHash<TurboshakeOpts, HashXOF> {
  const read = (options: TurboshakeOpts): Parameters | undefined => {
    if (!isPlain(options)) return undefined;
    const { dkLen, D } = options;
    const size = sizeOption(dkLen, outputLen);
    if (size === undefined) return undefined;
    if (D === undefined) return { size };
    return isNumber(D, 127) ? { size, values: [['domain', D]] } : undefined;
  };
  const spec = specOfAddon(line, name, outputLen);
  return optionHash<TurboshakeOpts, HashXOF>(spec, family(name, read));
}

function kangaroo(
  line: Line,
  algorithm: string,
  name: string,
  outputLen: number,
): CHash<KangarooOpts, HashXOF> {
  const read = (options: KangarooOpts): Parameters | undefined => {
    if (!isPlain(options)) return undefined;
    const { dkLen, personalization } = options;
    const size = sizeOption(dkLen, outputLen);
    const values = customization(line, personalization);
    return size === undefined || values === undefined ? undefined : { size, values };
  };
  const spec = specOfAddon(line, algorithm, outputLen);
  return optionHash<KangarooOpts, HashXOF>(spec, family(name, read));
}

function hopMac(hash: CHash<KangarooOpts, HashXOF>): HopMAC {
  return (key, data, personalization, dkLen) =>
    hash(key, {
      personalization: hash(data, { personalization }),
      ...(dkLen === undefined ? {} : { dkLen }),
    });
}

/** Bytes of a block of ParallelHash in noble. */
const PARALLEL_BLOCK = 8;

function parallelHash(
  line: Line,
  algorithm: string,
  name: string,
  outputLen: number,
): CHash<ParallelOpts, HashXOF> {
  const spec = specOfAddon(line, algorithm, outputLen);
  const read = (options: ParallelOpts): Parameters | undefined => {
    if (!isPlain(options)) return undefined;
    const { dkLen, personalization, blockLen = PARALLEL_BLOCK } = options;
    const size = sizeOption(dkLen, outputLen);
    const values = customization(line, personalization);
    if (size === undefined || values === undefined || !isNumber(blockLen, OUTPUT_MAX))
      return undefined;
    values.push(['blockSize', blockLen]);
    return sized(spec, size, values);
  };
  const whole = { ...family(name, read), always: true, bare: true };
  return optionHash<ParallelOpts, HashXOF>(spec, whole);
}

/** Returns the parameters of KMAC and TupleHash without the key. */
function macParameters(spec: Spec, options: KangarooOpts): Parameters | undefined {
  if (!isPlain(options)) return undefined;
  const { dkLen, personalization } = options;
  const size = sizeOption(dkLen, spec.outputLen);
  const values = customization(spec.line, personalization);
  return size === undefined || values === undefined ? undefined : sized(spec, size, values);
}

function kmac(line: Line, algorithm: string, name: string, outputLen: number): IKMAC {
  const spec = specOfAddon(line, algorithm, outputLen);
  const lent = (): any => original(line, 'hashes', 'sha3-addons', name);
  const read = (key: Uint8Array, options: KangarooOpts): Parameters | undefined => {
    const parameters = macParameters(spec, options);
    const bytes = inputOf(line, key);
    if (parameters === undefined || bytes === undefined) return undefined;
    return { ...parameters, key: bytes };
  };
  const mac = (key: Uint8Array, data: Uint8Array, options: KangarooOpts = {}): Uint8Array => {
    const parameters = read(key, options);
    if (parameters === undefined) return lent()(key, data, options);
    return digestWith(spec.facts, parameters, message(line, data));
  };
  const create = (key: Uint8Array, options: KangarooOpts = {}): HashXOF => {
    const parameters = read(key, options);
    return parameters === undefined ? lent().create(key, options) : begun(spec, parameters);
  };
  return described(mac as never, spec, create, { bare: true }) as unknown as IKMAC;
}

function tupleHash(line: Line, algorithm: string, name: string, outputLen: number): ITupleHash {
  const spec = specOfAddon(line, algorithm, outputLen);
  const lent = (): any => original(line, 'hashes', 'sha3-addons', name);
  const tuple = (messages: Uint8Array[], options: KangarooOpts = {}): Uint8Array => {
    const parameters = macParameters(spec, options);
    if (parameters === undefined || !Array.isArray(messages)) return lent()(messages, options);
    const items = encodeItems(messages.map((each) => message(line, each)));
    return digestWith(spec.facts, parameters, items);
  };
  const create = (options: KangarooOpts = {}): HashXOF => {
    const parameters = macParameters(spec, options);
    return parameters === undefined ? lent().create(options) : begun(spec, parameters);
  };
  return described(tuple as never, spec, create, { bare: true }) as unknown as ITupleHash;
}

function begun(spec: Spec, parameters: Parameters): RunningHash {
  return new RunningHash(
    { ...spec, outputLen: parameters.size },
    beginWith(spec.facts, parameters),
  );
}
