// One process of `npm run bench -- latency`: keeps jobs of a competitor in flight and measures the
// probes meanwhile. The task is given as JSON, and the result is printed as JSON.

import { stat } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

import { competitors } from './competitors/all.mjs';
import { quantile, uncoordinated } from './numbers.mjs';
import { enterRow, loadCompetitors, promised } from './runner.mjs';
import { startUsage } from './usage.mjs';

const { competitor, load, probes, seconds } = JSON.parse(process.argv[2]);
// node:crypto's answers are the reference.
const modules = competitors.filter(({ name }) => name === competitor || name === 'node:crypto');
const { ready, missing } = await loadCompetitors(modules);
if (missing.length > 0) throw new Error(missing[0].reason);
const usage = startUsage();

const calls = [];
for (const { size, count, ...definition } of load)
  calls.push(...(await callsOf(definition, size, count)));
const shortHash = { group: 'hash', algorithm: 'sha256', output: 'into' };
const state = { open: true, done: 0 };
const chains = calls.map(async (call) => {
  while (state.open) {
    await call();
    state.done++;
  }
});
/** Each takes samples until `end`, in milliseconds. */
const measured = [];
for (const probe of probes) {
  if (probe === 'timer') {
    const late = async (end) => (await repeated(() => pause(1), end, 0)).map((took) => took - 1);
    measured.push(async (end) => uncoordinated(await late(end), 1));
  } else if (probe === 'stat') {
    const file = fileURLToPath(import.meta.url);
    measured.push(async (end) => uncoordinated(await repeated(() => stat(file), end), 1));
  } else {
    const [call] = await callsOf(shortHash, probe, 1);
    measured.push((end) => repeated(call, end));
  }
}

// Until the threads are there and the code is warm; a job of 64 MiB takes a while.
await pause(load.length === 0 ? 100 : 300);
const before = state.done;
const start = performance.now();
const samples = await Promise.all(measured.map((probe) => probe(start + seconds * 1000)));
const jobsPerSecond = ((state.done - before) / (performance.now() - start)) * 1000;
state.open = false;
await Promise.all(chains);
const figures = (list) => ({ p50: quantile(list, 0.5) / 1000, p99: quantile(list, 0.99) / 1000 });
console.log(
  JSON.stringify({
    probes: Object.fromEntries(probes.map((probe, index) => [probe, figures(samples[index])])),
    jobsPerSecond,
    foreign: usage.foreign(),
  }),
);
for (const each of ready) await each.unload?.();

/** Returns how long an action takes, in milliseconds, again and again. */
async function repeated(act, end, gap = 1) {
  const took = [];
  while (performance.now() < end) {
    const begin = performance.now();
    await act();
    took.push(performance.now() - begin);
    if (gap > 0) await pause(gap);
  }
  return took;
}

/** Returns the competitor's calls for a definition, its answer compared with node:crypto's. */
async function callsOf(definition, size, count) {
  const row = { ...definition, alsoSync: true };
  const { candidates, wrong } = await enterRow(row, size, 'callback', ready, count);
  if (wrong.length > 0) throw new Error(`wrong answer: ${wrong.join(', ')}, ${size} bytes`);
  const found = candidates.find((each) => each.competitor.name === competitor);
  if (found === undefined) throw new Error(`${competitor} has no such job`);
  return found.calls.map((call) => promised(call, found.form.wait));
}
