/**
 * Polls for the results of short jobs. Waking a sleeping event loop takes 5 to 40 us, longer than
 * such a job. Native code runs short jobs at a poll and decides when to stop
 * (crates/cost/src/sharing.rs).
 */
import { type Native, Poll } from '../base/frame.js';
import { POLLED_NS } from '../base/protocol.js';
import { nextTurn } from '#platform/base/runtime.js';

/** The engines that are polled until they have no more results. */
const polled = new Set<Native>();

/**
 * Polls the engine once per event-loop iteration if a job has this predicted cost, in nanoseconds.
 * A job that native code ran inline settles at a poll only: it wakes the loop for its workers' jobs.
 */
export function pollFor(binding: Native, cost: number): void {
  if (cost > POLLED_NS || polled.has(binding)) return;
  binding.beginPolling();
  if (polled.size === 0) nextTurn(poll);
  polled.add(binding);
}

function poll(): void {
  try {
    // Engines that their callbacks add are polled in the next iteration.
    const engines = [...polled];
    for (const binding of engines) if (binding.poll() !== Poll.Again) polled.delete(binding);
  } finally {
    if (polled.size > 0) nextTurn(poll);
  }
}
