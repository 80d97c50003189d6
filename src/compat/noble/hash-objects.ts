/**
 * Hash functions with the interface of noble: callable objects with `create()`, over Millrace's
 * running hashes.
 */
import { givenOf, OUTPUT_MAX, type Given, type Parameter } from '../../catalog/parameters.js';
import { isUint8Array, part, sizeOf } from '../../base/intrinsics.js';
import type { FreshBytes } from '../../base/platform-types.js';
import type { Algorithm } from '#platform/compat/noble/algorithms.js';
import {
  begin,
  digestOf,
  digestWith,
  end,
  resultOf,
  writeResult,
  type Running,
} from '#platform/compat/noble/hash-engine.js';
import { checkBytes, checkNumber, checkOutput, checkUsable, message } from './checks.js';
import { backed, original, type MajorVersion, type Maker } from './original.js';
import { isNumber, isPlain, type Readers } from './parameters.js';

/** A running hash, as `create()` returns it. */
export interface Hash {
  /** Bytes of a block of the hash. */
  readonly blockLen: number;
  /** Bytes of the digest. */
  readonly outputLen: number;
  /** True if `xof` and `xofInto` return output of any size. */
  readonly canXOF: boolean;
  /** Adds bytes; in version 1 also a string, as UTF-8. */
  update(data: Uint8Array | string): this;
  /** Writes the digest to the start of `output`. */
  digestInto(output: Uint8Array): any;
  /** Returns the digest. */
  digest(): FreshBytes;
  /** Makes the hash unusable. */
  destroy(): void;
  /** Returns a hash with the same message so far. */
  clone(): Hash;
  /**
   * Copies the message so far into another hash of the same kind.
   *
   * @hidden
   */
  _cloneInto(to?: any): any;
}

/** A running hash with extendable output. */
export interface HashXOF extends Hash {
  /** Returns the next bytes of the output. */
  xof(bytes: number): FreshBytes;
  /** Fills `output` with the next bytes of the output. */
  xofInto(output: Uint8Array): FreshBytes;
}

/** A callable hash function. */
export interface CHash<Options = undefined, Instance = Hash> {
  (data: Uint8Array, options?: Options): FreshBytes;
  /** Bytes of the digest. */
  readonly outputLen: number;
  /** Bytes of a block of the hash. */
  readonly blockLen: number;
  /** True if `create()` returns a hash with extendable output (version 2). */
  readonly canXOF: boolean;
  /** The DER encoding of the algorithm's object identifier, of hashes that have one (version 2). */
  readonly oid?: FreshBytes;
  /** Returns a running hash for a message in parts. */
  create(options?: Options): Instance;
}

/** Options of every extendable output. */
export interface ShakeOpts {
  /** Bytes of the digest. */
  dkLen?: number;
}

/** A password, a salt or a name: bytes, or a string, which is encoded as UTF-8. */
export type KDFInput = string | Uint8Array;

/** How noble's classes differ in their order of checks. */
type Kind = 'md' | 'sponge' | 'blake3';

/** A hash function of noble and the algorithm that computes it. */
export interface Spec {
  readonly major: MajorVersion;
  readonly kind: Kind;
  readonly facts: Algorithm;
  readonly outputLen: number;
  readonly xof: boolean;
  /** Encodes what one update adds to the message, if that is not its bytes. */
  readonly encode: ((item: Uint8Array) => Uint8Array) | undefined;
}

const specKey: unique symbol = Symbol('millrace.noble') as never;

/** Returns the algorithm of a hash function of this module; undefined for any other function. */
export function specOf(hash: unknown): Spec | undefined {
  return typeof hash === 'function' ? (hash as { [specKey]?: Spec })[specKey] : undefined;
}

/**
 * A running hash with noble's checks. One with options that Millrace lacks holds noble's own, so
 * that any two of an algorithm can be cloned into each other.
 */
export class RunningHash implements HashXOF {
  readonly blockLen: number;
  readonly outputLen: number;
  readonly canXOF: boolean;
  /** True once the digest or output has begun. */
  finished = false;
  destroyed = false;
  #spec: Spec;
  #running: Running;
  #lent: HashXOF | undefined;

  constructor(spec: Spec, running: Running, lent?: HashXOF) {
    this.blockLen = spec.facts.blockSize;
    this.outputLen = lent === undefined ? spec.outputLen : lent.outputLen;
    this.canXOF = spec.xof;
    this.#spec = spec;
    this.#running = running;
    this.#lent = lent;
  }

  update(data: Uint8Array | string): this {
    const running = this.#running;
    if (this.#lent !== undefined) {
      this.#lent.update(data);
      return this;
    }
    const { major, encode } = this.#spec;
    const usable = !this.destroyed && !this.finished && encode === undefined;
    if (usable && isUint8Array(data) && running.tryBuffer(data)) return this;
    checkUsable(major, this);
    const given = message(major, data);
    const bytes = encode?.(given) ?? given;
    running.update(bytes, 0, sizeOf(bytes));
    return this;
  }

  digestInto(output: Uint8Array): unknown {
    if (this.#lent !== undefined) return this.#lent.digestInto(output);
    const { major, kind, facts } = this.#spec;
    if (kind !== 'md') {
      // noble checks the memory first, and ends with a wiped state.
      const target = checkOutput(major, output, this.outputLen);
      if (this.finished) throw new Error('digest() was already called');
      checkUsable(major, this);
      this.#finish(target);
      this.destroy();
      return major === 1 ? output : undefined;
    }
    checkUsable(major, this);
    const memory = checkOutput(major, output, this.outputLen);
    // noble 2 refuses memory that BLAKE2's words do not fit.
    if (major === 2 && facts.name.startsWith('blake2') && memory.byteOffset % 4 !== 0) {
      const found = `4-byte aligned byteOffset, got ${memory.byteOffset}`;
      throw new RangeError(`"output" expected ${found}`);
    }
    this.#finish(memory);
    return undefined;
  }

  digest(): FreshBytes {
    if (this.#lent !== undefined) return this.#lent.digest();
    const { major, kind } = this.#spec;
    if (kind !== 'md' && this.finished) throw new Error('digest() was already called');
    checkUsable(major, this);
    const digest = resultOf(this.#running, this.outputLen);
    this.finished = true;
    this.destroy();
    return digest;
  }

  xof(bytes: number): FreshBytes {
    const { major } = this.#spec;
    return this.xofInto(new Uint8Array(checkNumber(major, bytes)));
  }

  xofInto(output: Uint8Array): FreshBytes {
    if (this.#lent !== undefined) return this.#lent.xofInto(output);
    const { major, kind } = this.#spec;
    const running = this.#running;
    if (!this.canXOF)
      throw new Error(major === 1 ? 'XOF is not possible for this instance' : 'XOF is not enabled');
    // BLAKE3's refusal after a digest has another message than the sponges'.
    if (kind === 'blake3' && this.destroyed && this.finished)
      throw new Error(
        major === 1 ? 'XOF is not possible after digest call' : 'no XOF after digest()',
      );
    checkUsable(major, this, true);
    checkBytes(major, output);
    running.squeeze(output, 0, sizeOf(output));
    this.finished = true;
    return output as FreshBytes;
  }

  destroy(): void {
    this.destroyed = true;
    this.#lent?.destroy();
    end(this.#running);
  }

  clone(): RunningHash {
    return this._cloneInto();
  }

  _cloneInto(to?: RunningHash): RunningHash {
    const running = this.#running;
    const copy = running.copy(running.size);
    const lent = this.#lent?.clone() as HashXOF | undefined;
    if (to === undefined) to = new RunningHash(this.#spec, copy, lent);
    else to.#replace(this.#spec, copy, lent);
    to.finished = this.finished;
    to.destroyed = this.destroyed;
    return to;
  }

  #replace(spec: Spec, running: Running, lent: HashXOF | undefined): void {
    end(this.#running);
    this.#spec = spec;
    this.#running = running;
    this.#lent = lent;
    Object.assign(this, { outputLen: lent?.outputLen ?? spec.outputLen, canXOF: spec.xof });
  }

  #finish(target: Uint8Array): void {
    writeResult(this.#running, part(target, 0, this.outputLen));
    this.finished = true;
  }
}

/** Returns the spec of a hash function whose updates add their bytes to the message. */
export function newSpec(
  major: MajorVersion,
  kind: Kind,
  facts: Algorithm,
  outputLen: number = facts.digestSize,
): Spec {
  return { major, kind, facts, outputLen, xof: facts.xof === true, encode: undefined };
}

/** Returns the maker of a hash function without options. */
export function plainHash(
  facts: Algorithm,
  kind: Kind,
  nist?: number,
): Maker<CHash<undefined, Hash>> {
  return (major) => {
    const spec = newSpec(major, kind, facts);
    const plain = givenOf(spec.outputLen);
    const create = (): RunningHash => new RunningHash(spec, begin(facts, plain));
    const hash = (data: Uint8Array): FreshBytes =>
      digestOf(facts, data) ?? create().update(message(major, data)).digest();
    return described(hash, spec, create, { nist });
  };
}

/**
 * Returns a function that reads the options of a hash: the digest's size and those that have a
 * reader. It returns undefined if only noble serves or refuses them.
 */
export function optionReader(
  spec: Spec,
  { pick, reads }: Readers,
): (options: object) => Given | undefined {
  const { facts, outputLen } = spec;
  const most = facts.parameters?.outputLength?.[1] ?? OUTPUT_MAX;
  return (options) => {
    if (!isPlain(options)) return undefined;
    // All getters run before anything is checked.
    const given = pick(options);
    const size = given[0] === undefined ? outputLen : given[0];
    if (!isNumber(size, most)) return undefined;
    const values: Parameter[] = [];
    let key: Uint8Array | undefined;
    for (let at = 0; at < reads.length; at++) {
      const found = reads[at]!(given[at + 1], spec, key !== undefined);
      if (found === undefined) return undefined;
      if (found === null) continue;
      if (found[0] === 'key') key = found[1] as Uint8Array;
      else values.push(found);
    }
    if (!facts.xof && size !== facts.digestSize) values.push(['outputLength', size]);
    return givenOf(size, values, key);
  };
}

/** A hash function with options. */
interface Family {
  readonly subpath: string;
  /** The name of the function in noble. */
  readonly name: string;
  readonly kind: Kind;
  readonly facts: Algorithm;
  readonly outputLen?: number;
  readonly readers: Readers;
}

/** Returns the maker of a hash function with options. */
export function optionHash<Options extends object, Instance extends Hash = Hash>(
  { subpath, name, kind, facts, outputLen, readers }: Family,
  description: Description = {},
): Maker<CHash<Options, Instance>> {
  return backed(subpath, name, (major) => {
    const spec = newSpec(major, kind, facts, outputLen);
    const read = optionReader(spec, readers);
    const plain = read(NONE)!;
    const isUsual = plain.size === facts.digestSize && plain.values.length === 0;
    const lent = (): any => original(major, 'hashes', subpath, name);
    const create = (options?: Options): Hash => {
      // Not `??`: noble refuses null.
      const given = options === undefined ? plain : read(options);
      if (given !== undefined) return begun(spec, given);
      return new RunningHash(spec, begin(facts, plain), lent().create(options) as HashXOF);
    };
    const hash = (data: Uint8Array, options?: Options): FreshBytes => {
      if (options === undefined && isUsual)
        return digestOf(facts, data) ?? create().update(message(major, data)).digest();
      const given = options === undefined ? plain : read(options);
      if (given === undefined) return lent()(data, options);
      return digestWith(facts, given, message(major, data));
    };
    return described(hash, spec, create, description) as CHash<Options, Instance>;
  });
}

/** The options of a call without any. */
export const NONE: object = /* @__PURE__ */ Object.freeze({ __proto__: null });

/** Returns a running hash with options. */
export function begun(spec: Spec, given: Given): RunningHash {
  return new RunningHash({ ...spec, outputLen: given.size }, begin(spec.facts, given));
}

/** Properties of a hash function that its spec has not. */
interface Description {
  /** The last number of NIST's object identifier. */
  readonly nist?: number | undefined;
  /** True for a function without properties in version 1. */
  readonly bare?: boolean;
}

/** Adds the properties of a hash function. */
export function described(
  hash: (data: Uint8Array, options?: any) => FreshBytes,
  spec: Spec,
  create: (...given: any[]) => Hash,
  { nist, bare }: Description,
): CHash<any, any> {
  const { major, outputLen, facts, xof } = spec;
  if (major === 2 || !bare) Object.assign(hash, { outputLen, blockLen: facts.blockSize });
  if (major === 2) Object.assign(hash, { canXOF: xof });
  Object.assign(hash, { create });
  // 2.16.840.1.101.3.4.2: NIST's hash algorithms.
  if (major === 2 && nist !== undefined)
    Object.assign(hash, { oid: Uint8Array.of(6, 9, 0x60, 0x86, 0x48, 1, 0x65, 3, 4, 2, nist) });
  Object.defineProperty(hash, specKey, { value: spec });
  return (major === 2 ? Object.freeze(hash) : hash) as unknown as CHash<any, any>;
}
