// Makes made.json: answers to inputs that bytes.mjs makes anywhere, given by other libraries
// (support/oracles.mjs, support/chunked-oracle.mjs) and held against ours. What is ours alone, the
// exported states, is checked by going on from them.
//
//   node test/conformance/generate.mjs

import { writeFileSync } from 'node:fs';

import millrace from 'millrace';

import {
  aeadNames,
  cipherNames,
  ciphers,
  hashNames,
  hashes,
  hmacNames,
} from '../support/algorithms.mjs';
import { sealChunked } from '../support/chunked-oracle.mjs';
import { oracle, prepareSeeds } from '../support/oracles.mjs';
import { digestOf, pattern, toHex } from './bytes.mjs';

const SIZES = [
  0, 1, 8, 17, 55, 56, 64, 65, 111, 112, 128, 129, 135, 136, 144, 168, 240, 241, 256, 1023, 1024,
  1025, 4096, 10_000,
];
const LONG = [65_536, 300_001, 2 ** 20 + 13];
const SEEDS = { 32: ['1', '3735928559'], 64: ['1', '11400714785074694791'] };
/** Where a running hash is exported: within a block, at its end, after much. */
const STATE_AT = [1, 137, 5000];
const WHOLE = 9000;

await prepareSeeds([0, ...Object.values(SEEDS).flat()]);
const made = { hashes: {}, hmacs: {}, ciphers: {}, chunked: [] };

for (const algorithm of hashNames) {
  const { digest: digestSize, seedBits = 0, key = 0 } = hashes[algorithm];
  const own = digestSize === 0 ? { outputLength: 40 } : {};
  const digest = (source, more) => {
    const { output } = oracle({ kind: 'hash', algorithm, source, ...own, ...more });
    const ours = millrace.hash(algorithm, source, { ...own, ...more });
    if (ours.equals(output)) return output;
    const [found, expected] = [ours, output].map((bytes) => bytes.toString('hex'));
    throw new Error(`${algorithm}, ${source.length} bytes: ${found}, the oracle has ${expected}`);
  };
  const table = (sizes, more) =>
    Object.fromEntries(sizes.map((size) => [size, toHex(digest(pattern(size), more))]));
  const entry = { digestSize, sizes: table(SIZES), long: table(LONG) };
  const seeded = (seed) => table([0, 3, 16, 130, 241, 1025], { seed: BigInt(seed) });
  if (seedBits > 0)
    entry.seeded = Object.fromEntries(SEEDS[seedBits].map((seed) => [seed, seeded(seed)]));
  if (key > 0) entry.keyed = table([0, 64, 1025, 10_000], { key: pattern(32, 7) });
  let last = Buffer.alloc(0);
  for (let size = 0; size <= 300; size++) last = digest(Buffer.concat([last, pattern(size)]));
  entry.chain = toHex(last);
  entry.whole = toHex(digest(pattern(WHOLE)));
  entry.states = Object.fromEntries(
    STATE_AT.map((at) => [at, stateAt(algorithm, own, at, entry.whole)]),
  );
  made.hashes[algorithm] = entry;
}

for (const algorithm of hmacNames) {
  made.hmacs[algorithm] = [
    [0, 0],
    [16, 8],
    [32, 55],
    [64, 64],
    [65, 200],
    [72, 1],
    [128, 128],
    [129, 4096],
    [200, 100_000],
  ].map(([keySize, size]) => {
    const [key, source] = [pattern(keySize, 3), pattern(size)];
    const { output } = oracle({ kind: 'hmac', algorithm, key, source });
    if (!millrace.hmac(algorithm, key, source).equals(output)) throw new Error(`hmac-${algorithm}`);
    return [keySize, size, toHex(output)];
  });
}

for (const algorithm of cipherNames) {
  const { key: keySize, iv: ivSize, aead } = ciphers[algorithm];
  const [key, iv] = [pattern(keySize, 4), pattern(ivSize, 5)];
  const rows = [
    [0, 0],
    [1, 1],
    [15, 16],
    [16, 0],
    [17, 20],
    [64, 64],
    [100, 0],
    [255, 300],
    [1024, 13],
    [4097, 5],
    [65_536, 12],
    [200_001, 0],
    [2 ** 20 + 3, 31],
  ].map(([size, aadSize]) => {
    const [source, aad] = [pattern(size), aead ? pattern(aadSize, 6) : undefined];
    const given = { algorithm, key, iv, source, aad };
    const { output, tag } = oracle({ kind: 'cipher', encrypt: true, ...given });
    const sealed = aead ? Buffer.concat([output, tag]) : output;
    const ours = aead
      ? millrace.seal(algorithm, { key, nonce: iv, source, aad })
      : millrace.cipher(algorithm, true, key, iv, source);
    if (!ours.equals(sealed)) throw new Error(algorithm);
    return [size, aead ? aadSize : 0, digestOf(sealed)];
  });
  made.ciphers[algorithm] = { keySize, ivSize, aead: aeadNames.includes(algorithm), rows };
}

for (const [algorithm, keySize] of [
  ['aes-128-gcm', 16],
  ['aes-256-gcm', 32],
  ['chacha20-poly1305', 32],
]) {
  for (const [size, context] of [
    [0, ''],
    [100, 'file 1'],
    [17_000, ''],
  ]) {
    const sealed = sealChunked(algorithm, {
      key: Buffer.from(pattern(keySize, 8)),
      context,
      salt: Buffer.from(pattern(24, 9)),
      message: Buffer.from(pattern(size)),
    });
    made.chunked.push({ algorithm, keySize, context, size, sealed: sealed.toString('base64') });
  }
}

function stateAt(algorithm, own, at, whole) {
  const message = pattern(WHOLE);
  const hasher = millrace.createHash(algorithm, own).update(message.subarray(0, at));
  const state = hasher.exportState();
  const rest = millrace.createHash(algorithm, { state, ...own }).update(message.subarray(at));
  const end = rest.digest('hex');
  if (end !== whole) throw new Error(`${algorithm}: the state after ${at} bytes leads to ${end}`);
  return state.toString('hex');
}

writeFileSync(new URL('made.json', import.meta.url), `${JSON.stringify(made, undefined, 1)}\n`);
