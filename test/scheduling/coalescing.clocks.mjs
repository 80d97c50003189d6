// Hashing in lanes saves time. Compares times: `npm run test:clocks`.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import millrace from 'millrace';
import promises from 'millrace/promises';

test('hashes of several jobs take less time in lanes than one by one', async (context) => {
  const { algorithms } = millrace.engines().native;
  if (algorithms.md5.lanes === undefined) return context.skip('no lanes on this CPU');
  millrace.configure({ threads: 1 });
  const sources = Array.from({ length: 16 }, () => Buffer.alloc(2 ** 20, 3));
  const target = Buffer.alloc(16);
  const started = async () => {
    const begin = performance.now();
    await Promise.all(
      sources.map((source) => promises.hash('md5', source, { target, route: 'pool' })),
    );
    return performance.now() - begin;
  };
  let [together, alone] = [Infinity, Infinity];
  for (let attempt = 0; attempt < 20 && !(together < 0.6 * 16 * alone); attempt++) {
    const begin = performance.now();
    millrace.hash('md5', sources[0]);
    alone = Math.min(alone, performance.now() - begin);
    together = Math.min(together, await started());
  }
  assert.ok(together < 0.6 * 16 * alone, `${together} ms together, ${alone} alone`);
});
