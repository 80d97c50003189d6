/**
 * The classes and functions of `@aws-crypto/crc32`, `@aws-crypto/crc32c` and `@aws-sdk/crc64-nvme`,
 * and the CRCs of `@aws-sdk/checksums`, over Millrace's. The packages for `overrides` re-export
 * them under the names of the originals (docs/aws-checksums.md).
 *
 * States are in the properties that the originals have. A Uint8Array is hashed by Millrace;
 * everything else that the originals take or refuse is read as they read it, byte by byte.
 *
 * @packageDocumentation
 */
import { isUint8Array, sizeOf } from '../base/arguments.js';
import { appendCrc, crcField, readCrc } from '../base/crc.js';
import type { FreshBytes } from '../base/platform-types.js';
import { utf8 } from '#platform/base/runtime.js';
import { crcInto, type CrcName } from '#platform/compat/aws/crc-engine.js';

/** A message in parts, as the AWS SDK hashes it. */
export interface Checksum {
  /** Adds to the message. */
  update(data: Uint8Array): void;
  /** Resolves to the big-endian checksum of the message so far. */
  digest(): Promise<FreshBytes>;
  /** Begins a new message. */
  reset(): void;
}

/** What `update` of the classes `AwsCrc32` and `AwsCrc32c` takes: a string is hashed as UTF-8. */
export type SourceData = string | ArrayBuffer | ArrayBufferView;

/** A CRC of 32 bits of a message in parts. */
export interface Crc {
  /** Adds to the message. */
  update(data: Uint8Array): this;
  /** Returns the checksum of the message so far. */
  digest(): number;
}

/** A CRC of 32 bits of a message in parts, which the AWS SDK before 3.1060 hashes by. */
export interface AwsCrc extends Omit<Checksum, 'update'> {
  /** Adds to the message. */
  update(data: SourceData): void;
}

/** Up to this many bytes the table takes less time than a call of the engine. */
const FEW = 64;

const ONES = 0xffff_ffff;
/** The prototype's own iterator: a Uint8Array with another one has other bytes. */
const iterate: unknown = Uint8Array.prototype[Symbol.iterator];

const [before, after] = [new Uint32Array(2), new Uint32Array(2)];
const digests = { 4: new Uint8Array(4), 8: new Uint8Array(8) };

/**
 * Returns true if it has changed the inverted CRC of a message, high and low half, to that with
 * these bytes: they are then in {@link before}.
 */
function advanced(name: CrcName, high: number, low: number, data: Uint8Array): boolean {
  const field = crcField(name)!;
  const target = digests[field.size];
  // Before the call: the memory of the bytes may shrink, but not during a call.
  const size = sizeOf(data);
  if (!crcInto(name, data, target)) return false;
  readCrc(field, target, after);
  before[0] = ~high;
  before[1] = ~low;
  if (field.size === 4) before[0] = 0;
  appendCrc(field, before, after, size);
  before[0] = ~before[0]!;
  before[1] = ~before[1]!;
  return true;
}

/** The CRC of each byte: the high halves, and the low ones. */
type Table = Readonly<Record<'highs' | 'lows', Uint32Array>>;

const tables = new Map<CrcName, Table>();

function tableOf(name: CrcName): Table {
  const known = tables.get(name);
  if (known !== undefined) return known;
  const field = crcField(name)!;
  const table = { highs: new Uint32Array(256), lows: new Uint32Array(256) };
  for (let byte = 0; byte < 256; byte++) {
    let [high, low] = [0, byte];
    for (let bit = 0; bit < 8; bit++) {
      const carry = -(low & 1);
      low = ((low >>> 1) | (high << 31)) ^ (field.low & carry);
      high = (high >>> 1) ^ (field.high & carry);
    }
    table.highs[byte] = high;
    table.lows[byte] = low;
  }
  tables.set(name, table);
  return table;
}

/** Returns the values of what the originals iterate: an iterable, or an object with a length. */
function valuesOf(data: any): Iterable<any> {
  const make: unknown = data[Symbol.iterator];
  if (make) return { [Symbol.iterator]: () => (make as () => Iterator<any>).call(data) };
  if (!data || typeof data.length !== 'number') throw new TypeError('Object is not iterable.');
  let at = 0;
  const next = () =>
    at >= data.length ? { value: undefined, done: true } : { value: data[at++], done: false };
  return { [Symbol.iterator]: () => ({ next }) as Iterator<any> };
}

/** Returns the bytes of what is not a Uint8Array, as the originals convert it. */
function converted(data: any): Uint8Array {
  if (typeof data === 'string') return utf8(data);
  if (ArrayBuffer.isView(data))
    return new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  return new Uint8Array(data);
}

function bytesOf(value: number): FreshBytes {
  return Uint8Array.of(value >>> 24, value >>> 16, value >>> 8, value);
}

/** Returns the classes and the function of `@aws-crypto/crc32` or `@aws-crypto/crc32c`. */
function crcPackage(name: 'crc32' | 'crc32c') {
  interface State {
    checksum: number;
  }
  // Functions, as in the originals: classes that were compiled for ES5 call them.
  const Crc = function (this: State) {
    this.checksum = ONES;
  } as unknown as new () => Crc & State;
  Object.assign(Crc.prototype, {
    update(this: State, data: any): State {
      const size = isUint8Array(data) && data[Symbol.iterator] === iterate ? sizeOf(data) : 0;
      if (size > FEW && advanced(name, ONES, this.checksum, data)) {
        this.checksum = before[1]! | 0;
        return this;
      }
      const { lows } = tableOf(name);
      if (size > 0) {
        let crc = this.checksum;
        for (let at = 0; at < size; at++) crc = (crc >>> 8) ^ lows[(crc ^ data[at]) & 0xff]!;
        this.checksum = crc;
      } else
        for (const byte of valuesOf(data))
          this.checksum = (this.checksum >>> 8) ^ lows[(this.checksum ^ byte) & 0xff]!;
      return this;
    },
    digest(this: State): number {
      return (this.checksum ^ ONES) >>> 0;
    },
  });

  interface Owner {
    [name: string]: Crc;
  }
  const AwsCrc = function (this: Owner) {
    this[name] = new Crc();
  } as unknown as new () => AwsCrc;
  Object.assign(AwsCrc.prototype, {
    update(this: Owner, data: any): void {
      if ((typeof data === 'string' ? data.length : data.byteLength) === 0) return;
      this[name]!.update(data instanceof Uint8Array ? data : converted(data));
    },
    async digest(this: Owner): Promise<Uint8Array> {
      return bytesOf(this[name]!.digest());
    },
    reset(this: Owner): void {
      this[name] = new Crc();
    },
  });
  const crc = (data: Uint8Array): number => new Crc().update(data).digest();
  const Name = name.replace('c', 'C');
  for (const [made, shown] of [
    [Crc, Name],
    [AwsCrc, `Aws${Name}`],
    [crc, name],
  ] as const)
    Object.defineProperty(made, 'name', { value: shown, configurable: true });
  return { Crc: Crc as new () => Crc, AwsCrc, crc };
}

const ieee = /* @__PURE__ */ crcPackage('crc32');
const castagnoli = /* @__PURE__ */ crcPackage('crc32c');

/**
 * Returns the CRC-32 of bytes, as `@aws-crypto/crc32` does.
 *
 * @example
 * ```js
 * import { crc32 } from 'millrace/aws-checksums';
 *
 * crc32(Buffer.from('123456789')); // 3421780262
 * ```
 */
export const crc32: (data: Uint8Array) => number = /* @__PURE__ */ (() => ieee.crc)();
/** CRC-32 of a message in parts, as a number. */
export const Crc32: new () => Crc = /* @__PURE__ */ (() => ieee.Crc)();
/** An instance of the class of this name. */
export type Crc32 = Crc;
/** CRC-32 of a message in parts, as bytes. */
export const AwsCrc32: new () => AwsCrc = /* @__PURE__ */ (() => ieee.AwsCrc)();
/** An instance of the class of this name. */
export type AwsCrc32 = AwsCrc;

/**
 * Returns the CRC-32C of bytes, as `@aws-crypto/crc32c` does.
 *
 * @example
 * ```js
 * import { crc32c } from 'millrace/aws-checksums';
 *
 * crc32c(Buffer.from('123456789')); // 3808858755
 * ```
 */
export const crc32c: (data: Uint8Array) => number = /* @__PURE__ */ (() => castagnoli.crc)();
/** CRC-32C of a message in parts, as a number. */
export const Crc32c: new () => Crc = /* @__PURE__ */ (() => castagnoli.Crc)();
/** An instance of the class of this name. */
export type Crc32c = Crc;
/** CRC-32C of a message in parts, as bytes. */
export const AwsCrc32c: new () => AwsCrc = /* @__PURE__ */ (() => castagnoli.AwsCrc)();
/** An instance of the class of this name. */
export type AwsCrc32c = AwsCrc;

/** Returns true for a Uint8Array whose elements are its bytes, unless they are few. */
function isWhole(data: any): data is Uint8Array {
  return isUint8Array(data) && sizeOf(data) > FEW && data.length === sizeOf(data);
}

/** CRC-32C of a message in parts, as `@aws-sdk/checksums` has it. */
export class Crc32cJs implements Checksum {
  /** The size of the checksum in bytes. */
  readonly digestLength = 4;
  private crc = ONES;

  /** Adds to the message. */
  update(data: Uint8Array): void {
    if (isWhole(data) && advanced('crc32c', ONES, this.crc, data)) {
      this.crc = before[1]! | 0;
      return;
    }
    const { lows } = tableOf('crc32c');
    let { crc } = this;
    for (let at = 0; at < data.length; ++at) crc = (crc >>> 8) ^ lows[(crc ^ data[at]!) & 0xff]!;
    this.crc = crc;
  }

  /** Resolves to the checksum of the message so far. */
  async digest(): Promise<FreshBytes> {
    return bytesOf(this.crc ^ ONES);
  }

  /** Begins a new message. */
  reset(): void {
    this.crc = ONES;
  }
}

/** The class of `@smithy/core` that hashes by zlib's CRC-32. */
interface ZlibCrc32 extends Checksum {
  value: number;
}

/**
 * Returns a subclass of the CRC-32 of `@smithy/core` that hashes Uint8Arrays by Millrace, and all
 * else by the original; the original itself where it does not use zlib.
 *
 * @example
 * ```js
 * import { overCrc32 } from 'millrace/aws-checksums';
 *
 * class Original {
 *   update() {}
 *   async digest() {}
 *   reset() {}
 * }
 * overCrc32(Original) === Original; // true: it does not use zlib
 * ```
 */
export function overCrc32<Original extends new () => Checksum>(original: Original): Original {
  const Base = original as unknown as new () => ZlibCrc32;
  if (typeof new Base().value !== 'number') return original;
  return class Crc32Node extends Base {
    override update(data: Uint8Array): void {
      if (isWhole(data) && advanced('crc32', ONES, ~this.value, data))
        this.value = ~before[1]! >>> 0;
      else super.update(data);
    }
  } as unknown as Original;
}

/** CRC-64/NVME of a message in parts. */
export class Crc64NvmeJs implements Checksum {
  private c1 = ONES;
  private c2 = ONES;

  /** Adds to the message. */
  update(data: Uint8Array): void {
    if (isWhole(data) && advanced('crc64nvme', this.c1, this.c2, data)) {
      this.c1 = before[0]! | 0;
      this.c2 = before[1]! | 0;
      return;
    }
    const { highs, lows } = tableOf('crc64nvme');
    const length = data.length;
    let { c1: high, c2: low } = this;
    for (let at = 0; at < length; at++) {
      const place = (low ^ data[at]!) & 0xff;
      low = ((low >>> 8) | (high << 24)) ^ lows[place]!;
      high = (high >>> 8) ^ highs[place]!;
    }
    this.c1 = high;
    this.c2 = low;
  }

  /** Resolves to the checksum of the message so far. */
  async digest(): Promise<FreshBytes> {
    const digest = new Uint8Array(8);
    digest.set(bytesOf(this.c1 ^ ONES));
    digest.set(bytesOf(this.c2 ^ ONES), 4);
    return digest;
  }

  /** Begins a new message. */
  reset(): void {
    this.c1 = ONES;
    this.c2 = ONES;
  }
}

/** Where `@aws-sdk/crc64-nvme-crt` puts its class, which {@link Crc64Nvme} then uses. */
export const crc64NvmeCrtContainer: { CrtCrc64Nvme: (new () => Checksum) | null } = {
  CrtCrc64Nvme: null,
};

/**
 * CRC-64/NVME of a message in parts: by the class in {@link crc64NvmeCrtContainer}, if there is
 * one.
 *
 * @example
 * ```js
 * import { Crc64Nvme } from 'millrace/aws-checksums';
 *
 * const checksum = new Crc64Nvme();
 * checksum.update(Buffer.from('123456789'));
 * Buffer.from(await checksum.digest()).toString('hex'); // 'ae8b14860a799888'
 * ```
 */
export class Crc64Nvme implements Checksum {
  private impl: Checksum;

  constructor() {
    const Crt = crc64NvmeCrtContainer.CrtCrc64Nvme;
    this.impl = Crt ? new Crt() : new Crc64NvmeJs();
  }

  /** Adds to the message. */
  update(data: Uint8Array): void {
    this.impl.update(data);
  }

  /** Resolves to the checksum of the message so far. */
  async digest(): Promise<FreshBytes> {
    return this.impl.digest();
  }

  /** Begins a new message. */
  reset(): void {
    this.impl.reset();
  }
}
