// Threads beside the main one, each with a plan of its own.

import { Worker } from 'node:worker_threads';

/** Starts a thread; what fails in it fails the soak. It says 'flying' when its first steps are under way. */
export function startThread({ name, world, steps, exitAfter }) {
  const { largest, sea, files } = world;
  const worker = new Worker(new URL('./thread.mjs', import.meta.url), { workerData: { name, sea: sea.buffer, largest: Math.min(largest, 2 ** 20), steps, exitAfter, files }, stdout: true });
  worker.on('message', (message) => {
    if (message.failure) world.fail(message.failure.error, { ...message.failure.step, thread: name });
    if (message.done !== undefined) worker.stepsDone = message.done;
  });
  worker.on('error', (error) => world.fail(error, { number: -1, what: 'an error of the whole thread', thread: name }));
  return worker;
}
