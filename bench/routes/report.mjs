// The report of the lines of `npm run bench -- routes`: the automatic route against the best fixed
// one.

import { median } from '../../cli/bench/numbers.mjs';
import { bytes, rate } from '../../cli/bench/report.mjs';
import { routesOf } from './plan.mjs';

/** The automatic route should reach this part of the best fixed one. */
export const GOAL = 0.95;
/** Differences below this are noise in any case. */
const LEAST_NOISE = 0.03;
/** Other processes used more cores than this: the cell is marked. */
const DISTURBED_CORES = 0.1;

/**
 * @typedef {object} Assessed
 * @property {import('./plan.mjs').Cell} cell
 * @property {Record<string, number>} rates the median of the processes, calls per second
 * @property {string} best the fastest fixed route
 * @property {number} ratio of auto to that route: the median of the processes
 * @property {number} low the lowest of the processes
 * @property {number} high
 * @property {number} noise
 * @property {boolean} disturbed
 * @property {'reached' | 'unsure' | 'missed' | 'none'} verdict `unsure`: below the goal by less
 * than the noise
 */

/**
 * @param {import('./plan.mjs').Cell} cell
 * @param {any[]} lines of openRecord
 * @returns {Assessed}
 */
export function assess(cell, lines) {
  const of = (route, field) =>
    lines.filter((line) => line.route === route).map((line) => line[field]);
  const rates = Object.fromEntries(
    routesOf(cell).map((route) => [route, median(of(route, 'rate'))]),
  );
  const { auto, ...fixed } = rates;
  const best = Object.keys(fixed).reduce((one, other) => (fixed[other] > fixed[one] ? other : one));
  // The same best route for every process: the maximum of each would favour the luckiest.
  const ratios = [...new Set(lines.map(({ repeat }) => repeat))].flatMap((repeat) => {
    const [one, other] = ['auto', best].map((route) =>
      lines.find((line) => line.repeat === repeat && line.route === route),
    );
    return one && other ? [one.rate / other.rate] : [];
  });
  const noise = Math.max(LEAST_NOISE, median(of('auto', 'spread')) + median(of(best, 'spread')));
  const ratio = median(ratios);
  const verdict =
    ratios.length === 0
      ? 'none'
      : ratio >= GOAL
        ? 'reached'
        : ratio + noise >= GOAL
          ? 'unsure'
          : 'missed';
  return {
    cell,
    rates: { auto, ...fixed },
    best,
    ratio,
    low: Math.min(...ratios),
    high: Math.max(...ratios),
    noise,
    disturbed: median(lines.map(({ foreign }) => foreign)) > DISTURBED_CORES,
    verdict,
  };
}

/** @param {Assessed[]} assessed */
export function report(assessed, { machine, build }) {
  const measured = assessed.filter(({ verdict }) => verdict !== 'none');
  const groups = [...new Set(measured.map(groupOf))];
  const count = (wanted) => measured.filter(({ verdict }) => verdict === wanted).length;
  const missed = measured
    .filter(({ verdict }) => verdict === 'missed' || verdict === 'unsure')
    .sort((one, other) => one.ratio - other.ratio);
  return [
    `${machine}, build ${build}`,
    `auto divided by the best fixed route; i, p, s: which one that is (inline, pool, split)`,
    `< under ${GOAL}   ~ under ${GOAL}, but by less than the noise   ` +
      '! other processes used more than 0.1 cores',
    ...groups.flatMap((group) => ['', ...table(group, measured)]),
    '',
    `${measured.length} cells: ${count('reached')} reach ${GOAL}, ${count('unsure')} are below ` +
      `by less than the noise, ${count('missed')} miss it; ` +
      `${measured.filter(({ disturbed }) => disturbed).length} disturbed`,
    ...missed.map(missedLine),
    '',
  ].join('\n');
}

const groupOf = ({ cell }) => `${cell.operation}, ${cell.memory}`;

function table(group, assessed) {
  const here = assessed.filter((each) => groupOf(each) === group);
  const values = (field) =>
    [...new Set(here.map(({ cell }) => cell[field]))].sort((one, other) => one - other);
  const depths = values('inFlight');
  return [
    `${group.padEnd(25)}${depths.map((depth) => `${depth} in flight`.padStart(15)).join('')}`,
    ...values('size').map((size) => {
      const texts = depths.map((depth) =>
        text(here.find(({ cell }) => cell.size === size && cell.inFlight === depth)).padStart(15),
      );
      return `  ${bytes(size).padEnd(23)}${texts.join('')}`.trimEnd();
    }),
  ];
}

function text(assessed) {
  if (assessed === undefined) return '-';
  const mark = { reached: ' ', unsure: '~', missed: '<', none: ' ' }[assessed.verdict];
  const { ratio, best, disturbed } = assessed;
  return `${ratio.toFixed(2)} ${best[0]} ${mark}${disturbed ? '!' : ' '}`;
}

function missedLine({ cell, rates, best, ratio, low, high, noise, disturbed }) {
  const { operation, memory, size, inFlight } = cell;
  return (
    `  ${ratio.toFixed(2)} (${low.toFixed(2)} to ${high.toFixed(2)}, noise ${noise.toFixed(2)}` +
    `${disturbed ? ', disturbed' : ''})  ` +
    `${operation} ${memory}, ${bytes(size)}, ${inFlight} in flight: ` +
    Object.entries(rates)
      .map(([route, value]) => `${route} ${rate(1 / value)}${route === best ? ' (best)' : ''}`)
      .join(', ')
  );
}
