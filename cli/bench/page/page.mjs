// A record of `millrace bench` as one page of HTML: style, library and script within, sections of
// cards, and a table of the figures under every chart. Nothing is fetched, and without scripts the
// tables are still there.

import { readFileSync } from 'node:fs';

import { method, verdict } from '../report.mjs';
import { chartsOf, units } from './charts.mjs';

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

/** Of each colour: lines differ without colours too. */
const dashes = [[], [], [9, 4], [3, 4], [9, 4, 3, 4], [6, 3], [2, 3], [12, 3, 2, 3]];

export function htmlPage(record) {
  const sections = chartsOf(record);
  const found = verdict(record.rows);
  const data = sections
    .flatMap(({ charts }) => charts)
    .filter(({ kind }) => kind === 'lines')
    .map(({ id, y, series, marks }) => {
      const dashed = series.map((each) => ({ ...each, dash: dashes[each.colour] }));
      return { id, y, series: dashed, marks };
    });
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${text(`Millrace bench, ${record.cpu}`)}</title>
<link rel="icon" href="data:,">
<style>
${library.style}
${style}</style>
</head>
<body>
<header>
<h1>Millrace bench</h1>
<p class="lead">${text(lead(record, sections))}</p>
${record.rows.length === 0 ? '' : verdictOf(found)}
${facts(record)}
${noiseOf(found, record.latency)}
${glossary}
${sections.length > 1 ? navigation(sections) : ''}
</header>
<main>
${sections.map(sectionOf).join('\n')}
</main>
<footer>
<p>Every answer was compared before the clock started. Competitors took turns, round by
round; a figure is the median of its rounds, &plusmn; is half the interquartile range, drawn as a
thin line through the point. Inputs are the same in every call and hot in the cache. Figures of
another machine, or another hour of this one, differ: compare ratios.</p>
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

const glossary =
  '<details class="words"><summary>The words of this page</summary>' +
  `${definitionList(words)}</details>`;

/** Returns in how many rows Millrace is faster, and the others by name. */
function verdictOf({ sentence, losses }) {
  const said = `<p>${text(sentence.replaceAll(/ \(<\)|~, /g, ''))}</p>${list(losses)}`;
  return `<div class="verdict">${said}</div>`;
}

function facts({ cpu, cores, system, node, competitors, missing, settings }) {
  return definitionList([
    ['CPU', `${cpu}, ${cores} ${cores === 1 ? 'core' : 'cores'}`],
    ['System', `${system}, Node.js ${node}`],
    ['Measured', competitors.join(', ')],
    ['Missing', missing.map(({ name, reason }) => `${name} (${reason})`).join(', ') || 'nothing'],
    ['Method', method(settings)],
  ]);
}

/** Returns what the terminal's table says under its rows. */
function noiseOf({ noise, wrong }, latency) {
  const said = [
    noise,
    latency?.foreign > 0.3 &&
      `While latency was measured other processes used ${latency.foreign.toFixed(1)} cores.`,
    wrong,
  ].filter(Boolean);
  return said.length === 0 ? '' : `<p class="noise">${said.map(text).join('<br>')}</p>`;
}

function definitionList(pairs) {
  const items = pairs.map(
    ([name, value]) => `<div><dt>${text(name)}</dt><dd>${text(value)}</dd></div>`,
  );
  return `<dl>${items.join('')}</dl>`;
}

function list(items, attributes = '') {
  const lines = items.map((item) => `<li>${text(item)}</li>`);
  return lines.length === 0 ? '' : `<ul${attributes}>${lines.join('')}</ul>`;
}

function navigation(sections) {
  const links = sections.map(({ id, title }) => `<a href="#${id}">${text(title)}</a>`);
  return `<nav aria-label="Sections">${links.join('')}</nav>`;
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
        'The figures are in the table below."></div>';
  return `<article class="card ${kind}" data-chart="${id}">
<h3>${text(title)}</h3>
<p class="note">${text(note)}${kind === 'lines' ? `; ${units[y].better}` : ''}</p>
${body}
${list(remarks, ' class="remarks"')}
<details><summary>Figures</summary><div class="scroll">${tableOf(table, title)}</div></details>
</article>`;
}

function bars(series, y) {
  const most = Math.max(...series.map(({ points: [point] }) => point.y));
  const lines = series.map(({ name, colour, points: [point] }) => {
    const width = Math.max(0.5, (point.y / most) * 100).toFixed(1);
    return `<span class="name">${text(name)}</span>
<span class="track"><span class="bar" style="width:${width}%;color:var(--c${colour})"></span></span>
<span class="value">${text(units[y].format(point.y))}</span>`;
  });
  return `<div class="bargrid">${lines.join('')}</div>`;
}

function tableOf({ heads, rows }, title) {
  const cell = (name, value, scope) =>
    `<${name}${scope ? ` scope="${scope}"` : ''}>${text(value)}</${name}>`;
  const head = heads.map((each) => cell('th', each, 'col')).join('');
  const body = rows.map(([first, ...others]) => {
    const cells = others.map((each) => cell('td', each)).join('');
    return `<tr>${cell('th', first, 'row')}${cells}</tr>`;
  });
  return (
    `<table><caption>${text(title)}</caption><thead><tr>${head}</tr></thead>` +
    `<tbody>${body.join('')}</tbody></table>`
  );
}

function text(value) {
  return String(value)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
