// The soak: everything the library does, mixed at random for some minutes, every result verified.
//
//   npm run soak                             three minutes, two more threads, a new seed
//   npm run soak -- --seed 7 --minutes 10    the same plan of steps whenever the seed is the same
//   npm run soak -- --seed 7 --only 123      step 123 of that plan, a hundred times (--times)
//   npm run soak -- --under 'valgrind ...'   Node run by another program
//
// The seed decides what is done and in which order it begins, not how the threads meet. The steps
// run in a process of their own (process.mjs), so that a crash or a thread that hangs is still
// reported.

import { spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const MiB = 2 ** 20;

/**
 * Without guard regions around WebAssembly's memories (the oracles'), which are 10 GB of addresses
 * each.
 */
const bare = '--disable-wasm-trap-handler';
const flags = ['--expose-gc', ...(process.allowedNodeEnvironmentFlags.has(bare) ? [bare] : [])];

const defaults = {
  minutes: 3,
  steps: 2 ** 40,
  threads: 2,
  largest: 4 * MiB,
  huge: 64 * MiB,
  first: 0,
  times: 100,
  thread: 'main',
  under: '',
  idle: 3,
  // Seconds that a step may take, or the process be silent, before it counts as hanging: far more
  // than any needs.
  patience: 120,
};

if (process.argv[1] === fileURLToPath(import.meta.url))
  process.exitCode = await main(process.argv.slice(2));

async function main(args) {
  const names = ['seed', 'seconds', 'only', ...Object.keys(defaults)];
  const { values } = parseArgs({
    args,
    options: Object.fromEntries(names.map((name) => [name, { type: 'string' }])),
  });
  const options = { seed: randomInt(2 ** 32), ...values };
  for (const name of names.filter((each) => each in options && !/^(thread|under)$/.test(each))) {
    options[name] = Number(options[name]);
    if (Number.isNaN(options[name])) throw new RangeError(`--${name} must be a number`);
  }
  const { failure } = await soak(options, console.log);
  return failure === undefined ? 0 : 1;
}

/**
 * Runs a soak and gives `{ failure?, done? }`; what there is to tell goes to `tell`, line by line.
 *
 * @param given options of the command line, as numbers; `under` is the command with its arguments
 * that Node is run by
 */
export function soak(given, tell) {
  const options = { ...defaults, ...given };
  options.seconds ??= options.minutes * 60;
  const { seed, patience } = options;
  const elapsed = () => (performance.now() - begin) / 1000;
  tell(
    `soak: --seed ${seed}, ` +
      (options.only === undefined
        ? `${options.seconds} s, ${options.threads} threads beside the main one`
        : `step ${options.only} ${options.times} times`),
  );
  const [command, ...args] = [
    ...options.under.split(' ').filter(Boolean),
    process.execPath,
    ...flags,
    fileURLToPath(new URL('process.mjs', import.meta.url)),
    JSON.stringify(options),
  ];
  const child = spawn(command, args, {
    env: { ...process.env, MILLRACE_SEED: String(seed) },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const begin = performance.now();
  let [failure, done, last, heard] = [undefined, undefined, { unsettled: [] }, begin];
  const found = (what) => {
    if (failure !== undefined) return;
    failure = what;
    tell(`soak: FAILED after ${elapsed().toFixed(1)} s: ${what}`);
    tell(`soak: again: npm run soak -- ${again(options)}`);
  };
  const watch = setInterval(() => {
    const silent = (performance.now() - heard) / 1000;
    const oldest = last.unsettled.find(({ seconds }) => seconds > patience);
    if (silent < patience && oldest === undefined) return;
    found(
      `${oldest ? `a step that does not settle` : `no sign of life for ${silent.toFixed(0)} s`}; ` +
        `under way were\n${list(last)}`,
    );
    child.kill('SIGKILL');
  }, 1000);
  child.on('message', (message) => {
    heard = performance.now();
    if (message.unsettled) last = message;
    if (message.threadsOfPool) tell(`soak: ${message.threadsOfPool} threads in the pool`);
    if (message.sample) tell(`soak: ${elapsed().toFixed(0)} s, ${figures(message.sample)} MiB`);
    if (message.done) done = message.done;
    if (message.failure) {
      const { number, what, thread, stack } = message.failure;
      if (number >= 0)
        tell(
          `soak: that step alone: npm run soak -- ${again({ ...options, only: number, thread })}`,
        );
      found(`${thread}, step ${number}: ${what}\n${stack}\nunder way besides\n${list(last)}`);
    }
  });
  return new Promise((resolve) => {
    child.once('exit', (code, signal) => {
      clearInterval(watch);
      if (done === undefined || code !== 0)
        found(`the process ended with ${signal ?? `code ${code}`}; under way were\n${list(last)}`);
      else tell(`soak: ${figures(done)}; nothing hung, grew or differed`);
      resolve({ failure, done });
    });
  });
}

/** Returns the command line that gives the same again. */
function again({ seed, seconds, threads, largest, huge, first, only, thread }) {
  const limits = `--seed ${seed} --largest ${largest} --huge ${huge}`;
  return only === undefined
    ? `${limits} --seconds ${seconds} --threads ${threads}${first ? ` --first ${first}` : ''}`
    : `${limits} --only ${only} --thread '${thread}'`;
}

function figures(record) {
  return Object.entries(record)
    .map(([name, value]) => `${name} ${typeof value === 'number' ? Math.round(value) : value}`)
    .join(', ');
}

function list({ unsettled, pool }) {
  const lines = unsettled.map(
    ({ number, what, seconds, thread = 'main' }) =>
      `  ${seconds.toFixed(1)} s  ${thread}, step ${number}: ${what}`,
  );
  if (pool) lines.push(`  the pool: ${JSON.stringify(pool)}`);
  return lines.join('\n');
}
