/**
 * Polls for the results of short jobs. Waking a sleeping event loop takes 5 to 40 us, longer than
 * such a job (crates/node/src/completion.rs).
 */
import { native } from '../engines/binding.js';
import { type Native, Poll } from '../request/frame.js';
import { nextTurn } from '#platform/runtime.js';

/** Jobs below this predicted cost are polled once per event-loop iteration. */
const POLLED_COST_NS = 5_000;
let polling = false;
/**
 * The number of times to skip polling, doubled whenever polling found nothing, as on a busy
 * machine.
 */
let left = 0;
let penalty = 0;
const PENALTY_MAX = 1024;

/** Begins to poll if a job with this predicted cost, in nanoseconds, is worth it. */
export function pollFor(binding: Native, cost: number): void {
  if (cost >= POLLED_COST_NS) return;
  if (binding !== native) pollOther(binding);
  // The result of a job with cost 0 exists already: native code ran it inline.
  else if (!polling) beginPolling(cost === 0);
}

/** Starts polling. The result of a job that has already run is certain to be found. */
function beginPolling(certain: boolean): void {
  if (left > 0 && !certain) {
    left -= 1;
    return;
  }
  polling = true;
  native.beginPolling();
  nextTurn(poll);
}

function poll(): void {
  const outcome = native.poll();
  if (outcome === Poll.Again) {
    nextTurn(poll);
    return;
  }
  polling = false;
  penalty = outcome === Poll.TimedOut ? Math.min(penalty * 2 + 1, PENALTY_MAX) : 0;
  left = penalty;
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
