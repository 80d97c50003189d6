// Large results are right at every size at which memory is treated in another way, and ordinary
// Buffers: they can be transferred, kept by any view, and outlive the thread that made them.

import assert from 'node:assert/strict';
import { createCipheriv, createHash } from 'node:crypto';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';

import millrace from 'millrace';
import promises from 'millrace/promises';

import { entryPaths, run } from '../support/child.mjs';
import { collectGarbage } from '../support/garbage.mjs';

const key = Buffer.alloc(32, 7);
const nonce = Buffer.alloc(12, 8);
const TAG = 16;
const slow = { timeout: 300_000 };

/** Returns bytes that differ from page to page. */
function message(size) {
  const made = Buffer.alloc(size);
  for (let offset = 0; offset + 4 <= size; offset += 1021)
    made.writeUInt32LE((offset * 2654435761) >>> 0, offset);
  return made;
}

function sealedByNode(source) {
  const cipher = createCipheriv('aes-256-gcm', key, nonce);
  return Buffer.concat([cipher.update(source), cipher.final(), cipher.getAuthTag()]);
}

const KIB = 1024;
const MIB = 1024 * KIB;

/**
 * Below, at and above the sizes at which pages are asked for, in steps, and huge ones; results are
 * 16 bytes longer.
 */
const sizes = [64 * KIB, 128 * KIB, 256 * KIB, 512 * KIB, 5 * MIB, 32 * MIB].flatMap((size) => [
  size - TAG - 1,
  size - TAG,
  size,
  size + 4095 * 3,
]);

test('every size and call style, against node:crypto', slow, async () => {
  for (const size of sizes) {
    // A source that begins anywhere in its memory.
    const source = message(size + 13).subarray(13);
    const expected = sealedByNode(source);
    const now = millrace.seal('aes-256-gcm', { key, nonce, source });
    const later = await promises.seal('aes-256-gcm', { key, nonce, source });
    assert.ok(now.equals(expected), `${size}`);
    assert.ok(later.equals(expected), `${size}, asynchronous`);
    assert.ok(
      millrace.open('aes-256-gcm', { key, nonce, source: now }).equals(source),
      `${size}, opened`,
    );
    assert.ok(
      (await promises.open('aes-256-gcm', { key, nonce, source: later })).equals(source),
      `${size}, opened, asynchronous`,
    );
    for (const result of [now, later])
      assert.equal(result.buffer.byteLength, result.length, 'separate memory');
  }
});

test('the same where the system is left alone', slow, async () => {
  const program = `
    const { createHash } = require('node:crypto');
    const source = Buffer.alloc(33 * 2 ** 20 + 5, 9),
      given = { key: Buffer.alloc(32, 7), nonce: Buffer.alloc(12, 8), source };
    const short = { ...given, source: source.subarray(0, 300_000) };
    const digests = [];
    (async () => {
      for (const each of [given, short])
        for (const sealed of [
          millrace.seal('aes-256-gcm', each),
          await promises.seal('aes-256-gcm', each),
        ]) {
          if (!millrace.open('aes-256-gcm', { ...each, source: sealed }).equals(each.source))
            throw new Error('wrong');
          digests.push(createHash('sha256').update(sealed).digest('hex'));
        }
      digests.push(await promises.hash('sha256', source, 'hex'));
      console.log(digests.join());
    })();`;
  const [usual, off] = await Promise.all([
    run(program),
    run(program, { env: { MILLRACE_PAGES: 'off' } }),
  ]);
  assert.equal(usual.code, 0, usual.stderr);
  assert.equal(off.code, 0, off.stderr);
  assert.equal(usual.stdout, off.stdout);
});

test('a source copied at the call may be overwritten right after it', slow, async () => {
  for (const size of [300 * KIB, 40 * MIB]) {
    const source = message(size);
    const [sealed, digest] = [
      sealedByNode(source),
      createHash('sha256').update(source).digest('hex'),
    ];
    const results = [
      promises.seal('aes-256-gcm', { key, nonce, source }),
      promises.hash('sha256', source, 'hex'),
    ];
    source.fill(0xee);
    const [result, hashed] = await Promise.all(results);
    assert.ok(result.equals(sealed), `${size}`);
    assert.equal(hashed, digest);
  }
});

test('results can be transferred', async () => {
  for (const size of [200 * KIB, 3 * MIB, 33 * MIB]) {
    for (const seal of [millrace.seal, promises.seal]) {
      const source = message(size);
      const result = await seal('aes-256-gcm', { key, nonce, source });
      const moved = Buffer.from(structuredClone(result, { transfer: [result.buffer] }).buffer);
      assert.equal(result.length, 0, 'detached');
      assert.ok(moved.equals(sealedByNode(source)));
    }
  }
});

test('a view keeps the memory when the Buffer is gone', slow, async () => {
  const views = [];
  const source = message(2 * MIB);
  const expected = sealedByNode(source);
  for (let index = 0; index < 12; index++) {
    const result = await promises.seal('aes-256-gcm', { key, nonce, source });
    views.push(
      [
        (from) => new DataView(from.buffer),
        (from) => new Uint32Array(from.buffer, 0, from.length / 4),
        (from) => from.subarray(5),
        (from) => from.buffer,
      ][index % 4](result),
    );
  }
  for (let round = 0; round < 3; round++) {
    collectGarbage();
    await new Promise((resolve) => setTimeout(resolve, 5));
    // Later results take whatever has been freed.
    for (let index = 0; index < 12; index++)
      millrace.seal('aes-256-gcm', { key: Buffer.alloc(32, index), nonce, source });
  }
  for (const [index, view] of views.entries()) {
    const bytes = ArrayBuffer.isView(view)
      ? Buffer.from(view.buffer, view.byteOffset, view.byteLength)
      : Buffer.from(view);
    assert.ok(bytes.equals(index % 4 === 2 ? expected.subarray(5) : expected), `view ${index}`);
  }
});

test('a result outlives the worker_thread that made it', slow, async () => {
  const program = `
    const { parentPort } = require('node:worker_threads');
    const { seal } = require(${JSON.stringify(entryPaths['millrace/promises'])});
    const source = Buffer.alloc(3 * 2 ** 20, 1),
      large = Buffer.alloc(33 * 2 ** 20, 1);
    const given = { key: Buffer.alloc(32, 7), nonce: Buffer.alloc(12, 8) };
    (async () => {
      const results = [
        await seal('aes-256-gcm', { ...given, source }),
        await seal('aes-256-gcm', { ...given, source: large }),
      ];
      parentPort.postMessage(
        results,
        results.map(({ buffer }) => buffer),
      );
      // Terminated with results in flight and in its hands.
      for (;;)
        await Promise.all([1, 2, 3].map(() => seal('aes-256-gcm', { ...given, source: large })));
    })();`;
  const expected = [3, 33].map((size) => sealedByNode(Buffer.alloc(size * MIB, 1)));
  for (let round = 0; round < 3; round++) {
    const worker = new Worker(program, { eval: true });
    const results = await new Promise((resolve, reject) =>
      worker.once('message', resolve).once('error', reject),
    );
    await new Promise((resolve) => setTimeout(resolve, 30 * round));
    await worker.terminate();
    for (let index = 0; index < 6; index++)
      millrace.seal('aes-256-gcm', {
        key: Buffer.alloc(32, 1),
        nonce,
        source: Buffer.alloc(3 * MIB),
      });
    for (const [index, result] of results.entries())
      assert.ok(
        Buffer.from(result.buffer).equals(expected[index]),
        `result ${index}, round ${round}`,
      );
  }
});

test('a large message that does not open leaves nothing in its target', async () => {
  for (const size of [300 * KIB, 33 * MIB]) {
    const sealed = millrace.seal('aes-256-gcm', { key, nonce, source: message(size) });
    sealed[size - 1] ^= 1;
    const failed = { code: 'ERR_AUTHENTICATION' };
    assert.throws(() => millrace.open('aes-256-gcm', { key, nonce, source: sealed }), failed);
    await assert.rejects(promises.open('aes-256-gcm', { key, nonce, source: sealed }), failed);
    for (const { open } of [millrace, promises]) {
      const target = Buffer.alloc(size, 1);
      const given = { key, nonce, source: sealed, target };
      await assert.rejects(async () => open('aes-256-gcm', given), failed);
      assert.ok(target.every((byte) => byte === 0));
    }
  }
});
