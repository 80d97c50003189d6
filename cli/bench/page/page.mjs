// A record of `millrace bench` as one page of HTML.

import { bytes, duration, noiseOf, verdict } from '../report.mjs';
import { chartsOf } from './charts.mjs';
import { factList, pageOf, text } from './shell.mjs';

export function htmlPage(record) {
  const sections = chartsOf(record);
  return pageOf({
    title: `Millrace bench, ${record.cpu}`,
    heading: 'Millrace bench',
    lead: lead(record, sections),
    header: `${verdictOf(record)}\n${facts(record)}\n${noise(record)}\n${glossary}`,
    footer: `<p>Every answer was compared before the clock started. Competitors took turns, round by
round; a figure is the median of its rounds, &plusmn; is half the interquartile range, drawn as a
thin line through the point. Inputs are the same in every call and hot in the cache. Figures of
another machine, or another hour of this one, differ: compare ratios.</p>`,
    sections,
  });
}

function lead({ date, interrupted }, sections) {
  const what = sections.map(({ title }) => title.toLowerCase()).join(', ');
  const cut =
    interrupted === undefined ? '' : ` Interrupted: ${interrupted.rows} of ${interrupted.of} rows.`;
  return (
    `${what === '' ? 'Nothing was measured.' : `${what[0].toUpperCase()}${what.slice(1)}.`} ` +
    `${date.slice(0, 16).replace('T', ' ')} UTC.${cut}`
  );
}

/** The words of the page, which terminals show as signs. */
const words = [
  [
    'ratio',
    "the best competitor's time divided by Millrace's: 2 means half the time, below 1 slower",
  ],
  ['ahead, behind', 'the difference is larger than the noise'],
  ['level', 'the difference is smaller than the noise, or than 3 %; marked ~ in the terminal'],
  ['noise', 'half the interquartile ranges of both, added up; in a disturbed row more'],
  ['median', 'the figure in the middle of all rounds'],
  [
    'disturbed',
    'other processes used more than 0.3 cores meanwhile, or the main thread had to wait',
  ],
  ['competitor', 'a library that is compared, or a plain loop, named by its package'],
  ['own loop', 'synchronous calls of Millrace in a loop, beside its batch call'],
  ['in flight', 'asynchronous calls that have started and not yet called back'],
  ['p50, p99', 'half, or 99 of 100, of the calls took at most this long'],
  [
    'copied, lent',
    'the call copies its message, or uses the memory of the caller until it is done',
  ],
  ['sync, pool, split', 'routes: on the calling thread, on one worker, on all workers'],
];

const glossary = `<details class="words"><summary>The words of this page</summary><dl>${words
  .map(([word, meaning]) => `<div><dt>${text(word)}</dt><dd>${text(meaning)}</dd></div>`)
  .join('')}</dl></details>`;

/** Returns the number of rows in which Millrace is faster, and the others by name. */
function verdictOf({ rows }) {
  if (rows.length === 0) return '';
  const { sentence, losses } = verdict(rows);
  const list = losses.map((loss) => `<li>${text(loss)}</li>`).join('');
  return `<div class="verdict"><p>${text(sentence.replaceAll(/ \(<\)|~, /g, ''))}</p>${
    list === '' ? '' : `<ul>${list}</ul>`
  }</div>`;
}

function facts({ cpu, cores, system, node, competitors, missing, settings, rows: measured }) {
  const { rounds, time, clock, asynchronous } = settings;
  const rows = [
    ['CPU', `${cpu}, ${cores} ${cores === 1 ? 'core' : 'cores'}`],
    ['System', `${system}, Node.js ${node}`],
    ['Measured', competitors.join(', ')],
    ...(missing.length === 0
      ? []
      : [['Missing', missing.map(({ name, reason }) => `${name} (${reason})`).join(', ')]]),
    [
      'Method',
      (measured.length === 0
        ? ''
        : `${rounds} rounds of ${time} ms; asynchronous ${asynchronous.samples} of ` +
          `${asynchronous.flight} ms; `) + `clock step ${duration(clock)}`,
    ],
  ];
  return factList(rows);
}

/** Returns what the terminal's table says under its rows. */
function noise({ rows, latency }) {
  const { usual, most, disturbed } = noiseOf(rows);
  const said = [
    ...(usual === undefined
      ? []
      : [
          `Samples spread ${usual} around their median (90th percentile of the rows: ` +
            `${most}); a difference below that of both, or below 3 %, does not count.`,
        ]),
    ...(disturbed === 0
      ? []
      : [
          `Other processes disturbed ${disturbed} of ${rows.length} rows, also when those were ` +
            `measured again; the charts name them.`,
        ]),
    ...(latency?.foreign > 0.3
      ? [`While latency was measured other processes used ${latency.foreign.toFixed(1)} cores.`]
      : []),
    ...rows.flatMap((row) =>
      row.wrong.map((form) => `Wrong answer, not timed: ${form}, ${bytes(row.size)}.`),
    ),
  ];
  return said.length === 0
    ? ''
    : `<p class="noise"><strong>Noise.</strong> ${text(said.join(' '))}</p>`;
}
