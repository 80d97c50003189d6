// The built documentation site: the API reference, the index of the search, and in Chromium the
// pages at the widths of a phone and a laptop, in light and dark. `npm run docs` builds the site.
// MILLRACE_PICTURES names a folder for screenshots.

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';

import { search } from '../../docs/.vitepress/search.mjs';
import { lowContrast, missingBrowser, startBrowser } from '../../tools/browser.mjs';
import { serve } from '../../tools/serve.mjs';
import { root } from '../../tools/steps.mjs';
import { allExamples } from '../package/examples.mjs';
import { complaintsOf } from '../support/pages.mjs';

const folder = join(root, 'docs', '.site', 'dist');
const notBuilt =
  !existsSync(join(folder, 'index.html')) && 'not run: the site is not built (npm run docs)';
const skip = notBuilt || missingBrowser();

const pagesIn = (path) =>
  readdirSync(join(folder, path), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.html') && name !== '404.html')
    .map((name) => join(path, name).replaceAll('\\', '/'));
const text = (html) => html.replaceAll(/<[^>]*>/g, '').replaceAll('&#39;', "'");

test('comments stand above lines of code that do not fit a phone with them', () => {
  /** The columns of a phone of 390 pixels. */
  const COLUMNS = 47;
  // A result may stand behind its call in JavaScript.
  const beside = {
    js: /^ *(?! |\/\/)(?:[^'"`]|(['"`]).*?\1)*? \/\/ (?!true|false|undefined|\d|'|\[|<)/,
    sh: /^(?!#).* # /,
  };
  for (const { file, line, language, code } of allExamples())
    for (const [index, text] of language === 'console' ? [] : code.split('\n').entries())
      assert.ok(
        text.length <= COLUMNS || !beside[language === 'sh' ? 'sh' : 'js'].test(text),
        `${file}:${line + index + 1}: ${text}`,
      );
});

test(
  'a page of a function has its module, an example and named signatures',
  { skip: notBuilt },
  () => {
    const pages = pagesIn('api').filter((page) => page.includes('/functions/'));
    assert.ok(pages.length > 85, `${pages.length} pages`);
    for (const page of pages) {
      const html = readFileSync(join(folder, page), 'utf8');
      const [, path, name] = /^api\/(.+)\/functions\/(.+)\.html$/.exec(page);
      const headings = [...html.matchAll(/<h([1-6]) id=[^>]*>(.*?)<a class="header-anchor"/g)].map(
        ([, level, title]) => `${level} ${text(title).trim()}`,
      );
      assert.equal(headings[0], `1 ${name}() ${path}`, page);
      assert.equal(headings[1], '2 Example', page);
      assert.ok(text(html).includes(`from '${path}'`), `${page}: the example imports from ${path}`);
      const signatures = headings.slice(headings.indexOf('2 Signatures') + 1);
      if (headings.includes('2 Signatures'))
        assert.ok(
          signatures.length > 1 && signatures.every((each) => each.startsWith(`3 ${name}(`)),
          `${page}: ${signatures}`,
        );
      assert.doesNotMatch(html, /Call Signature/, page);
      assert.doesNotMatch(html, /href="[^"]*stream\.html"[^>]*><code>Buffer/, page);
    }
  },
);

test(
  'the search finds terms of programmers, with the module of a function',
  { skip: notBuilt },
  async () => {
    const chunks = join(folder, 'assets', 'chunks');
    const [chunk] = readdirSync(chunks).filter((name) => name.startsWith('@localSearchIndex'));
    const { default: json } = await import(pathToFileURL(join(chunks, chunk)).href);
    const { default: MiniSearch } = await import(
      pathToFileURL(createRequire(join(root, 'docs', 'package.json')).resolve('minisearch')).href
    );
    // As VitePress does in the browser, where the functions arrive as text.
    const { options, searchOptions } = search.options.miniSearch;
    const index = MiniSearch.loadJSON(json, {
      fields: ['title', 'titles', 'text'],
      storeFields: ['title', 'titles'],
      searchOptions,
      ...options,
    });
    // Each page is among the first ten results of its term.
    const terms = readFileSync(join(root, 'test', 'docs', 'search-terms.json'), 'utf8');
    for (const [term, page] of Object.entries(JSON.parse(terms))) {
      const results = index.search(term).slice(0, 10);
      assert.ok(
        results.some(({ id }) => id.startsWith(`/${page}`)),
        `${term}: ${results.map(({ id }) => id).join(' ')}`,
      );
    }
    const firsts = index.search('hashPassword').map(({ titles, title }) => [...titles, title][0]);
    for (const module of ['millrace', 'millrace/promises'])
      assert.ok(firsts.includes(`hashPassword() ${module}`), module);
    assert.deepEqual(index.search('qqqqqq'), []);
  },
);

test('the first page has a chart, code and the version', { skip: notBuilt }, () => {
  const html = readFileSync(join(folder, 'index.html'), 'utf8');
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const hero = html.slice(html.indexOf('VPHero'), html.indexOf('vp-doc'));
  assert.match(hero, /<figure class="chart">.*<svg [^>]*viewBox/s);
  assert.ok(text(hero).includes(`Version ${version}`), text(hero));
  assert.ok(text(html).includes("from 'millrace'"), 'code');
});

test('cells of heat maps are coloured by their ratios', { skip: notBuilt }, () => {
  const html = readFileSync(join(folder, 'benchmark-results.html'), 'utf8');
  const maps = [...html.matchAll(/<table [^>]*class="heat"[^]*?<\/table>/g)];
  assert.equal(maps.length, 8);
  const cells = maps.flatMap(([map]) => [...map.matchAll(/<td class="(\w+)"[^>]*>(\d\.\d\d)/g)]);
  assert.equal(cells.length, 8 * 24);
  for (const [, level, ratio] of cells) {
    if (level === 'good') assert.ok(ratio >= 1.05, ratio);
    else assert.ok(level === 'even' ? ratio >= 0.95 && ratio < 1.05 : ratio < 0.95, ratio);
  }
});

const sizes = { phone: { width: 390, height: 844 }, laptop: { width: 1360, height: 900 } };
const views = Object.fromEntries(
  Object.entries(sizes).flatMap(([name, viewport]) =>
    ['light', 'dark'].map((colorScheme) => [`${name}, ${colorScheme}`, { viewport, colorScheme }]),
  ),
);
/** One of each kind. */
const representative = (
  'index getting-started hashing algorithms key-derivation recipes/uploads cli benchmark-results ' +
  'internals/architecture api/millrace/functions/hash'
)
  .split(' ')
  .map((name) => `${name}.html`);

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
    const problems = complaintsOf(page);
    await page.goto(`${server.url}/${path}`, { waitUntil: 'load' });
    return { page, problems, close: () => context.close() };
  };

  for (const [name, view] of Object.entries(views)) {
    await t.test(`contrast is WCAG AA: ${name}`, async () => {
      const { page, problems, close } = await open('index.html', view);
      for (const path of representative) {
        await page.goto(`${server.url}/${path}`);
        for (const diagram of await page.$$('pre.diagram'))
          await diagram.waitForElementState('hidden');
        assert.deepEqual(await lowContrast(page), [], path);
        assert.deepEqual(problems, [], path);
        if (pictures === undefined) continue;
        const file = `site-${path}-${name}.png`.replaceAll(/[/, ]+/g, '-');
        await page.screenshot({ path: join(pictures, file), fullPage: true });
      }
      await close();
    });
  }

  for (const [name, viewport] of Object.entries(sizes)) {
    await t.test(`no code is cut off and no page scrolls sideways: ${name}`, async () => {
      const { page, problems, close } = await open('index.html', { viewport });
      const guide = pagesIn('').filter((path) => !/^(api|live)\//.test(path));
      const reference = pagesIn('api');
      assert.ok(guide.length > 35 && reference.length > 300);
      // Of the reference every eighth: its pages have one form.
      for (const path of [...guide, ...reference.filter((_, index) => index % 8 === 0)]) {
        await page.goto(`${server.url}/${path}`);
        const { wide, cut } = await page.evaluate(() => ({
          wide: document.documentElement.scrollWidth,
          cut: [...document.querySelectorAll('pre:not(.diagram), pre code, .chart svg, .heat')]
            .filter(
              (each) =>
                each.scrollWidth > each.clientWidth + 1 ||
                each.getBoundingClientRect().right > document.documentElement.clientWidth,
            )
            .map((each) => each.textContent.slice(0, 60)),
        }));
        assert.deepEqual(cut, [], path);
        assert.equal(wide, viewport.width, `${path} scrolls sideways`);
        assert.deepEqual(problems, [], path);
      }
      await close();
    });
  }

  await t.test('search shows the module of a result', async () => {
    const { page, close } = await open('getting-started.html', views['laptop, light']);
    await page.click('.VPNavBarSearch button');
    await page.fill('.search-input', 'hashFilesIterator');
    const result = await page.waitForSelector('.results a[href*="hashFilesIterator"]');
    assert.match(await result.textContent(), /hashFilesIterator\(\)\s+millrace\/promises/);
    await page.fill('.search-input', 'jwt');
    await page.waitForSelector('.results a[href*="recipes/tokens"]');
    await close();
  });

  await t.test('the live page hashes a file', async () => {
    const { page, problems, close } = await open('try.html', views['laptop, dark']);
    const frame = page.frameLocator('iframe');
    // Its module has filled the list and handles events.
    await frame.locator('#hash-algorithm option').nth(20).waitFor({ state: 'attached' });
    const buffer = Buffer.from('abc');
    await frame.locator('#file').setInputFiles({ name: 'abc.txt', mimeType: '', buffer });
    await frame.locator('#go').click();
    assert.equal(
      await frame.locator('#digest').textContent(),
      createHash('sha256').update('abc').digest('hex'),
    );
    assert.deepEqual(problems, []);
    await close();
  });
});
