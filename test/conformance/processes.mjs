// Features that a runtime like Node has beyond a browser: files, Node's streams and KeyObjects,
// threads, contexts of callbacks, and the end of a process. Run by host.mjs, never in a browser.

import { AsyncLocalStorage } from 'node:async_hooks';
import { Buffer } from 'node:buffer';
import { execFile } from 'node:child_process';
import { createHash, createHmac, createSecretKey } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';

import { pattern, toHex } from './bytes.mjs';
import { ok, same, sameBytes, sameError } from './verdicts.mjs';
import { errorOf, callStylesOf } from './call-styles.mjs';

const here = (file) => fileURLToPath(new URL(file, import.meta.url));

export function processes({ millrace, promises, options, add, where }) {
  const digest = (bytes, encoding = 'hex') => createHash('sha256').update(bytes).digest(encoding);

  for (const { name: way, call } of callStylesOf(millrace, promises)) {
    add('files', 'hashFile', way, () =>
      inFolder(async (folder) => {
        for (const size of [0, 1, 100_000, 5_000_000]) {
          const path = join(folder, `of ${size} bytes`);
          await writeFile(path, pattern(size));
          same(
            await call('hashFile', 'sha256', path, { ...options, encoding: 'hex' }),
            digest(pattern(size)),
            `${size} bytes`,
          );
          sameBytes(
            await call('hashFile', 'sha256', pathToFileURL(path), options),
            digest(pattern(size)),
            'by URL',
          );
        }
        same(
          (await errorOf(call('hashFile', 'sha256', join(folder, 'none'), options), 'none')).code,
          'ENOENT',
          'no file',
        );
        same(
          (await errorOf(call('hashFile', 'sha256', folder, options), 'folder')).code,
          'EISDIR',
          'a folder',
        );
      }),
    );
    add('files', 'hashFiles', way, () =>
      inFolder(async (folder) => {
        const sizes = [0, 1, 100_000, 2_000_000];
        const paths = sizes.map((size) => join(folder, `of ${size} bytes`));
        for (const [index, path] of paths.entries()) await writeFile(path, pattern(sizes[index]));
        const given = { ...options, encoding: 'hex', errors: 'return' };
        const all = await call('hashFiles', 'sha256', [...paths, join(folder, 'none')], given);
        for (const [index, size] of sizes.entries())
          same(all[index], digest(pattern(size)), `${size} bytes`);
        same(all.at(-1).code, 'ENOENT', 'no file');
        same(
          (await errorOf(call('hashFiles', 'sha256', [folder], options), 'folder')).index,
          0,
          'the index of a folder',
        );
      }),
    );
  }
  add('node', 'streams', 'a file piped through hashers', () =>
    inFolder(async (folder) => {
      const path = join(folder, 'file');
      await writeFile(path, pattern(3_000_000));
      for (const algorithm of ['sha256', 'blake3', 'xxh3-64']) {
        const hash = millrace.createHash(algorithm, options);
        ok(hash instanceof Transform, 'no Transform');
        await pipeline(createReadStream(path), hash);
        sameBytes(hash.read(), millrace.hash(algorithm, pattern(3_000_000), options), algorithm);
      }
      const hmac = createReadStream(path).pipe(millrace.createHmac('sha512', 'key', options));
      const [code] = await hmac.toArray();
      sameBytes(code, createHmac('sha512', 'key').update(pattern(3_000_000)).digest('hex'), 'HMAC');
      same(
        await promises.hash('sha256', createReadStream(path), 'hex'),
        digest(pattern(3_000_000)),
        'a Node stream as pieces',
      );
      same(
        await promises.hash('sha256', Readable.from(['a', 'b']), 'hex'),
        digest('ab'),
        'a stream of objects',
      );
    }),
  );
  add('node', 'Buffer', 'results are Buffers, and Buffers are taken', async () => {
    for (const { name: way, call } of callStylesOf(millrace, promises)) {
      const result = await call('hash', 'sha256', Buffer.from('text'), options);
      ok(Buffer.isBuffer(result), way);
      same(result.toString('hex'), digest('text'), way);
    }
  });
  add('node', 'KeyObject', 'secret keys of node:crypto', async () => {
    const key = createSecretKey(pattern(32));
    const given = { ...options, nonce: pattern(12), source: pattern(100) };
    sameBytes(
      millrace.seal('aes-256-gcm', { ...given, key: millrace.createKey('aes-256-gcm', key) }),
      millrace.seal('aes-256-gcm', { ...given, key: pattern(32) }),
      'createKey',
    );
    sameBytes(
      millrace.createHmac('sha256', key, options).update('x').digest(),
      createHmac('sha256', key).update('x').digest('hex'),
      'createHmac',
    );
    sameBytes(
      await promises.hkdf('sha256', key, '', '', 32),
      millrace.hkdf('sha256', pattern(32), '', '', 32),
      'hkdf',
    );
  });
  add('node', 'AsyncLocalStorage', 'callbacks and promises keep their context', async () => {
    const storage = new AsyncLocalStorage();
    const seen = await Promise.all(
      [100, 3_000_000].flatMap((size) => [
        storage.run(
          `callback ${size}`,
          () =>
            new Promise((resolve) =>
              millrace.hash('sha256', pattern(size), options, () => resolve(storage.getStore())),
            ),
        ),
        storage.run(`promise ${size}`, () =>
          promises.hash('sha256', pattern(size), options).then(() => storage.getStore()),
        ),
      ]),
    );
    same(seen.join(), 'callback 100,promise 100,callback 3000000,promise 3000000', 'contexts');
  });
  add('node', 'event loop', 'free while a long derivation runs', async () => {
    let turns = 0;
    const timer = setInterval(() => turns++, 2);
    try {
      await promises.scrypt('password', 'salt', 32, { N: 2 ** 16, maxmem: 2 ** 28 });
    } finally {
      clearInterval(timer);
    }
    ok(turns >= 5, `${turns} turns`);
  });
  add('threads', 'worker_threads', 'a worker thread answers and ends', async () => {
    const answer = await new Promise((resolve, reject) => {
      const worker = new Worker(here('thread.mjs'), {
        workerData: { where, options, leave: false },
      });
      worker.once('message', resolve);
      worker.once('error', reject);
    });
    same(answer.digest, digest(pattern(300_000)), 'digest');
    same(
      answer.long,
      toHex(await promises.hash('blake3', pattern(3_000_000), options)),
      'long digest',
    );
  });
  add('threads', 'worker_threads', 'terminated with work in flight', async () => {
    for (let round = 0; round < 3; round++) {
      const worker = new Worker(here('thread.mjs'), {
        workerData: { where, options, leave: true },
      });
      await new Promise((resolve, reject) => {
        worker.once('message', resolve);
        worker.once('error', reject);
      });
      await worker.terminate();
    }
    same(
      await promises.hash('sha256', pattern(300_000), { ...options, encoding: 'hex' }),
      digest(pattern(300_000)),
      'this thread afterwards',
    );
  });
  const exits = {
    'ends when nothing is left to do': ['ends', { code: 0, stdout: 'done' }],
    'stays while work is in flight': ['waits', { code: 0, stdout: digest(pattern(3_000_000)) }],
    'can be left with work in flight': ['leaves', { code: 7 }],
    'ends by a callback that throws, as an uncaught exception': [
      'throws',
      { code: 5, stdout: 'caught: of a callback' },
    ],
    'has an uncaught exception for an error that nothing handles': [
      'rejects',
      { code: 6, stdout: 'unhandled: ERR_AUTHENTICATION' },
    ],
  };
  for (const [title, [action, expected]] of Object.entries(exits)) {
    add('processes', action, title, async () => {
      const { code, stdout, stderr } = await child(action, where, options);
      same(code, expected.code, `exit code (${stderr.slice(-400)})`);
      if (expected.stdout !== undefined) same(stdout.trim(), expected.stdout, 'stdout');
    });
  }
  add('refusals', 'node', 'files and keys that cannot be', async () => {
    sameError(
      await errorOf(promises.hashFile('nope', 'x'), 'hashFile'),
      'ERR_UNKNOWN_ALGORITHM',
      millrace,
      'hashFile',
    );
    sameError(
      await errorOf(promises.hashFile('sha256', 5), 'hashFile'),
      'ERR_ARGUMENT_TYPE',
      millrace,
      'hashFile',
    );
  });
}

async function inFolder(use) {
  const folder = await mkdtemp(join(tmpdir(), 'millrace-conformance-'));
  try {
    await use(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * Runs this runtime once more, for one action of child.mjs. MILLRACE_NODE_COMMAND has the arguments
 * that start it, in JSON, where an emulator must start it.
 */
function child(action, where, options) {
  const given = process.env.MILLRACE_NODE_COMMAND;
  const [program, ...runtime] =
    given === undefined
      ? [process.execPath, ...(process.versions.deno === undefined ? [] : ['run', '-A'])]
      : JSON.parse(given);
  return new Promise((resolve) => {
    const started = execFile(
      program,
      [...runtime, here('child.mjs'), action, JSON.stringify({ where, options })],
      { timeout: 300_000, killSignal: 'SIGKILL' },
      (_, stdout, stderr) => {
        resolve({ code: started.exitCode, stdout, stderr });
      },
    );
  });
}
