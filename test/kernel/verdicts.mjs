// Assertions of these tests, and counts of open files.

import assert from 'node:assert/strict';
import { readdirSync, readlinkSync } from 'node:fs';

import millrace from 'millrace';

import { collectGarbage } from '../support/garbage.mjs';
import { oracle } from '../support/oracles.mjs';
import { does, waitings } from './calls.mjs';
import { readAccount } from './device/start.mjs';

/** Asserts that the result of a job is the one of its oracle. */
export function right(outcome, job, what, expected = oracle(job)) {
  const { output, tag } = outcome;
  assert.ok(Buffer.isBuffer(output), `${what}: not a Buffer`);
  if (!output.equals(expected.output)) {
    const at = output.findIndex((byte, index) => byte !== expected.output[index]);
    assert.fail(
      `${what}: ${output.length} bytes, wrong from byte ${at}: ` +
        `${output.subarray(at, at + 16).toString('hex')}, not ` +
        `${expected.output.subarray(at, at + 16).toString('hex')}`,
    );
  }
  if (expected.tag && job.encrypt)
    assert.equal(tag.toString('hex'), expected.tag.toString('hex'), `${what}: tag`);
}

/** Asserts that an engine, or the first of several that can, does a job right in every call style. */
export async function rightInEveryStyle(job, engine, what = job.algorithm, expected = oracle(job)) {
  for (const [way, wait] of Object.entries(waitings))
    right(await does(job, engine, wait), job, `${what}, ${way}`, expected);
}

/** Asserts that an engine cannot do a job in any call style, with a message that matches. */
export async function unavailableInEveryStyle(job, engine, pattern) {
  for (const [way, wait] of Object.entries(waitings))
    await unavailable(does(job, engine, wait), pattern, `${job.kind} ${job.algorithm}, ${way}`);
}

/**
 * Asserts that a promise rejects because the engine is not available, with a message that matches.
 * Returns the message.
 */
export async function unavailable(promise, pattern, what) {
  const error = await errorOf(promise, what);
  assert.ok(error instanceof millrace.MillraceError, `${what}: ${error?.stack ?? error}`);
  assert.equal(error.code, 'ERR_ENGINE_UNAVAILABLE', `${what}: ${error.stack}`);
  assert.match(error.message, pattern, what);
  return error.message;
}

/** Returns the error that a promise rejects with. */
export async function errorOf(promise, what) {
  let error;
  const note = (reason) => {
    error = reason;
    return true;
  };
  await assert.rejects(promise, note, what);
  return error;
}

/** Counts the open sockets and device files of this process. */
export function openFiles() {
  const targets = readdirSync('/proc/self/fd').map((name) => {
    try {
      return readlinkSync(`/proc/self/fd/${name}`);
    } catch {
      return ''; // the descriptor of this listing
    }
  });
  return {
    sockets: targets.filter((target) => target.startsWith('socket:')).length,
    devices: targets.filter((target) => target === '/dev/crypto').length,
  };
}

/** Counts this process's sockets, or sessions of the device. */
export function held(engine) {
  return engine === 'cryptodev' ? readAccount().sessions : openFiles().sockets;
}

/** Waits until no more are held than before, but for those kept for the next message. */
export async function released(engine, begin, what) {
  await until(
    () => held(engine) <= begin + 8,
    () => `${held(engine)} are open after ${what}, ${begin} were before`,
  );
}

/** Collects garbage until a condition holds; fails with `complaint` after some seconds. */
export async function until(condition, complaint) {
  for (let tries = 0; !condition(); tries++) {
    assert.ok(tries < 200, complaint());
    collectGarbage();
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/** Returns the warnings of the process while `work` runs and in the next turn of the event loop. */
export async function warningsOf(work) {
  const seen = [];
  const note = (warning) => seen.push(warning);
  process.on('warning', note);
  try {
    await work();
    await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
  } finally {
    process.off('warning', note);
  }
  return seen;
}
