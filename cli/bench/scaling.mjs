// npm run bench -- scaling: throughput by threads, and what a job costs the event loop.
//
// - Threads are set with configure({ threads }); thread counts take turns, round by round; medians.
// - Concurrent jobs: enough in flight for all threads, lent, by callback, all over one source; the
//   time of a job is its share of the elapsed time. One large job: the next begins when it is back;
//   the time is that from call to result.
// - What a job costs the event loop is measured apart, as while waiting the loop looks for
//   results again and again and would seem busy: a burst of calls is timed, then the main thread
//   sleeps until the workers are done, and the time from then to the last callback is added. So it
//   holds one turn of the loop and one delivery a burst, and of a job that runs during the call
//   (too short to send away) all of it: such jobs do not scale.
// - The main thread is a thread too: if there are no more cores than workers it takes time from
//   them.

import { availableParallelism } from 'node:os';

import { callbackChains, fresh, runChains } from './clock.mjs';
import { millrace } from './competitors/millrace.mjs';
import { nodeCrypto } from './competitors/node.mjs';
import { median, quantile, rotated, spread } from './numbers.mjs';
import { describe } from './definitions.mjs';
import { bytes, duration, rate } from './report.mjs';
import { choose, enter, loadCompetitors } from './runner.mjs';
import { startUsage } from './usage.mjs';

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
const ctr = { group: 'cipher', algorithm: 'aes-256-ctr', key: 'raw', output: 'into' };
const blake3 = { group: 'hash', algorithm: 'blake3', output: 'into' };

/** The measurements, as data: definitions as in definitions.mjs, with sizes. */
export const concurrent = [
  { ...sha256, sizes: [4 * KiB, 64 * KiB, MiB] },
  { ...gcm, sizes: [4 * KiB, 64 * KiB, MiB] },
];
export const splits = [
  { ...gcm, sizes: [4 * MiB, 16 * MiB, 64 * MiB] },
  { ...ctr, sizes: [4 * MiB, 16 * MiB, 64 * MiB] },
  { ...blake3, sizes: [4 * MiB, 16 * MiB, 64 * MiB] },
];

/** Returns 1, 2, 4, ... and all of them. */
export function threadCounts(cores) {
  const counts = [];
  for (let count = 1; count < cores; count *= 2) counts.push(count);
  return [...counts, cores];
}

/**
 * Returns { cores, concurrent, splits, foreign, wrong }; all times in seconds.
 *
 * @param {{ quick?: boolean }} plan
 * @param {(text: string) => void} note
 * @param {{ soFar?: () => object }} partial its `soFar` returns what has been measured so far
 */
export async function measureScaling({ quick }, note = () => {}, partial = {}) {
  const cores = availableParallelism();
  const counts = threadCounts(cores);
  const rounds = quick ? 3 : 7;
  const time = quick ? 40 : 150;
  const { ready } = await loadCompetitors([millrace, nodeCrypto]);
  const { configure } = ready[0].tools.millrace;
  const before = configure().threads;
  const usage = startUsage();
  const wrong = [];
  const results = { concurrent: [], splits: [] };
  partial.soFar = () => ({ cores, counts, rounds, ...results, foreign: usage.foreign(), wrong });
  try {
    for (const { sizes, ...definition } of concurrent) {
      for (const size of sizes) {
        note(`scaling: ${definition.algorithm}, ${bytes(size)}`);
        const calls = await checked(ready, definition, size, Math.max(16, 4 * cores), wrong);
        if (calls === undefined) continue;
        const samples = await byThreads(counts, rounds, configure, () =>
          runConcurrent(calls, time),
        );
        configure({ threads: cores });
        const loop = await loopTime(calls, median(samples.get(1)));
        const points = [...samples].map(([threads, seconds]) => ({
          threads,
          seconds: median(seconds),
          spread: spread(seconds),
        }));
        results.concurrent.push({ ...definition, size, loop, points });
      }
    }
    for (const { sizes, ...definition } of splits) {
      const points = [];
      for (const size of sizes) {
        note(`scaling: one ${definition.algorithm}, ${bytes(size)}`);
        const calls = await checked(ready, definition, size, 1, wrong);
        if (calls === undefined) continue;
        const samples = await byThreads(counts, rounds, configure, () =>
          runConcurrent(calls, time),
        );
        for (const [threads, seconds] of samples)
          points.push({ threads, size, seconds: median(seconds), spread: spread(seconds) });
        globalThis.gc?.();
      }
      if (points.length > 0) results.splits.push({ ...definition, sizes, points });
    }
  } finally {
    configure({ threads: before });
  }
  note('');
  return partial.soFar();
}

/**
 * Returns our calls with callbacks if they answer as node:crypto does, or as our synchronous call
 * if node:crypto lacks the algorithm.
 *
 * @param {any[]} competitors Millrace and node:crypto
 */
async function checked([own, node], definition, size, count, wrong) {
  const [form] = choose(own, definition, 'callback');
  const candidate = await enter(own, form, definition, size, count);
  const reference = await enter(
    node,
    choose(node, definition, 'sync')[0],
    definition,
    size,
    1,
  ).catch(() => enter(own, choose(own, definition, 'sync')[0], definition, size, 1));
  if (reference.answer.equals(candidate.answer)) return candidate.calls;
  wrong.push(`${describe(definition)}, ${bytes(size)}`);
  return undefined;
}

async function byThreads(counts, rounds, configure, measure) {
  const samples = new Map(counts.map((count) => [count, []]));
  for (let round = -1; round < rounds; round++) {
    for (const threads of rotated(counts, Math.max(0, round))) {
      configure({ threads });
      const seconds = await measure();
      if (round >= 0) samples.get(threads).push(seconds); // the first round warms up
    }
  }
  return samples;
}

/** Seconds a job, as many in flight as there are calls. */
async function runConcurrent(calls, time) {
  return (await runChains(fresh(callbackChains), calls, time)).seconds;
}

/**
 * Measures the cost of a job to the event loop, in seconds: calls, and settling once all of them
 * are done.
 */
async function loopTime(calls, secondsPerJob) {
  const cell = new Int32Array(new SharedArrayBuffer(4));
  const rounds = 31;
  const burst = Math.max(calls.length, Math.min(256, Math.ceil(2e-3 / secondsPerJob)));
  const sleep = burst * secondsPerJob * 2000 + 3;
  const samples = [];
  for (let round = 0; round < rounds; round++) {
    let running = burst;
    await new Promise((resolve, reject) => {
      let woken;
      const settle = (error) => {
        if (error) return reject(error);
        if (--running > 0) return;
        samples.push((called - begin + performance.now() - woken) / 1000 / burst);
        resolve(undefined);
      };
      const begin = performance.now();
      for (let index = 0; index < burst; index++) calls[index % calls.length](settle);
      const called = performance.now();
      Atomics.wait(cell, 0, 0, sleep);
      woken = performance.now();
    });
  }
  // On a busy machine the workers are not done in time now and then; what they still do is not the
  // loop's cost.
  return quantile(samples, 0.1);
}

// As text

export function scalingReport(
  { cores, counts, rounds, concurrent: measured, splits: cut, foreign, wrong },
  { cpu, system, node },
) {
  const heads = counts
    .map((count) => `${count} thread${count === 1 ? '' : 's'}`.padStart(12))
    .join('');
  const lineOf = (definition, size, values) =>
    `${describe(definition).padEnd(44)} ${bytes(size).padStart(7)}` +
    values.map((value) => value.padStart(12)).join('');
  return [
    `scaling: ${cpu}, ${cores} cores, ${system}, Node ${node}`,
    `${rounds} rounds, medians; other processes used ${foreign.toFixed(1)} cores`,
    '',
    `${'many jobs in flight, jobs per second'.padEnd(52)}${heads}${'loop a job'.padStart(12)}`,
    ...measured.map(({ size, loop, points, ...definition }) =>
      lineOf(definition, size, [...points.map(({ seconds }) => rate(seconds)), duration(loop)]),
    ),
    '',
    `${'one job in flight, time from call to result'.padEnd(52)}${heads}`,
    ...cut.flatMap(({ sizes, points, ...definition }) =>
      sizes.map((size) => {
        const own = points.filter((point) => point.size === size);
        return lineOf(
          definition,
          size,
          own.map(({ seconds }) => duration(seconds)),
        );
      }),
    ),
    ...wrong.map((what) => `WRONG ANSWER: ${what}`),
    '',
  ].join('\n');
}
