// The charts of the documentation, docs/*.svg, drawn from the tables of docs/benchmark-results.md:
//
//   node tools/charts.mjs
//
// In a file the colours follow the reader's system; the site puts the charts into its pages, where
// its own style sheet colours them. They are as narrow as a phone, so that their text stays
// legible.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const folder = fileURLToPath(new URL('../docs/', import.meta.url));

/** The classes of a chart; docs/.vitepress/theme/style.css has the same. */
const style = `.ink{fill:#1f2328}.soft{fill:#59636e}.ours{fill:#3451b2}.others{fill:#8c959f}.behind{fill:#b35900}
.one{stroke:#59636e}text{font:12px system-ui,-apple-system,"Segoe UI",Roboto,"DejaVu Sans",sans-serif}
@media(prefers-color-scheme:dark){.ink{fill:#f0f6fc}.soft{fill:#9198a1}.ours{fill:#a8b1ff}.others{fill:#656c76}
.behind{fill:#f0883e}.one{stroke:#9198a1}}`;

const WIDTH = 360;
const ROW = 36;
/** The room of a heading. */
const HEADING = 26;
/** The room of the title. */
const TOP = 26;
/** The room of a value behind its bar. */
const VALUE = 62;

/** Returns the charts by file name. */
export function charts() {
  const text = readFileSync(join(folder, 'benchmark-results.md'), 'utf8');
  const [calls, jobs] = ['Synchronous calls', 'Asynchronous calls'].map((title) =>
    tableBelow(text, title),
  );
  return {
    'sealing.svg': drawn('AES-256-GCM, messages of 1 MiB sealed per second', [
      { heading: /^\| B \| (.+)/m.exec(text)[1].replace(/ with .*(, Node\.js \d+).*/, '$1') },
      ...values(
        jobs.heads.slice(1, -1),
        jobs.rows
          .find(([name]) => name === 'AES-256-GCM seal, 1 MiB lent, 16 in flight')
          .slice(1, -1),
      ),
      ...withNode24(text),
    ]),
    'synchronous.svg': ratios('Synchronous calls: times as fast as the best other library', calls),
    'asynchronous.svg': ratios('Asynchronous calls: times as fast as the best other library', jobs),
  };
}

/** Returns the first table below a heading. */
function tableBelow(text, title) {
  const [, section] = text.split(`\n## ${title}\n`);
  const lines = section.split('\n## ')[0].split('\n');
  const [heads, , ...rows] = lines
    .filter((line) => line.startsWith('|'))
    .map((line) => line.split('|').slice(1, -1))
    .map((cells) => cells.map((cell) => cell.replaceAll('**', '').trim()));
  return { heads, rows };
}

/** Returns the bars of a row of a table: one for each library. */
function values(names, figures) {
  return names.map((name, index) => ({
    name,
    value: Number(figures[index].replaceAll(',', '')),
    text: figures[index],
    kind: index === 0 ? 'ours' : 'others',
  }));
}

/**
 * Returns a heading and the bars of the same jobs with Node.js 24, from the table of competitors. A
 * cell there has Millrace's throughput and the ratio to the best other library.
 */
function withNode24(text) {
  const { heads, rows } = tableBelow(text, 'Competitors');
  const row = rows.find(
    ([name]) => name === 'aes-256-gcm seal 1 MiB by promise, 16 in flight, lent',
  );
  const cell = row[heads.findIndex((head) => head.startsWith('A, v24.'))];
  const [, ratio, gigabytes, other] = /^([\d.]+)[^(]*\(([\d.]+) GB\/s[^;]*; ([\w-]+)/.exec(cell);
  const ours = (Number(gigabytes) * 1e9) / 2 ** 20;
  const figures = [ours, ours / Number(ratio)].map((each) =>
    Number(each.toPrecision(3)).toLocaleString('en'),
  );
  const cpu = /^(.+), \d+ cores, .* A, v24\./m.exec(text)[1];
  return [
    { heading: `${cpu}, Node.js 24: Millrace and the best other` },
    ...values(['Millrace', other], figures),
  ];
}

/** Returns the last column of a table, with a bar for each row and a line where both are equal. */
function ratios(title, { rows }) {
  const bars = rows.map((row) => ({
    name: row[0].replace(/ \(.*/, ''),
    value: Number(row.at(-1)),
    text: `${row.at(-1)}x`,
    kind: Number(row.at(-1)) < 1 ? 'behind' : 'ours',
  }));
  return drawn(title, bars, 1);
}

/** Draws bars, and headings between them. */
function drawn(title, rows, line) {
  const bars = rows.filter(({ heading }) => heading === undefined);
  const most = Math.max(...bars.map(({ value }) => value));
  const scale = (value) => Math.round((value / most) * (WIDTH - VALUE) * 10) / 10;
  let height = TOP;
  const parts = rows.flatMap(({ heading, name, value, text, kind }) => {
    const top = height;
    height += heading === undefined ? ROW : HEADING;
    if (heading !== undefined)
      return [`<text class="soft" x="0" y="${top + 16}">${escaped(heading)}</text>`];
    return [
      `<text class="ink" x="0" y="${top + 13}">${escaped(name)}</text>`,
      `<rect class="${kind}" x="0" y="${top + 18}" width="${scale(value)}" height="12" rx="2"/>`,
      `<text class="soft" x="${scale(value) + 6}" y="${top + 28}">${escaped(text)}</text>`,
    ];
  });
  if (line !== undefined)
    bars.forEach((_, index) =>
      parts.push(
        `<path class="one" stroke-dasharray="2 2" d="M${scale(line)} ${TOP + index * ROW + 16}v16"/>`,
      ),
    );
  const told = rows
    .map(({ heading, name, text }) => (heading === undefined ? `${name} ${text}` : `${heading}:`))
    .join('; ')
    .replaceAll(':;', ':');
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height + 2}" role="img">
<title>${escaped(title)}</title>
<desc>${escaped(told)}</desc>
<style>${style}</style>
<text class="soft" x="0" y="12">${escaped(title)}</text>
${parts.join('\n')}
</svg>
`;
}

function escaped(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  for (const [name, svg] of Object.entries(charts())) writeFileSync(join(folder, name), svg);
