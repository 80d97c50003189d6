// Browsers for the tests that open pages. They are not dependencies: Debian's are installed if
// possible, otherwise those tests say that they were not run.

import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, join } from 'node:path';

import { installPrograms } from './prerequisites.mjs';

/** Name, the variable of the environment that names one, Debian's package, and where it may be. */
export const chromium = {
  name: 'Chromium',
  variable: 'CHROMIUM',
  package: 'chromium',
  commands: ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome'],
  elsewhere: [
    '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
    'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
  ],
};
export const firefox = {
  name: 'Firefox',
  variable: 'FIREFOX',
  package: 'firefox-esr',
  commands: ['firefox', 'firefox-esr'],
  elsewhere: [
    '/Applications/Firefox.app/Contents/MacOS/firefox',
    'C:\\Program Files\\Mozilla Firefox\\firefox.exe',
  ],
};

/** Returns the path of a browser; undefined if there is none. */
export function findBrowser({ variable, commands, elsewhere } = chromium) {
  const folders = (process.env.PATH ?? '').split(delimiter);
  return [
    process.env[variable],
    ...commands.flatMap((name) => folders.map((folder) => join(folder, name))),
    ...elsewhere,
  ].find((path) => path && existsSync(path));
}

/** Returns why tests in a browser are not run, if there is none. */
export function missingBrowser(browser = chromium) {
  const { name, variable, package: wanted } = browser;
  if (findBrowser(browser) !== undefined) return undefined;
  return `not run: there is no ${name} here (apt-get install ${wanted}, or ${variable}=path)`;
}

/** Installs a browser, if it is missing and no password is needed. */
export async function prepareBrowser(browser = chromium) {
  if (findBrowser(browser) === undefined)
    await installPrograms('pages', [browser.package, 'fonts-dejavu-core']);
}

/**
 * Starts a browser by playwright-core: Chromium by its own protocol, which refuses its sandbox to
 * root, and a released Firefox by WebDriver BiDi.
 */
export async function startBrowser(browser = chromium) {
  const playwright = await import('playwright-core');
  const executablePath = findBrowser(browser);
  if (browser === firefox)
    return playwright.firefox.launch({ executablePath, channel: 'moz-firefox' });
  return playwright.chromium.launch({
    executablePath,
    args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
  });
}

/**
 * Texts of a page, below `selector`, with less contrast than WCAG's level AA asks for: 4.5, or 3
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
