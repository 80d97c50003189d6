// The cost of loading the package: the time of require('millrace') in fresh processes, and the
// threads it starts. None may start before the first asynchronous job.

import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import { median, quantile } from './numbers.mjs';
import { folderOf } from './packages.mjs';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../..', import.meta.url));

const subjects = {
  millrace: 'millrace',
  'millrace/promises': 'millrace/promises',
  'millrace/crypto-async': 'millrace/crypto-async',
  'node:crypto': 'node:crypto',
  'crypto-async': undefined, // wherever it is
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
 * { times: { [name]: { median, p90 } in seconds }, threads: { start, loaded, sync, async } |
 * undefined }.
 */
export async function measureLoad({ processes = 21 } = {}) {
  const samples = Object.fromEntries(Object.keys(subjects).map((name) => [name, []]));
  for (let round = 0; round < processes; round++) {
    for (const [name, id] of Object.entries(subjects)) {
      try {
        samples[name].push(
          Number(await evaluate(timeRequire, id ?? folderOf('@ronomon/crypto-async'))) / 1000,
        );
      } catch (error) {
        if (name.startsWith('millrace')) throw error;
      }
    }
  }
  const times = {};
  for (const [name, values] of Object.entries(samples)) {
    if (values.length > 0) times[name] = { median: median(values), p90: quantile(values, 0.9) };
  }
  const threads =
    process.platform === 'linux' ? JSON.parse(await evaluate(countThreads)) : undefined;
  return { times, threads };
}

// In this package's folder, where `millrace` is this package.
async function evaluate(script, ...args) {
  const { stdout } = await run(process.execPath, ['-e', script, ...args], { cwd: root });
  return stdout;
}
