// One process of `npm run bench -- latency`: does the task given as JSON, prints the result as
// JSON.

import { stat } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

import { callbackChains, runChains } from './clock.mjs';
import { competitors } from './competitors/all.mjs';
import { quantile, uncoordinated } from './numbers.mjs';
import { choose, enter, loadCompetitors } from './runner.mjs';
import { startUsage } from './usage.mjs';

/**
 * How much of the events the curve tells of; what is rarer than one in a thousand would need longer
 * runs.
 */
const curve = [0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.98, 0.99, 0.995, 0.999];

const tasks = { loop, held, rest };
const task = JSON.parse(process.argv[2]);
const module = competitors.find(({ name }) => name === task.competitor);
const { ready, missing } = await loadCompetitors(module === undefined ? [] : [module]);
if (missing.length > 0) throw new Error(missing[0].reason);
const usage = startUsage();
const result = await tasks[task.what](ready[0], task);
console.log(JSON.stringify({ ...result, foreign: usage.foreign() }));
await module?.unload?.();

// While jobs are in flight

async function loop(competitor, { load, probes, seconds }) {
  const calls = [];
  for (const { size, count, ...definition } of load)
    calls.push(...(await callsFor(competitor, definition, size, count)));
  const state = { open: true, done: 0 };
  const chains = calls.map((call) => chain(call, state));
  const shorts = {};
  for (const size of probes.filter((probe) => typeof probe === 'number')) {
    [shorts[size]] = await callsFor(
      competitor,
      { group: 'hash', algorithm: 'sha256', output: 'into' },
      size,
      1,
    );
  }
  // Until the threads are there and the code is warm; a job of 64 MiB takes a while.
  await pause(load.length === 0 ? 100 : 300);
  const before = state.done;
  const start = performance.now();
  const end = start + seconds * 1000;
  const samples = await Promise.all(
    probes.map((probe) =>
      probe === 'timer' ? timers(end) : probe === 'stat' ? stats(end) : hashes(shorts[probe], end),
    ),
  );
  const jobsPerSecond = ((state.done - before) / (performance.now() - start)) * 1000;
  state.open = false;
  await Promise.all(chains);
  const quantiles = (list) => ({
    p50: quantile(list, 0.5) / 1000,
    p99: quantile(list, 0.99) / 1000,
    highest: quantile(list, 1) / 1000,
    curve: curve.map((part) => [part, quantile(list, part) / 1000]),
    count: list.length,
  });
  return {
    probes: Object.fromEntries(probes.map((probe, index) => [probe, quantiles(samples[index])])),
    jobsPerSecond,
  };
}

function once(call) {
  return new Promise((resolve, reject) =>
    call((error) => (error ? reject(error) : resolve(undefined))),
  );
}

function chain(call, state) {
  return new Promise((resolve, reject) => {
    const next = (error) => {
      if (error) return reject(error);
      state.done++;
      if (state.open) call(next);
      else resolve(undefined);
    };
    call(next);
  });
}

/** Milliseconds. */
async function timers(end) {
  const late = [];
  while (performance.now() < end) {
    const begin = performance.now();
    await new Promise((resolve) => setTimeout(resolve, 1));
    late.push(performance.now() - begin - 1);
  }
  return uncoordinated(late, 1);
}

async function stats(end) {
  const file = fileURLToPath(import.meta.url);
  const took = [];
  while (performance.now() < end) {
    const begin = performance.now();
    await new Promise((resolve, reject) =>
      stat(file, (error) => (error ? reject(error) : resolve(undefined))),
    );
    took.push(performance.now() - begin);
    await pause(1);
  }
  return uncoordinated(took, 1);
}

async function hashes(call, end) {
  const took = [];
  while (performance.now() < end) {
    const begin = performance.now();
    await once(call);
    took.push(performance.now() - begin);
    await pause(1);
  }
  return took;
}

// The call itself

async function held(competitor, { job, sizes, seconds }) {
  const results = [];
  const [rehearsal] = await callsFor(competitor, job, 4096, 1);
  for (const size of sizes) {
    const [call] = await callsFor(competitor, job, size, 1);
    const took = { cold: [], warm: [] };
    const begin = performance.now();
    // The first calls warm up; of the largest sizes few fit into the time.
    for (let count = 0; count < 10 || performance.now() - begin < seconds * 1000; count++) {
      const cold = count % 2 === 0;
      if (!cold) for (let index = 0; index < 20; index++) await once(rehearsal);
      await new Promise((resolve, reject) => {
        const start = performance.now();
        call((error) => (error ? reject(error) : resolve(undefined)));
        took[cold ? 'cold' : 'warm'].push(performance.now() - start);
      });
      if (count > 20000) break;
    }
    const quantiles = (list) => {
      const kept = list.slice(list.length > 200 ? 100 : 2);
      return {
        p50: quantile(kept, 0.5) / 1000,
        p99: quantile(kept, 0.99) / 1000,
        count: kept.length,
      };
    };
    results.push({ size, ...quantiles(took.warm), cold: quantiles(took.cold) });
    globalThis.gc?.();
  }
  return { sizes: results };
}

// After a burst

async function rest(competitor, { job, seconds }) {
  if (competitor !== undefined) {
    const calls = await callsFor(competitor, job, 4096, 64);
    await runChains(callbackChains, calls, 300);
  }
  globalThis.gc?.();
  await pause(300); // concurrent work of the collector
  const usage = process.cpuUsage();
  await pause(seconds * 1000);
  const { user, system } = process.cpuUsage(usage);
  return { cpu: (user + system) / 1e6, seconds };
}

/** Calls with callbacks of a competitor for a definition, its answer checked with node:crypto's. */
async function callsFor(competitor, definition, size, count) {
  const [form] = choose(competitor, definition, 'callback');
  if (form === undefined) throw new Error(`Error: ${competitor.name} has no such job`);
  const candidate = await enter(competitor, form, definition, size, count);
  const node = competitors.find(({ name }) => name === 'node:crypto');
  const { ready } = await loadCompetitors([node]);
  const reference = await enter(
    ready[0],
    choose(ready[0], definition, 'sync')[0],
    definition,
    size,
    1,
  );
  if (!reference.answer.equals(candidate.answer))
    throw new Error(
      `Error: wrong answer of ${competitor.name}: ${JSON.stringify(definition)}, ${size} bytes`,
    );
  return form.wait === 'callback'
    ? candidate.calls
    : candidate.calls.map((call) => (done) => void call().then(() => done(null), done));
}
