// One batch: a variant at one concurrency.

'use strict';

const { createHash } = require('node:crypto');

const { logError } = require('../../ui.js');

/** Of the failures of a batch so many are kept to be shown. */
const samples = 5;

/**
 * @typedef {object} Batch
 * @property {string} variant
 * @property {number} concurrency
 * @property {number} iterations
 * @property {number} ok iterations
 * @property {number} fail iterations
 * @property {number} time in ms
 * @property {number} iterationRate those that were ok, a second
 * @property {number} callRate calls that gave a key, a second
 * @property {number} p50 of the latency of these calls, in ms; NaN if there were none
 * @property {number} p90
 * @property {number} p99
 * @property {object[]} failures the first few
 */

/**
 * @param {{ name: string, scrypt: import('./variants.js').Scrypt }} variant
 * @param {number} concurrency
 * @param {import('./settings.js').Settings} settings
 * @param {() => void} [tick] called when an iteration is over
 * @returns {Promise<Batch>}
 */
async function runBatch(
  { name, scrypt },
  concurrency,
  { iterations, mode, seed, keylen, cost },
  tick = () => {},
) {
  const latencies = [];
  const failures = [];
  let next = 0;
  let ok = 0;
  let fail = 0;

  const timed = async ({ password, salt }) => {
    const begin = performance.now();
    const key = await scrypt(password, salt, keylen, cost);
    latencies.push(performance.now() - begin);
    return key;
  };
  /** Runs an iteration. Resolves to what is wrong with it, if anything. */
  const iterate = async (iteration) => {
    const input = inputOf(seed, iteration);
    try {
      const key = await timed(input);
      if (mode === 'random') return undefined;
      const again = await timed(input);
      return Buffer.compare(key, again) === 0
        ? undefined
        : { type: 'mismatch', iteration, first: beginning(key), second: beginning(again) };
    } catch (error) {
      return {
        type: 'error',
        iteration,
        code: error?.code,
        message: error?.message ?? String(error),
      };
    }
  };
  const lane = async () => {
    while (next < iterations) {
      const failure = await iterate(next++);
      if (failure === undefined) ok++;
      else if (fail++ < samples) failures.push(failure);
      tick();
    }
  };

  // Nothing but these calls keeps the process alive: if it ends now, one of them was forgotten.
  const forgotten = () => {
    logError(`variant=${name} conc=${concurrency}: a call has never settled`);
    process.exitCode = 1;
  };
  process.once('exit', forgotten);
  const begin = performance.now();
  await Promise.all(Array.from({ length: Math.min(concurrency, iterations) }, lane));
  const time = performance.now() - begin;
  process.off('exit', forgotten);

  const sorted = Float64Array.from(latencies).sort();
  return {
    variant: name,
    concurrency,
    iterations,
    ok,
    fail,
    time,
    iterationRate: ok / (time / 1000),
    callRate: latencies.length / (time / 1000),
    p50: percentile(sorted, 50),
    p90: percentile(sorted, 90),
    p99: percentile(sorted, 99),
    failures,
  };
}

/**
 * Returns the smallest sample that so many per cent of the samples do not exceed: nearest rank,
 * always one that was measured.
 */
function percentile(sorted, percent) {
  if (sorted.length === 0) return NaN;
  return sorted[Math.max(0, Math.ceil((percent * sorted.length) / 100) - 1)];
}

/**
 * Returns an input, with SHA-512 as the generator of random numbers: it depends on the seed and the
 * iteration, not on what has settled before.
 */
function inputOf(seed, iteration) {
  const bytes = createHash('sha512').update(`${seed} ${iteration}`).digest();
  return { password: bytes.subarray(0, 32), salt: bytes.subarray(32) };
}

const beginning = (key) => Buffer.from(key).toString('hex', 0, 8);

module.exports = { inputOf, percentile, runBatch };
