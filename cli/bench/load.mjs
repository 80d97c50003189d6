// The cost of loading the package: the time of require('millrace') in fresh processes beside other
// packages, the start of the command beside that of Node.js, and the threads that loading starts.
// None may start before the first asynchronous job. With NODE_COMPILE_CACHE in the environment the
// processes keep compiled code.

import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import { median, quantile, rotated } from './numbers.mjs';
import { resolve } from './packages.mjs';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../..', import.meta.url));

const own = [
  'millrace',
  'millrace/promises',
  'millrace/portable',
  'millrace/node-crypto',
  'millrace/crypto-async',
  'node:crypto',
];
const packages = {
  'crypto-async': '@ronomon/crypto-async',
  'sodium-native': 'sodium-native',
  'hash-wasm': 'hash-wasm',
  '@node-rs/argon2': '@node-rs/argon2',
  '@noble/hashes': '@noble/hashes/sha2.js',
};

/** The arguments of Node.js for whole processes. */
const command = fileURLToPath(new URL('../main.js', import.meta.url));
const hashing = "require('crypto').createHash('sha256').update('abc').digest()";
const starts = {
  'node -e 0': ['-e', '0'],
  'a hash by node:crypto': ['-e', hashing],
  'the same under millrace/register': ['--require', 'millrace/register', '-e', hashing],
  'millrace --version': [command, '--version'],
  'millrace sum of a small file': [command, 'sum', command],
};

const timeRequire = `
  const [start, used] = [performance.now(), process.cpuUsage()];
  require(process.argv[1]);
  const wall = performance.now() - start;
  const { user, system } = process.cpuUsage(used);
  process.stdout.write(JSON.stringify([wall / 1e3, (user + system) / 1e6]));`;

const countThreads = `
  const { readdirSync } = require('node:fs');
  const count = () => readdirSync('/proc/self/task').length;
  const threads = { start: count() };
  const millrace = require('millrace');
  threads.loaded = count();
  millrace.hash('sha256', 'abc');
  threads.sync = count();
  // Larger than any job that may be run without a worker.
  millrace.hash('sha256', Buffer.alloc(1 << 20), () => {
    threads.async = count();
    process.stdout.write(JSON.stringify(threads));
  });`;

/**
 * Returns { times, starts, threads }: the median and p90 of requires and of processes by name, in
 * seconds, of requires also the least CPU time, which other programs touch least; and the counts of
 * threads { start, loaded, sync, async } on Linux.
 */
export async function measureLoad({ processes = 21 } = {}) {
  const requires = own.map((name) => ({ name, id: name, seconds: [], cpu: [] }));
  for (const [name, id] of Object.entries(packages)) {
    try {
      requires.push({ name, id: resolve(id), seconds: [], cpu: [] });
    } catch {
      // Not installed.
    }
  }
  const whole = Object.entries(starts).map(([name, args]) => ({ name, args, seconds: [] }));
  for (let round = 0; round < processes; round++) {
    for (const { id, seconds, cpu } of rotated(requires, round)) {
      const [wall, used] = await evaluate(timeRequire, id);
      seconds.push(wall);
      cpu.push(used);
    }
    for (const { args, seconds } of rotated(whole, round)) {
      const begin = performance.now();
      await run(process.execPath, args, { cwd: root });
      seconds.push((performance.now() - begin) / 1000);
    }
  }
  const figures = (list) =>
    Object.fromEntries(
      list.map(({ name, seconds, cpu }) => [
        name,
        {
          median: median(seconds),
          p90: quantile(seconds, 0.9),
          ...(cpu && { cpu: Math.min(...cpu) }),
        },
      ]),
    );
  const threads = process.platform === 'linux' ? await evaluate(countThreads) : undefined;
  return { times: figures(requires), starts: figures(whole), threads };
}

// In this package's folder, where `millrace` is this package.
async function evaluate(script, ...args) {
  const { stdout } = await run(process.execPath, ['-e', script, ...args], { cwd: root });
  return JSON.parse(stdout);
}
