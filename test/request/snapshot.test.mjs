// The copies that an asynchronous call has made when it returns: secrets always, the source in the
// friendly forms. Then the caller may wipe, reuse, transfer or shrink them at once.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import millrace from 'millrace';
import cryptoAsync from 'millrace/crypto-async';
import promises from 'millrace/promises';

import { ciphers } from '../support/algorithms.mjs';
import { collectGarbage } from '../support/garbage.mjs';
import { oracle } from '../support/oracles.mjs';
import { random } from '../support/random.mjs';
import { cipherOptions } from '../support/offsets.mjs';

const calls = 2000;

/**
 * A cipher call in each form; each takes `{ algorithm, key, iv, source, aad, tag }` and gives what
 * the oracle gives.
 */
const forms = {
  'callback, options': (job) =>
    waited(millrace, 'cipher', [
      job.algorithm,
      { encrypt: true, key: job.key, iv: job.iv, source: job.source, aad: job.aad, tag: job.tag },
    ]).then((output) => ({ output, tag: job.tag })),
  'callback, positional': (job) =>
    waited(millrace, 'cipher', [
      job.algorithm,
      true,
      job.key,
      job.iv,
      job.source,
      job.aad,
      job.tag,
    ]).then((output) => ({ output, tag: job.tag })),
  'callback, target': (job) =>
    waited(millrace, 'cipher', cipherOptions(windowArgs(job))).then(() => ({
      output: job.target,
      tag: job.tag,
    })),
  'callback, seal': (job) =>
    waited(millrace, 'seal', [job.algorithm, sealOptions(job)]).then(split),
  'promise, options': (job) =>
    promises
      .cipher(job.algorithm, {
        encrypt: true,
        key: job.key,
        iv: job.iv,
        source: job.source,
        aad: job.aad,
        tag: job.tag,
      })
      .then((output) => ({ output, tag: job.tag })),
  'promise, target': (job) =>
    promises
      .cipher(...cipherOptions(windowArgs(job)))
      .then(() => ({ output: job.target, tag: job.tag })),
  'promise, seal': (job) => promises.seal(job.algorithm, sealOptions(job)).then(split),
  'drop-in, positional': (job) =>
    waited(cryptoAsync, 'cipher', [
      job.algorithm,
      1,
      job.key,
      job.iv,
      job.source,
      job.aad,
      job.tag,
    ]).then((output) => ({ output, tag: job.tag })),
  'drop-in, window': (job) =>
    waited(cryptoAsync, 'cipher', windowArgs(job)).then(() => ({
      output: job.target,
      tag: job.tag,
    })),
};

for (const [title, call] of Object.entries(forms)) {
  test(`key wiped, iv and aad changed right after each of ${calls} calls: ${title}`, async () => {
    const rng = random(title);
    const algorithm = 'aes-256-gcm';
    const key = Buffer.alloc(32);
    const iv = Buffer.alloc(12);
    const aad = Buffer.alloc(9);
    const jobs = Array.from({ length: calls }, (_, index) => {
      const [keyBytes, aadBytes] = [rng.bytes(32), rng.bytes(9)];
      keyBytes.copy(key);
      aadBytes.copy(aad);
      iv.writeUInt32BE(index, 8);
      const source = rng.bytes(index % 7 === 0 ? 3000 : 40);
      const job = {
        algorithm,
        key,
        iv,
        source,
        aad,
        tag: Buffer.alloc(16),
        target: Buffer.alloc(source.length),
      };
      const expected = oracle({
        kind: 'cipher',
        algorithm,
        encrypt: true,
        key: keyBytes,
        iv: Buffer.from(iv),
        source: Buffer.from(source),
        aad: aadBytes,
      });
      const settled = call(job);
      key.fill(0);
      iv.fill(0xff);
      aad.fill(0);
      return { settled, expected };
    });
    const outputs = new Set();
    for (const { settled, expected } of jobs) {
      const { output, tag } = await settled;
      assert.ok(
        output.equals(expected.output) && tag.equals(expected.tag),
        'wrong ciphertext or tag',
      );
      outputs.add(tag.toString('hex'));
    }
    assert.equal(outputs.size, calls, 'two calls had the same key and nonce');
  });
}

for (const size of [0, 1, 100, 1000, 5000, 70_000, 2 ** 20]) {
  test(`source of ${size} bytes overwritten right after friendly calls`, async () => {
    const rng = random(`source ${size}`);
    const source = rng.bytes(size);
    const original = Buffer.from(source);
    const [key, iv, gcmIv] = [rng.bytes(32), rng.bytes(16), rng.bytes(12)];
    const stream = oracle({
      kind: 'cipher',
      algorithm: 'aes-256-ctr',
      encrypt: true,
      key,
      iv,
      source: original,
    }).output;
    const sealed = oracle({
      kind: 'cipher',
      algorithm: 'aes-256-gcm',
      encrypt: true,
      key,
      iv: gcmIv,
      source: original,
      aad: Buffer.alloc(0),
    });
    const digest = oracle({ kind: 'hash', algorithm: 'sha256', source: original }).output;
    const mac = oracle({ kind: 'hmac', algorithm: 'sha1', key, source: original }).output;
    const started = [
      [() => promises.hash('sha256', source), digest],
      [() => waited(millrace, 'hash', ['sha256', source, 'hex']), digest.toString('hex')],
      [() => waited(cryptoAsync, 'hash', ['sha256', source]), digest],
      [() => promises.hmac('sha1', key, source), mac],
      [() => waited(cryptoAsync, 'hmac', ['sha1', key, source]), mac],
      [() => promises.cipher('aes-256-ctr', { encrypt: true, key, iv, source }), stream],
      [() => waited(millrace, 'cipher', ['aes-256-ctr', 0, key, iv, source]), stream],
      [() => waited(cryptoAsync, 'cipher', ['aes-256-ctr', 1, key, iv, source]), stream],
      [
        () => promises.seal('aes-256-gcm', { key, nonce: gcmIv, source }),
        Buffer.concat([sealed.output, sealed.tag]),
      ],
    ].map(([start, expected]) => {
      original.copy(source);
      const settled = start();
      source.fill(0xee);
      return { settled, expected };
    });
    for (const [index, { settled, expected }] of started.entries())
      assert.deepEqual(await settled, expected, `call ${index}`);

    const ciphertext = Buffer.concat([sealed.output, sealed.tag]);
    const given = Buffer.from(ciphertext);
    const tag = Buffer.from(sealed.tag);
    const opened = [
      promises.open('aes-256-gcm', { key, nonce: gcmIv, source: given }),
      waited(millrace, 'open', ['aes-256-gcm', { key, nonce: gcmIv, source: given }]),
    ];
    given.fill(0);
    const body = Buffer.from(sealed.output);
    opened.push(
      promises.cipher('aes-256-gcm', { encrypt: false, key, iv: gcmIv, source: body, tag }),
    );
    body.fill(0);
    tag.fill(0);
    for (const settled of opened) assert.ok((await settled).equals(original));
  });
}

for (const { name, detach } of [
  { name: 'structuredClone', detach: (buffer) => structuredClone(buffer, { transfer: [buffer] }) },
  {
    name: 'ArrayBuffer.prototype.transfer',
    detach: ArrayBuffer.prototype.transfer && ((buffer) => buffer.transfer(0)),
  },
]) {
  test(
    `inputs transferred away right after friendly calls: ${name}`,
    { skip: detach === undefined && 'not in this version of Node' },
    async () => {
      const rng = random(`transfer ${name}`);
      for (let round = 0; round < 40; round++) {
        const size = rng.pick([10, 5000, 300_000, 2 ** 20]);
        const original = rng.bytes(size);
        const fresh = (bytes) => Uint8Array.from(bytes);
        const [keyBytes, ivBytes] = [rng.bytes(32), rng.bytes(12)];
        const expected = oracle({
          kind: 'cipher',
          algorithm: 'chacha20-poly1305',
          encrypt: true,
          key: keyBytes,
          iv: ivBytes,
          source: original,
          aad: keyBytes,
        });
        const digest = oracle({ kind: 'hash', algorithm: 'blake3', source: original }).output;
        const started = [];
        for (const start of [
          (inputs) =>
            promises
              .seal('chacha20-poly1305', {
                key: inputs.key,
                nonce: inputs.iv,
                source: inputs.source,
                aad: inputs.aad,
              })
              .then(split),
          (inputs) =>
            waited(cryptoAsync, 'cipher', [
              'chacha20-poly1305',
              1,
              ...[inputs.key, inputs.iv, inputs.source, inputs.aad].map(asBuffer),
              (inputs.tag = Buffer.alloc(16)),
            ]).then((output) => ({ output, tag: inputs.tag })),
        ]) {
          const inputs = {
            key: fresh(keyBytes),
            iv: fresh(ivBytes),
            source: fresh(original),
            aad: fresh(keyBytes),
          };
          started.push([start(inputs), expected]);
          for (const input of [inputs.key, inputs.iv, inputs.source, inputs.aad])
            detach(input.buffer);
        }
        const source = fresh(original);
        started.push([
          promises.hash('blake3', source).then((output) => ({ output })),
          { output: digest },
        ]);
        detach(source.buffer);
        if (round % 10 === 0) collectGarbage();
        for (const [settled, wanted] of started) {
          const { output, tag } = await settled;
          assert.ok(output.equals(wanted.output));
          if (wanted.tag) assert.ok(tag.equals(wanted.tag));
        }
      }
    },
  );
}

test('resizable inputs may shrink to nothing right after the call', async () => {
  const rng = random('shrink');
  for (const size of [100, 5000, 300_000]) {
    const original = rng.bytes(size);
    const digest = oracle({ kind: 'hash', algorithm: 'sha512', source: original }).output;
    const start = (call) => {
      const memory = new ArrayBuffer(size, { maxByteLength: size });
      const view = new Uint8Array(memory);
      view.set(original);
      const settled = call(view, memory);
      memory.resize(0);
      return settled;
    };
    assert.deepEqual(await start((view) => promises.hash('sha512', view)), digest);
    assert.deepEqual(await start((view, memory) => promises.hash('sha512', memory)), digest);
    assert.deepEqual(await start((view) => waited(millrace, 'hash', ['sha512', view])), digest);
    const key = rng.bytes(16);
    const iv = rng.bytes(16);
    const expected = oracle({
      kind: 'cipher',
      algorithm: 'aes-128-ctr',
      encrypt: true,
      key,
      iv,
      source: original,
    }).output;
    assert.deepEqual(
      await start((view) =>
        promises.cipher('aes-128-ctr', { encrypt: true, key, iv, source: view }),
      ),
      expected,
    );
    // Lent: copied or refused, never read after it is gone.
    await start((view) => promises.hash('sha512', view, { target: Buffer.alloc(64) })).then(
      (written) => assert.equal(written, 64),
      (error) => assert.equal(error.code, 'ERR_RESIZABLE'),
    );
    const target = Buffer.alloc(size);
    await start((view) =>
      promises.cipher('aes-128-ctr', { encrypt: true, key, iv, source: view, target }),
    ).then(
      () => assert.deepEqual(target, expected),
      (error) => assert.equal(error.code, 'ERR_RESIZABLE'),
    );
  }
});

test('results of friendly calls belong to the caller alone', async () => {
  const key = Buffer.alloc(32, 1);
  const iv = Buffer.alloc(16, 2);
  const source = Buffer.alloc(500, 3);
  const expected = oracle({
    kind: 'cipher',
    algorithm: 'aes-256-ctr',
    encrypt: true,
    key,
    iv,
    source,
  }).output;
  const results = await Promise.all(
    Array.from({ length: 200 }, () =>
      promises.cipher('aes-256-ctr', { encrypt: true, key, iv, source }),
    ),
  );
  for (const [index, result] of results.entries()) {
    assert.ok(result.equals(expected), `result ${index} was changed by a neighbour`);
    result.fill(0);
  }
  const digests = Array.from({ length: 200 }, (_, index) => millrace.hash('sha256', `${index}`));
  for (const [index, digest] of digests.entries()) {
    assert.ok(
      digest.equals(
        oracle({ kind: 'hash', algorithm: 'sha256', source: Buffer.from(`${index}`) }).output,
      ),
    );
    digest.fill(0);
  }
});

test('the target of a small digest may be dropped and collected before it is written', async () => {
  const settled = Array.from({ length: 500 }, (_, index) =>
    promises.hash('sha256', Buffer.alloc(10, index), { target: Buffer.alloc(32) }),
  );
  collectGarbage();
  assert.ok((await Promise.all(settled)).every((written) => written === 32));
});

function windowArgs({ algorithm, key, iv, source, aad, tag, target }) {
  return [
    algorithm,
    1,
    key,
    0,
    ciphers[algorithm].key,
    iv,
    0,
    ciphers[algorithm].iv,
    source,
    0,
    source.length,
    target,
    0,
    aad,
    0,
    aad.length,
    tag,
    0,
    tag.length,
  ];
}

function sealOptions({ key, iv, source, aad }) {
  return { key, nonce: iv, source, aad };
}

function split(sealed) {
  return { output: sealed.subarray(0, -16), tag: sealed.subarray(-16) };
}

function asBuffer(view) {
  return Buffer.from(view.buffer, view.byteOffset, view.byteLength);
}

function waited(entryPoint, method, args) {
  return new Promise((resolve, reject) => {
    entryPoint[method](...args, (error, value) => (error ? reject(error) : resolve(value)));
  });
}
