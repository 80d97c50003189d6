// `npm run bench -- routes`: what is made of its measurements, and one cell measured.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { appendFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';

import { cellsOf, operations, routesOf } from '../../bench/routes/plan.mjs';
import { openRecord } from '../../bench/routes/record.mjs';
import { assess, report } from '../../bench/routes/report.mjs';
import { root } from '../support/child.mjs';

const folder = mkdtempSync(join(tmpdir(), 'millrace-routes-'));
after(() => rmSync(folder, { recursive: true, force: true }));
const about = { machine: 'a CPU, 2 cores', build: 'abc' };
const cell = { operation: 'aes-256-gcm', memory: 'lent', size: 4096, inFlight: 16 };

function result(rates, { spread = 0.01, foreign = 0 } = {}) {
  const figures = (rate) => ({ rate, spread, p50: 1e-5, p99: 2e-5, cores: 1 });
  return {
    foreign,
    delay: 0,
    routes: Object.fromEntries(
      Object.entries(rates).map(([route, rate]) => [route, figures(rate)]),
    ),
  };
}

test('the plan has every combination, and none that needs too much memory', () => {
  const all = cellsOf({ quick: false, most: Infinity });
  assert.equal(all.length, operations.length * 2 * 14 * 6);
  assert.equal(all.filter(({ size }) => size === 16).length, operations.length * 2 * 6);
  const most = 2 ** 30;
  assert.ok(cellsOf({ quick: false, most }).every((each) => 2 * each.size * each.inFlight <= most));
  assert.deepEqual(routesOf({ operation: 'sha256' }), ['auto', 'inline', 'pool']);
  assert.deepEqual(routesOf(cell), ['auto', 'inline', 'pool', 'split']);
});

test('a record continues where it ended, for the same machine, build and kind of run', () => {
  const path = join(folder, 'record.jsonl');
  const options = { fresh: false, isolated: false };
  const record = openRecord(path, about, options);
  record.add(cell, 1, [result({ auto: 90, inline: 100, pool: 80, split: 70 })]);
  appendFileSync(path, '{"cut in the mid');
  const again = openRecord(path, about, options);
  assert.equal(again.has(cell, 1), true);
  assert.equal(again.has(cell, 2), false);
  assert.equal(again.of(cell).length, 4);
  // Lines after the cut line must be readable, too.
  again.add(cell, 2, [result({ auto: 90, inline: 100, pool: 80, split: 70 })]);
  assert.equal(openRecord(path, about, options).has(cell, 2), true);
  assert.equal(openRecord(path, { ...about, build: 'def' }, options).has(cell, 1), false);
  assert.equal(openRecord(path, about, { ...options, isolated: true }).has(cell, 1), false);
  assert.equal(openRecord(path, about, { ...options, fresh: true }).has(cell, 1), false);
});

test('a verdict needs a difference above the noise', () => {
  const assessed = (name, results) => {
    const record = openRecord(join(folder, name), about, { fresh: true, isolated: false });
    results.forEach((each, index) => record.add(cell, index + 1, [each]));
    return assess(cell, record.of(cell));
  };
  const rates = { auto: 80, inline: 60, pool: 100, split: 90 };
  const missed = assessed('missed.jsonl', [result(rates), result({ ...rates, auto: 20 })]);
  assert.equal(missed.best, 'pool');
  assert.equal(missed.verdict, 'missed');
  assert.deepEqual([missed.low, missed.ratio, missed.high], [0.2, 0.5, 0.8]);
  assert.equal(assessed('noise.jsonl', [result(rates, { spread: 0.1 })]).verdict, 'unsure');
  const reached = assessed('reached.jsonl', [result({ ...rates, auto: 96 }, { foreign: 0.5 })]);
  assert.equal(reached.verdict, 'reached');
  assert.equal(reached.disturbed, true);
  const text = report([missed, assess({ ...cell, size: 16 }, [])], about);
  assert.match(text, /aes-256-gcm, lent +16 in flight\n +4 KiB +0\.50 p </);
  assert.match(text, /1 cells: 0 reach 0\.95, 0 are below by less than the noise, 1 miss it/);
});

test('the command measures a cell, writes it down and does not measure it again', () => {
  const path = join(folder, 'run.jsonl');
  const restriction =
    '--operations chacha20-poly1305 --sizes 64 --depths 4 --memory lent ' +
    '--repeats 1 --rounds 1 --time 1';
  const run = () =>
    spawnSync(
      process.execPath,
      [join(root, 'bench', 'routes.mjs'), ...restriction.split(' '), '--out', path],
      { encoding: 'utf8' },
    );
  const first = run();
  assert.equal(first.status, 0, first.stderr);
  assert.match(first.stdout, /chacha20-poly1305, lent +4 in flight\n +64 B +\d+\.\d\d [ips]/);
  const written = readFileSync(path, 'utf8');
  const [line] = written.trim().split('\n');
  assert.deepEqual(Object.keys(JSON.parse(line).routes), ['auto', 'inline', 'pool', 'split']);
  assert.equal(run().stdout, first.stdout);
  assert.equal(readFileSync(path, 'utf8'), written);
});
