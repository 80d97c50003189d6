// No thread can read the text of a message in the caller's memory before the message is known to be
// authentic: not while it is opened asynchronously, and not after the thread that opens it has
// ended.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';

import millrace from 'millrace';
import promises from 'millrace/promises';

import { aeadNames, ciphers } from '../support/algorithms.mjs';
import { requiring } from '../support/child.mjs';

const mark = 'ATTACK AT DAWN. ';
const page = 4096;

/** Returns a sealed message of `size` bytes of marks. */
function sealed(algorithm, size, forged) {
  const nonce = Buffer.alloc(ciphers[algorithm].iv, 1);
  const key = Buffer.alloc(ciphers[algorithm].key, 7);
  const source = millrace.seal(algorithm, { key, nonce, source: Buffer.alloc(size, mark) });
  if (forged) source[source.length - 1] ^= 1;
  return { key, nonce, source };
}

/** Returns the number of pages that begin with the mark. */
function marked(target) {
  let count = 0;
  for (let at = 0; at + mark.length <= target.length; at += page) {
    if (target.latin1Slice(at, at + mark.length) === mark) count++;
  }
  return count;
}

for (const algorithm of aeadNames) {
  for (const route of ['pool', 'split']) {
    test(`${algorithm}, ${route}: the target never has the text of a forged message`, async () => {
      const size = 2 ** 25;
      const options = sealed(algorithm, size, true);
      const target = Buffer.alloc(size, 9);
      let settled = false;
      const opening = assert.rejects(promises.open(algorithm, { ...options, target, route }), {
        code: 'ERR_AUTHENTICATION',
      });
      const settle = () => (settled = true);
      opening.then(settle, settle);
      let looks = 0;
      for (; !settled; looks++) {
        for (let at = 0; at < size; at += 65536)
          assert.notEqual(target.latin1Slice(at, at + mark.length), mark);
        await new Promise(setImmediate);
      }
      await opening;
      assert.ok(looks > 0);
      assert.ok(target.equals(Buffer.alloc(size)), 'zeros afterwards');
    });
  }
}

test('messages of every size are opened into the target, or leave zeros', async () => {
  for (const algorithm of aeadNames) {
    for (const size of [0, 1, 100, 4096, 32768, 32769, 70_001, 300_000, 2 ** 22 + 1]) {
      for (const forged of [false, true]) {
        for (const offset of [undefined, 0, 5]) {
          const { source, ...options } = sealed(algorithm, size, forged);
          const memory = Buffer.concat([source, Buffer.alloc(16)]);
          const [from, at] = offset === undefined ? [source, 0] : [memory, offset];
          const target = memory.subarray(at, at + size);
          const given = { ...options, source: from.subarray(0, source.length), target };
          const opening = promises.open(algorithm, { ...given, route: 'pool' });
          if (forged) await assert.rejects(opening, { code: 'ERR_AUTHENTICATION' });
          else await opening;
          const expected = forged ? Buffer.alloc(size) : Buffer.alloc(size, mark);
          assert.ok(target.equals(expected), `${algorithm} ${size} ${forged} ${offset}`);
        }
      }
    }
  }
});

const opener = `
  ${requiring()};
  const { workerData, parentPort } = require('node:worker_threads');
  const { algorithm, options, memory } = workerData;
  const [source, target] = [Buffer.from(options.source), Buffer.from(memory)];
  promises.open(algorithm, { ...options, source, target }).catch(() => {});
  parentPort.postMessage('begun');
  setInterval(() => {}, 1000);
`;

/**
 * Ends a worker while it opens a message into memory that this thread shares, once it has written
 * some or after a while.
 */
async function ended(algorithm, route, forged) {
  const size = 2 ** 26;
  const { key, nonce, source } = sealed(algorithm, size, forged);
  const [memory, shared] = [new SharedArrayBuffer(size), new SharedArrayBuffer(source.length)];
  Buffer.from(shared).set(source);
  const worker = new Worker(opener, {
    eval: true,
    workerData: { algorithm, memory, options: { key, nonce, source: shared, route } },
  });
  const target = Buffer.from(memory);
  await once(worker, 'message');
  const begin = performance.now();
  while (performance.now() - begin < 25 && marked(target.subarray(0, 4 * page)) === 0)
    await new Promise(setImmediate);
  const seen = marked(target);
  await worker.terminate();
  return { target, seen };
}

for (const algorithm of ['aes-256-gcm', 'chacha20-poly1305', 'aes-256-gcm-siv']) {
  for (const route of ['pool', 'split']) {
    test(`${algorithm}, ${route}: a thread that ends leaves the whole text or none`, async () => {
      const forged = await ended(algorithm, route, true);
      assert.equal(forged.seen, 0, 'before it ended');
      assert.equal(marked(forged.target), 0);
      for (let attempt = 0; attempt < 3; attempt++) {
        const { target, seen } = await ended(algorithm, route, false);
        const left = marked(target);
        const whole = left === 0 || left === target.length / page;
        assert.ok(whole, `${left} pages left, ${seen} when it was ended`);
      }
    });
  }
}
