// npm run bench -- latency: how the rest of the process fares while jobs run.
//
// Each figure comes from separate processes (latency-process.mjs), a fresh one for each competitor,
// situation and round, taken in turns; what is printed is the median of the rounds' quantiles, and
// in brackets their lowest and highest. No competitor's threads disturb another, and a slow moment
// affects all.
//
// - timer: a chain of 1 ms timers; how much later than asked each fires. fs.stat: a chain of
//   stats of one file, 1 ms apart. Both are corrected for coordinated omission: a stall of 100 ms
//   delays a hundred events, not one (numbers.mjs). Timers of libuv have a grain of 1 ms, so that a
//   median is below one, and idle is the measure of everything else.
// - hash: a chain of short hashes, lent, 1 ms apart, from the call to its result: what a request
//   would wait that needs one digest. Not corrected, as one at a time is what it is about.
// - The probes themselves use 3 to 5 % of a core, and on two cores three threads want to run:
//   what is measured is the whole, with the operating system's scheduler in it.

import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import { table } from '../ui.js';
import { median, rotated } from './numbers.mjs';
import { bytes, duration, rate } from './report.mjs';

const run = promisify(execFile);
const KiB = 1024;
const MiB = 1024 * KiB;

const sha256 = { group: 'hash', algorithm: 'sha256', output: 'into' };
const gcm = {
  group: 'aead',
  algorithm: 'aes-256-gcm',
  operation: 'seal',
  key: 'raw',
  output: 'into',
};
const scrypt = {
  group: 'kdf',
  algorithm: 'scrypt',
  operation: 'N=16384 r=8 p=1',
  output: 'buffer',
  parameters: { N: 16384, r: 8, p: 1, maxmem: 64 * MiB },
};

const all = ['millrace', 'WebCrypto', 'crypto-async', 'piscina'];
const probes = ['timer', 'stat'];
const shortHashes = [16, KiB];
const jobs = (count, size, job) => ({ ...job, count, size });

/**
 * The measurements, as data. `load`: jobs kept in flight, definitions as in definitions.mjs with
 * size and count. `probes`: timer, stat, or a short hash of so many bytes.
 */
export const situations = [
  // Nothing in flight. Only the short hashes need a competitor.
  { load: [], probes: [...probes, ...shortHashes], competitors: ['millrace'] },
  { load: [jobs(16, MiB, sha256)], probes, competitors: all },
  { load: [jobs(16, MiB, gcm)], probes, competitors: all },
  { load: [jobs(16, 64 * MiB, sha256)], probes, competitors: all },
  {
    load: [jobs(8, 64 * MiB, sha256), jobs(4, 64 * MiB, gcm)],
    probes: shortHashes,
    competitors: all,
  },
  // node:crypto's are done by the threads that the file system waits for.
  { load: [jobs(16, 32, scrypt)], probes, competitors: ['millrace', 'node:crypto'] },
].map((situation) => ({ name: nameOf(situation.load), ...situation }));

function nameOf(load) {
  if (load.length === 0) return 'idle';
  const names = load.map(({ count, size, algorithm, group, operation }) =>
    group === 'kdf'
      ? `${count} x ${algorithm} ${operation}`
      : `${count} x ${bytes(size)} ${algorithm}`,
  );
  return `${names.join(' and ')} in flight`;
}

/** The time of all rounds together. */
const BUDGET_MS = 130_000;

/**
 * Returns { seconds, loop, foreign, wrong }; all times in seconds.
 *
 * @param {{ quick?: boolean, competitors?: string[] }} plan
 * @param {(text: string) => void} note
 * @param {{ soFar?: () => object }} partial its `soFar` returns what has been measured so far
 */
export async function measureLatency({ quick, competitors }, note = () => {}, partial = {}) {
  const rounds = quick ? 1 : 3;
  const seconds = quick ? 0.6 : 1.2;
  const begin = performance.now();
  const [wrong, foreign] = [[], []];
  const loop = situations.flatMap(({ competitors: names, ...situation }) =>
    names
      .filter((name) => name === 'millrace' || (competitors?.includes(name) ?? true))
      .map((competitor) => ({ competitor, ...situation, rounds: [] })),
  );
  partial.soFar = () => ({
    seconds,
    loop: loop
      .filter((each) => each.rounds.length > 0)
      .map((each) => ({
        ...each,
        probes: combine(each.rounds),
        jobsPerSecond: median(each.rounds.map((one) => one.jobsPerSecond)),
      })),
    foreign: median(foreign),
    wrong,
  });
  // On a busy machine a competitor that copies takes ten times as long to drain: then fewer
  // rounds.
  for (
    let round = 0;
    round < rounds && ((performance.now() - begin) * (round + 1)) / Math.max(1, round) < BUDGET_MS;
    round++
  ) {
    for (const [index, each] of rotated(loop, round).entries()) {
      note(`latency: round ${round + 1} of ${rounds}, ${index + 1} of ${loop.length}`);
      const { competitor, load, probes } = each;
      try {
        const result = await measureOnce({ competitor, load, probes, seconds });
        each.rounds.push(result);
        foreign.push(result.foreign);
      } catch (error) {
        const lines = String(error.stderr || error).split('\n');
        const reason = lines.find((text) => text.includes('Error')) ?? String(error);
        // Others may not be installed, or have no such job.
        if (competitor === 'millrace' || reason.includes('wrong answer'))
          wrong.push(`${competitor}: ${reason}`);
      }
    }
  }
  note('');
  return partial.soFar();
}

async function measureOnce(task) {
  const file = fileURLToPath(new URL('latency-process.mjs', import.meta.url));
  const { stdout } = await run(process.execPath, [file, JSON.stringify(task)]);
  return JSON.parse(stdout);
}

/** Returns the rounds' quantiles, each as [median, lowest, highest]. */
export function combine(rounds) {
  const over = (pick) => {
    const values = rounds.map(pick);
    return [median(values), Math.min(...values), Math.max(...values)];
  };
  return Object.fromEntries(
    Object.keys(rounds[0].probes).map((name) => [
      name,
      {
        p50: over(({ probes }) => probes[name].p50),
        p99: over(({ probes }) => probes[name].p99),
      },
    ]),
  );
}

/** Returns the table as text. */
export function latencyReport({ seconds, loop, foreign, wrong }, { cpu, cores, system, node }) {
  const rounds = Math.max(0, ...loop.map((each) => each.rounds.length));
  return [
    `latency: ${cpu}, ${cores} cores, ${system}, Node ${node}`,
    `${rounds} ${rounds === 1 ? 'round' : 'rounds'} of ${seconds} s in processes of their ` +
      `own, median of the rounds (lowest to highest); other processes used ` +
      `${foreign.toFixed(1)} cores`,
    '',
    table(
      ['in flight', 'competitor', 'jobs>', 'probe', 'p50>', 'p99>', ''],
      loop.flatMap(situationRows),
    ),
    '',
    ...wrong.map((text) => `WRONG: ${text}`),
    '',
  ].join('\n');
}

function situationRows({ name, competitor, jobsPerSecond, load, probes }) {
  return Object.entries(probes).map(([probe, { p50, p99 }], index) => [
    ...(index > 0 ? ['', ''] : [name, load.length > 0 ? competitor : '']),
    index === 0 && load.length > 0 ? rate(1 / jobsPerSecond) : '',
    probeName(probe),
    duration(p50[0]),
    duration(p99[0]),
    p99[1] === p99[2] ? '' : `(${duration(p99[1])} to ${duration(p99[2])})`,
  ]);
}

/** Names a probe as the table and the charts do. */
export function probeName(probe) {
  return { timer: 'timer late', stat: 'fs.stat' }[probe] ?? `hash ${bytes(Number(probe))}`;
}
