// Figures of README.md and docs: sizes of bundles, numbers of algorithms and constants are those of
// the code; measured ones are beside the command that measures them.

import assert from 'node:assert/strict';
import { readFileSync, readdirSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { test } from 'node:test';
import { runInNewContext } from 'node:vm';
import { gzipSync } from 'node:zlib';
import esbuild from 'esbuild';

import millrace from 'millrace';

import { charts } from '../../tools/charts.mjs';
import { root } from '../../tools/steps.mjs';
import { temporary } from '../support/child.mjs';
import { layOutOverrides } from '../support/noble-overrides.mjs';

const read = (...path) => readFileSync(join(root, ...path), 'utf8');

/** Figures may differ from the truth by this part, so that not every change touches them. */
const TOLERANCE = 0.1;

/**
 * Returns the compressed bytes of a bundle: of what is loaded at once, and of what later.
 */
async function sizesOf(names, entryPoint, resolveDir = root, platform = 'browser') {
  const { outputFiles, metafile } = await esbuild.build({
    stdin: {
      contents: `import { ${names} } from '${entryPoint}'; globalThis.kept = [${names}];`,
      resolveDir,
    },
    bundle: true,
    minify: true,
    splitting: true,
    format: 'esm',
    platform,
    external: ['*.node'],
    write: false,
    outdir: 'out',
    metafile: true,
    logLevel: 'error',
  });
  const files = new Map(Object.entries(metafile.outputs));
  const [first] = [...files].find(([, { entryPoint: entry }]) => entry === '<stdin>');
  const atOnce = new Set();
  const visit = (file) => {
    // Node.js's own modules are no files.
    if (atOnce.has(file) || !files.has(file)) return;
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
  // The other pages have the figures of the table.
  const figures = {
    "{ sha256 } from 'millrace/portable'": /\b(?:one hash|its SHA-256)[^|.]*? ([\d.]+) KB/gi,
    "{ hash } from 'millrace'":
      /`hash` of `millrace` ([\d.]+) KB|^`import { hash.* is ([\d.]+) KB/gm,
  };
  const pages = ['README.md', ...readdirSync(join(root, 'docs')).map((name) => `docs/${name}`)];
  for (const [entry, pattern] of Object.entries(figures)) {
    const [, , , told] = rows.find(([what]) => what.includes(`\`${entry}\``));
    const others = pages
      .filter((name) => name.endsWith('.md'))
      .flatMap((name) => [...read(name).matchAll(pattern)]);
    assert.ok(others.length >= 2, entry);
    for (const [text, ...found] of others) assert.equal(found.join(''), told, text);
  }
});

test('sizes of functions under the overrides in docs/noble-and-ethers.md', async () => {
  const folder = temporary();
  try {
    await layOutOverrides(folder);
    const row = /^\| `(\w+)` of `([\w/]+)` \| ([\d.]+) KB \| ([\d.]+) KB \|$/gm;
    const rows = [...read('docs', 'noble-and-ethers.md').matchAll(row)];
    assert.ok(rows.length >= 12);
    for (const [what, name, path, ours, noble] of rows) {
      const from = `@noble/${path}.js`;
      assertNear((await sizesOf(name, from, folder)).atOnce, Number(ours), what);
      assertNear((await sizesOf(name, from)).atOnce, Number(noble), what);
    }
    const [text, told] =
      /A bundle for Node\.js .* ([\d.]+) KB/.exec(read('docs', 'noble-and-ethers.md')) ?? [];
    const { atOnce, later } = await sizesOf('sha256', '@noble/hashes/sha2.js', folder, 'node');
    assertNear(atOnce + later, Number(told), text);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
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

/**
 * The numbers that pages have from the code, one a line: page, sentence with # for the number, file
 * and name of the constant, unit.
 */
const constants = read('test', 'docs', 'constants.txt')
  .trimEnd()
  .split('\n')
  .map((line) => {
    const [, page, text, ...constant] = /^(\S+) \| (.*) \| (\S+) \| (\S+) \| (\S+)$/.exec(line);
    const literal = text.replaceAll(/[.|()]/g, String.raw`\$&`).replaceAll(' ', String.raw`\s+`);
    return [
      page,
      new RegExp(literal.replace('#', String.raw`([\d.,]*\d|millisecond)`)),
      ...constant,
    ];
  });

/** The values of units, in those of the code: bytes, and nanoseconds. */
const units = { 1: 1, KiB: 1024, MiB: 2 ** 20, GiB: 2 ** 30, us: 1e3, ms: 1e6 };

/** Returns the value of a constant in the source text of TypeScript or Rust. */
function valueOf(text, name) {
  const [, value] = new RegExp(`\\bconst ${name}\\b[^=]*= ([\\d_ .*+()<]+);`).exec(text) ?? [];
  assert.ok(value !== undefined, name);
  return runInNewContext(value);
}

test('numbers in the pages that are constants of the code', () => {
  for (const [page, pattern, file, name, unit] of constants) {
    const found = pattern.exec(read('docs', page));
    assert.ok(found, `${page}: ${pattern}`);
    const said = found[1] === 'millisecond' ? 1 : Number(found[1].replaceAll(',', ''));
    const value = valueOf(read(...file.split('/')), name) / units[unit];
    assert.ok(Math.abs(said - value) < 0.05 * value, `${page}: ${found[0]}: ${name} is ${value}`);
  }
});

/** Measured numbers: times, and amounts for each second. */
const MEASURED = /[\d.]+ (?:ns|us|µs|ms|[KMG]i?B\/s)(?![\w/])|\d \/s\b/;
/** A command that repeats a measurement. */
const COMMAND = /`?(?:npm run (?:bench|test:\w+)|(?:npx )?millrace bench|node (?:--\S+ )*bench\/)/;

test('a section with measured numbers names the command that measures them', () => {
  // That page says so.
  assert.match(read('docs', 'design-notes.md'), /No command repeats them/);
  const pages = readdirSync(join(root, 'docs')).filter(
    (name) => name.endsWith('.md') && name !== 'design-notes.md',
  );
  const without = [];
  for (const page of ['README.md', ...pages]) {
    let text = read(...(page === 'README.md' ? [page] : ['docs', page]));
    for (const [of, pattern] of constants)
      if (of === page) text = text.replace(new RegExp(pattern, 'g'), '');
    const withoutCode = text.replace(/^```(?:js|text)\n[^]*?^```$/gm, '');
    for (const section of withoutCode.split(/^(?=## )/m))
      if (MEASURED.test(section) && !COMMAND.test(section))
        without.push(`${page}: ${section.split('\n', 1)[0]}: ${MEASURED.exec(section)[0]}`);
  }
  assert.deepEqual(without, []);
});

test('figures of README and docs/migrating.md are those of the pages of results', () => {
  const results = read('docs', 'benchmark-results.md');
  const readme = read('README.md').replace(/^```[^]*?^```$/gm, '');
  const figures = [
    ...readme.matchAll(/([\d.,]+) (?:ns|us|ms|\/s\b|messages of 1 MiB per second)/g),
  ];
  assert.ok(figures.length > 12);
  for (const [what, figure] of [...figures, ...readme.matchAll(/WebCrypto seals ([\d,]+)/g)])
    assert.match(
      results,
      new RegExp(`(?<![\\d.,])${figure.replaceAll(',', ',?')}(?![\\d,]|\\.\\d)`),
      `README.md: ${what}`,
    );
  const pages = ['benchmark-results', 'webcrypto', 'noble-and-ethers', 'portable'];
  const cells = [...read('docs', 'migrating.md').matchAll(/\| ([^|]*) \((\d)\) \|$/gm)];
  assert.ok(cells.length > 7);
  for (const [, ratios, number] of cells) {
    const page = read('docs', `${pages[number - 1]}.md`);
    for (const [, ratio] of ratios.matchAll(/(?:^|; |\bto )\**([\d.]+)/g))
      assert.match(page, new RegExp(`(?<![\\d.])${ratio}(?![\\d]|\\.\\d)`), ratio);
  }
});
