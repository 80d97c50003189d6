// The right answer to every job, by another library: node:crypto where it has the algorithm,
// else the noble libraries and hash-wasm.

import { createCipheriv, createHash, createHmac, getCiphers, getHashes } from 'node:crypto';

import { gcmsiv } from '@noble/ciphers/aes.js';
import { xchacha20poly1305 } from '@noble/ciphers/chacha.js';
import { blake3 } from '@noble/hashes/blake3.js';
import { hmac as nobleHmac } from '@noble/hashes/hmac.js';
import { md5, ripemd160, sha1 } from '@noble/hashes/legacy.js';
import * as sha3 from '@noble/hashes/sha3.js';
import * as wasm from 'hash-wasm';

import { hashes } from './algorithms.mjs';

/** Returns the expected outcome of a job: `{ output, tag? }`. entry-points.mjs describes jobs. */
export function oracle(job) {
  if (job.kind === 'hash') return { output: hashOracle(job) };
  if (job.kind === 'hmac') return { output: hmacOracle(job) };
  return encryptionOracle(job);
}

/** Returns the name of the library with the expected results, for the name of a test. */
export function oracleFor(kind, algorithm) {
  if (kind === 'cipher')
    return nodeCiphers.has(algorithm.replace(/^xaes/, 'aes')) ? 'node:crypto' : '@noble/ciphers';
  if (nodeHashes.has(algorithm)) return 'node:crypto';
  return /^(xxh|crc)/.test(algorithm) ? 'hash-wasm' : '@noble/hashes';
}

// Only for a Node with an OpenSSL that hides them; OpenSSL 3.0 lists them or not, and makes them
// anyway.
const legacy = { md5, sha1, ripemd160 };
const noble = {
  ...legacy,
  ...Object.fromEntries(
    ['224', '256', '384', '512'].map((bits) => [`keccak${bits}`, sha3[`keccak_${bits}`]]),
  ),
};
const nodeHashes = new Set([...getHashes(), ...[...Object.keys(legacy), 'md5-sha1'].filter(works)]);
const nodeCiphers = new Set(getCiphers());

function works(name) {
  try {
    createHash(name);
    return true;
  } catch {
    return false;
  }
}

function hashOracle({ algorithm, source, outputLength, key, seed = 0 }) {
  if (nodeHashes.has(algorithm)) {
    const options = { outputLength: outputLength ?? hashes[algorithm]?.digest };
    return createHash(algorithm, options).update(source).digest();
  }
  if (noble[algorithm]) return Buffer.from(noble[algorithm](source));
  if (algorithm === 'blake3')
    return Buffer.from(blake3(source, { key, dkLen: outputLength ?? 32 }));
  if (algorithm === 'md5-sha1')
    return Buffer.concat([Buffer.from(md5(source)), Buffer.from(sha1(source))]);
  const running = crcs[algorithm]?.init() ?? xxhash(algorithm, BigInt(seed));
  return Buffer.from(running.update(source).digest('binary'));
}

function hmacOracle({ algorithm, key, source }) {
  if (nodeHashes.has(algorithm)) return createHmac(algorithm, key).update(source).digest();
  const hash = { ...noble, blake3 }[algorithm];
  if (hash === undefined) throw new Error(`no oracle for hmac-${algorithm}`);
  return Buffer.from(nobleHmac(hash, key, source));
}

/** Returns the key and the nonce of AES-256-GCM that XAES-256-GCM (C2SP) makes of its own. */
export function extended({ key, iv }) {
  const encrypted = (block) => createCipheriv('aes-256-ecb', key, null).update(block);
  const number = (block) => BigInt(`0x${block.toString('hex')}`);
  const zero = number(encrypted(Buffer.alloc(16)));
  const subkey = BigInt.asUintN(128, zero << 1n) ^ ((zero >> 127n) * 0x87n);
  const halves = [1, 2].map((counter) => {
    const message = Buffer.concat([Buffer.from([0, counter, 0x58, 0]), iv.subarray(0, 12)]);
    const sum = (number(message) ^ subkey).toString(16).padStart(32, '0');
    return encrypted(Buffer.from(sum, 'hex'));
  });
  return { key: Buffer.concat(halves), iv: iv.subarray(12) };
}

/** Returns what encryption gives; a decryption is checked by the encryption it came from. */
function encryptionOracle(job) {
  const { algorithm, key, iv, source, aad, tagSize = 16 } = job;
  if (algorithm === 'xaes-256-gcm')
    return encryptionOracle({ ...job, algorithm: 'aes-256-gcm', ...extended(job) });
  const make = {
    'xchacha20-poly1305': xchacha20poly1305,
    'aes-256-gcm-siv': gcmsiv,
    'aes-128-gcm-siv': gcmsiv,
  }[algorithm];
  if (make) {
    const sealed = Buffer.from(make(key, iv, aad).encrypt(source));
    return { output: sealed.subarray(0, source.length), tag: sealed.subarray(source.length) };
  }
  const cipher = createCipheriv(algorithm, key, iv, aad && { authTagLength: tagSize });
  if (aad) cipher.setAAD(aad);
  const output = Buffer.concat([cipher.update(source), cipher.final()]);
  return aad ? { output, tag: cipher.getAuthTag() } : { output };
}

const crcs = {
  crc32: await wasm.createCRC32(),
  crc32c: await wasm.createCRC32(0x82f63b78),
  crc64nvme: await wasm.createCRC64('9a6c9329ac4bc9b5'),
};

const makers = {
  xxh32: wasm.createXXHash32,
  xxh64: wasm.createXXHash64,
  'xxh3-64': wasm.createXXHash3,
  'xxh3-128': wasm.createXXHash128,
};
// Each hasher is a WebAssembly instance with its seed set once.
const hashers = new Map();

function xxhash(algorithm, seed) {
  const hasher = hashers.get(`${algorithm} ${seed}`);
  if (hasher === undefined)
    throw new Error(`call prepareSeeds first: ${algorithm} with seed ${seed}`);
  return hasher.init();
}

/**
 * Prepares the seeds: hash-wasm makes its hashers asynchronously, so call it before jobs with them
 * are checked.
 */
export async function prepareSeeds(seeds) {
  for (const seed of seeds.map(BigInt)) {
    for (const [algorithm, make] of Object.entries(makers)) {
      if (algorithm === 'xxh32' && seed >= 2n ** 32n) continue;
      const halves =
        algorithm === 'xxh32' ? [Number(seed)] : [Number(seed & 0xffffffffn), Number(seed >> 32n)];
      hashers.set(`${algorithm} ${seed}`, await make(...halves));
    }
  }
}

await prepareSeeds([0]);
