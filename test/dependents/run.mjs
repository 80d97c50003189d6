// Installs packages that use noble or node:crypto, and runs a small program of each as it is and
// with Millrace: with the overrides of docs/noble-and-ethers.md and docs/overrides.md, or with
// millrace/register. It needs the npm registry.
//
//   npm run test:dependents -- [NAME...] [--newest] [--suites DIRECTORY] [--node PATH]
//
// With --newest the packages have the newest versions, of the major version that NAME ends with.
// With --suites it runs instead the packages' own tests, from the checkouts in that folder. Prints
// a table, and fails if a test fails or has another result only with Millrace.

import { execFile } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';

import { npm } from '../../tools/install.mjs';
import { pack, serve } from '../package/packed.mjs';
import { temporary } from '../support/child.mjs';
import { shownOverrides } from '../support/overrides.mjs';
import { runOwnSuites } from './own-suites.mjs';
import { checksOf, noble, nodeCrypto } from './programs.mjs';

/** The packages of each program, with the versions that are installed. */
const versions = createRequire(import.meta.url)('./packages.json');

const exec = promisify(execFile);
const LIMIT_MS = 120_000;
const { values, positionals: names } = parseArgs({
  allowPositionals: true,
  options: {
    newest: { type: 'boolean', default: false },
    suites: { type: 'string' },
    node: { type: 'string', default: process.execPath },
  },
});
const isChosen = ([name]) => names.length === 0 || names.some((each) => name.startsWith(each));
const overrides = shownOverrides('noble-and-ethers', 'overrides');

const row = (cells) => console.log(`| ${cells.join(' | ')} |`);

const folder = temporary();
let registry;
try {
  if (values.suites === undefined)
    console.log('skipped: own tests of packages: --suites DIRECTORY names their checkouts\n');
  const notes =
    values.suites === undefined
      ? await runPrograms()
      : await runOwnSuites({ directory: values.suites, isChosen, node: values.node, folder, row });
  if (notes.length > 0) console.log(`\n${notes.join('\n')}`);
} finally {
  await registry?.close();
  rmSync(folder, { recursive: true, force: true });
}

/** Runs the programs; resolves to notes about failures. */
async function runPrograms() {
  const packages = await pack(folder);
  registry = await serve(packages);
  const { file } = packages.find(({ manifest: { name } }) => name === 'millrace');
  row(['package', 'passed', 'failed', 'failed only with Millrace']);
  row(['---', '---', '---', '---']);
  const notes = [];
  for (const [programs, changed, flags] of [
    [noble, overrides, []],
    [nodeCrypto, {}, ['--import', 'millrace/register']],
  ])
    for (const [name, program] of Object.entries(programs).filter(isChosen)) {
      const place = name.replaceAll(/\W+/g, '-');
      const install = (kind, replaced) =>
        project(`${place}-${kind}`, packagesOf(name), replaced, file);
      const plain = await install('plain', {});
      const ours = flags.length > 0 ? plain : await install('ours', changed);
      const [expected, found] = [await run(plain, name, []), await run(ours, name, flags)];
      let [passed, failed, worse] = [0, 0, 0];
      for (const title of Object.keys(checksOf(program))) {
        const [without, with_] = [expected, found].map((each) => each[title] ?? each.ended);
        if (with_.error === undefined && with_.value === without.value) passed++;
        else failed++;
        if (without.error !== undefined)
          notes.push(`${name}: ${title}: also without: ${without.error}`);
        else if (with_.value !== without.value) {
          worse++;
          notes.push(`${name}: ${title}: ${with_.error ?? `another result: ${with_.value}`}`);
          process.exitCode = 1;
        }
      }
      row([installedAs(name, plain), passed, failed, worse]);
      for (const each of [plain, ours]) rmSync(each, { recursive: true, force: true });
    }
  return notes;
}

/** Returns the packages of a program with the versions to install. */
function packagesOf(name) {
  if (!values.newest) return versions[name];
  const wanted = /\d$/.test(name) ? '$1' : 'latest';
  return Object.fromEntries(
    Object.entries(versions[name]).map(([each, version]) => [
      each,
      version.replace(/(\d+)\.[\d.]+$/, wanted),
    ]),
  );
}

/** Returns the name of a program with the versions that are installed. */
function installedAs(name, place) {
  const found = Object.keys(versions[name]).map((each) => {
    const file = join(place, 'node_modules', each, 'package.json');
    return JSON.parse(readFileSync(file, 'utf8')).version;
  });
  return `${name.replace(/ \d$/, '')} ${found.join(', ')}`;
}

/** Installs packages with overrides, and Millrace beside them. */
async function project(name, packages, changed, millrace) {
  const place = join(folder, name);
  mkdirSync(place);
  const dependencies = { ...packages, millrace: `file:${millrace}` };
  const manifest = { name: 'dependent', version: '1.0.0', private: true, dependencies };
  writeFileSync(join(place, 'package.json'), JSON.stringify({ ...manifest, overrides: changed }));
  writeFileSync(join(place, '.npmrc'), `@millrace:registry=${registry.url}\n`);
  copyFileSync(
    fileURLToPath(new URL('./programs.mjs', import.meta.url)),
    join(place, 'programs.mjs'),
  );
  const [command, args, options] = npm(['install', '--ignore-scripts', '--no-audit', '--no-fund']);
  await exec(command, args, { ...options, cwd: place });
  return place;
}

/** Runs the checks of a program; resolves to their outcomes, or to why it ended early. */
async function run(cwd, name, flags) {
  const { stdout, stderr } = await exec(process.execPath, [...flags, 'programs.mjs', name], {
    cwd,
    maxBuffer: 2 ** 26,
    timeout: LIMIT_MS,
  }).catch((error) => error);
  const outcomes = /^#outcomes (.*)$/m.exec(stdout)?.[1];
  return outcomes === undefined
    ? { ended: { error: `ended early: ${stderr.slice(-500)}` } }
    : JSON.parse(outcomes);
}
