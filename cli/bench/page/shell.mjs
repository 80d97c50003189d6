// The frame that every page of figures has: style, library and script within, sections of cards,
// and a table of the figures under every chart. Nothing is fetched, and without scripts the tables
// are still there.

import { readFileSync } from 'node:fs';

import { unit } from './charts.mjs';

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

/**
 * Returns a page of HTML. `header` and `footer` are HTML, everything else is text.
 *
 * @param {{ title: string, heading: string, lead: string, header: string, footer: string, sections:
 *   { id: string, title: string, charts: any[] }[] }} page
 */
export function pageOf({ title, heading, lead, header, footer, sections }) {
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
<title>${text(title)}</title>
<link rel="icon" href="data:,">
<style>
${library.style}
${style}</style>
</head>
<body>
<header>
<h1>${text(heading)}</h1>
<p class="lead">${text(lead)}</p>
${header}
${sections.length > 1 ? navigation(sections) : ''}
</header>
<main>
${sections.map(sectionOf).join('\n')}
</main>
<footer>
${footer}
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

/** @param {string[][]} rows names and values, as text */
export function factList(rows) {
  const items = rows.map(([name, value]) => `<div><dt>${name}</dt><dd>${text(value)}</dd></div>`);
  return `<dl>${items.join('')}</dl>`;
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
  const bodies = {
    bars: () => bars(series, y),
    lines: () =>
      `<div class="chart" id="${id}" role="img" ` +
      `aria-label="${text(`Line chart: ${title}, ${note}. `)}` +
      'The figures are in the table below."></div>',
  };
  const list =
    remarks.length === 0
      ? ''
      : `<ul class="remarks">${remarks.map((remark) => `<li>${text(remark)}</li>`).join('')}</ul>`;
  return `<article class="card ${kind}" data-chart="${id}">
<h3>${text(title)}</h3>
<p class="note">${text(note)}${kind === 'lines' ? `; ${unit(y).better}` : ''}</p>
${bodies[kind]()}
${list}
<details><summary>Figures</summary><div class="scroll">${tableOf(table, title)}</div></details>
</article>`;
}

function bars(series, y) {
  const most = Math.max(...series.map(({ points: [point] }) => point.y));
  const lines = series.map(({ name, colour, points: [point] }) => {
    const width = Math.max(0.5, (point.y / most) * 100).toFixed(1);
    return `<span class="name">${text(name)}</span>
<span class="track"><span class="bar" style="width:${width}%;color:var(--c${colour})"></span></span>
<span class="value">${text(unit(y).format(point.y))}</span>`;
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

export function text(value) {
  return String(value)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
