// The CPU time of loading the package. Compares times: `npm run test:clocks`.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { promisify } from 'node:util';

import { entryPaths } from '../support/child.mjs';

test('loading is quick', async (t) => {
  const times = [];
  for (let round = 0; round < 9; round++) {
    // CPU time: on a busy machine others' work shall not count.
    const { stdout } = await promisify(execFile)(process.execPath, [
      '-e',
      'const begin = process.cpuUsage(); ' +
        `require(${JSON.stringify(entryPaths.millrace)}); const { user, system } = ` +
        'process.cpuUsage(begin); console.log((user + system) / 1000)',
    ]);
    times.push(Number(stdout));
  }
  const best = Math.min(...times);
  t.diagnostic(`require('millrace'): best of nine ${best.toFixed(1)} ms of CPU time`);
  // `npm run bench -- load` measures it beside others; a machine may be slow, but not so much that
  // the best of nine is this.
  assert.ok(best < 100, `${best} ms`);
});
