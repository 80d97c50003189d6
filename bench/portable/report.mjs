// The results of `npm run bench -- portable` as Markdown: a line for each group, then the medians.

import { median } from '../../cli/bench/numbers.mjs';
import { digits, figure, verdict } from '../report.mjs';

const columns = [0, 64, 1024, 65536, 1048576];
const titles = ['0 B', '64 B', '1 KiB', '64 KiB', '1 MiB'];
const entryPoints = ['millrace', 'millrace/portable'];

/** @param {any[]} groups @param {string} about */
export function markdown(groups, about) {
  const compared = groups.map(({ name, rows }) => ({ name, rows: rows.map(compare) }));
  const sized = compared.filter(({ rows }) => rows[0].label === undefined);
  const derived = compared.filter(({ rows }) => rows[0].label !== undefined);
  return [
    about,
    '',
    `| | ${titles.join(' | ')} |`,
    `|---|${'---|'.repeat(titles.length)}`,
    ...sized.map(({ name, rows }) => {
      const cells = columns.map((size) => cell(rows.find((row) => row.size === size)));
      return `| ${name} | ${cells.join(' | ')} |`;
    }),
    ...(derived.length === 0 ? [] : ['', '| | one at a time | 4 at once |', '|---|---|---|']),
    ...derived.map(({ name, rows }) => `| ${name} | ${rows.map(cell).join(' | ')} |`),
    '',
    ...summary(compared),
  ].join('\n');
}

/**
 * Returns the figure of a row, the lowest decile of the rounds, as other programs only add time;
 * its distance to the lower quartile is the noise.
 */
function quiet(entry) {
  const [decile, quartile] = entry.lower;
  return { ...entry, seconds: decile, noise: quartile / decile - 1 };
}

/** Adds each entry point's ratio to every other library: the other's time divided by its own. */
function compare(row) {
  const entries = row.entries.map(quiet);
  const others = entries.filter(({ competitor }) => !entryPoints.includes(competitor));
  const ratios = entryPoints.flatMap((name) => {
    const ours = entries.find(({ competitor }) => competitor === name);
    if (ours === undefined) return [];
    const byPeer = {};
    for (const each of others) {
      const [peer] = each.competitor.split(',');
      if (byPeer[peer]?.seconds < each.seconds) continue;
      byPeer[peer] = {
        ...each,
        ratio: each.seconds / ours.seconds,
        noise: Math.max(0.03, ours.noise + each.noise),
      };
    }
    const best = Object.values(byPeer).sort((one, two) => one.seconds - two.seconds)[0];
    return [{ name, ours, byPeer, best }];
  });
  return { ...row, ratios };
}

/**
 * Returns the time or rate of the first entry point, and each one's ratio to the fastest other
 * library.
 */
function cell(row) {
  if (row === undefined) return '';
  const [{ ours }] = row.ratios;
  const shown = row.size >= 1024 ? rate(row.size / ours.seconds) : figure(ours);
  const ratios = row.ratios.map(({ best }) => best && verdict(best.ratio, best.noise));
  return [shown, ratios.filter(Boolean).join(', ')].filter(Boolean).join(': ');
}

function rate(bytesPerSecond) {
  return `${digits(bytesPerSecond / 1e6)} MB/s`;
}

function summary(groups) {
  const all = groups.flatMap(({ name, rows }) =>
    rows.flatMap((row) =>
      row.ratios.flatMap(({ name: entryPoint, byPeer }) =>
        Object.entries(byPeer).map(([peer, found]) => ({
          entryPoint,
          peer,
          what: `${name} ${row.label ?? titles[columns.indexOf(row.size)]}`,
          ...found,
        })),
      ),
    ),
  );
  const peers = [...new Set(all.map(({ peer }) => peer))];
  const pairs = entryPoints.flatMap((entryPoint) => peers.map((peer) => ({ entryPoint, peer })));
  const lines = pairs.flatMap(({ entryPoint, peer }) => {
    const rows = all.filter((row) => row.entryPoint === entryPoint && row.peer === peer);
    if (rows.length === 0) return [];
    const slower = rows.filter(({ ratio }) => ratio < 1);
    const names = slower.map(({ what, ratio, noise }) => `${what} ${verdict(ratio, noise)}`);
    const middle = median(rows.map(({ ratio }) => ratio)).toFixed(2);
    const below = `${slower.length} of ${rows.length}`;
    return `| ${entryPoint} | ${peer} | ${middle} | ${below} | ${names.join('; ')} |`;
  });
  return [
    '| through | against | median ratio | rows below 1 | which |',
    '|---|---|---|---|---|',
    ...lines,
  ];
}
