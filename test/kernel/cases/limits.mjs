// Limits of the kernel: AEAD messages beyond its queues, short tags, too many open files, sockets
// that a filter refuses. Each is a clear error, or a reported fallback if the call allows one.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';

import millrace from 'millrace';
import promises from 'millrace/promises';

import { collectGarbage } from '../../support/garbage.mjs';
import { oracle } from '../../support/oracles.mjs';
import { random } from '../../support/random.mjs';
import { does, waitings } from '../calls.mjs';
import { readAccount, startDevice } from '../device/start.mjs';
import { jobOf } from '../engines.mjs';
import { perform, ways } from '../processes.mjs';
import { pythonAbsent } from '../python.mjs';
import { errorOf, openFiles, right, unavailable, warningsOf } from '../verdicts.mjs';

const rng = random('kernel limits');
const large = rng.bytes(5 * 2 ** 20);

for (const engine of ['af_alg', 'cryptodev']) {
  describe(`${engine} takes an AEAD's message in one piece`, () => {
    let device;
    before(async () => {
      if (engine === 'cryptodev') device = await startDevice();
    });
    after(() => device?.stop());

    test('longer messages are refused; the error has the limit', async () => {
      for (const [way, wait] of Object.entries(waitings)) {
        const job = jobOf('cipher', 'aes-256-gcm', large, rng, { aadSize: 0 });
        const error = await errorOf(does(job, engine, wait), way);
        unavailable(error, /in one piece, of at most \d+ bytes/, way);
        const most = Number(/at most (\d+) bytes/.exec(error.message)[1]);
        assert.ok(most >= 65_536, `only ${most} bytes`);
        right(
          await does({ ...job, source: large.subarray(0, most) }, engine, wait),
          { ...job, source: large.subarray(0, most) },
          `${most} bytes, ${way}`,
        );
        unavailable(
          await errorOf(does({ ...job, source: large.subarray(0, most + 1) }, engine, wait), way),
          /in one piece/,
          `${most + 1} bytes, ${way}`,
        );
        const opened = await errorOf(
          wait('open', 'aes-256-gcm', { engine, key: job.key, nonce: job.iv, source: large }),
          way,
        );
        unavailable(opened, /in one piece/, `opened, ${way}`);
      }
    });

    test('the next engine computes them, with one warning', async () => {
      const job = jobOf('cipher', 'aes-128-gcm', large, rng);
      const expected = oracle(job);
      const warnings = await warningsOf(async () => {
        for (const wait of Object.values(waitings)) {
          right(await does(job, [engine, 'native'], wait), job, 'sealed', expected);
          const back = { ...job, encrypt: false, source: expected.output, tag: expected.tag };
          right(await does(back, [engine, 'native'], wait), back, 'opened', { output: large });
        }
      });
      const told = warnings.filter(({ code }) => code === 'MILLRACE_ENGINE_FALLBACK');
      assert.equal(told.length, 1, told.map(({ message }) => message).join('\n'));
      assert.match(told[0].message, /aes-128-gcm/);
      assert.match(told[0].message, /native/);
      // Within the limit the first engine computes.
      const before = engine === 'cryptodev' ? readAccount().authenticated : 0;
      const short = jobOf('cipher', 'aes-128-gcm', large.subarray(0, 1000), rng);
      right(await does(short, [engine, 'native']), short, 'a short one');
      if (engine === 'cryptodev')
        assert.ok(readAccount().authenticated > before, 'it went elsewhere');
    });

    test('a prepared key of several engines falls back too, also in place', async () => {
      const key = rng.bytes(32);
      const prepared = millrace.createKey('aes-256-gcm', key, { engine: [engine, 'native'] });
      for (const size of [100, large.length, 100]) {
        const job = { ...jobOf('cipher', 'aes-256-gcm', large.subarray(0, size), rng), key };
        const text = Buffer.concat([job.source, Buffer.alloc(16)]);
        await promises.seal('aes-256-gcm', {
          key: prepared,
          nonce: job.iv,
          aad: job.aad,
          source: text.subarray(0, size),
          target: text,
        });
        right({ output: text.subarray(0, size), tag: text.subarray(size) }, job, `${size} bytes`);
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
        const key = millrace.createKey('aes-256-gcm', bytes, { engine: [engine, 'native'] });
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
        const back = {
          ...job,
          encrypt: false,
          source: expected.output,
          tag: expected.tag,
          tagSize: undefined,
        };
        const forged = { ...back, tag: Buffer.from(expected.tag) };
        forged.tag[tagSize - 1] ^= 1;
        if (engine === 'af_alg') {
          right(await does(back, engine), back, `opened with ${tagSize}`, { output: job.source });
          assert.equal((await errorOf(does(forged, engine), 'forged')).code, 'ERR_AUTHENTICATION');
        } else {
          unavailable(
            await errorOf(does(back, engine), 'a short tag'),
            /verifies only 16-byte tags of aes-256-gcm/,
            `tag of ${tagSize}`,
          );
          right(await does(back, [engine, 'native']), back, 'natively', { output: job.source });
          assert.equal(
            (await errorOf(does(forged, [engine, 'native']), 'forged')).code,
            'ERR_AUTHENTICATION',
          );
        }
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
        assert.equal(readAccount().largest, 65_536);
        assert.deepEqual(
          Object.keys(readAccount().refused),
          [],
          'the device had to refuse something',
        );
      },
    );
  });
}

test('a list of one engine has no fallback; unknown names are argument errors', async () => {
  const one = await errorOf(
    (async () => millrace.hash('blake3', 'abc', { engine: ['af_alg'] }))(),
    'one',
  );
  unavailable(one, /AF_ALG/, 'a list of one');
  for (const engine of ['kernal', '', [], ['af_alg', 'x'], 7, null, {}]) {
    const error = await errorOf(
      (async () => millrace.hash('sha256', 'abc', { engine }))(),
      JSON.stringify(engine),
    );
    assert.match(
      error.code,
      /^ERR_ARGUMENT_(TYPE|VALUE)$/,
      `${JSON.stringify(engine)}: ${error.stack}`,
    );
  }
});

test('if all engines refuse, the error is that of the last one', async () => {
  let error;
  const warnings = await warningsOf(async () => {
    error = await errorOf(
      (async () => millrace.hash('blake3', 'abc', { engine: ['af_alg', 'cryptodev'] }))(),
      'in vain',
    );
  });
  unavailable(error, /cryptodev/, 'in vain');
  assert.deepEqual(
    warnings.map(({ code }) => code),
    ['MILLRACE_ENGINE_FALLBACK'],
  );
  assert.match(warnings[0].message, /AF_ALG/);
});

test('too many open files: an error, and calls work after some are closed', async () => {
  const { result } = await perform(
    `
      const running = [];
      let error;
      for (let index = 0; index < 200 && error === undefined; index++) {
        try {
          running.push(
            millrace.createHash('sha256', { engine: 'af_alg' }).update(Buffer.alloc(20_000)),
          );
        } catch ({ code, message }) {
          error = { code, message };
        }
      }
      const fallen = millrace.hash('sha1', 'abc', {
        engine: ['af_alg', 'native'],
        encoding: 'hex',
      });
      for (const each of running) each.digest();
      const good = millrace.createHash('sha256', { engine: 'af_alg' }).update('abc').digest('hex');
      return { error, count: running.length, fallen, good };
  `,
    { way: ways.short },
  );
  assert.equal(result.error?.code, 'ERR_ENGINE_UNAVAILABLE');
  assert.match(result.error.message, /too many files.*ulimit -n/s);
  assert.ok(result.count > 5);
  assert.equal(result.fallen, 'a9993e364706816aba3e25717850c26c9cd0d89d');
  assert.equal(result.good, 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
});

test(
  'the error names a seccomp filter that refuses the sockets',
  { skip: pythonAbsent },
  async () => {
    const { result, warnings } = await perform(
      `
        const error = await errorOf(() => promises.hash('sha256', 'abc', { engine: 'af_alg' }));
        return {
          error,
          digest: millrace.hash('sha256', 'abc', { engine: ['kernel', 'native'], encoding: 'hex' }),
        };
  `,
      { way: ways.filtered },
    );
    assert.equal(result.error.code, 'ERR_ENGINE_UNAVAILABLE');
    assert.match(result.error.message, /EPERM.*seccomp/s);
    assert.equal(result.digest, 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
    assert.deepEqual(
      warnings.map(({ code }) => code),
      ['MILLRACE_ENGINE_FALLBACK'],
    );
  },
);

test('a process without any rights uses AF_ALG', async () => {
  const { result } = await perform(
    `return [process.getuid(), millrace.hmac('sha256', 'key', 'abc', { engine: 'af_alg', ` +
      `encoding: 'hex' })]`,
    { way: ways.unprivileged },
  );
  assert.deepEqual(result, [
    65534,
    oracle({
      kind: 'hmac',
      algorithm: 'sha256',
      key: Buffer.from('key'),
      source: Buffer.from('abc'),
    }).output.toString('hex'),
  ]);
});

test('a user without rights reads a checkout below a folder of mode 0700', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-test-'));
  const file = join(folder, 'file');
  writeFileSync(file, 'abc');
  const body = `
    const { existsSync, readFileSync, statSync, writeFileSync } = require('node:fs');
    const file = ${JSON.stringify(file)};
    const writing = await errorOf(() => writeFileSync(file, ''));
    return [
      statSync(${JSON.stringify(folder)}).mode & 0o777,
      existsSync(file),
      String(readFileSync(file)),
      writing.code,
    ];`;
  try {
    const { result } = await perform(body, { way: ways.unprivileged });
    assert.deepEqual(result, [0o700, true, 'abc', 'EACCES']);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('no file stays open', () => {
  assert.ok(openFiles().sockets < 60, `${openFiles().sockets} sockets`);
});
