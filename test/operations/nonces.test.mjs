// seal without a nonce: a random one precedes the ciphertext, and open without a nonce reads
// it there. In every way of calling, with every engine; never twice the same; in memory given by
// the caller and over the source too.

import assert from 'node:assert/strict';
import { createSecretKey } from 'node:crypto';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';

import millrace from 'millrace';
import portable from 'millrace/portable';
import promises from 'millrace/promises';

import { aeadNames, ciphers } from '../support/algorithms.mjs';
import { entryPaths, output, requiring } from '../support/child.mjs';
import { oracle } from '../support/oracles.mjs';
import { random } from '../support/random.mjs';
import { refuses } from '../support/refusals.mjs';
import { ways } from '../support/ways.mjs';

/** On both sides of the result ring, of inline work and of messages that are cut into parts. */
const sizes = [0, 1, 64, 1000, 5000, 100_000, 3_000_000];

/** Returns a way to call with an option besides those given. */
const withOption = (way, option) => (method, algorithm, options) =>
  way(method, algorithm, { ...options, ...option });

const callings = {
  ...ways,
  'promise, pool': withOption(ways.promise, { route: 'pool' }),
  'promise, split': withOption(ways.promise, { route: 'split' }),
  'promise, signal': withOption(ways.promise, { signal: new AbortController().signal }),
  'sync, portable': withOption(ways.sync, { engine: 'portable' }),
  'promise, portable': withOption(ways.promise, { engine: 'portable' }),
};

/** Returns what the result must be, by what it begins with. */
function expected(algorithm, { key, source, aad }, sealed, tagSize = 16) {
  const iv = sealed.subarray(0, ciphers[algorithm].iv);
  const job = { kind: 'cipher', algorithm, encrypt: true, key, iv, source, aad, tagSize };
  const sealing = oracle(job);
  return Buffer.concat([iv, sealing.output, sealing.tag]);
}

for (const algorithm of aeadNames) {
  const { key: keySize, iv: nonceSize, tagSizes } = ciphers[algorithm];

  test(`${algorithm}: sealed with a random nonce, opened without one`, async () => {
    const rng = random(`nonces ${algorithm}`);
    for (const [name, call] of Object.entries(callings)) {
      for (const size of name.includes('portable') ? sizes.slice(0, 6) : sizes) {
        const job = { key: rng.bytes(keySize), source: rng.bytes(size), aad: rng.bytes(size % 21) };
        const what = `${name}, ${size} bytes`;
        const sealed = await call('seal', algorithm, job);
        assert.ok(sealed.equals(expected(algorithm, job, sealed)), what);
        const open = (options) => call('open', algorithm, { ...job, ...options });
        assert.ok((await open({ source: sealed })).equals(job.source), what);
        // The same by the nonce as an argument.
        const [nonce, rest] = [sealed.subarray(0, nonceSize), sealed.subarray(nonceSize)];
        assert.ok((await open({ nonce, source: rest })).equals(job.source), what);
        sealed[nonceSize - 1] ^= 1;
        const opening = async () => open({ source: sealed });
        await assert.rejects(opening, { code: 'ERR_AUTHENTICATION' }, what);
      }
    }
  });

  test(`${algorithm}: into a target of nonce, text and tag`, async () => {
    const rng = random(`nonce targets ${algorithm}`);
    for (const [name, call] of Object.entries(callings)) {
      for (const size of [0, 64, 5000, 100_000]) {
        const job = { key: rng.bytes(keySize), source: rng.bytes(size), aad: rng.bytes(3) };
        const whole = nonceSize + size + 16;
        const target = rng.bytes(whole + 12);
        const ends = () => [target.subarray(0, 5), target.subarray(5 + whole)].map(Buffer.from);
        const around = ends();
        const sealing = { ...job, target, targetOffset: 5 };
        assert.equal(await call('seal', algorithm, sealing), whole, name);
        const sealed = target.subarray(5, 5 + whole);
        assert.ok(sealed.equals(expected(algorithm, job, sealed)), `${name}, ${size} bytes`);
        assert.deepEqual(ends(), around, name);
        const opened = Buffer.alloc(size + 4, 7);
        const opening = { ...job, source: sealed, target: opened, targetOffset: 3 };
        assert.equal(await call('open', algorithm, opening), size, name);
        const text = Buffer.concat([Buffer.alloc(3, 7), job.source, Buffer.alloc(1, 7)]);
        assert.ok(opened.equals(text), name);
      }
    }
    const target = Buffer.alloc(nonceSize + 9 + 15);
    const short = { key: rng.bytes(keySize), source: rng.bytes(9), target };
    await refuses('seal', [algorithm, short], 'ERR_ARGUMENT_VALUE', /target/);
  });

  test(`${algorithm}: over its source, from both sides`, async () => {
    const rng = random(`nonces overlap ${algorithm}`);
    for (const [name, call] of Object.entries(callings)) {
      for (const size of [1, 40, 300, 70_000]) {
        for (const distance of [-nonceSize, -17, -1, 0, 1, 8, nonceSize, nonceSize + 1, 33]) {
          const job = { key: rng.bytes(keySize), aad: rng.bytes(4) };
          const source = rng.bytes(size);
          const memory = Buffer.alloc(size + nonceSize + 120);
          source.copy(memory, 40);
          const at = 40 + distance;
          const text = memory.subarray(40, 40 + size);
          const sealed = memory.subarray(at, at + nonceSize + size + 16);
          const what = `${name}, ${size} bytes, distance ${distance}`;
          const sealing = { ...job, source: text, target: memory, targetOffset: at };
          await call('seal', algorithm, sealing);
          assert.ok(sealed.equals(expected(algorithm, { ...job, source }, sealed)), what);
          const opening = { ...job, source: sealed, target: memory, targetOffset: 40 };
          await call('open', algorithm, opening);
          assert.ok(text.equals(source), `${what}: opened`);
        }
      }
    }
  });

  test(`${algorithm}: all sizes of tags, all kinds of keys, strings`, async () => {
    const rng = random(`nonces tags ${algorithm}`);
    const bytes = rng.bytes(keySize);
    const job = { key: bytes, source: Buffer.from('a t\u00e9xt'), aad: Buffer.from('aad') };
    for (const authTagLength of tagSizes) {
      const texts = { source: 'a t\u00e9xt', aad: 'aad' };
      const sealed = millrace.seal(algorithm, { ...job, ...texts, authTagLength });
      assert.ok(sealed.equals(expected(algorithm, job, sealed, authTagLength)));
      const opening = { ...job, source: sealed, authTagLength };
      assert.ok(millrace.open(algorithm, opening).equals(job.source));
    }
    for (const engine of [undefined, 'portable']) {
      const key = millrace.createKey(algorithm, createSecretKey(bytes), { engine });
      for (const call of Object.values(ways)) {
        const sealed = await call('seal', algorithm, { ...job, key });
        assert.ok(sealed.equals(expected(algorithm, job, sealed)));
        const opened = await call('open', algorithm, { ...job, key, source: sealed });
        assert.ok(opened.equals(job.source));
      }
      key.dispose();
    }
  });

  test(`${algorithm}: a source shorter than nonce and tag`, async () => {
    const key = Buffer.alloc(keySize);
    const given = (size) => [algorithm, { key, source: Buffer.alloc(size) }];
    const both = new RegExp(`${nonceSize + 16}.*nonce`);
    for (const size of [0, 1, nonceSize, nonceSize + 15])
      await refuses('open', given(size), 'ERR_SOURCE_SIZE', both);
    const code = 'ERR_AUTHENTICATION';
    assert.throws(() => millrace.open(...given(nonceSize + 16)), { code });
  });

  test(`${algorithm} of millrace/portable: likewise`, () => {
    const rng = random(`nonces portable ${algorithm}`);
    const aead = portable[algorithm.replaceAll('-', '_')];
    for (const size of [0, 5, 1000]) {
      for (const authTagLength of tagSizes) {
        const job = { key: rng.bytes(keySize), source: rng.bytes(size), aad: rng.bytes(2) };
        const sealed = aead.seal({ ...job, authTagLength });
        assert.ok(Buffer.from(sealed).equals(expected(algorithm, job, sealed, authTagLength)));
        const opening = { ...job, source: sealed, authTagLength };
        assert.ok(job.source.equals(aead.open(opening)));
        assert.ok(job.source.equals(millrace.open(algorithm, opening)));
      }
    }
    assert.throws(() => aead.open({ key: rng.bytes(keySize), source: rng.bytes(nonceSize + 15) }), {
      code: 'ERR_SOURCE_SIZE',
    });
  });
}

test('no nonce is given out twice, and they look random', async () => {
  const seen = new Set();
  const bits = new Float64Array(24);
  const note = (sealed) => {
    const nonce = sealed.subarray(0, 24);
    for (let index = 0; index < 24; index++) bits[index] += nonce[index];
    seen.add(nonce.toString('hex'));
  };
  const options = { key: Buffer.alloc(32), source: 'x' };
  // Between them those of 12 bytes: batches end at other places.
  for (let round = 0; round < 2000; round++) {
    note(millrace.seal('xchacha20-poly1305', options));
    note(await promises.seal('xchacha20-poly1305', options));
    if (round % 3 === 0) millrace.seal('aes-256-gcm', options);
  }
  assert.equal(seen.size, 4000);
  // The mean of 4000 bytes is 127.5, with a deviation of 1.2.
  for (const sum of bits) assert.ok(Math.abs(sum / 4000 - 127.5) < 12, `mean ${sum / 4000}`);
});

const require = createRequire(import.meta.url);
const internal = require(join(dirname(entryPaths.millrace), 'core.js'));

/** Returns what a prepared key counts: nothing that a user can reach. */
const usesOf = (key) => internal['request/key'].keyEngines(key, key.algorithm).uses;

for (const algorithm of aeadNames) {
  const { key: keySize, iv: nonceSize } = ciphers[algorithm];
  const bytes = Buffer.alloc(keySize, 5);
  const nonce = Buffer.alloc(nonceSize);

  test(`${algorithm}: a prepared key counts its random nonces of 12 bytes`, async () => {
    for (const engine of [undefined, 'portable']) {
      const key = millrace.createKey(algorithm, bytes, { engine });
      const uses = usesOf(key);
      const isShort = nonceSize === 12;
      const calls = Object.entries(callings).filter(
        ([name]) => engine === 'portable' || !name.endsWith('portable'),
      );
      uses.shortNonces = 2 ** 32 - calls.length;
      for (const [at, [name, call]] of calls.entries()) {
        const sealed = await call('seal', algorithm, { key, source: 'x' });
        const counted = isShort ? at + 1 : 0;
        assert.equal(uses.shortNonces, 2 ** 32 - calls.length + counted, `${name}, ${engine}`);
        // Neither opening nor a nonce of the caller counts.
        await call('open', algorithm, { key, source: sealed });
        await call('seal', algorithm, { key, nonce, source: 'x' });
      }
      if (!isShort) continue;
      await refuses('seal', [algorithm, { key, source: 'x' }], 'ERR_NONCE_LIMIT', /key.*2\^32/);
      const target = Buffer.alloc(40);
      await refuses('seal', [algorithm, { key, source: 'x', target }], 'ERR_NONCE_LIMIT');
      for (const [name, call] of calls)
        await assert.rejects(
          async () => call('seal', algorithm, { key, source: 'x' }),
          { code: 'ERR_NONCE_LIMIT' },
          name,
        );
      millrace.seal(algorithm, { key, nonce, source: 'x' });
      millrace.seal(algorithm, { key: bytes, source: 'x' });
    }
  });
}

test('threads and processes have different nonces', async () => {
  const code = `
    const options = { key: Buffer.alloc(32), source: '' };
    const nonce = () => millrace.seal('xchacha20-poly1305', options).toString('hex', 0, 24);`;
  const post = "require('node:worker_threads').parentPort.postMessage([nonce(), nonce()]);";
  const own = millrace.seal('xchacha20-poly1305', { key: Buffer.alloc(32), source: '' });
  const seen = new Set([own.toString('hex', 0, 24)]);
  for (let thread = 0; thread < 3; thread++) {
    const worker = new Worker(`${requiring()} ${code} ${post}`, { eval: true });
    const [nonces] = await once(worker, 'message');
    for (const nonce of nonces) seen.add(nonce);
    seen.add((await output(`${code} console.log(nonce())`)).trim());
  }
  assert.equal(seen.size, 10);
});

test('a getter that seals in between does not take the nonce of the call around it', () => {
  const key = Buffer.alloc(32);
  const inner = [];
  const options = {
    key,
    get source() {
      inner.push(millrace.seal('xchacha20-poly1305', { key, source: 'inner' }));
      return 'outer';
    },
  };
  const outer = millrace.seal('xchacha20-poly1305', options);
  assert.notDeepEqual(outer.subarray(0, 24), inner[0].subarray(0, 24));
  assert.equal(millrace.open('xchacha20-poly1305', { key, source: outer }).toString(), 'outer');
  assert.equal(millrace.open('xchacha20-poly1305', { key, source: inner[0] }).toString(), 'inner');
});

test('without random bytes of the system nothing is sealed', async () => {
  const stdout = await output(`
    const { seal } = millrace;
    const { crypto } = globalThis;
    const given = () =>
      seal('xchacha20-poly1305', { key: Buffer.alloc(32), source: '' }).toString('hex', 0, 24);
    given();
    const real = crypto.getRandomValues;
    let failing = true;
    Object.defineProperty(crypto, 'getRandomValues', {
      value(view) {
        if (failing) throw new Error('none');
        return real.call(crypto, view);
      },
    });
    const seen = new Set();
    let failures = 0;
    for (let round = 0; round < 400; round++) {
      if (round === 300) failing = false;
      try {
        seen.add(given());
      } catch {
        failures++;
      }
    }
    console.log(seen.size + failures, failures > 100 && failures < 300);
  `);
  assert.equal(stdout.trim(), '400 true');
});
