// Hashing in a worker of the portable engine: long messages by WebAssembly, costs of JavaScript.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import millrace from 'millrace';

import { hashNames, hashes } from '../support/algorithms.mjs';
import { bundle } from '../support/portable-bundle.mjs';
import { random } from '../support/random.mjs';
import { catalog } from '../support/raw-states.mjs';

const text = await bundle('src/portable/worker.ts');
const HASH = 0;
const HMAC = 1;

/**
 * Returns a worker without a thread: a function that sends a request and returns a promise of its
 * result and, on request, of the measured cost.
 */
function worker(webAssembly) {
  const module = { exports: {} };
  new Function('module', 'exports', 'WebAssembly', text)(module, module.exports, webAssembly);
  let receive;
  let onResponse;
  module.exports.serve({
    listen: (listener) => (receive = listener),
    post: (response) => onResponse?.(response),
  });
  return (request, costs = false) =>
    new Promise((resolve) => {
      onResponse = (response) => {
        if (response.type === 'end') resolve.end = response;
        if (response.type === (costs ? 'cost' : 'end'))
          resolve({ ...resolve.end, cost: response.cost });
      };
      receive(request);
    });
}

const request = (name, source, more = {}) => ({
  operation: HASH,
  algorithm: catalog.find((each) => each.name === name).id,
  purpose: undefined,
  secret: new Uint8Array(0),
  seedLow: 0,
  seedHigh: 0,
  iv: new Uint8Array(0),
  aad: new Uint8Array(0),
  tag: new Uint8Array(0),
  source,
  targetSize: hashes[name].digest || 32,
  tagSize: 0,
  count: 0,
  size: 0,
  derivation: undefined,
  reportsProgress: false,
  measure: false,
  ...more,
});

function counted() {
  const calls = { count: 0 };
  return [
    calls,
    {
      ...WebAssembly,
      instantiate: WebAssembly.instantiate,
      compile: (bytes) => (calls.count++, WebAssembly.compile(bytes)),
    },
  ];
}

test('long messages are hashed by WebAssembly, short ones not', async () => {
  const [calls, webAssembly] = counted();
  const send = worker(webAssembly);
  const rng = random('worker hashes');
  for (const name of hashNames) {
    for (const size of [1000, 65_535]) {
      const source = rng.bytes(size);
      const expected = millrace.hash(name, source, { outputLength: hashes[name].digest || 32 });
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
    const expected = millrace.hash(name, source, { outputLength: hashes[name].digest || 32 });
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

test('the reported cost is that of JavaScript', async () => {
  const [calls, webAssembly] = counted();
  const send = worker(webAssembly);
  const source = new Uint8Array(256 * 1024);
  await send(request('blake2b512', source));
  assert.equal(calls.count, 1);
  // The least of several, as others use the machine.
  let quick = Infinity;
  for (let turn = 0; turn < 10; turn++) {
    const begin = performance.now();
    await send(request('blake2b512', source));
    quick = Math.min(quick, (1e6 * (performance.now() - begin)) / source.length);
  }
  const { cost } = await send(request('blake2b512', source, { measure: true }), true);
  // WebAssembly is 10 times as fast here.
  assert.ok(cost.perByte > 3 * quick, `${cost.perByte} ns a byte, where WebAssembly took ${quick}`);
});
