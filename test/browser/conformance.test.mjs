// The package in browsers: the conformance suite in a page, in a worker, and in a page with a
// policy that allows neither WebAssembly nor workers from a text; then large messages while the
// page is painted. Figures are printed; only results are asserted. `npm run test:browser`
// (MILLRACE_BROWSER=all) runs every case everywhere; the short form runs every case in Chromium's
// page and some in the others.

import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

import { chromium, firefox, missingBrowser, startBrowser } from '../../tools/browser.mjs';
import { columnOf, documented, keep } from '../../tools/engines-table.mjs';
import { serve } from '../../tools/serve.mjs';
import { failuresOf } from '../conformance/suite.mjs';
import { aeadNames, cipherNames, hashNames, hmacNames } from '../support/algorithms.mjs';
import { root } from '../support/child.mjs';

const notBuilt = !existsSync(join(root, 'dist', 'browser')) && 'not run: dist/browser is not built';

/** No inline scripts, no eval, no WebAssembly, no workers but from files. */
const strict = "default-src 'self'; img-src data:";

const all = process.env.MILLRACE_BROWSER === 'all';

/** A page that never answers fails its test instead of the whole run. */
const timeout = (all ? 60 : 15) * 60_000;

/** The part of the suite that the short form runs. */
const some = all
  ? {}
  : { families: ['seals', 'keys', 'derivations', 'asymmetric', 'pieces', 'absences'] };

/**
 * A page's policy that forbids workers leaves a long derivation on the page's own thread, where
 * it cannot be stopped.
 */
const unstoppable = [['aborted derivations', 'aborted while it runs']];

const missing = (browser) => missingBrowser(browser) ?? notBuilt;

test('in Chromium', { skip: missing(chromium) }, (t) => testIn(chromium, t, {}));
test('in Firefox', { skip: missing(firefox) }, (t) => testIn(firefox, t, some));

/** Tests in a browser; `inPage` is what runs in its page. */
async function testIn(kind, t, inPage) {
  let strictly = false;
  const server = await serve({
    headers: (path) =>
      path.endsWith('.html') && strictly ? { 'content-security-policy': strict } : {},
  });
  const browser = await startBrowser(kind);
  t.after(async () => {
    await browser.close();
    await server.close();
  });
  t.diagnostic(`${kind.name} ${browser.version()}`);

  const open = async (use, { policy = false, expected = /^$/ }) => {
    strictly = policy;
    const page = await browser.newPage();
    page.setDefaultTimeout(180_000);
    const complaints = [];
    const complain = (text) => !expected.test(text) && complaints.push(text);
    page.on(
      'console',
      (message) => ['error', 'warning'].includes(message.type()) && complain(message.text()),
    );
    page.on('pageerror', ({ message }) => complain(message));
    page.on('request', (request) => {
      const url = request.url();
      if (!url.startsWith(server.url) && !/^(data|blob):/.test(url))
        complaints.push(`asks for ${url}`);
    });
    await page.goto(`${server.url}/test/browser/index.html`);
    await page.waitForFunction('globalThis.conform !== undefined');
    await use(page);
    assert.deepEqual(complaints, []);
    await page.close();
  };
  const inNewPage = (title, use, options = {}) =>
    t.test(title, { timeout, ...options }, () => open(use, options));

  const verify = ({ cases, summary }, column, everything = true) => {
    assert.deepEqual(failuresOf(cases), []);
    if (!everything) {
      assert.ok(cases.length > 150, `${cases.length} cases`);
      return;
    }
    assert.ok(cases.length > 1800, `${cases.length} cases`);
    const namesOf = { hashes: hashNames, hmacs: hmacNames, ciphers: cipherNames, seals: aeadNames };
    for (const family of ['hashers', 'states', 'many', 'pieces']) namesOf[family] = hashNames;
    for (const [family, names] of Object.entries(namesOf))
      assert.deepEqual(
        names.filter((each) => !(summary[family][each]?.passed > 0)),
        [],
        family,
      );
    if (column === undefined) return;
    keep(column, { version: browser.version(), summary });
    assert.deepEqual(
      columnOf(summary),
      documented(column),
      'docs/engines.md has another column (node tools/engines-table.mjs writes it)',
    );
  };

  await inNewPage('in the page', async (page) => {
    assert.equal(
      await page.evaluate('typeof Buffer + typeof process + crossOriginIsolated'),
      'undefinedundefinedfalse',
    );
    const result = await page.evaluate((given) => globalThis.conform(given), inPage);
    verify(result, kind.name, inPage.families === undefined);
  });

  await inNewPage('in a worker', async (page) => {
    const result = await page.evaluate((given) => globalThis.conformInWorker(given), some);
    verify(result, undefined, all);
  });

  // The browser itself reports what its policy refused.
  const expected =
    /Content[- ]Security[- ]Policy|CSP reports|unsafe-eval|Refused to (create a worker|compile)|worker-src/;
  const underPolicy = async (page) => {
    assert.equal(
      await page.evaluate(async () => {
        const empty = new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0]);
        const compiled = WebAssembly.compile(empty);
        return compiled.then(() => 'allowed').catch(() => 'refused');
      }),
      'refused',
    );
    assert.deepEqual(
      await page.evaluate(() => {
        const { millrace, useJavaScript } = globalThis.entryPoints;
        const outcome = () => {
          try {
            return millrace.hash('sha256', 'abc', 'hex').slice(0, 8);
          } catch ({ code, message }) {
            return [code, message.includes("'wasm-unsafe-eval'")];
          }
        };
        const before = outcome();
        useJavaScript();
        return [before, outcome(), millrace.engines().portable.runs];
      }),
      [['ERR_ENGINE_UNAVAILABLE', true], 'ba7816bf', 'javascript'],
    );
    const { cases, summary } = await page.evaluate((given) => globalThis.conform(given), {
      without: unstoppable,
      ...some,
    });
    // JavaScript has no asymmetric keys.
    const isOfKeys = ({ family }) => family === 'asymmetric';
    const ofKeys = cases.filter(isOfKeys);
    assert.deepEqual(failuresOf(ofKeys.filter(({ unavailable }) => !unavailable)), []);
    assert.ok(ofKeys.filter(({ unavailable }) => unavailable).length > 60);
    verify(
      { cases: cases.filter((each) => !isOfKeys(each)), summary },
      kind === chromium ? 'Chromium, strict policy' : undefined,
      all,
    );
  };
  await inNewPage('under a strict policy', underPolicy, { policy: true, expected });

  const skip = !all && 'npm run test:browser';
  const besideWebCrypto = async (page) => {
    const given = { size: 64 * 2 ** 20, rounds: 7 };
    const found = await page.evaluate((each) => globalThis.measureBeside(each), given);
    for (const { what, ratio, ours, theirs, frame, longTasks, right } of found) {
      assert.equal(right, true, what);
      t.diagnostic(
        `${what} of 64 MiB: ${ours.toFixed(0)} ms, WebCrypto ${theirs.toFixed(0)} ms, ` +
          `ratio ${ratio.toFixed(2)}; longest frame ${frame.toFixed(0)} ms, ${longTasks} ` +
          'tasks over 50 ms',
      );
    }
  };
  await inNewPage('beside WebCrypto, at 64 MiB', besideWebCrypto, { skip });

  await inNewPage('the page is painted while workers compute', async (page) => {
    const given = { size: (all ? 64 : 16) * 2 ** 20 };
    const found = await page.evaluate((each) => globalThis.measureFrames(each), given);
    for (const { what, ms, frame, frames, longTasks, right } of found) {
      assert.equal(right, true, what);
      if (ms > 500) assert.ok(frames > 3, `${what}: ${frames} frames in ${ms} ms`);
      t.diagnostic(
        `${what}: ${ms.toFixed(0)} ms; longest frame ${frame.toFixed(0)} ms of ` +
          `${frames}, ${longTasks} tasks over 50 ms`,
      );
    }
  });
}
