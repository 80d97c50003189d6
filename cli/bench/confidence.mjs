// How far a row can be trusted, and which competitor is faster in it, if any.
//
// A row is disturbed if other processes used more than DISTURBED_CORES meanwhile or, in synchronous
// rows, if the main thread had no core for more than DISTURBED_DELAY of the time. (In asynchronous
// rows it may have waited for its own workers.) The runner repeats such a row; one that stays
// disturbed is marked.
//
// A competitor is called faster only if the difference is more than the noise: half the
// interquartile ranges of both, at least LEAST_NOISE, and in a disturbed row also the share of the
// time that was taken from it, which may have fallen on one competitor alone.

import { cpus } from 'node:os';

export const DISTURBED_CORES = 0.3;
const DISTURBED_DELAY = 0.05;
const LEAST_NOISE = 0.03;

/**
 * Returns the disturbance of a row; above 1 the row is disturbed.
 *
 * @param {{ foreign: number, delay?: number, wait: string }} row
 */
export function disturbance({ foreign, delay = 0, wait }) {
  return Math.max(foreign / DISTURBED_CORES, wait === 'sync' ? delay / DISTURBED_DELAY : 0);
}

/**
 * Compares a measured row: the best competitor, our ratio to it, and whether the difference exceeds
 * the noise. In a row of engines the fastest of them is compared with node:crypto. A batch is also
 * compared with our own single calls, which do not compete.
 */
export function compareRow(row) {
  const kindOf = ({ competitor }) => {
    if (row.engines) return competitor === 'node:crypto' ? 'other' : 'ours';
    return { millrace: 'ours', 'own loop': 'loop' }[competitor] ?? 'other';
  };
  const [ours, best, loop] = ['ours', 'other', 'loop'].map((kind) =>
    fastest(row.entries.filter((entry) => kindOf(entry) === kind)),
  );
  if (ours === undefined) return { best, verdict: 'missing' };
  const beside = loop === undefined ? {} : { loop: compare(ours, loop, row) };
  if (best === undefined) return { ours, verdict: 'alone', ...beside };
  return { ours, best, ...compare(ours, best, row), ...beside };
}

function compare(ours, other, row) {
  const ratio = other.seconds / ours.seconds;
  const noise = Math.max(LEAST_NOISE, ours.spread + other.spread) + taken(row);
  // Symmetrical: a factor that is not a lead is not a lag as its inverse.
  const verdict = Math.max(ratio, 1 / ratio) <= 1 + noise ? 'tie' : ratio > 1 ? 'ahead' : 'behind';
  return { ratio, noise, verdict };
}

/** Returns the share of the time that others may have taken from one competitor. */
function taken({ disturbed, foreign, delay, wait }) {
  if (!disturbed) return 0;
  return Math.min(1, wait === 'sync' && delay !== undefined ? delay : foreign / cpus().length);
}

/** Returns the entry with the shortest time. */
export function fastest(entries) {
  return entries.reduce(
    (best, entry) => (best === undefined || entry.seconds < best.seconds ? entry : best),
    undefined,
  );
}
