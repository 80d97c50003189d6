// The picture of the report in the README, from a report:
//
//   npm run bench -- aead cryptperf --algorithms aes-256-gcm --html report.html
//   node tools/report-picture.mjs report.html docs/report.png --chart "aes-256-gcm seal, raw key,
//   into" --chart "aes-256-gcm seal" [--dark]
//
// The first chart of each title is shown. Of a page without such charts, as `bench -- routes`
// writes it, everything but the footer is.

import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';

import { startBrowser } from './browser.mjs';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { dark: { type: 'boolean' }, chart: { type: 'string', multiple: true, default: [] } },
});
const [report, picture] = positionals;
const browser = await startBrowser();
try {
  const page = await browser.newPage({
    viewport: { width: 1120, height: 800 },
    deviceScaleFactor: 1.25,
    colorScheme: values.dark ? 'dark' : 'light',
  });
  await page.goto(pathToFileURL(resolve(report)).href);
  // The record of the machine and the first charts; the rest is more of the same.
  await page.evaluate((titles) => {
    const all = [...document.querySelectorAll('.card.lines')];
    if (all.length === 0) {
      for (const one of document.querySelectorAll('nav, footer')) one.remove();
      return;
    }
    const cards =
      titles.length === 0
        ? all.slice(0, 2)
        : titles
            .map((title) => all.find((card) => card.querySelector('h3').textContent === title))
            .filter(Boolean);
    for (const card of document.querySelectorAll('.card')) if (!cards.includes(card)) card.remove();
    for (const section of document.querySelectorAll('section'))
      if (section.querySelector('.card') === null) section.remove();
    const grid = document.createElement('div');
    grid.className = 'cards';
    grid.append(...cards);
    document.querySelector('main').replaceChildren(grid);
    for (const one of document.querySelectorAll('nav, footer, details, .remarks, .lead'))
      one.remove();
    for (const one of document.querySelectorAll('dl, .noise'))
      one.setAttribute('style', 'margin-bottom: 18px');
    document.querySelector('dl').style.marginTop = '12px';
  }, values.chart);
  await page.waitForTimeout(300);
  await page.locator('body').screenshot({ path: picture });
} finally {
  await browser.close();
}
