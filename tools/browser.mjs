// A browser for the tests that look at pages: the documentation and the bench's report. It is no
// dependency: where Debian's can be installed it is, elsewhere the tests say that they were not run.

import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, join } from 'node:path';

import { Stop, probe, skipped, step } from './steps.mjs';

const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome'];
const elsewhere = [
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
];

/** The path of a Chromium; undefined if there is none. CHROMIUM in the environment names one. */
export function findBrowser() {
  const folders = (process.env.PATH ?? '').split(delimiter);
  return [
    process.env.CHROMIUM,
    ...names.flatMap((name) => folders.map((folder) => join(folder, name))),
    ...elsewhere,
  ].find((path) => path && existsSync(path));
}

/** Installs Chromium with apt-get if no password is needed. */
export async function prepareBrowser() {
  if (findBrowser() !== undefined || process.platform !== 'linux' || process.getuid?.() !== 0)
    return;
  if ((await probe('apt-get', ['--version']))?.code !== 0) return;
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  try {
    if ((await probe('apt-get', ['install', '--simulate', 'chromium']))?.code !== 0)
      await step('update package lists', 'apt-get', ['update', '-qq'], { env });
    await step(
      'install chromium (for the report)',
      'apt-get',
      ['install', '-y', '--no-install-recommends', 'chromium', 'fonts-dejavu-core'],
      { env },
    );
  } catch (error) {
    if (!(error instanceof Stop)) throw error;
    skipped('chromium', 'could not be installed; the pages are not tested');
  }
}

/** A browser by playwright-core. Chromium refuses its sandbox to root. */
export async function startBrowser() {
  const { chromium } = await import('playwright-core');
  return chromium.launch({
    executablePath: findBrowser(),
    args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
  });
}

/**
 * Texts of a page, below `selector`, whose contrast is less than WCAG's level AA asks for: 4.5, or 3
 * for large text. Measured by axe-core.
 */
export async function lowContrast(page, selector = 'body') {
  const path = createRequire(import.meta.url).resolve('axe-core/axe.min.js');
  await page.evaluate(readFileSync(path, 'utf8'));
  return page.evaluate(async (from) => {
    const { violations } = await globalThis.axe.run(from, { runOnly: ['color-contrast'] });
    return violations
      .flatMap(({ nodes }) => nodes)
      .map(({ any: [{ data }], html }) => {
        const { fgColor, bgColor, contrastRatio } = data;
        return `${contrastRatio}: ${fgColor} on ${bgColor}: ${html.slice(0, 80)}`;
      });
  }, selector);
}
