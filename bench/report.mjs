// The results of compare.mjs as a Markdown table.

/** Other libraries from which `--tier` hides CPU features: they use the OpenSSL of Node.js. */
const hidden = /^(millrace|node:crypto|WebCrypto|crypto-async|loop|without)/;

/**
 * @param {any[]} results rows with a result for each column, undefined where there is none
 * @param {{ build: string, settings: string, columns: any[], tiers: string[], absent: string[],
 *   arrange?: (results: any[], columns: string[]) => string[] }} about `columns` have a title, a
 *   machine and the first and last date; `arrange` returns the lines of a table that has another
 *   shape
 */
export function markdown(results, { build, settings, columns, tiers, absent, arrange }) {
  const cells = results.flatMap((row) => row.cells.filter((cell) => cell !== undefined));
  const names = cells.flatMap(({ entries }) => entries.map(({ competitor }) => competitor));
  // Without the form, which is behind a blank.
  const libraries = new Set(names.map((name) => name.split(' ')[0]));
  const keeping = [...libraries].filter((name) => !hidden.test(name)).sort();
  const leftOut = [...new Set(cells.flatMap((cell) => cell.leftOut ?? []))].sort();
  const cannot = absent.length > 0 ? `; not on this CPU: ${absent.join('; ')}` : '';
  const titles = columns.map(({ title }) => title);
  return [
    `Build ${build}; ${settings}. Tiers: ${tiers.join('; ')}${cannot}.`,
    ...machineLines(columns),
    ...(keeping.length > 0 ? [`With all CPU features in every tier: ${keeping.join(', ')}.`] : []),
    ...(leftOut.length > 0 ? [`Left out: ${leftOut.join(', ')}.`] : []),
    '',
    ...(arrange?.(results, titles) ?? [
      `| row | ${titles.join(' | ')} |`,
      `|---|${'---|'.repeat(titles.length)}`,
      ...results.map(
        (row) => `| ${[row.name, ...row.cells.map((cell) => cellOf(row, cell))].join(' | ')} |`,
      ),
    ]),
  ].join('\n');
}

/** Returns a line for each machine, with the dates of its columns. */
function machineLines(columns) {
  return [...new Set(columns.map(({ machine }) => machine))].map((machine) => {
    const here = columns.filter((column) => column.machine === machine);
    const dates = here.map(({ first, last }) => (first === last ? first : `${first} to ${last}`));
    const list = [...new Set(dates)].map((date) => {
      const titles = here.filter((_, index) => dates[index] === date).map(({ title }) => title);
      return `${titles.join('; ')} on ${date}`;
    });
    return `${machine}: ${list.join('; ')}.`;
  });
}

/**
 * Returns a cell: the ratio, Millrace's figure, and the best competitor; the ratio of a `wanted`
 * competitor if that is another, or that it is absent. Nothing for a cell that was not measured.
 */
export function cellOf({ bytes, tail, wanted }, cell) {
  if (cell === undefined) return '';
  const { entries, disturbed, failed } = cell;
  if (failed !== undefined) return `failed: ${failed}`;
  const [ours] = entries;
  const spread = tail ? `, p99/p50 ${digits(ours.p99 / ours.p50)}` : '';
  const { best, ratio, noise } = compare(entries);
  const also = entries.find(({ competitor }) => competitor === wanted);
  const theirs = also === undefined ? 'absent' : (time(also) / time(ours)).toFixed(2);
  const shown = [`${figure({ seconds: time(ours) }, bytes)}${spread}`];
  if (best !== undefined) shown.push(best.competitor);
  if (wanted !== undefined && wanted !== best?.competitor) shown.push(`${wanted} ${theirs}`);
  const verdictOf = best === undefined ? '-' : `${verdict(ratio, noise)}${disturbed ? ' !' : ''}`;
  return `${verdictOf} (${shown.join('; ')})`;
}

/** Returns why something failed, in one short line that can be a cell. */
export function reasonOf(error) {
  const { signal, killed, code, message } = error;
  // execFile ends a process that takes too long.
  if (killed) return 'took too long';
  if (signal) return `ended by ${signal}`;
  if (typeof code === 'number') return `ended with code ${code}`;
  const [line] = String(message ?? error).split('\n');
  const short = line.replaceAll('|', '/').trim();
  return short.length > 80 ? `${short.slice(0, 79)}…` : short;
}

/** Compares the first entry, Millrace's, with the best of the others. */
export function compare([ours, ...others]) {
  const foreign = others.filter(({ competitor }) => !competitor.startsWith('millrace'));
  // Millrace's other forms take part only if no other library does.
  const competitors = foreign.length > 0 ? foreign : others;
  if (competitors.length === 0) return {};
  const best = competitors.reduce((least, each) => (time(each) < time(least) ? each : least));
  const noise = Math.max(0.03, noiseOf(ours) + noiseOf(best));
  return { best, ratio: time(best) / time(ours), noise };
}

/** The fastest round: other programs only add time. */
const time = ({ seconds, least }) => least ?? seconds;

/** The distance from the fastest round to the lowest decile. */
const noiseOf = ({ spread, least, lower }) => (least ? lower[0] / least - 1 : spread);

/** Returns the ratio, bold below 1, with `~` where the difference is within the noise. */
export function verdict(ratio, noise) {
  const shown = ratio.toFixed(2);
  if (ratio >= 1) return shown;
  return ratio >= 1 - noise ? `${shown} ~` : `**${shown}**`;
}

export function figure({ seconds }, bytes = undefined) {
  if (bytes !== undefined) return `${digits(bytes / seconds / 1e9)} GB/s`;
  if (seconds < 1e-6) return `${digits(seconds * 1e9)} ns`;
  return seconds < 1e-3 ? `${digits(seconds * 1e6)} us` : `${digits(seconds * 1e3)} ms`;
}

export function digits(value) {
  return value >= 100 ? String(Math.round(value)) : value.toPrecision(3);
}
