// A kernel that blocks the module for AEADs, as many machines do since 2026, and ChaCha20, as a
// restricted kernel does. The rest works, and errors name the blocked algorithm.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { random } from '../../support/random.mjs';
import { jobOf } from '../engines.mjs';
import { bound, pythonAbsent } from '../python.mjs';
import { rightInEveryStyle, unavailableInEveryStyle, warningsOf } from '../verdicts.mjs';

const rng = random('kernel refused');
const source = rng.bytes(5000);
const cipher = (algorithm) => jobOf('cipher', algorithm, source, rng);

test('the kernel itself refuses only the blocked algorithms', { skip: pythonAbsent }, () => {
  for (const [kind, name, outcome] of [
    ['aead', 'gcm(aes)', 'ENOENT'],
    ['aead', 'rfc7539(chacha20,poly1305)', 'ENOENT'],
    ['skcipher', 'chacha20', 'ENOENT'],
    ['skcipher', 'ctr(aes)', 'ok'],
    ['hash', 'sha256', 'ok'],
  ])
    assert.equal(bound(kind, name), outcome, name);
});

for (const engine of ['af_alg', 'kernel']) {
  test(`${engine}: AEADs are refused; the error names the module`, async () => {
    for (const algorithm of ['aes-256-gcm', 'chacha20-poly1305'])
      await unavailableInEveryStyle(cipher(algorithm), engine, /algif_aead.*modprobe/s);
  });

  test(`${engine}: the error names a refused algorithm`, () =>
    unavailableInEveryStyle(cipher('chacha20'), engine, /chacha20 \(ENOENT\)/));

  test(`${engine}: hashes, HMACs and AES-CTR work`, async () => {
    const [hash, hmac] = [jobOf('hash', 'sha256', source), jobOf('hmac', 'sha1', source, rng)];
    for (const job of [hash, hmac, cipher('aes-192-ctr')]) await rightInEveryStyle(job, engine);
  });
}

test('the next engine computes instead, with one warning for each algorithm', async () => {
  const algorithms = ['aes-128-gcm', 'aes-256-gcm', 'chacha20'];
  const warnings = await warningsOf(async () => {
    for (const algorithm of [...algorithms, 'aes-128-gcm'])
      await rightInEveryStyle(cipher(algorithm), ['kernel', 'native']);
  });
  assert.deepEqual(
    warnings.map(({ code, message }) => [code, /^[\w-]+/.exec(message)[0]]),
    algorithms.map((algorithm) => ['MILLRACE_ENGINE_FALLBACK', algorithm]),
  );
});
