// A record as CSV (RFC 4180, but with plain line ends): one figure a line, in units without
// prefixes, so that every table has the same columns.

import { describe } from './definitions.mjs';

const heads = [
  'table',
  'what',
  'wait',
  'size',
  'threads',
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
    heads,
    ...rowLines(record.rows),
    ...crossoverLines(record.crossovers),
    ...loadLines(record.load),
    ...latencyLines(record.latency),
    ...scalingLines(record.scaling),
  ];
  const padded = lines.map((fields) => heads.map((_, index) => fields[index]));
  return padded.map((fields) => csvLine(fields)).join('');
}

/** One line with its end. */
export function csvLine(fields) {
  return `${fields.map((field) => quoted(field)).join(',')}\n`;
}

function quoted(value) {
  const text = value === undefined || value === null || Number.isNaN(value) ? '' : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** 0 is a tie: the difference is within the noise. */
const verdicts = { ahead: 1, tie: 0, behind: -1 };

function rowLines(rows) {
  return rows.flatMap((row) => {
    const about = [row.table ?? row.group, describe(row), row.wait, row.size, ''];
    const lines = [
      ...row.entries.flatMap(({ competitor, form, seconds, spread, quartiles, latency, cores }) => [
        [...about, competitor, form, 'time', seconds, 's', spread, ...(quartiles ?? [])],
        ...(latency === undefined
          ? []
          : Object.entries(latency).map(([quantile, value]) => [
              ...about,
              competitor,
              form,
              quantile,
              value,
              's',
              '',
            ])),
        ...(cores === undefined ? [] : [[...about, competitor, form, 'cores', cores, 'cores', '']]),
      ]),
      ...(row.comparison?.ratio === undefined
        ? []
        : [
            [
              ...about,
              row.comparison.ours.competitor,
              row.comparison.ours.form,
              `times as fast as ${row.comparison.best.competitor}`,
              row.comparison.ratio,
              '',
              row.comparison.noise,
            ],
            [...about, '', '', 'verdict', verdicts[row.comparison.verdict], '', ''],
          ]),
      [...about, '', '', 'other processes', row.foreign, 'cores', ''],
      [...about, '', '', 'waited for a core', row.delay, '', ''],
      [...about, '', '', 'attempts', row.attempts, '', ''],
    ];
    const last = heads.indexOf('disturbed');
    for (const fields of lines) fields[last] = row.disturbed ? 1 : 0;
    return lines;
  });
}

const crossoverLines = (found) =>
  found.map(({ table, algorithm, faster, than, from }) => [
    table,
    algorithm,
    '',
    '',
    '',
    faster,
    '',
    `beats ${than} from`,
    from,
    'B',
    '',
  ]);

function loadLines(load) {
  return Object.entries(load?.times ?? {}).flatMap(([name, figures]) =>
    Object.entries(figures).map(([measure, value]) => [
      'load',
      'require',
      '',
      '',
      '',
      name,
      '',
      measure,
      value,
      's',
      '',
    ]),
  );
}

function latencyLines(latency) {
  if (latency === undefined) return [];
  return [
    ...latency.loop.flatMap(({ name, competitor, probes, jobsPerSecond }) => [
      ['latency', name, '', '', '', competitor, '', 'jobs', jobsPerSecond, '/s', ''],
      ...Object.entries(probes).flatMap(([probe, { p50, p99 }]) =>
        Object.entries({ p50, p99 }).map(([measure, [value]]) => [
          'latency',
          name,
          '',
          '',
          '',
          competitor,
          probe,
          measure,
          value,
          's',
          '',
        ]),
      ),
    ]),
    ...latency.held.flatMap(({ competitor, job, sizes }) =>
      sizes.flatMap(({ size, p50, p99 }) =>
        Object.entries({ p50, p99 }).map(([measure, value]) => [
          'held',
          describe(job),
          'callback',
          size,
          '',
          competitor,
          '',
          measure,
          value,
          's',
          '',
        ]),
      ),
    ),
    ...latency.rest.map(({ competitor, cpu }) => [
      'idle',
      'CPU after a burst',
      '',
      '',
      '',
      competitor,
      '',
      'cpu',
      cpu,
      's',
      '',
    ]),
  ];
}

function scalingLines(scaling) {
  if (scaling === undefined) return [];
  return [
    ...scaling.concurrent.map((jobs) => ({
      ...jobs,
      points: jobs.points.map((point) => ({ ...point, size: jobs.size })),
      measure: 'time a job',
    })),
    ...scaling.splits.map((split) => ({ ...split, measure: 'time of one job' })),
  ].flatMap(({ points, measure, ...definition }) =>
    points.map(({ size, threads, seconds, spread }) => [
      'scaling',
      describe(definition),
      'callback',
      size,
      threads,
      'millrace',
      '',
      measure,
      seconds,
      's',
      spread,
    ]),
  );
}
