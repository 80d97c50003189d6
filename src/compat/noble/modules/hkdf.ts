/** HKDF (RFC 5869). */
import { isUint8Array, NO_BYTES, sizeOf } from '../../../base/intrinsics.js';
import { secretMemory, wipe, type Secret } from '../../../base/secret-memory.js';
import type { FreshBytes } from '../../../base/platform-types.js';
import * as platform from '#platform/compat/noble/derivation-engine.js';
import { checkBytes, checkHash, checkNumber, message } from '../checks.js';
import { isCount, macOf, type AnyHash } from '../derivations.js';
import { backed, type MajorVersion, type Maker } from '../original.js';
import { macIn } from './hmac.js';

type Extract = (hash: AnyHash, ikm: Uint8Array, salt?: Uint8Array) => FreshBytes;
type Expand = (hash: AnyHash, prk: Uint8Array, info?: Uint8Array, length?: number) => FreshBytes;
type Hkdf = (
  hash: AnyHash,
  ikm: Uint8Array,
  salt: Uint8Array | undefined,
  info: Uint8Array | undefined,
  length: number,
) => FreshBytes;

function mac(major: MajorVersion, hash: AnyHash, key: Uint8Array, data: Uint8Array): Secret {
  return macIn(major, hash, key, data, secretMemory);
}

const extractKey =
  (major: MajorVersion): Extract =>
  (hash, ikm, salt) => {
    checkHash(major, hash);
    return mac(major, hash, salt === undefined ? new Uint8Array(hash.outputLen) : salt, ikm);
  };

const expandKey =
  (major: MajorVersion): Expand =>
  (hash, prk, info, length = 32) => {
    checkHash(major, hash);
    const { outputLen } = hash;
    checkNumber(major, length, 'length');
    const key = major === 1 ? message(major, prk) : checkBytes(major, prk, 'prk');
    if (major === 2 && key.length < outputLen)
      throw new Error('"prk" must be at least HashLen octets');
    if (length > 255 * outputLen) throw new Error('Length must be <= 255*HashLen');
    if (major === 2 && info !== undefined) checkBytes(major, info, 'info');
    const spec = macOf(hash);
    const given = info === undefined ? NO_BYTES : message(major, info);
    // RFC 5869's least size of a PRK, which version 1 does not check.
    if (spec !== undefined && key.length >= outputLen && length > 0 && isUint8Array(given))
      return platform.expand(spec.facts, key, given, length);
    const output = secretMemory(length);
    const tail = sizeOf(given);
    // T(n - 1), info and the number n: the input of T(n).
    const input = secretMemory(outputLen + tail + 1);
    input.set(given, outputLen);
    for (let start = 0, number = 1; start < length; start += outputLen, number++) {
      input[outputLen + tail] = number;
      const block = mac(major, hash, key, start === 0 ? input.subarray(outputLen) : input);
      input.set(block);
      output.set(block.subarray(0, Math.min(outputLen, length - start)), start);
      wipe(block);
    }
    wipe(input);
    return output;
  };

export const extract: Maker<Extract> = /* @__PURE__ */ backed('hmac', 'hmac', extractKey);

export const expand: Maker<Expand> = /* @__PURE__ */ backed('hmac', 'hmac', expandKey);

export const hkdf: Maker<Hkdf> = /* @__PURE__ */ backed(
  'hmac',
  'hmac',
  (major) => (hash, ikm, salt, info, length) => {
    const spec = macOf(hash);
    // Not `??`: noble refuses null.
    const [secret, other, purpose] = [ikm, salt, info].map((each) =>
      each === undefined ? NO_BYTES : each,
    ) as [Uint8Array, Uint8Array, Uint8Array];
    const accepted =
      ikm !== undefined && [secret, other, purpose].every(isUint8Array) && isCount(length, 1);
    // An empty salt and one of zeros are the same key of HMAC.
    if (spec !== undefined && accepted && length <= 255 * spec.outputLen)
      return platform.hkdf(spec.facts, secret, other, purpose, length);
    const prk = extractKey(major)(hash, ikm, salt) as Secret;
    try {
      return expandKey(major)(hash, prk, info, length);
    } finally {
      wipe(prk);
    }
  },
);
