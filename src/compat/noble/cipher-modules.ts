/**
 * The modules of @noble/ciphers by sub-path: makers of the names that Millrace computes, and of
 * stand-ins for those that only noble has.
 */
import { ctr, gcm, gcmsiv, aeskw, aeskwp, expandKeyLE, expandKeyDecLE } from './modules/aes.js';
import { chacha20poly1305, xchacha20poly1305, chacha20 } from './modules/chacha.js';
import { webCrypto } from './modules/crypto.js';
import * as helpers from './modules/byte-helpers.js';
import { lend, modulesOf, type Modules } from './original.js';

const lent = lend('ciphers');

/** The modules that both versions have. */
const common = {
  _poly1305: lent('_poly1305', ['poly1305']),
  _polyval: lent('_polyval', ['_toGHASHKey', 'ghash', 'polyval']),
  aes: { ctr, gcm, gcmsiv, aeskw, aeskwp, ...lent('aes', ['cbc', 'cfb', 'ecb', 'unsafe']) },
  chacha: {
    chacha20poly1305,
    xchacha20poly1305,
    chacha20,
    ...lent('chacha', [
      '_poly1305_aead',
      'chacha12',
      'chacha20orig',
      'chacha8',
      'hchacha',
      'xchacha20',
    ]),
  },
  ff1: lent('ff1', ['BinaryFF1', 'FF1']),
  salsa: lent('salsa', ['hsalsa', 'salsa20', 'secretbox', 'xsalsa20', 'xsalsa20poly1305']),
  utils: {
    ...lent('utils', [
      'abool',
      'aexists',
      'anumber',
      'aoutput',
      'bytesToNumberBE',
      'bytesToUtf8',
      'checkOpts',
      'clean',
      'complexOverlapBytes',
      'copyBytes',
      'createView',
      'equalBytes',
      'getOutput',
      'hexToNumber',
      'isAligned32',
      'numberToBytesBE',
      'overlapBytes',
      'u32',
      'u64Lengths',
      'u8',
      'wrapCipher',
    ]),
    abytes: helpers.abytes,
    bytesToHex: helpers.bytesToHex,
    concatBytes: helpers.concatBytes,
    hexToBytes: helpers.hexToBytes,
    isBytes: helpers.isBytes,
    isLE: helpers.isLE,
    utf8ToBytes: helpers.utf8ToBytes,
  },
  webcrypto: lent('webcrypto', ['cbc', 'ctr', 'gcm', 'utils']),
};

/** The modules of version 2. */
const table2 = {
  ...common,
  _arx: lent('_arx', ['_XorStreamPRG', 'createCipher', 'createPRG', 'rotl']),
  _poly1305: { ...common._poly1305, ...lent('_poly1305', ['Poly1305']) },
  _polyval: { ...common._polyval, ...lent('_polyval', ['GHASH', 'Polyval']) },
  aes: {
    ...common.aes,
    ...lent('aes', ['__TESTS', 'aessiv', 'cmac', 'rngAesCtrDrbg128', 'rngAesCtrDrbg256', 'siv']),
  },
  chacha: { ...common.chacha, ...lent('chacha', ['__TESTS', 'rngChacha20', 'rngChacha8']) },
  ff1: { ...common.ff1, ...lent('ff1', ['__TESTS']) },
  salsa: { ...common.salsa, ...lent('salsa', ['__TESTS']) },
  utils: {
    ...common.utils,
    randomBytes: helpers.randomBytes,
    ...lent('utils', [
      'aarray',
      'aoutput32',
      'byteSwap',
      'byteSwap32',
      'managedNonce',
      'swap32IfBE',
      'swap8IfBE',
      'wrapMacConstructor',
    ]),
  },
};

/** The modules of version 1. */
const table1 = {
  ...common,
  _poly1305: { ...common._poly1305, ...lent('_poly1305', ['wrapConstructorWithKey']) },
  aes: {
    ...common.aes,
    // In version 1 the name of AES-GCM-SIV.
    siv: gcmsiv,
    expandKeyLE,
    expandKeyDecLE,
  },
  crypto: { crypto: webCrypto },
  utils: {
    ...common.utils,
    // Of versions 1.0 and 1.1.
    asyncLoop: helpers.asyncLoop,
    getDst: helpers.getDst,
    nextTick: helpers.nextTick,
    u16: helpers.u16,
    ...lent('utils', ['Hash', 'ahash', 'setBigUint64', 'toBytes']),
  },
  webcrypto: {
    ...common.webcrypto,
    randomBytes: helpers.randomBytes,
    ...lent('webcrypto', ['getWebcryptoSubtle', 'managedNonce']),
  },
};

/** The makers by major version, for tools/noble-modules.mjs. */
export const tables = { v1: table1, v2: table2 };

/** The modules of @noble/ciphers 2 by sub-path: `v2.aes.gcm`. */
export const v2: Modules<typeof table2> = /* @__PURE__ */ modulesOf(2, table2);
/** The modules of @noble/ciphers 1 by sub-path: `v1.aes.gcm`. */
export const v1: Modules<typeof table1> = /* @__PURE__ */ modulesOf(1, table1);
