/**
 * Jobs in flight. Native code reports a job by its slot.
 */
import { Form } from '../request/request.js';
import type { Completion } from './completions.js';

/** What belongs to the job of a slot, for one job after the other. */
export class Job {
  completion: Completion | undefined;
  /** Like the target, borrowed and kept from the garbage collector until the job settles. */
  source: Uint8Array | readonly Uint8Array[] | undefined;
  target: Uint8Array | undefined;
  /** Where a digest or tag goes when the job settles; this thread writes it, not a worker. */
  place: Uint8Array | undefined;
  placeOffset = 0;
  size = 0;
  form = Form.Size;
  /** True if the result is secret. */
  secret = false;
}

/** By slot. */
export const jobs: Job[] = [];

const freeSlots: number[] = [];

/** The number of jobs in flight. */
export let inFlight = 0;

/** Takes a slot for a job. */
export function acquireSlot(completion: Completion): number {
  const slot = freeSlots.pop() ?? jobs.push(new Job()) - 1;
  jobs[slot]!.completion = completion;
  inFlight += 1;
  return slot;
}

/** Frees a slot and the memory its job borrowed. */
export function releaseSlot(slot: number): void {
  const job = jobs[slot]!;
  job.completion = job.source = job.target = job.place = undefined;
  freeSlots.push(slot);
  inFlight -= 1;
}
