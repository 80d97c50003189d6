// The page of `npm run bench -- routes`: a heat map for each operation and kind of memory.

import { bytes, rate } from '../../cli/bench/report.mjs';
import { factList, pageOf, text } from '../../cli/bench/page/shell.mjs';
import { operations } from './plan.mjs';
import { GOAL } from './report.mjs';

/** From which ratio on a cell has which colour. */
const levels = /** @type {const} */ ([
  [1.05, 'good', '1.05 or more'],
  [GOAL, 'even', `${GOAL} to 1.05`],
  [0.85, 'low', `0.85 to ${GOAL}`],
  [0.6, 'bad', '0.6 to 0.85'],
  [0, 'worst', 'below 0.6'],
]);

/**
 * @param {import('./report.mjs').Assessed[]} assessed
 * @param {{ machine: string, build: string, date: string, processes: number }} about
 */
export function routesPage(assessed, { machine, build, date, processes }) {
  const measured = assessed.filter(({ verdict }) => verdict !== 'none');
  const count = (wanted) => measured.filter(({ verdict }) => verdict === wanted).length;
  const disturbed = measured.filter((each) => each.disturbed).length;
  return pageOf({
    title: `Millrace routes, ${machine}`,
    heading: 'Routes: auto against the best fixed one',
    lead:
      `${measured.length} cells: ${count('reached')} reach ${GOAL}, ${count('unsure')} are ` +
      `below by less than the noise, ${count('missed')} miss it. ` +
      `${date.slice(0, 16).replace('T', ' ')} UTC.`,
    header: `${factList([
      ['Machine', machine],
      ['Build', build],
      [
        'Method',
        `the median of ${processes} ${processes === 1 ? 'process' : 'processes'} a cell; ` +
          `in each the routes take turns`,
      ],
    ])}\n${disturbedNote(disturbed, measured.length)}\n${key()}`,
    footer:
      '<p>A cell is the throughput of the automatic route divided by that of the fastest fixed ' +
      'route. Every result was compared with node:crypto before the clock started.</p>',
    sections: operations
      .map((operation) => ({
        id: operation,
        title: operation,
        charts: ['copied', 'lent']
          .map((memory) => heatOf(operation, memory, measured))
          .filter(({ heat }) => heat.rows.length > 0),
      }))
      .filter(({ charts }) => charts.length > 0),
  });
}

function disturbedNote(disturbed, all) {
  if (disturbed === 0) return '';
  return (
    `<p class="noise"><strong>Noise.</strong> Other processes used more than 0.1 cores in ` +
    `${disturbed} of ${all} cells, which are hatched.</p>`
  );
}

function key() {
  const cells = levels.map(([, level, words]) => `<span class="${level}">${text(words)}</span>`);
  return (
    `<div class="key">${cells.join('')}` +
    '<span>i, p, s: the best fixed route is inline, pool or split</span>' +
    `<span>dashed and ~: below ${GOAL} by less than the noise</span>` +
    '<span>hatched and !: disturbed by other processes</span></div>'
  );
}

function heatOf(operation, memory, measured) {
  const here = measured.filter(
    ({ cell }) => cell.operation === operation && cell.memory === memory,
  );
  const valuesOf = (field) =>
    [...new Set(here.map(({ cell }) => cell[field]))].sort((one, other) => one - other);
  const depths = valuesOf('inFlight');
  const find = (size, depth) =>
    here.find(({ cell }) => cell.size === size && cell.inFlight === depth);
  return {
    id: `${operation}-${memory}`,
    kind: 'heat',
    title: `${operation}, ${memory}`,
    note:
      memory === 'lent'
        ? 'source and target lent; rows: message size, columns: calls in flight'
        : 'source copied; rows: message size, columns: calls in flight',
    heat: {
      corner: '',
      columns: depths.map((depth) => `x ${depth}`),
      rows: valuesOf('size').map((size) => ({
        head: bytes(size),
        cells: depths.map((depth) => cellOf(find(size, depth))),
      })),
    },
    table: {
      heads: ['cell', 'auto', 'inline', 'pool', 'split', 'ratio', 'lowest', 'highest', 'noise'],
      rows: here.map(({ cell, rates, ratio, low, high, noise }) => [
        `${bytes(cell.size)} x ${cell.inFlight}`,
        ...['auto', 'inline', 'pool', 'split'].map((route) =>
          rates[route] === undefined ? '-' : rate(1 / rates[route]),
        ),
        ...[ratio, low, high, noise].map((value) => value.toFixed(2)),
      ]),
    },
  };
}

function cellOf(assessed) {
  if (assessed === undefined) return undefined;
  const { ratio, best, verdict, disturbed, rates, low, high } = assessed;
  const [, level] = levels.find(([from]) => ratio >= from);
  const unsure = verdict === 'unsure';
  return {
    value: ratio.toFixed(2),
    sign: `${best[0]}${unsure ? '~' : ''}${disturbed ? '!' : ''}`,
    level,
    marks: [...(unsure ? ['unsure'] : []), ...(disturbed ? ['disturbed'] : [])],
    title:
      `${low.toFixed(2)} to ${high.toFixed(2)}; ` +
      Object.entries(rates)
        .map(([route, value]) => `${route} ${rate(1 / value)}`)
        .join(', '),
  };
}
