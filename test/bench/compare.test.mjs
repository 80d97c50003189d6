// The tables of bench/compare.mjs: their rows, their shape, and two of them measured.

import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';

import { arrangeCells, openCells } from '../../bench/cells.mjs';
import { cellOf, markdown, reasonOf } from '../../bench/report.mjs';
import { load, rows } from '../../bench/tables/competitors.mjs';
import * as routes from '../../bench/tables/routes.mjs';
import { measureForms } from '../../bench/turns.mjs';
import { root } from '../support/child.mjs';

const column = { title: 'B', machine: 'a CPU', first: '2026-11-29', last: '2026-11-29' };
const settings = '1 rounds of 1 ms';
const about = { build: 'abc', settings, columns: [column], tiers: ['B: one'], absent: [] };
const entry = (competitor, seconds, more) => ({ competitor, seconds, spread: 0.01, ...more });

const folder = mkdtempSync(join(tmpdir(), 'millrace-compare-'));
after(() => rmSync(folder, { recursive: true }));
const file = join(folder, 'cells.jsonl');
const command = (table, ...options) => [
  join(root, 'bench', 'compare.mjs'),
  table,
  '--rounds',
  '1',
  '--time',
  '1',
  '--cells',
  file,
  ...options,
];

function run(table, ...options) {
  const args = command(table, ...options);
  const { status, stdout, stderr } = spawnSync(process.execPath, args, {
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

test('a cell that failed says why, one that was not measured is empty', () => {
  assert.equal(cellOf({}, { entries: [], failed: 'another result' }), 'failed: another result');
  assert.equal(cellOf({}, undefined), '');
  assert.equal(reasonOf({ signal: 'SIGSEGV', message: 'Command failed' }), 'ended by SIGSEGV');
  assert.equal(reasonOf({ code: 3 }), 'ended with code 3');
  assert.equal(reasonOf(new Error('a | b\nmore')), 'a / b');
});

test('a competitor that fails is left out, Millrace is not', async () => {
  const fail = () => {
    throw new Error('no such algorithm');
  };
  const left = [];
  const measure = (forms) =>
    measureForms({ name: 'a row', wait: 'sync' }, forms, {
      rounds: 1,
      time: 1,
      leaveOut: (name, error) => left.push(`${name}: ${error.message}`),
    });
  const missing = new Error('not installed');
  const entries = await measure({ millrace: () => 1, a: fail, b: () => 1, c: missing });
  assert.deepEqual(
    entries.map(({ competitor }) => competitor),
    ['millrace', 'b'],
  );
  assert.deepEqual(left, ['c: not installed', 'a: no such algorithm']);
  await assert.rejects(measure({ millrace: fail, b: () => 1 }), /no such algorithm/);
  await assert.rejects(measure({ millrace: () => 1, b: () => 2 }), /another result/);
});

const cell = (row, title, more) => ({
  build: 'abc',
  machine: 'a CPU',
  settings,
  column: title,
  row,
  date: '2026-11-29',
  entries: [entry('millrace', 1e-6)],
  ...more,
});

test('cells of a file: the last of a key, without half lines, of all machines', () => {
  const path = join(folder, 'some', 'cells.jsonl');
  const first = openCells(path);
  first.add(cell('one', 'B, v20.1.0', { failed: 'once', entries: [] }));
  first.add(cell('one', 'B, v20.1.0'));
  appendFileSync(path, '{"build":"abc","mach');
  openCells(path).add(cell('one', 'B, v20.1.0', { machine: 'another CPU' }));
  const again = openCells(path);
  assert.equal(again.find(cell('one', 'B, v20.1.0')).failed, undefined);
  assert.equal(again.find(cell('two', 'B, v20.1.0')), undefined);
  assert.equal(again.find(cell('one', 'B, v20.1.0', { settings: 'others' })), undefined);
  assert.equal(again.like({ build: 'abc', settings }).length, 2);
  assert.equal(again.like({ build: 'def', settings }).length, 0);
});

test('columns are in the order of machines, versions and tiers, with their dates', () => {
  const cells = [
    cell('two', 'C, v24.1.0'),
    cell('two', 'A, v24.1.0', { date: '2026-11-28' }),
    cell('one', 'A, v24.1.0'),
    cell('one', 'C, v8.0.0'),
    cell('one', 'A, v24.1.0', { machine: 'b' }),
  ];
  const named = ['one', 'two', 'three'].map((name) => ({ name }));
  const { results, columns } = arrangeCells(cells, named, ['A', 'C']);
  assert.deepEqual(
    results.map(({ name, cells: found }) => [name, ...found.map(Boolean)]),
    [
      ['one', true, true, false, true],
      ['two', false, true, true, false],
    ],
  );
  assert.match(
    markdown(results, { ...about, columns }),
    /^a CPU: C, v8\.0\.0; C, v24\.1\.0 on 2026-11-29; A, v24\.1\.0, machine 1 on 2026-11-28 to 2026-11-29\.\nb: A, v24\.1\.0, machine 2 on/m,
  );
});

test('an interrupted run prints what it has, and is resumed', async () => {
  const options = ['--match', '^(sha256|sha512) '];
  const child = spawn(process.execPath, command('competitors', ...options), {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (part) => (text += part));
  const lines = () => (existsSync(file) ? readFileSync(file, 'utf8').split('\n').length - 1 : 0);
  while (lines() === 0) await new Promise((resolve) => setTimeout(resolve, 20));
  child.kill('SIGINT');
  const [code] = await once(child, 'close');
  assert.equal(code, 130);
  assert.match(text, /^\| sha256 16 KiB \| /m);
  const before = readFileSync(file, 'utf8').trim().split('\n');
  const one = ['--match', '^sha(256|512) 16 KiB$', '--resume'];
  assert.match(run('competitors', ...one), /^\| sha512 16 KiB \| .* \|$/m);
  const after = readFileSync(file, 'utf8').trim().split('\n');
  assert.deepEqual(after.slice(0, before.length), before);
  assert.equal(after.filter((line) => line.includes('"row":"sha256 16 KiB"')).length, 1);
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
