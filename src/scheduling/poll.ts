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
/** What polls each engine. */
const polls = new Map<Native, () => void>();

/**
 * Polls the engine once per event-loop iteration if a job has this predicted cost, in nanoseconds.
 * A job that native code ran inline settles at a poll only: workers' jobs alone wake the loop.
 */
export function pollFor(binding: Native, cost: number): void {
  if (cost > POLLED_NS || polled.has(binding)) return;
  binding.beginPolling();
  polled.add(binding);
  nextTurn(pollOf(binding));
}

/** Each engine has its own: what a callback queued runs before the next engine is polled. */
function pollOf(binding: Native): () => void {
  let poll = polls.get(binding);
  if (poll === undefined) {
    const again = (): void => {
      let goesOn = true;
      try {
        goesOn = binding.poll() === Poll.Again;
      } finally {
        if (goesOn) nextTurn(again);
        else polled.delete(binding);
      }
    };
    poll = again;
    polls.set(binding, poll);
  }
  return poll;
}
