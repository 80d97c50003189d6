// Limits of the kernel: AEAD messages beyond its queues, short tags, too many open files, sockets
// that a filter refuses. Each is a clear error, or a reported fallback if the call allows one.

import assert from 'node:assert/strict';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';

import millrace from 'millrace';
import promises from 'millrace/promises';

import { temporary } from '../../support/child.mjs';
import { collectGarbage } from '../../support/garbage.mjs';
import { decryption } from '../../support/jobs.mjs';
import { oracle } from '../../support/oracles.mjs';
import { random } from '../../support/random.mjs';
import { does, waitings } from '../calls.mjs';
import { deviceFor, readAccount } from '../device/start.mjs';
import { jobOf } from '../engines.mjs';
import { perform, ways } from '../processes.mjs';
import { pythonAbsent } from '../python.mjs';
import {
  errorOf,
  openFiles,
  right,
  rightInEveryStyle,
  unavailable,
  warningsOf,
} from '../verdicts.mjs';

const rng = random('kernel limits');
const large = rng.bytes(5 * 2 ** 20);
const abc = {
  sha256: 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
  sha1: 'a9993e364706816aba3e25717850c26c9cd0d89d',
};

for (const engine of ['af_alg', 'cryptodev']) {
  describe(`${engine} takes an AEAD's message in one piece`, () => {
    deviceFor(engine);
    const either = [engine, 'native'];

    test('longer messages are refused; the error has the limit', async () => {
      for (const [way, wait] of Object.entries(waitings)) {
        const job = jobOf('cipher', 'aes-256-gcm', large, rng, { aadSize: 0 });
        const limit = /in one piece, of at most (\d+) bytes/;
        const most = Number(limit.exec(await unavailable(does(job, engine, wait), limit, way))[1]);
        assert.ok(most >= 65_536, `only ${most} bytes`);
        const longest = { ...job, source: large.subarray(0, most) };
        right(await does(longest, engine, wait), longest, `${most} bytes, ${way}`);
        const longer = { ...job, source: large.subarray(0, most + 1) };
        await unavailable(does(longer, engine, wait), /in one piece/, `${most + 1} bytes, ${way}`);
        const given = { engine, key: job.key, nonce: job.iv, source: large };
        await unavailable(wait('open', 'aes-256-gcm', given), /in one piece/, `opened, ${way}`);
      }
    });

    test('the next engine computes them, with one warning', async () => {
      const job = jobOf('cipher', 'aes-128-gcm', large, rng);
      const expected = oracle(job);
      const warnings = await warningsOf(async () => {
        await rightInEveryStyle(job, either, 'sealed', expected);
        await rightInEveryStyle(decryption(job, expected), either, 'opened', { output: large });
      });
      const told = warnings.filter(({ code }) => code === 'MILLRACE_ENGINE_FALLBACK');
      assert.equal(told.length, 1, told.map(({ message }) => message).join('\n'));
      assert.match(told[0].message, /aes-128-gcm/);
      assert.match(told[0].message, /native/);
      // Within the limit the first engine computes.
      const before = engine === 'cryptodev' ? readAccount().authenticated : 0;
      const short = jobOf('cipher', 'aes-128-gcm', large.subarray(0, 1000), rng);
      right(await does(short, either), short, 'a short one');
      if (engine === 'cryptodev')
        assert.ok(readAccount().authenticated > before, 'it went elsewhere');
    });

    test('a prepared key of several engines falls back too, also in place', async () => {
      const key = rng.bytes(32);
      const prepared = millrace.createKey('aes-256-gcm', key, { engine: either });
      for (const size of [100, large.length, 100]) {
        const job = { ...jobOf('cipher', 'aes-256-gcm', large.subarray(0, size), rng), key };
        const target = Buffer.concat([job.source, Buffer.alloc(16)]);
        const [source, tag] = [target.subarray(0, size), target.subarray(size)];
        const given = { key: prepared, nonce: job.iv, aad: job.aad, source, target };
        await promises.seal('aes-256-gcm', given);
        right({ output: source, tag }, job, `${size} bytes`);
      }
      prepared.dispose();
    });

    test('a key that is disposed of or collected during a fallback', async () => {
      const bytes = rng.bytes(32);
      const jobs = Array.from({ length: 4 }, () => ({
        ...jobOf('cipher', 'aes-256-gcm', large, rng),
        key: bytes,
      }));
      const pending = jobs.map((job, index) => {
        const key = millrace.createKey('aes-256-gcm', bytes, { engine: either });
        const call = does({ ...job, key }, undefined, waitings.promise);
        if (index % 2 === 0) key.dispose();
        return call;
      });
      collectGarbage();
      for (const [index, job] of jobs.entries())
        right(await pending[index], job, `number ${index}`);
    });

    test('shorter tags of GCM are created, and verified or refused', async () => {
      for (const tagSize of [12, 13, 15]) {
        const job = { ...jobOf('cipher', 'aes-256-gcm', large.subarray(0, 999), rng), tagSize };
        const expected = oracle(job);
        right(await does(job, engine), job, `tag of ${tagSize}`, expected);
        const back = decryption(job, expected);
        const forged = { ...back, tag: Buffer.from(expected.tag) };
        forged.tag[tagSize - 1] ^= 1;
        const verifying = engine === 'af_alg' ? engine : either;
        const opened = await does(back, verifying);
        right(opened, back, `opened with ${tagSize}`, { output: job.source });
        assert.equal((await errorOf(does(forged, verifying), 'forged')).code, 'ERR_AUTHENTICATION');
        if (engine === 'cryptodev')
          await unavailable(
            does(back, engine),
            /verifies only 16-byte tags of aes-256-gcm/,
            `tag of ${tagSize}`,
          );
      }
    });

    test(
      'chunks of other messages have at most 64 KiB',
      { skip: engine === 'af_alg' && 'it has no account' },
      async () => {
        for (const job of [
          jobOf('hash', 'sha256', large, rng),
          jobOf('cipher', 'aes-256-ctr', large, rng),
        ])
          right(await does(job, engine), job, job.algorithm);
        const { largest, refused } = readAccount();
        assert.equal(largest, 65_536);
        assert.deepEqual(refused, {}, 'the device had to refuse something');
      },
    );
  });
}

test('if all engines refuse, the error is that of the last one, also of a list of one', async () => {
  for (const [engines, pattern, reported] of [
    [['af_alg'], /AF_ALG/, []],
    [['af_alg', 'cryptodev'], /cryptodev/, [/AF_ALG/]],
  ]) {
    const warnings = await warningsOf(() =>
      unavailable(waitings.sync('hash', 'blake3', 'abc', { engine: engines }), pattern, 'in vain'),
    );
    assert.equal(warnings.length, reported.length);
    for (const [index, { code, message }] of warnings.entries()) {
      assert.equal(code, 'MILLRACE_ENGINE_FALLBACK');
      assert.match(message, reported[index]);
    }
  }
});

test('too many open files: an error, and calls work after some are closed', async () => {
  const { result } = await perform(
    `
      const running = [];
      const error = await errorOf(() => {
        while (running.length < 200)
          running.push(
            millrace.createHash('sha256', { engine: 'af_alg' }).update(Buffer.alloc(20_000)),
          );
      });
      const fallen = digest(['af_alg', 'native'], 'sha1');
      for (const each of running) each.digest();
      const good = millrace.createHash('sha256', { engine: 'af_alg' }).update('abc').digest('hex');
      return { error, count: running.length, digests: { sha1: fallen, sha256: good } };
  `,
    ways.short,
  );
  assert.equal(result.error.code, 'ERR_ENGINE_UNAVAILABLE');
  assert.match(result.error.message, /too many files.*ulimit -n/s);
  assert.ok(result.count > 5);
  assert.deepEqual(result.digests, abc);
});

test(
  'the error names a seccomp filter that refuses the sockets',
  { skip: pythonAbsent },
  async () => {
    const { result, warnings } = await perform(
      "return [digest(['kernel', 'native']), await errorOf(() => digest('af_alg'))]",
      ways.filtered,
    );
    const [digest, error] = result;
    assert.equal(error.code, 'ERR_ENGINE_UNAVAILABLE');
    assert.match(error.message, /EPERM.*seccomp/s);
    assert.equal(digest, abc.sha256);
    assert.deepEqual(
      warnings.map(({ code }) => code),
      ['MILLRACE_ENGINE_FALLBACK'],
    );
  },
);

test('a process without any rights uses AF_ALG', async () => {
  const { result } = await perform(
    "return [process.getuid(), digest('af_alg')]",
    ways.unprivileged,
  );
  assert.deepEqual(result, [65534, abc.sha256]);
});

test('a user without rights reads a checkout below a folder of mode 0700', async () => {
  const folder = temporary();
  writeFileSync(join(folder, 'file'), 'abc');
  const body = `
    const { existsSync, readFileSync, statSync, writeFileSync } = require('node:fs');
    const folder = ${JSON.stringify(folder)};
    const file = folder + '/file';
    const { code } = await errorOf(() => writeFileSync(file, ''));
    return [statSync(folder).mode & 0o777, existsSync(file), String(readFileSync(file)), code];`;
  try {
    const { result } = await perform(body, ways.unprivileged);
    assert.deepEqual(result, [0o700, true, 'abc', 'EACCES']);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('no file stays open', () => {
  assert.ok(openFiles().sockets < 60, `${openFiles().sockets} sockets`);
});
