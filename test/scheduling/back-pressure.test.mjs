// The limit of copies: beyond it a call does its work at once instead of copying its source.
// Nothing waits, nothing is refused, nothing is read late.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { output } from '../support/child.mjs';

/** Runs a program, and returns what it prints as JSON, if anything. */
async function report(program) {
  const stdout = await output(`(async () => {
    const assert = require('node:assert/strict');
    const { promisify } = require('node:util');
    const queued = () => millrace.engines().queuedBytes;
    const expected = (size, value) => millrace.hash('sha256', Buffer.alloc(size, value));
    const repeat = (length, call) => Promise.all(Array.from({ length }, (_, index) => call(index)));
    ${program}
  })()`);
  return stdout === '' ? undefined : JSON.parse(stdout);
}

test('the default is a quarter of the memory, 1 GiB at most', async () => {
  await report(`
    const { maxQueuedBytes } = millrace.configure();
    const memory = Math.min(require('node:os').totalmem(), process.constrainedMemory() || Infinity);
    assert.equal(maxQueuedBytes, Math.min(2 ** 30, Math.floor(memory / 4)));
  `);
});

test('on a small machine the default is a quarter of it', async () => {
  await report(`
    require('node:os').totalmem = () => 2 ** 30;
    assert.equal(
      millrace.configure().maxQueuedBytes,
      Math.min(2 ** 28, Math.floor((process.constrainedMemory() || Infinity) / 4)),
    );
  `);
});

test('configure refuses wrong limits', async () => {
  await report(`
    for (const wrong of [0, -1, 1.5, NaN, Infinity, 2 ** 53, null, '1', 1n, {}]) {
      const code = typeof wrong === 'number' ? 'ERR_ARGUMENT_VALUE' : 'ERR_ARGUMENT_TYPE';
      const refusal = { code, message: /maxQueuedBytes/ };
      assert.throws(() => millrace.configure({ maxQueuedBytes: wrong }), refusal);
    }
    assert.equal(millrace.configure({ maxQueuedBytes: 2 ** 53 - 1 }).maxQueuedBytes, 2 ** 53 - 1);
    assert.equal(millrace.configure({ maxQueuedBytes: 5 }).maxQueuedBytes, 5);
    assert.equal(millrace.engines().settings.maxQueuedBytes, 5);
  `);
});

/** A function `hash` for programs, by call style; it returns a promise. */
const hashing = {
  callback: "const hash = (source) => promisify(millrace.hash)('sha256', source);",
  promise: "const hash = (source) => promises.hash('sha256', source);",
};

for (const [wait, definition] of Object.entries(hashing)) {
  test(`${wait}: copies stay within the limit, and are those of the call`, async () => {
    const { most, early } = await report(`
      ${definition}
      const size = 256 << 10;
      const limit = 4 * size;
      millrace.configure({ maxQueuedBytes: limit, threads: 1 });
      const source = Buffer.alloc(size);
      let most = 0;
      let done = 0;
      const results = [];
      for (let value = 0; value < 60; value++) {
        source.fill(value);
        results.push(hash(source));
        results.at(-1).then(() => done++);
        most = Math.max(most, queued());
      }
      const early = done;
      source.fill(255);
      for (const [value, digest] of (await Promise.all(results)).entries())
        assert.deepEqual(digest, expected(size, value));
      assert.equal(queued(), 0);
      console.log(JSON.stringify({ most: most / limit, early }));
    `);
    assert.ok(most > 0 && most <= 1, `${most} of the limit`);
    assert.equal(early, 0);
  });
}

test('a single call may copy more than the limit', async () => {
  await report(`
    millrace.configure({ maxQueuedBytes: 1 });
    const digest = promises.hash('sha256', Buffer.alloc(1 << 20, 7));
    assert.equal(queued(), 1 << 20);
    assert.deepEqual(await digest, expected(1 << 20, 7));
    assert.equal(queued(), 0);
  `);
});

test('calls with a target copy nothing, and those that ask for a route have it', async () => {
  await report(`
    millrace.configure({ maxQueuedBytes: 1, threads: 1 });
    const source = Buffer.alloc(1 << 20, 7);
    const target = Buffer.alloc(32);
    const lent = repeat(5, () => promises.hash('sha256', source, { target }));
    assert.equal(queued(), 0);
    await lent;
    const asked = repeat(5, () => promises.hash('sha256', source, { route: 'pool' }));
    assert.equal(queued(), 5 << 20);
    await asked;
    assert.equal(queued(), 0);
    assert.deepEqual(target, expected(1 << 20, 7));
  `);
});

test('the drop-in entry point knows no limit', async () => {
  await report(`
    millrace.configure({ maxQueuedBytes: 1, threads: 1 });
    const source = Buffer.alloc(1 << 20, 7);
    const calls = repeat(5, () => promisify(cryptoAsync.hash)('sha256', source));
    assert.equal(queued(), 5 << 20);
    for (const digest of await calls) assert.deepEqual(digest, expected(1 << 20, 7));
  `);
});

test('hashMany and hmacMany: sources are copied or hashed at the call', async () => {
  await report(`
    const size = 64 << 10;
    millrace.configure({ maxQueuedBytes: 20 * size, threads: 1 });
    const sources = Array.from({ length: 10 }, () => Buffer.alloc(size));
    let most = 0;
    const results = [];
    for (let value = 0; value < 10; value++) {
      for (const source of sources) source.fill(value);
      results.push(
        promises.hashMany('sha256', sources),
        promises.hmacMany('sha256', 'key', { data: sources[0], size: 1024 }),
      );
      most = Math.max(most, queued());
    }
    for (const source of sources) source.fill(255);
    assert.ok(most > 0 && most <= 20 * size, String(most));
    for (const [index, digests] of (await Promise.all(results)).entries()) {
      const data = Buffer.alloc(size, index >> 1);
      const expected = index % 2
        ? millrace.hmacMany('sha256', 'key', { data, size: 1024 })
        : millrace.hashMany('sha256', Array(10).fill(data));
      assert.deepEqual(digests, expected);
    }
    assert.equal(queued(), 0);
  `);
});

test('ciphers beyond the limit: sealed and opened; a wrong tag is reported later', async () => {
  await report(`
    millrace.configure({ maxQueuedBytes: 100_000, threads: 1 });
    const key = Buffer.alloc(32, 1),
      nonce = Buffer.alloc(12, 2);
    const source = Buffer.alloc(200_000);
    const sealed = await repeat(20, (value) => {
      source.fill(value);
      return promises.seal('aes-256-gcm', { key, nonce, source });
    });
    const opened = await Promise.all(
      sealed.map((each) => promises.open('aes-256-gcm', { key, nonce, source: each })),
    );
    for (const [value, text] of opened.entries())
      assert.ok(text.length === 200_000 && text.every((byte) => byte === value));
    let outcomes = 0;
    const failing = sealed.map((each) => {
      each[0] ^= 1;
      return promises.open('aes-256-gcm', { key, nonce, source: each }).catch((error) => {
        outcomes++;
        return error.code;
      });
    });
    assert.equal(outcomes, 0);
    assert.deepEqual(new Set(await Promise.all(failing)), new Set(['ERR_AUTHENTICATION']));
  `);
});

test('hashers and sealed streams continue under the smallest limit', async () => {
  await report(`
    const { pipeline } = require('node:stream/promises');
    const { Readable } = require('node:stream');
    millrace.configure({ maxQueuedBytes: 1 });
    const block = repeat(3, () => promises.hash('sha256', Buffer.alloc(1 << 20)));
    const hasher = millrace.createHash('sha256');
    const update = promisify(hasher.update.bind(hasher));
    await repeat(10, (index) => update(Buffer.alloc(100_000, index)));
    const pieces = await repeat(10, (index) => Buffer.alloc(100_000, index));
    assert.deepEqual(hasher.digest(), millrace.hash('sha256', Buffer.concat(pieces)));
    const key = Buffer.alloc(32, 1);
    const message = Buffer.alloc(3_000_000, 5);
    const streams = { algorithm: 'aes-256-gcm', key };
    const opened = [];
    const [sealing, opening] = [promises.sealStream(streams), promises.openStream(streams)];
    await pipeline(Readable.from([message]), sealing, opening, async (output) => {
      for await (const piece of output) opened.push(piece);
    });
    assert.deepEqual(Buffer.concat(opened), message);
    await block;
  `);
});

/** Operations of one object that wait for each other: `make` returns what starts one. */
const turns = {
  'a hasher': `
    const hasher = millrace.createHash('sha256');
    const update = promisify(hasher.update.bind(hasher));
    const start = () => update(message);
    const stop = () => {};`,
  'a cipher': `
    const cipher = millrace.createCipher('aes-256-gcm', { key: bytes(32), iv: bytes(12) });
    const start = () => promisify(cipher.update.bind(cipher))(message);
    const stop = () => cipher.dispose();`,
  'a recipient of HPKE': `
    const { privateKey, publicKey } = millrace.generateKeyPair('x25519');
    const sender = millrace.createHpkeSender(publicKey);
    const recipient = millrace.createHpkeRecipient(privateKey, sender.encapsulatedKey);
    const start = () => recipient.openAsync(sender.seal(message));
    const stop = () => recipient.dispose();`,
};

for (const [object, program] of Object.entries(turns))
  test(`what waits for its turn in ${object} counts until it has had it`, async () => {
    await report(`
      const bytes = (size) => Buffer.alloc(size, 1);
      millrace.configure({ maxQueuedBytes: 4 << 20, threads: 1 });
      const message = bytes(1 << 20);
      ${program}
      const first = repeat(6, start);
      assert.ok(queued() >= 5 << 20, String(queued()));
      const before = queued();
      // Other calls copy nothing meanwhile.
      const others = repeat(3, () => promises.hash('sha256', message));
      assert.equal(queued(), before);
      await first;
      await others;
      assert.equal(queued(), 0);
      const last = repeat(6, () => start().catch(() => {}));
      assert.ok(queued() >= 5 << 20);
      stop();
      await last;
      assert.equal(queued(), 0);
    `);
  });

test('memory stays bounded where results are small', async () => {
  const { grown } = await report(`
    millrace.configure({ maxQueuedBytes: 32 << 20, threads: 1 });
    const source = Buffer.alloc(4 << 20, 1);
    await promises.hash('sha256', source);
    const before = process.memoryUsage().rss;
    let most = 0;
    const calls = [];
    for (let index = 0; index < 60; index++) {
      calls.push(promises.hash('sha256', source));
      most = Math.max(most, process.memoryUsage().rss);
    }
    await Promise.all(calls);
    console.log(JSON.stringify({ grown: (most - before) / 2 ** 20 }));
  `);
  // 60 copies were 240 MiB.
  assert.ok(grown < 100, `${grown} MiB`);
});
