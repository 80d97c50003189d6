// The portable engine beside other libraries in WebAssembly and JavaScript:
//
//   npm run bench -- portable [--browser | --firefox] [--match EXPRESSION] [--rounds 31] [--time 1]
//       [--warm-up 60] [--json FILE]
//
// `--match` selects groups by name. With `--browser` they are measured in headless Chromium, with
// `--firefox` in headless Firefox. Each group, an algorithm with one kind of result, has a process
// or a separate page. In Node.js synchronous rows are processor time. `--warm-up` has milliseconds;
// a page beside many other programs needs hundreds until its code is optimized.

import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';

import {
  chromium,
  firefox,
  missingBrowser,
  prepareBrowser,
  startBrowser,
} from '../tools/browser.mjs';
import { serve } from '../tools/serve.mjs';
import { buildId, machineName } from './machine.mjs';
import { groups } from './portable/groups.mjs';
import { markdown } from './portable/report.mjs';

const run = promisify(execFile);
const root = fileURLToPath(new URL('..', import.meta.url));
/** Lines during which other processes used more cores than this are counted. */
const DISTURBED_CORES = 0.15;

const { values } = parseArgs({
  options: {
    browser: { type: 'boolean', default: false },
    firefox: { type: 'boolean', default: false },
    match: { type: 'string', default: '' },
    rounds: { type: 'string', default: '31' },
    time: { type: 'string', default: '1' },
    'warm-up': { type: 'string', default: '60' },
    json: { type: 'string' },
  },
});
const match = new RegExp(values.match);
const settings = {
  rounds: Number(values.rounds),
  time: Number(values.time),
  warmUp: Number(values['warm-up']),
};

const kind = values.firefox ? firefox : values.browser ? chromium : undefined;
const place = kind === undefined ? inNode() : await inBrowser(kind);
const results = [];
for (const [index, { name }] of groups.entries()) {
  if (!match.test(name)) continue;
  console.error(name);
  const measured = await place.measure(index);
  results.push({ name, ...measured });
}
await place.close();
const disturbed = results.filter(({ foreign }) => foreign > DISTURBED_CORES).length;
const about =
  `${machineName()}${place.name}; build ${buildId()}` +
  (disturbed > 0 ? `; other processes ran during ${disturbed} of ${results.length} lines` : '');
if (values.json !== undefined)
  writeFileSync(values.json, `${JSON.stringify({ about, groups: results }, null, 1)}\n`);
console.log(markdown(results, about));

function inNode() {
  const file = fileURLToPath(new URL('portable/process.mjs', import.meta.url));
  return {
    name: '',
    async measure(index) {
      const { stdout } = await run(process.execPath, [
        file,
        String(index),
        ...Object.values(settings).map(String),
      ]);
      return JSON.parse(stdout);
    },
    close: async () => {},
  };
}

/** Bundles the groups with the other libraries, and serves them to a page. */
async function inBrowser(kind) {
  await prepareBrowser(kind);
  const missing = missingBrowser(kind);
  if (missing !== undefined) throw new Error(missing);
  const folder = join(root, 'target', 'bench', 'portable');
  const { build } = await import('esbuild');
  await build({
    entryPoints: [join(root, 'bench', 'portable', 'page.mjs')],
    bundle: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    outfile: join(folder, 'page.mjs'),
    logLevel: 'error',
  });
  mkdirSync(folder, { recursive: true });
  writeFileSync(
    join(folder, 'index.html'),
    '<!doctype html><link rel="icon" href="data:," /><script type="module" src="page.mjs"></script>',
  );
  // The clock of an isolated page is finer.
  const server = await serve({
    folder,
    headers: () => ({
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-embedder-policy': 'require-corp',
    }),
  });
  const browser = await startBrowser(kind);
  return {
    name: `, ${kind.name} ${browser.version()}`,
    async measure(index) {
      const page = await browser.newPage();
      await page.goto(`${server.url}/index.html`);
      await page.waitForFunction('globalThis.measureGroup !== undefined');
      const rows = await page.evaluate(
        ([group, given]) => globalThis.measureGroup(group, given),
        /** @type {[number, any]} */ ([index, settings]),
      );
      await page.close();
      return { rows };
    },
    async close() {
      await browser.close();
      await server.close();
    },
  };
}
