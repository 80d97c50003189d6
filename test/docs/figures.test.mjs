// Figures of README.md and docs that the code determines: sizes of bundles, numbers of algorithms.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import esbuild from 'esbuild';

import millrace from 'millrace';

import { charts } from '../../tools/charts.mjs';
import { root } from '../../tools/steps.mjs';

const read = (...path) => readFileSync(join(root, ...path), 'utf8');

/** Figures may differ from the truth by this part, so that not every change touches them. */
const TOLERANCE = 0.1;

/** Bytes, compressed, of a bundle for browsers: what is loaded at once, and what later. */
async function sizesOf(names, entryPoint) {
  const { outputFiles, metafile } = await esbuild.build({
    stdin: {
      contents: `import { ${names} } from '${entryPoint}'; globalThis.kept = [${names}];`,
      resolveDir: root,
    },
    bundle: true,
    minify: true,
    splitting: true,
    format: 'esm',
    platform: 'browser',
    write: false,
    outdir: 'out',
    metafile: true,
    logLevel: 'error',
  });
  const files = new Map(Object.entries(metafile.outputs));
  const [first] = [...files].find(([, { entryPoint: entry }]) => entry === '<stdin>');
  const atOnce = new Set();
  const visit = (file) => {
    if (atOnce.has(file)) return;
    atOnce.add(file);
    for (const { kind, path } of files.get(file).imports)
      if (kind === 'import-statement') visit(path);
  };
  visit(first);
  const size = (wanted) =>
    [...files.keys()]
      .filter((file) => atOnce.has(file) === wanted)
      .map((file) => outputFiles.find(({ path }) => basename(path) === basename(file)).contents)
      .reduce((sum, contents) => sum + gzipSync(contents, { level: 9 }).length, 0);
  return { atOnce: size(true), later: size(false) };
}

function assertNear(bytes, told, what) {
  const difference = Math.abs(bytes - told * 1000);
  assert.ok(difference <= told * 1000 * TOLERANCE, `${what}: ${told} KB told, ${bytes} bytes`);
}

test('sizes of bundles in docs/browsers.md, README.md and docs/portable.md', async () => {
  const row = /^\| `\{ ([\w, ]+) \} from '([\w/-]+)'` \| ([\d.]+) KB \| (?:([\d.]+) KB )?\|$/gm;
  const rows = [...read('docs', 'browsers.md').matchAll(row)];
  assert.ok(rows.length >= 9);
  for (const [what, names, entryPoint, atOnce, later] of rows) {
    const sizes = await sizesOf(names, entryPoint);
    assertNear(sizes.atOnce, Number(atOnce), what);
    assertNear(sizes.later, Number(later ?? 0), what);
  }
  const [, , , sha256] = rows.find(([, names]) => names === 'sha256');
  assert.ok(read('README.md').includes(`one hash in ${sha256} KB`));
  assert.ok(read('docs', 'portable.md').includes(`One hash takes ${sha256} KB`));
});

test('numbers of algorithms, and their names in docs/algorithms.md', () => {
  const hashes = millrace.getHashes();
  for (const file of ['README.md', 'CHANGELOG.md'])
    assert.match(read(file), new RegExp(`\\b${hashes.length} hashes and checksums`));
  const [table] = read('docs', 'algorithms.md').split('Names are case-insensitive');
  const listed = (pattern) =>
    [...table.matchAll(pattern)].flatMap(([, cell]) =>
      [...cell.matchAll(/`([^`]+)`/g)].map(([, name]) => name),
    );
  assert.deepEqual(
    listed(/^\| (?:hashes|hashes of tuples|MACs|checksums) \|[^|]*\|([^|]*)\|$/gm).sort(),
    hashes,
  );
  assert.deepEqual(
    listed(/^\| (?:AEAD|stream ciphers) \|[^|]*\|([^|]*)\|$/gm).sort(),
    millrace.getCiphers(),
  );
});

test('charts show the figures of the tables of docs/benchmark-results.md', () => {
  for (const [name, svg] of Object.entries(charts()))
    assert.equal(read('docs', name), svg, `docs/${name}: run node tools/charts.mjs`);
});
