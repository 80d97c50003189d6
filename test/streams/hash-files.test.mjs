// hashFiles: digests of many files in their order, in all call styles, on both engines; what
// happens to files that cannot be read, to iterators and to signals.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import * as fs from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { after, describe, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';

import millrace from 'millrace';
import promises from 'millrace/promises';

import { entryPaths } from '../support/child.mjs';
import { random } from '../support/random.mjs';
import { ways } from '../support/ways.mjs';

const numbers = random('hashFiles');
const folder = fs.mkdtempSync(join(tmpdir(), 'millrace-hash-files-'));
after(() => fs.rmSync(folder, { recursive: true, force: true }));
const missing = join(folder, 'missing');
const directory = join(folder, 'directory');
fs.mkdirSync(directory);

const contents = Array.from({ length: 600 }, (_, index) => numbers.bytes((index * 53) % 3000));
// Larger than a small file of native code, than its chunks, and than a call's largest file.
for (const size of [131_072, 131_073, 1_048_576, 1_048_577, 5_000_000])
  contents.splice(numbers.below(contents.length), 0, numbers.bytes(size));
const paths = contents.map((content, index) => {
  const path = join(folder, `f${index}`);
  fs.writeFileSync(path, content);
  return path;
});
const digests = (algorithm, form) =>
  contents.map((content) => millrace.hash(algorithm, content, form));

const descriptors = () => {
  let count = 0;
  for (const fd of fs.readdirSync('/proc/self/fd'))
    try {
      if (fs.readlinkSync(`/proc/self/fd/${fd}`).startsWith(folder)) count += 1;
    } catch {
      // The descriptor that read the folder.
    }
  return count;
};
const noProc = !fs.existsSync('/proc/self/fd') && 'skipped: no /proc here';

for (const [way, call] of Object.entries(ways)) {
  const hashFiles = async (...given) => call('hashFiles', ...given);

  for (const engine of [undefined, 'portable']) {
    const given = engine === undefined ? {} : { engine };
    const name = `${way}, ${engine ?? 'default engine'}`;

    test(`${name}: digests in the order of the paths, in every encoding`, async () => {
      assert.deepEqual(await hashFiles('sha256', paths, given), digests('sha256'));
      const few = paths.slice(0, 20);
      for (const encoding of ['buffer', 'hex', '0xhex', 'base64', 'base64url', 'bigint'])
        assert.deepEqual(
          await hashFiles('sha1', few, { ...given, encoding }),
          digests('sha1', encoding).slice(0, 20),
        );
      assert.deepEqual(await hashFiles('sha256', [], given), []);
    });

    test(`${name}: the first file in the order that cannot be hashed is the error`, async () => {
      for (const [path, code] of [
        [missing, 'ENOENT'],
        [directory, 'EISDIR'],
      ]) {
        const mixed = [...paths.slice(0, 300), path, ...paths.slice(300), missing];
        const expected = { code, path, index: 300 };
        await assert.rejects(hashFiles('md5', mixed, given), expected);
        await assert.rejects(hashFiles('md5', mixed, { ...given, errors: 'throw' }), expected);
        const all = await hashFiles('md5', mixed, { ...given, errors: 'return', encoding: 'hex' });
        const [error, last] = [all[300], all.at(-1)];
        assert.deepEqual([error.code, error.index], [code, 300]);
        assert.deepEqual([last.code, last.path], ['ENOENT', missing]);
        assert.deepEqual(
          all.filter((each) => typeof each === 'string'),
          digests('md5', 'hex'),
        );
      }
    });
  }

  test(`${way}: the encoding as an argument, Buffers, URLs and sets`, async () => {
    const few = paths.slice(0, 3);
    const expected = digests('blake3', 'hex').slice(0, 3);
    assert.deepEqual(await hashFiles('blake3', few, 'hex'), expected);
    const mixed = [Buffer.from(few[0]), pathToFileURL(few[1]), few[2]];
    assert.deepEqual(await hashFiles('blake3', mixed, 'hex'), expected);
    assert.deepEqual(await hashFiles('blake3', new Set(few), 'hex'), expected);
  });

  test(`${way}: every algorithm, and the parameters of hashes`, async () => {
    const few = paths.slice(0, 5);
    const check = async (name, options) =>
      assert.deepEqual(
        await hashFiles(name, few, options),
        contents.slice(0, 5).map((content) => millrace.hash(name, content, options)),
        name,
      );
    for (const name of millrace.getHashes())
      if (!/^(kmac|tuplehash)/.test(name)) await check(name, {});
    const key = Buffer.alloc(32, 7);
    await check('blake3', { key, outputLength: 100 });
    await check('blake2b', { outputLength: 20 });
    await check('shake256', { outputLength: 5000 });
    await check('parallelhash128', { outputLength: 40 });
    await check('xxh3-64', { seed: 5 });
    await check('kmac128', { key, customization: 'c' });
    await check('blake3', { key: millrace.createKey('blake3', key) });
  });

  test(`${way}: invalid arguments, before a file is read`, async () => {
    const url = new URL('https://example.org/');
    for (const [code, message, ...given] of [
      ['ERR_UNKNOWN_ALGORITHM', /sha257/, 'sha257', [missing]],
      ...[paths[0], Buffer.from(paths[0]), undefined, null, 5, {}].map((wrong) => [
        'ERR_ARGUMENT_TYPE',
        /^paths must be an array or iterable/,
        'sha256',
        wrong,
      ]),
      ['ERR_ARGUMENT_TYPE', /^paths\[1\] must be a string/, 'sha256', [missing, 5]],
      ['ERR_ARGUMENT_VALUE', /^paths\[1\] must not have/, 'sha256', [missing, 'a\0b']],
      ['ERR_ARGUMENT_VALUE', /^paths\[0\] must be the URL of a file/, 'sha256', [url]],
      ['ERR_ARGUMENT_VALUE', /0xhex/, 'sha256', [missing], 'hexx'],
      ['ERR_ARGUMENT_VALUE', /error.*did you mean/s, 'sha256', [missing], { error: 1 }],
      ['ERR_ARGUMENT_VALUE', /'throw' or 'return'/, 'sha256', [missing], { errors: 'ignore' }],
      ['ERR_ARGUMENT_TYPE', /'throw' or 'return'/, 'sha256', [missing], { errors: 1 }],
      ['ERR_ARGUMENT_VALUE', /target/, 'sha256', [missing], { target: Buffer.alloc(9) }],
      ['ERR_ARGUMENT_VALUE', /no items/, 'tuplehash128', [missing]],
      ['ERR_MISSING_ARGUMENT', /key/, 'kmac128', [missing]],
    ])
      await assert.rejects(hashFiles(...given), { code, message });
  });

  test(
    `${way}: a file without permission`,
    { skip: process.getuid?.() === 0 && 'skipped: root reads every file' },
    async () => {
      const path = join(folder, `secret of ${way}`);
      fs.writeFileSync(path, 'x');
      fs.chmodSync(path, 0);
      await assert.rejects(hashFiles('sha256', [paths[0], path]), { code: 'EACCES', index: 1 });
    },
  );

  test(`${way}: a throwing iterator's error is the call's`, async () => {
    const error = new Error('of the iterator');
    function* failing() {
      yield* paths.slice(0, 100);
      throw error;
    }
    await assert.rejects(hashFiles('sha256', failing()), (thrown) => thrown === error);
  });

  test(`${way}: an iterator is closed after a wrong path`, async () => {
    let closed = 0;
    function* wrong() {
      try {
        yield paths[0];
        yield 5;
        assert.fail('asked for more');
      } finally {
        closed += 1;
      }
    }
    await assert.rejects(hashFiles('sha256', wrong()), { code: 'ERR_ARGUMENT_TYPE' });
    assert.equal(closed, 1);
  });
}

describe('onProgress', () => {
  const total = contents.reduce((sum, { length }) => sum + length, 0);
  /** Checks that reports grow up to all bytes and files. */
  const checked = (reports, files) => {
    assert.deepEqual(reports.at(-1), { bytes: total, files });
    for (const [index, { bytes, files: done }] of reports.slice(1).entries())
      assert.ok(bytes >= reports[index].bytes && done >= reports[index].files);
    assert.ok(reports.length > 3, `${reports.length} reports`);
  };

  for (const options of [{}, { engine: 'portable' }])
    test(`reports bytes and files, ${options.engine ?? 'default engine'}`, async () => {
      for (const call of [ways.callback, ways.promise]) {
        const reports = [];
        const onProgress = (progress) => reports.push(progress);
        await call('hashFiles', 'sha256', paths, { ...options, onProgress });
        checked(reports, paths.length);
      }
      // Files that cannot be hashed are finished too.
      const reports = [];
      const all = [missing, ...paths, directory];
      const iterator = promises.hashFilesIterator('sha256', all, {
        ...options,
        errors: 'return',
        onProgress: (progress) => reports.push(progress),
      });
      for await (const _ of iterator);
      checked(reports, all.length);
    });

  test('an exception ends the call', async () => {
    const onProgress = () => {
      throw new Error('enough');
    };
    const hashing = (given) => promises.hashFiles('sha256', paths, 'hex', given);
    await assert.rejects(hashing({ onProgress }), { message: 'enough' });
    await assert.rejects(hashing({ onProgress: 5 }), { code: 'ERR_ARGUMENT_TYPE' });
  });
});

test('what a synchronous call does not take', () => {
  const { signal } = new AbortController();
  const only = /callback or millrace\/promises/;
  for (const [code, message, ...given] of [
    ['ERR_ARGUMENT_VALUE', only, paths, { signal }],
    ['ERR_ARGUMENT_VALUE', only, paths, { onProgress: () => {} }],
    ['ERR_ARGUMENT_TYPE', /millrace\/promises takes an async iterable/, Readable.from(paths)],
    ['ERR_ARGUMENT_TYPE', /^callback/, paths, 'hex', {}],
    ['ERR_MISSING_ARGUMENT', /^hashFiles takes/, paths, 'hex', undefined, () => {}],
  ])
    assert.throws(() => millrace.hashFiles('sha256', ...given), { code, message });
});

test('async iterables: generators, and streams of paths that reuse a Buffer', async () => {
  const expected = digests('sha256', 'hex');
  async function* generated() {
    const place = Buffer.alloc(4096);
    for (const path of paths) yield place.subarray(0, place.fill(0).write(path));
  }
  for (const [iterable, options] of [
    [generated(), 'hex'],
    [Readable.from(paths), 'hex'],
    [generated(), { encoding: 'hex', engine: 'portable' }],
  ])
    assert.deepEqual(await promises.hashFiles('sha256', iterable, options), expected);
});

test('an async iterable is not asked for more than the files in flight', async () => {
  let given = 0;
  let closed = false;
  async function* endless() {
    try {
      for (;;) yield given++ < 1000 ? paths[0] : missing;
    } finally {
      closed = true;
    }
  }
  await assert.rejects(promises.hashFiles('sha256', endless()), { code: 'ENOENT', index: 1000 });
  assert.ok(closed);
  // 64 files a call, and a call for each worker and one more, before the failure is known.
  assert.ok(given < 1000 + 64 * 200, `${given} paths were taken`);
});

/**
 * Waits until all files are closed: an abort rejects at once, while a worker may still read the
 * file that it has open.
 */
async function allClosed() {
  for (let turn = 0; turn < 500 && descriptors() > 0; turn++) await setTimeout(10);
  assert.equal(descriptors(), 0);
}

test(
  'an abort closes the iterator, also while it waits, and every file',
  { skip: noProc },
  async () => {
    for (const options of [{}, { engine: 'portable' }]) {
      const controller = new AbortController();
      let closed = false;
      const waiting = {
        count: 0,
        [Symbol.asyncIterator]() {
          return this;
        },
        next() {
          if (this.count < paths.length)
            return Promise.resolve({ done: false, value: paths[this.count++] });
          setImmediate(() => controller.abort());
          return new Promise(() => {});
        },
        return() {
          closed = true;
          return Promise.reject(new Error('ignored'));
        },
      };
      const { signal } = controller;
      await assert.rejects(promises.hashFiles('sha256', waiting, 'hex', { signal }), {
        name: 'AbortError',
      });
      assert.ok(closed);
      await allClosed();
      const aborting = new AbortController();
      const hashing = promises.hashFiles('sha256', paths, { ...options, signal: aborting.signal });
      setImmediate(() => aborting.abort(new Error('enough')));
      await assert.rejects(hashing, { message: 'enough' });
      await allClosed();
      await assert.rejects(promises.hashFiles('sha256', paths, { signal: AbortSignal.abort() }), {
        name: 'AbortError',
      });
    }
    await assert.rejects(promises.hashFiles('sha256', paths, 'hex', { signal: 5 }), {
      code: 'ERR_ARGUMENT_TYPE',
    });
  },
);

test('the array and its Buffers may change right after the call', async () => {
  const given = paths.slice(0, 50).map((path) => Buffer.from(path));
  const hashing = promises.hashFiles('sha256', given, 'hex');
  for (const each of given) each.fill('x');
  given.length = 0;
  assert.deepEqual(await hashing, digests('sha256', 'hex').slice(0, 50));
});

test(
  'files that native code leaves to node:fs: pipes, procfs, sysfs',
  { skip: noProc },
  async () => {
    const pseudo = ['/proc/version', '/sys/class/net/lo/mtu'].filter((path) => fs.existsSync(path));
    const hashes = pseudo.map((path) => millrace.hash('sha256', fs.readFileSync(path), 'hex'));
    const pipe = join(folder, 'pipe');
    execFileSync('mkfifo', [pipe]);
    const hashing = promises.hashFiles('sha256', [paths[0], pipe, ...pseudo], 'hex');
    await writeFile(pipe, 'abc'); // another thread: opening the pipe waits for its reader
    assert.deepEqual(await hashing, [
      millrace.hash('sha256', contents[0], 'hex'),
      millrace.hash('sha256', 'abc', 'hex'),
      ...hashes,
    ]);
    assert.deepEqual(millrace.hashFiles('sha256', pseudo, 'hex'), hashes);
  },
);

test('under the permission model only files that Node may read are read', () => {
  const [major] = process.versions.node.split('.').map(Number);
  const allow = [`--allow-fs-read=${join(entryPaths.millrace, '..', '..')}`, '--allow-addons'];
  const source = `
    const millrace = require(${JSON.stringify(entryPaths.millrace)});
    const [result] = millrace.hashFiles('sha256', [${JSON.stringify(paths[0])}],
      { errors: 'return' });
    console.log(result.code);`;
  const flag = major >= 23 ? '--permission' : '--experimental-permission';
  const out = execFileSync(process.execPath, [flag, ...allow, '-e', source], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  assert.equal(out, 'ERR_ACCESS_DENIED\n');
});
