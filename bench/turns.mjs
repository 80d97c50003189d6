// Measures the forms of one row in turns, each round in another order, after all have returned the
// same result. Without Node.js's modules: it also runs in a page.

import {
  calibrate,
  fresh,
  promiseChains,
  runChains,
  runLoop,
  syncLoop,
  wallTime,
} from '../cli/bench/clock.mjs';
import { median, quantile, rotated, spread } from '../cli/bench/numbers.mjs';

const WARM_UP_MS = 60;
const PAUSE_MS = 8;
/** Rounds are left out when a row takes longer than this, down to MIN_ROUNDS. */
const BUDGET_MS = 12_000;
const MIN_ROUNDS = 3;

/**
 * Measures a row: `wait` is `sync` or `promise`, `inFlight` the calls in flight, `per` the
 * operations of a call, `measure` `call` for the time until a call returns, `returned` for calls
 * that return the seconds. A form is a call, or an array of calls, one for each in flight; one with
 * a `target` writes its result there. All must return `expected`, by default what the last form
 * returns; those of a `verified` row were compared before.
 *
 * Returns `{ competitor, seconds, spread, least, lower }` for each form, in the order of `forms`.
 * `seconds` is the median of the rounds, `least` their minimum, `lower` their lowest decile and
 * quartile. Calls `begin` after the warm-up. `now` is the clock of synchronous rows.
 */
export async function measureForms(
  row,
  forms,
  { rounds, time, warmUp = WARM_UP_MS, now = wallTime, begin = () => {} },
) {
  const competitors = [];
  for (const [name, form] of Object.entries(forms)) {
    if (!form) continue;
    const calls = Array.isArray(form) ? form : new Array(row.inFlight ?? 1).fill(form);
    competitors.push({ name, calls, seconds: [], latencies: [] });
  }
  if (row.measure !== 'returned' && !row.verified) await verify(row, competitors);
  /** @type {(competitor: any, milliseconds: number, time: number, now: any) => Promise<number>} */
  const turn = { call: held, returned }[row.measure] ?? (row.wait === 'sync' ? loop : flight);
  for (const competitor of competitors) await turn(competitor, warmUp, time, now);
  for (const competitor of competitors) competitor.latencies.length = 0;
  begin();
  const start = performance.now();
  for (let round = 0; round < rounds; round++) {
    if (round >= MIN_ROUNDS && performance.now() - start > BUDGET_MS) break;
    for (const competitor of rotated(competitors, round))
      competitor.seconds.push((await turn(competitor, time, time, now)) / (row.per ?? 1));
  }
  return competitors.map(({ name, seconds, latencies }) => ({
    competitor: name,
    seconds: median(seconds),
    spread: spread(seconds),
    ...(row.measure !== 'returned' && { least: Math.min(...seconds) }),
    lower: [quantile(seconds, 0.1), quantile(seconds, 0.25)],
    ...(row.wait === 'promise' &&
      row.measure === undefined && {
        p50: quantile(latencies, 0.5),
        p99: quantile(latencies, 0.99),
      }),
  }));
}

/** Compares the results of all calls, all in flight at once. */
async function verify({ name: row, expected }, competitors) {
  const results = [];
  for (const { calls } of competitors) {
    const answers = await Promise.all(calls.map((call) => call()));
    results.push(answers.map((answer, index) => textOf(calls[index].target ?? answer)));
  }
  const wanted = expected === undefined ? results.at(-1)[0] : textOf(expected);
  for (const [index, { name }] of competitors.entries())
    if (results[index].some((text) => text !== wanted))
      throw new Error(`${row}: ${name} has another result`);
}

function textOf(result) {
  if (Array.isArray(result)) return result.map((part) => textOf(part)).join('');
  if (typeof result !== 'object') return String(result);
  const bytes = new Uint8Array(result.buffer ?? result, result.byteOffset, result.byteLength);
  if (globalThis.Buffer)
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('hex');
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Seconds for one call, in a loop of synchronous calls. */
async function loop(competitor, milliseconds, time, now) {
  const [call] = competitor.calls;
  competitor.loop ??= fresh(syncLoop);
  competitor.count ??= calibrate(competitor.loop, call, time, milliseconds, now);
  return runLoop(competitor.loop, call, competitor.count, now);
}

/** Seconds for one call with all calls in flight. */
async function flight(competitor, milliseconds) {
  competitor.chains ??= fresh(promiseChains);
  const { seconds, latencies } = await runChains(competitor.chains, competitor.calls, milliseconds);
  competitor.latencies.push(...latencies);
  return seconds;
}

function returned({ calls: [call] }) {
  return call();
}

/** Median seconds until a call returns, the workers asleep before it. */
async function held({ calls: [call] }, milliseconds) {
  const times = [];
  const end = performance.now() + Math.max(milliseconds, 5 * PAUSE_MS);
  do {
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    const start = performance.now();
    const promise = call();
    times.push((performance.now() - start) / 1000);
    await promise;
  } while (performance.now() < end);
  return median(times);
}
