// Decides whether a build is up to date: by what its sources contain.

import { createHash } from 'node:crypto';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join, relative } from 'node:path';

import { root } from './steps.mjs';

/** Returns true if the stamp is that of the sources and all outputs exist. */
export function upToDate(stamp, sources, outputs) {
  return (
    existsSync(stamp) &&
    readFileSync(stamp, 'utf8') === sources &&
    outputs.every((file) => existsSync(file))
  );
}

/**
 * Returns a hash over names and contents of files, not over times, so that a new checkout or a
 * touched file needs no build.
 */
export function fingerprint(paths, extra) {
  const hash = createHash('sha256');
  for (const path of paths) {
    for (const file of listFiles(join(root, path))) {
      const content = readFileSync(file);
      hash.update(`${relative(root, file)}\0${content.length}\0`).update(content);
    }
  }
  return hash.update(JSON.stringify(extra)).digest('hex');
}

/** What builds and tests write, and what is installed, as .gitignore has it. */
const written = new RegExp(
  '^(target|dist|native|npm|coverage|\\.git|src/portable/modules)$|' +
    '(^|/)(node_modules|\\.site|\\.temp|site-.*)$',
);

/** Returns a hash over all files of the repository but what is built from them. */
export const treeFingerprint = () => fingerprint(treeFiles(), []);

/** Returns the paths of all files of the repository but what is built from them. */
export function treeFiles(folder = '') {
  return readdirSync(join(root, folder), { withFileTypes: true })
    .filter(({ name }) => !name.startsWith('.stamp-'))
    .flatMap((entry) => {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (written.test(path)) return [];
      return entry.isDirectory() ? treeFiles(path) : [path];
    })
    .sort();
}

/** Returns a hash of values. */
export function hashOf(values) {
  return createHash('sha256').update(JSON.stringify(values)).digest('hex').slice(0, 32);
}

function listFiles(path) {
  if (!existsSync(path)) return [];
  let entries;
  try {
    entries = readdirSync(path, { withFileTypes: true });
  } catch (error) {
    if (error.code === 'ENOTDIR') return [path];
    throw error;
  }
  return entries
    .sort((left, right) => (left.name < right.name ? -1 : 1))
    .flatMap((entry) =>
      entry.isDirectory() ? listFiles(join(path, entry.name)) : [join(path, entry.name)],
    );
}
