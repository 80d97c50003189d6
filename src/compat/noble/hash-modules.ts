/**
 * The modules of @noble/hashes by sub-path: names that Millrace computes, and stand-ins for those
 * that only noble has.
 */
import { addons, kangarooOne, kangarooTwelve } from './addon-hashes.js';
import { byteHelpers } from './byte-helpers.js';
import { assertions, isBytes } from './checks.js';
import { argon2, hkdf, hmac, pbkdf2, scrypt } from './derivations.js';
import { blake2, blake3, legacy, longShake, sha2, sha3 } from './hash-families.js';
import { lent, type Line } from './original.js';

/** The parts that both lines have. */
function common(line: Line) {
  const lend = <Name extends string>(subpath: string, names: readonly Name[]) =>
    lent(line, 'hashes', subpath, names);
  const helpers = byteHelpers(line);
  return {
    argon2: argon2(line),
    blake1: lend('blake1', ['blake224', 'blake256', 'blake384', 'blake512']),
    blake2: blake2(line),
    blake3: blake3(line),
    eskdf: lend('eskdf', ['deriveMainSeed', 'eskdf', 'pbkdf2', 'scrypt']),
    hkdf: hkdf(line),
    hmac: { hmac: hmac(line) },
    legacy: legacy(line),
    pbkdf2: pbkdf2(line),
    scrypt: scrypt(line),
    sha2: sha2(line),
    sha3: { ...sha3(line), ...lend('sha3', ['Keccak', 'keccakP']) },
    'sha3-addons': { ...addons(line), ...lend('sha3-addons', ['keccakprg']) },
    utils: {
      ...lend('utils', [
        'asyncLoop',
        'byteSwap',
        'byteSwap32',
        'checkOpts',
        'clean',
        'createHasher',
        'createView',
        'kdfInputToBytes',
        'rotl',
        'rotr',
        'swap32IfBE',
        'swap8IfBE',
        'u32',
        'u8',
      ]),
      ...assertions(line),
      ...helpers,
    },
  };
}

/** The modules of line 2. */
function lineTwo() {
  const lend = <Name extends string>(subpath: string, names: readonly Name[]) =>
    lent(2, 'hashes', subpath, names);
  const base = common(2);
  return {
    ...base,
    blake1: {
      ...base.blake1,
      ...lend('blake1', ['_BLAKE224', '_BLAKE256', '_BLAKE384', '_BLAKE512']),
    },
    blake2: { ...base.blake2, ...lend('blake2', ['_BLAKE2', '_BLAKE2b', '_BLAKE2s', '_compress']) },
    blake3: { ...base.blake3, ...lend('blake3', ['_BLAKE3']) },
    hmac: { ...base.hmac, ...lend('hmac', ['_HMAC']) },
    legacy: { ...base.legacy, ...lend('legacy', ['_MD5', '_RIPEMD160', '_SHA1']) },
    sha2: {
      ...base.sha2,
      ...lend('sha2', ['_SHA224', '_SHA256', '_SHA384', '_SHA512', '_SHA512_224', '_SHA512_256']),
    },
    sha3: { ...base.sha3, ...longShake(2) },
    'sha3-addons': {
      ...base['sha3-addons'],
      ...kangarooTwelve(),
      ...lend('sha3-addons', [
        '_KMAC',
        '_KangarooTwelve',
        '_KeccakPRG',
        '_ParallelHash',
        '_TupleHash',
      ]),
    },
    utils: {
      ...base.utils,
      ...lend('utils', ['abool', 'copyBytes', 'oidNist', 'validateObject']),
    },
    webcrypto: lend('webcrypto', ['hkdf', 'hmac', 'pbkdf2', 'sha256', 'sha384', 'sha512']),
  };
}

/** WebCrypto, which is also the property `web` of noble 1.1 and 1.2. */
function webCrypto(): object | undefined {
  const { crypto } = globalThis as { crypto?: { [name: string]: any } };
  if (crypto === undefined) return undefined;
  return {
    web: crypto,
    subtle: crypto.subtle,
    getRandomValues: crypto.getRandomValues.bind(crypto),
    randomUUID: crypto.randomUUID?.bind(crypto),
  };
}

/** The modules of line 1, with the sub-paths and classes that version 2 removed. */
function lineOne() {
  const lend = <Name extends string>(
    subpath: string,
    names: readonly Name[] | Readonly<Record<Name, string>>,
  ) => lent(1, 'hashes', subpath, names);
  const base = common(1);
  const wide = lend('sha2', ['SHA384', 'SHA512', 'SHA512_224', 'SHA512_256']);
  const narrow = lend('sha2', ['SHA224', 'SHA256']);
  const { sha224, sha256, sha384, sha512, sha512_224, sha512_256 } = base.sha2;
  const old = lend('legacy', ['MD5', 'RIPEMD160', 'SHA1']);
  const { SHA1, RIPEMD160 } = old;
  const { sha1, ripemd160 } = base.legacy;
  const BLAKE2 = lend('blake2', ['BLAKE2', 'BLAKE2b', 'BLAKE2s', 'compress']);
  const { abytes, aexists, ahash, anumber, aoutput } = base.utils;
  // The names that versions 1.1 to 1.5 had for the same checks.
  const checks = {
    bool: (value: unknown): void => {
      if (typeof value !== 'boolean') throw new Error(`boolean expected, not ${String(value)}`);
    },
    bytes: abytes,
    exists: aexists,
    hash: ahash,
    number: anumber,
    output: aoutput,
  };
  // BLAKE2s begins with the values of SHA-256.
  const IV: ArrayLike<number> = Uint32Array.of(
    0x6a09e667,
    0xbb67ae85,
    0x3c6ef372,
    0xa54ff53a,
    0x510e527f,
    0x9b05688c,
    0x1f83d9ab,
    0x5be0cd19,
  );
  return {
    ...base,
    _assert: { ...checks, abytes, aexists, ahash, anumber, aoutput, isBytes, default: checks },
    // The class that later versions have as HashMD of `_md`.
    _sha2: lend('_md', { SHA2: 'HashMD' }),
    blake1: {
      ...base.blake1,
      ...lend('blake1', ['BLAKE224', 'BLAKE256', 'BLAKE384', 'BLAKE512']),
      ...lend('blake1', {
        Blake224: 'BLAKE224',
        Blake256: 'BLAKE256',
        Blake384: 'BLAKE384',
        Blake512: 'BLAKE512',
      }),
    },
    blake2: { ...base.blake2, ...BLAKE2 },
    blake2b: { blake2b: base.blake2.blake2b, BLAKE2b: BLAKE2.BLAKE2b },
    blake2s: {
      blake2s: base.blake2.blake2s,
      BLAKE2s: BLAKE2.BLAKE2s,
      compress: BLAKE2.compress,
      IV,
      B2S_IV: IV,
      ...lend('blake2s', ['G1s', 'G2s']),
    },
    blake3: { ...base.blake3, ...lend('blake3', ['BLAKE3']) },
    crypto: { crypto: webCrypto() },
    hmac: { ...base.hmac, ...lend('hmac', ['HMAC']) },
    legacy: { ...base.legacy, ...old },
    ripemd160: { ripemd160, RIPEMD160 },
    sha1: { sha1, SHA1 },
    sha2: { ...base.sha2, ...narrow, ...wide },
    sha256: { sha224, sha256, ...narrow },
    sha512: { sha384, sha512, sha512_224, sha512_256, ...wide },
    'sha3-addons': {
      ...base['sha3-addons'],
      ...kangarooOne(),
      ...lend('sha3-addons', [
        'm14',
        'KMAC',
        'KangarooTwelve',
        'KeccakPRG',
        'ParallelHash',
        'TupleHash',
      ]),
    },
    utils: {
      ...base.utils,
      ...lend('utils', [
        'Hash',
        'byteSwapIfBE',
        'bytesToUtf8',
        'createOptHasher',
        'createXOFer',
        'toBytes',
        'wrapConstructor',
        'wrapConstructorWithOpts',
        'wrapXOFConstructorWithOpts',
      ]),
    },
  };
}

/** The modules of @noble/hashes 2 by sub-path. */
export const hashes2: ReturnType<typeof lineTwo> = lineTwo();
/** The modules of @noble/hashes 1 by sub-path. */
export const hashes1: ReturnType<typeof lineOne> = lineOne();
