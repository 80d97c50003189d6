// The tables of the bench as text.

import { cpus, release, type } from 'node:os';

import { fastest } from './confidence.mjs';
import { describe } from './definitions.mjs';
import { quantile } from './numbers.mjs';
import { notInstalled } from './packages.mjs';

export function machine(competitors) {
  const [{ model = 'unknown CPU' } = {}] = cpus();
  const versions = competitors
    .filter(({ engine }) => !engine)
    .map(({ name, tools }) => (tools.version ? `${name} ${tools.version}` : name));
  return {
    cpu: model.trim(),
    cores: cpus().length,
    // Without the suffix of a distribution.
    system: `${type()} ${/^[\d.]*\d/.exec(release())?.[0] ?? release()} ${process.arch}`,
    node: process.version,
    competitors: versions,
  };
}

export const method = ({ rounds, time, inFlight, clock, asynchronous: { samples, flight } }) =>
  `${rounds} rounds of ${time} ms (asynchronous: ${samples} of ${flight} ms, ${inFlight} in ` +
  `flight), median; clock step ${duration(clock)}`;

export function header({ cpu, cores, system, node, competitors }, missing, settings) {
  const packages = missing.filter(({ reason }) => reason === notInstalled);
  return [
    `${cpu}, ${cores} cores, ${system}, Node ${node}`,
    `measured: ${competitors.join(', ')}`,
    ...missing.map(({ name, reason }) => `missing:  ${name} (${reason})`),
    packages.length > 0 &&
      '          to measure them too, in the current folder: npm install ' +
        packages.map((each) => each.package).join(' '),
    method(settings),
    "ratio = best competitor's time / ours (above 1 we are faster) ± its noise; " +
      '~ a tie, < behind; sync cells are time per call, async cells jobs per second',
    competitors.some((name) => name.startsWith('own loop')) &&
      '`own loop` is our synchronous call in a loop and does not compete; of a batch: time ' +
        'per message, messages per second',
    '',
  ]
    .filter((line) => line !== false)
    .join('\n');
}

// The rest share a column; the best competitor is named in any case.
const columns = [
  'millrace',
  'own loop',
  'node:crypto',
  'WebCrypto',
  'crypto-async',
  'piscina',
  'bigint-hash',
];
const smallest = { what: 24, ratio: 10, best: 15 };
const mark = ' disturbed';

/**
 * Chooses the columns for these rows, so that lines keep to `width`: the least important column is
 * dropped first. A column of width 0 is not shown.
 *
 * @param rows planned ones: { definition, size, wait }
 * @param names of the competitors that are ready
 */
export function layout(rows, names, width = Infinity) {
  const engines = rows.some(({ definition }) => definition.engines);
  const what = rows.map(({ definition, wait }) => title(definition, wait).length);
  const shown = engines
    ? names.filter((name) => name !== 'millrace')
    : columns.filter((name) => names.includes(name));
  if (!engines && names.some((name) => !columns.includes(name))) shown.push('others');
  const widths = {
    what: Math.max(smallest.what, ...what),
    value: engines ? 14 : 12,
    ratio: engines ? 0 : 16,
    best: engines ? 0 : 37,
    latency: rows.some(({ wait }) => wait !== 'sync') && !engines ? 40 : 0,
  };
  const table = { engines, shown, widths };
  const excess = () => cells(table, { values: shown }).length + 1 + mark.length - width;
  const narrow = (column, least) => {
    if (excess() > 0) widths[column] = Math.min(widths[column], least);
  };
  narrow('latency', 0);
  narrow('ratio', smallest.ratio);
  narrow('best', 25);
  while (excess() > 0 && shown.length > 2)
    shown.splice(shown.includes('own loop') ? shown.indexOf('own loop') : -1, 1);
  narrow('best', smallest.best);
  narrow('best', 0);
  narrow('what', Math.max(smallest.what, widths.what - excess()));
  return table;
}

/** Returns the column heads. */
export function head(table) {
  const what = table.engines ? 'MB/s' : '';
  const latency = 'p50 / p99, ours | best';
  const texts = { what, size: 'size', ratio: 'ratio', best: 'best competitor', latency };
  return cells(table, { ...texts, values: table.shown }).trimEnd();
}

const title = (definition, wait) =>
  definition.engines ? describe(definition) : `${wait.padEnd(8)} ${describe(definition)}`;

/** Returns one row of the table. */
export function line(row, table, paint = (_shade, text) => text) {
  const { ours, best, ratio, noise, verdict, loop } = row.comparison;
  const values = table.shown.map((name) => {
    const entry = fastest(
      row.entries.filter(
        ({ competitor }) =>
          (table.engines || columns.includes(competitor) ? competitor : 'others') === name,
      ),
    );
    if (entry === undefined) return '-';
    if (table.engines) return megabytes(row.size / entry.seconds);
    return row.wait === 'sync' ? duration(entry.seconds) : rate(entry.seconds);
  });
  const uncertainty =
    table.widths.ratio > smallest.ratio ? ` ±${Math.min(999, noise * 100).toFixed(0)} %` : '';
  const ratioText =
    ratio === undefined
      ? verdict === 'missing'
        ? 'missing'
        : '-'
      : `${ratio.toFixed(2)}x${uncertainty}${{ ahead: '  ', behind: ' <', tie: ' ~' }[verdict]}`;
  const latencies = [ours, best].map(
    (entry) => entry?.latency && `${duration(entry.latency.p50)} / ${duration(entry.latency.p99)}`,
  );
  const beside = [
    latencies.filter(Boolean).join(' | '),
    loop && `${loop.ratio.toFixed(2)}x own loop`,
  ];
  const text = cells(table, {
    what: title(row, row.wait),
    size: bytes(row.size),
    values,
    ratio: ratioText,
    best: best && `${best.competitor} ${best.form}`,
    latency: beside.filter(Boolean).join(', '),
  });
  const marked = row.disturbed ? `${text} ${mark}` : text.trimEnd();
  const shade = { ahead: 'green', behind: 'red', missing: 'red' }[verdict];
  return shade === undefined || table.engines ? marked : paint(shade, marked);
}

function cells({ widths }, { what = '', size = '', values, ratio = '', best = '', latency = '' }) {
  const cut = (text, width) =>
    (text.length > width ? `${text.slice(0, width - 1)}\u2026` : text).padEnd(width);
  return [
    cut(what, widths.what),
    size.padStart(7),
    ...values.map((value) => value.padStart(widths.value)),
    widths.ratio > 0 && ratio.padStart(widths.ratio),
    widths.best > 0 && cut(` ${best}`, widths.best),
    widths.latency > 0 && latency.padEnd(widths.latency),
  ]
    .filter((cell) => cell !== false)
    .join(' ');
}

/** Says where an engine overtakes another, in words. */
export const where = ({ from, always }) =>
  from === undefined ? 'nowhere' : always ? 'everywhere' : `from about ${roughly(from)}`;

export const whereAndHow = (found) =>
  `${where(found)} (${found.ratio.toFixed(2)}x at the largest size)`;

/** Returns a line for each comparison of engines; the algorithm is in the first of its lines. */
export function crossoverTable(found) {
  if (found.length === 0) return '';
  const textOf = ({ faster, than }) => `${faster} beats ${than}`;
  const width = Math.max(...found.map((each) => textOf(each).length));
  const lines = found.map((each, index) => {
    const head = found[index - 1]?.algorithm === each.algorithm ? '' : each.algorithm;
    return `  ${head.padEnd(20)} ${textOf(each).padEnd(width)}  ${whereAndHow(each)}`;
  });
  return `crossover:\n${lines.join('\n')}\n`;
}

/**
 * Returns in words in how many rows Millrace is faster, a sentence for each row in which it is not,
 * and how far the figures can be trusted.
 */
export function verdict(rows) {
  const of = (wanted) => rows.filter(({ comparison }) => comparison.verdict === wanted);
  const [ahead, tie, behind, alone, missing] = ['ahead', 'tie', 'behind', 'alone', 'missing'].map(
    of,
  );
  const named = (row) => `${describe(row)}, ${bytes(row.size)}`;
  const spreads = rows.flatMap(({ entries }) => entries.map(({ spread }) => spread));
  const percent = (part) => `${(quantile(spreads, part) * 100).toFixed(1)} %`;
  const disturbed = rows.filter((row) => row.disturbed).length;
  const repeated = rows.filter(({ attempts }) => attempts > 1).length;
  const wrong = rows.flatMap((row) => row.wrong.map((form) => `${form}: ${named(row)}`));
  return {
    sentence:
      `${rows.length} ${rows.length === 1 ? 'row' : 'rows'}: Millrace is ahead in ` +
      `${ahead.length}, level (~, within the noise or 3 %) in ${tie.length}, ` +
      `behind (<) in ${behind.length}` +
      (alone.length > 0 ? `, without a competitor in ${alone.length}` : '') +
      `${missing.length > 0 ? `, missing in ${missing.length}` : ''}.`,
    losses: behind.map((row) => {
      const { best, ratio } = row.comparison;
      return (
        `${best.competitor} wins: ${row.wait} ${named(row)}: ` +
        `${ratio.toFixed(2)}x (${best.form})`
      );
    }),
    // Asynchronous single jobs are expected behind: one job cannot use several cores.
    loops: rows
      .filter(({ comparison, table }) => comparison.loop?.verdict === 'behind' && table !== 'async')
      .map(
        (row) =>
          `a loop of single calls wins: ${row.wait} ${named(row)}: ` +
          `${row.comparison.loop.ratio.toFixed(2)}x`,
      ),
    noise:
      spreads.length > 0 &&
      `noise: spread of the samples around their median ${percent(0.5)} (median row), ` +
        `${percent(0.9)} (90th percentile); ` +
        `other processes disturbed ${disturbed} of ${rows.length} rows; ${repeated} were repeated.`,
    wrong: wrong.length > 0 && `WRONG ANSWERS (not timed): ${wrong.join('; ')}`,
  };
}

/** Summarizes the table and lists the rows in which Millrace is slower. */
export function summary(rows) {
  const { sentence, losses, loops, noise, wrong } = verdict(rows);
  const slower = [...losses, ...loops].map((loss) => `  ${loss}`);
  return `${[sentence, ...slower, noise, wrong].filter(Boolean).join('\n')}\n`;
}

export function loadSummary({ times, starts, threads }) {
  const requires = Object.entries(times).map(([name, time]) => [`require('${name}')`, time]);
  const lines = [...requires, ...Object.entries(starts)].map(
    ([name, { median, p90, cpu }]) =>
      `  ${name}`.padEnd(36) +
      `${duration(median)} (median), ${duration(p90)} (90th percentile)` +
      (cpu === undefined ? '' : `, ${duration(cpu)} (least CPU time)`),
  );
  if (threads !== undefined) {
    lines.push(
      `  threads: ${threads.start} at start, ${threads.loaded} after require, ` +
        `${threads.sync} after a synchronous job, ` +
        `${threads.async} after the first asynchronous one`,
    );
  }
  return `loading, fresh processes:\n${lines.join('\n')}\n`;
}

/** Formats a duration, below zero too: a timer may fire early by the grain of the clock. */
export function duration(seconds) {
  if (seconds < 0) return `-${duration(-seconds)}`;
  if (seconds < 1e-6) return `${(seconds * 1e9).toFixed(0)} ns`;
  if (seconds < 1e-3) return `${(seconds * 1e6).toPrecision(3)} µs`;
  return seconds < 1 ? `${(seconds * 1e3).toPrecision(3)} ms` : `${seconds.toPrecision(3)} s`;
}

export function rate(seconds) {
  const perSecond = 1 / seconds;
  if (perSecond >= 1e6) return `${(perSecond / 1e6).toFixed(2)} M/s`;
  if (perSecond >= 1e3) return `${(perSecond / 1e3).toPrecision(3)} k/s`;
  return `${perSecond.toPrecision(3)} /s`;
}

export function megabytes(rate) {
  const value = rate / 1e6;
  return value >= 99.95 ? value.toFixed(0) : value.toPrecision(3);
}

/** Formats a size that was computed. */
export function roughly(size) {
  if (size < 1024) return `${Math.round(size)} B`;
  const [value, unit] = size < 1 << 20 ? [size / 1024, 'KiB'] : [size / (1 << 20), 'MiB'];
  return `${value.toPrecision(value >= 100 ? 3 : 2)} ${unit}`;
}

export function bytes(size) {
  if (size >= 1 << 30 && size % (1 << 30) === 0) return `${size / (1 << 30)} GiB`;
  if (size >= 1 << 20 && size % (1 << 20) === 0) return `${size >> 20} MiB`;
  return size >= 1024 && size % 1024 === 0 ? `${size / 1024} KiB` : `${size} B`;
}
