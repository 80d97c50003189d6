// Keys, many jobs in flight, cancellation, threads and the end of the process, with the kernel
// engine.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import millrace from 'millrace';
import promises from 'millrace/promises';

import { collectGarbage } from '../../support/garbage.mjs';
import { oracle } from '../../support/oracles.mjs';
import { random } from '../../support/random.mjs';
import { does, waitings } from '../calls.mjs';
import { readAccount, startDevice } from '../device/start.mjs';
import { jobOf, served } from '../engines.mjs';
import { perform } from '../processes.mjs';
import { errorOf, openFiles, right } from '../verdicts.mjs';

const rng = random('kernel flight');
const large = rng.bytes(2 ** 21);

for (const [engine, kinds] of Object.entries(served)) {
  describe(engine, () => {
    let device;
    before(async () => {
      if (engine === 'cryptodev') device = await startDevice();
    });
    after(() => device?.stop());
    const held = () => (engine === 'cryptodev' ? readAccount().sessions : openFiles().sockets);

    test('a prepared key works in every call style and closes with its owner', async () => {
      const begin = held();
      for (const algorithm of kinds.cipher) {
        const job = jobOf('cipher', algorithm, large.subarray(0, 5000), rng);
        const key = millrace.createKey(algorithm, job.key, { engine });
        for (const wait of Object.values(waitings))
          right(await does({ ...job, key }, undefined, wait), job, algorithm);
        assert.ok(held() > begin, `${algorithm} is not computed by ${engine}`);
        key.dispose();
        assert.equal(
          (await errorOf(does({ ...job, key }, undefined), algorithm)).code,
          'ERR_KEY_DISPOSED',
        );
      }
      const mac = millrace.createKey('hmac-sha256', large.subarray(0, 100), { engine });
      const job = {
        kind: 'hmac',
        algorithm: 'sha256',
        key: large.subarray(0, 100),
        source: large.subarray(0, 70_000),
      };
      for (const wait of Object.values(waitings))
        right(await does({ ...job, key: mac }, undefined, wait), job, 'HMAC');
      assert.equal(
        millrace.createHmac('sha256', mac).update(job.source).digest('hex'),
        oracle(job).output.toString('hex'),
      );
      mac.dispose();
      assert.ok(
        held() <= begin + 8,
        `${held()} open after all keys were disposed of, ${begin} before`,
      );
      (() =>
        Array.from({ length: 60 }, () =>
          millrace.createKey('aes-256-ctr', large.subarray(0, 32), { engine }),
        ))();
      for (let tries = 0; held() > begin + 8; tries++) {
        assert.ok(tries < 100, `${held()} open after the keys were collected, ${begin} before`);
        collectGarbage();
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
    });

    test('a key of one engine in a call for another', async () => {
      const key = millrace.createKey('aes-256-ctr', large.subarray(0, 32), { engine });
      const job = jobOf('cipher', 'aes-256-ctr', large.subarray(0, 100), rng);
      const outcome = await does({ ...job, key }, 'native').then(
        () => undefined,
        ({ code }) => code,
      );
      assert.ok(
        outcome === undefined ||
          /^ERR_(ENGINE_UNAVAILABLE|KEY_ALGORITHM|ARGUMENT_VALUE)$/.test(outcome),
        outcome,
      );
      key.dispose();
    });

    test('150 jobs in flight give right results, and no file stays open', async () => {
      const begin = held();
      const all = [
        ...kinds.hash.map((name) => ['hash', name]),
        ...kinds.hmac.map((name) => ['hmac', name]),
        ...kinds.cipher.map((name) => ['cipher', name]),
      ];
      const jobs = Array.from({ length: 150 }, (_, index) => {
        const at = rng.below(2 ** 20);
        return jobOf(
          ...all[index % all.length],
          large.subarray(at, at + rng.pick([0, 10, 1000, 5000, 40_000])),
          rng,
        );
      });
      const outcomes = await Promise.all(
        jobs.map((job, index) =>
          does(job, engine, index % 3 === 0 ? waitings.callback : waitings.promise),
        ),
      );
      for (const [index, job] of jobs.entries())
        right(outcomes[index], job, `${job.kind} ${job.algorithm} of ${job.source.length} bytes`);
      assert.ok(held() <= begin + 80, `${held()} open, ${begin} before`);
    });

    test('many jobs use one key at once, each with its own result', async () => {
      const bytes = rng.bytes(32);
      const key = millrace.createKey('aes-256-gcm', bytes, { engine });
      const jobs = Array.from({ length: 100 }, (_, index) => ({
        ...jobOf(
          'cipher',
          'aes-256-gcm',
          large.subarray(index * 100, index * 100 + 200 * index),
          rng,
        ),
        key: bytes,
      }));
      const outcomes = await Promise.all(
        jobs.map((job) => does({ ...job, key }, undefined, waitings.promise)),
      );
      for (const [index, job] of jobs.entries()) right(outcomes[index], job, `number ${index}`);
      key.dispose();
    });

    test('a cancelled job rejects with the reason, and the next call is right', async () => {
      const reason = new Error('enough');
      let cancelled = 0;
      for (let round = 0; round < 10; round++) {
        const controller = new AbortController();
        const target = Buffer.alloc(large.length, 7);
        const jobs = [
          promises.hash('sha256', large, { engine, signal: controller.signal }),
          promises.hmac('sha512', 'key', large, { engine, signal: controller.signal }),
          promises.cipher('aes-128-ctr', {
            engine,
            encrypt: true,
            key: large.subarray(0, 16),
            iv: large.subarray(0, 16),
            source: large,
            target,
            signal: controller.signal,
          }),
        ];
        setTimeout(() => controller.abort(reason), round);
        for (const { status, reason: error } of await Promise.allSettled(jobs)) {
          if (status === 'fulfilled') continue;
          assert.equal(error, reason);
          cancelled++;
        }
      }
      assert.ok(cancelled > 0, 'nothing was cancelled');
      const job = jobOf('hash', 'sha256', large, rng);
      right(await does(job, engine, waitings.promise), job, 'after all that');
      assert.equal(
        await errorOf(
          promises.hash('sha256', large, { engine, signal: AbortSignal.abort(reason) }),
          'aborted before',
        ),
        reason,
      );
    });

    test('worker threads give right results, and may be terminated during work', async () => {
      const { result } = await perform(`
        const { Worker } = require('node:worker_threads');
        const program = ${JSON.stringify(`
          const { parentPort, workerData } = require('node:worker_threads');
          const promises = require('millrace/promises');
          (async () => {
            for (;;) {
              const digests = await Promise.all(
                Array.from({ length: 5 }, () =>
                  promises.hash('sha256', workerData, { engine: '${engine}', encoding: 'hex' }),
                ),
              );
              parentPort.postMessage(digests);
            }
          })();`)};
        const data = Buffer.alloc(300_000, 5);
        const expected = crypto.createHash('sha256').update(data).digest('hex');
        for (let round = 0; round < 2; round++) {
          const start = () => new Worker(program, { eval: true, workerData: data });
          const workers = Array.from({ length: 2 }, start);
          await Promise.all(workers.map((worker) => new Promise((resolve, reject) => {
            worker.once('error', reject);
            worker.once('message', (digests) => {
              assert.ok(digests.every((each) => each === expected));
              resolve();
            });
          })));
          await Promise.all(workers.map((worker) => worker.terminate()));
        }
        return millrace.hash('sha256', data, { engine: '${engine}', encoding: 'hex' }) === expected;
      `);
      assert.equal(result, true);
    });

    test('a process ends with jobs in flight and keys undisposed', async () => {
      const { result } = await perform(`
        const key = millrace.createKey('aes-256-gcm', Buffer.alloc(32), { engine: '${engine}' });
        globalThis.kept = [
          key,
          millrace.createHash('sha256', { engine: '${engine}' }).update('begun'),
        ];
        for (let index = 0; index < 20; index++)
          promises.hash('sha256', Buffer.alloc(500_000), { engine: '${engine}' });
        process.stdout.write(JSON.stringify({ result: 'left' }), () => process.exit(0));
        await new Promise(() => {});
      `);
      assert.equal(result, 'left');
      if (engine !== 'cryptodev') return;
      // The kernel closes the files of the process; the device learns of it a little later.
      for (let tries = 0; readAccount().files > openFiles().devices; tries++) {
        assert.ok(tries < 100, `${readAccount().files} files of the device are open`);
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    });
  });
}
