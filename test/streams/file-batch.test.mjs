// Files that workers read by themselves, as the command has them (src/streams/hash-files.ts): what
// is hashed there, what is left to others.

import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';

import millrace from 'millrace';

import { entryPaths, temporary } from '../support/child.mjs';
import { windows, without } from '../support/shell.mjs';

const require = createRequire(import.meta.url);
const dist = dirname(entryPaths.millrace);
const { Answers, hashPath, hashPaths, hashPathsSync, workers } = require(
  join(dist, 'streams/digest-stream.js'),
)['streams/file-batch'];
const { findHash } = require(join(dist, 'core.js'))['catalog/catalog'];
const sha256 = findHash('sha256').id;

async function inFolder(body) {
  const folder = temporary();
  try {
    await body((name) => join(folder, name));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const packed = (paths, largest) => ({
  bytes: Buffer.from(paths.map((path) => `${path}\0`).join('')),
  count: paths.length,
  largest,
});

/** Returns the answer for each file: the digest, or the number that means none. */
function told({ sizes, digests }) {
  return Array.from(sizes, (size, index) =>
    size >= 0
      ? `${size} ${Buffer.from(digests).toString('hex', index * 32, index * 32 + 32)}`
      : size,
  );
}

test(
  'regular files are hashed; those too large, and all else, are named',
  { skip: windows || without('mkfifo') },
  () =>
    inFolder(async (at) => {
      const content = randomBytes(300_000);
      for (const size of [0, 1, 131_072, 131_073, 300_000])
        writeFileSync(at(`f${size}`), content.subarray(0, size));
      mkdirSync(at('folder'));
      symlinkSync('f1', at('link'));
      symlinkSync('nowhere', at('dangling'));
      spawnSync('mkfifo', [at('pipe')]);
      // A writer to a pipe waits for a reader and fails when the reader closes it: there is none.
      const writer = spawn('sh', ['-c', `echo x > "${at('pipe')}"; echo $?`], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      const line = (size) => `${size} ${millrace.hash('sha256', content.subarray(0, size), 'hex')}`;
      const expected = {
        f0: line(0),
        folder: NaN,
        f1: line(1),
        missing: NaN,
        f131072: line(131_072),
        link: line(1),
        pipe: NaN,
        f131073: line(131_073),
        dangling: NaN,
        f300000: -300_000,
      };
      const paths = packed(Object.keys(expected).map(at), 299_999);
      const here = new Answers(paths, 32);
      hashPathsSync(sha256, paths, here);
      assert.deepEqual(told(here), Object.values(expected));
      const there = new Answers(paths, 32);
      await hashPaths(sha256, paths, there);
      assert.deepEqual(told(there), Object.values(expected));
      assert.equal(writer.exitCode, null);
      const [, [data]] = await Promise.all([
        spawnSync('cat', [at('pipe')]),
        once(writer.stdout, 'data'),
      ]);
      assert.equal(data.toString(), '0\n');
    }),
);

test('many files at once, more than go together in lanes, in several calls', () =>
  inFolder(async (at) => {
    const contents = Array.from({ length: 700 }, (_, index) => randomBytes((index * 37) % 5000));
    for (const [index, content] of contents.entries()) writeFileSync(at(`f${index}`), content);
    for (const algorithm of ['sha256', 'blake3', 'md5']) {
      const { id, digestSize } = findHash(algorithm);
      const paths = packed(
        contents.map((_, index) => at(`f${index}`)),
        1e6,
      );
      const calls = Array.from({ length: 3 }, () => new Answers(paths, digestSize));
      await Promise.all(calls.map((answers) => hashPaths(id, paths, answers)));
      const right = Buffer.concat(contents.map((content) => millrace.hash(algorithm, content)));
      for (const { digests, sizes } of calls) {
        assert.ok(right.equals(digests), algorithm);
        assert.deepEqual(
          Array.from(sizes),
          contents.map(({ length }) => length),
        );
      }
    }
  }));

test('fewer paths than were said, and a target that does not fit, are refused', () =>
  inFolder(async (at) => {
    const paths = { bytes: Buffer.from('a\0b'), count: 5, largest: 1 };
    assert.throws(() => hashPathsSync(sha256, paths, new Answers(paths, 32)), {
      code: 'ERR_ARGUMENT_VALUE',
    });
    writeFileSync(at('a'), 'a');
    const one = packed([at('a')], 1);
    assert.throws(() => hashPathsSync(sha256, one, new Answers(one, 31)), {
      code: 'ERR_OUTPUT_SIZE',
    });
  }));

test('a large file: its digest and how far it is; another size than was said is refused', () =>
  inFolder(async (at) => {
    const content = Buffer.alloc(48 * 2 ** 20, randomBytes(2 ** 20));
    writeFileSync(at('large'), content);
    assert.ok(workers() >= 1);
    for (const algorithm of ['sha256', 'blake3', 'ripemd160']) {
      const { id, digestSize } = findHash(algorithm);
      const { digest, progress } = hashPath(
        id,
        Buffer.from(at('large')),
        content.length,
        digestSize,
      );
      const fractions = [];
      const look = setInterval(() => fractions.push(progress()), 1);
      assert.ok(millrace.hash(algorithm, content).equals(await digest), algorithm);
      clearInterval(look);
      assert.ok(
        fractions.every(
          (each, index) => each >= 0 && each <= 1 && (index === 0 || each >= fractions[index - 1]),
        ),
        `${algorithm}: ${fractions}`,
      );
      for (const size of [content.length - 1, content.length + 1])
        await assert.rejects(hashPath(id, Buffer.from(at('large')), size, digestSize).digest);
      await assert.rejects(hashPath(id, Buffer.from(at('missing')), 5, digestSize).digest);
    }
  }));

test('a thread that ends while its files are read', () =>
  inFolder(async (at) => {
    writeFileSync(at('large'), Buffer.alloc(64 * 2 ** 20, 1));
    for (const algorithm of ['ripemd160', 'blake3']) {
      const { id, digestSize } = findHash(algorithm);
      const source = `
        const { hashPath } = require(${JSON.stringify(join(dist, 'streams/digest-stream.js'))})[
          'streams/file-batch'
        ];
        for (let index = 0; index < 8; index++)
          hashPath(
            ${id},
            Buffer.from(${JSON.stringify(at('large'))}),
            ${64 * 2 ** 20},
            ${digestSize},
          ).digest.catch(() => {});
        require('node:worker_threads').parentPort.postMessage('begun');`;
      for (const delay of [0, 5, 30]) {
        const thread = new Worker(source, { eval: true });
        await once(thread, 'message');
        await sleep(delay);
        assert.equal(await thread.terminate(), 1);
      }
    }
    // The pool is free again.
    const answer = await hashPath(sha256, Buffer.from(at('large')), 64 * 2 ** 20, 32).digest;
    assert.ok(millrace.hash('sha256', Buffer.alloc(64 * 2 ** 20, 1)).equals(answer));
  }));
