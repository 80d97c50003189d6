// The contestants' packages, where install.mjs puts them.

import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const folder = new URL('node_modules/', import.meta.url);

export const require = createRequire(import.meta.url);

/** As its own package.json says; some packages do not export that file. */
export function version(name) {
  needsInstalled(name);
  return JSON.parse(readFileSync(new URL(`${name}/package.json`, folder), 'utf8')).version;
}

/** Throws where a package that falls back to JavaScript has not been compiled: that would be another contestant. */
export function needsAddon(name, file) {
  needsInstalled(name);
  if (!existsSync(new URL(`${name}/${file}`, folder))) throw new Error('its addon could not be compiled here');
}

function needsInstalled(name) {
  if (!existsSync(new URL(`${name}/`, folder))) throw new Error('not installed');
}
