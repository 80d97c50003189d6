// A record of `millrace bench` as one page of HTML.

import { bytes, duration } from '../report.mjs';
import { quantile } from '../numbers.mjs';
import { chartsOf } from './charts.mjs';
import { factList, pageOf, text } from './shell.mjs';

export function htmlPage(record) {
  const sections = chartsOf(record);
  return pageOf({
    title: `Millrace bench, ${record.cpu}`,
    heading: 'Millrace bench',
    lead: lead(record, sections),
    header: `${facts(record)}\n${noise(record)}`,
    footer: `<p>Every answer was compared before the clock started. Contestants took turns, round by
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

function facts({ cpu, cores, system, node, contestants, missing, settings, rows: measured }) {
  const rounds = Math.max(3, Math.ceil(settings.rounds / 2));
  const rows = [
    ['CPU', `${cpu}, ${cores} ${cores === 1 ? 'core' : 'cores'}`],
    ['System', `${system}, Node.js ${node}`],
    ['Measured', contestants.join(', ')],
    ...(missing.length === 0
      ? []
      : [['Missing', missing.map(({ name, reason }) => `${name} (${reason})`).join(', ')]]),
    [
      'Method',
      measured.length === 0
        ? `clock step ${duration(settings.clock)}`
        : `${settings.rounds} rounds of ${settings.time} ms; asynchronous ${rounds} of ` +
          `${settings.time * 8} ms; clock step ${duration(settings.clock)}`,
    ],
  ];
  return factList(rows);
}

/** The same as the table of the terminal says under its rows. */
function noise({ rows, latency, scaling }) {
  const spreads = rows.flatMap(({ entries }) => entries.map(({ spread }) => spread));
  const disturbed = rows.filter((row) => row.disturbed).length;
  const percent = (part) => `${(quantile(spreads, part) * 100).toFixed(1)} %`;
  const said = [
    ...(spreads.length === 0
      ? []
      : [
          `Samples spread ${percent(0.5)} around their median (90th percentile of the rows: ` +
            `${percent(0.9)}); less than that of both, and less than 3 %, is no difference.`,
        ]),
    ...(disturbed === 0
      ? []
      : [
          `Other processes disturbed ${disturbed} of ${rows.length} rows, also when those were ` +
            `measured again; the charts name them.`,
        ]),
    ...Object.entries({ latency, scaling })
      .filter(([, each]) => each?.foreign > 0.3)
      .map(
        ([name, { foreign: cores }]) =>
          `While ${name} was measured other processes used ${cores.toFixed(1)} cores.`,
      ),
    ...rows.flatMap((row) =>
      row.wrong.map((who) => `Wrong answer, not timed: ${who}, ${bytes(row.size)}.`),
    ),
  ];
  return said.length === 0
    ? ''
    : `<p class="noise"><strong>Noise.</strong> ${text(said.join(' '))}</p>`;
}
