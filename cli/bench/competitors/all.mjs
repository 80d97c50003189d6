// All competitors. node:crypto comes first of the others, as its answers are the reference.

import * as bigintBuffer from './bigint-buffer.mjs';
import * as bigintHash from './bigint-hash.mjs';
import * as blake3 from './blake3.mjs';
import * as blakeHash from './blake-hash.mjs';
import * as cryptoAsync from './crypto-async.mjs';
import * as hashWasm from './hash-wasm.mjs';
import * as jsSha3 from './js-sha3.mjs';
import * as keccak from './keccak.mjs';
import * as millrace from './millrace.mjs';
import * as nobleHashes from './noble-hashes.mjs';
import * as nodeCrypto from './node-crypto.mjs';
import * as nodeRsArgon2 from './node-rs-argon2.mjs';
import * as nodeRsXxhash from './node-rs-xxhash.mjs';
import * as ownLoop from './own-loop.mjs';
import * as piscina from './piscina.mjs';
import * as webCrypto from './webcrypto.mjs';
import * as xxhashAddon from './xxhash-addon.mjs';
import * as xxhashWasm from './xxhash-wasm.mjs';

/**
 * @typedef {object} Competitor
 * @property {string} name
 * @property {string} [packageName]
 * @property {() => any} load
 * @property {(tools: any, inputs: any) => any} prepare
 * @property {() => unknown} [unload]
 * @property {readonly any[]} forms
 */

/** @type {Competitor[]} */
export const competitors = [
  millrace,
  nodeCrypto,
  webCrypto,
  cryptoAsync,
  piscina,
  bigintHash,
  bigintBuffer,
  hashWasm,
  nobleHashes,
  nodeRsArgon2,
  nodeRsXxhash,
  xxhashWasm,
  xxhashAddon,
  keccak,
  jsSha3,
  blake3,
  blakeHash,
  ownLoop,
];
