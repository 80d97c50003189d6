// The report of `millrace bench --html`, looked at in a browser. Pictures go to the folder that
// MILLRACE_PICTURES names.

import assert from 'node:assert/strict';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';

import { chartsOf } from '../../../cli/bench/page/charts.mjs';
import { htmlPage } from '../../../cli/bench/page/page.mjs';
import { lowContrast, missingBrowser, startBrowser } from '../../../tools/browser.mjs';
import { benchRecord } from '../../support/bench-record.mjs';
import { temporary } from '../../support/child.mjs';
import { beyondEdge, complaintsOf, views } from '../../support/pages.mjs';

const record = benchRecord();
const html = htmlPage(record);
const charts = chartsOf(record).flatMap((section) => section.charts);
const lines = charts.filter(({ kind }) => kind === 'lines');

test('the page fetches nothing, and what was measured cannot speak HTML', () => {
  // Links that a reader may follow stand in the licence and in the library, as text.
  assert.doesNotMatch(
    html,
    /<(script|img|iframe)[^>]+src=|<link[^>]+href="(?!data:)|@import|url\(\s*["']?https?:/i,
  );
  assert.match(html, /&lt;Model&gt; &quot;9654&quot; &amp; its friends/);
  assert.doesNotMatch(html, /<Model>/);
  assert.match(html, /Copyright \(c\) \d+ Leon Sorokin/, 'the licence of the library goes with it');
});

test('the verdict is first, names rows that others win, and its words are explained', () => {
  const verdicts = ['behind', 'behind', 'tie'];
  const rows = record.rows.map((row, index) => {
    const verdict = verdicts[index] ?? 'ahead';
    return { ...row, comparison: { ...row.comparison, ratio: 0.8, verdict } };
  });
  const page = htmlPage({ ...record, rows });
  const [, sentence, list] = /<div class="verdict"><p>(.*?)<\/p><ul>(.*?)<\/ul><\/div>/.exec(page);
  assert.equal(
    sentence,
    `${rows.length} rows: Millrace is ahead in ${rows.length - 3}, level (within the noise or 3 %) ` +
      'in 1, behind in 2.',
  );
  const losses = [...list.matchAll(/<li>(.*?)<\/li>/g)].map(([, loss]) => loss);
  assert.equal(losses.length, 2);
  for (const loss of losses) assert.match(loss, /^\S+ wins: .*, \d+ K?i?B: 0\.80x \(/);
  assert.ok(page.indexOf('class="verdict"') < page.indexOf('<dt>CPU</dt>'));
  for (const word of ['ratio', 'level', 'noise', 'disturbed', 'in flight', 'p50, p99'])
    assert.ok(page.includes(`<dt>${word}</dt>`), word);
  assert.doesNotMatch(htmlPage({ ...record, rows: [] }), /class="verdict"/);
});

test('every kind of record has its charts, and every chart a table with all of its figures', () => {
  assert.deepEqual(
    chartsOf(record).map(({ id }) => id),
    ['hash', 'kdf', 'hashperf', 'cryptperf', 'latency', 'load'],
  );
  for (const { title, series, table } of charts) {
    const figures = series.reduce((sum, { points }) => sum + points.length, 0);
    const bars = table.heads[0] === 'competitor';
    const cells = bars
      ? table.rows.length
      : table.rows.flatMap((row) => row.slice(1)).filter((cell) => cell !== '-').length;
    assert.equal(cells, figures, title);
    if (series.length <= 8)
      assert.equal(
        new Set(series.map(({ colour }) => colour)).size,
        series.length,
        `colours of ${title}`,
      );
  }
  const none = { rows: [], crossovers: [], latency: undefined, load: undefined };
  assert.deepEqual(chartsOf({ ...record, ...none }), []);
});

test(
  'a competitor has one colour in all charts, and the lines of throughput are size over ' + 'time',
  () => {
    const colours = new Map();
    for (const { name, colour } of charts.flatMap(({ series }) => series))
      colours.set(name, (colours.get(name) ?? new Set()).add(colour));
    assert.ok(colours.size > 10 && colours.has('hash-wasm'));
    for (const [name, each] of colours) assert.equal(each.size, 1, name);
    const [row] = record.rows;
    assert.equal(
      lines[0].series.find(({ name }) => name === 'millrace').points[0].y,
      row.size / row.entries[0].seconds,
    );
  },
);

test('crossovers are named below the chart and marked in it', () => {
  const chart = lines.find(({ id }) => id === 'cryptperf-1');
  assert.ok(
    chart.remarks.some((remark) => /^pool beats sync from about \S+ K?i?B \(/.test(remark)),
    chart.remarks.join('\n'),
  );
  assert.equal(
    chart.marks.length,
    record.crossovers.filter(
      ({ table, from, always }) => table === 'cryptperf' && from !== undefined && !always,
    ).length,
  );
  assert.ok(chart.marks.length > 0);
});

const missing = missingBrowser();

test('in a browser', { skip: missing }, async (t) => {
  const folder = temporary();
  const pictures = process.env.MILLRACE_PICTURES ?? folder;
  mkdirSync(pictures, { recursive: true });
  writeFileSync(join(folder, 'report.html'), html);
  const browser = await startBrowser();
  t.after(async () => {
    await browser.close();
    rmSync(folder, { recursive: true, force: true });
  });

  for (const [name, view] of Object.entries(views)) {
    await t.test(name, async () => {
      const context = await browser.newContext(view);
      const page = await context.newPage();
      const complaints = complaintsOf(page, (url) => /^(file|data|blob):/.test(url));
      await page.goto(pathToFileURL(join(folder, 'report.html')).href);
      await page.waitForFunction(
        (count) => document.querySelectorAll('.chart canvas').length === count,
        lines.length,
      );
      await page.screenshot({ path: join(pictures, `${name}.png`), fullPage: true });
      assert.deepEqual(complaints, []);
      const edge = { width: view.viewport.width, beyond: [] };
      assert.deepEqual(await beyondEdge(page), edge, 'nothing is beyond the edge');
      assert.deepEqual(await lowContrast(page), []);
      const seen = await page.evaluate(chartsIn);
      assert.deepEqual(
        seen.map(({ id }) => id),
        lines.map(({ id }) => id),
      );
      for (const [
        index,
        { id, width, height, painted, legend, ticks, overlapping },
      ] of seen.entries()) {
        assert.deepEqual(
          legend,
          ['size', ...lines[index].series.map((series) => series.name)],
          `legend of ${id}`,
        );
        assert.ok(
          width > 200 && height >= 200 && painted > 0.005,
          `${id}: ${width} x ${height}, ${painted} of it painted`,
        );
        assert.ok(
          ticks.x.length >= 2 && ticks.y.length >= 2,
          `${id}: ticks ${JSON.stringify(ticks)}`,
        );
        assert.deepEqual(overlapping, [], `${id}: ticks ${JSON.stringify(ticks)}`);
      }
      await context.close();
    });
  }

  await t.test('a click on the legend hides a line, the pointer shows figures', async () => {
    const page = await (await browser.newContext(views.light)).newPage();
    await page.goto(pathToFileURL(join(folder, 'report.html')).href);
    const card = page.locator('.card.lines').first();
    await card.locator('.u-series th').nth(2).click();
    assert.equal(
      await page.evaluate((id) => window.millraceCharts.get(id).series[2].show, lines[0].id),
      false,
    );
    await card.locator('.u-over').hover();
    const values = await card.locator('.u-value').allInnerTexts();
    assert.match(values[0], /^\d+ (B|KiB|MiB)$/);
    assert.match(values[1], /^\S+ [MG]B\/s$/);
  });
});

/** Runs in the page. */
function chartsIn() {
  return [...document.querySelectorAll('.card.lines')].map((card) => {
    const { chart: id } = card.dataset;
    const plot = window.millraceCharts.get(id);
    const canvas = card.querySelector('canvas');
    const context = canvas.getContext('2d');
    const { data } = context.getImageData(0, 0, canvas.width, canvas.height);
    let painted = 0;
    for (let at = 3; at < data.length; at += 4) if (data[at] > 0) painted++;
    const ticks = {};
    const overlapping = [];
    for (const [axis, name] of plot.axes.entries()) {
      const which = axis === 0 ? 'x' : 'y';
      const shown = name._splits
        .map((value, index) => ({ at: plot.valToPos(value, which), text: name._values[index] }))
        .filter(({ text }) => text !== '');
      ticks[which] = shown.map(({ text }) => text);
      context.font = '12px system-ui, sans-serif';
      for (const [index, tick] of shown.slice(1).entries()) {
        const before = shown[index];
        const [width, other] = [tick, before].map(({ text }) => context.measureText(text).width);
        const room = which === 'x' ? (width + other) / 2 + 2 : 13;
        if (Math.abs(tick.at - before.at) < room)
          overlapping.push(`${before.text} and ${tick.text}`);
      }
    }
    const box = canvas.getBoundingClientRect();
    const legend = [...card.querySelectorAll('.u-legend .u-label')].map((label) =>
      label.textContent.trim(),
    );
    return {
      id,
      width: box.width,
      height: box.height,
      painted: painted / (data.length / 4),
      legend,
      ticks,
      overlapping,
    };
  });
}
