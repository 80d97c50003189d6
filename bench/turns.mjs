// Measures the forms of one row in turns, after all have returned the same result. Without modules
// of Node.js: it also runs in a page.

import { takeTurns } from '../cli/bench/clock.mjs';
import { median, quantile, spread } from '../cli/bench/numbers.mjs';

const WARM_UP_MS = 60;
const PAUSE_MS = 8;
/** Rounds are left out when a row takes longer than this. */
const BUDGET_MS = 12_000;

/**
 * Measures a row: `wait` is `sync` or `promise`, `inFlight` the calls in flight, `per` the
 * operations of a call, `measure` `call` for the time until a call returns, `returned` for calls
 * that return the seconds. A form is a call, or an array of calls, one for each in flight; one with
 * a `target` writes its result there. All must return `expected`, by default what the last form
 * returns; those of a `verified` row were compared before. A form's `beforeTurn` is called before
 * its turns.
 *
 * Returns `{ competitor, seconds, spread, least, lower }` for each form, in the order of `forms`.
 * `seconds` is the median of the rounds, `least` their minimum (not of a row with `medians`),
 * `lower` their lowest decile and quartile. Calls `begin` after the warm-up. `now` is the clock of
 * synchronous rows. `leaveOut` gets the name and the error of a competitor that fails; without it,
 * or if Millrace fails, the row fails. A form may be the error itself.
 */
export async function measureForms(row, forms, /** @type {any} */ settings) {
  const { wait, measure, inFlight = 1, per = 1, verified } = row;
  const { medians = measure === 'returned' } = row;
  const { leaveOut } = settings;
  /** Returns false for an error, after it has told it. */
  const works = (name, error) => {
    if (!(error instanceof Error)) return true;
    if (leaveOut === undefined || name.startsWith('millrace')) throw error;
    leaveOut(name, error);
    return false;
  };
  let candidates = Object.entries(forms)
    .filter(([name, form]) => form && works(name, form))
    .map(([name, form]) => {
      const calls = Array.isArray(form) ? form : new Array(inFlight).fill(form);
      const sample = { call: (time) => held(calls[0], time), returned: calls[0] }[measure];
      const { beforeTurn } = form;
      return /** @type {any} */ ({ name, calls, wait, sample, beforeTurn });
    });
  if (measure !== 'returned' && !verified) {
    await callAll(candidates);
    candidates = candidates.filter(({ name, failure }) => works(name, failure));
    verify(row, candidates);
  }
  await takeTurns(candidates, { warmUp: WARM_UP_MS, budget: BUDGET_MS, ...settings });
  candidates = candidates.filter(({ name, failure }) => works(name, failure));
  return candidates.map(({ name, samples, latencies }) => {
    const seconds = samples.map((each) => each / per);
    return {
      competitor: name,
      seconds: median(seconds),
      spread: spread(seconds),
      ...(!medians && { least: Math.min(...seconds) }),
      lower: [quantile(seconds, 0.1), quantile(seconds, 0.25)],
      ...(wait === 'promise' &&
        measure === undefined && {
          p50: quantile(latencies, 0.5),
          p99: quantile(latencies, 0.99),
        }),
    };
  });
}

/** Makes all calls of each candidate, all in flight at once: `results` or a `failure`. */
async function callAll(candidates) {
  for (const candidate of candidates) {
    const { calls } = candidate;
    try {
      const answers = await Promise.all(calls.map((call) => call()));
      candidate.results = answers.map((answer, index) => textOf(calls[index].target ?? answer));
    } catch (error) {
      candidate.failure = error;
    }
  }
}

function verify({ name: row, expected }, candidates) {
  const wanted = expected === undefined ? candidates.at(-1).results[0] : textOf(expected);
  for (const { name, results } of candidates)
    if (results.some((text) => text !== wanted))
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

/** Median seconds until a call returns, the workers asleep before it. */
async function held(call, milliseconds) {
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
