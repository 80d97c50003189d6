// A kernel without AF_ALG and /dev/crypto, as on most machines: every error says so. Then the
// device appears.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { random } from '../../support/random.mjs';
import { does, waitings } from '../calls.mjs';
import { readAccount, startDevice } from '../device/start.mjs';
import { jobOf } from '../engines.mjs';
import { perform } from '../processes.mjs';
import { bound, pythonAbsent } from '../python.mjs';
import { errorOf, right, unavailable, warningsOf } from '../verdicts.mjs';

const rng = random('kernel blocked');
const source = rng.bytes(5000);
const jobs = [
  jobOf('hash', 'sha256', source, rng),
  jobOf('hmac', 'sha256', source, rng),
  jobOf('cipher', 'aes-256-ctr', source, rng),
  jobOf('cipher', 'aes-256-gcm', source, rng),
];

test('the kernel itself has no such sockets', { skip: pythonAbsent }, () =>
  assert.equal(bound('hash', 'sha256'), 'EAFNOSUPPORT'),
);

test('af_alg: no such sockets; the error names the remedy', async () => {
  for (const job of jobs) {
    for (const [way, wait] of Object.entries(waitings))
      unavailable(
        await errorOf(does(job, 'af_alg', wait), way),
        /EAFNOSUPPORT.*af_alg.*modprobe/s,
        `${job.algorithm}, ${way}`,
      );
  }
});

test('kernel: the error names both interfaces', async () => {
  for (const job of jobs) {
    const error = await errorOf(does(job, 'kernel'), job.algorithm);
    unavailable(error, /EAFNOSUPPORT/, job.algorithm);
    assert.match(error.message, /\/dev\/crypto/);
  }
});

test('the next engine computes instead, with a warning', async () => {
  const warnings = await warningsOf(async () => {
    for (const job of jobs)
      for (const wait of Object.values(waitings))
        right(await does(job, ['kernel', 'native'], wait), job, job.algorithm);
  });
  assert.ok(
    warnings.length >= 3 && warnings.every(({ code }) => code === 'MILLRACE_ENGINE_FALLBACK'),
    warnings.map(({ message }) => message).join('\n'),
  );
});

test('calls without options.engine are not affected', async () => {
  const warnings = await warningsOf(async () => {
    for (const job of jobs) right(await does(job, undefined), job, job.algorithm);
  });
  assert.deepEqual(warnings, []);
});

test('kernel: uses the device without AF_ALG, accelerated or not', async () => {
  const device = await startDevice();
  try {
    const { result } = await perform(
      "return [millrace.hash('sha256', 'abc', { engine: 'kernel', encoding: 'hex' }), " +
        "await errorOf(() => millrace.hash('sha3-256', 'abc', { engine: 'kernel' }))]",
    );
    assert.equal(result[0], 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
    assert.equal(result[1].code, 'ERR_ENGINE_UNAVAILABLE');
    assert.ok(readAccount().created > 0);
  } finally {
    await device.stop();
  }
});
