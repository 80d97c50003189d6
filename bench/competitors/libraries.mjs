// What the rows of `npm run bench -- competitors` call: Millrace, and the packages of
// bench/package.json that are installed.

import { createRequire } from 'node:module';

import { load as importPackage, requirePackage } from '../../cli/bench/packages.mjs';

const load = createRequire(new URL('../../package.json', import.meta.url));

/** Competitors from which `--tier` hides nothing: they ask the CPU themselves, or run in V8. */
export const unhidden = new Set([
  '@napi-rs/blake-hash',
  '@node-rs/crc32',
  'age',
  'b3sum',
  'bcrypt',
  'bigint-hash',
  'hash-wasm',
  'hashtree',
  'js-sha3',
  'noble-hashes',
  'node:zlib',
  'sodium-native',
  'xxhash-addon',
  'xxhash-wasm',
]);

/** Returns Millrace and the other libraries; undefined for one that is not installed. */
export async function libraries() {
  const optional = {
    bcrypt: 'bcrypt',
    bigintHash: 'bigint-hash',
    cryptoAsync: '@ronomon/crypto-async',
    hashtree: '@chainsafe/hashtree',
    jsSha3: 'js-sha3',
    napiBlake: '@napi-rs/blake-hash',
    nodeRsCrc32: '@node-rs/crc32',
    sodium: 'sodium-native',
    xxhashAddon: 'xxhash-addon',
  };
  const found = Object.entries(optional).map(async ([name, id]) => [
    name,
    await present(() => requirePackage(id)),
  ]);
  const hashWasm = await present(() => requirePackage('hash-wasm'));
  return {
    millrace: load('millrace'),
    promises: load('millrace/promises'),
    ...Object.fromEntries(await Promise.all(found)),
    nobleBlake3: await present(() => importPackage('@noble/hashes/blake3.js')),
    wasmBlake3: await hashWasm?.createBLAKE3(),
    wasmCrc32: await hashWasm?.createCRC32(),
    xxhashWasm: await (await present(() => importPackage('xxhash-wasm')))?.default(),
  };
}

async function present(found) {
  try {
    return await found();
  } catch {
    return undefined;
  }
}
