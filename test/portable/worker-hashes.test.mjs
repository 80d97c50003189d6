// Hashing in a worker of the portable engine: long messages by WebAssembly.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import millrace from 'millrace';

import { hashNames, hashes } from '../support/algorithms.mjs';
import { HMAC, counted, request, worker } from '../support/portable-worker.mjs';
import { random } from '../support/random.mjs';

test('long messages are hashed by WebAssembly, short ones not', async () => {
  const [calls, webAssembly] = counted();
  const send = worker(webAssembly);
  const rng = random('worker hashes');
  for (const name of hashNames) {
    for (const size of [1000, 65_535]) {
      const source = rng.bytes(size);
      const expected = millrace.hash(name, source);
      assert.deepEqual(
        Buffer.from((await send(request(name, source))).target),
        expected,
        `${name}, ${size}`,
      );
    }
  }
  assert.equal(calls.count, 0);
  for (const name of hashNames) {
    const source = rng.bytes(65_536);
    const expected = millrace.hash(name, source);
    assert.deepEqual(Buffer.from((await send(request(name, source))).target), expected, name);
    if (!hashes[name].hmac) continue;
    const mac = await send(
      request(name, source, { operation: HMAC, secret: Uint8Array.of(1, 2, 3) }),
    );
    assert.deepEqual(
      Buffer.from(mac.target),
      millrace.hmac(name, Uint8Array.of(1, 2, 3), source),
      name,
    );
  }
  assert.ok(calls.count >= 12, `${calls.count} modules were compiled`);
});

test('without WebAssembly the same, in JavaScript', async () => {
  const send = worker(undefined);
  const source = random('worker without').bytes(100_000);
  for (const name of ['sha256', 'blake3', 'xxh3-64'])
    assert.deepEqual(
      Buffer.from((await send(request(name, source))).target),
      millrace.hash(name, source),
    );
});
