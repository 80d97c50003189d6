/**
 * Opens the default engine and attaches the memory it shares with JavaScript. Other engines are
 * opened on first use (engines.ts).
 */
import { inputBuffer, frame, completionBytes, type Native, type Settle } from '../base/frame.js';
import { openDefaultEngine } from '#platform/engines/engine.js';

const opened = openDefaultEngine();

/** The default engine: native code, or the portable engine if there is no native code. */
export const native: Native = opened.binding;

/** Its name. */
export const nativeName = opened.name;

let settleArrived: Settle = () => {};

/** Sets the function that settles finished jobs, called on the event loop. */
export function onSettle(settle: Settle): void {
  settleArrived = settle;
}

/** Attaches the shared memory to an engine. */
export function attach(binding: Native): void {
  binding.attach(
    frame,
    completionBytes,
    (records, made) => settleArrived(records, made),
    inputBuffer,
  );
}

attach(native);

/** The engine that runs the job of each slot. */
export const servers: Native[] = [];
