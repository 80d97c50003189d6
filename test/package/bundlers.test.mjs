// The package goes through the bundlers without configuration, and what they make runs: in Node.js,
// and in Chromium where there is one. The bundlers have a manifest of their own in test/bundlers:
// `npm run test:bundlers` installs them.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';

import { missingBrowser, startBrowser } from '../../tools/browser.mjs';
import { installed } from '../../tools/install.mjs';
import { serve } from '../../tools/serve.mjs';
import { root, temporary } from '../support/child.mjs';

const folder = join(root, 'test', 'bundlers');
const missing =
  !installed(folder) && 'not run: the bundlers are not installed (npm run test:bundlers)';

/** A one-hash page may be so many bytes, compressed. */
const ONE_HASH = 10 * 1024;

// A project that has the package in its node_modules, as a copy: the way of a link would lead out
// of node_modules.
const project = temporary();
const bundles = join(project, 'bundles');
before(() => {
  mkdirSync(join(project, 'node_modules'));
  symlinkSync(root, join(project, 'node_modules', 'millrace'), 'junction');
  for (const page of ['page', 'one-hash'])
    writeFileSync(join(project, `${page}.mjs`), readFileSync(join(folder, `${page}.mjs`)));
  writeFileSync(join(project, 'package.json'), '{ "private": true, "type": "module" }\n');
});
after(() => rmSync(project, { recursive: true, force: true }));

/** Returns what the page must answer, from node:crypto if possible. */
function expected() {
  const source = Buffer.alloc(100_000).map((_, index) => index);
  const sha256 = createHash('sha256').update(source).digest('hex');
  const sameHash = [
    'hash',
    'default',
    'hasher',
    'portable',
    'opened',
    'file',
    'callback',
    'streamed',
  ];
  return {
    ...Object.fromEntries(sameHash.map((name) => [name, sha256])),
    small: '78af5f94892f3950',
    bigint: true,
    refused: 'ERR_ENGINE_UNAVAILABLE',
    engine: true,
  };
}

function check(output, browser) {
  const line = output.split('\n').find((each) => each.startsWith('ANSWERS '));
  assert.ok(line, output);
  const found = JSON.parse(line.slice('ANSWERS '.length));
  assert.equal(found.error, undefined);
  for (const [name, value] of Object.entries(expected()))
    assert.deepEqual(found[name], value, name);
  assert.deepEqual(found.kinds, ['Uint8Array', browser ? 'undefined' : 'function']);
  // Workers of a text, in a page without any header.
  if (browser) assert.ok(found.threads > 0, 'no worker was started');
  return found;
}

const answersOf = [];
const names = ['esbuild', 'vite', 'webpack', 'rollup'];

for (const name of names) {
  test(`${name}: a page with every entry point`, { skip: missing }, async (t) => {
    const out = join(bundles, name);
    const first = await bundle(name, 'page', out);
    report(t, `${name}: every entry point`, out, first);
    const { stdout } = await inNode(out, first);
    answersOf.push(check(stdout, false));
    await t.test('in Chromium', { skip: missingBrowser() }, async () => {
      answersOf.push(check(await inChromium(out, first, name !== 'webpack'), true));
    });
  });

  test(`${name}: one hash of millrace/portable is small`, { skip: missing }, async (t) => {
    const out = join(bundles, `${name}-one`);
    const first = await bundle(name, 'one-hash', out);
    const { stdout } = await inNode(out, first);
    assert.equal(stdout, 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad\n');
    const size = report(t, `${name}: one hash`, out, first);
    assert.ok(size < ONE_HASH, `${size} bytes compressed`);
  });
}

test('all bundles answer alike', { skip: missing }, () => {
  assert.ok(answersOf.length >= names.length);
  const comparable = answersOf.map(({ kinds: _, threads: __, ...rest }) => rest);
  for (const each of comparable) assert.deepEqual(each, comparable[0]);
});

test('the declarations for browsers need no types of Node.js', async () => {
  const types = join(project, 'types');
  mkdirSync(types);
  writeFileSync(
    join(types, 'page.ts'),
    `
    import millrace, { createHash, hash, hashFile, type EngineName, type Hash } from 'millrace';
    import { toBufferBE } from 'millrace/bigint-buffer';
    import { hashAsBuffer } from 'millrace/bigint-hash';
    import { sha256 } from 'millrace/portable';
    import * as promises from 'millrace/promises';
    const digest: Uint8Array<ArrayBuffer> = hash('sha256', 'abc');
    const hasher: Hash = createHash('sha256', { engine: 'portable' });
    const file: Promise<Uint8Array<ArrayBuffer>> = promises.hashFile('sha256', new File([], 'x'));
    const transform = promises.sealTransformStream({ algorithm: 'aes-256-gcm', key: digest });
    const sealed: ReadableStream<Uint8Array<ArrayBuffer>> =
      new Blob([]).stream().pipeThrough(transform);
    const engine: EngineName = 'portable';
    const parts: Uint8Array[] = [toBufferBE(1n, 8), hashAsBuffer('md5', digest)];
    parts.push(sha256('abc'), millrace.hash('md5', ''));
    // @ts-expect-error: files have no paths here
    hashFile('sha256', '/a/path');
    // @ts-expect-error: there are no streams of Node.js
    new Blob([]).stream().pipe(hasher);
    export { digest, hasher, file, sealed, engine, parts };
  `,
  );
  const options = {
    target: 'ES2022',
    lib: ['ES2022', 'DOM'],
    module: 'esnext',
    moduleResolution: 'bundler',
    customConditions: ['browser'],
    types: [],
    strict: true,
    exactOptionalPropertyTypes: true,
    noEmit: true,
  };
  writeFileSync(
    join(types, 'tsconfig.json'),
    JSON.stringify({ compilerOptions: options, files: ['page.ts'] }),
  );
  await promisify(execFile)(process.execPath, [
    join(root, 'node_modules', 'typescript', 'bin', 'tsc'),
    '-p',
    types,
  ]).catch(({ stdout }) => assert.fail(stdout));
});

async function bundle(name, page, out) {
  // Where the bundlers are installed, not here.
  const { bundlers } = await import('../bundlers/bundle.mjs');
  return bundlers[name](join(project, `${page}.mjs`), out, project);
}

/**
 * Tells the size of the first script and of those that are loaded later, if at all; gives that of
 * the first, compressed.
 */
function report(t, what, out, first) {
  const sizesOf = (files) => {
    const texts = files.map((file) => readFileSync(join(out, file)));
    const sum = (buffers) => buffers.reduce((total, { length }) => total + length / 1024, 0);
    return [sum(texts), sum(texts.map((text) => gzipSync(text, { level: 9 })))];
  };
  const others = readdirSync(out, { recursive: true }).filter(
    (file) => /\.m?js$/.test(file) && file !== first,
  );
  const [size, compressed] = sizesOf([first]);
  const told = ([plain, packed]) => `${plain.toFixed(1)} KB (${packed.toFixed(1)} compressed)`;
  const later = others.length > 0 ? `, and for workers ${told(sizesOf(others))}` : '';
  t.diagnostic(`${what}: ${told([size, compressed])}${later}`);
  return compressed * 1024;
}

/** Returns what a bundle prints in Node.js. */
function inNode(out, first) {
  return promisify(execFile)(process.execPath, [
    '--no-warnings',
    '--import',
    pathToFileURL(join(folder, 'document.mjs')).href,
    join(out, first),
  ]);
}

/** Returns what a page with only this script prints; no header is set but the type. */
async function inChromium(out, first, isModule) {
  const script = `<script ${isModule ? 'type="module"' : 'defer'} src="/${first}"></script>`;
  writeFileSync(join(out, 'index.html'), `<!doctype html>${script}`);
  const server = await serve({ folder: out });
  const browser = await startBrowser();
  try {
    const page = await browser.newPage();
    const failed = new Promise((_, reject) => page.on('pageerror', reject));
    const said = page.waitForEvent('console', {
      predicate: (message) => message.text().startsWith('ANSWERS '),
      timeout: 300_000,
    });
    await page.goto(`${server.url}/`);
    return (await Promise.race([said, failed])).text();
  } finally {
    await browser.close();
    await server.close();
  }
}
