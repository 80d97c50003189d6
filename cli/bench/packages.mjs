// The competitors' packages: in the repository those that tools/competitors.mjs puts into bench/,
// elsewhere those that can be resolved from the current folder or from beside this package.

import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const places = [
  new URL('../../bench/', import.meta.url),
  pathToFileURL(join(process.cwd(), '/')),
  new URL('../../', import.meta.url),
].map((place) => createRequire(place));

/** The reason for a missing package; the report compares with it. */
export const notInstalled = 'not installed';

/** Requires a package, or a file in it, from the first place that has it. */
export function requirePackage(id) {
  return placeOf(id).require(id);
}

/** Imports an ES module from the first place that has it. */
export function load(id) {
  return import(pathToFileURL(resolve(id)).href);
}

/** Reads the version from package.json, which some packages do not export. */
export function version(name) {
  return JSON.parse(readFileSync(join(placeOf(name).folder, 'package.json'), 'utf8')).version;
}

/**
 * Throws where a package that falls back to JavaScript has not been compiled: that would be another
 * competitor.
 */
export function needsAddon(name, file) {
  if (!existsSync(join(placeOf(name).folder, file)))
    throw new Error('its addon could not be compiled here');
}

/** Returns the path of a module in the first place that has its package. */
export function resolve(id) {
  return placeOf(id).require.resolve(id);
}

function placeOf(id) {
  const name = id
    .split('/')
    .slice(0, id.startsWith('@') ? 2 : 1)
    .join('/');
  for (const place of places) {
    const folder = place.resolve
      .paths(name)
      .map((path) => join(path, name))
      .find((path) => existsSync(path));
    if (folder !== undefined) return { require: place, folder };
  }
  throw new Error(notInstalled);
}
