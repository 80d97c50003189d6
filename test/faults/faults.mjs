// Runs programs with system calls that fail on demand (faults.c).

import { spawnSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { run, temporary } from '../support/child.mjs';

/** The places of the numbers in faults.c. */
const places = [
  'threads',
  'read',
  'readAfter',
  'writeAfter',
  'realtime',
  'monotonic',
  'stopped',
  'injected',
];
/** The settings without faults. */
const idle = { threads: -1, writeAfter: -1 };

export const readFaults = { short: 1, interrupted: 2, broken: 3 };

export const folder = temporary();
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
const library = join(folder, 'faults.so');

/** Returns the reason why faults cannot be injected here, or undefined. */
export function prepare() {
  if (process.platform !== 'linux') return 'LD_PRELOAD is used on Linux only';
  const source = fileURLToPath(new URL('faults.c', import.meta.url));
  const args = ['-O1', '-shared', '-fPIC', source, '-o', library, '-ldl'];
  const { status, stderr, error } = spawnSync(process.env.CC || 'cc', args, { encoding: 'utf8' });
  if (error) return 'there is no C compiler';
  if (status !== 0) throw new Error(`faults.c does not compile:\n${stderr}`);
  return undefined;
}

let runs = 0;

/** Returns the environment in which a process has these faults from its start. */
export function environment(faults = {}) {
  const path = join(folder, `numbers-${runs++}`);
  const all = { ...idle, ...faults };
  writeFileSync(path, new BigInt64Array(places.map((name) => BigInt(all[name] ?? 0))));
  return { MILLRACE_FAULTS: path, LD_PRELOAD: library };
}

/**
 * Runs a program as `run` does. In it `fault(name, number)` sets a fault, `injected()` tells how
 * many there were, and `told(value)` reports a result.
 */
export async function withFaults(program, { faults, ...options } = {}) {
  const source = `
    const { readSync, writeSync, openSync } = require('node:fs');
    const numbers = openSync(process.env.MILLRACE_FAULTS, 'r+');
    const places = ${JSON.stringify(places)};
    const fault = (name, value) =>
      writeSync(numbers, new BigInt64Array([BigInt(value)]), 0, 8, 8 * places.indexOf(name));
    const injected = () => {
      const found = new BigInt64Array(1);
      readSync(numbers, found, 0, 8, 8 * places.indexOf('injected'));
      return Number(found[0]);
    };
    const outcome = async (act) => {
      try { return await act(); } catch (error) { return error.code ?? error.message; }
    };
    const told = (value) => process.stdout.write(JSON.stringify(value) + '\\n');
    (async () => { ${program} })();`;
  const env = { ...environment(faults), ...options.env };
  const ended = await run(source, { ...options, env });
  if (ended.code !== 0)
    throw new Error(`the program ended with ${ended.code ?? ended.signal}:\n${ended.stderr}`);
  return ended.stdout
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
}
