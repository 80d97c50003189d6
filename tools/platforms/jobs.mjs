// The jobs of the rows: how many run at a time, and the line that each prints when it ends.

import { availableParallelism } from 'node:os';

import { Stop } from '../steps.mjs';

/**
 * @typedef {object} Result
 * @property {boolean} ok
 * @property {string} detail
 * @property {any} [value] what the job returns to its caller
 */

/**
 * Returns `attempt(row, what, job)`, which runs a job when its turn comes, prints a line, and
 * resolves to the job's value, or undefined if it failed. `failed` has the rows with a failure.
 * A job that throws Stop for lack of a tool is reported as not run.
 *
 * @param {number} width of the names of rows
 */
export function makeJobs(width) {
  // A build ends with one process for minutes, so two of them; a run is mostly one.
  const turns = { build: atMost(2), run: atMost(availableParallelism()) };
  /** @type {Set<string>} */
  const failed = new Set();

  function print(row, what, verdict, seconds, detail) {
    if (verdict === 'FAILED') failed.add(row);
    const columns = [row.padEnd(width), what.padEnd(5), verdict.padEnd(7)];
    console.log([...columns, `${seconds} s`.padStart(6), detail].join('  ').trimEnd());
  }

  /**
   * @param {string} row
   * @param {'build' | 'run' | 'core'} what
   * @param {() => Promise<Result>} job
   */
  async function perform(row, what, job) {
    const begin = performance.now();
    const seconds = () => Math.round((performance.now() - begin) / 1000);
    try {
      const { ok, detail, value } = await job();
      print(row, what, ok ? 'ok' : 'FAILED', seconds(), detail);
      return ok ? value : undefined;
    } catch (error) {
      if (!(error instanceof Stop)) throw error;
      // A failed step begins with the name of the program; a missing tool does not.
      const verdict = error.message.startsWith('millrace: ') ? 'FAILED' : 'not run';
      print(row, what, verdict, seconds(), error.message);
      return undefined;
    }
  }

  return {
    attempt: (row, what, job) =>
      turns[what === 'build' ? 'build' : 'run'](() => perform(row, what, job)),
    notRun: (row, reason) => print(row, 'run', 'not run', 0, reason),
    failed,
  };
}

/** Lets that many jobs run at a time, in the order in which they come. */
export function atMost(count) {
  const waiting = [];
  let free = count;
  return async (job) => {
    if (free === 0) await new Promise((resolve) => waiting.push(resolve));
    else free -= 1;
    try {
      return await job();
    } finally {
      const next = waiting.shift();
      if (next === undefined) free += 1;
      else next();
    }
  };
}
