// The built documentation site in Chromium: every page of the guide in light, dark and at 390
// pixels; search; the live page. `npm run docs` builds the site. MILLRACE_PICTURES names a folder
// for screenshots.

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

import { findBrowser, startBrowser } from '../../tools/browser.mjs';
import { serve } from '../../tools/serve.mjs';
import { root } from '../../tools/steps.mjs';

const folder = join(root, 'docs', '.site', 'dist');
const skip = !existsSync(join(folder, 'index.html'))
  ? 'not run: the site is not built (npm run docs)'
  : findBrowser() === undefined &&
    'not run: there is no Chromium here (apt-get install chromium, or CHROMIUM=path)';

const views = {
  light: { viewport: { width: 1280, height: 900 }, colorScheme: 'light' },
  dark: { viewport: { width: 1280, height: 900 }, colorScheme: 'dark' },
  narrow: { viewport: { width: 390, height: 844 }, colorScheme: 'light' },
};

test('the documentation site', { skip }, async (t) => {
  const pictures = process.env.MILLRACE_PICTURES;
  if (pictures !== undefined) mkdirSync(pictures, { recursive: true });
  const server = await serve({ folder });
  const browser = await startBrowser();
  t.after(async () => {
    await browser.close();
    await server.close();
  });

  const open = async (path, view) => {
    const context = await browser.newContext(view);
    const page = await context.newPage();
    const problems = [];
    page.on(
      'console',
      (each) => ['error', 'warning'].includes(each.type()) && problems.push(each.text()),
    );
    page.on('pageerror', (error) => problems.push(error.message));
    await page.goto(`${server.url}/${path}`, { waitUntil: 'load' });
    return { page, problems, close: () => context.close() };
  };

  const pages = ['', 'internals', 'api'].flatMap((path) =>
    readdirSync(join(folder, path))
      .filter((name) => name.endsWith('.html') && name !== '404.html')
      .map((name) => join(path, name).replaceAll('\\', '/')),
  );
  pages.push('api/millrace/functions/hash.html', 'api/millrace/interfaces/Settings.html');
  for (const [name, view] of Object.entries(views)) {
    await t.test(`${pages.length} pages: ${name}`, async () => {
      assert.ok(pages.length > 25);
      const { page, problems, close } = await open('index.html', view);
      for (const path of pages) {
        await page.goto(`${server.url}/${path}`);
        const wide = await page.evaluate(() => document.documentElement.scrollWidth);
        assert.equal(wide, view.viewport.width, `${path} scrolls sideways`);
        assert.deepEqual(problems, [], path);
        if (pictures === undefined) continue;
        const file = `site-${path.replaceAll('/', '-')}-${name}.png`;
        await page.screenshot({ path: join(pictures, file), fullPage: true });
      }
      await close();
    });
  }

  await t.test('search finds a page', async () => {
    const { page, close } = await open('getting-started.html', views.light);
    await page.click('.VPNavBarSearch button');
    await page.fill('.search-input', 'sealed streams');
    await page.waitForSelector('.results a[href*="sealed-streams"]');
    await close();
  });

  await t.test('the live page hashes a file', async () => {
    const { page, problems, close } = await open('try.html', views.dark);
    const frame = page.frameLocator('iframe');
    // Its module has filled the list and handles events.
    await frame.locator('#hash-algorithm option').nth(20).waitFor({ state: 'attached' });
    await frame.locator('#file').setInputFiles({
      name: 'abc.txt',
      mimeType: 'text/plain',
      buffer: Buffer.from('abc'),
    });
    await frame.locator('#go').click();
    assert.equal(
      await frame.locator('#digest').textContent(),
      createHash('sha256').update('abc').digest('hex'),
    );
    assert.deepEqual(problems, []);
    await close();
  });
});
