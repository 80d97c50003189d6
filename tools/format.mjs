// Texts of generated files, which are written as the formatters of the project leave them.

import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { root } from './steps.mjs';

/** Returns a name that begins with a capital letter. */
export const capitalized = (name) => name.replace(/^./, (letter) => letter.toUpperCase());

/** Writes a file, by its path in the project, and formats it with rustfmt or Prettier. */
export function writeFormatted(path, text) {
  const file = join(root, path);
  writeFileSync(file, text);
  if (path.endsWith('.rs')) execFileSync('rustfmt', ['--edition', '2024', file]);
  else execFileSync(process.execPath, [prettier, '--log-level', 'warn', '--write', file]);
}

export const prettier = join(root, 'node_modules', 'prettier', 'bin', 'prettier.cjs');

/** Returns the paths of files that do not have these texts, as Prettier formats them. */
export function staleOf(texts) {
  return [...texts]
    .filter(([path, input]) => {
      const file = join(root, path);
      const options = { input, encoding: /** @type {const} */ ('utf8'), cwd: dirname(file) };
      const args = [prettier, '--stdin-filepath', file];
      return (
        !existsSync(file) ||
        readFileSync(file, 'utf8') !== execFileSync(process.execPath, args, options)
      );
    })
    .map(([path]) => path);
}
