// A kernel without AF_ALG and /dev/crypto, as on most machines: every error says so. Then the
// device appears.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { random } from '../../support/random.mjs';
import { readAccount, withDevice } from '../device/start.mjs';
import { jobOf } from '../engines.mjs';
import { perform } from '../processes.mjs';
import { bound, pythonAbsent } from '../python.mjs';
import { rightInEveryStyle, unavailableInEveryStyle, warningsOf } from '../verdicts.mjs';

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

for (const [engine, title, pattern] of [
  ['af_alg', 'no such sockets; the error names the remedy', /EAFNOSUPPORT.*af_alg.*modprobe/s],
  ['kernel', 'the error names both interfaces', /(?=.*EAFNOSUPPORT).*\/dev\/crypto/s],
])
  test(`${engine}: ${title}`, async () => {
    for (const job of jobs) await unavailableInEveryStyle(job, engine, pattern);
  });

test('the next engine computes instead, with a warning', async () => {
  const warnings = await warningsOf(async () => {
    for (const job of jobs) await rightInEveryStyle(job, ['kernel', 'native']);
  });
  assert.ok(
    warnings.length >= 3 && warnings.every(({ code }) => code === 'MILLRACE_ENGINE_FALLBACK'),
    warnings.map(({ message }) => message).join('\n'),
  );
});

test('calls without options.engine are not affected', async () => {
  const warnings = await warningsOf(async () => {
    for (const job of jobs) await rightInEveryStyle(job, undefined);
  });
  assert.deepEqual(warnings, []);
});

test('kernel: uses the device without AF_ALG, accelerated or not', () =>
  withDevice({}, async () => {
    const { result } = await perform(
      "return [digest('kernel'), await errorOf(() => digest('kernel', 'sha3-256'))]",
    );
    assert.equal(result[0], 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
    assert.equal(result[1].code, 'ERR_ENGINE_UNAVAILABLE');
    assert.ok(readAccount().created > 0);
  }));
