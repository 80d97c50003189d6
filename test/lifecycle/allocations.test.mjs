// Every allocation of native code fails once, in each operation: the call fails with
// ERR_OUT_OF_MEMORY or gives the right result, and the next call works. `npm run test:allocations`
// does this for all algorithms and call styles, and also fails all further allocations of a call.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

import { root } from '../support/child.mjs';
import { failingBinary } from '../../tools/build.mjs';

const everything = process.env.MILLRACE_ALLOCATIONS === 'all';
const program = join(root, 'test', 'support', 'failing-allocations.mjs');
/** Operations of a process. */
const CHUNK = 40;

const skip = !existsSync(failingBinary) && 'the binary is built by `npm test` and by its own name';

const env = { ...process.env, MILLRACE_BINARY: failingBinary };

/** Runs the program; returns its exit status or signal, and what it printed. */
const run = (request) =>
  new Promise((resolve) => {
    const options = { env, maxBuffer: 2 ** 28 };
    const args = [program, JSON.stringify(request)];
    execFile(process.execPath, args, options, (error, stdout, stderr) =>
      resolve({ end: error?.signal ?? error?.code ?? 0, stdout, stderr }),
    );
  });

/**
 * Runs all operations with `count` failing allocations; returns the failures, and errors by name.
 */
async function failEach(count) {
  const { stdout, stderr, end } = await run({ everything });
  assert.equal(end, 0, stderr);
  const names = JSON.parse(stdout);
  const total = names.length;
  const [failures, errors] = [[], new Map()];
  async function worker() {
    for (let chunk = names.splice(0, CHUNK); chunk.length > 0; chunk = names.splice(0, CHUNK)) {
      const { stdout, stderr, end } = await run({ names: chunk, count, everything });
      const lines = Array.from(stdout.trim().split('\n'), (line) => line.split('\t'));
      for (const [name, state, number] of lines)
        if (state === 'done') errors.set(name, Number(number));
      if (everything) console.error(`${total - names.length} of ${total} operations`);
      if (end === 0) continue;
      const [name, state] = lines.at(-1);
      const at = chunk.indexOf(name) + (state === 'done' ? 1 : 0);
      failures.push(`${chunk[at]}, allocation ${state}: ends with ${end}: ${stderr.slice(0, 600)}`);
      names.push(...chunk.slice(at + 1));
    }
  }
  await Promise.all(Array.from({ length: availableParallelism() }, worker));
  return { failures, errors };
}

test('each allocation that fails is a coded error or has no effect', { skip }, async () => {
  const { failures, errors } = await failEach(1);
  assert.deepEqual(failures, []);
  // The failures do happen.
  for (const name of ['createKey of a long key', 'scrypt', 'createCipher aes-256-gcm'])
    assert.ok(errors.get(name) > 0, `${name}: ${errors.get(name)} errors`);
});

test('the first asynchronous call of a process survives each of them', { skip }, async () => {
  for (const name of ['many long hashes', ...(everything ? ['promises.scrypt'] : [])]) {
    for (let from = 1, more = true; more; from++) {
      const { end, stdout, stderr } = await run({ names: [name], from });
      assert.equal(end, 0, `${name}, allocation ${from - 1}: ${stderr}`);
      more = stdout.includes('\tmore\t');
    }
  }
});

test(
  'so does each allocation after which all others fail too',
  { skip: skip || (!everything && 'npm run test:allocations') },
  async () => {
    const { failures } = await failEach(1e6);
    assert.deepEqual(failures, []);
  },
);
