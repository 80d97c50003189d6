// A record as CSV (RFC 4180, but with plain line ends): one figure a line, in units without
// prefixes, so that every table has the same columns.

import { describe } from './definitions.mjs';

const heads = [
  'table',
  'what',
  'wait',
  'size',
  'competitor',
  'form',
  'measure',
  'value',
  'unit',
  'spread',
  'lower_quartile',
  'upper_quartile',
  'disturbed',
];

export function csvOf(record) {
  const lines = [
    ...record.rows.flatMap(rowLines),
    ...record.crossovers.map(({ table, algorithm, faster, than, from }) => ({
      table,
      what: algorithm,
      competitor: faster,
      measure: `beats ${than} from`,
      value: from,
      unit: 'B',
    })),
    ...loadLines(record.load),
    ...latencyLines(record.latency),
  ];
  return [heads, ...lines.map((line) => heads.map((head) => line[head]))].map(csvLine).join('');
}

/** Returns one line with its end. */
export function csvLine(fields) {
  return `${fields.map((field) => quoted(field)).join(',')}\n`;
}

function quoted(value) {
  const text = value === undefined || value === null || Number.isNaN(value) ? '' : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** 0 is a tie: the difference is within the noise. */
const verdicts = { ahead: 1, tie: 0, behind: -1 };

/** Returns a line for each figure of `values`, in seconds. */
const secondsOf = (about, values) =>
  Object.entries(values).map(([measure, value]) => ({ ...about, measure, value, unit: 's' }));

function rowLines(row) {
  const { wait, size, comparison } = row;
  const about = {
    table: row.table ?? row.group,
    what: describe(row),
    wait,
    size,
    disturbed: row.disturbed ? 1 : 0,
  };
  const lines = row.entries.flatMap(
    ({ competitor, form, seconds, spread, quartiles = [], latency = {}, cores }) => {
      const named = { ...about, competitor, form };
      const [lower_quartile, upper_quartile] = quartiles;
      const time = { measure: 'time', value: seconds, unit: 's' };
      return [
        { ...named, ...time, spread, lower_quartile, upper_quartile },
        ...secondsOf(named, latency),
        ...(cores === undefined
          ? []
          : [{ ...named, measure: 'cores', value: cores, unit: 'cores' }]),
      ];
    },
  );
  if (comparison?.ratio !== undefined) {
    const { ours, best, ratio, noise, verdict } = comparison;
    const measure = `times as fast as ${best.competitor}`;
    lines.push(
      { ...about, ...ours, measure, value: ratio, spread: noise },
      { ...about, measure: 'verdict', value: verdicts[verdict] },
    );
  }
  return [
    ...lines,
    { ...about, measure: 'other processes', value: row.foreign, unit: 'cores' },
    { ...about, measure: 'waited for a core', value: row.delay },
    { ...about, measure: 'attempts', value: row.attempts },
  ];
}

function loadLines(load) {
  const linesOf = (what, times = {}) =>
    Object.entries(times).flatMap(([competitor, figures]) =>
      secondsOf({ table: 'load', what, competitor }, figures),
    );
  return [...linesOf('require', load?.times), ...linesOf('start', load?.starts)];
}

function latencyLines(latency) {
  if (latency === undefined) return [];
  return latency.loop.flatMap(({ name, competitor, probes, jobsPerSecond }) => {
    const about = { table: 'latency', what: name, competitor };
    return [
      { ...about, measure: 'jobs', value: jobsPerSecond, unit: '/s' },
      ...Object.entries(probes).flatMap(([form, { p50, p99 }]) =>
        secondsOf({ ...about, form }, { p50: p50[0], p99: p99[0] }),
      ),
    ];
  });
}
