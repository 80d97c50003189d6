// Writes generated files as the formatters of the project leave them.

import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { root } from './steps.mjs';

/** Writes a file, by its path in the project, and formats it with rustfmt or Prettier. */
export function writeFormatted(path, text) {
  const file = join(root, path);
  writeFileSync(file, text);
  if (path.endsWith('.rs')) execFileSync('rustfmt', ['--edition', '2024', file]);
  else execFileSync(process.execPath, [prettier, '--log-level', 'warn', '--write', file]);
}

export const prettier = join(root, 'node_modules', 'prettier', 'bin', 'prettier.cjs');
