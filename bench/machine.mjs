// The conditions of figures besides the measured code.

import { createHash } from 'node:crypto';
import { readFileSync, readdirSync } from 'node:fs';
import { arch, cpus, release, type } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Returns the CPU, its cores, the system and Node.js in one line. */
export function machineName() {
  const [{ model = 'unknown CPU' } = {}] = cpus();
  const version = /^\d+\.\d+/.exec(release())?.[0] ?? release();
  const system = `${type()} ${version} ${arch()}`;
  return `${model.trim()}, ${cpus().length} cores, ${system}, ${process.version}`;
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
