// The timing records: one written by the command, and the page that draws them.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { pathToFileURL } from 'node:url';

import { parseCsv } from '../../bench/csv.mjs';
import { timingsPage } from '../../bench/timings/page.mjs';
import { fileNameOf, heads, measurements } from '../../bench/timings/record.mjs';
import { csvLine } from '../../cli/bench/csv.mjs';
import { readOptions } from '../../cli/bench/options.mjs';
import { missingBrowser, startBrowser } from '../../tools/browser.mjs';
import { root } from '../support/child.mjs';

const folder = mkdtempSync(join(tmpdir(), 'millrace-timings-'));
after(() => rmSync(folder, { recursive: true, force: true }));

/** Five records of two sizes; the last one is 10 % slower, and one point was disturbed. */
const lines = ['01', '02', '03', '04', '05'].flatMap((day, index) =>
  [64, 4096].flatMap((size) =>
    ['millrace', 'node:crypto'].map((competitor) => ({
      date: `2026-01-${day}T12:00:00Z`,
      commit: `abc${day}`,
      machine: 'a <CPU>, 2 cores',
      table: 'hash',
      what: 'sha256, hex',
      wait: 'sync',
      size: String(size),
      competitor,
      form: 'hash',
      value: String(size * 1e-9 * (index === 4 ? 1.1 : 1)),
      lower_quartile: String(size * 0.98e-9),
      upper_quartile: String(size * 1.02e-9),
      disturbed: index === 2 && size === 64 ? '1' : '0',
    })),
  ),
);

test('a file for each CPU model; every measurement is one of the bench', () => {
  assert.equal(
    fileNameOf('AMD EPYC 7763 64-Core Processor'),
    'timings-amd-epyc-7763-64-core-processor.csv',
  );
  assert.equal(fileNameOf('Intel(R) Xeon(R) CPU @ 2.20GHz'), 'timings-intel-xeon.csv');
  assert.equal(fileNameOf(undefined), 'timings-unknown.csv');
  for (const each of measurements) {
    const words = each.split(' -')[0].split(' ');
    const value = (name) => new RegExp(` -${name} (\\S+)`).exec(each)[1];
    const plan = readOptions({ algorithms: value('a'), sizes: value('s') }, words);
    assert.ok(plan.rows.length >= 3, each);
  }
});

test('records are drawn by the command; disturbed points are figures only', () => {
  const text = [heads, ...lines.map((line) => heads.map((head) => line[head]))].map((line) =>
    csvLine(line),
  );
  writeFileSync(join(folder, 'timings-a.csv'), text.join(''));
  assert.deepEqual(parseCsv(text.join('')), lines);
  const html = join(folder, 'page.html');
  const script = join(root, 'bench', 'records.mjs');
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [script, '--folder', folder, '--html', html],
    { encoding: 'utf8' },
  );
  assert.equal(status, 0, stderr);
  assert.match(stdout, /: 5 records\n$/);
  const page = readFileSync(html, 'utf8');
  assert.equal(page, timingsPage(lines));
  const [chart, ...others] = JSON.parse(/id="data">\n(.*)\n/.exec(page)[1]);
  assert.deepEqual(others, []);
  assert.deepEqual(
    chart.series.map(({ name, points }) => [name, points.map(({ y }) => y.toFixed(2)).join(' ')]),
    [
      ['millrace 64 B', '1.00 1.00 1.00 1.10'],
      ['node:crypto 64 B', '1.00 1.00 1.00 1.10'],
      ['millrace 4 KiB', '1.00 1.00 1.00 1.00 1.10'],
      ['node:crypto 4 KiB', '1.00 1.00 1.00 1.00 1.10'],
    ],
  );
  assert.match(page, /2 disturbed points are not drawn/);
  assert.match(page, /<td>64 ns disturbed<\/td>/);
});

const missing = missingBrowser();

test('the page in a browser: wide, and narrow and dark', { skip: missing }, async (t) => {
  const path = join(folder, 'browser.html');
  writeFileSync(path, timingsPage(lines));
  const browser = await startBrowser();
  t.after(() => browser.close());
  for (const view of [
    { viewport: { width: 1280, height: 900 }, colorScheme: 'light' },
    { viewport: { width: 320, height: 640 }, colorScheme: 'dark' },
  ]) {
    const page = await (await browser.newContext(view)).newPage();
    const errors = [];
    page.on('pageerror', (error) => errors.push(error.message));
    await page.goto(pathToFileURL(path).href);
    await page.waitForSelector('.chart canvas');
    const seen = await page.evaluate(() => {
      const [plot] = window.millraceCharts.values();
      return {
        width: document.documentElement.scrollWidth,
        dates: plot.axes[0]._values,
        values: plot.axes[1]._values,
      };
    });
    assert.deepEqual(errors, []);
    assert.equal(seen.width, view.viewport.width, 'no sideways scrolling');
    assert.match(seen.dates[0], /^2026-01-0\d$/);
    assert.ok(seen.dates.length >= 2 && seen.values.includes('1.00x'), JSON.stringify(seen));
  }
});
