// The cost that a worker of the portable engine reports. Compares times: `npm run test:clocks`.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { counted, request, worker } from '../support/portable-worker.mjs';

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
