// Keys, many jobs in flight, cancellation, threads and the end of the process, with the kernel
// engine.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import millrace from 'millrace';
import promises from 'millrace/promises';

import { oracle } from '../../support/oracles.mjs';
import { random } from '../../support/random.mjs';
import { does, waitings } from '../calls.mjs';
import { deviceFor, readAccount } from '../device/start.mjs';
import { jobOf, served } from '../engines.mjs';
import { perform } from '../processes.mjs';
import {
  errorOf,
  held,
  openFiles,
  released,
  right,
  rightInEveryStyle,
  until,
} from '../verdicts.mjs';

const rng = random('kernel flight');
const large = rng.bytes(2 ** 21);

for (const [engine, kinds] of Object.entries(served)) {
  describe(engine, () => {
    deviceFor(engine);

    test('a prepared key works in every call style and closes with its owner', async () => {
      const begin = held(engine);
      const hmac = { kind: 'hmac', algorithm: 'sha256', source: large.subarray(0, 70_000) };
      for (const [algorithm, job] of [
        ...kinds.cipher.map((name) => [name, jobOf('cipher', name, large.subarray(0, 5000), rng)]),
        ['hmac-sha256', { ...hmac, key: large.subarray(0, 100) }],
      ]) {
        const key = millrace.createKey(algorithm, job.key, { engine });
        await rightInEveryStyle({ ...job, key }, undefined, algorithm, oracle(job));
        assert.ok(held(engine) > begin, `${algorithm} is not computed by ${engine}`);
        if (job.kind === 'hmac') {
          const running = millrace.createHmac('sha256', key).update(job.source);
          right({ output: running.digest() }, job, 'a running HMAC');
        }
        key.dispose();
        const { code } = await errorOf(does({ ...job, key }, undefined), algorithm);
        assert.equal(code, 'ERR_KEY_DISPOSED');
      }
      await released(engine, begin, 'all keys were disposed of');
      (() =>
        Array.from({ length: 60 }, () =>
          millrace.createKey('aes-256-ctr', large.subarray(0, 32), { engine }),
        ))();
      await released(engine, begin, 'the keys were collected');
    });

    test('150 jobs in flight give right results, and no file stays open', async () => {
      const begin = held(engine);
      const all = Object.entries(kinds).flatMap(([kind, names]) =>
        names.map((name) => [kind, name]),
      );
      const jobs = Array.from({ length: 150 }, (_, index) => {
        const [kind, algorithm] = all[index % all.length];
        const at = rng.below(2 ** 20);
        const size = rng.pick([0, 10, 1000, 5000, 40_000]);
        return jobOf(kind, algorithm, large.subarray(at, at + size), rng);
      });
      const outcomes = await Promise.all(
        jobs.map((job, index) =>
          does(job, engine, index % 3 === 0 ? waitings.callback : waitings.promise),
        ),
      );
      for (const [index, job] of jobs.entries())
        right(outcomes[index], job, `${job.kind} ${job.algorithm} of ${job.source.length} bytes`);
      assert.ok(held(engine) <= begin + 80, `${held(engine)} open, ${begin} before`);
    });

    test('many jobs use one key at once, each with its own result', async () => {
      const bytes = rng.bytes(32);
      const key = millrace.createKey('aes-256-gcm', bytes, { engine });
      const jobs = Array.from({ length: 100 }, (_, index) => {
        const source = large.subarray(index * 100, index * 300);
        return { ...jobOf('cipher', 'aes-256-gcm', source, rng), key: bytes };
      });
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
        const options = { engine, signal: controller.signal };
        const [key, iv] = [large.subarray(0, 16), large.subarray(0, 16)];
        const target = Buffer.alloc(large.length, 7);
        const text = { encrypt: true, key, iv, source: large, target };
        const jobs = [
          promises.hash('sha256', large, options),
          promises.hmac('sha512', 'key', large, options),
          promises.cipher('aes-128-ctr', { ...text, ...options }),
        ];
        setTimeout(() => controller.abort(reason), round);
        for (const { status, reason: error } of await Promise.allSettled(jobs)) {
          if (status === 'fulfilled') continue;
          assert.equal(error, reason);
          cancelled++;
        }
      }
      assert.ok(cancelled > 0, 'nothing was cancelled');
      const job = jobOf('hash', 'sha256', large);
      right(await does(job, engine, waitings.promise), job, 'after all that');
      const signal = AbortSignal.abort(reason);
      const late = promises.hash('sha256', large, { engine, signal });
      assert.equal(await errorOf(late, 'aborted before'), reason);
    });

    test('worker threads give right results, and may be terminated during work', async () => {
      const { result } = await perform(`
        const { once } = require('node:events');
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
        const expected = millrace.hash('sha256', data, { engine: 'native', encoding: 'hex' });
        for (let round = 0; round < 2; round++) {
          const start = () => new Worker(program, { eval: true, workerData: data });
          const workers = Array.from({ length: 2 }, start);
          await Promise.all(
            workers.map(async (worker) => {
              const [digests] = await once(worker, 'message');
              assert.ok(digests.every((each) => each === expected));
            }),
          );
          await Promise.all(workers.map((worker) => worker.terminate()));
        }
        return millrace.hash('sha256', data, { engine: '${engine}', encoding: 'hex' }) === expected;
      `);
      assert.equal(result, true);
    });

    test('a process ends with jobs in flight and keys undisposed', async () => {
      const { result } = await perform(`
        const engine = '${engine}';
        globalThis.kept = [
          millrace.createKey('aes-256-gcm', Buffer.alloc(32), { engine }),
          millrace.createHash('sha256', { engine }).update('begun'),
        ];
        for (let index = 0; index < 20; index++)
          promises.hash('sha256', Buffer.alloc(500_000), { engine });
        process.stdout.write(JSON.stringify({ result: 'left' }), () => process.exit(0));
        await new Promise(() => {});
      `);
      assert.equal(result, 'left');
      // The kernel closes the files of the process; the device learns of it a little later.
      if (engine === 'cryptodev')
        await until(
          () => readAccount().files <= openFiles().devices,
          () => `${readAccount().files} files of the device are open`,
        );
    });
  });
}
