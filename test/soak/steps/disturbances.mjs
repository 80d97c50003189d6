// Disturbances beside the calls: collections, a busy main thread, other settings, other threads
// that come and go.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';

import millrace from 'millrace';
import promises from 'millrace/promises';

import { collectGarbage } from '../../support/garbage.mjs';
import { startThread } from '../threads.mjs';
import { busy } from './many.mjs';

/**
 * Returns a step: a collection now, with what is in flight; freed memory is allocated again and
 * overwritten.
 */
export function collection(rng) {
  const churn = rng.chance(0.5);
  return {
    what: `collection${churn ? ' and churn' : ''}`,
    async run() {
      collectGarbage();
      if (churn)
        for (const size of [32, 1000, 1025, 40_000, 300_000])
          for (let index = 0; index < 10; index++) Buffer.allocUnsafeSlow(size).fill(0xdd);
    },
  };
}

/** Returns a step that keeps the thread busy while jobs come back. */
export function stall(rng) {
  const ms = rng.between(1, 40);
  return { what: `busy for ${ms} ms`, run: async () => busy(ms) };
}

/** Settings of the process, for all its threads, with whatever is in flight. */
export function settings(rng) {
  const wanted = rng.pick([
    { threads: rng.between(1, 6) },
    { threads: rng.between(1, 6) },
    { route: rng.pick(['auto', 'auto', 'auto', 'pool', 'inline', 'split']) },
    { maxQueuedBytes: rng.pick([1, 100_000, 2 ** 24, 2 ** 40]) },
    // More than any step takes by itself.
    { maxKdfMemory: 2 ** 20 * rng.pick([24, 64, 1024]) },
  ]);
  const [[name, value]] = Object.entries(wanted);
  return {
    what: `configure({ ${name}: ${value} })`,
    async run() {
      // They are the process's, so another thread may have set another value since.
      assert.equal(typeof millrace.configure(wanted)[name], typeof value);
    },
  };
}

/**
 * Returns a step: refused calls, which must leave nothing behind, least of all in the call that
 * follows.
 */
export function refusal(rng) {
  const [code, method, ...args] = rng.pick(refusals);
  const run = async () => assert.rejects(promises[method](...args), { code });
  return { what: `${method} refused, ${code}`, run };
}

const [key, nonce] = [Buffer.alloc(32, 1), Buffer.alloc(12)];
const tag = key.subarray(4, 20);
const refusals = [
  ['ERR_UNKNOWN_ALGORITHM', 'hash', 'sha257', key],
  ['ERR_ARGUMENT_VALUE', 'hash', 'sha256', key, { target: Buffer.alloc(31) }],
  ['ERR_ARGUMENT_TYPE', 'hash', 'sha256', key, { target: 5 }],
  ['ERR_KEY_SIZE', 'seal', 'aes-128-gcm', { key, nonce, source: 'x' }],
  ['ERR_IV_SIZE', 'seal', 'aes-256-gcm', { key, nonce: Buffer.alloc(129), source: 'x' }],
  ['ERR_SOURCE_SIZE', 'open', 'aes-256-gcm', { key, nonce, source: Buffer.alloc(15) }],
  [
    'ERR_OVERLAP',
    'cipher',
    'aes-256-gcm',
    { encrypt: true, key, iv: nonce, source: key, target: key, tag },
  ],
];

/**
 * Returns a step: a thread with separate calls that ends by itself, calls process.exit, or is
 * terminated with all of them in flight.
 */
export function thread(rng, workspace) {
  const end = rng.pick(['terminated', 'terminated', 'exits', 'ends']);
  const delay = rng.below(60);
  const name = `${workspace.name}, thread ${rng.word()}`;
  const steps = end === 'ends' ? rng.between(1, 25) : 1e6;
  const what =
    `thread ${end}${end === 'ends' ? ` after ${steps} steps` : ` after ${delay} ms`} ` +
    `(${name})`;
  return {
    what,
    bytes: 64 * 2 ** 20,
    async run() {
      const started = startThread({
        name,
        workspace,
        steps,
        exitAfter: end === 'exits' ? delay : undefined,
      });
      const exit = once(started, 'exit');
      if (end === 'terminated') {
        await Promise.race([once(started, 'message'), exit]);
        await sleep(delay);
        await started.terminate();
      }
      const [code] = await exit;
      assert.equal(code, { terminated: 1, exits: 17, ends: 0 }[end], `${what}: exit code`);
      if (end === 'ends') assert.equal(started.stepsDone, steps, `${what}: ended before its steps`);
    },
  };
}
