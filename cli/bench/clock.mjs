// The loops around the calls, and turns of them. Each loop is compiled afresh for each measurement:
// in a loop that several functions share V8 would stop inlining any of them. Without Node.js's
// modules: it also runs in a page.

import { rotated } from './numbers.mjs';

/** Compiles a function again from its source text, so that it has its own type feedback. */
export function fresh(fn) {
  return new Function(`return (${fn.toString()});`)();
}

function syncLoop(call, count) {
  let result;
  for (let i = 0; i < count; i++) result = call();
  return result;
}

/** A clock in milliseconds; the other is the processor time of a process. */
const wallTime = () => performance.now();

/** Calibration takes at least so many samples, unless a call takes longer than a round. */
const MIN_SAMPLES = 5;

/**
 * Returns how many calls take `time`, by the fastest of the samples: one may have been preempted.
 * Also the warm-up: at least 15 ms and five samples long, so that optimised code is timed. The
 * first call is not timed: it may load a file.
 */
export function calibrate(loop, call, time, warmUp = time * 5, now = wallTime) {
  loop(call, 1);
  const start = now();
  let count = 1;
  let least = Infinity;
  let took = 0;
  for (
    let samples = 0;
    now() - start < Math.max(15, warmUp) || (samples < MIN_SAMPLES && took < time);
    samples++
  ) {
    const begin = now();
    loop(call, count);
    took = now() - begin;
    least = Math.min(least, Math.max(took, 0.001) / count);
    if (took < time / 4) count *= 2;
  }
  return Math.max(1, Math.round(time / least));
}

/** Seconds for a call. */
function runLoop(loop, call, count, now = wallTime) {
  const start = now();
  loop(call, count);
  return (now() - start) / 1000 / count;
}

/**
 * Keeps all calls in flight for `time` milliseconds. Resolves to the seconds for a call and to
 * latencies. `chains` is a fresh callChains.
 */
function runChains(chains, calls, time, promises) {
  return new Promise((resolve, reject) => {
    const state = {
      time,
      start: performance.now(),
      open: true,
      done: 0,
      running: calls.length,
      latencies: [],
      promises,
      finish() {
        const seconds = (performance.now() - state.start) / 1000 / state.done;
        resolve({ seconds, latencies: thin(state.latencies) });
      },
      reject(error) {
        state.open = false;
        reject(error);
      },
    };
    chains(calls, state);
  });
}

/**
 * Starts each call again when it has called back, or its promise is fulfilled. The first chain
 * reads the clock, once a call: that gives the latency of a call among the others and ends the
 * sample. The other chains only count.
 */
function callChains(calls, state) {
  for (const [index, call] of calls.entries()) {
    let begin = performance.now();
    const settled = () => {
      state.done++;
      if (index === 0) {
        const now = performance.now();
        state.latencies.push(now - begin);
        if (now - state.start >= state.time) state.open = false;
        begin = now;
      }
      if (state.open) go();
      else if (--state.running === 0) state.finish();
    };
    const next = (error) => (error ? state.reject(error) : settled());
    const go = state.promises
      ? () => void call().then(settled, state.reject)
      : () => {
          try {
            call(next);
          } catch (error) {
            state.reject(error);
          }
        };
    go();
  }
}

/** Returns enough of the latencies for a p99, in seconds. */
function thin(latencies) {
  const step = Math.ceil(latencies.length / 2000);
  return latencies.filter((_, index) => index % step === 0).map((each) => each / 1000);
}

/** Rounds are not left out below this number. */
const MIN_ROUNDS = 3;

/**
 * Measures candidates in turns, each round in another order, after a warm-up. A candidate has
 * `calls`, `wait` (sync, callback or promise), and instead of both a `sample` that resolves to
 * seconds; `beforeTurn` is called before each turn. It gets `samples` in seconds for a call,
 * `latencies`, the `cores` that it kept busy, and a `failure`, after which it has no more turns.
 *
 * `time` is that of a loop in milliseconds, `flight` that of calls in flight. Rounds are left out
 * when they take longer than `budget`. `begin` is called after the warm-up.
 */
export async function takeTurns(
  candidates,
  { rounds, time, flight = time, warmUp, now = wallTime, budget = Infinity, begin = () => {} },
) {
  for (const candidate of candidates) {
    await turn(candidate, time, warmUp, warmUp, now);
    Object.assign(candidate, { samples: [], latencies: [], cores: [] });
  }
  begin();
  const start = performance.now();
  for (let round = 0; round < rounds; round++) {
    if (round >= MIN_ROUNDS && performance.now() - start > budget) break;
    for (const candidate of rotated(candidates, round))
      if (candidate.failure === undefined) await turn(candidate, time, flight, warmUp, now);
    // Lets a signal handler run.
    await new Promise((resolve) => setTimeout(resolve));
  }
}

async function turn(candidate, time, flight, warmUp, now) {
  const { calls, wait, sample, samples = [], latencies = [], cores = [] } = candidate;
  try {
    candidate.beforeTurn?.();
    if (sample !== undefined) {
      samples.push(await sample(flight));
    } else if (wait === 'sync') {
      candidate.loop ??= fresh(syncLoop);
      candidate.count ??= calibrate(candidate.loop, calls[0], time, warmUp, now);
      samples.push(runLoop(candidate.loop, calls[0], candidate.count, now));
      cores.push(1);
    } else {
      if (candidate.chains === undefined) {
        candidate.chains = fresh(callChains);
        // One call in each chain, which may load a file: it would be most of the warm-up.
        await runChains(candidate.chains, calls, 0, wait === 'promise');
      }
      const usage = globalThis.process?.cpuUsage();
      const start = performance.now();
      const taken = await runChains(candidate.chains, calls, flight, wait === 'promise');
      const { user, system } = globalThis.process?.cpuUsage(usage) ?? { user: 0, system: 0 };
      cores.push((user + system) / 1000 / (performance.now() - start));
      samples.push(taken.seconds);
      latencies.push(...taken.latencies);
    }
  } catch (error) {
    candidate.failure = error;
  }
}
