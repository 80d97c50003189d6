// What earlier builds and tests found, by a hash of everything that it depends on, in the user's
// cache folder: another clone, or another run, need not compute it again. MILLRACE_CACHE=off, or
// --force, keeps out of it, and MILLRACE_CACHE=FOLDER is another place. A release never reads it.

import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

import { hashOf } from './fingerprint.mjs';
import { root } from './steps.mjs';

/** Bytes that the folder keeps; what was used longest ago goes first. */
const LIMIT = 1 << 30;

let chosen;

/** Returns the folder, or undefined if there is to be none. */
export function cacheFolder() {
  if (process.env.MILLRACE_CACHE === 'off') return undefined;
  chosen ??= [process.env.MILLRACE_CACHE, userFolder(), join(root, 'target', 'cache')]
    .filter((folder) => folder !== undefined && folder !== '')
    .find(isWritable);
  return chosen;
}

function userFolder() {
  const { env, platform } = process;
  if (platform === 'win32' && env.LOCALAPPDATA) return join(env.LOCALAPPDATA, 'millrace', 'Cache');
  if (platform === 'darwin') return join(homedir(), 'Library', 'Caches', 'millrace');
  return join(env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'millrace');
}

function isWritable(folder) {
  try {
    mkdirSync(folder, { recursive: true });
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/** Returns the folder of a result, by its kind and what it depends on, if there is one. */
export function cached(kind, inputs) {
  const folder = cacheFolder();
  if (folder === undefined) return undefined;
  const entry = join(folder, `${kind}-${hashOf(inputs)}`);
  if (!existsSync(entry)) return undefined;
  const now = new Date();
  utimesSync(entry, now, now);
  return entry;
}

/**
 * Keeps a result: `write` is called with an empty folder. Returns the folder where it is kept, or
 * undefined if there is no cache.
 *
 * @param {string} kind
 * @param {readonly unknown[]} inputs
 * @param {(folder: string) => void} write
 */
export function keep(kind, inputs, write) {
  const folder = cacheFolder();
  if (folder === undefined) return undefined;
  const entry = join(folder, `${kind}-${hashOf(inputs)}`);
  const fresh = `${entry}.${process.pid}`;
  try {
    rmSync(fresh, { recursive: true, force: true });
    mkdirSync(fresh, { recursive: true });
    write(fresh);
    // Of two that write the same at once, one is kept.
    if (!existsSync(entry)) renameSync(fresh, entry);
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
  prune(folder);
  return entry;
}

/** Returns what {@link keepVerdict} kept of something that passed with these inputs. */
export function verdict(title, inputs) {
  const entry = cached('passed', inputs);
  const file = entry === undefined ? undefined : join(entry, `${hashOf([title])}.json`);
  if (file === undefined || !existsSync(file)) return undefined;
  return JSON.parse(readFileSync(file, 'utf8'));
}

/** Keeps that something passed with these inputs, and what there is to say of it. */
export function keepVerdict(title, inputs, said) {
  const entry = cached('passed', inputs) ?? keep('passed', inputs, () => {});
  if (entry === undefined) return;
  writeFileSync(join(entry, `${hashOf([title])}.json`), JSON.stringify(said));
}

function prune(folder) {
  const entries = readdirSync(folder)
    .map((name) => join(folder, name))
    .map((path) => ({ path, ...usage(path) }))
    .sort((left, right) => right.used - left.used);
  let sum = 0;
  for (const { path, size } of entries) {
    sum += size;
    if (sum > LIMIT) rmSync(path, { recursive: true, force: true });
  }
}

/** Returns the bytes of a file or folder and when it was used; zeros if another run removes it. */
function usage(path) {
  try {
    const { size, mtimeMs: used } = statSync(path);
    if (!statSync(path).isDirectory()) return { size, used };
    const parts = readdirSync(path).map((name) => usage(join(path, name)).size);
    return { size: parts.reduce((sum, each) => sum + each, size), used };
  } catch {
    return { size: 0, used: 0 };
  }
}
