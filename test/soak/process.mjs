// The process of a soak (main.mjs starts it and watches it): the main thread with its steps,
// lasting threads beside it, rests in which nothing is in flight and memory is measured, and an
// idle time at the end.

import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';

import millrace from 'millrace';

import { live } from './environment.mjs';
import { idleness, assessMemory, measure } from './health.mjs';
import { plan } from './plan.mjs';
import { startThread } from './threads.mjs';
import { makeBytes, Workspace } from './workspace.mjs';

const options = JSON.parse(process.argv[2]);
const { seconds, largest, huge, first } = options;

let failed = false;
function fail(error, step = { number: -1, what: 'outside of all steps' }) {
  if (failed) return;
  failed = true;
  const { number, what, thread = workspace.name } = step;
  process.send({ failure: { number, what, thread, stack: error?.stack ?? String(error) } }, () =>
    process.exit(1),
  );
}

const bytes = makeBytes(Math.max(2 * largest, huge) + 2 ** 20);
const workspace = new Workspace({ name: options.thread, bytes, largest, huge, fail });
const heart = setInterval(beat, 500);
process.send({ threadsOfPool: millrace.configure().threads });

if (options.only !== undefined) await repeat();
else await soak();
clearInterval(heart);
workspace.close();
process.disconnect();

function beat() {
  const beside = Array.from(workspace.beside.values(), (unsettled) => unsettled()).flat();
  process.send({
    unsettled: [...workspace.ledger.unsettled(), ...beside].slice(0, 300),
    pool: millrace.engines().threads,
  });
}

/** Repeats one step many times. */
async function repeat() {
  const { only, times } = options;
  for (let round = 0; round < times; round++)
    await live(workspace, { first: only, goOn: (number) => number === only, fail });
  process.send({ done: { steps: times, what: plan(workspace, only).what } });
}

async function soak() {
  const beside = Array.from({ length: options.threads }, (_, index) =>
    startThread({ name: `lasting ${index + 1}`, workspace, steps: 2 ** 40 }),
  );
  /** Gives an order to all threads and returns their answers. */
  const order = (word, answer) =>
    Promise.all(
      beside.map(async (thread) => {
        thread.postMessage(word);
        for (;;) {
          const [message] = await once(thread, 'message');
          if (message[answer] !== undefined) return message;
        }
      }),
    );
  const begin = performance.now();
  // Some twenty rests, the first when everything has been used once.
  const samples = [];
  let next = begin + Math.max(1500, (seconds * 1000) / 20);
  async function measureAtRest() {
    await workspace.rest();
    samples.push(await measure());
  }
  async function rest() {
    await order('pause', 'paused');
    await measureAtRest();
    process.send({ sample: samples.at(-1) });
    for (const thread of beside) thread.postMessage('resume');
    next = performance.now() + (seconds * 1000) / 20;
  }
  const done = await live(workspace, {
    first,
    goOn: (number) => number - first < options.steps && performance.now() - begin <= seconds * 1000,
    pause: () => (performance.now() > next ? rest : undefined),
    fail,
  });
  const { calls, exceptions } = workspace.ledger;
  const ends = [{ done, calls, exceptions }, ...(await order('stop', 'done'))];
  await measureAtRest();
  await sleep(300); // Whatever lingers may do so, and a second settling may come.
  clearInterval(heart);
  const { milliseconds, share } = await idleness(options.idle);
  if (share > 0.2)
    fail(new Error(`${milliseconds.toFixed(0)} ms of CPU time in ${options.idle} idle seconds`));
  const memory = assessMemory(samples, options.under !== '');
  if (memory.grown !== undefined) fail(new Error(memory.grown));
  const sum = (name) => ends.reduce((total, end) => total + end[name], 0);
  process.send({
    done: {
      steps: sum('done'),
      calls: sum('calls'),
      exceptions: sum('exceptions'),
      memory: memory.told,
      idle: milliseconds,
    },
  });
}
