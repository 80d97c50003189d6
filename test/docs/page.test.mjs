// docs/page in a browser: a file dropped, hashed, sealed and opened again, also by the command;
// progress, cancelling, what is wrong, speeds; light, dark and on a phone. MILLRACE_PICTURES names
// a folder for screenshots.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

import { lowContrast, missingBrowser, startBrowser } from '../../tools/browser.mjs';
import { serve } from '../../tools/serve.mjs';
import { root, temporary } from '../support/child.mjs';
import { beyondEdge, complaintsOf, views } from '../support/pages.mjs';

const missing =
  missingBrowser() ??
  (!existsSync(join(root, 'dist', 'browser')) && 'not run: dist/browser is not built');

const message = Buffer.alloc(8 * 2 ** 20, 'some of a file, ');
const passphrase = 'correct horse battery staple';

test('the page', { skip: missing }, async (t) => {
  const folder = temporary();
  const pictures = process.env.MILLRACE_PICTURES ?? folder;
  mkdirSync(pictures, { recursive: true });
  const server = await serve();
  const browser = await startBrowser();
  t.after(async () => {
    await browser.close();
    await server.close();
    rmSync(folder, { recursive: true, force: true });
  });

  /** Runs a test with the page, and expects no complaints of it. */
  const look = (title, body, view = views.light) =>
    t.test(title, async () => {
      const context = await browser.newContext({ ...view, acceptDownloads: true });
      const page = await context.newPage();
      page.setDefaultTimeout(60_000);
      const complaints = complaintsOf(
        page,
        (url) => url.startsWith(server.url) || /^(data|blob):/.test(url),
      );
      await page.goto(server.url);
      await page.waitForFunction(
        () => document.querySelectorAll('#hash-algorithm option').length > 20,
      );
      await body(page);
      assert.deepEqual(complaints, []);
      await context.close();
    });

  await look('a file dropped is hashed, and progress is seen', async (page) => {
    await drop(page, 'dropped.bin', message.length, 'some of a file, ');
    assert.match(await page.textContent('#file-name'), /^dropped\.bin \(8 MiB\)$/);
    await watchProgress(page);
    await page.click('#go');
    await showsDigest(page, 'sha256');
    const seen = await page.evaluate(() => globalThis.seenProgress);
    assert.ok(seen.length >= 3 && seen.at(-1) === 1, `progress ${seen}`);
    assert.deepEqual(
      seen,
      [...seen].sort((one, two) => one - two),
      'it only grows',
    );
    for (const algorithm of ['sha3-512', 'md5']) {
      await page.selectOption('#hash-algorithm', algorithm);
      await page.click('#go');
      await page.waitForFunction(
        (name) => document.querySelector('#result p')?.textContent.startsWith(name),
        algorithm,
      );
      await showsDigest(page, algorithm);
    }
  });

  await look('sealed in the page and opened by the command, and the reverse', async (page) => {
    const sealed = join(folder, 'letter.txt.sealed');
    await page.setInputFiles('#file', { name: 'letter.txt', mimeType: '', buffer: message });
    await page.check('[name=task][value=seal]', { force: true });
    await page.fill('#passphrase', passphrase);
    await page.selectOption('#cost', '15');
    await watchProgress(page);
    await save(page, sealed);
    const phases = await page.evaluate(() => globalThis.seenPhases);
    assert.deepEqual(phases, ['Deriving the key', 'Sealing']);
    assert.ok(!readFileSync(sealed).includes('some of a file'));

    const words = join(folder, 'words');
    writeFileSync(words, `${passphrase}\n`);
    millrace('open', '--passphrase-file', words, '--output', join(folder, 'by command'), sealed);
    assert.ok(readFileSync(join(folder, 'by command')).equals(message));

    await page.setInputFiles('#file', sealed);
    // A sealed file is to be opened.
    await page.waitForSelector('[name=task][value=open]:checked', { state: 'attached' });
    await save(page, join(folder, 'by page'));
    assert.ok(readFileSync(join(folder, 'by page')).equals(message));

    const theirs = join(folder, 'theirs.sealed');
    writeFileSync(join(folder, 'theirs'), message);
    const options = '--cost 14 --algorithm chacha20-poly1305'.split(' ');
    const files = ['--output', theirs, join(folder, 'theirs')];
    millrace('seal', '--passphrase-file', words, ...options, ...files);
    await page.setInputFiles('#file', theirs);
    await page.waitForFunction(
      () =>
        document.querySelector('#file-name').textContent.startsWith('theirs') &&
        document.querySelector('#result').hidden,
    );
    await save(page, join(folder, 'theirs again'));
    assert.ok(readFileSync(join(folder, 'theirs again')).equals(message));
  });

  await look('damaged files are reported, and nothing of them can be saved', async (page) => {
    const good = readFileSync(join(folder, 'letter.txt.sealed'));
    const changed = (at) => Buffer.from(good).fill(good[at] ^ 1, at, at + 1);
    const cases = [
      ['wrong passphrase', good, `${passphrase}?`, /passphrase is wrong/],
      ['changed salt', changed(25), passphrase, /passphrase is wrong/],
      ['changed in the middle', changed(good.length >> 1), passphrase, /was changed or cut off/],
      [
        'cut off',
        good.subarray(0, -100_000),
        passphrase,
        /was changed or cut off|end of the file is missing/,
      ],
      ['cut off in the header', good.subarray(0, 20), passphrase, /end of the file is missing/],
      ['another version', changed(8), passphrase, /version 0/],
    ];
    for (const [title, buffer, words, expected] of cases) {
      await page.setInputFiles('#file', { name: `${title}.sealed`, mimeType: '', buffer });
      await page.waitForFunction(
        (name) => document.querySelector('#file-name').textContent.startsWith(name),
        title,
      );
      await page.check('[name=task][value=open]', { force: true });
      await page.fill('#passphrase', words);
      await page.click('#go');
      await page.waitForSelector('#result p.bad');
      assert.match(await page.textContent('#result'), expected, title);
      assert.equal(await page.locator('#download').count(), 0, title);
    }
  });

  await look('a cancelled job stops and leaves nothing', async (page) => {
    await page.setInputFiles('#file', { name: 'letter.txt', mimeType: '', buffer: message });
    await page.check('[name=task][value=seal]', { force: true });
    await page.fill('#passphrase', passphrase);
    await page.click('#go');
    await page.click('#cancel');
    await page.waitForSelector('#result p');
    assert.equal(await page.textContent('#result'), 'Cancelled.');
    assert.equal(await page.isEnabled('#go'), true);
    // And the next one works.
    await page.check('[name=task][value=hash]', { force: true });
    await page.click('#go');
    await showsDigest(page, 'sha256');
  });

  await look('speeds are drawn and listed', async (page) => {
    await page.click('#measure');
    await page.waitForSelector('#chart svg');
    const seen = await page.evaluate(() => ({
      series: [...document.querySelectorAll('#chart polyline')].map((line) => ({
        name: line.dataset.name,
        points: line.getAttribute('points').split(' ').length,
      })),
      legend: [...document.querySelectorAll('.legend li')].map((entry) => entry.textContent),
      rows: [...document.querySelectorAll('#figures tr')].map((row) => row.children.length),
      best: document.querySelectorAll('#figures td.best').length,
    }));
    assert.deepEqual(
      seen.series,
      ['JavaScript', 'Millrace', 'WebCrypto'].map((name) => ({ name, points: 6 })),
    );
    assert.deepEqual(seen.legend, ['JavaScript', 'Millrace', 'WebCrypto']);
    assert.deepEqual(
      seen.rows,
      Array.from({ length: 7 }, () => 4),
    );
    // Two may be as fast as one another: the clock of a page ticks in steps.
    assert.ok(seen.best >= 6, `${seen.best} best`);
  });

  for (const [name, view] of Object.entries(views))
    await look(
      `looks: ${name}`,
      async (page) => {
        const long = 'a file with a rather long name, as they come from cameras and scanners';
        const name = `${long} 2026-11-21.jpeg`;
        await page.setInputFiles('#file', { name, mimeType: '', buffer: message });
        await page.click('#go');
        await page.waitForSelector('#digest');
        if (name === 'light' || name === 'phone-dark') {
          await page.click('#measure');
          await page.waitForSelector('#chart svg');
        }
        await page.screenshot({ path: join(pictures, `page-${name}.png`), fullPage: true });
        const edge = { width: view.viewport.width, beyond: [] };
        assert.deepEqual(await beyondEdge(page), edge, 'nothing is beyond the edge');
        assert.deepEqual(await lowContrast(page), []);
      },
      view,
    );
});

async function showsDigest(page, algorithm) {
  const digest = createHash(algorithm).update(message).digest('hex');
  assert.equal(await page.textContent('#digest'), digest);
}

/** Drops a file that is made in the page. */
async function drop(page, name, size, text) {
  const transfer = await page.evaluateHandle(
    ({ title, length, piece }) => {
      const given = new DataTransfer();
      given.items.add(new File([piece.repeat(length / piece.length)], title));
      return given;
    },
    { title: name, length: size, piece: text },
  );
  await page.dispatchEvent('#drop', 'dragenter', { dataTransfer: transfer });
  await page.dispatchEvent('#drop', 'drop', { dataTransfer: transfer });
  await page.waitForSelector('#go:enabled');
}

/** Keeps every value the bar has had, and every title. */
function watchProgress(page) {
  return page.evaluate(() => {
    const [bar, status] = [document.getElementById('progress'), document.getElementById('status')];
    globalThis.seenProgress = [];
    globalThis.seenPhases = [];
    const { set } = Object.getOwnPropertyDescriptor(HTMLProgressElement.prototype, 'value');
    Object.defineProperty(bar, 'value', {
      configurable: true,
      set(value) {
        globalThis.seenProgress.push(value);
        set.call(bar, value);
      },
    });
    new MutationObserver(() => {
      const phase = /^(.+): \d+ %$/.exec(status.textContent)?.[1];
      if (phase !== undefined && globalThis.seenPhases.at(-1) !== phase)
        globalThis.seenPhases.push(phase);
    }).observe(status, { childList: true, characterData: true, subtree: true });
  });
}

/** Starts what is chosen and saves what comes of it. */
async function save(page, path) {
  await page.click('#go');
  await page.waitForFunction(
    () => document.querySelector('#cancel').hidden && document.querySelector('#download') !== null,
  );
  const [download] = await Promise.all([page.waitForEvent('download'), page.click('#download')]);
  await download.saveAs(path);
}

function millrace(...args) {
  return execFileSync(process.execPath, [join(root, 'cli', 'main.js'), ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}
