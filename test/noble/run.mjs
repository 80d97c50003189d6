// Runs the test files of a checkout of noble-hashes, noble-ciphers, noble-curves or
// noble-post-quantum against Millrace's modules, beside noble's own run, each in a separate
// process.
//
//   npm run test:noble -- DIRECTORY [--browser] [--verbose] [--served] [--limit MINUTES]
//     [TEST-FILE...]
//
// With --browser the modules are those for browsers, by the modules of millrace/portable.
// Without names it runs all files but those that noble names slow. It fails if a test fails against
// Millrace that passes with noble, if only Millrace's run reaches the time limit, or if no test of
// a file passes with noble: its test/vectors/acvp-vectors is a submodule.

import { spawn } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';

import { overrideOf } from '../../tools/override-packages.mjs';
import { fetchPackage } from '../support/registry.mjs';
import { root } from '../support/child.mjs';

const { values, positionals } = parseArgs({
  options: {
    browser: { type: 'boolean' },
    verbose: { type: 'boolean' },
    served: { type: 'boolean' },
    limit: { type: 'string', default: '20' },
  },
  allowPositionals: true,
});
const [given, ...names] = positionals;
if (given === undefined) throw new Error('usage: npm run test:noble -- DIRECTORY [TEST-FILE...]');
const directory = resolve(given);
const manifest = JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8'));
const [, name] = /^@noble\/(hashes|ciphers|curves|post-quantum)$/.exec(manifest.name) ?? [];
if (name === undefined)
  throw new Error(`${directory} is not a checkout of noble: ${manifest.name}`);
const major = Number(manifest.version[0]);

/** Fetches what the tests import besides noble, in the versions of its package.json. */
function fetchPackages() {
  const { 'fast-check': check, '@scure/base': base } = manifest.devDependencies;
  const found = { 'fast-check': fetchPackage('fast-check', check) };
  if (base !== undefined) found['@scure/base'] = fetchPackage('@scure/base', base);
  found['pure-rand'] = fetchPackage('pure-rand', check.startsWith('4') ? '7.0.1' : '5.0.5');
  return Object.fromEntries(
    Object.entries(found).map(([each, folder]) => [each, pathToFileURL(entryOf(folder)).href]),
  );
}

function entryOf(folder) {
  const { exports: table, ...older } = JSON.parse(
    readFileSync(join(folder, 'package.json'), 'utf8'),
  );
  let entry = table?.['.'] ?? table;
  while (entry !== undefined && typeof entry !== 'string')
    entry = entry.import ?? entry.module ?? entry.default ?? entry.require;
  return join(folder, entry ?? older.module ?? older.main);
}

const packages = fetchPackages();
const dist = join(root, 'dist', values.browser ? 'browser' : '');
const folder = join(dist, `noble-${name}`, major === 1 ? 'v1' : '');
/** Of curves and post-quantum: what makes modules, and the exports that it replaces. */
const override = overrideOf(`noble-${name}-v${major}`);
const modules = Object.fromEntries(
  (override === undefined ? readdirSync(folder) : [])
    .filter((each) => each.endsWith('.mjs') && each !== '_original.mjs')
    .map((each) => [each.slice(0, -4), pathToFileURL(join(folder, each)).href]),
);
const sources = readdirSync(join(directory, 'src'))
  .filter((each) => each.endsWith('.ts') && !/^(index|crypto)/.test(each))
  .map((each) => each.slice(0, -3));

/** Runs a file; returns its tests passed, those failed, and why it ended early. */
function run(file, ours) {
  const module = override === undefined ? `noble-${name}` : 'overrides';
  const entry = join(dist, values.browser ? '' : 'compat', `${module}.mjs`);
  const urls = { directory: pathToFileURL(directory).href, entry: pathToFileURL(entry).href };
  const settings = { ...urls, ...override, major, modules, name, ours, packages, sources };
  const preload = new URL('./preload.mjs', import.meta.url).href;
  const args = ['--no-warnings', '--import', preload, join(directory, 'test', file)];
  const child = spawn(process.execPath, args, {
    cwd: directory,
    env: { ...process.env, MILLRACE_NOBLE_SUITE: JSON.stringify(settings) },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [output, errors, late] = ['', '', false];
  child.stdout.on('data', (chunk) => (output += chunk));
  child.stderr.on('data', (chunk) => (errors = (errors + chunk).slice(-3000)));
  const timer = setTimeout(() => (late = child.kill('SIGKILL')), Number(values.limit) * 60_000);
  return new Promise((done) => {
    child.on('close', (code) => {
      clearTimeout(timer);
      const result = { passed: 0, failed: new Map(), served: {}, ended: '' };
      // One line for each test, so that those before a crash count.
      for (const [, text] of output.matchAll(/^#test (.*)$/gm)) {
        const { title, message } = JSON.parse(text);
        if (message === undefined) result.passed++;
        else result.failed.set(unused(title, result.failed), message);
      }
      const served = /^#served (.*)$/m.exec(output);
      if (served === null) result.ended = late ? 'time limit' : `ended with ${code}: ${errors}`;
      else result.served = JSON.parse(served[1]);
      done(result);
    });
  });
}

/** Titles of failed tests may be equal. */
function unused(title, failed) {
  let name = title;
  for (let number = 2; failed.has(name); number++) name = `${title} (${number})`;
  return name;
}

const files =
  names.length > 0
    ? names
    : readdirSync(join(directory, 'test'))
        .filter((each) => /\.test\.[jt]s$/.test(each) && !each.startsWith('slow-'))
        .sort();
const titles = ['file', 'noble passed', 'failed', 'Millrace passed', 'failed', 'failed only there'];
const totals = [0, 0, 0, 0, 0];
const served = {};
const row = (cells) => console.log(`| ${cells.join(' | ')} |`);
console.log(`${manifest.name} ${manifest.version}\n`);
row(titles);
row(titles.map(() => '---'));
const notes = [];
for (const file of files) {
  const [noble, ours] = await Promise.all([run(file, false), run(file, true)]);
  const fresh = [...ours.failed].filter(([title]) => !noble.failed.has(title));
  const counts = [noble.passed, noble.failed.size, ours.passed, ours.failed.size, fresh.length];
  row([file, ...counts]);
  for (const [index, count] of counts.entries()) totals[index] += count;
  for (const [title, count] of Object.entries(ours.served))
    served[title] = (served[title] ?? 0) + count;
  for (const [title, message] of fresh)
    notes.push(`${file}: ${title}\n${values.verbose ? message : message.split('\n')[0]}`);
  for (const title of noble.failed.keys())
    if (ours.failed.has(title))
      notes.push(
        `${file}: ${title} fails with noble too: ${noble.failed.get(title).slice(0, 120)}`,
      );
  if (noble.ended !== '') notes.push(`${file}: noble's run: ${noble.ended}`);
  if (ours.ended !== '') notes.push(`${file}: Millrace's run: ${ours.ended}`);
  if (noble.passed === 0) notes.push(`${file}: nothing was compared`);
  if (noble.passed === 0 || fresh.length > 0 || (ours.ended !== '' && noble.ended === ''))
    process.exitCode = 1;
}
row(['all', ...totals]);
if (notes.length > 0) console.log(`\n${notes.join('\n\n')}`);
if (values.served) console.log('\nserved by noble itself:', served);
