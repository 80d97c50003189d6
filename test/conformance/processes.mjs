// Features that a runtime like Node has beyond a browser: files, Node's streams and KeyObjects,
// threads, contexts of callbacks, and the end of a process. Run by host.mjs, never in a browser.

import { AsyncLocalStorage } from 'node:async_hooks';
import { Buffer } from 'node:buffer';
import { execFile } from 'node:child_process';
import { createHash, createHmac, createSecretKey } from 'node:crypto';
import { once } from 'node:events';
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
import { ok, same, sameBytes } from './verdicts.mjs';
import { errorOf } from './call-styles.mjs';

const here = (file) => fileURLToPath(new URL(file, import.meta.url));

export function processes({ millrace, promises, options, add, where, styles, refused }) {
  const digest = (bytes) => createHash('sha256').update(bytes).digest('hex');

  for (const { name: way, call } of styles) {
    add('files', 'hashFile', way, () =>
      inFolder(async (folder) => {
        const hashFile = (file, more) => call('hashFile', 'sha256', file, { ...options, ...more });
        for (const size of [0, 1, 100_000, 5_000_000]) {
          const [path, expected] = [join(folder, `of ${size} bytes`), digest(pattern(size))];
          await writeFile(path, pattern(size));
          same(await hashFile(path, { encoding: 'hex' }), expected, `${size} bytes`);
          sameBytes(await hashFile(pathToFileURL(path)), expected, 'by URL');
        }
        for (const [path, code] of [
          [join(folder, 'none'), 'ENOENT'],
          [folder, 'EISDIR'],
        ])
          same((await errorOf(hashFile(path), path)).code, code, path);
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
        const { index } = await errorOf(call('hashFiles', 'sha256', [folder], options), 'folder');
        same(index, 0, 'the index of a folder');
      }),
    );
  }
  add('node', 'streams', 'a file piped through hashers', () =>
    inFolder(async (folder) => {
      const path = join(folder, 'file');
      const content = pattern(3_000_000);
      await writeFile(path, content);
      for (const algorithm of ['sha256', 'blake3', 'xxh3-64']) {
        const hash = millrace.createHash(algorithm, options);
        ok(hash instanceof Transform, 'no Transform');
        await pipeline(createReadStream(path), hash);
        sameBytes(hash.read(), millrace.hash(algorithm, content, options), algorithm);
      }
      const hmac = createReadStream(path).pipe(millrace.createHmac('sha512', 'key', options));
      const [code] = await hmac.toArray();
      sameBytes(code, createHmac('sha512', 'key').update(content).digest('hex'), 'HMAC');
      const hash = (stream) => promises.hash('sha256', stream, 'hex');
      same(await hash(createReadStream(path)), digest(content), 'a Node stream as pieces');
      same(await hash(Readable.from(['a', 'b'])), digest('ab'), 'a stream of objects');
    }),
  );
  add('node', 'Buffer', 'results are Buffers, and Buffers are taken', async () => {
    for (const { name: way, call } of styles) {
      const result = await call('hash', 'sha256', Buffer.from('text'), options);
      ok(Buffer.isBuffer(result), way);
      same(result.toString('hex'), digest('text'), way);
    }
  });
  add('node', 'KeyObject', 'secret keys of node:crypto', async () => {
    const [key, bytes] = [createSecretKey(pattern(32)), pattern(32)];
    const given = { ...options, nonce: pattern(12), source: pattern(100) };
    const prepared = millrace.createKey('aes-256-gcm', key);
    const sealed = millrace.seal('aes-256-gcm', { ...given, key: prepared });
    const expected = millrace.seal('aes-256-gcm', { ...given, key: bytes });
    sameBytes(sealed, expected, 'createKey');
    const code = millrace.createHmac('sha256', key, options).update('x').digest();
    sameBytes(code, createHmac('sha256', key).update('x').digest('hex'), 'createHmac');
    const derived = await promises.hkdf('sha256', key, '', '', 32);
    sameBytes(derived, millrace.hkdf('sha256', bytes, '', '', 32), 'hkdf');
  });
  add('node', 'AsyncLocalStorage', 'callbacks and promises keep their context', async () => {
    const storage = new AsyncLocalStorage();
    const store = () => storage.getStore();
    const hash = (size) => promises.hash('sha256', pattern(size), options).then(store);
    const byCallback = (size) =>
      new Promise((resolve) =>
        millrace.hash('sha256', pattern(size), options, () => resolve(store())),
      );
    const seen = await Promise.all(
      [100, 3_000_000].flatMap((size) => [
        storage.run(`callback ${size}`, byCallback, size),
        storage.run(`promise ${size}`, hash, size),
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
  /** Starts a thread; gives it and its first message. */
  const thread = async (leave) => {
    const worker = new Worker(here('thread.mjs'), { workerData: { where, options, leave } });
    return [worker, ...(await once(worker, 'message'))];
  };
  add('threads', 'worker_threads', 'a worker thread answers and ends', async () => {
    const [, answer] = await thread(false);
    same(answer.digest, digest(pattern(300_000)), 'digest');
    const long = await promises.hash('blake3', pattern(3_000_000), options);
    same(answer.long, toHex(long), 'long digest');
  });
  add('threads', 'worker_threads', 'terminated with work in flight', async () => {
    for (let round = 0; round < 3; round++) {
      const [worker] = await thread(true);
      await worker.terminate();
    }
    const found = await promises.hash('sha256', pattern(300_000), { ...options, encoding: 'hex' });
    same(found, digest(pattern(300_000)), 'this thread afterwards');
  });
  for (const [action, title, code, expected] of [
    ['ends', 'ends when nothing is left to do', 0, 'done'],
    ['waits', 'stays while work is in flight', 0, digest(pattern(3_000_000))],
    ['leaves', 'can be left with work in flight', 7],
    [
      'throws',
      'ends by a callback that throws, as an uncaught exception',
      5,
      'caught: of a callback',
    ],
    [
      'rejects',
      'has an uncaught exception for an error that nothing handles',
      6,
      'unhandled: ERR_AUTHENTICATION',
    ],
  ])
    add('processes', action, title, async () => {
      const ended = await child(action, where, options);
      same(ended.code, code, `exit code (${ended.stderr.slice(-400)})`);
      if (expected !== undefined) same(ended.stdout.trim(), expected, 'stdout');
    });
  add('refusals', 'node', 'files and keys that cannot be', async () => {
    await refused(promises.hashFile('nope', 'x'), 'ERR_UNKNOWN_ALGORITHM', 'hashFile');
    await refused(promises.hashFile('sha256', 5), 'ERR_ARGUMENT_TYPE', 'hashFile');
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
      (_, stdout, stderr) => resolve({ code: started.exitCode, stdout, stderr }),
    );
  });
}
