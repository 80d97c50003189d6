/**
 * The helpers of noble's utils that programs use: hex, text, concatenation, random bytes and
 * checks.
 */
import { hex, nextTurn, viewOf } from '#platform/base/runtime.js';
import type { FreshBytes } from '../../../base/platform-types.js';
import {
  checkBytes,
  checkHash,
  checkNumber,
  checkOutput,
  checkUsable,
  isBytes as isUint8Array,
  type Used,
} from '../checks.js';
import type { MajorVersion } from '../original.js';

interface HexCodec {
  fromHex?(text: string): FreshBytes;
}
interface WebCrypto {
  getRandomValues(target: FreshBytes): FreshBytes;
}
/** The most bytes that WebCrypto generates in a call. */
const RANDOM_MAX = 65_536;

const typeFault = (major: MajorVersion): ErrorConstructor => (major === 1 ? Error : TypeError);
const rangeFault = (major: MajorVersion): ErrorConstructor => (major === 1 ? Error : RangeError);

export const isBytes = (_line: MajorVersion): typeof isUint8Array => isUint8Array;
export const abytes = (major: MajorVersion): typeof bytesOfSizes =>
  major === 1 ? bytesOfSizes : bytesOfSize;
export const isLE = (_line: MajorVersion): boolean =>
  new Uint8Array(Uint32Array.of(1).buffer)[0] === 1;

/** Returns lowercase hex. */
export const bytesToHex =
  (major: MajorVersion) =>
  (bytes: Uint8Array): string => {
    const { buffer, byteOffset, length } = checkBytes(major, bytes);
    return hex(viewOf(buffer, byteOffset, length));
  };

/** Returns the bytes of hex, in any case. */
export const hexToBytes =
  (major: MajorVersion) =>
  (text: string): FreshBytes => {
    if (typeof text !== 'string')
      throw new (typeFault(major))(`hex string expected, got ${typeof text}`);
    const RangeFault = rangeFault(major);
    if (Object.hasOwn(Uint8Array, 'fromHex'))
      return builtinBytes((Uint8Array as HexCodec).fromHex!, text, RangeFault);
    const size = text.length / 2;
    if (!Number.isInteger(size))
      throw new RangeFault(`hex string expected, got unpadded hex of length ${text.length}`);
    const wrong = /[^0-9a-fA-F]/.exec(text);
    if (wrong !== null) {
      const index = wrong.index & ~1;
      throw new RangeFault(
        'hex string expected, got non-hex character ' +
          `"${text.slice(index, index + 2)}" at index ${index}`,
      );
    }
    const bytes = new Uint8Array(size);
    for (let i = 0; i < size; i++) bytes[i] = digit(text, 2 * i) * 16 + digit(text, 2 * i + 1);
    return bytes;
  };

export const utf8ToBytes =
  (major: MajorVersion) =>
  (text: string): FreshBytes => {
    if (typeof text !== 'string') throw new (typeFault(major))('string expected');
    return new TextEncoder().encode(text);
  };

/**
 * Waits for the next turn of the event loop, where derivations end. noble's only waits for the
 * microtasks before it: a loop of those would never let a worker's result in.
 */
export const nextTick = (_line: MajorVersion) => (): Promise<void> =>
  new Promise((resolve) => nextTurn(resolve));

/** Returns the bytes of several arrays in one. */
export const concatBytes =
  (major: MajorVersion) =>
  (...arrays: Uint8Array[]): FreshBytes => {
    let size = 0;
    for (const each of arrays) size += checkBytes(major, each).length;
    const joined = new Uint8Array(size);
    let offset = 0;
    for (const each of arrays) {
      joined.set(each, offset);
      offset += each.length;
    }
    return joined;
  };

/** Returns random bytes of WebCrypto. */
export const randomBytes =
  (major: MajorVersion) =>
  (size = 32): FreshBytes => {
    if (major === 2) checkNumber(major, size, 'bytesLength');
    if (major === 2 && size > RANDOM_MAX)
      throw new RangeError(`"bytesLength" expected <= ${RANDOM_MAX}, got ${size}`);
    const { crypto } = globalThis as unknown as { crypto?: WebCrypto };
    if (crypto === undefined) throw new Error('crypto.getRandomValues must be defined');
    return crypto.getRandomValues(new Uint8Array(size));
  };

export const aexists =
  (major: MajorVersion) =>
  (hash: Used, checkFinished = true): void =>
    checkUsable(major, hash, !checkFinished);

export const ahash =
  (major: MajorVersion) =>
  (hash: unknown): void =>
    checkHash(major, hash);

export const anumber =
  (major: MajorVersion) =>
  (value: unknown, title = ''): number =>
    checkNumber(major, value, title);

export const aoutput =
  (major: MajorVersion) =>
  (output: unknown, { outputLen }: { outputLen: number }): void => {
    checkOutput(major, output, outputLen);
  };

/** Removed by version 1.2 of the ciphers. */
export const asyncLoop =
  (major: MajorVersion) =>
  async (count: number, tick: number, call: (index: number) => void): Promise<void> => {
    const wait = nextTick(major);
    let begin = Date.now();
    for (let index = 0; index < count; index++) {
      call(index);
      const passed = Date.now() - begin;
      // The clock may have been set back.
      if (passed >= 0 && passed < tick) continue;
      await wait();
      begin += passed;
    }
  };

/** Removed by version 1.2 of the ciphers. */
export const getDst =
  (major: MajorVersion) =>
  (size: number, target?: Uint8Array): FreshBytes => {
    if (target === undefined) return new Uint8Array(size);
    checkBytes(major, target, '', size);
    if (target.byteOffset % 4 !== 0) throw new Error('unaligned output');
    return target as FreshBytes;
  };

/** Removed by version 1.2 of the ciphers. */
export const u16 =
  (_line: MajorVersion) =>
  ({ buffer, byteOffset, byteLength }: ArrayBufferView): Uint16Array =>
    new Uint16Array(buffer, byteOffset, byteLength >> 1);

/** Checks bytes as version 1 does: any of several sizes. */
function bytesOfSizes(value: unknown, ...sizes: any[]): any {
  const { length } = checkBytes(1, value);
  if (sizes.length > 0 && !sizes.includes(length))
    throw new Error(`Uint8Array expected of length ${sizes}, got length=${length}`);
}

/** Checks bytes as version 2 does. */
function bytesOfSize(value: unknown, size?: number, title = ''): any {
  if (size !== undefined) checkNumber(2, size, 'length');
  return checkBytes(2, value, title, size);
}

function builtinBytes(
  decode: (text: string) => FreshBytes,
  text: string,
  Fault: ErrorConstructor,
): FreshBytes {
  try {
    return decode.call(Uint8Array, text);
  } catch (error) {
    throw Fault === Error ? error : new Fault((error as Error).message);
  }
}

/** Returns the value of a hex digit. */
function digit(text: string, index: number): number {
  const code = text.charCodeAt(index);
  return code < 58 ? code - 48 : (code & 31) + 9;
}

declare const TextEncoder: new () => { encode(text: string): FreshBytes };
