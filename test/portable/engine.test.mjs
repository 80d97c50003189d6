// Runs tests of the entry points again on the portable engine, each file in a separate process
// with MILLRACE_ENGINE=portable. Quick files run always, all of them with `npm run test:portable`.
//
// Some folders and files are left out: lifecycle (the compiler and garbage collector of JavaScript
// copy keys; threads of the native engine), scheduling/{constant-overhead,costs,routes,split}
// (routes and costs of the native engine) and scheduling/cancellation-midway (takes minutes;
// workers.test.mjs covers how jobs stop).

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

import { root } from '../support/child.mjs';

const NATIVE = 'tests threads, routes, costs or memory of the native engine';
const HEAVY = 'takes hours in JavaScript; smaller tests cover the same code';

/** Tests that do not apply, by file and name; `all` for a whole file. */
const except = {
  'test/hashers/arguments.test.mjs': {
    'patched prototypes change no digest': 'the libraries call methods of typed arrays',
  },
  'test/hashers/stream.test.mjs': { 'memory stays flat over a stream of 2 GiB': HEAVY },
  'test/streams/files.test.mjs': {
    'a file without progress is read by a worker, through no call of node:fs':
      'only native workers read files',
  },
  'test/streams/sealed-streams.test.mjs': {
    '1 GiB flows through seal and open with constant memory': HEAVY,
  },
  'test/kdf/jobs.test.mjs': {
    'callbacks keep their context, and what they throw is an uncaughtException':
      'counts progress reports, which depend on speed',
  },
  'test/operations/differential.test.mjs': { all: 'vectors and conformance cover it' },
  'test/request/large.test.mjs': { all: HEAVY },
  'test/request/numbers.test.mjs': { all: 'writes frames for the native engine' },
  'test/request/result-memory.test.mjs': { all: NATIVE },
  'test/streams/file-batch.test.mjs': { all: 'only native workers read files' },
};

/** Files that take a few seconds. */
const quick = [
  'test/compat/crypto-async.test.mjs',
  'test/hashers/arguments.test.mjs',
  'test/kdf/arguments.test.mjs',
  'test/operations/batch-arguments.test.mjs',
  'test/operations/key-kinds.test.mjs',
  'test/request/arguments.test.mjs',
  'test/request/buffers.test.mjs',
  'test/request/getters.test.mjs',
  'test/request/options.test.mjs',
  'test/request/signals.test.mjs',
  'test/scheduling/cancellation.test.mjs',
  'test/streams/files.test.mjs',
];

/** All files, by folder and by name. */
const folders = ['test/request', 'test/operations', 'test/hashers', 'test/kdf', 'test/streams'];
const others = [
  'test/compat/bigint-hash-upstream.test.mjs',
  'test/compat/bigint-hash.test.mjs',
  'test/compat/crypto-async-upstream.test.mjs',
  'test/compat/crypto-async.test.mjs',
  'test/scheduling/back-pressure.test.mjs',
  'test/scheduling/cancellation.test.mjs',
  'test/scheduling/coalescing.test.mjs',
  'test/scheduling/settling.test.mjs',
  'test/scheduling/short-messages.test.mjs',
];

const files = [
  ...folders.flatMap((folder) =>
    readdirSync(join(root, folder))
      .filter((file) => file.endsWith('.test.mjs'))
      .map((file) => `${folder}/${file}`),
  ),
  ...others,
];

/** Runs a file; `{ code, output }`. */
function runFile(file, names) {
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const escaped = names.map((name) => name.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&'));
  // The file itself is a test too, of which all are parts: it must not be named, or all are.
  const pattern =
    names.length === 0 ? [] : [`--test-name-pattern=/^(?!(<root>|${escaped.join('|')})?$)/`];
  const child = spawn(
    process.execPath,
    ['--expose-gc', '--test-reporter=tap', ...pattern, join(root, file)],
    { cwd: root, env: { ...env, MILLRACE_ENGINE: 'portable', MILLRACE_UPSTREAM_RUNS: '1' } },
  );
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text) => {
      output += text;
    });
  return new Promise((resolve) => child.on('close', (code) => resolve({ code, output })));
}

const count = (output, what) => Number(new RegExp(`^# ${what} (\\d+)$`, 'm').exec(output)?.[1]);

test('the lists name existing files', () => {
  for (const file of [...Object.keys(except), ...quick])
    assert.ok(files.includes(file), `${file} does not exist`);
});

const run = process.env.MILLRACE_PORTABLE ? files : quick;
const concurrency = availableParallelism();

test(
  'the tests of the entry points pass on the portable engine',
  { concurrency },
  async (context) => {
    const wanted = run.filter((file) => except[file]?.all === undefined);
    assert.ok(wanted.length >= 10);
    await Promise.all(
      wanted.map((file) =>
        context.test(file, { timeout: 300_000 }, async () => {
          const { code, output } = await runFile(file, Object.keys(except[file] ?? {}));
          const failures = output.split('\n').filter((line) => /^\s*not ok /.test(line));
          assert.equal(code, 0, `${failures.join('\n')}\n${output.slice(-2000)}`);
          assert.equal(count(output, 'fail'), 0);
          assert.ok(count(output, 'pass') > 0, 'no test ran');
        }),
      ),
    );
  },
);
