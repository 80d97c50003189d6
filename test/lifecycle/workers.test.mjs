// worker_threads: several environments at once, and their end at any moment.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { output, requiring, run } from '../support/child.mjs';

/** Runs a program, which must end by itself, and checks what it prints. */
const prints = async (expected, source, options) =>
  assert.equal(await output(source, options), expected);

/** Makes `Worker`s out of a program with the entry points in it. */
const preamble = `
  const { Worker, isMainThread, parentPort, workerData } = require('node:worker_threads');
  const { once } = require('node:events');
  const { setTimeout: sleep } = require('node:timers/promises');
  const start = (program, data) => new Worker(${JSON.stringify(`${requiring()}
    const { parentPort, workerData } = require('node:worker_threads');
  `)} + program, { eval: true, workerData: data });
`;

/**
 * Jobs of every ownership in flight in a worker: lent, friendly, small, with prepared keys and
 * signals.
 */
const flood = `
  const large = new Uint8Array(new SharedArrayBuffer(8 * 2 ** 20));
  const key = Buffer.alloc(32),
    iv = Buffer.alloc(16),
    nonce = Buffer.alloc(12);
  const own = Buffer.alloc(4 * 2 ** 20, 1);
  const prepared = millrace.createKey('aes-256-gcm', key);
  const { signal } = new AbortController();
  require('node:events').setMaxListeners(0, signal);
  const fire = () => {
    millrace.hash('sha512', own, { target: Buffer.alloc(64) }, () => {});
    const part = own.subarray(0, 2 ** 20);
    const lent = { encrypt: 1, key, iv, source: part, target: Buffer.allocUnsafeSlow(2 ** 20) };
    millrace.cipher('aes-256-ctr', lent, () => {});
    promises.cipher('aes-256-ctr', { encrypt: true, key, iv, source: large, target: large });
    promises.seal('aes-256-gcm', { key: prepared, nonce, source: own.subarray(0, 300_000) });
    promises.hash('blake3', own.subarray(0, 50_000), { signal });
    promises.hmac('sha256', key, 'small');
    cryptoAsync.hash('sha256', Buffer.alloc(70_000), () => {});
  };
  for (let index = 0; index < 40; index++) fire();
`;

/** Fires without end. */
const flooding = `
  ${flood}
  parentPort.postMessage('flying');
  setInterval(fire, 1);
`;

test(
  'terminated thirty times with lent and friendly jobs in flight',
  { timeout: 300_000 },
  async () => {
    await prints(
      'survived\n',
      `
        ${preamble}(async () => {
          for (let round = 0; round < 30; round++) {
            const worker = start(${JSON.stringify(flooding)});
            await once(worker, 'message');
            if (round % 3) await sleep(round / 2);
            const exit = once(worker, 'exit');
            await worker.terminate();
            await exit;
            if (round % 10 === 0) globalThis.gc();
            // The main thread's own jobs are not disturbed.
            const digest = await promises.hash('sha256', 'main', 'hex');
            if (digest !== millrace.hash('sha256', 'main', 'hex')) throw new Error('wrong digest');
          }
          console.log('survived');
        })();
  `,
      { flags: ['--expose-gc'] },
    );
  },
);

test('terminated while the main thread and another worker have jobs in flight', async () => {
  await prints(
    'survived\n',
    `
    ${preamble}(async () => {
      const source = Buffer.alloc(500_000, 3);
      const expected = millrace.hash('sha256', source, 'hex');
      const steady = start(${JSON.stringify(`
        const source = Buffer.alloc(500_000, 3);
        const expected = millrace.hash('sha256', source, 'hex');
        let rounds = 0,
          stop = false;
        parentPort.on('message', () => {
          stop = true;
        });
        (async () => {
          while (!stop) {
            const digests = await Promise.all(
              Array.from({ length: 8 }, () => promises.hash('sha256', source, 'hex')),
            );
            if (digests.some((digest) => digest !== expected))
              throw new Error('wrong digest in the worker');
            rounds++;
          }
          parentPort.postMessage(rounds);
          parentPort.close();
        })();
          `)});
      for (let round = 0; round < 10; round++) {
        const terminated = start(${JSON.stringify(`${flood}\nparentPort.postMessage('flying');`)});
        await once(terminated, 'message');
        const own = Array.from({ length: 8 }, () => promises.hash('sha256', source, 'hex'));
        await terminated.terminate();
        if ((await Promise.all(own)).some((digest) => digest !== expected))
          throw new Error('wrong digest in the main thread');
      }
      steady.postMessage('stop');
      const [rounds] = await once(steady, 'message');
      if (rounds < 1) throw new Error('the other worker starved');
      console.log('survived');
    })();
  `,
  );
});

test('several workers at once, all right, all ending by themselves', async () => {
  const stdout = await output(`
    ${preamble}(async () => {
      const workers = Array.from({ length: 6 }, (_, seed) => start(${JSON.stringify(`
        (async () => {
          const key = Buffer.alloc(32, workerData),
            nonce = Buffer.alloc(12);
          let good = 0;
          for (let round = 0; round < 20; round++) {
            await Promise.all(
              Array.from({ length: 20 }, async (_, index) => {
                const source = Buffer.alloc(index * 997, round + workerData);
                nonce.writeUInt32LE(round * 20 + index);
                const given = { key, nonce: Buffer.from(nonce) };
                const sealed = await promises.seal('chacha20-poly1305', { ...given, source });
                const opening = { ...given, source: sealed };
                const opened = await promises.open('chacha20-poly1305', opening);
                if (!opened.equals(source)) throw new Error('not the source');
                const digest = await promises.hash('sha256', source, 'hex');
                if (digest !== millrace.hash('sha256', source, 'hex'))
                  throw new Error('wrong digest');
                good++;
              }),
            );
          }
          parentPort.postMessage(good);
        })();
          `)}, seed));
      const seen = (worker) => Promise.all([once(worker, 'message'), once(worker, 'exit')]);
      const results = (await Promise.all(workers.map(seen))).map((each) => each.flat());
      console.log(JSON.stringify(results));
    })();
  `);
  assert.deepEqual(JSON.parse(stdout), Array(6).fill([400, 0]));
});

test('loaded only in a worker: terminated, loaded again', async () => {
  await prints(
    'survived\n',
    `
    const { Worker } = require('node:worker_threads');
    const { once } = require('node:events');
    (async () => {
      for (let round = 0; round < 15; round++) {
        const worker = new Worker(${JSON.stringify(`
          ${requiring()};
          const { parentPort } = require('node:worker_threads');
          ${flood};
          millrace.hash('sha256', 'x', 'hex', (error, digest) => parentPort.postMessage(digest));
            `)}, { eval: true });
        const [digest] = await once(worker, 'message');
        if (digest !== '2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881')
          throw new Error(digest);
        await worker.terminate();
      }
      console.log('survived');
    })();
  `,
    { bare: true },
  );
});

test('a worker that calls process.exit with jobs in flight keeps its exit code', async () => {
  await prints(
    '5\n1\n6\n',
    `
    ${preamble}(async () => {
      for (const ending of [
        'process.exit(5)',
        "throw new Error('thrown')",
        "millrace.hash('sha256', 'x', () => process.exit(6))",
      ]) {
        const worker = start(${JSON.stringify(flood)} + ending);
        worker.on('error', () => {});
        console.log(await new Promise((resolve) => worker.on('exit', resolve)));
      }
    })();
  `,
  );
});

test('terminated inside a callback, and inside a getter of its options', async () => {
  await prints(
    'survived\n',
    `
    ${preamble}(async () => {
      for (const program of [
        "millrace.hash('sha256', 'x', () => { parentPort.postMessage('in'); for (;;); });",
        "promises.hash('sha256', 'x').then(() => { parentPort.postMessage('in'); for (;;); });",
        "millrace.hash('sha256', 'x', { get encoding() { parentPort.postMessage('in'); " +
          'for (;;); } });',
        "const other = new AbortController().signal; Object.defineProperty(other, 'aborted', " +
          "{ get() { parentPort.postMessage('in'); for (;;); } }); " +
          "promises.hash('sha256', 'x', { signal: other });",
      ]) {
        for (let round = 0; round < 3; round++) {
          const worker = start(${JSON.stringify(flood)} + program);
          await once(worker, 'message');
          await worker.terminate();
          if ((await promises.hash('md5', '', 'hex')) !== 'd41d8cd98f00b204e9800998ecf8427e')
            throw new Error('wrong digest');
        }
      }
      console.log('survived');
    })();
  `,
  );
});

test('the main thread exits while workers have jobs in flight', async () => {
  for (const ending of [
    'process.exit(8)',
    'setTimeout(() => process.exit(8), 20)',
    'process.exitCode = 8; worker.unref(); other.unref()',
  ]) {
    const { code, signal, stderr, ms } = await run(`
      ${preamble}(async () => {
        const worker = start(${JSON.stringify(flooding)});
        const other = start(${JSON.stringify(`${flood}\nparentPort.postMessage('flying');`)});
        await Promise.all([once(worker, 'message'), once(other, 'message')]);
        promises.hash('sha512', Buffer.alloc(2 ** 24));
        ${ending};
      })();
    `);
    assert.deepEqual([code, signal], [8, null], `${ending}: ${stderr}`);
    assert.ok(ms < 10_000, `${ending}: ${ms} ms`);
  }
});

test('a worker ends by itself after its jobs, and does not before', async () => {
  await prints(
    '100\nexit 0\n',
    `
    ${preamble}
    const worker = start(\`
      let done = 0;
      for (let index = 0; index < 100; index++)
        promises.hash('sha256', Buffer.alloc(10_000)).then(() => done++);
      process.on('exit', () => parentPort.postMessage(done));
    \`);
    worker.on('message', (done) => console.log(done));
    worker.on('exit', (exitCode) => console.log('exit', exitCode));
  `,
  );
});

test('buffers may be sent to and fro between calls', async () => {
  await prints(
    'done\n',
    `
    ${preamble}
    (async () => {
      const worker = start(\`
        parentPort.on('message', async ({ bytes, last }) => {
          const digest = await promises.hash('sha256', bytes, 'hex');
          parentPort.postMessage({ bytes, digest }, [bytes.buffer]);
          if (last) parentPort.close();
        });
      \`);
      let bytes = new Uint8Array(100_000).fill(9);
      const expected = millrace.hash('sha256', bytes, 'hex');
      for (let round = 0; round < 30; round++) {
        const own = promises.hash('sha256', bytes, 'hex');
        worker.postMessage({ bytes, last: round === 29 }, [bytes.buffer]);
        const [message] = await once(worker, 'message');
        if (message.digest !== expected || await own !== expected) throw new Error('wrong digest');
        bytes = message.bytes;
      }
      console.log('done');
    })();
  `,
  );
});

test('a limit set in one environment holds for all', async () => {
  await prints(
    '3,2 2\n',
    `
    ${preamble};
    millrace.configure({ threads: 3 });
    start(
      'parentPort.postMessage([millrace.configure().threads, ' +
        'millrace.configure({ threads: 2 }).threads])',
    ).on('message', (seen) => console.log(seen.join(), millrace.configure().threads));
  `,
  );
});

test('keys stay in their environment', async () => {
  await prints(
    'DataCloneError\ntrue true\n',
    `
    ${preamble}
    const key = millrace.createKey('hmac-sha256', 'secret');
    try {
      start('', key);
    } catch (error) {
      console.log(error.name);
    }
    const worker = start(\`
      const own = millrace.createKey('hmac-sha256', 'of the worker');
      const expected = millrace.hmac('sha256', 'of the worker', 'x', 'hex');
      parentPort.postMessage(millrace.hmac('sha256', own, 'x', 'hex') === expected);
    \`);
    worker.on('message', (message) => {
      const expected = millrace.hmac('sha256', 'secret', 'x', 'hex');
      console.log(message, millrace.hmac('sha256', key, 'x', 'hex') === expected);
    });
  `,
  );
});
