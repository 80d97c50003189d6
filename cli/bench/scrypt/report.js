// The output of the benchmark: a line for each batch, then a Markdown table for each concurrency;
// or CSV. Digits, widths and names are the original package's: scripts read them.

'use strict';

/** @typedef {import('./batch.js').Batch} Batch */

const fixed = (value, digits) => (Number.isFinite(value) ? value.toFixed(digits) : '');

/** @param {Batch} batch */
function doneLine(batch) {
  const { variant, concurrency, ok, fail, time, iterationRate, callRate, p50, p90, p99 } = batch;
  const latency = (value) => (Number.isFinite(value) ? `${value.toFixed(1)}ms` : '-');
  return [
    `Done: variant=${variant} conc=${concurrency} ok=${ok} fail=${fail} time=${time.toFixed(0)}ms`,
    `iter/s=${iterationRate.toFixed(2)} calls/s=${callRate.toFixed(2)}`,
    `p50=${latency(p50)} p90=${latency(p90)} p99=${latency(p99)}`,
  ].join(' ');
}

/** Returns a failure as text, without the fields that it lacks. */
function failureLine({ variant, concurrency }, failure) {
  const facts = Object.entries(failure).filter(([, value]) => value !== undefined);
  const list = facts.map(([name, value]) => `${name}: ${JSON.stringify(value)}`).join(', ');
  return `variant=${variant} conc=${concurrency}: { ${list} }`;
}

/**
 * The columns of a table. A cell is a text, or a number of which the best has a star.
 *
 * @type {{ head: string, width: number, right?: boolean, text?: (batch: Batch) => string,
 *   value?: (batch: Batch) => number, best?: (...values: number[]) => number }[]}
 */
const columns = [
  { head: 'Variant', width: 13, text: ({ variant }) => variant },
  { head: 'Fail', width: 4, text: ({ fail }) => String(fail), right: true },
  { head: 'Iter/s', width: 7, value: ({ iterationRate }) => iterationRate, best: Math.max },
  { head: 'Calls/s', width: 7, value: ({ callRate }) => callRate, best: Math.max },
  { head: 'p50 (ms)', width: 8, value: ({ p50 }) => p50, best: Math.min },
  { head: 'p90 (ms)', width: 8, value: ({ p90 }) => p90, best: Math.min },
  { head: 'p99 (ms)', width: 8, value: ({ p99 }) => p99, best: Math.min },
  { head: 'Time (ms)', width: 9, text: ({ time }) => fixed(time, 1) },
];

/** The meaning of the stars. */
const legend =
  'Note: * marks the best value in that column ' +
  '(higher is better for Iter/s, Calls/s; lower is better for p50/p90/p99).';

/** @param {readonly Batch[]} batches of one concurrency */
function markdownTable(batches) {
  const cells = columns.map((column) =>
    column.text === undefined ? starred(column, batches) : batches.map(column.text),
  );
  const widths = columns.map(({ width }, at) =>
    Math.max(width, ...cells[at].map(({ length }) => length)),
  );
  const line = (texts) =>
    `| ${texts
      .map((text, at) => (columns[at].right ? text.padStart(widths[at]) : text.padEnd(widths[at])))
      .join(' | ')} |`;
  const rule = widths.map((width, at) =>
    at === 0 ? '-'.repeat(width + 2) : `${'-'.repeat(width + 1)}:`,
  );
  const rows = batches.map((_, row) => line(cells.map((column) => column[row])));
  return [line(columns.map(({ head }) => head)), `|${rule.join('|')}|`, ...rows].join('\n');
}

/** Equal as they are shown is equally good. A batch of failures only is not good at anything. */
/** @param {(typeof columns)[number]} column @param {readonly Batch[]} batches */
function starred({ value, best }, batches) {
  const shown = batches.map((batch) => (batch.ok === 0 ? '' : fixed(value(batch), 2)));
  const top = best(...shown.filter(Boolean).map(Number));
  return shown.map((text) => (text !== '' && Number(text) === top ? `${text}*` : text));
}

/**
 * The columns of the CSV, by their names.
 *
 * @type {Record<string, (batch: Batch, settings: import('./settings.js').Settings) => any>}
 */
const csvColumns = {
  variant: ({ variant }) => variant,
  concurrency: ({ concurrency }) => concurrency,
  iterations: ({ iterations }) => iterations,
  ok: ({ ok }) => ok,
  fail: ({ fail }) => fail,
  time_ms: ({ time }) => fixed(time, 1),
  iter_throughput_ops_s: ({ iterationRate }) => fixed(iterationRate, 2),
  call_throughput_calls_s: ({ callRate }) => fixed(callRate, 2),
  p50_ms: ({ p50 }) => fixed(p50, 2),
  p90_ms: ({ p90 }) => fixed(p90, 2),
  p99_ms: ({ p99 }) => fixed(p99, 2),
  mode: (_, { mode }) => mode,
  seed: (_, { seed }) => seed,
  N: (_, { cost }) => cost.N,
  r: (_, { cost }) => cost.r,
  p: (_, { cost }) => cost.p,
  maxmem: (_, { cost }) => cost.maxmem,
  keylen: (_, { keylen }) => keylen,
};

const csvHeader = Object.keys(csvColumns).join(',');

/** @param {Batch} batch @param {import('./settings.js').Settings} settings */
const csvRow = (batch, settings) =>
  Object.values(csvColumns)
    .map((valueOf) => valueOf(batch, settings))
    .join(',');

module.exports = { csvHeader, csvRow, doneLine, failureLine, legend, markdownTable };
