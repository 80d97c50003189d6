/**
 * The usual engine: opened, and given the memory it shares with the front.
 */
import { desk, frame, ringBytes, type Native } from './frame.js';
import { openEngine } from './platform/node-engine.js';

/** The engine of calls that ask for none. */
export const native: Native = openEngine();

let settleArrived: (records: number) => void = () => {};

/** Names the function that settles finished jobs; it is called on the event loop. */
export function onSettle(settle: (records: number) => void): void {
  settleArrived = settle;
}

native.attach(frame, ringBytes, (records) => settleArrived(records), desk);
