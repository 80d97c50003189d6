// seal without a nonce: a random one precedes the ciphertext, and open without a nonce reads
// it there. In every way of calling, with every engine; never twice the same; in memory given by
// the caller and over the source too.

import assert from 'node:assert/strict';
import { createSecretKey } from 'node:crypto';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';

import millrace from 'millrace';
import portable from 'millrace/portable';
import promises from 'millrace/promises';

import { aeadNames, ciphers } from '../support/algorithms.mjs';
import { entryPaths, requiring, run } from '../support/child.mjs';
import { oracle } from '../support/oracles.mjs';
import { random } from '../support/random.mjs';
import { refuses } from '../support/refusals.mjs';

/** On both sides of the result ring, of inline work and of messages that are cut into parts. */
const sizes = [0, 1, 64, 1000, 5000, 100_000, 3_000_000];

const called = (method, ...given) =>
  new Promise((resolve, reject) =>
    millrace[method](...given, (error, value) => (error ? reject(error) : resolve(value))),
  );

const callings = {
  sync: (...given) => millrace[given[0]](...given.slice(1)),
  callback: called,
  promise: (method, ...given) => promises[method](...given),
  'promise, pool': (method, algorithm, options) =>
    promises[method](algorithm, { ...options, route: 'pool' }),
  'promise, split': (method, algorithm, options) =>
    promises[method](algorithm, { ...options, route: 'split' }),
  'promise, signal': (method, algorithm, options) =>
    promises[method](algorithm, { ...options, signal: new AbortController().signal }),
  'sync, portable': (method, algorithm, options) =>
    millrace[method](algorithm, { ...options, engine: 'portable' }),
  'promise, portable': (method, algorithm, options) =>
    promises[method](algorithm, { ...options, engine: 'portable' }),
};

/** Returns what the result must be, by what it begins with. */
function expected(algorithm, { key, source, aad }, sealed, tagSize = 16) {
  const iv = sealed.subarray(0, ciphers[algorithm].iv);
  const { output, tag } = oracle({
    kind: 'cipher',
    algorithm,
    encrypt: true,
    key,
    iv,
    source,
    aad,
    tagSize,
  });
  return Buffer.concat([iv, output, tag]);
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
        assert.ok(
          (await call('open', algorithm, { ...job, source: sealed })).equals(job.source),
          what,
        );
        // The same by the nonce as an argument.
        const [nonce, rest] = [sealed.subarray(0, nonceSize), sealed.subarray(nonceSize)];
        assert.ok(
          (await call('open', algorithm, { ...job, nonce, source: rest })).equals(job.source),
          what,
        );
        sealed[nonceSize - 1] ^= 1;
        await assert.rejects(
          async () => call('open', algorithm, { ...job, source: sealed }),
          { code: 'ERR_AUTHENTICATION' },
          what,
        );
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
        const around = [
          Buffer.from(target.subarray(0, 5)),
          Buffer.from(target.subarray(5 + whole)),
        ];
        assert.equal(
          await call('seal', algorithm, { ...job, target, targetOffset: 5 }),
          whole,
          name,
        );
        const sealed = target.subarray(5, 5 + whole);
        assert.ok(sealed.equals(expected(algorithm, job, sealed)), `${name}, ${size} bytes`);
        assert.deepEqual([target.subarray(0, 5), target.subarray(5 + whole)], around, name);
        const opened = Buffer.alloc(size + 4, 7);
        assert.equal(
          await call('open', algorithm, {
            ...job,
            source: sealed,
            target: opened,
            targetOffset: 3,
          }),
          size,
          name,
        );
        assert.ok(
          opened.equals(Buffer.concat([Buffer.alloc(3, 7), job.source, Buffer.alloc(1, 7)])),
          name,
        );
      }
    }
    await refuses(
      'seal',
      [
        algorithm,
        { key: rng.bytes(keySize), source: rng.bytes(9), target: Buffer.alloc(nonceSize + 9 + 15) },
      ],
      'ERR_ARGUMENT_VALUE',
      /target/,
    );
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
          const end = 40 + distance + nonceSize + size + 16;
          await call('seal', algorithm, {
            ...job,
            source: memory.subarray(40, 40 + size),
            target: memory,
            targetOffset: 40 + distance,
          });
          const sealed = memory.subarray(40 + distance, end);
          assert.ok(
            sealed.equals(expected(algorithm, { ...job, source }, sealed)),
            `${name}, ${size} bytes, distance ${distance}`,
          );
          await call('open', algorithm, {
            ...job,
            source: sealed,
            target: memory,
            targetOffset: 40,
          });
          assert.ok(
            memory.subarray(40, 40 + size).equals(source),
            `${name}, ${size} bytes, distance ${distance}: opened`,
          );
        }
      }
    }
  });

  test(`${algorithm}: all sizes of tags, all kinds of keys, strings`, async () => {
    const rng = random(`nonces tags ${algorithm}`);
    const bytes = rng.bytes(keySize);
    const job = { key: bytes, source: Buffer.from('a t\u00e9xt'), aad: Buffer.from('aad') };
    for (const authTagLength of tagSizes) {
      const sealed = millrace.seal(algorithm, {
        ...job,
        source: 'a t\u00e9xt',
        aad: 'aad',
        authTagLength,
      });
      assert.ok(
        sealed.equals(expected(algorithm, job, sealed, authTagLength)),
        `tag of ${authTagLength}`,
      );
      assert.ok(
        millrace.open(algorithm, { ...job, source: sealed, authTagLength }).equals(job.source),
      );
    }
    for (const engine of [undefined, 'portable']) {
      const key = millrace.createKey(algorithm, createSecretKey(bytes), { engine });
      for (const call of [callings.sync, callings.callback, callings.promise]) {
        const sealed = await call('seal', algorithm, { ...job, key });
        assert.ok(sealed.equals(expected(algorithm, job, sealed)));
        assert.ok(
          (await call('open', algorithm, { ...job, key, source: sealed })).equals(job.source),
        );
      }
      key.dispose();
    }
  });

  test(`${algorithm}: a source shorter than nonce and tag`, async () => {
    for (const size of [0, 1, nonceSize, nonceSize + 15]) {
      await refuses(
        'open',
        [algorithm, { key: Buffer.alloc(keySize), source: Buffer.alloc(size) }],
        'ERR_SOURCE_SIZE',
        new RegExp(`${nonceSize + 16}.*nonce`),
      );
    }
    assert.throws(
      () =>
        millrace.open(algorithm, {
          key: Buffer.alloc(keySize),
          source: Buffer.alloc(nonceSize + 16),
        }),
      { code: 'ERR_AUTHENTICATION' },
    );
  });

  test(`${algorithm} of millrace/portable: likewise`, () => {
    const rng = random(`nonces portable ${algorithm}`);
    const aead = portable[algorithm.replaceAll('-', '_')];
    for (const size of [0, 5, 1000]) {
      for (const authTagLength of tagSizes) {
        const job = { key: rng.bytes(keySize), source: rng.bytes(size), aad: rng.bytes(2) };
        const sealed = aead.seal({ ...job, authTagLength });
        assert.ok(Buffer.from(sealed).equals(expected(algorithm, job, sealed, authTagLength)));
        assert.ok(job.source.equals(aead.open({ ...job, source: sealed, authTagLength })));
        assert.ok(
          job.source.equals(millrace.open(algorithm, { ...job, source: sealed, authTagLength })),
        );
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
      const own = engine === undefined ? 'native' : engine;
      const calls = Object.entries(callings).filter(
        ([name]) => own === 'portable' || !name.endsWith('portable'),
      );
      uses.shortNonces = 2 ** 32 - calls.length;
      for (const [at, [name, call]] of calls.entries()) {
        const sealed = await call('seal', algorithm, { key, source: 'x' });
        assert.equal(
          uses.shortNonces,
          2 ** 32 - calls.length + (isShort ? at + 1 : 0),
          `${name}, ${own}`,
        );
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
  const first = () =>
    millrace
      .seal('xchacha20-poly1305', { key: Buffer.alloc(32), source: '' })
      .toString('hex', 0, 24);
  const seen = new Set([first()]);
  const code =
    `const nonce = () => millrace.seal('xchacha20-poly1305', { key: Buffer.alloc(32), ` +
    `source: '' }).toString('hex', 0, 24);`;
  for (let thread = 0; thread < 3; thread++) {
    const worker = new Worker(
      `${requiring()} ${code} ` +
        `require('node:worker_threads').parentPort.postMessage([nonce(), nonce()]);`,
      { eval: true },
    );
    for (const nonce of await new Promise((resolve, reject) =>
      worker.once('message', resolve).once('error', reject),
    ))
      seen.add(nonce);
    const { stdout } = await run(`${code} console.log(nonce())`);
    seen.add(stdout.trim());
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
  const { stdout } = await run(`
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
