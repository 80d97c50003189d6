// `npm run bench -- routes`: what is made of its measurements, and one cell measured.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { pathToFileURL } from 'node:url';

import { parseCsv } from '../../bench/csv.mjs';
import { cellsOf, operations, routesOf } from '../../bench/routes/plan.mjs';
import { openRecord } from '../../bench/routes/record.mjs';
import { routesPage } from '../../bench/routes/page.mjs';
import { assess, report } from '../../bench/routes/report.mjs';
import { csvLine } from '../../cli/bench/csv.mjs';
import { missingBrowser, startBrowser } from '../../tools/browser.mjs';
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

test('CSV: fields with commas, quotes and line ends survive; a cut last line is left out', () => {
  const lines = [
    ['a', 'b'],
    ['1,2', 'say "x"'],
    ['', 'two\nlines'],
  ];
  const text = lines.map((line) => csvLine(line)).join('');
  const expected = [
    { a: '1,2', b: 'say "x"' },
    { a: '', b: 'two\nlines' },
  ];
  assert.deepEqual(parseCsv(text), expected);
  assert.deepEqual(parseCsv(`${text}3,"unfin`), expected);
});

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
  const path = join(folder, 'record.csv');
  const options = { fresh: false, isolated: false };
  const record = openRecord(path, about, options);
  record.add(cell, 1, [result({ auto: 90, inline: 100, pool: 80, split: 70 })]);
  appendFileSync(path, '"cut in the mid');
  const again = openRecord(path, about, options);
  assert.equal(again.has(cell, 1), true);
  assert.equal(again.has(cell, 2), false);
  assert.equal(again.of(cell).length, 4);
  // What is added after the cut line must be readable, too.
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
  const missed = assessed('missed.csv', [result(rates), result({ ...rates, auto: 20 })]);
  assert.equal(missed.best, 'pool');
  assert.equal(missed.verdict, 'missed');
  assert.deepEqual([missed.low, missed.ratio, missed.high], [0.2, 0.5, 0.8]);
  assert.equal(assessed('noise.csv', [result(rates, { spread: 0.1 })]).verdict, 'unsure');
  const reached = assessed('reached.csv', [result({ ...rates, auto: 96 }, { foreign: 0.5 })]);
  assert.equal(reached.verdict, 'reached');
  assert.equal(reached.disturbed, true);
  const text = report([missed, assess({ ...cell, size: 16 }, [])], about);
  assert.match(text, /aes-256-gcm, lent +16 in flight\n +4 KiB +0\.50 p </);
  assert.match(text, /1 cells: 0 reach 0\.95, 0 are below by less than the noise, 1 miss it/);
});

test('the command measures a cell, writes it down and does not measure it again', () => {
  const path = join(folder, 'run.csv');
  const restriction =
    '--operations chacha20-poly1305 --sizes 64 --depths 4 --memory lent ' +
    '--repeats 1 --rounds 1 --time 1';
  const run = () =>
    spawnSync(
      process.execPath,
      [join(root, 'bench', 'routes.mjs'), ...restriction.split(' '), '--csv', path],
      { encoding: 'utf8' },
    );
  const first = run();
  assert.equal(first.status, 0, first.stderr);
  assert.match(first.stdout, /chacha20-poly1305, lent +4 in flight\n +64 B +\d+\.\d\d [ips]/);
  const written = readFileSync(path, 'utf8');
  assert.equal(parseCsv(written).length, 4);
  assert.equal(run().stdout, first.stdout);
  assert.equal(readFileSync(path, 'utf8'), written);
});

const missing = missingBrowser();

test('the heat map in a browser: wide, and narrow and dark', { skip: missing }, async (t) => {
  const assessed = cellsOf({ quick: true, most: Infinity }).map((each, index) => {
    const ratio = 0.4 + (index % 9) / 10;
    const rates = Object.fromEntries(routesOf(each).map((route, place) => [route, 1000 - place]));
    const verdict = ratio >= 0.95 ? 'reached' : index % 2 === 0 ? 'unsure' : 'missed';
    const range = { low: ratio - 0.1, high: ratio + 0.1, noise: 0.05 };
    return {
      cell: each,
      rates,
      best: 'pool',
      ratio,
      ...range,
      disturbed: index % 5 === 0,
      verdict,
    };
  });
  const date = '2026-01-01T00:00:00Z';
  const html = routesPage(assessed, { ...about, machine: 'a <CPU>', date, processes: 2 });
  const path = join(folder, 'routes.html');
  writeFileSync(path, html);
  const browser = await startBrowser();
  t.after(() => browser.close());
  for (const view of [
    { viewport: { width: 1280, height: 900 }, colorScheme: 'light' },
    { viewport: { width: 320, height: 640 }, colorScheme: 'dark' },
  ]) {
    const page = await (await browser.newContext(view)).newPage();
    await page.goto(pathToFileURL(path).href);
    if (process.env.MILLRACE_PICTURES !== undefined)
      await page.screenshot({
        path: join(process.env.MILLRACE_PICTURES, `routes-${view.colorScheme}.png`),
      });
    const seen = await page.evaluate(() => ({
      width: document.documentElement.scrollWidth,
      cells: [...document.querySelectorAll('.heatmap td')].map(({ textContent }) => textContent),
      machine: document.querySelector('dd').textContent,
    }));
    assert.equal(seen.width, view.viewport.width, 'no sideways scrolling');
    assert.equal(seen.cells.length, assessed.length);
    assert.equal(seen.cells[0], '0.40p~!');
    assert.equal(seen.machine, 'a <CPU>');
  }
});
