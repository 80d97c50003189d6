// A record as one page of HTML: nothing is fetched, and without scripts the tables and legends are
// still there.

import { readFileSync } from 'node:fs';

import { bytes, duration } from '../report.mjs';
import { quantile } from '../numbers.mjs';
import { chartsOf, unit } from './charts.mjs';

const here = (file) => readFileSync(new URL(file, import.meta.url), 'utf8');
const built = (file) =>
  readFileSync(new URL(`../../../dist/uplot/${file}`, import.meta.url), 'utf8');

// Read when this module is loaded, before anything is measured: what is missing is known at once.
const style = here('style.css');
const script = here('draw.js');
const library = {
  style: built('uPlot.min.css'),
  script: built('uPlot.iife.min.js'),
  licence: built('LICENSE'),
};

export function htmlPage(record) {
  const sections = chartsOf(record);
  const data = sections
    .flatMap(({ charts }) => charts)
    .filter(({ kind }) => kind === 'lines')
    .map(({ id, title, x, y, series, marks }) => ({ id, title, x, y, series, marks }));
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Millrace bench, ${text(record.cpu)}</title>
<link rel="icon" href="data:,">
<style>
${library.style}
${style}</style>
</head>
<body>
<header>
<h1>Millrace bench</h1>
<p class="lead">${text(lead(record, sections))}</p>
${facts(record)}
${noise(record)}
${sections.length > 1 ? navigation(sections) : ''}
</header>
<main>
${sections.map(sectionOf).join('\n')}
</main>
<footer>
<p>Every answer was compared before the clock started. Contestants took turns, round by round; a
figure is the median of its rounds, &plusmn; is half the interquartile range, drawn as a thin line
through the point. Inputs are the same in every call and hot in the cache. Figures of another
machine, or another hour of this one, differ: compare ratios.</p>
<p>Charts: uPlot, MIT licence.</p>
</footer>
<!-- uPlot:
${library.licence.trim().replaceAll('--', '- -')}
-->
<script type="application/json" id="data">
${JSON.stringify(data).replaceAll('<', '\\u003c')}
</script>
<script>${library.script.replaceAll('</script', '<\\/script')}</script>
<script>
${script}</script>
</body>
</html>
`;
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
  const items = rows.map(([name, value]) => `<div><dt>${name}</dt><dd>${text(value)}</dd></div>`);
  return `<dl>${items.join('')}</dl>`;
}

function navigation(sections) {
  const links = sections.map(({ id, title }) => `<a href="#${id}">${text(title)}</a>`);
  return `<nav aria-label="Sections">${links.join('')}</nav>`;
}

/** The same as the table of the terminal says under its rows. */
function noise({ rows, latency, scaling }) {
  const spreads = rows.flatMap(({ entries }) => entries.map(({ spread }) => spread));
  const foreign = rows.filter((row) => row.foreign > 0.3).length;
  const percent = (part) => `${(quantile(spreads, part) * 100).toFixed(1)} %`;
  const said = [
    ...(spreads.length === 0
      ? []
      : [
          `Samples spread ${percent(0.5)} around their median (90th percentile of the rows: ` +
            `${percent(0.9)}); less than that, and less than 3 %, is no difference.`,
        ]),
    ...(foreign === 0
      ? []
      : [
          `Other processes used more than 0.3 cores in ${foreign} of ${rows.length} rows: those ` +
            `figures are disturbed.`,
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

function sectionOf({ id, title, charts }) {
  return `<section id="${id}">
<h2>${text(title)}</h2>
<div class="cards">
${charts.map((chart) => card(chart)).join('\n')}
</div>
</section>`;
}

function card(chart) {
  const { id, kind, title, note, y, series, table, remarks = [] } = chart;
  const body =
    kind === 'bars'
      ? bars(series, y)
      : `<div class="chart" id="${id}" role="img" ` +
        `aria-label="${text(`Line chart: ${title}, ${note}. `)}` +
        'The figures are in the table below.">' +
        `</div>${legend(series)}`;
  const list =
    remarks.length === 0
      ? ''
      : `<ul class="remarks">${remarks.map((remark) => `<li>${text(remark)}</li>`).join('')}</ul>`;
  return `<article class="card ${kind}" data-chart="${id}">
<h3>${text(title)}</h3>
<p class="note">${text(note)}${kind === 'lines' ? `; ${unit(y).better}` : ''}</p>
${body}
${list}
<details><summary>Figures</summary><div class="scroll">${tableOf(table, title)}</div></details>
</article>`;
}

function legend(series) {
  const entries = series.map(
    ({ name, colour }, index) =>
      `<li><button type="button" aria-pressed="true" data-series="${index}"><svg width="30" ` +
      `height="12" viewBox="0 0 30 12" aria-hidden="true" class="c${colour}"><line x1="1" ` +
      `y1="6" x2="29" y2="6"/><circle cx="15" cy="6" r="3.2"/></svg>${text(name)}</button></li>`,
  );
  return `<ul class="legend">${entries.join('')}</ul>`;
}

function bars(series, y) {
  const most = Math.max(...series.map(({ points: [point] }) => point.y));
  return `<div class="bargrid">${series
    .map(
      ({ name, colour, points: [point] }) =>
        `<span class="name">${text(name)}</span><span class="track"><span class="bar ` +
        `c${colour}" ` +
        `style="width:${Math.max(0.5, (point.y / most) * 100).toFixed(1)}%"></span></span><span ` +
        `class="value">${text(unit(y).format(point.y))}</span>`,
    )
    .join('')}</div>`;
}

function tableOf({ heads, rows }, title) {
  const cells = (row) =>
    row
      .map((cell, index) =>
        index === 0 ? `<th scope="row">${text(cell)}</th>` : `<td>${text(cell)}</td>`,
      )
      .join('');
  const head = heads.map((each) => `<th scope="col">${text(each)}</th>`).join('');
  const body = rows.map((row) => `<tr>${cells(row)}</tr>`).join('');
  return (
    `<table><caption>${text(title)}</caption><thead><tr>${head}</tr></thead>` +
    `<tbody>${body}</tbody></table>`
  );
}

function text(value) {
  return String(value)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
