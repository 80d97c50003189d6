// A kernel in which the module for AEADs is refused, as many machines have it since 2026, and
// ChaCha20, as a restricted kernel refuses algorithms: the rest serves, the refused is named.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { judge } from '../../support/judges.mjs';
import { random } from '../../support/random.mjs';
import { does, waitings } from '../calls.mjs';
import { jobOf } from '../engines.mjs';
import { bound, pythonAbsent } from '../python.mjs';
import { errorOf, right, unavailable, warningsOf } from '../verdicts.mjs';

const rng = random('kernel refused');
const source = rng.bytes(5000);

test('the kernel itself refuses what it should, and no more', { skip: pythonAbsent }, () => {
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
  test(`${engine}: AEADs are refused with the module's name`, async () => {
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

  test(`${engine}: an algorithm that is refused is named`, async () => {
    unavailable(
      await errorOf(does(jobOf('cipher', 'chacha20', source, rng), engine), 'chacha20'),
      /chacha20 \(ENOENT\)/,
      'chacha20',
    );
  });

  test(`${engine}: hashes, HMACs and AES-CTR serve as ever`, async () => {
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

test('another engine that is allowed serves instead: one warning for each algorithm', async () => {
  const jobs = ['aes-128-gcm', 'aes-256-gcm', 'aes-128-gcm', 'chacha20'].map((algorithm) =>
    jobOf('cipher', algorithm, source, rng),
  );
  const warnings = await warningsOf(async () => {
    for (const job of jobs)
      for (const wait of Object.values(waitings))
        right(await does(job, ['kernel', 'native'], wait), job, job.algorithm, judge(job));
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
