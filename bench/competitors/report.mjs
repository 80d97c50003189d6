// The results of `npm run bench -- competitors` as a Markdown table.

/** @param {any[]} results @param {Record<string, string>} about */
export function markdown(results, about) {
  const lines = [
    `${about.machine}; ${about.tier}; build ${about.build}`,
    '',
    '| row | Millrace | best other | ratio | goal |',
    '|---|---|---|---|---|',
    ...results.map(line),
  ];
  return lines.join('\n');
}

/** Shows Millrace's other forms too, but compares with them only if no other library takes part. */
function line({ name, goal, bytes, disturbed, entries }) {
  const [ours, ...others] = entries;
  const foreign = others.filter(({ competitor }) => !competitor.startsWith('millrace'));
  const competitors = foreign.length > 0 ? foreign : others;
  if (competitors.length === 0)
    return `| ${name} | ${figure(ours, bytes)} | not installed | | ${goal} |`;
  const best = competitors.reduce((least, each) => (each.seconds < least.seconds ? each : least));
  const ratio = best.seconds / ours.seconds;
  const noise = Math.max(0.03, ours.spread + best.spread);
  const tail = ours.p99 === undefined ? '' : `, p99/p50 ${(ours.p99 / ours.p50).toFixed(1)}`;
  const beside = others
    .filter(({ competitor }) => foreign.length > 0 && competitor.startsWith('millrace, '))
    .map((each) => `; ${each.competitor.slice(10)} ${figure(each, bytes)}`);
  return (
    `| ${name} | ${figure(ours, bytes)}${tail}${beside.join('')} | ` +
    `${figure(best, bytes)} ${best.competitor} | ` +
    `${verdict(ratio, goal, noise)}${disturbed ? ' !' : ''} | ${goal} |`
  );
}

/** Formats a ratio, bold below the goal, `~` where the difference is within the noise. */
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
