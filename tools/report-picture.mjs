// The picture of the report in the README, from a report:
//
//   millrace bench hash cryptperf --algorithms sha256,aes-256-gcm --html report.html
//   node tools/report-picture.mjs report.html docs/report.png [--dark] [--charts 2] [--match sha256]

import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';

import { startBrowser } from './browser.mjs';

const { values, positionals } = parseArgs({ allowPositionals: true, options: { dark: { type: 'boolean' }, charts: { type: 'string', default: '2' }, match: { type: 'string', default: '' } } });
const [report, picture] = positionals;
const browser = await startBrowser();
try {
  const page = await browser.newPage({ viewport: { width: 1240, height: 900 }, deviceScaleFactor: 1.5, colorScheme: values.dark ? 'dark' : 'light' });
  await page.goto(pathToFileURL(resolve(report)).href);
  // The record of the machine and the first charts; the rest is more of the same.
  await page.evaluate(
    ([count, match]) => {
      const cards = [...document.querySelectorAll('.card.lines')].filter((card) => card.textContent.includes(match)).slice(0, count);
      for (const card of document.querySelectorAll('.card')) if (!cards.includes(card)) card.remove();
      for (const section of document.querySelectorAll('section')) if (section.querySelector('.card') === null) section.remove();
      const all = document.createElement('div');
      all.className = 'cards';
      all.append(...cards);
      document.querySelector('main').replaceChildren(all);
      for (const one of document.querySelectorAll('nav, footer, details, .lead')) one.remove();
      for (const one of document.querySelectorAll('dl, .noise')) one.style.marginBottom = '18px';
      document.querySelector('dl').style.marginTop = '12px';
    },
    [Number(values.charts), values.match],
  );
  await page.waitForTimeout(300);
  await page.locator('body').screenshot({ path: picture });
} finally {
  await browser.close();
}
