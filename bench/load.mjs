// The cost of loading: the entry points of millrace beside other packages, and programs beside an
// empty one: a hash under millrace/register, and `millrace sum` of a small file.
//
//   npm run bench -- load [--rounds 25] [--compile-cache] [--json]
//
// Each measurement is a separate process. The competitors take turns, in another order each
// round, so that a busy machine is busy for all. Printed are the median of the wall time, and the
// least CPU time, which others' work touches least. --compile-cache lets Node.js 22 or later keep
// compiled code in a folder, which the first round fills.

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
  options: {
    rounds: { type: 'string', default: '25' },
    'compile-cache': { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
  },
});
const rounds = Number(values.rounds);
if (!Number.isInteger(rounds) || rounds < 1) throw new Error('--rounds must be a number from 1 on');

const folder = mkdtempSync(join(tmpdir(), 'millrace-load-'));
const file = (name, text) => {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
};
const { NODE_COMPILE_CACHE: _, ...bare } = process.env;
const env = values['compile-cache'] ? { ...bare, NODE_COMPILE_CACHE: join(folder, 'cache') } : bare;

const dist = (name) => join(root, 'dist', name);
const requiring = (path) => `require(${JSON.stringify(path)})`;

/** Loading: what a program of one line takes within the process, from before it to after it. */
const packages = [
  ['millrace', requiring(dist('index.js'))],
  ['millrace/promises', requiring(dist('promises.js'))],
  ['millrace/portable', requiring(dist('portable/entry.js'))],
  ['millrace/node-crypto', requiring(dist('compat/node-crypto.js'))],
  ['millrace/register', requiring(dist('compat/register.js'))],
  ['millrace (import)', `await import(${JSON.stringify(pathToFileURL(dist('index.mjs')).href)})`],
  ...['sodium-native', 'hash-wasm', '@node-rs/argon2', '@noble/hashes/sha2.js'].flatMap((name) => {
    try {
      return [[name, requiring(require.resolve(name))]];
    } catch {
      console.error(`  ${name} is not installed, and is left out`);
      return [];
    }
  }),
  ['node:crypto', "require('node:crypto')"],
].map(([name, program], index) => ({ name, measure: () => loading(program, index) }));

const hashing = file(
  'hash.js',
  "require('node:crypto').createHash('sha256').update('abc').digest('hex');\n",
);

/** Programs: how long a process takes as a whole. */
const programs = [
  ['an empty program', [file('empty.js', '')]],
  ['a hash by node:crypto', [hashing]],
  ['the same under register', ['--require', dist('compat/register.js'), hashing]],
  ['millrace sum of 3 bytes', [join(root, 'cli', 'main.js'), 'sum', file('small', 'abc')]],
  ['millrace --version', [join(root, 'cli', 'main.js'), '--version']],
].map(([name, args]) => ({ name, measure: () => running(args) }));

try {
  const competitors = [...packages, ...programs].map((each) => ({ ...each, runs: [] }));
  for (let round = -1; round < rounds; round++) {
    for (let index = 0; index < competitors.length; index++) {
      const competitor = competitors[(index + Math.max(round, 0) * 5) % competitors.length];
      const run = competitor.measure();
      // The first round fills the caches.
      if (round >= 0) competitor.runs.push(run);
    }
  }
  report(competitors.slice(0, packages.length), competitors.slice(packages.length));
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** Measures a program from a file, as Node.js keeps no compiled code of `node -e`. */
function loading(program, index) {
  const path = file(
    `load-${index}.${program.startsWith('await') ? 'mjs' : 'cjs'}`,
    `const begin = performance.now(), used = process.cpuUsage(); ${program}; ` +
      'const wall = performance.now() - begin, { user, system } = process.cpuUsage(used); ' +
      'console.log(JSON.stringify({ wall, cpu: (user + system) / 1000 }));\n',
  );
  return JSON.parse(output([path]));
}

function running(args) {
  const begin = performance.now();
  // The program's CPU time and peak memory, printed as it ends.
  const ending = file(
    'ending.cjs',
    "process.on('exit', () => { const { userCPUTime, systemCPUTime, maxRSS } = " +
      "process.resourceUsage(); require('node:fs').writeSync(2, JSON.stringify({ cpu: " +
      '(userCPUTime + systemCPUTime) / 1000, memory: maxRSS / 1024 })); });\n',
  );
  const { stderr, status } = spawn(['--require', ending, ...args]);
  const wall = performance.now() - begin;
  if (status !== 0) throw new Error(`${args.join(' ')}: ${stderr}`);
  return { wall, ...JSON.parse(stderr) };
}

function output(args) {
  const { stdout, stderr, status } = spawn(args);
  if (status !== 0) throw new Error(`${args.join(' ')}: ${stderr}`);
  return stdout;
}

function spawn(args) {
  return spawnSync(process.execPath, args, { encoding: 'utf8', env });
}

function report(loads, starts) {
  const median = (numbers) =>
    [...numbers].sort((left, right) => left - right)[Math.floor(numbers.length / 2)];
  const row = ({ name, runs }) => ({
    name,
    wall: median(runs.map(({ wall }) => wall)),
    cpu: Math.min(...runs.map(({ cpu }) => cpu)),
    memory: median(runs.map(({ memory = 0 }) => memory)),
  });
  const [loaded, ran] = [loads.map(row), starts.map(row)];
  if (values.json) {
    console.log(JSON.stringify({ node: process.version, rounds, loads: loaded, starts: ran }));
    return;
  }
  console.log(
    `Node ${process.version}, ${rounds} processes each: median of the wall time, least CPU ` +
      'time, ms; ' +
      `median of the peak memory, MiB${values['compile-cache'] ? '; with a compile cache' : ''}\n`,
  );
  const line = (name, ...cells) =>
    console.log(`${name.padEnd(28)}${cells.map((cell) => cell.padStart(9)).join('')}`);
  line('loading', 'wall', 'CPU');
  for (const { name, wall, cpu } of loaded) line(name, wall.toFixed(1), cpu.toFixed(1));
  const [empty] = ran;
  console.log();
  line('program, over the first', 'wall', 'CPU', 'memory');
  for (const each of ran) {
    const over = (key) => (each === empty ? each[key] : each[key] - empty[key]).toFixed(1);
    line(each.name, over('wall'), over('cpu'), over('memory'));
  }
}
