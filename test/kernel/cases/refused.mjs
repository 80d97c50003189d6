// A kernel that blocks the module for AEADs, as many machines do since 2026, and ChaCha20, as a
// restricted kernel does. The rest works, and errors name the blocked algorithm.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { oracle } from '../../support/oracles.mjs';
import { random } from '../../support/random.mjs';
import { does, waitings } from '../calls.mjs';
import { jobOf } from '../engines.mjs';
import { bound, pythonAbsent } from '../python.mjs';
import { errorOf, right, unavailable, warningsOf } from '../verdicts.mjs';

const rng = random('kernel refused');
const source = rng.bytes(5000);

test('the kernel itself refuses only the blocked algorithms', { skip: pythonAbsent }, () => {
  const names = [
    ['aead', 'gcm(aes)'],
    ['aead', 'rfc7539(chacha20,poly1305)'],
    ['skcipher', 'chacha20'],
    ['skcipher', 'ctr(aes)'],
    ['hash', 'sha256'],
  ];
  assert.deepEqual(
    names.map(([kind, name]) => bound(kind, name)),
    ['ENOENT', 'ENOENT', 'ENOENT', 'ok', 'ok'],
  );
});

for (const engine of ['af_alg', 'kernel']) {
  test(`${engine}: AEADs are refused; the error names the module`, async () => {
    for (const algorithm of ['aes-256-gcm', 'chacha20-poly1305']) {
      for (const [way, wait] of Object.entries(waitings)) {
        unavailable(
          await errorOf(does(jobOf('cipher', algorithm, source, rng), engine, wait), way),
          /algif_aead.*modprobe/s,
          `${algorithm}, ${way}`,
        );
      }
    }
  });

  test(`${engine}: the error names a refused algorithm`, async () => {
    unavailable(
      await errorOf(does(jobOf('cipher', 'chacha20', source, rng), engine), 'chacha20'),
      /chacha20 \(ENOENT\)/,
      'chacha20',
    );
  });

  test(`${engine}: hashes, HMACs and AES-CTR work`, async () => {
    for (const job of [
      jobOf('hash', 'sha256', source, rng),
      jobOf('hmac', 'sha1', source, rng),
      jobOf('cipher', 'aes-192-ctr', source, rng),
    ]) {
      for (const wait of Object.values(waitings))
        right(await does(job, engine, wait), job, job.algorithm);
    }
  });
}

test('the next engine computes instead, with one warning for each algorithm', async () => {
  const jobs = ['aes-128-gcm', 'aes-256-gcm', 'aes-128-gcm', 'chacha20'].map((algorithm) =>
    jobOf('cipher', algorithm, source, rng),
  );
  const warnings = await warningsOf(async () => {
    for (const job of jobs)
      for (const wait of Object.values(waitings))
        right(await does(job, ['kernel', 'native'], wait), job, job.algorithm, oracle(job));
  });
  assert.deepEqual(
    warnings.map(({ code }) => code),
    Array(3).fill('MILLRACE_ENGINE_FALLBACK'),
  );
  for (const algorithm of ['aes-128-gcm', 'aes-256-gcm', 'chacha20'])
    assert.equal(
      warnings.filter(({ message }) => new RegExp(`\\b${algorithm}\\b`).test(message)).length,
      1,
      algorithm,
    );
});
