/**
 * Polls for the results of short jobs. Waking a sleeping event loop takes 5 to 40 us, longer than
 * such a job. Native code runs short jobs at a poll and decides when to stop
 * (crates/cost/src/sharing.rs).
 */
import { native } from '../engines/binding.js';
import { type Native, Poll } from '../base/frame.js';
import { POLLED_NS } from '../base/protocol.js';
import { nextTurn } from '#platform/base/runtime.js';

let polling = false;

/** Polls once per event-loop iteration if a job has this predicted cost, in nanoseconds. */
export function pollFor(binding: Native, cost: number): void {
  if (cost > POLLED_NS) return;
  if (binding !== native) pollOther(binding);
  else if (!polling) {
    polling = true;
    native.beginPolling();
    nextTurn(poll);
  }
}

function poll(): void {
  if (native.poll() === Poll.Again) nextTurn(poll);
  else polling = false;
}

/** Engines other than the default one that are polled until they have no more results. */
const polledOthers = new Set<Native>();

/**
 * Polls another engine. Without it a job that the engine ran inline would never settle, because the
 * engine wakes the loop for its workers' jobs only.
 */
function pollOther(binding: Native): void {
  if (polledOthers.has(binding)) return;
  polledOthers.add(binding);
  binding.beginPolling();
  const look = (): void => {
    if (binding.poll() === Poll.Again) nextTurn(look);
    else polledOthers.delete(binding);
  };
  nextTurn(look);
}
