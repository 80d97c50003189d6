// The cost of loading the package: the time of require('millrace') in fresh processes beside other
// packages, the start of the command beside that of Node.js, and the threads that loading starts.
// None may start before the first asynchronous job.

import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import { median, quantile, rotated } from './numbers.mjs';
import { resolve } from './packages.mjs';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../..', import.meta.url));

const own = ['millrace', 'millrace/promises', 'millrace/crypto-async', 'node:crypto'];
const packages = {
  'crypto-async': '@ronomon/crypto-async',
  'sodium-native': 'sodium-native',
  'hash-wasm': 'hash-wasm',
  '@node-rs/argon2': '@node-rs/argon2',
  '@noble/hashes': '@noble/hashes/sha2.js',
};

/** The arguments of Node.js for whole processes. */
const starts = {
  'node -e 0': ['-e', '0'],
  'millrace --version': [fileURLToPath(new URL('../main.js', import.meta.url)), '--version'],
};

const timeRequire = `
  const start = performance.now();
  require(process.argv[1]);
  process.stdout.write(String(performance.now() - start));`;

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
 * seconds, and the counts of threads { start, loaded, sync, async } on Linux.
 */
export async function measureLoad({ processes = 21 } = {}) {
  const requires = own.map((name) => ({ name, id: name, seconds: [] }));
  for (const [name, id] of Object.entries(packages)) {
    try {
      requires.push({ name, id: resolve(id), seconds: [] });
    } catch {
      // Not installed.
    }
  }
  const processesOf = Object.entries(starts).map(([name, args]) => ({ name, args, seconds: [] }));
  for (let round = 0; round < processes; round++) {
    for (const { id, seconds } of rotated(requires, round))
      seconds.push(Number(await evaluate(timeRequire, id)) / 1000);
    for (const { args, seconds } of rotated(processesOf, round)) {
      const begin = performance.now();
      await run(process.execPath, args);
      seconds.push((performance.now() - begin) / 1000);
    }
  }
  const figures = (list) =>
    Object.fromEntries(
      list.map(({ name, seconds }) => [
        name,
        { median: median(seconds), p90: quantile(seconds, 0.9) },
      ]),
    );
  const threads =
    process.platform === 'linux' ? JSON.parse(await evaluate(countThreads)) : undefined;
  return { times: figures(requires), starts: figures(processesOf), threads };
}

// In this package's folder, where `millrace` is this package.
async function evaluate(script, ...args) {
  const { stdout } = await run(process.execPath, ['-e', script, ...args], { cwd: root });
  return stdout;
}
