// What loading costs: `require('millrace')` beside other packages, and `millrace sum` of a small
// file beside `node -e 0`.
//
//   npm run bench -- load [--rounds 25] [--json]
//
// Each measurement is a process of its own. The contestants take turns, in another order each
// round, so that a busy machine is busy for all; what is printed is the median, and the CPU time,
// which others' work touches least.

import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';

const root = fileURLToPath(new URL('..', import.meta.url));
const require = createRequire(import.meta.url);
const { values } = parseArgs({
  options: { rounds: { type: 'string', default: '25' }, json: { type: 'boolean', default: false } },
});
const rounds = Number(values.rounds);
if (!Number.isInteger(rounds) || rounds < 1) throw new Error('--rounds must be a number from 1 on');

const folder = mkdtempSync(join(tmpdir(), 'millrace-load-'));
const small = join(folder, 'small');
writeFileSync(small, 'abc');

/** Loading: what a program of one line takes within the process, from before it to after it. */
const packages = [
  ['millrace', `require(${JSON.stringify(join(root, 'dist', 'index.js'))})`],
  ['millrace/promises', `require(${JSON.stringify(join(root, 'dist', 'promises.js'))})`],
  [
    'millrace (import)',
    `await import(${JSON.stringify(pathToFileURL(join(root, 'dist', 'index.mjs')).href)})`,
  ],
  ...['sodium-native', 'hash-wasm', '@node-rs/argon2', '@noble/hashes/sha2.js'].flatMap((name) => {
    try {
      return [[name, `require(${JSON.stringify(require.resolve(name))})`]];
    } catch {
      console.error(`  ${name} is not installed, and is left out`);
      return [];
    }
  }),
  ['node:crypto', "require('node:crypto')"],
].map(([name, program]) => ({ name, measure: () => loading(program) }));

/** Starting: how long a process takes as a whole. */
const starts = [
  ['node -e 0', ['-e', '0']],
  ['millrace sum of 3 bytes', [join(root, 'cli', 'main.js'), 'sum', small]],
  ['millrace --version', [join(root, 'cli', 'main.js'), '--version']],
].map(([name, args]) => ({ name, measure: () => starting(args) }));

try {
  const contestants = [...packages, ...starts].map((each) => ({ ...each, times: [] }));
  for (let round = -1; round < rounds; round++) {
    for (let index = 0; index < contestants.length; index++) {
      const contestant = contestants[(index + Math.max(round, 0) * 5) % contestants.length];
      const times = contestant.measure();
      // The first round fills the page cache.
      if (round >= 0) contestant.times.push(times);
    }
  }
  report();
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function loading(program) {
  const source =
    `const begin = performance.now(), used = process.cpuUsage(); ${program}; const wall = ` +
    `performance.now() - begin, { user, system } = process.cpuUsage(used); ` +
    `console.log(JSON.stringify([wall, (user + system) / 1000]));`;
  const module = program.startsWith('await');
  const { stdout, stderr, status } = spawnSync(
    process.execPath,
    [...(module ? ['--input-type=module'] : []), '-e', source],
    { encoding: 'utf8' },
  );
  if (status !== 0) throw new Error(`${program}: ${stderr}`);
  return JSON.parse(stdout);
}

function starting(args) {
  const begin = performance.now();
  const { status, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  const wall = performance.now() - begin;
  if (status !== 0) throw new Error(`${args.join(' ')}: ${stderr}`);
  return [wall];
}

function report() {
  const median = (numbers) =>
    [...numbers].sort((left, right) => left - right)[Math.floor(numbers.length / 2)];
  const rows = (list) =>
    list.map(({ name, times }) => ({
      name,
      wall: median(times.map(([wall]) => wall)),
      cpu: median(times.map(([, cpu]) => cpu ?? 0)),
    }));
  const [loads, began] = [rows(packages), rows(starts)];
  if (values.json) {
    console.log(JSON.stringify({ node: process.version, rounds, loads, starts: began }));
    return;
  }
  console.log(`Node ${process.version}, medians of ${rounds} processes each, ms\n`);
  console.log(`${'loading'.padEnd(28)}${'wall'.padStart(8)}${'CPU'.padStart(8)}`);
  for (const { name, wall, cpu } of loads)
    console.log(`${name.padEnd(28)}${wall.toFixed(1).padStart(8)}${cpu.toFixed(1).padStart(8)}`);
  console.log(`\n${'starting'.padEnd(28)}${'wall'.padStart(8)}${'over node -e 0'.padStart(16)}`);
  const [{ wall: bare }] = began;
  for (const { name, wall } of began)
    console.log(
      `${name.padEnd(28)}${wall.toFixed(1).padStart(8)}${(wall - bare).toFixed(1).padStart(16)}`,
    );
}
