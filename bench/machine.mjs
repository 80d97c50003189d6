// The conditions of figures besides the measured code.

import { createHash } from 'node:crypto';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { machine } from '../cli/bench/report.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Returns the CPU, its cores, the system and Node.js in one line. */
export function machineName() {
  const { cpu, cores, system, node } = machine([]);
  return `${cpu}, ${cores} cores, ${system}, ${node}`;
}

/** Returns the date here, as 2026-11-29. */
export function today() {
  const date = new Date();
  return [date.getFullYear(), date.getMonth() + 1, date.getDate()]
    .map((part) => String(part).padStart(2, '0'))
    .join('-');
}

/** Returns twelve hexadecimal digits that change with any file of the built package. */
export function buildId() {
  const hash = createHash('sha256');
  for (const folder of ['native', 'dist']) {
    const files = readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((file) => /\.(node|js)$/.test(file))
      .sort();
    for (const file of files) hash.update(file).update(readFileSync(join(root, folder, file)));
  }
  return hash.digest('hex').slice(0, 12);
}
