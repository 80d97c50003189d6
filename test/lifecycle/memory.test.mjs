// Memory runs short: calls fail with ERR_OUT_OF_MEMORY, the process continues, and later calls
// work. Each case runs in a process with an address space that is limited once everything is
// loaded.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';

import { run } from '../support/child.mjs';

const skip =
  process.platform !== 'linux'
    ? 'prlimit is Linux'
    : spawnSync('prlimit', ['--version']).status !== 0 && 'prlimit (util-linux) is not there';

/**
 * The message of Node.js when it aborts because its own allocations fail: it is not this library
 * that ends the process then.
 */
const NODE_ABORTS = /std::bad_alloc|Fatal process out of memory|FATAL ERROR: .*(?:memory|heap)/i;
const ATTEMPTS = 8;

/**
 * Keeps V8 from collecting young objects on threads while memory is short: its scavenger does not
 * check what malloc returns for its worklists, and the process ends with SIGSEGV in
 * Worklist::Local::PublishPushSegment (Node.js 20).
 */
const NO_SCAVENGER = [
  '--min-semi-space-size=32',
  '--max-semi-space-size=64',
  '--single-threaded-gc',
];

/**
 * Runs the program of {@link shortOfMemory} until Node.js survives it. Returns undefined, and has
 * the test skipped, if it never does.
 */
async function inShortMemory(t, program) {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const found = await shortOfMemory(program);
    if (found !== undefined) return found;
  }
  t.skip(
    `skipped: Node.js itself aborted in ${ATTEMPTS} of ${ATTEMPTS} attempts, as its own ` +
      'memory ran short',
  );
  return undefined;
}

/**
 * Runs a program in which `short(bytes)` leaves so much address space, and `ample()` takes that
 * back; `outcome(call)` names what came of a call.
 */
async function shortOfMemory(program) {
  const { code, signal, stdout, stderr } = await run(
    `
    const { execFileSync } = require('node:child_process');
    const { readFileSync } = require('node:fs');
    const limit = (soft) =>
      execFileSync('prlimit', ['--pid', String(process.pid), '--as=' + soft + ':']);
    const short = (bytes) =>
      limit(
        Number(/VmSize:\\s+(\\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))[1]) * 1024 +
          bytes,
      );
    const ample = () => limit('unlimited');
    const name = (error) => error.code ?? error.message;
    const outcome = (call) => {
      try {
        call();
        return 'done';
      } catch (error) {
        return name(error);
      }
    };
    const settled = async (promise) => promise.then(() => 'done', name);
    const MiB = 1 << 20;
    // The kernel ends a process with SIGSEGV when the main thread's stack cannot grow: it grows
    // before memory is short.
    const deep = (levels) => (levels === 0 ? 0 : 1 + deep(levels - 1));
    deep(8000);
    (async () => {
      ${program};
    })().catch((error) => {
      console.error(error);
      process.exitCode = 1;
    });
  `,
    { flags: ['--expose-gc', ...NO_SCAVENGER] },
  );
  assert.doesNotMatch(stderr, /memory allocation of \d+ bytes failed/);
  if (signal !== null && NODE_ABORTS.test(stderr)) return undefined;
  assert.deepEqual([code, signal], [0, null], stderr);
  return JSON.parse(stdout);
}

const OUT_OF_MEMORY = 'ERR_OUT_OF_MEMORY';

test('a first large result works when 32 MiB cannot be allocated', { skip }, async (t) => {
  const found = await inShortMemory(
    t,
    `
    const [key, nonce, source] = [Buffer.alloc(32), Buffer.alloc(12), Buffer.alloc(2 * MiB, 1)];
    const seal = () => promises.seal('aes-256-gcm', { key, nonce, source });
    await promises.hash('sha256', source); // Workers need no memory for their stacks any more.
    short(16 * MiB);
    const first = await settled(seal());
    ample();
    const sealed = await seal();
    const later = millrace.open('aes-256-gcm', { key, nonce, source: sealed }).equals(source);
    console.log(JSON.stringify({ first, later }));
  `,
  );
  if (found !== undefined) assert.deepEqual(found, { first: 'done', later: true });
});

test('a lack of memory is an error', { skip }, async (t) => {
  const outcomes = await inShortMemory(
    t,
    `
    const room = Buffer.alloc(65 * MiB);
    const [source, target] = [room.subarray(0, 100), room.subarray(1, 1 + 64 * MiB)];
    // Over the source, so that it is put together elsewhere.
    const long = { target, outputLength: 64 * MiB };
    const cost = { N: 2 ** 17, r: 8, maxmem: 512 * MiB };
    const hungry = { message: 'password', memory: 128 * 1024, passes: 1 };
    await promises.hash('sha256', source);
    millrace.configure({ maxKdfMemory: 1024 * MiB });
    const calls = {
      digest: () => millrace.hash('shake128', source, long),
      scrypt: () => millrace.scrypt('password', 'salt', 32, cost),
      lanes: () => millrace.scrypt('password', 'salt', 32, { ...cost, N: 2, r: 1, p: 2 ** 20 }),
      argon2: () => millrace.argon2('argon2id', { ...hungry, nonce: Buffer.alloc(16) }),
    };
    const outcomes = {};
    short(24 * MiB);
    for (const [name, call] of Object.entries(calls)) outcomes[name] = outcome(call);
    outcomes.scryptLater = await settled(promises.scrypt('password', 'salt', 32, cost));
    outcomes.digestLater = await settled(promises.hash('shake128', source, long));
    outcomes.copied = await settled(promises.hash('sha256', room));
    outcomes.small = await settled(promises.hash('sha256', source));
    ample();
    outcomes.after = outcome(calls.digest);
    console.log(JSON.stringify(outcomes));
  `,
  );
  if (outcomes === undefined) return;
  const { small, after, ...refused } = outcomes;
  assert.deepEqual([small, after], ['done', 'done']);
  for (const [name, outcome] of Object.entries(refused)) assert.equal(outcome, OUT_OF_MEMORY, name);
});

test('if no thread can be started the work is done inline', { skip }, async (t) => {
  const outcomes = await inShortMemory(
    t,
    `
    const source = Buffer.alloc(100_000, 7);
    const expected = millrace.hash('sha256', source, 'hex');
    const few = Array.from({ length: 20 }, () => source);
    const right = (digest) => digest === expected;
    short(1 * MiB); // A thread's stack takes 2.
    const outcomes = await Promise.all(
      few.map((each) => promises.hash('sha256', each, 'hex').then(right, name)),
    );
    ample();
    console.log(JSON.stringify(outcomes));
  `,
  );
  if (outcomes === undefined) return;
  assert.deepEqual(
    outcomes.filter((each) => each !== true && each !== OUT_OF_MEMORY),
    [],
  );
  assert.ok(outcomes.includes(true), outcomes.join());
});

test(
  'more calls than there is memory for: all settle, and those that follow are right',
  { skip },
  async (t) => {
    const found = await inShortMemory(
      t,
      `
    // The memory that is left when a copy does not fit is enough for Node itself.
    const source = Buffer.alloc(3 * MiB, 7);
    await promises.hash('sha256', Buffer.alloc(100));
    short(24 * MiB);
    const call = () => settled(promises.hash('sha256', source, { route: 'pool' }));
    const outcomes = await Promise.all(Array.from({ length: 300 }, call));
    ample();
    const digest = await promises.hash('sha256', source, 'hex');
    const codes = [...new Set(outcomes)].sort();
    const expected = millrace.hash('sha256', source, 'hex');
    console.log(JSON.stringify({ codes, digest, expected }));
  `,
    );
    if (found === undefined) return;
    const { codes, digest, expected } = found;
    assert.deepEqual(
      codes.filter((code) => code !== 'done'),
      [OUT_OF_MEMORY],
    );
    assert.equal(digest, expected);
  },
);
