// How soon derivations stop, and how long their memory is kept. Compares times:
// `npm run test:clocks`.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout } from 'node:timers/promises';

import { output } from '../support/child.mjs';
import { longDerivations } from './long-derivations.mjs';

for (const [name, start] of Object.entries(longDerivations)) {
  test(`${name}: cancelled in the middle it stops within 300 ms`, async () => {
    const controller = new AbortController();
    const result = start({ signal: controller.signal });
    await setTimeout(60);
    const aborted = performance.now();
    controller.abort();
    await assert.rejects(result, { name: 'AbortError' });
    const ms = performance.now() - aborted;
    assert.ok(ms < 300, `${ms} ms`);
  });
}

test('memory is kept for the next derivation, and released when none follows', async () => {
  await output(`
    const assert = require('node:assert/strict');
    const { readFileSync } = require('node:fs');
    if (process.platform !== 'linux') process.exit(0);
    const resident = () =>
      Number(/VmRSS:\\s+(\\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))[1]) * 1024;
    (async () => {
      await promises.scrypt('a', 'b', 32, { N: 16 });
      const before = resident();
      const options = { N: 131072, maxmem: 2 ** 28 };
      const expected = await promises.scrypt('a', 'b', 32, options);
      await new Promise((resolve) => setTimeout(resolve, 100));
      assert.ok(resident() - before > 100 << 20, 'kept: ' + (resident() - before));
      assert.deepEqual(await promises.scrypt('a', 'b', 32, options), expected);
      await new Promise((resolve) => setTimeout(resolve, 2500));
      assert.ok(resident() - before < 40 << 20, 'released: ' + (resident() - before));
    })();
  `);
});
