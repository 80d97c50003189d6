// Assertions of these tests, and counts of open files.

import assert from 'node:assert/strict';
import { readdirSync, readlinkSync } from 'node:fs';

import millrace from 'millrace';

import { oracle } from '../support/oracles.mjs';

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

/** Asserts that the engine is not available, with a message that matches. */
export function unavailable(error, pattern, what) {
  assert.ok(error instanceof millrace.MillraceError, `${what}: ${error?.stack ?? error}`);
  assert.equal(error.code, 'ERR_ENGINE_UNAVAILABLE', `${what}: ${error.stack}`);
  assert.match(error.message, pattern, what);
}

/** Returns the error that a promise rejects with. */
export async function errorOf(promise, what) {
  const outcome = await Promise.resolve(promise).then(
    (value) => ({ value }),
    (error) => ({ error }),
  );
  assert.ok(
    outcome.error,
    `${what}: no error, but ` +
      (outcome.value instanceof Uint8Array
        ? `${outcome.value.length} bytes`
        : String(outcome.value)),
  );
  return outcome.error;
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
