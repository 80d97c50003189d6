// The results of compare.mjs as a Markdown table.

/** Other libraries from which `--tier` hides CPU features: they use the OpenSSL of Node.js. */
const hidden = /^(millrace|node:crypto|WebCrypto|crypto-async|loop|without)/;

/**
 * @param {any[]} results rows with a result for each column
 * @param {{ machine: string, build: string, columns: string[], tiers: string[], absent: string[],
 *   arrange?: (results: any[], columns: string[]) => string[] }} about `arrange` returns the lines
 *   of a table that has another shape
 */
export function markdown(results, { machine, build, columns, tiers, absent, arrange }) {
  const names = results.flatMap(({ cells }) =>
    cells.flatMap(({ entries }) => entries.map(({ competitor }) => competitor)),
  );
  // Without the form, which is behind a blank.
  const libraries = new Set(names.map((name) => name.split(' ')[0]));
  const keeping = [...libraries].filter((name) => !hidden.test(name)).sort();
  const cannot = absent.length > 0 ? `; not on this CPU: ${absent.join('; ')}` : '';
  return [
    `${machine}; build ${build}. Tiers: ${tiers.join('; ')}${cannot}.`,
    ...(keeping.length > 0 ? [`With all CPU features in every tier: ${keeping.join(', ')}.`] : []),
    '',
    ...(arrange?.(results, columns) ?? [
      `| row | ${columns.join(' | ')} |`,
      `|---|${'---|'.repeat(columns.length)}`,
      ...results.map(
        (row) => `| ${[row.name, ...row.cells.map((cell) => cellOf(row, cell))].join(' | ')} |`,
      ),
    ]),
  ].join('\n');
}

/**
 * Returns a cell: the ratio, Millrace's figure, and the best competitor; the ratio of a `wanted`
 * competitor if that is another, or that it is absent.
 */
export function cellOf({ bytes, tail, wanted }, { entries, disturbed }) {
  const [ours] = entries;
  if (ours === undefined) return 'failed';
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
