/**
 * The modules of @noble/hashes by sub-path: makers of the names that Millrace computes, and of
 * stand-ins for those that only noble has.
 */
import { bool, checks } from './modules/_assert.js';
import {
  argon2d,
  argon2i,
  argon2id,
  argon2dAsync,
  argon2iAsync,
  argon2idAsync,
} from './modules/argon2.js';
import { blake2b, blake2s, IV } from './modules/blake2.js';
import { blake3 } from './modules/blake3.js';
import { crypto } from './modules/crypto.js';
import { extract, expand, hkdf } from './modules/hkdf.js';
import { hmac } from './modules/hmac.js';
import { md5, sha1, ripemd160 } from './modules/legacy.js';
import { pbkdf2, pbkdf2Async } from './modules/pbkdf2.js';
import { scrypt, scryptAsync } from './modules/scrypt.js';
import { sha224, sha256, sha384, sha512, sha512_224, sha512_256 } from './modules/sha2.js';
import * as sha3 from './modules/sha3.js';
import * as addons from './modules/sha3-addons.js';
import * as helpers from './modules/byte-helpers.js';
import { lend, modulesOf, type Modules } from './original.js';

const lent = lend('hashes');

/** The modules that both versions have. */
const common = {
  argon2: { argon2d, argon2i, argon2id, argon2dAsync, argon2iAsync, argon2idAsync },
  blake1: lent('blake1', ['blake224', 'blake256', 'blake384', 'blake512']),
  blake2: { blake2b, blake2s },
  blake3: { blake3 },
  eskdf: lent('eskdf', ['deriveMainSeed', 'eskdf', 'pbkdf2', 'scrypt']),
  hkdf: { extract, expand, hkdf },
  hmac: { hmac },
  legacy: { md5, sha1, ripemd160 },
  pbkdf2: { pbkdf2, pbkdf2Async },
  scrypt: { scrypt, scryptAsync },
  sha2: { sha224, sha256, sha384, sha512, sha512_224, sha512_256 },
  sha3: {
    sha3_224: sha3.sha3_224,
    sha3_256: sha3.sha3_256,
    sha3_384: sha3.sha3_384,
    sha3_512: sha3.sha3_512,
    keccak_224: sha3.keccak_224,
    keccak_256: sha3.keccak_256,
    keccak_384: sha3.keccak_384,
    keccak_512: sha3.keccak_512,
    shake128: sha3.shake128,
    shake256: sha3.shake256,
    ...lent('sha3', ['Keccak', 'keccakP']),
  },
  'sha3-addons': {
    cshake128: addons.cshake128,
    cshake256: addons.cshake256,
    kmac128: addons.kmac128,
    kmac256: addons.kmac256,
    kmac128xof: addons.kmac128xof,
    kmac256xof: addons.kmac256xof,
    parallelhash128: addons.parallelhash128,
    parallelhash256: addons.parallelhash256,
    parallelhash128xof: addons.parallelhash128xof,
    parallelhash256xof: addons.parallelhash256xof,
    tuplehash128: addons.tuplehash128,
    tuplehash256: addons.tuplehash256,
    tuplehash128xof: addons.tuplehash128xof,
    tuplehash256xof: addons.tuplehash256xof,
    turboshake128: addons.turboshake128,
    turboshake256: addons.turboshake256,
    ...lent('sha3-addons', ['keccakprg']),
  },
  utils: {
    ...lent('utils', [
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
    isBytes: helpers.isBytes,
    abytes: helpers.abytes,
    isLE: helpers.isLE,
    bytesToHex: helpers.bytesToHex,
    hexToBytes: helpers.hexToBytes,
    utf8ToBytes: helpers.utf8ToBytes,
    nextTick: helpers.nextTick,
    concatBytes: helpers.concatBytes,
    randomBytes: helpers.randomBytes,
    aexists: helpers.aexists,
    ahash: helpers.ahash,
    anumber: helpers.anumber,
    aoutput: helpers.aoutput,
  },
};

/** The modules of version 2. */
const table2 = {
  ...common,
  blake1: {
    ...common.blake1,
    ...lent('blake1', ['_BLAKE224', '_BLAKE256', '_BLAKE384', '_BLAKE512']),
  },
  blake2: { ...common.blake2, ...lent('blake2', ['_BLAKE2', '_BLAKE2b', '_BLAKE2s', '_compress']) },
  blake3: { ...common.blake3, ...lent('blake3', ['_BLAKE3']) },
  hmac: { ...common.hmac, ...lent('hmac', ['_HMAC']) },
  legacy: { ...common.legacy, ...lent('legacy', ['_MD5', '_RIPEMD160', '_SHA1']) },
  sha2: {
    ...common.sha2,
    ...lent('sha2', ['_SHA224', '_SHA256', '_SHA384', '_SHA512', '_SHA512_224', '_SHA512_256']),
  },
  sha3: { ...common.sha3, shake128_32: sha3.shake128_32, shake256_64: sha3.shake256_64 },
  'sha3-addons': {
    ...common['sha3-addons'],
    kt128: addons.kt128,
    kt256: addons.kt256,
    HopMAC128: addons.HopMAC128,
    HopMAC256: addons.HopMAC256,
    ...lent('sha3-addons', [
      '_KMAC',
      '_KangarooTwelve',
      '_KeccakPRG',
      '_ParallelHash',
      '_TupleHash',
    ]),
  },
  utils: {
    ...common.utils,
    ...lent('utils', ['abool', 'copyBytes', 'oidNist', 'validateObject']),
  },
  webcrypto: lent('webcrypto', ['hkdf', 'hmac', 'pbkdf2', 'sha256', 'sha384', 'sha512']),
};

const wide = lent('sha2', ['SHA384', 'SHA512', 'SHA512_224', 'SHA512_256']);
const narrow = lent('sha2', ['SHA224', 'SHA256']);
const old = lent('legacy', ['MD5', 'RIPEMD160', 'SHA1']);
const BLAKE2 = lent('blake2', ['BLAKE2', 'BLAKE2b', 'BLAKE2s', 'compress']);

/** The modules of version 1, with the sub-paths and classes that version 2 removed. */
const table1 = {
  ...common,
  _assert: {
    bool,
    bytes: helpers.abytes,
    exists: helpers.aexists,
    hash: helpers.ahash,
    number: helpers.anumber,
    output: helpers.aoutput,
    abytes: helpers.abytes,
    aexists: helpers.aexists,
    ahash: helpers.ahash,
    anumber: helpers.anumber,
    aoutput: helpers.aoutput,
    isBytes: helpers.isBytes,
    default: checks,
  },
  // The class that later versions have as HashMD of `_md`.
  _sha2: lent('_md', { SHA2: 'HashMD' }),
  blake1: {
    ...common.blake1,
    ...lent('blake1', ['BLAKE224', 'BLAKE256', 'BLAKE384', 'BLAKE512']),
    ...lent('blake1', {
      Blake224: 'BLAKE224',
      Blake256: 'BLAKE256',
      Blake384: 'BLAKE384',
      Blake512: 'BLAKE512',
    }),
  },
  blake2: { ...common.blake2, ...BLAKE2 },
  blake2b: { blake2b, BLAKE2b: BLAKE2.BLAKE2b },
  blake2s: {
    blake2s,
    BLAKE2s: BLAKE2.BLAKE2s,
    compress: BLAKE2.compress,
    IV,
    B2S_IV: IV,
    ...lent('blake2s', ['G1s', 'G2s']),
  },
  blake3: { ...common.blake3, ...lent('blake3', ['BLAKE3']) },
  crypto: { crypto },
  hmac: { ...common.hmac, ...lent('hmac', ['HMAC']) },
  legacy: { ...common.legacy, ...old },
  ripemd160: { ripemd160, RIPEMD160: old.RIPEMD160 },
  sha1: { sha1, SHA1: old.SHA1 },
  sha2: { ...common.sha2, ...narrow, ...wide },
  sha256: { sha224, sha256, ...narrow },
  sha512: { sha384, sha512, sha512_224, sha512_256, ...wide },
  'sha3-addons': {
    ...common['sha3-addons'],
    k12: addons.k12,
    ...lent('sha3-addons', [
      'm14',
      'KMAC',
      'KangarooTwelve',
      'KeccakPRG',
      'ParallelHash',
      'TupleHash',
    ]),
  },
  utils: {
    ...common.utils,
    ...lent('utils', [
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

/** The makers by major version, for tools/noble-modules.mjs. */
export const tables = { v1: table1, v2: table2 };

/** The modules of @noble/hashes 2 by sub-path: `v2.sha2.sha256`. */
export const v2: Modules<typeof table2> = /* @__PURE__ */ modulesOf(2, table2);
/** The modules of @noble/hashes 1 by sub-path: `v1.sha256.sha256`. */
export const v1: Modules<typeof table1> = /* @__PURE__ */ modulesOf(1, table1);
