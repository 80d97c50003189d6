// The process of a soak (main.mjs starts it and watches it): the main thread with its steps,
// lasting threads beside it, rests in which nothing is in flight and memory is measured, and an
// idle time at the end.

import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';

import millrace from 'millrace';

import { collectGarbage } from '../support/garbage.mjs';
import { live } from './environment.mjs';
import { idleness, assessMemory, measure } from './health.mjs';
import { plan } from './plan.mjs';
import { startThread } from './threads.mjs';
import { makeBytes, routes, Workspace } from './workspace.mjs';

const options = JSON.parse(process.argv[2]);
const {
  under = [],
  seconds,
  steps: most,
  threads,
  largest,
  huge,
  first,
  only,
  times,
  thread: threadName,
  idle,
} = options;

let failed = false;
function fail(error, step = { number: -1, what: 'outside of all steps' }) {
  if (failed) return;
  failed = true;
  const { number, what, thread = workspace.name } = step;
  process.send({ failure: { number, what, thread, stack: error?.stack ?? String(error) } }, () =>
    process.exit(1),
  );
}

const workspace = new Workspace({
  name: threadName,
  bytes: makeBytes(Math.max(2 * largest, huge) + 2 ** 20),
  largest,
  huge,
  fail,
});
const heart = setInterval(beat, 500);
process.send({ routes, threadsOfPool: millrace.configure().threads });

if (only !== undefined) await repeat();
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
  for (let round = 0; round < times; round++)
    await live(workspace, { first: only, goOn: (number) => number === only, fail });
  process.send({ done: { steps: times, what: plan(workspace, only).what } });
}

async function soak() {
  const beside = Array.from({ length: threads }, (_, index) =>
    startThread({ name: `lasting ${index + 1}`, workspace, steps: 2 ** 40 }),
  );
  const begin = performance.now();
  const over = () => performance.now() - begin > seconds * 1000;
  // Some twenty rests, the first when everything has been used once.
  const samples = [];
  let next = begin + Math.max(1500, (seconds * 1000) / 20);
  const pause = () => (performance.now() > next ? rest : undefined);
  async function rest() {
    await Promise.all(
      beside.map(async (thread) => {
        thread.postMessage('pause');
        for (;;) if ((await once(thread, 'message'))[0].paused) return;
      }),
    );
    await workspace.rest();
    samples.push(await measure());
    process.send({ sample: samples.at(-1) });
    for (const thread of beside) thread.postMessage('resume');
    next = performance.now() + (seconds * 1000) / 20;
  }
  const steps = await live(workspace, {
    first,
    goOn: (number) => number - first < most && !over(),
    pause,
    fail,
  });
  const ends = await Promise.all(
    beside.map(async (thread) => {
      thread.postMessage('stop');
      for (;;) {
        const [message] = await once(thread, 'message');
        if (message.done !== undefined) return message;
      }
    }),
  );
  await workspace.rest();
  samples.push(await measure());
  await sleep(300); // Whatever lingers may do so, and a second settling may come.
  clearInterval(heart);
  const { milliseconds, share } = await idleness(idle);
  if (share > 0.2)
    fail(new Error(`${milliseconds.toFixed(0)} ms of CPU time in ${idle} idle seconds`));
  const memory = assessMemory(samples, under.length > 0);
  if (memory.grown !== undefined) fail(new Error(memory.grown));
  process.send({
    done: {
      steps: steps + ends.reduce((sum, { done }) => sum + done, 0),
      calls: workspace.ledger.calls + ends.reduce((sum, { calls }) => sum + calls, 0),
      exceptions:
        workspace.ledger.exceptions + ends.reduce((sum, { exceptions }) => sum + exceptions, 0),
      memory: memory.told,
      idle: milliseconds,
    },
  });
  collectGarbage();
}
