// Large jobs do not occupy libuv's threads. Compares times: `npm run test:clocks`.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { run } from '../support/child.mjs';

test('fs and dns are not held up by large jobs', async () => {
  const { code, stdout, stderr } = await run(`
    const { stat } = require('node:fs/promises');
    const large = Buffer.alloc(32 * 2 ** 20);
    const busy = Array.from({ length: 40 }, () =>
      promises.hash('sha512', large, { target: Buffer.alloc(64) }),
    );
    (async () => {
      let worst = 0;
      for (let round = 0; round < 20; round++) {
        const begin = performance.now();
        await stat(__filename);
        worst = Math.max(worst, performance.now() - begin);
      }
      console.log(worst);
      await Promise.race(busy);
      process.exit(0);
    })();
  `);
  assert.equal(code, 0, stderr);
  // Behind 40 such jobs in libuv's four threads it would be more than half a second.
  assert.ok(Number(stdout) < 400, `one fs.stat took ${stdout} ms`);
});
