// Runs the test suite of a checkout of noble-hashes or noble-ciphers against Millrace's modules,
// beside noble's own run.
//
//   npm run test:noble -- DIRECTORY [--verbose] [--served] [TEST-FILE]
//
// It fails if a file has more failures against Millrace than noble has itself.

import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';

import { fetchPackage } from '../support/registry.mjs';
import { root } from '../support/child.mjs';

const { values, positionals } = parseArgs({
  options: { verbose: { type: 'boolean' }, served: { type: 'boolean' } },
  allowPositionals: true,
});
const [given, file] = positionals;
if (given === undefined) throw new Error('usage: npm run test:noble -- DIRECTORY [TEST-FILE]');
const directory = resolve(given);
const manifest = JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8'));
const [, name] = /^@noble\/(hashes|ciphers)$/.exec(manifest.name) ?? [];
if (name === undefined) throw new Error(`${directory} is no checkout of noble: ${manifest.name}`);
const line = Number(manifest.version[0]);

/** What the tests import besides noble, in the versions of its package.json. */
function packages() {
  const { 'fast-check': check, '@scure/base': base } = manifest.devDependencies;
  const found = { 'fast-check': fetchPackage('fast-check', check) };
  if (base !== undefined) found['@scure/base'] = fetchPackage('@scure/base', base);
  found['pure-rand'] = fetchPackage('pure-rand', check.startsWith('4') ? '7.0.1' : '5.0.5');
  return Object.fromEntries(
    Object.entries(found).map(([each, folder]) => [each, pathToFileURL(entryOf(folder)).href]),
  );
}

function entryOf(folder) {
  const {
    exports: table,
    module,
    main,
  } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  let entry = table?.['.'] ?? table;
  while (entry !== undefined && typeof entry !== 'string')
    entry = entry.import ?? entry.module ?? entry.default ?? entry.require;
  return join(folder, entry ?? module ?? main);
}

const folder = join(root, 'dist', `noble-${name}`, line === 1 ? 'v1' : '');
const modules = Object.fromEntries(
  readdirSync(folder)
    .filter((each) => each.endsWith('.mjs'))
    .map((each) => [each.slice(0, -4), pathToFileURL(join(folder, each)).href]),
);
const sources = readdirSync(join(directory, 'src'))
  .filter((each) => each.endsWith('.ts') && !/^(index|crypto)/.test(each))
  .map((each) => each.slice(0, -3));

/** Runs the suite in a process of its own. */
function run(ours) {
  const settings = {
    directory: pathToFileURL(directory).href,
    entry: pathToFileURL(join(root, 'dist', 'compat', `noble-${name}.mjs`)).href,
    line,
    modules,
    name,
    ours,
    packages: packages(),
    sources,
  };
  const index = ['ts', 'js'].map((end) => join(directory, 'test', file ?? `index.${end}`));
  const program = index.find((each) => existsSync(each));
  const { stdout, stderr, status } = spawnSync(
    process.execPath,
    ['--no-warnings', '--import', new URL('./preload.mjs', import.meta.url).href, program],
    {
      cwd: directory,
      encoding: 'utf8',
      maxBuffer: 2 ** 28,
      env: { ...process.env, MILLRACE_NOBLE_SUITE: JSON.stringify(settings) },
    },
  );
  const result = /^#result (.*)$/m.exec(stdout);
  if (result === null) throw new Error(`the suite ended with ${status}:\n${stderr.slice(-3000)}`);
  return JSON.parse(result[1]);
}

const [noble, ours] = [run(false), run(true)];
const none = { passed: 0, failed: [] };
const rows = [];
let worse = 0;
for (const each of [...new Set([...Object.keys(noble.files), ...Object.keys(ours.files)])].sort()) {
  const [theirs, mine] = [noble.files[each] ?? none, ours.files[each] ?? none];
  rows.push([each, theirs.passed, theirs.failed.length, mine.passed, mine.failed.length]);
  const known = new Set(theirs.failed.map(({ title }) => title));
  const fresh = mine.failed.filter(({ title }) => !known.has(title));
  worse += Math.max(0, mine.failed.length - theirs.failed.length);
  for (const { title, message } of fresh)
    console.log(`${each}: ${title}\n${values.verbose ? message : message.split('\n')[0]}\n`);
}
const sum = (column) => rows.reduce((total, row) => total + row[column], 0);
rows.push(['all', ...[1, 2, 3, 4].map(sum)]);
const titles = ['file', 'noble passed', 'failed', 'Millrace passed', 'failed'];
console.log(`${manifest.name} ${manifest.version}\n`);
for (const row of [titles, titles.map(() => '---'), ...rows]) console.log(`| ${row.join(' | ')} |`);
if (values.served) console.log('\nserved by noble itself:', ours.served);
if (worse > 0) process.exitCode = 1;
