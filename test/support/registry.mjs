// The original packages: their own tests run against our entry points. Only their tests run.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';

import { root } from './child.mjs';

const cache = join(root, 'node_modules', '.cache', 'millrace-upstream');

/** Returns the folder of a package in the cache, which may not exist. */
export function cachedPackage(name, version) {
  return join(cache, `${name.replace(/\W+/g, '-').replace(/^-/, '')}-${version}`);
}

/**
 * Fetches a package and returns the folder of it unpacked, from the cache or the npm registry;
 * throws where it cannot be had.
 */
export function fetchPackage(name, version) {
  const place = cachedPackage(name, version);
  if (!existsSync(join(place, 'package.json'))) {
    const partial = `${place}.${process.pid}`;
    mkdirSync(partial, { recursive: true });
    // npm is a script of Node; started through a shell only on Windows, where it is a .cmd.
    const windows = process.platform === 'win32';
    const options = { cwd: partial, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] };
    const wanted = ['pack', `${name}@${version}`, '--ignore-scripts', '--silent'];
    const packing = { ...options, timeout: 300_000, shell: windows };
    const output = execFileSync(windows ? 'npm.cmd' : 'npm', wanted, packing);
    const archive = output.trim().split('\n').at(-1);
    execFileSync('tar', ['-xzf', archive, '--strip-components=1'], options);
    try {
      renameSync(partial, place);
    } catch (error) {
      rmSync(partial, { recursive: true, force: true });
      if (!existsSync(place)) throw error;
    }
  }
  assert.equal(JSON.parse(readFileSync(join(place, 'package.json'), 'utf8')).version, version);
  return place;
}
