// Against other implementations (support/oracles.mjs): every short length of every algorithm, and
// random jobs of all sizes through all entry points. The seed is printed; MILLRACE_SEED gives it
// back and MILLRACE_JOBS=<number> asks for more random jobs than the usual 2,000.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import {
  aeadNames,
  original,
  cipherNames,
  ciphers,
  hashNames,
  hmacNames,
} from '../support/algorithms.mjs';
import { attempt, expectFailure, expectResult, callStylesFor } from '../support/entry-points.mjs';
import { decryption, encryption, randomJob, randomParameters, tampered } from '../support/jobs.mjs';
import { oracle, oracleFor } from '../support/oracles.mjs';
import { random } from '../support/random.mjs';

/** Past every block size, SIMD width, and short-input path that an implementation may branch on. */
const everyLength = 2100;

for (const algorithm of hashNames) {
  test(`every length: ${algorithm}, against ${oracleFor('hash', algorithm)}`, () => {
    const rng = random(`hash ${algorithm}`);
    const data = rng.bytes(everyLength + 16);
    for (let size = 0; size <= everyLength; size++) {
      for (const parameters of [{}, randomParameters(algorithm, rng)])
        walkSync({ kind: 'hash', algorithm, source: part(data, size, rng), ...parameters }, size);
    }
  });
}

for (const algorithm of hmacNames) {
  test(`every length: hmac-${algorithm}, against ${oracleFor('hmac', algorithm)}`, () => {
    const rng = random(`hmac ${algorithm}`);
    const data = rng.bytes(everyLength + 16);
    const key = rng.bytes(400);
    const walk = (size, keySize) => {
      const source = part(data, size, rng);
      walkSync({ kind: 'hmac', algorithm, key: key.subarray(0, keySize), source }, size);
    };
    for (let size = 0; size <= everyLength; size++) walk(size, 32);
    for (let size = 0; size <= key.length; size++) walk(size, size);
  });
}

for (const algorithm of cipherNames) {
  test(`every length: ${algorithm}, against ${oracleFor('cipher', algorithm)}`, () => {
    const rng = random(`cipher ${algorithm}`);
    const data = rng.bytes(everyLength + 16);
    for (let size = 0; size <= everyLength; size++) {
      walkSync(encryption(algorithm, part(data, size, rng), rng, { aadSize: size % 40 }), size);
    }
  });
}

for (const algorithm of aeadNames) {
  test(`every length of aad: ${algorithm}`, () => {
    const rng = random(`aad ${algorithm}`);
    for (const aadSize of [...Array(601).keys(), 1023, 4096, 65535, 70001])
      walkSync(encryption(algorithm, rng.bytes(aadSize % 70), rng, { aadSize }), aadSize);
  });

  test(`every tag size: ${algorithm}`, () => {
    const rng = random(`tag ${algorithm}`);
    for (const tagSize of new Set([
      ...ciphers[algorithm].tagSizes,
      ...(original.ciphers.includes(algorithm) ? original.tagSizes(algorithm) : []),
    ])) {
      const job = encryption(algorithm, rng.bytes(100), rng, { aadSize: 10, tagSize });
      walkAll(job, callStylesFor(job).filter(isSync));
    }
  });
}

// The counter is 128 bits, big-endian. Implementations count in 32 or 64 bits and must carry.
for (const algorithm of ['aes-128-ctr', 'aes-192-ctr', 'aes-256-ctr']) {
  test(`counter near overflow: ${algorithm}`, () => {
    const rng = random(`counter ${algorithm}`);
    for (const lowBits of [32n, 48n, 64n, 96n, 128n]) {
      for (let blocksBefore = 1n; blocksBefore <= 40n; blocksBefore++) {
        const random = BigInt(`0x${rng.bytes(16).toString('hex')}`);
        const counter = ((random >> lowBits) << lowBits) + (1n << lowBits) - blocksBefore;
        const iv = Buffer.from(counter.toString(16).padStart(32, '0'), 'hex');
        const job = encryption(algorithm, rng.bytes(rng.between(1, 1200)), rng);
        walkSync({ ...job, iv }, Number(blocksBefore));
      }
    }
  });
}

// OpenSSL's counter of ChaCha20 is 64 bits, little-endian, the upper half being the first word of
// the nonce: it carries there, and no further.
test('counter near overflow: chacha20', () => {
  const rng = random('counter chacha20');
  for (const upper of [0, 1, 0xfffffffe, 0xffffffff, undefined]) {
    for (let blocksBefore = 1; blocksBefore <= 40; blocksBefore++) {
      const iv = rng.bytes(16);
      iv.writeUInt32LE(2 ** 32 - blocksBefore, 0);
      if (upper !== undefined) iv.writeUInt32LE(upper, 4);
      const job = encryption('chacha20', rng.bytes(rng.between(1, 5000)), rng);
      walkSync({ ...job, iv }, blocksBefore);
    }
  }
});

test('random jobs, all sizes, all entry points', async () => {
  const rng = random('jobs');
  const total = Number(process.env.MILLRACE_JOBS || 2000);
  for (let done = 0; done < total; done += 16) {
    const batch = Array.from({ length: Math.min(16, total - done) }, () =>
      randomJob(rng, rng.bytes(randomSize(rng))),
    );
    await Promise.all(
      batch.flatMap((job) => {
        const expected = oracle(job);
        const all = callStylesFor(job);
        return Array.from({ length: 3 }, () => rng.pick(all)).map(async (way) => {
          expectResult(way, job, await attempt(way, job), expected);
          if (job.kind !== 'cipher') return;
          const reverse = decryption(job, expected);
          expectResult(way, reverse, await attempt(way, reverse), { output: job.source });
          if (ciphers[job.algorithm].aead) {
            const broken = tampered(reverse, rng);
            expectFailure(way, broken, await attempt(way, broken), 'ERR_AUTHENTICATION');
          }
        });
      }),
    );
  }
});

test('neighbours of powers of two, asynchronously', async () => {
  const rng = random('powers');
  const around = (power) => [2 ** power - 1, 2 ** power, 2 ** power + 1];
  for (const size of [12, 13, 14, 15, 16, 17, 18, 19, 20].flatMap(around)) {
    const ofCipher = (name) => encryption(name, rng.bytes(size), rng, { aadSize: 13 });
    const ofHash = (algorithm) => ({ kind: 'hash', algorithm, source: rng.bytes(size) });
    for (const job of [...cipherNames.map(ofCipher), ...hashNames.map(ofHash)]) {
      const expected = oracle(job);
      const way = rng.pick(callStylesFor(job).filter((each) => !isSync(each)));
      expectResult(way, job, await attempt(way, job), expected);
      if (job.kind !== 'cipher') continue;
      const reverse = decryption(job, expected);
      expectResult(way, reverse, await attempt(way, reverse), { output: job.source });
    }
  }
});

/**
 * Checks two synchronous ways of the modern and drop-in entry points, others each time, and the way
 * back of a cipher.
 */
function walkSync(job, turn) {
  const all = callStylesFor(job).filter(isSync);
  walkAll(job, new Set([all[turn % all.length], all[(turn * 7 + 3) % all.length]]));
}

function walkAll(job, all) {
  const expected = oracle(job);
  for (const way of all) {
    expectResult(way, job, attempt(way, job), expected);
    if (job.kind !== 'cipher') continue;
    const reverse = decryption(job, expected);
    expectResult(way, reverse, attempt(way, reverse), { output: job.source });
  }
}

function isSync({ waiting }) {
  return waiting === 'sync';
}

/**
 * Returns a size of 0 to 1 MiB; short ones are as likely as long ones by their number of digits.
 */
function randomSize(rng) {
  if (rng.chance(0.05)) return 0;
  return rng.between(0, Math.floor(2 ** ((rng.word() / 2 ** 32) * 20)));
}

/** Returns `size` bytes of `data`, at a random alignment. */
function part(data, size, rng) {
  const start = rng.below(data.length - size);
  return data.subarray(start, start + size);
}

test('the oracles are other libraries', () => {
  // A wrong answer must fail: the comparison itself is tested once.
  const rng = random('oracles');
  const job = encryption('aes-128-gcm', rng.bytes(100), rng);
  const [way] = callStylesFor(job).filter(isSync);
  const outcome = attempt(way, job);
  expectResult(way, job, outcome, oracle(job));
  assert.throws(
    () => expectResult(way, job, outcome, oracle({ ...job, key: rng.bytes(16) })),
    /wrong output from byte 0/,
  );
  assert.throws(
    () => expectResult(way, job, outcome, { ...oracle(job), tag: rng.bytes(16) }),
    /wrong tag/,
  );
});
