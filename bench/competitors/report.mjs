// The results of `npm run bench -- competitors` as a Markdown table.

import { unhidden } from './libraries.mjs';

/**
 * @param {any[]} results rows with a result for each column
 * @param {{ machine: string, build: string, columns: string[], tiers: string[],
 *   absent: string[] }} about
 */
export function markdown(results, { machine, build, columns, tiers, absent }) {
  const names = results.flatMap(({ cells }) =>
    cells.flatMap(({ entries }) => entries.map(({ competitor }) => competitor)),
  );
  const keeping = [...new Set(names)].filter((name) => unhidden.has(name)).sort();
  const cannot = absent.length > 0 ? `; not on this CPU: ${absent.join('; ')}` : '';
  return [
    `${machine}; build ${build}. Tiers: ${tiers.join('; ')}${cannot}.`,
    ...(keeping.length > 0 ? [`With all CPU features in every tier: ${keeping.join(', ')}.`] : []),
    '',
    `| row | goal | ${columns.join(' | ')} |`,
    `|---|---|${'---|'.repeat(columns.length)}`,
    ...results.map((row) => `| ${[row.name, row.goal, ...cellsOf(row)].join(' | ')} |`),
  ].join('\n');
}

/**
 * The cells of a row: the ratio, Millrace's figure, and the best competitor.
 *
 * @param {any} row
 */
export function cellsOf({ goal, bytes, tail, cells }) {
  return cells.map(({ entries, disturbed }) => {
    const [ours, ...others] = entries;
    if (ours === undefined) return 'failed';
    const spread = tail ? `, p99/p50 ${digits(ours.p99 / ours.p50)}` : '';
    const shown = `${figure({ seconds: time(ours) }, bytes)}${spread}`;
    const foreign = others.filter(({ competitor }) => !competitor.startsWith('millrace'));
    // Millrace's other forms take part only if no other library does.
    const competitors = foreign.length > 0 ? foreign : others;
    if (competitors.length === 0) return `- (${shown})`;
    const best = competitors.reduce((least, each) => (time(each) < time(least) ? each : least));
    const noise = Math.max(0.03, noiseOf(ours) + noiseOf(best));
    const ratio = verdict(time(best) / time(ours), goal, noise);
    return `${ratio}${disturbed ? ' !' : ''} (${shown}; ${best.competitor})`;
  });
}

/** The fastest round: other programs only add time. */
const time = ({ seconds, least }) => least ?? seconds;

/** The distance from the fastest round to the lowest decile. */
const noiseOf = ({ spread, least, lower }) => (least ? lower[0] / least - 1 : spread);

/** Bold below the goal, `~` where the difference is within the noise. */
export function verdict(ratio, goal, noise) {
  const shown = ratio.toFixed(2);
  if (ratio >= goal) return shown;
  return ratio >= goal * (1 - noise) ? `${shown} ~` : `**${shown}**`;
}

export function figure({ seconds }, bytes = undefined) {
  if (bytes !== undefined) return `${digits(bytes / seconds / 1e9)} GB/s`;
  if (seconds < 1e-6) return `${digits(seconds * 1e9)} ns`;
  return seconds < 1e-3 ? `${digits(seconds * 1e6)} us` : `${digits(seconds * 1e3)} ms`;
}

export function digits(value) {
  return value >= 100 ? String(Math.round(value)) : value.toPrecision(3);
}
