// One thread of the soak: begins the steps of its plan in order, as many at once as the plan says,
// and waits for all.

import { setImmediate as turn } from 'node:timers/promises';

import { plan, width } from './plan.mjs';

/** Bytes that the steps under way may hold together. */
const MOST_BYTES = 400 * 2 ** 20;

/**
 * Runs steps until `goOn` says no. `pause`, asked before each step, may give a promise to wait for
 * with nothing in flight.
 *
 * @returns how many steps were begun
 */
export async function live(workspace, { first = 0, goOn, pause = () => undefined, fail }) {
  const { ledger } = workspace;
  let number = first;
  let wake;
  const oneLess = () =>
    new Promise((resolve) => {
      wake = resolve;
    });
  const idle = async () => {
    while (ledger.size > 0) await oneLess();
  };
  const run = async (step) => {
    ledger.begin(step);
    try {
      await step.run();
    } catch (error) {
      fail(error, step);
    }
    ledger.end(step);
    wake?.();
  };
  for (; goOn(number); number++) {
    const pausing = pause();
    if (pausing !== undefined) {
      await idle();
      await pausing();
    }
    let step = plan(workspace, number);
    while (
      ledger.size >= width(workspace, number) ||
      (ledger.size > 0 && ledger.bytes + (step.bytes ?? 0) > MOST_BYTES)
    )
      await oneLess();
    void run(step);
    // What a step of many MiB holds must not count as grown memory while others are waited for.
    step = undefined;
    // Settling jobs must get their turn, however fast steps are begun.
    if (number % 8 === 7) await turn();
  }
  await idle();
  return number - first;
}
