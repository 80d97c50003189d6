// A record as sections of charts: what is drawn, apart from how. A chart is lines over sizes, or
// bars; every chart has a table of the same figures.

import { fastest } from '../confidence.mjs';
import { describe } from '../definitions.mjs';
import { probeName } from '../latency.mjs';
import { groupBy } from '../numbers.mjs';
import { bytes, duration, megabytes, rate, where, whereAndHow } from '../report.mjs';

/**
 * Colours by name, so that a competitor has the same one everywhere. Other competitors get a
 * colour that no other line of the chart has.
 */
const known = {
  millrace: 0,
  sync: 0,
  'node:crypto': 1,
  'own loop': 7,
  WebCrypto: 2,
  pool: 2,
  'crypto-async': 3,
  'split, one job': 3,
  piscina: 4,
  inline: 4,
  'pool, one job': 5,
  'idle process': 7,
};
const colours = 8;

/** The titles of sections, by their tables. */
const titles = {
  hash: 'Hashes',
  hmac: 'HMAC',
  cipher: 'Ciphers',
  aead: 'Authenticated ciphers',
  digest: 'Digests: BigInts, strings, hashers, batches',
  async: 'Asynchronous jobs',
  kdf: 'Key derivation',
  hashperf: 'Hashes by engine',
  cryptperf: 'Ciphers by engine',
  scaling: 'Threads',
  latency: 'The rest of the process meanwhile',
  load: 'Loading',
};

/** How values are formatted, and the hint of a chart with lines. */
export const units = {
  throughput: { better: 'higher is better', format: (value) => `${megabytes(value)} MB/s` },
  rate: { better: 'longer is better', format: (value) => rate(1 / value) },
  time: { better: 'lower is better', format: duration },
};

/**
 * @returns {{ id: string, title: string, charts: Chart[] }[]}
 *
 * @typedef {object} Chart
 * @property {string} id
 * @property {'lines' | 'bars'} kind
 * @property {string} title
 * @property {string} note
 * @property {keyof typeof units} y
 * @property {{ name: string, colour: number, points: { x: number, y: number, spread?: number }[]
 * }[]} series
 * @property {{ x: number, text: string }[]} [marks] sizes worth a line
 * @property {{ heads: string[], rows: string[][] }} table
 */
export function chartsOf({ rows, crossovers, latency, load }) {
  const chartsOfTable = (id) => {
    if (id === 'latency') return latency === undefined ? [] : latencyCharts(latency);
    if (id === 'load') return load === undefined ? [] : loadCharts(load);
    return rowCharts(
      rows.filter((row) => (row.table ?? row.group) === id),
      crossovers,
    );
  };
  const sections = Object.entries(titles).flatMap(([id, title]) => {
    const charts = chartsOfTable(id).filter(({ series }) => series.length > 0);
    charts.forEach((chart, index) => (chart.id = `${id}-${index + 1}`));
    return charts.length === 0 ? [] : [{ id, title, charts }];
  });
  paint(sections.flatMap(({ charts }) => charts));
  return sections;
}

// Rows

/** @returns {any[]} */
function rowCharts(rows, crossovers) {
  return [...groupBy(rows, (row) => `${row.wait} ${describe(row)}`).values()].flatMap(
    /** @returns {any[]} */ (group) => {
      // Of one size there is no line.
      if (new Set(group.map(({ size }) => size)).size === 1) return [rowBars(group[0])];
      const throughput = (entry, size) => size / entry.seconds;
      const charts = [sizeLines(group, 'throughput', throughput, crossovers)];
      if (group[0].wait !== 'sync' && !group[0].engines)
        charts.push(sizeLines(group, 'time', (entry) => entry.latency?.p99, []));
      return charts;
    },
  );
}

const wording = {
  sync: 'synchronous calls',
  callback: 'calls with a callback',
  promise: 'calls with a promise',
};

const namesOf = (rows) => [
  ...new Set(rows.flatMap(({ entries }) => entries.map(({ competitor }) => competitor))),
];
const entryOf = ({ entries }, name) =>
  fastest(entries.filter(({ competitor }) => competitor === name));

function sizeLines(rows, y, valueOf, crossovers) {
  const points = (name) =>
    rows.flatMap((row) => {
      const entry = entryOf(row, name);
      const value = entry && valueOf(entry, row.size);
      const spread = y === 'throughput' ? entry?.spread : undefined;
      return value > 0 ? [{ x: row.size, y: value, spread }] : [];
    });
  const [{ wait, engines, table, algorithm, inFlight = 16 }] = rows;
  const found = crossovers.filter(
    (each) => engines && each.table === table && each.algorithm === algorithm,
  );
  const note = engines
    ? 'throughput by message size'
    : y === 'throughput'
      ? `throughput by message size, ${wording[wait]}` +
        (wait === 'sync' ? '' : `, ${inFlight} in flight`)
      : `latency p99 by message size, ${wording[wait]}: from call to result, ${inFlight} in flight`;
  const series = namesOf(rows).map((name) => ({ name, points: points(name) }));
  return {
    ...linesOf(describe(rows[0]), note, y, series),
    marks: found
      .filter(({ from, always }) => from !== undefined && !always)
      .map((each) => ({ x: each.from, text: `${each.faster} beats ${each.than} ${where(each)}` })),
    remarks: [
      ...found.map((each) => `${each.faster} beats ${each.than} ${whereAndHow(each)}`),
      ...(y === 'throughput' ? confidenceRemarks(rows) : []),
    ],
  };
}

function rowBars(row) {
  const y = row.wait === 'sync' ? 'time' : 'rate';
  const bars = namesOf([row]).map((name) => {
    const { seconds, spread } = entryOf(row, name);
    return { name, value: y === 'time' ? seconds : 1 / seconds, spread };
  });
  const title =
    row.group === 'kdf'
      ? describe({ ...row, output: undefined })
      : `${describe(row)}, ${bytes(row.size)}`;
  const note =
    y === 'time'
      ? `time of one operation, ${wording.sync}; shorter is better`
      : `operations per second, ${wording[row.wait]}, ${row.inFlight ?? 16} in flight; longer is ` +
        'better';
  return { ...barsOf(title, note, y, bars), remarks: confidenceRemarks([row]) };
}

/** Returns remarks about the confidence of the rows of one chart, one a size. */
function confidenceRemarks(rows) {
  const sizes = (list) => list.map(({ size }) => bytes(size)).join(', ');
  const disturbed = rows.filter((row) => row.disturbed);
  const ties = rows.filter(({ comparison }) => comparison?.verdict === 'tie');
  const noise = ({ comparison }) => `${(comparison.noise * 100).toFixed(0)} %`;
  return [
    ...(ties.length === 0
      ? []
      : [
          `tie, within the noise: ` +
            ties.map((row) => `${bytes(row.size)} (${noise(row)})`).join(', '),
        ]),
    ...(disturbed.length === 0 ? [] : [`disturbed by other processes: ${sizes(disturbed)}`]),
  ];
}

/** Returns bars of the 99th percentiles: a chart for each situation and probe. */
function latencyCharts({ loop }) {
  const idle = loop.filter(({ name }) => name === 'idle');
  const situations = groupBy(
    loop.filter(({ name }) => name !== 'idle'),
    ({ name }) => name,
  );
  return [...situations].flatMap(([name, here]) =>
    Object.keys(here[0].probes).map((probe) => {
      const bars = [
        ...here.map(({ competitor, probes }) => ({
          name: competitor,
          value: probes[probe].p99[0],
        })),
        ...idle.map(({ probes }) => ({ name: 'idle process', value: probes[probe].p99[0] })),
      ];
      const note = `99th percentile, ${name}; shorter is better`;
      return barsOf(probeName(probe), note, 'time', bars);
    }),
  );
}

function loadCharts({ times, starts = {} }) {
  const chart = (title, figures) =>
    barsOf(
      title,
      'median of fresh processes; shorter is better',
      'time',
      Object.entries(figures).map(([name, { median }]) => ({ name, value: median })),
    );
  return [chart('require', times), chart('start of a process', starts)];
}

// Parts of all charts

/**
 * Gives every series a colour, the same to the same name; if more meet than there are colours, the
 * one that is met least.
 */
function paint(charts) {
  const colourOf = new Map(Object.entries(known));
  for (const { name } of charts.flatMap(({ series }) => series)) {
    if (colourOf.has(name)) continue;
    const met = new Array(colours).fill(0);
    for (const { series } of charts.filter((chart) =>
      chart.series.some((each) => each.name === name),
    ))
      for (const other of series) if (colourOf.has(other.name)) met[colourOf.get(other.name)]++;
    // From the last: the first colours belong to known names.
    colourOf.set(name, met.lastIndexOf(Math.min(...met)));
  }
  for (const each of charts.flatMap(({ series }) => series))
    each.colour ??= colourOf.get(each.name);
}

/** Returns the series that have figures, ours first, so that it is drawn first and named first. */
function shown(series) {
  return series
    .filter(({ points }) => points.length > 0)
    .sort((left, right) => rank(left) - rank(right));
}

const rank = ({ name }) => (known[name] === 0 ? 0 : 1);

/** Lines over message sizes. */
function linesOf(title, note, y, all) {
  const series = shown(all);
  const xs = [...new Set(series.flatMap(({ points }) => points.map((point) => point.x)))];
  const cellOf = ({ points }, at) => {
    const point = points.find((each) => each.x === at);
    if (point === undefined) return '-';
    return (
      units[y].format(point.y) + (point.spread === undefined ? '' : ` ±${percent(point.spread)}`)
    );
  };
  const rows = xs
    .sort((left, right) => left - right)
    .map((at) => [bytes(at), ...series.map((each) => cellOf(each, at))]);
  const table = { heads: ['size', ...series.map(({ name }) => name)], rows };
  return { kind: 'lines', title, note, y, series, table };
}

function barsOf(title, note, y, bars) {
  const series = shown(
    bars.map(({ name, value, spread }) => ({ name, points: [{ x: 0, y: value, spread }] })),
  );
  const rows = series.map(({ name, points: [{ y: value, spread }] }) => [
    name,
    units[y].format(value),
    spread === undefined ? '-' : percent(spread),
  ]);
  const table = { heads: ['competitor', y, 'spread'], rows };
  return { kind: 'bars', title, note, y, series, table };
}

function percent(part) {
  return `${(part * 100).toFixed(part < 0.1 ? 1 : 0)} %`;
}
