// Streams and files in parts: a range of a sealed stream, a stream that hashes what it passes on,
// files as they are ready; and random keys.

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Duplex } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { after, test } from 'node:test';

import millrace from 'millrace';
import promises from 'millrace/promises';

const folder = fs.mkdtempSync(join(tmpdir(), 'millrace-parts-'));
after(() => fs.rmSync(folder, { recursive: true }));

const collected = (source, ...transforms) => pipeline(source, ...transforms, buffer);

for (const engine of ['native', 'portable'])
  test(`openRange returns each part of a message: ${engine}`, async () => {
    millrace.configure({ engine });
    try {
      for (const [algorithm, size] of [
        ['aes-128-gcm', 100_000],
        ['aes-256-gcm', 3 * 16_384],
        ['chacha20-poly1305', 0],
      ]) {
        const key = millrace.generateKey(algorithm);
        const message = millrace.randomBytes(size);
        const options = { algorithm, key, context: 'part' };
        const sealed = await collected([message], millrace.sealStream(options));
        // Of exactly these bytes, as a Blob or a response returns them.
        const open = (start, end, bytes = sealed, more = {}) =>
          promises.openRange((from, to) => Uint8Array.from(bytes.subarray(from, to)), {
            ...options,
            start,
            end,
            ...more,
          });
        for (const [start, end] of [
          [0, size],
          [0, 1],
          [16_383, 16_385],
          [16_384, 32_768],
          [20_000, 20_000],
          [Math.max(0, size - 5), size + 5],
        ])
          if (start <= size) {
            const part = await open(start, end);
            assert.deepEqual(part, message.subarray(start, end), `${start}`);
            assert.equal(part.buffer.byteLength, part.length, 'memory that others can see');
          }
        const other = open(0, size, sealed, { context: 'other' });
        await assert.rejects(other, { code: 'ERR_AUTHENTICATION' });
        await assert.rejects(open(0, size, sealed.subarray(0, 50)), { code: 'ERR_TRUNCATED' });
        if (size === 0) continue;
        // Without its last chunk the message seems to go on.
        const cut = sealed.subarray(0, 56 + Math.floor(size / 16_384) * 16_400);
        await assert.rejects(open(0, size + 1, cut), { code: 'ERR_TRUNCATED' });
        const changed = Buffer.from(sealed);
        changed[56 + 16_400] ^= 1;
        assert.deepEqual(await open(0, 9, changed), message.subarray(0, 9));
        await assert.rejects(open(16_384, 16_390, changed), { code: 'ERR_AUTHENTICATION' });
      }
    } finally {
      millrace.configure({ engine: 'native' });
    }
  });

for (const [name, make] of [
  ['Buffers', (bytes) => Buffer.from(bytes)],
  ['typed arrays', (bytes) => Uint8Array.from(bytes)],
  ['shared memory', (bytes) => shared(bytes)],
])
  test(`openRange may be given ${name} that change as soon as they are read`, async () => {
    const options = { algorithm: 'aes-256-gcm', key: millrace.generateKey('aes-256-gcm') };
    const message = millrace.randomBytes(4_000_000);
    const sealed = await collected([message], millrace.sealStream(options));
    const given = [];
    const read = async (from, to) => given[given.push(make(sealed.subarray(from, to))) - 1];
    const opened = promises.openRange(read, { ...options, start: 9, end: 3_999_999 });
    // The second read is taken in the turn after its promise has settled.
    while (given.length < 2) await null;
    for (let turn = 0; turn < 5; turn++) await null;
    // Few bytes, so that no worker is faster.
    for (const bytes of given) for (let at = 0; at < bytes.length; at += 1000) bytes[at] ^= 1;
    assert.ok(message.subarray(9, 3_999_999).equals(await opened));
  });

function shared(bytes) {
  const view = new Uint8Array(new SharedArrayBuffer(bytes.length));
  view.set(bytes);
  return view;
}

test('openRange refuses wrong ranges, and a function that returns too much', async () => {
  const options = { algorithm: 'aes-256-gcm', key: millrace.randomBytes(32) };
  const read = () => new Uint8Array(60);
  await assert.rejects(promises.openRange(read, { ...options, end: 1 }), {
    message: /must return at most 56 bytes, not 60/,
  });
  for (const range of [{ start: 5, end: 4 }, { end: -1 }, { end: 2 ** 31 }, {}])
    await assert.rejects(promises.openRange(read, { ...options, ...range }), { code: /^ERR_ARG/ });
  await assert.rejects(promises.openRange('read', { ...options, end: 1 }), {
    code: 'ERR_ARGUMENT_TYPE',
  });
});

test('hashTransformStream passes everything on and has its digest', async () => {
  const pieces = [Buffer.alloc(10, 1), 'text', Buffer.alloc(200_000, 2), Buffer.alloc(0)];
  const stream = promises.hashTransformStream('sha256', 'hex');
  const passed = await collected(pieces, stream);
  const whole = Buffer.concat(pieces.map((each) => Buffer.from(each)));
  assert.deepEqual(passed, whole);
  assert.equal(await stream.digest, createHash('sha256').update(whole).digest('hex'));
  const wrong = promises.hashTransformStream('sha256');
  await assert.rejects(collected([5], wrong));
  await assert.rejects(wrong.digest, { code: 'ERR_ARGUMENT_TYPE' });
});

test('hashTransformStream between streams of Node.js', async () => {
  const whole = Buffer.alloc(3_000_000, 'a text');
  const [from, to] = ['from', 'to'].map((name) => join(folder, name));
  fs.writeFileSync(from, whole);
  const expected = createHash('sha256').update(whole).digest('hex');
  const hashing = promises.hashTransformStream('sha256', 'hex');
  await pipeline(fs.createReadStream(from), hashing, fs.createWriteStream(to));
  assert.equal(await hashing.digest, expected);
  assert.deepEqual(fs.readFileSync(to), whole);

  const web = promises.hashTransformStream('sha256', 'hex');
  const duplex = Duplex.fromWeb(web);
  assert.deepEqual(await buffer(fs.createReadStream(from).pipe(duplex)), whole);
  assert.equal(await web.digest, expected);

  const failing = promises.hashTransformStream('sha256', 'hex');
  const reader = fs.createReadStream(join(folder, 'none'));
  await assert.rejects(pipeline(reader, failing, fs.createWriteStream(to)), { code: 'ENOENT' });
  await assert.rejects(failing.digest);
});

test('the digest of a hashTransformStream that is aborted or cancelled rejects', async () => {
  const reason = new Error('the reason');
  for (const end of [
    (stream) => stream.writable.abort(reason),
    (stream) => stream.readable.cancel(reason),
    (stream) => {
      const source = new ReadableStream({
        pull: (controller) => controller.enqueue(Buffer.alloc(9)),
      });
      const through = source.pipeThrough(stream, { signal: AbortSignal.abort(reason) });
      return through.pipeTo(new WritableStream()).catch(() => {});
    },
  ]) {
    const stream = promises.hashTransformStream('sha256');
    await end(stream);
    await assert.rejects(stream.digest, reason);
  }
});

test('hashFilesIterator yields each file once, with the digests of hashFiles', async () => {
  const files = Array.from({ length: 300 }, (_, index) => {
    const file = join(folder, `file ${index}`);
    fs.writeFileSync(file, Buffer.alloc(index * 37 + (index === 7 ? 3_000_000 : 0), index));
    return file;
  });
  const expected = await promises.hashFiles('sha256', files, 'hex');
  for (const paths of [files, new Set(files), asynchronous(files)]) {
    const found = [];
    const iterator = promises.hashFilesIterator('sha256', paths, 'hex');
    for await (const { index, path, digest } of iterator) {
      assert.equal(found[index], undefined);
      assert.equal(path, files[index]);
      found[index] = digest;
    }
    assert.deepEqual(found, expected);
  }
  // The end of the loop ends the reading of an endless source.
  let [read, seen] = [0, 0];
  const endless = (function* () {
    for (;;) yield files[read++ % 10];
  })();
  for await (const { digest } of promises.hashFilesIterator('sha256', endless)) {
    assert.equal(digest.length, 32);
    if (++seen === 100) break;
  }
  assert.ok(read < 10_000, `${read} paths were read`);
  const none = join(folder, 'none');
  await assert.rejects(
    (async () => {
      for await (const _ of promises.hashFilesIterator('sha256', [files[0], none]));
    })(),
    { code: 'ENOENT', index: 1 },
  );
  for await (const { digest } of promises.hashFilesIterator('sha256', [none], { errors: 'return' }))
    assert.equal(digest.code, 'ENOENT');
  assert.throws(() => promises.hashFilesIterator('sha-none', files), {
    code: 'ERR_UNKNOWN_ALGORITHM',
  });
});

async function* asynchronous(items) {
  yield* items;
}

test('randomBytes and generateKey', () => {
  for (const size of [0, 1, 65_537]) assert.equal(millrace.randomBytes(size).length, size);
  assert.notDeepEqual(millrace.randomBytes(32), millrace.randomBytes(32));
  // Each part of a large result is filled.
  const end = millrace.randomBytes(200_000).subarray(190_000);
  assert.ok(end.some((byte) => byte !== 0));
  for (const size of [-1, 2 ** 31])
    assert.throws(() => millrace.randomBytes(size), { code: 'ERR_ARGUMENT_VALUE' });
  for (const [algorithm, size] of [
    ['aes-128-gcm', 16],
    ['AES-192-CTR', 24],
    ['xchacha20-poly1305', 32],
    ['hmac-sha512', 64],
    ['hmac-sha1', 20],
    ['blake2b512', 32],
    ['kmac128', 32],
  ]) {
    const key = millrace.generateKey(algorithm);
    assert.equal(key.length, size, algorithm);
    millrace.createKey(algorithm, key);
  }
  assert.throws(() => millrace.generateKey('sha256'), { message: /did you mean hmac-sha256/ });
  assert.throws(() => millrace.generateKey('aes256gcm'), { code: 'ERR_UNKNOWN_ALGORITHM' });
});
