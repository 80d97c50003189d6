// `npm ci --ignore-scripts`, and only when node_modules is not what package-lock.json says.

import { existsSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';

import { root, step } from './steps.mjs';

/** Installs the development dependencies of the repository. No script of theirs runs. */
export async function install() {
  // Without a registry npm gives up after 11 seconds then, not after 70.
  const args = ['ci', '--ignore-scripts', '--fetch-retry-mintimeout=1000'];
  if (!installed(root)) await step('install npm packages', ...npm(args));
}

/**
 * Returns true when every required package of `folder`'s lockfile is installed in the locked
 * version. npm keeps its own account of what it installed in node_modules/.package-lock.json, so no
 * stamp of ours is needed and a plain `npm ci` counts too.
 */
export function installed(folder) {
  const account = join(folder, 'node_modules', '.package-lock.json');
  if (!existsSync(account)) return false;
  const wanted = readPackages(join(folder, 'package-lock.json'));
  const present = readPackages(account);
  return Object.entries(wanted).every(
    ([path, { version, optional }]) =>
      path === '' || optional === true || present[path]?.version === version,
  );
}

/**
 * Returns the command line of npm, as arguments for step().
 *
 * @returns {[string, string[], { shell?: boolean }]}
 */
export function npm(args) {
  // Under `npm run` this is npm's own script: no shell and no npm.cmd needed on Windows.
  const script = process.env.npm_execpath;
  if (script !== undefined && basename(script).startsWith('npm-cli'))
    return [process.execPath, [script, ...args], {}];
  return ['npm', args, { shell: process.platform === 'win32' }];
}

function readPackages(file) {
  return JSON.parse(readFileSync(file, 'utf8')).packages ?? {};
}
