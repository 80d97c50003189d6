// `npm run bench -- competitors`: its table, and one row measured.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';

import { libraries } from '../../bench/competitors/libraries.mjs';
import { markdown } from '../../bench/competitors/report.mjs';
import { rows } from '../../bench/competitors/rows.mjs';
import { root } from '../support/child.mjs';

const about = { machine: 'a CPU', build: 'abc', columns: ['B'], tiers: ['B: one'], absent: [] };
const entry = (competitor, seconds, more) => ({ competitor, seconds, spread: 0.01, ...more });
const table = ({ entries, disturbed, ...row }) =>
  markdown([{ name: 'a row', goal: 1, ...row, cells: [{ entries, disturbed }] }], about)
    .split('\n')
    .at(-1);

test('rows have different names, a goal, and Millrace first', async () => {
  assert.equal(new Set(rows.map(({ name }) => name)).size, rows.length);
  const found = await libraries();
  for (const row of rows) {
    assert.ok(row.goal > 0, row.name);
    assert.ok(row.wait === 'sync' || row.inFlight > 0, row.name);
    // Those of much memory only allocate.
    if (!/GiB|64 MiB|256/.test(row.name))
      assert.equal(Object.keys(await row.forms(found))[0], 'millrace', row.name);
  }
});

test('a ratio below the goal is bold, within the noise marked ~, and disturbed rows !', () => {
  assert.equal(
    table({ entries: [entry('millrace', 1e-7), entry('b', 3e-7), entry('c', 2e-7)] }),
    '| a row | 1 | 2.00 (100 ns; c) |',
  );
  assert.equal(
    table({ entries: [entry('millrace', 2e-6), entry('b', 1e-6)] }),
    '| a row | 1 | **0.50** (2.00 us; b) |',
  );
  assert.match(
    table({ disturbed: true, entries: [entry('millrace', 1e-6), entry('b', 0.99e-6)] }),
    /\| 0\.99 ~ ! \(/,
  );
});

test("Millrace's other forms are competitors only where no other library takes part", () => {
  const ours = [entry('millrace', 2e-6), entry('millrace, raw key', 1e-6)];
  assert.match(table({ entries: ours }), /\*\*0\.50\*\* \(2\.00 us; millrace, raw key\)/);
  assert.match(
    table({ bytes: 1000, entries: [...ours, entry('b', 4e-6)] }),
    /2\.00 \(0\.500 GB\/s; b\)/,
  );
  assert.match(table({ entries: [ours[0]] }), /\| - \(2\.00 us\) \|/);
});

test('the page names tiers that the CPU cannot be, and libraries from which nothing is hidden', () => {
  const cells = [{ entries: [entry('millrace', 1), entry('hashtree', 1)], disturbed: false }];
  const text = markdown([{ name: 'a row', goal: 1, cells }], { ...about, absent: ['A: none'] });
  assert.match(text, /Tiers: B: one; not on this CPU: A: none\./);
  assert.match(text, /With all CPU features in every tier: hashtree\./);
});

test('one row measured, with CPU features hidden', () => {
  const program = join(root, 'bench', 'competitors.mjs');
  const args = ['--tier', 'C', '--match', '^sha512 16 KiB', '--rounds', '1', '--time', '1'];
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...args], {
    encoding: 'utf8',
    timeout: 300_000,
  });
  assert.equal(status, 0, stderr);
  assert.match(stdout, /as Haswell/);
  assert.match(
    stdout,
    /^\| sha512 16 KiB \| 1 \| .*[\d.]+ GB\/s; (node:crypto|crypto-async)\) \|/m,
  );
});
