// Builds one commit twice, in folders of different names and lengths, and compares the bytes.
//
//   node tools/reproducible.mjs [linux-x64-gnu] [--shipped]
//
// It builds HEAD, not the working tree. --shipped takes the profile of releases.

import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

import { buildRow } from './platforms/build.mjs';
import { rows } from './platforms/rows.mjs';
import { Stop, root } from './steps.mjs';

try {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { shipped: { type: 'boolean', default: false } },
  });
  const name = positionals[0] ?? 'linux-x64-gnu';
  const row = rows.find((each) => each.name === name && each.builder !== undefined);
  if (row === undefined) throw new Stop(`millrace: no platform ${name} is built`);
  await compare(row, values.shipped);
} catch (error) {
  if (!(error instanceof Stop) && !String(error?.code).startsWith('ERR_PARSE_ARGS')) throw error;
  console.error(error.message);
  process.exitCode = 1;
}

async function compare(row, shipped) {
  const place = join(root, 'target', 'reproducible');
  rmSync(place, { recursive: true, force: true });
  const libraries = [];
  for (const folder of ['a', join('another-folder-of-the-same-commit', 'b')]) {
    const source = join(place, folder);
    mkdirSync(source, { recursive: true });
    const archive = execFileSync('git', ['archive', 'HEAD'], { cwd: root, maxBuffer: 2 ** 30 });
    execFileSync('tar', ['-x', '-C', source], { input: archive });
    const library = readFileSync(await buildRow(row, { shipped, source, remap: true }));
    libraries.push(library);
    console.log(`${createHash('sha256').update(library).digest('hex')}  ${folder}`);
  }
  const [first, second] = libraries;
  const named = first.includes(place) || second.includes(place);
  if (named) throw new Stop('millrace: the library has the path of its build folder in it');
  if (first.equals(second)) return;
  const at = first.findIndex((byte, i) => byte !== second[i]);
  throw new Stop(`millrace: ${row.name} differs from byte ${at} on`);
}
