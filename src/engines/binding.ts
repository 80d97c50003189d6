/**
 * The usual engine: opened, and given the memory it shares with the front. Others join it when they
 * are asked for (engines.ts).
 */
import { inputBuffer, frame, completionBytes, type Native } from '../request/frame.js';
import { openDefaultEngine } from '#platform/engine.js';

const usual = openDefaultEngine();

/**
 * The engine of calls that ask for none: native code, or the portable engine where there is none.
 */
export const native: Native = usual.binding;

/** Which of both that is. */
export const nativeName = usual.name;

export type Settle = Parameters<Native['attach']>[2];

let settleArrived: Settle = () => {};

/** Names the function that settles finished jobs; it is called on the event loop. */
export function onSettle(settle: Settle): void {
  settleArrived = settle;
}

/** Gives an engine the memory it shares with the front. */
export function attach(binding: Native): void {
  binding.attach(
    frame,
    completionBytes,
    (records, instead) => settleArrived(records, instead),
    inputBuffer,
  );
}

attach(native);

/** Of each slot with a job in flight, who has the job. */
export const servers: Native[] = [];
