// The tables of bench/compare.mjs: their rows, their shape, and two of them measured.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';

import { cellOf, markdown } from '../../bench/report.mjs';
import { load, rows } from '../../bench/tables/competitors.mjs';
import * as routes from '../../bench/tables/routes.mjs';
import { root } from '../support/child.mjs';

const about = { machine: 'a CPU', build: 'abc', columns: ['B'], tiers: ['B: one'], absent: [] };
const entry = (competitor, seconds, more) => ({ competitor, seconds, spread: 0.01, ...more });

function run(table, ...options) {
  const args = [join(root, 'bench', 'compare.mjs'), table, '--rounds', '1', '--time', '1'];
  const { status, stdout, stderr } = spawnSync(process.execPath, [...args, ...options], {
    encoding: 'utf8',
    timeout: 300_000,
  });
  assert.equal(status, 0, stderr);
  return stdout;
}

test('rows have different names, and Millrace first', async () => {
  const libraries = await load();
  assert.equal(new Set(rows.map(({ name }) => name)).size, rows.length);
  // Those of much memory only allocate, those of key derivation only compute.
  for (const row of rows.filter(({ name }) => !/GiB|64 MiB|256|10,000|scrypt|1 MiB/.test(name)))
    assert.match(Object.keys(await row.forms(libraries))[0], /^millrace/, row.name);
});

test('a ratio below 1 is bold, within the noise marked ~, and disturbed rows !', () => {
  const cell = (entries, disturbed) => cellOf({}, { entries, disturbed });
  assert.equal(
    cell([entry('millrace', 1e-7), entry('b', 3e-7), entry('c', 2e-7)]),
    '2.00 (100 ns; c)',
  );
  assert.equal(cell([entry('millrace', 2e-6), entry('b', 1e-6)]), '**0.50** (2.00 us; b)');
  assert.match(cell([entry('millrace', 1e-6), entry('b', 0.99e-6)], true), /^0\.99 ~ ! \(/);
});

test('a cell also has the ratio of a competitor that is wanted, or says that it is absent', () => {
  const cell = (...others) =>
    cellOf({ wanted: 'b' }, { entries: [entry('millrace', 1e-6), ...others] });
  assert.equal(cell(entry('b', 3e-6), entry('c', 2e-6)), '2.00 (1.00 us; c; b 3.00)');
  assert.equal(cell(entry('b', 3e-6), entry('c', 4e-6)), '3.00 (1.00 us; b)');
  assert.equal(cell(entry('c', 2e-6)), '2.00 (1.00 us; c; b absent)');
  assert.equal(cell(), '- (1.00 us; b absent)');
});

test("Millrace's other forms are competitors only where no other library takes part", () => {
  const ours = [entry('millrace', 2e-6), entry('millrace, raw key', 1e-6)];
  const cell = (entries, bytes) => cellOf({ bytes }, { entries });
  assert.equal(cell(ours), '**0.50** (2.00 us; millrace, raw key)');
  assert.equal(cell([...ours, entry('b', 4e-6)], 1000), '2.00 (0.500 GB/s; b)');
  assert.equal(cell([ours[0]]), '- (2.00 us)');
});

test('the page names tiers that the CPU cannot be, and libraries that ask the CPU', () => {
  const cells = [{ entries: [entry('millrace', 1), entry('hashtree', 1)], disturbed: false }];
  const text = markdown([{ name: 'a row', cells }], { ...about, absent: ['A: none'] });
  assert.match(text, /Tiers: B: one; not on this CPU: A: none\./);
  assert.match(text, /With all CPU features in every tier: hashtree\./);
});

test('a row of millrace bench measured, with CPU features hidden', () => {
  const text = run('competitors', '--tier', 'C', '--match', '^sha512 16 KiB');
  assert.match(text, /as Haswell/);
  assert.match(text, /^\| sha512 16 KiB \| .*[\d.]+ GB\/s; \S+ [^)]+\) \|/m);
});

test('routes: sizes by memory and calls in flight, with the fastest fixed route', () => {
  assert.equal(routes.rows.length, 4 * 7 * 2 * 3);
  const text = run('routes', '--match', '^chacha20-poly1305 .*, 64 B, (1|16) ');
  assert.match(
    text,
    /^\| chacha20-poly1305 \| copied, 1 \| copied, 16 \| lent, 1 \| lent, 16 \|$/m,
  );
  assert.match(text, /^\| 64 B (\| \d+\.\d\d [ips]~?!? ){4}\|$/m);
});
