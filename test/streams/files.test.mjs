// Files: the digest of what is there, whatever its size and kind, in all three call styles.

import assert from 'node:assert/strict';
import { createHook } from 'node:async_hooks';
import { execFileSync } from 'node:child_process';
import * as fs from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { pathToFileURL } from 'node:url';

import millrace from 'millrace';
import promises from 'millrace/promises';

import { random } from '../support/random.mjs';
import { ways } from '../support/ways.mjs';

const numbers = random('files');
const folder = fs.mkdtempSync(join(tmpdir(), 'millrace-files-'));
after(() => fs.rmSync(folder, { recursive: true, force: true }));

let count = 0;
function file(bytes) {
  const path = join(folder, `${count++}`);
  fs.writeFileSync(path, bytes);
  return path;
}

const block = 512 * 1024;

/** Files of procfs, which report 0 bytes, and of sysfs, which report 4096 and have fewer. */
const pseudoFiles = ['/proc/version', '/sys/class/net/lo/mtu'].filter((path) =>
  fs.existsSync(path),
);

for (const [way, call] of Object.entries(ways)) {
  const hashFile = async (...given) => call('hashFile', ...given);

  test(`${way}: files of every size around the blocks`, async () => {
    const around = [block, 3 * block].flatMap((size) => [size - 2, size - 1, size, size + 1]);
    for (const size of [0, 1, 63, 64, 65, 4096, 65_535, 5 * block - 7, ...around]) {
      const bytes = numbers.bytes(size);
      const path = file(bytes);
      assert.equal(
        await hashFile('sha256', path, 'hex'),
        millrace.hash('sha256', bytes, 'hex'),
        `${size}`,
      );
      fs.rmSync(path);
    }
  });

  test(`${way}: paths, encodings, options and targets`, async () => {
    const bytes = numbers.bytes(100_000);
    const path = file(bytes);
    for (const each of [path, Buffer.from(path), pathToFileURL(path)])
      assert.deepEqual(await hashFile('blake3', each), millrace.hash('blake3', bytes));
    for (const encoding of ['buffer', 'hex', '0xhex', 'base64', 'base64url', 'bigint'])
      assert.deepEqual(
        await hashFile('sha3-256', path, encoding),
        millrace.hash('sha3-256', bytes, encoding),
      );
    for (const [algorithm, options] of [
      ['shake256', { outputLength: 99 }],
      ['xxh3-64', { seed: 5, encoding: 'bigint' }],
    ])
      assert.deepEqual(
        await hashFile(algorithm, path, options),
        millrace.hash(algorithm, bytes, options),
      );
    const target = Buffer.alloc(50);
    assert.equal(await hashFile('sha1', path, { target, targetOffset: 2 }), 20);
    assert.deepEqual(target.subarray(2, 22), millrace.hash('sha1', bytes));
  });

  test(`${way}: an unreadable file is the file system's error`, async () => {
    await assert.rejects(hashFile('sha256', join(folder, 'absent')), { code: 'ENOENT' });
    await assert.rejects(hashFile('sha256', folder), { code: 'EISDIR' });
    if (process.getuid?.() !== 0) {
      const path = file('secret');
      fs.chmodSync(path, 0);
      await assert.rejects(hashFile('sha256', path), { code: 'EACCES' });
    }
  });

  test(`${way}: invalid arguments`, async () => {
    const path = file('x');
    for (const [given, code, message = /./] of [
      [['sha257', path], 'ERR_UNKNOWN_ALGORITHM'],
      [['sha256', 5], 'ERR_ARGUMENT_TYPE', /^path must be/],
      [['sha256', path, 'hexx'], 'ERR_ARGUMENT_VALUE'],
      [['shake128', path, { outputLength: 0 }], 'ERR_OUTPUT_SIZE'],
      [['sha256', `a${'\0'}b`], 'ERR_ARGUMENT_VALUE'],
    ])
      await assert.rejects(hashFile(...given), { code, message });
  });

  for (const path of pseudoFiles)
    test(`${way}: ${path} is read to its end though its size is another`, async () => {
      const want = millrace.hash('sha256', fs.readFileSync(path), 'hex');
      for (const engine of ['native', 'portable'])
        assert.equal(await hashFile('sha256', path, { encoding: 'hex', engine }), want);
    });
}

test('wrong arguments throw although there is a callback, which then is not called', () => {
  assert.throws(() => millrace.hashFile('sha257', file('x'), () => assert.fail()), {
    code: 'ERR_UNKNOWN_ALGORITHM',
  });
  assert.throws(() => millrace.hashFile('sha256', file('x'), { onProgress() {} }), {
    code: 'ERR_ARGUMENT_VALUE',
  });
});

test(
  'a FIFO is read to its end',
  { skip: process.platform === 'win32' && 'no FIFO here' },
  async () => {
    const path = join(folder, 'fifo');
    execFileSync('mkfifo', [path]);
    const bytes = numbers.bytes(300_000);
    const hashing = promises.hashFile('sha256', path, 'hex');
    await writeFile(path, bytes); // another thread: the pipe holds less than that
    assert.equal(await hashing, millrace.hash('sha256', bytes, 'hex'));
  },
);

test('a file that shrinks while it is read is refused, also a sparse one', async () => {
  const sparse = file('');
  fs.truncateSync(sparse, 8 * block);
  for (const path of [file(numbers.bytes(8 * block)), sparse]) {
    const onProgress = () => fs.truncateSync(path, block);
    await assert.rejects(promises.hashFile('sha256', path, { onProgress }), {
      code: 'ERR_FILE_CHANGED',
      message: /shrank while it was read: [0-9]+ bytes instead of 4194304$/,
    });
  }
});

test('a file that grows is read to its new end', async () => {
  const bytes = numbers.bytes(3 * block);
  const path = file(bytes);
  let grown = false;
  const onProgress = () => {
    if (!grown) fs.appendFileSync(path, 'more');
    grown = true;
  };
  assert.equal(
    await promises.hashFile('sha256', path, { encoding: 'hex', onProgress }),
    millrace.hash('sha256', Buffer.concat([bytes, Buffer.from('more')]), 'hex'),
  );
});

test('progress of a file', async () => {
  const path = file(numbers.bytes(4 * block + 9));
  const seen = [];
  await promises.hashFile('sha256', path, 'hex', { onProgress: (progress) => seen.push(progress) });
  assert.deepEqual(
    seen.map(({ bytes }) => bytes),
    [block, 2 * block, 3 * block, 4 * block, 4 * block + 9],
  );
  assert.ok(seen.every(({ total }) => total === 4 * block + 9));
});

test(
  'an abort ends the reading and the file is closed',
  { skip: !fs.existsSync('/proc/self/fd') && 'no /proc here' },
  async () => {
    const open = (path) =>
      fs.readdirSync('/proc/self/fd').filter((fd) => {
        try {
          return fs.readlinkSync(`/proc/self/fd/${fd}`) === path;
        } catch {
          return false;
        }
      }).length;
    const path = file(numbers.bytes(8 * block));
    const controller = new AbortController();
    const reason = new Error('enough');
    const onProgress = () => {
      throw reason;
    };
    for (const options of [
      { signal: controller.signal, onProgress: () => controller.abort(reason) },
      { onProgress },
      { signal: AbortSignal.abort(reason) },
    ])
      await assert.rejects(promises.hashFile('sha256', path, options), (error) => error === reason);
    assert.equal(open(path), 0);
  },
);

test('many files at once', async () => {
  const files = Array.from({ length: 200 }, (_, index) => numbers.bytes(index * 37)).map(
    (bytes) => ({ path: file(bytes), digest: millrace.hash('md5', bytes, 'hex') }),
  );
  const digests = await Promise.all(files.map(({ path }) => promises.hashFile('md5', path, 'hex')));
  assert.deepEqual(
    digests,
    files.map(({ digest }) => digest),
  );
});

test('a file as a stream gives the same', async () => {
  const bytes = numbers.bytes(1_000_000);
  const path = file(bytes);
  assert.equal(
    await promises.hash('sha256', fs.createReadStream(path), 'hex'),
    millrace.hashFile('sha256', path, 'hex'),
  );
});

test('a file without progress is read by a worker, through no call of node:fs', async () => {
  const path = file(numbers.bytes(2 * 1024 * 1024));
  const calls = [];
  const hook = createHook({ init: (_id, type) => void calls.push(type) }).enable();
  const digest = await promises.hashFile('blake3', path, 'hex');
  const direct = calls.splice(0).filter((type) => type.startsWith('FS'));
  await promises.hashFile('blake3', path, 'hex', { onProgress() {} });
  hook.disable();
  assert.deepEqual(direct, []);
  assert.ok(calls.some((type) => type.startsWith('FS')));
  assert.equal(digest, millrace.hash('blake3', fs.readFileSync(path), 'hex'));
});
