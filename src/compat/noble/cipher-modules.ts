/**
 * The modules of @noble/ciphers by sub-path: names that Millrace computes, and stand-ins for those
 * that only noble has.
 */
import { byteHelpers } from './byte-helpers.js';
import { chacha20, cipherFunction, type CipherSpec } from './cipher-objects.js';
import { keyWraps } from './key-wraps.js';
import { checkBytes } from './checks.js';
import { lent, original, standIn, type Line } from './original.js';

const AAD = { withAAD: true };
/** Bytes of GCM's nonces: the fewest that noble accepts, the most that Millrace does. */
const GCM_NONCES = [8, 128] as const;

function aes(line: Line) {
  const spec = (
    name: string,
    properties: CipherSpec['properties'],
    algorithms: CipherSpec['algorithms'],
    nonceSizes: CipherSpec['nonceSizes'],
    invalid?: string,
  ): CipherSpec => ({
    line,
    subpath: 'aes',
    name,
    properties,
    algorithms,
    nonceSizes,
    output: invalid === undefined,
    ...(invalid === undefined ? {} : { invalid }),
  });
  const sealed = {
    blockSize: 16,
    nonceLength: 12,
    tagLength: 16,
    ...(line === 2 ? AAD : {}),
    varSizeNonce: true,
  };
  const siv = spec(
    'gcmsiv',
    sealed,
    { 16: 'aes-128-gcm-siv', 32: 'aes-256-gcm-siv' },
    [12, 12],
    'invalid polyval tag',
  );
  return {
    ctr: cipherFunction(
      spec(
        'ctr',
        { blockSize: 16, nonceLength: 16 },
        { 16: 'aes-128-ctr', 24: 'aes-192-ctr', 32: 'aes-256-ctr' },
        [16, 16],
      ),
    ),
    gcm: cipherFunction(
      spec(
        'gcm',
        sealed,
        { 16: 'aes-128-gcm', 24: 'aes-192-gcm', 32: 'aes-256-gcm' },
        GCM_NONCES,
        line === 1 ? 'aes/gcm: invalid ghash tag' : 'aes-gcm: invalid tag',
      ),
    ),
    gcmsiv: cipherFunction(siv),
    ...keyWraps(line),
    ...lent(line, 'ciphers', 'aes', ['cbc', 'cfb', 'ecb', 'unsafe']),
  };
}

function chacha(line: Line) {
  const sealed = (name: string, algorithm: string, nonceSize: number) =>
    cipherFunction({
      line,
      subpath: 'chacha',
      name,
      properties: {
        blockSize: 64,
        nonceLength: nonceSize,
        tagLength: 16,
        ...(line === 2 ? AAD : {}),
      },
      algorithms: { 32: algorithm },
      nonceSizes: [nonceSize, nonceSize],
      output: true,
      invalid: 'invalid tag',
    });
  return {
    chacha20: chacha20(line),
    chacha20poly1305: sealed('chacha20poly1305', 'chacha20-poly1305', 12),
    xchacha20poly1305: sealed('xchacha20poly1305', 'xchacha20-poly1305', 24),
    ...lent(line, 'ciphers', 'chacha', [
      '_poly1305_aead',
      'chacha12',
      'chacha20orig',
      'chacha8',
      'hchacha',
      'xchacha20',
    ]),
  };
}

function common(line: Line) {
  const lend = <Name extends string>(subpath: string, names: readonly Name[]) =>
    lent(line, 'ciphers', subpath, names);
  const { abytes, bytesToHex, concatBytes, hexToBytes, isBytes, isLE, utf8ToBytes } =
    byteHelpers(line);
  return {
    _poly1305: lend('_poly1305', ['poly1305']),
    _polyval: lend('_polyval', ['_toGHASHKey', 'ghash', 'polyval']),
    aes: aes(line),
    chacha: chacha(line),
    ff1: lend('ff1', ['BinaryFF1', 'FF1']),
    salsa: lend('salsa', ['hsalsa', 'salsa20', 'secretbox', 'xsalsa20', 'xsalsa20poly1305']),
    utils: {
      ...lend('utils', [
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
      abytes,
      bytesToHex,
      concatBytes,
      hexToBytes,
      isBytes,
      isLE,
      utf8ToBytes,
    },
    webcrypto: lend('webcrypto', ['cbc', 'ctr', 'gcm', 'utils']),
  };
}

/** The modules of line 2. */
function lineTwo() {
  const lend = <Name extends string>(subpath: string, names: readonly Name[]) =>
    lent(2, 'ciphers', subpath, names);
  const base = common(2);
  return {
    ...base,
    _arx: lend('_arx', ['_XorStreamPRG', 'createCipher', 'createPRG', 'rotl']),
    _poly1305: { ...base._poly1305, ...lend('_poly1305', ['Poly1305']) },
    _polyval: { ...base._polyval, ...lend('_polyval', ['GHASH', 'Polyval']) },
    aes: {
      ...base.aes,
      ...lend('aes', ['__TESTS', 'aessiv', 'cmac', 'rngAesCtrDrbg128', 'rngAesCtrDrbg256', 'siv']),
    },
    chacha: { ...base.chacha, ...lend('chacha', ['__TESTS', 'rngChacha20', 'rngChacha8']) },
    ff1: { ...base.ff1, ...lend('ff1', ['__TESTS']) },
    salsa: { ...base.salsa, ...lend('salsa', ['__TESTS']) },
    utils: {
      ...base.utils,
      randomBytes: byteHelpers(2).randomBytes,
      ...lend('utils', [
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
}

/** Helpers of versions 1.0 and 1.1. */
function removedHelpers() {
  const { nextTick } = byteHelpers(1);
  return {
    nextTick,
    asyncLoop: async (count: number, tick: number, call: (index: number) => void) => {
      let begin = Date.now();
      for (let index = 0; index < count; index++) {
        call(index);
        const passed = Date.now() - begin;
        // The clock may have been set back.
        if (passed >= 0 && passed < tick) continue;
        await nextTick();
        begin += passed;
      }
    },
    getDst: (size: number, target?: Uint8Array): Uint8Array => {
      if (target === undefined) return new Uint8Array(size);
      checkBytes(1, target, '', size);
      if (target.byteOffset % 4 !== 0) throw new Error('unaligned output');
      return target;
    },
    u16: ({ buffer, byteOffset, byteLength }: ArrayBufferView): Uint16Array =>
      new Uint16Array(buffer, byteOffset, byteLength >> 1),
  };
}

/** The modules of line 1. */
function lineOne() {
  const lend = <Name extends string>(subpath: string, names: readonly Name[]) =>
    lent(1, 'ciphers', subpath, names);
  const base = common(1);
  const { crypto } = globalThis as { crypto?: unknown };
  return {
    ...base,
    _poly1305: { ...base._poly1305, ...lend('_poly1305', ['wrapConstructorWithKey']) },
    aes: {
      ...base.aes,
      // In version 1 the name of AES-GCM-SIV.
      siv: base.aes.gcmsiv,
      // Since version 1.2 properties of `unsafe`.
      expandKeyLE: standIn(() => original(1, 'ciphers', 'aes', 'unsafe').expandKeyLE),
      expandKeyDecLE: standIn(() => original(1, 'ciphers', 'aes', 'unsafe').expandKeyDecLE),
    },
    crypto: { crypto },
    utils: {
      ...base.utils,
      ...removedHelpers(),
      ...lend('utils', ['Hash', 'ahash', 'setBigUint64', 'toBytes']),
    },
    webcrypto: {
      ...base.webcrypto,
      randomBytes: byteHelpers(1).randomBytes,
      ...lend('webcrypto', ['getWebcryptoSubtle', 'managedNonce']),
    },
  };
}

/** The modules of @noble/ciphers 2 by sub-path. */
export const ciphers2: ReturnType<typeof lineTwo> = lineTwo();
/** The modules of @noble/ciphers 1 by sub-path. */
export const ciphers1: ReturnType<typeof lineOne> = lineOne();
