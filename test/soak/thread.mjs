// A thread beside the main one (threads.mjs starts it).

import { parentPort, workerData } from 'node:worker_threads';

import { collectGarbage } from '../support/garbage.mjs';
import { live } from './environment.mjs';
import { Workspace } from './workspace.mjs';

const { name, bytes, largest, steps, exitAfter, files } = workerData;
const fail = (error, { number, what } = { number: -1, what: 'outside of all steps' }) =>
  parentPort.postMessage({ failure: { error, step: { number, what } } });
const workspace = new Workspace({ name, bytes: Buffer.from(bytes), largest, huge: 0, fail, files });
let stopping = false;
let resume;
let pausing = false;

parentPort.on('message', (order) => {
  if (order === 'stop') stopping = true;
  if (order === 'pause') pausing = true;
  if (order === 'resume') resume?.();
});
// Only a thread that may be stopped is kept by its port.
if (steps < 1e6 || exitAfter !== undefined) parentPort.unref();

async function pause() {
  pausing = false;
  await workspace.rest();
  collectGarbage();
  const resumed = new Promise((resolve) => {
    resume = resolve;
  });
  parentPort.postMessage({ paused: true });
  await resumed;
}

setInterval(
  () => parentPort.postMessage({ unsettled: workspace.ledger.unsettled().slice(0, 100) }),
  500,
).unref();
if (exitAfter !== undefined) setTimeout(() => process.exit(17), exitAfter);
parentPort.postMessage({ flying: true });
const done = await live(workspace, {
  goOn: (number) => !stopping && number < steps,
  pause: () => (pausing ? pause : undefined),
  fail,
});
await workspace.rest();
parentPort.postMessage({
  done,
  calls: workspace.ledger.calls,
  exceptions: workspace.ledger.exceptions,
});
parentPort.unref();
