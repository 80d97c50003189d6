// hashOutboard, verifyRange, extractSlice and decodeSlice: the formats of bao and of bao-tree, and
// no byte that is not the content's.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createReadStream, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { test } from 'node:test';

import millrace from 'millrace';
import promises from 'millrace/promises';

import { temporary } from '../support/child.mjs';
import { random } from '../support/random.mjs';
import { hex, vectors } from '../support/vectors.mjs';

const { hash } = millrace;
const { decodeSlice, extractSlice, hashOutboard, verifyRange } = promises;
const bao = vectors('bao');
const rng = random('outboards');

/** The content of the vectors: the numbers from 1, as 32-bit little-endian integers. */
function contentOf(size) {
  const words = Uint32Array.from({ length: Math.ceil(size / 4) }, (_, index) => index + 1);
  return Buffer.from(words.buffer, 0, size);
}

const reading = (bytes) => (start, end) => bytes.subarray(start, end);
const blake3 = (bytes) => hash('blake3', bytes, 'hex');
const flipped = (bytes, at) => {
  const copy = Buffer.from(bytes);
  copy[at] ^= 1;
  return copy;
};

/** The codes of a content, outboard or slice that is not right. */
const refused = { code: /^ERR_(AUTHENTICATION|TRUNCATED|FORMAT)$/ };

for (const { size, digest, outboard: expected, outboardCorruptions } of bao.outboards)
  test(`bao's outboard of ${size} bytes, and each change of it`, async () => {
    const content = contentOf(size);
    const made = await hashOutboard(content);
    assert.equal(made.digest.toString('hex'), digest);
    assert.equal(blake3(made.outboard), expected);
    const range = (outboard, bytes = content, of = made.digest) =>
      verifyRange(reading(bytes), { digest: of, outboard: reading(outboard), end: size + 1 });
    assert.deepEqual(await range(made.outboard), content);
    for (const at of outboardCorruptions)
      await assert.rejects(range(flipped(made.outboard, at)), refused, `byte ${at}`);
    for (let at = 0; at < size; at += 1024)
      await assert.rejects(range(made.outboard, flipped(content, at)), {
        code: 'ERR_AUTHENTICATION',
      });
    await assert.rejects(range(made.outboard, content, flipped(made.digest, 0)), {
      code: 'ERR_AUTHENTICATION',
    });
    for (let end = 0; end < made.outboard.length; end += 8)
      await assert.rejects(range(made.outboard.subarray(0, end)), { code: 'ERR_TRUNCATED' });
    if (size > 0) await assert.rejects(range(made.outboard, content.subarray(1)), refused);
  });

for (const { size, digest, encoded, slices } of bao.slices)
  test(`bao's slices of ${size} bytes, and each change of them`, async () => {
    const content = contentOf(size);
    const { outboard } = await hashOutboard(content);
    const sliced = (start, end) =>
      extractSlice(reading(content), { outboard: reading(outboard), start, end });
    // A slice of everything is bao's combined encoding.
    assert.equal(blake3(await sliced(0, size)), encoded);
    for (const [start, length, sliceSize, sliceDigest, corruptions] of slices) {
      const range = { digest: hex(digest), start, end: start + length };
      const slice = await sliced(start, start + length);
      assert.deepEqual([slice.length, blake3(slice)], [sliceSize, sliceDigest]);
      const expected = content.subarray(start, start + length);
      assert.deepEqual(await decodeSlice(slice, range), expected);
      const options = { ...range, outboard: reading(outboard) };
      assert.deepEqual(await verifyRange(reading(content), options), expected);
      for (const at of corruptions)
        await assert.rejects(decodeSlice(flipped(slice, at), range), refused, `byte ${at}`);
      for (let end = 0; end < slice.length; end += 57)
        await assert.rejects(decodeSlice(slice.subarray(0, end), range), { code: 'ERR_TRUNCATED' });
      await assert.rejects(decodeSlice(Buffer.concat([slice, Buffer.alloc(1)]), range), {
        code: 'ERR_FORMAT',
      });
    }
  });

test("bao-tree's outboards and slices in groups of chunks", async () => {
  for (const { groupSize, size, outboard: expected, start, end, slice } of bao.groups) {
    const content = contentOf(size);
    const { digest, outboard } = await hashOutboard(content, { groupSize });
    assert.equal(blake3(outboard), expected, `${size} bytes in groups of ${groupSize}`);
    const options = { outboard: reading(outboard), start, end, groupSize };
    const made = await extractSlice(reading(content), options);
    assert.equal(blake3(made), slice, `${size} bytes in groups of ${groupSize}`);
    const range = { digest, start, end, groupSize };
    assert.deepEqual(await decodeSlice(made, range), content.subarray(start, end));
  }
});

test('large contents from memory, streams and files, with ranges over several runs', async () => {
  const whole = Buffer.from(rng.bytes(5 * 2 ** 20 + 12_345));
  for (const size of [2 ** 20 - 1, 2 ** 20, 2 ** 20 + 1, 3 * 2 ** 20, whole.length])
    for (const groupSize of [1024, 16_384, 262_144]) {
      const content = whole.subarray(0, size);
      const expected = await hashOutboard(content, { groupSize });
      assert.deepEqual(expected.digest, hash('blake3', content));
      const path = join(temporary(), 'content');
      writeFileSync(path, content);
      for (const source of [
        createReadStream(path),
        new Blob([content]),
        Readable.from([content.subarray(0, 999_999), content.subarray(999_999)]),
      ])
        assert.deepEqual(await hashOutboard(source, { groupSize }), expected);
      const outboard = reading(expected.outboard);
      for (let round = 0; round < 6; round++) {
        const start = rng.below(size);
        const end = start + rng.below(round % 2 === 0 ? size : 5000);
        const range = { digest: expected.digest, groupSize, start, end };
        const bytes = content.subarray(start, end);
        const asked = [];
        const read = async (from, to) => {
          asked.push(to - from);
          return content.subarray(from, to);
        };
        assert.deepEqual(await verifyRange(read, { ...range, outboard }), bytes);
        assert.ok(Math.max(...asked) <= 2 ** 20);
        assert.ok(asked.reduce((sum, each) => sum + each) <= end - start + 2 * groupSize);
        const slice = await extractSlice(read, { groupSize, start, end, outboard });
        assert.deepEqual(await decodeSlice(slice, range), bytes);
        // Another size may have the same nodes in a range that does not reach the end.
        const resized = flipped(slice, rng.below(8));
        const found = await decodeSlice(resized, range).catch(({ code }) => code);
        assert.ok(typeof found === 'string' ? refused.code.test(found) : bytes.equals(found));
        const at = 8 + rng.below(slice.length - 8);
        await assert.rejects(decodeSlice(flipped(slice, at), range), refused, `byte ${at}`);
      }
    }
});

test('sizes in headers that are not that of the content are never returned', async () => {
  for (const size of [0, 1, 1024, 5000]) {
    const content = contentOf(size);
    const { digest, outboard } = await hashOutboard(content);
    for (const wrong of [
      0n,
      1n,
      1023n,
      1025n,
      4999n,
      5001n,
      2n ** 20n,
      2n ** 53n - 1n,
      2n ** 63n,
    ]) {
      if (wrong === BigInt(size)) continue;
      const changed = Buffer.concat([outboard, Buffer.alloc(4096)]);
      changed.writeBigUInt64LE(wrong);
      const readers = [reading(Buffer.concat([content, Buffer.alloc(8192)])), reading(content)];
      for (const read of readers)
        for (const [start, end] of [
          [size, size + 1],
          [2 ** 40, 2 ** 40 + 9],
          [size + 1, size + 1],
        ])
          await assert.rejects(
            verifyRange(read, { digest, outboard: reading(changed), start, end }),
            refused,
            `${wrong} instead of ${size}, from ${start}`,
          );
    }
    // Beyond the end there is nothing, which is verified.
    const options = { digest, outboard: reading(outboard), start: size + 1, end: size + 9 };
    assert.deepEqual(await verifyRange(reading(content), options), Buffer.alloc(0));
  }
  const chunks = { digest: Buffer.alloc(32), outboard: () => Buffer.alloc(8), end: 0 };
  await assert.rejects(
    verifyRange(() => Buffer.alloc(0), chunks),
    { code: 'ERR_AUTHENTICATION' },
  );
});

test('memory that changes as soon as it is read changes no result', async () => {
  const content = Buffer.from(rng.bytes(3 * 2 ** 20 + 5));
  const { digest, outboard } = await hashOutboard(content);
  const lent = [];
  const lending = (bytes) => (start, end) => {
    for (const each of lent) each.fill(0);
    lent.push(Buffer.from(bytes.subarray(start, end)));
    return lent.at(-1);
  };
  const range = { digest, start: 1000, end: content.length - 1000 };
  const options = { ...range, outboard: lending(outboard) };
  assert.deepEqual(await verifyRange(lending(content), options), content.subarray(1000, -1000));
  const { digest: _, ...ofSlice } = options;
  const slice = await extractSlice(lending(content), ofSlice);
  const given = Buffer.from(slice);
  const decoded = decodeSlice(given, range);
  given.fill(0);
  assert.deepEqual(await decoded, content.subarray(1000, -1000));
});

test('arguments are refused before anything is read', async () => {
  const read = () => assert.fail('read');
  const digest = Buffer.alloc(32);
  const refuses = (code, ...calls) =>
    Promise.all(calls.map((call) => assert.rejects(call, { code })));
  for (const groupSize of [0, 512, 1025, 3072, 2 ** 19])
    await refuses(
      'ERR_ARGUMENT_VALUE',
      hashOutboard('', { groupSize }),
      verifyRange(read, { digest, outboard: read, end: 1, groupSize }),
      extractSlice(read, { outboard: read, end: 1, groupSize }),
      decodeSlice(digest, { digest, end: 1, groupSize }),
    );
  await refuses(
    'ERR_ARGUMENT_VALUE',
    verifyRange(read, { digest: digest.subarray(1), outboard: read, end: 1 }),
    verifyRange(read, { digest, outboard: read, start: 2, end: 1 }),
    verifyRange(read, { digest, outboard: read, end: 2 ** 30 + 1 }),
    extractSlice(read, { outboard: read, end: 1, digest }),
  );
  await refuses(
    'ERR_ARGUMENT_TYPE',
    hashOutboard(5),
    verifyRange(digest, { digest, outboard: read, end: 1 }),
    verifyRange(read, { digest: 'af1349b9', outboard: read, end: 1 }),
    extractSlice(read, { outboard: digest, end: 1 }),
    decodeSlice('slice', { digest, end: 1 }),
  );
  const signal = AbortSignal.abort(new Error('stopped'));
  for (const call of [
    hashOutboard('', { signal }),
    verifyRange(read, { digest, outboard: read, end: 1, signal }),
    extractSlice(read, { outboard: read, end: 1, signal }),
    decodeSlice(digest, { digest, end: 1, signal }),
  ])
    await assert.rejects(call, /stopped/);
});

const isInstalled = spawnSync('bao', ['--version']).status === 0;
const skip = isInstalled ? false : 'bao is not installed: cargo install --locked bao_bin@0.13.1';

test('the program bao reads what is written here, and the reverse', { skip }, async () => {
  const folder = temporary();
  const run = (...args) => {
    const { status, stdout, stderr } = spawnSync('bao', args, { cwd: folder, maxBuffer: 2 ** 26 });
    assert.equal(status, 0, `bao ${args.join(' ')}: ${stderr}`);
    return stdout;
  };
  for (const size of [0, 1, 1024, 1025, 70_000, 2 ** 20 + 1, 5_000_000]) {
    const content = Buffer.from(rng.bytes(size));
    const { digest, outboard } = await hashOutboard(content);
    const name = digest.toString('hex');
    writeFileSync(join(folder, 'content'), content);
    writeFileSync(join(folder, 'outboard'), outboard);
    run('encode', 'content', '--outboard=theirs');
    assert.deepEqual(readFileSync(join(folder, 'theirs')), outboard);
    assert.deepEqual(run('decode', name, 'content', '--outboard=outboard'), content);
    for (let round = 0; round < 8; round++) {
      const start = rng.below(size + 2000);
      const count = rng.below(round % 2 === 0 ? 3000 : size + 1000);
      const place = [start, count].map(String);
      const range = { start, end: start + count };
      const options = { ...range, outboard: reading(outboard) };
      const slice = await extractSlice(reading(content), options);
      assert.deepEqual(run('slice', ...place, 'content', '--outboard=outboard'), slice);
      writeFileSync(join(folder, 'slice'), slice);
      const expected = content.subarray(start, start + count);
      assert.deepEqual(run('decode-slice', name, ...place, 'slice'), expected);
      assert.deepEqual(await decodeSlice(slice, { ...range, digest }), expected);
    }
  }
});
