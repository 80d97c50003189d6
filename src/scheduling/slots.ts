/**
 * Jobs in flight. Native code reports a job by its slot. The arrays hold what belongs to the job of
 * each slot, and keep the memory it borrows from the garbage collector.
 */
import { Form } from '../request/request.js';
import type { Completion } from './completions.js';

export const completions: (Completion | undefined)[] = [];
/** Borrowed until the job settles. */
export const lentSources: (Uint8Array | readonly Uint8Array[] | undefined)[] = [];
export const lentTargets: (Uint8Array | undefined)[] = [];
/** Where a digest or tag goes when the job settles; this thread writes it, not a worker. */
export const places: (Uint8Array | undefined)[] = [];
export const placeOffsets: number[] = [];
export const sizes: number[] = [];
export const forms: Form[] = [];
/** True if the result is secret. */
export const secrets: boolean[] = [];

const freeSlots: number[] = [];

/** The number of jobs in flight. */
export let inFlight = 0;

/** Takes a slot for a job. */
export function acquireSlot(completion: Completion): number {
  const slot = freeSlots.pop() ?? completions.length;
  completions[slot] = completion;
  lentSources[slot] = lentTargets[slot] = places[slot] = undefined;
  inFlight += 1;
  return slot;
}

/** Frees a slot and the memory its job borrowed. */
export function releaseSlot(slot: number): void {
  completions[slot] = lentSources[slot] = lentTargets[slot] = places[slot] = undefined;
  freeSlots.push(slot);
  inFlight -= 1;
}
