// `npm run bench -- competitors`: its table, and one row measured.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';

import { markdown } from '../../bench/competitors/report.mjs';
import { rows } from '../../bench/competitors/rows.mjs';
import { root } from '../support/child.mjs';

const about = { machine: 'a CPU', tier: 'all CPU features', build: 'abc' };
const entry = (competitor, seconds, more) => ({ competitor, seconds, spread: 0.01, ...more });
const table = (row) =>
  markdown([{ name: 'a row', goal: 1, ...row }], about)
    .split('\n')
    .at(-1);

test('rows have different names, a goal, and Millrace first', () => {
  assert.equal(new Set(rows.map(({ name }) => name)).size, rows.length);
  const libraries = { millrace: { createKey: () => ({}) }, promises: {} };
  for (const row of rows) {
    assert.ok(row.goal > 0, row.name);
    assert.ok(row.wait === 'sync' || row.inFlight > 0 || row.measure === 'call', row.name);
    // Those of 1 GiB and 64 MiB only allocate.
    if (!/GiB|64 MiB/.test(row.name))
      assert.equal(Object.keys(row.forms(libraries))[0], 'millrace', row.name);
  }
});

test('a ratio below the goal is bold, within the noise marked ~, and disturbed rows !', () => {
  assert.equal(
    table({ entries: [entry('millrace', 1e-7), entry('b', 3e-7), entry('c', 2e-7)] }),
    '| a row | 100 ns | 200 ns c | 2.00 | 1 |',
  );
  assert.equal(
    table({ entries: [entry('millrace', 2e-6), entry('b', 1e-6)] }),
    '| a row | 2.00 us | 1.00 us b | **0.50** | 1 |',
  );
  assert.match(
    table({ disturbed: true, entries: [entry('millrace', 1e-6), entry('b', 0.99e-6)] }),
    /\| 0\.99 ~ ! \|/,
  );
});

test("Millrace's other forms are competitors only where no other library takes part", () => {
  const ours = [entry('millrace', 2e-6), entry('millrace, raw key', 1e-6)];
  assert.match(table({ entries: ours }), /1\.00 us millrace, raw key \| \*\*0\.50\*\*/);
  assert.match(
    table({ bytes: 1000, entries: [...ours, entry('b', 4e-6)] }),
    /0\.500 GB\/s; raw key 1\.00 GB\/s \| 0\.250 GB\/s b \| 2\.00/,
  );
  assert.match(table({ entries: [ours[0]] }), /not installed/);
});

test('one row measured, with CPU features hidden', () => {
  const program = join(root, 'bench', 'competitors.mjs');
  const args = ['--tier', 'haswell', '--match', '^sha512 16 KiB', '--rounds', '1', '--time', '1'];
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...args], {
    encoding: 'utf8',
    timeout: 300_000,
  });
  assert.equal(status, 0, stderr);
  assert.match(stdout, /as Haswell/);
  assert.match(stdout, /^\| sha512 16 KiB \| [\d.]+ GB\/s \| [\d.]+ GB\/s node:crypto \|/m);
});
