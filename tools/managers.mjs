// The package managers that the packed package is installed with, and each TypeScript that reads
// its types but the installed one, from their own packages. They go to target/managers, once; where
// one cannot be had, that is said and it is not run.

import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { npm } from './install.mjs';
import { findRuntime, prepareRuntimes, runtimes } from './runtimes.mjs';
import { Stop, root, skipped, step } from './steps.mjs';

const folder = join(root, 'target', 'managers');

/** Name, package, and what Node runs of it. Bun is one of the runtimes. */
const packages = [
  { name: 'pnpm', package: 'pnpm@12', script: 'bin/pnpm.mjs' },
  { name: 'yarn 1', package: 'yarn@1', script: 'bin/yarn.js' },
  { name: 'yarn 4', package: '@yarnpkg/cli-dist@4', script: 'bin/yarn.js' },
];
const typeScripts = '5.0 5.1 5.2 5.3 5.4 5.5 5.6 5.7 5.8 5.9 6.0'.split(' ').map((version) => ({
  name: `TypeScript ${version}`,
  package: `typescript@${version}`,
  script: 'bin/tsc',
}));

/**
 * Returns, from the oldest on, the name of each TypeScript and the compiler's command, or
 * `missing`, why there is none.
 */
export const findTypeScripts = () => typeScripts.map((each) => ({ ...each, ...find(each) }));

/**
 * Returns the command of each manager with its first arguments, or `missing`, why there is none.
 */
export function findManagers() {
  const [command, args] = npm([]);
  const bun = findRuntime(runtimes.find(({ name }) => name === 'Bun'));
  return {
    npm: { command, args },
    ...Object.fromEntries(packages.map((each) => [each.name, find(each)])),
    bun: bun.missing === undefined ? { command: bun.command, args: [] } : { missing: bun.missing },
  };
}

function find({ name, package: wanted, script }) {
  const file = join(placeOf(name), 'node_modules', nameOf(wanted), script);
  if (existsSync(file)) return { command: process.execPath, args: [file] };
  const account = join(placeOf(name), 'missing.json');
  return {
    missing: existsSync(account)
      ? JSON.parse(readFileSync(account, 'utf8')).missing
      : `${name} is not in target/managers (npm run test:package fetches it)`,
  };
}

/** A day; then what could not be had is asked for again. */
const AGAIN = 24 * 3600 * 1000;

/** Fetches those that are not there, of TypeScript the oldest or `all`. */
export async function prepareManagers({ all = false } = {}) {
  await prepareRuntimes();
  await prepareScripts();
  for (const each of all ? typeScripts : typeScripts.slice(0, 1)) await fetchManager(each);
}

/** Fetches those that run in Node.js. */
export async function prepareScripts() {
  for (const each of packages) await fetchManager(each);
}

async function fetchManager(manager) {
  const { name, package: wanted } = manager;
  if (find(manager).missing === undefined) return;
  const place = placeOf(name);
  const account = join(place, 'missing.json');
  if (existsSync(account) && Date.now() - JSON.parse(readFileSync(account, 'utf8')).at < AGAIN)
    return;
  mkdirSync(place, { recursive: true });
  // A separate folder, so that npm does not look at the manifest of this package.
  writeFileSync(join(place, 'package.json'), '{ "private": true }\n');
  const [command, args, options] = npm([
    'install',
    '--no-save',
    '--no-audit',
    '--no-fund',
    '--ignore-scripts',
    '--fetch-retries=1',
    '--prefix',
    place,
    wanted,
  ]);
  try {
    await step(`fetch ${name}`, command, args, { ...options, cwd: place });
  } catch (error) {
    if (!(error instanceof Stop)) throw error;
    skipped(name, `${wanted} cannot be had here`);
    const missing = `the package ${wanted} is not available here`;
    writeFileSync(account, `${JSON.stringify({ missing, at: Date.now() })}\n`);
  }
}

function nameOf(wanted) {
  return wanted.replace(/@[^@]+$/, '');
}

function placeOf(name) {
  return join(folder, name.replace(' ', '-'));
}
