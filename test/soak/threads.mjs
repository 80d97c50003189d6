// Threads beside the main one, each with its own plan.

import { Worker } from 'node:worker_threads';

/**
 * Starts a thread; what fails in it fails the soak. It says 'flying' when its first steps are under
 * way.
 */
export function startThread({ name, workspace, steps, exitAfter }) {
  const { largest, bytes, files } = workspace;
  const worker = new Worker(new URL('./thread.mjs', import.meta.url), {
    workerData: {
      name,
      bytes: bytes.buffer,
      largest: Math.min(largest, 2 ** 20),
      steps,
      exitAfter,
      files,
    },
    stdout: true,
  });
  let told = { unsettled: [], at: performance.now() };
  workspace.beside.set(name, () =>
    told.unsettled.map(({ seconds, ...step }) => ({
      ...step,
      thread: name,
      seconds: seconds + (performance.now() - told.at) / 1000,
    })),
  );
  worker.on('exit', () => workspace.beside.delete(name));
  worker.on('message', (message) => {
    if (message.unsettled) told = { unsettled: message.unsettled, at: performance.now() };
    if (message.failure)
      workspace.fail(message.failure.error, { ...message.failure.step, thread: name });
    if (message.done !== undefined) worker.stepsDone = message.done;
  });
  worker.on('error', (error) =>
    workspace.fail(error, { number: -1, what: 'an error of the whole thread', thread: name }),
  );
  return worker;
}
