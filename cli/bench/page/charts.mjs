// A record as sections of charts: what is drawn, apart from how. A chart is lines over sizes,
// threads or percentiles, or bars; every chart has a table of the same figures.

import { fastest } from '../confidence.mjs';
import { describe } from '../definitions.mjs';
import { bytes, duration, megabytes, rate, roughly } from '../report.mjs';
import { confidenceRemarks } from './remarks.mjs';

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
  baseline: 7,
};
const colours = 8;

const sections = [
  { id: 'hash', title: 'Hashes' },
  { id: 'hmac', title: 'HMAC' },
  { id: 'cipher', title: 'Ciphers' },
  { id: 'aead', title: 'Authenticated ciphers' },
  { id: 'digest', title: 'Digests: BigInts, strings, hashers, batches' },
  { id: 'async', title: 'Asynchronous jobs' },
  { id: 'kdf', title: 'Key derivation' },
  { id: 'hashperf', title: 'Hashes by engine' },
  { id: 'cryptperf', title: 'Ciphers by engine' },
];

const units = {
  throughput: {
    label: 'throughput',
    better: 'higher is better',
    format: (value) => `${megabytes(value)} MB/s`,
  },
  rate: {
    label: 'operations per second',
    better: 'longer is better',
    format: (value) => rate(1 / value),
  },
  time: { label: 'time', better: 'lower is better', format: duration },
};

/**
 * @returns {{ id: string, title: string, charts: Chart[] }[]}
 *
 * @typedef {object} Chart
 * @property {string} id
 * @property {'lines' | 'bars'} kind
 * @property {string} title
 * @property {string} note
 * @property {'bytes' | 'threads' | 'percent'} [x] what the lines go over
 * @property {keyof typeof units} y
 * @property {{ name: string, colour: number, points: { x: number, y: number, spread?: number }[]
 * }[]} series
 * @property {{ x: number, text: string }[]} [marks] sizes worth a line
 * @property {{ heads: string[], rows: string[][] }} table
 */
export function chartsOf(record) {
  const found = sections.map(({ id, title }) => ({
    id,
    title,
    charts: rowCharts(
      record.rows.filter((row) => (row.table ?? row.group) === id),
      record.crossovers,
    ),
  }));
  if (record.latency !== undefined)
    found.push({
      id: 'latency',
      title: 'The rest of the process meanwhile',
      charts: latencyCharts(record.latency),
    });
  if (record.scaling !== undefined)
    found.push({ id: 'scaling', title: 'Threads', charts: scalingCharts(record.scaling) });
  if (record.load !== undefined)
    found.push({ id: 'load', title: 'Loading', charts: [loadChart(record.load)] });
  const filled = found.filter(({ charts }) => charts.length > 0);
  for (const { id, charts } of filled)
    charts.forEach((chart, index) => (chart.id = `${id}-${index + 1}`));
  paint(filled.flatMap(({ charts }) => charts));
  return filled;
}

/** How many decimals and which unit, for tables and labels. */
export const format = (y, value) => units[y].format(value);
export const unit = (y) => units[y];

// Rows

/** @returns {any[]} */
function rowCharts(rows, crossovers) {
  const groups = groupBy(rows, key);
  return [...groups.values()].flatMap(
    /** @returns {any[]} */ (group) => {
      const several = new Set(group.map(({ size }) => size)).size > 1;
      // Of one size there is no line.
      if (!several) return [barChart(group[0])].filter(({ series }) => series.length > 0);
      const charts = [
        sizeChart(group, 'throughput', (entry, size) => size / entry.seconds, crossovers),
      ];
      if (group[0].wait !== 'sync' && !group[0].engines)
        charts.push(sizeChart(group, 'time', (entry) => entry.latency?.p99, []));
      return charts.filter(({ series }) => series.length > 0);
    },
  );
}

const key = (row) => `${row.wait} ${describe(row)}`;

function groupBy(list, keyOf) {
  const groups = new Map();
  for (const each of list) groups.set(keyOf(each), [...(groups.get(keyOf(each)) ?? []), each]);
  return groups;
}

const wording = {
  sync: 'synchronous calls',
  callback: 'calls with a callback',
  promise: 'calls with a promise',
};

function sizeChart(rows, y, valueOf, crossovers) {
  const names = [
    ...new Set(rows.flatMap(({ entries }) => entries.map(({ competitor }) => competitor))),
  ];
  const points = (name) =>
    rows.flatMap((row) => {
      const entry = fastest(row.entries.filter(({ competitor }) => competitor === name));
      const value = entry && valueOf(entry, row.size);
      return value > 0
        ? [{ x: row.size, y: value, spread: y === 'throughput' ? entry.spread : undefined }]
        : [];
    });
  const series = shown(names.map((name) => ({ name, points: points(name) })));
  const [{ wait, engines, table, algorithm, inFlight }] = rows;
  const overtaken = engines
    ? crossovers.filter((each) => each.table === table && each.algorithm === algorithm)
    : [];
  return {
    kind: 'lines',
    title: describe(rows[0]),
    note: engines
      ? 'throughput by message size'
      : y === 'throughput'
        ? `throughput by message size, ` +
          `${wording[wait]}${wait === 'sync' ? '' : `, ${inFlight ?? 16} in flight`}`
        : `latency p99 by message size, ${wording[wait]}: from call to result, ${inFlight ?? 16} ` +
          `in flight`,
    x: 'bytes',
    y,
    series,
    marks: overtaken
      .filter(({ from, always }) => from !== undefined && !always)
      .map(({ from, faster, than }) => ({
        x: from,
        text: `${faster} beats ${than} from about ${roughly(from)}`,
      })),
    remarks: [
      ...overtaken.map(
        ({ from, always, faster, than, ratio }) =>
          `${faster} beats ${than} ` +
          (from === undefined
            ? 'nowhere '
            : always
              ? 'everywhere '
              : `from about ${roughly(from)} `) +
          `(${ratio.toFixed(2)}x at the largest size)`,
      ),
      ...(y === 'throughput' ? confidenceRemarks(rows) : []),
    ],
    table: tableOf('size', bytes, y, series),
  };
}

function barChart(row) {
  const names = [...new Set(row.entries.map(({ competitor }) => competitor))];
  const y = row.wait === 'sync' ? 'time' : 'rate';
  const series = shown(
    names.map((name) => {
      const { seconds, spread } = fastest(
        row.entries.filter(({ competitor }) => competitor === name),
      );
      return { name, points: [{ x: row.size, y: y === 'time' ? seconds : 1 / seconds, spread }] };
    }),
  );
  return {
    kind: 'bars',
    title:
      row.group === 'kdf'
        ? describe({ ...row, output: undefined })
        : `${describe(row)}, ${bytes(row.size)}`,
    note:
      y === 'time'
        ? `time of one operation, ${wording.sync}; shorter is better`
        : `operations per second, ${wording[row.wait]}, ` +
          `${row.inFlight ?? 16} in flight; longer is better`,
    y,
    series,
    remarks: confidenceRemarks([row]),
    table: listOf(y, series),
  };
}

// Latency

function latencyCharts({ loop, held, rest }) {
  const probes = { timer: 'event-loop delay', stat: 'fs.stat' };
  const charts = [];
  for (const name of new Set(loop.map((each) => each.name).filter((each) => each !== 'idle'))) {
    const here = loop.filter((each) => each.name === name);
    for (const probe of Object.keys(here[0].probes)) {
      const idle = loop
        .filter((each) => each.name === 'idle' && each.competitor === 'millrace')
        .map((each) => ({ ...each, competitor: 'baseline' }));
      const series = shown(
        [...here, ...idle]
          .map(({ competitor, probes: figures }) => ({
            name: competitor === 'baseline' ? 'idle process' : competitor,
            points: (figures[probe]?.curve ?? [])
              .filter(([, value]) => value > 0)
              .map(([part, value]) => ({ x: part, y: value })),
          }))
          .filter(({ points }) => points.length > 0),
      );
      charts.push({
        kind: 'lines',
        title: `${probes[probe] ?? `a hash of ${bytes(Number(probe))}`}`,
        note: `by percentile, ${name}`,
        x: 'percent',
        y: 'time',
        series,
        table: tableOf('percentile', (part) => `${+(part * 100).toFixed(1)} %`, 'time', series),
      });
    }
  }
  for (const algorithm of new Set(held.map(({ job }) => job.algorithm))) {
    const series = shown(
      held
        .filter(({ job }) => job.algorithm === algorithm)
        .map(({ competitor, sizes }) => ({
          name: competitor,
          points: sizes.map(({ size, p50 }) => ({ x: size, y: p50 })),
        })),
    );
    charts.push({
      kind: 'lines',
      title: `main thread held by one ${algorithm} call`,
      note: 'median by message size; the message is lent',
      x: 'bytes',
      y: 'time',
      series,
      table: tableOf('size', bytes, 'time', series),
    });
  }
  const series = shown(
    rest.map(({ competitor, cpu }) => ({
      name: competitor === 'baseline' ? 'idle process' : competitor,
      points: [{ x: 0, y: cpu }],
    })),
  );
  const note =
    `user and system time over ${rest[0]?.seconds} seconds after a burst; the idle process ` +
    `has loaded nothing; shorter is better`;
  charts.push({
    kind: 'bars',
    title: 'CPU time when idle',
    note,
    y: 'time',
    series,
    table: listOf('time', series),
  });
  return charts.filter((chart) => chart.series.length > 0);
}

function loadChart({ times }) {
  const series = shown(
    Object.entries(times).map(([name, { median }]) => ({ name, points: [{ x: 0, y: median }] })),
  );
  const rows = Object.entries(times).map(([name, { median, p90 }]) => [
    name,
    format('time', median),
    format('time', p90),
  ]);
  return {
    kind: 'bars',
    title: 'require',
    note: 'median of fresh processes; shorter is better',
    y: 'time',
    series,
    table: { heads: ['competitor', 'median', 'p90'], rows },
  };
}

// Threads

function scalingCharts({ concurrent, splits }) {
  const charts = [];
  const lines = (list, title, note) => {
    const series = list.map(({ size, points }, colour) => ({
      name: bytes(size),
      colour,
      points: points.map(({ threads, seconds, spread }) => ({
        x: threads,
        y: size / seconds,
        spread,
      })),
    }));
    charts.push({
      kind: 'lines',
      title,
      note,
      x: 'threads',
      y: 'throughput',
      series,
      table: tableOf('threads', String, 'throughput', series),
    });
  };
  for (const algorithm of new Set(concurrent.map((each) => each.algorithm)))
    lines(
      concurrent.filter((each) => each.algorithm === algorithm),
      algorithm,
      'throughput by worker threads, many jobs in flight, one line a message size',
    );
  for (const { sizes, points, ...definition } of splits)
    lines(
      sizes.map((size) => ({ size, points: points.filter((point) => point.size === size) })),
      `one ${definition.algorithm}`,
      'throughput by worker threads, one job in flight, one line a message size',
    );
  return charts;
}

// What all have

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
    // From behind: the first ones belong to those who are known.
    colourOf.set(name, met.lastIndexOf(Math.min(...met)));
  }
  for (const each of charts.flatMap(({ series }) => series))
    each.colour ??= colourOf.get(each.name);
}

/** Those that have figures, ours first, so that it is drawn first and named first. */
function shown(series) {
  return series
    .filter(({ points }) => points.length > 0)
    .sort((left, right) => rank(left) - rank(right));
}

const rank = ({ name }) => (known[name] === 0 ? 0 : 1);

function listOf(y, series) {
  return {
    heads: ['competitor', y, 'spread'],
    rows: series.map(({ name, points: [{ y: value, spread }] }) => [
      name,
      format(y, value),
      spread === undefined ? '-' : percent(spread),
    ]),
  };
}

function tableOf(head, label, y, series) {
  const xs = [...new Set(series.flatMap(({ points }) => points.map(({ x }) => x)))].sort(
    (left, right) => left - right,
  );
  return {
    heads: [head, ...series.map(({ name }) => name)],
    rows: xs.map((x) => [
      label(x),
      ...series.map(({ points }) => {
        const point = points.find((each) => each.x === x);
        return point === undefined
          ? '-'
          : format(y, point.y) + (point.spread === undefined ? '' : ` ±${percent(point.spread)}`);
      }),
    ]),
  };
}

function percent(part) {
  return `${(part * 100).toFixed(part < 0.1 ? 1 : 0)} %`;
}
