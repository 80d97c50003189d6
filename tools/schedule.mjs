// Runs tasks side by side: as many as there are CPUs, in their order, each when what it needs is
// done and its lane is free.

import { Stop } from './steps.mjs';

/**
 * @typedef {object} Task
 * @property {string} title
 * @property {() => Promise<unknown>} run throws {@link Stop} if it fails
 * @property {string} [lane] of its tasks one runs at a time
 * @property {readonly string[]} [needs] titles
 * @property {readonly string[]} [reads] files and folders that it depends on; all if undefined
 */

/**
 * Runs every task even if one fails, so that one run shows all failures; what needs a failed one is
 * not run. Resolves to the titles of those that failed or were not run, and the seconds of each.
 *
 * @param {readonly Task[]} tasks
 * @param {number} concurrency
 */
export async function runTasks(tasks, concurrency) {
  const waiting = [...tasks];
  const known = new Set(tasks.map(({ title }) => title));
  const done = new Map();
  const lanes = new Set();
  const failed = [];
  const seconds = new Map();
  /** @type {(() => void)[]} */
  let idle = [];
  const next = () => {
    for (const [index, task] of waiting.entries()) {
      const needs = (task.needs ?? []).filter((title) => known.has(title));
      if (lanes.has(task.lane) || !needs.every((title) => done.has(title))) continue;
      waiting.splice(index, 1);
      return { task, lost: needs.some((title) => !done.get(title)) };
    }
    return undefined;
  };
  const worker = async () => {
    while (waiting.length > 0) {
      const found = next();
      if (found === undefined) {
        await new Promise((resolve) => idle.push(() => resolve(undefined)));
        continue;
      }
      const { task, lost } = found;
      if (task.lane !== undefined) lanes.add(task.lane);
      const start = performance.now();
      done.set(task.title, !lost && (await succeeds(task)));
      seconds.set(task.title, (performance.now() - start) / 1000);
      if (!done.get(task.title)) failed.push(task.title);
      lanes.delete(task.lane);
      const woken = idle;
      idle = [];
      for (const wake of woken) wake();
    }
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
  return { failed, seconds };
}

async function succeeds({ run }) {
  try {
    await run();
    return true;
  } catch (error) {
    if (!(error instanceof Stop)) throw error;
    if (error.message !== '') console.error(error.message);
    return false;
  }
}
