// The tests of the doors once more, with the portable engine under them: files in processes of
// their own, where MILLRACE_ENGINE says so. What is left out of them is named here, with the
// reason. Not among them: test/lifecycle/secrets (JavaScript cannot promise that nothing is left of
// a key: its compiler and collector copy as they like), test/lifecycle/threads, test/async/costs,
// held, routes and split, and test/results/memory (about threads, routes, prices and memory of the
// native engine), test/async/cancellation-midway (minutes; how jobs are stopped is tested in
// workers.test.mjs), test/differential (judges the same calls as test/vectors and
// test/conformance).

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

import { root } from '../support/child.mjs';

const NATIVE = 'about threads, routes, prices or memory of the native engine';
const HEAVY =
  'hours of data for what JavaScript does in a second; the way is that of smaller tests';

/** Tests that do not apply, by file and name; `all` for a whole file. */
const except = {
  'test/hashers/arguments.test.mjs': {
    'patched prototypes change no digest':
      'the libraries call methods of typed arrays, which whoever changes them changes for all',
  },
  'test/hashers/stream.test.mjs': { 'memory stays flat over a stream of 2 GiB': HEAVY },
  'test/sealed-streams.test.mjs': {
    '1 GiB flows through seal and open with constant memory': HEAVY,
  },
  'test/kdf/jobs.test.mjs': {
    'memory is kept for the next, and given back when none follows': NATIVE,
    'callbacks keep their context, and what they throw is an uncaughtException':
      'it counts reports of progress, of which a slower engine has more',
  },
  'test/boundary/large.test.mjs': { all: HEAVY },
  'test/boundary/numbers.test.mjs': { all: 'writes frames for the native engine by hand' },
  'test/whole/paths.test.mjs': { all: 'only native workers read files by themselves' },
};

/** Folders whose files test behaviour, and such files of others. */
const folders = ['test/boundary', 'test/hashers', 'test/many', 'test/kdf', 'test/whole'];
const others = [
  'test/async/back-pressure.test.mjs',
  'test/async/cancellation.test.mjs',
  'test/async/company.test.mjs',
  'test/async/settling.test.mjs',
  'test/async/short-messages.test.mjs',
  'test/bigint-hash-upstream.test.mjs',
  'test/bigint-hash.test.mjs',
  'test/crypto-async-upstream.test.mjs',
  'test/crypto-async.test.mjs',
  'test/sealed-streams.test.mjs',
  'test/vectors.test.mjs',
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

test('what is left out is there', () => {
  for (const file of Object.keys(except))
    assert.ok(files.includes(file), `${file} is not run anyway`);
});

// Two minutes: in CI, and by `npm run test:portable`. test/conformance goes through the same doors
// in every run.
const skip =
  process.env.CI || process.env.MILLRACE_PORTABLE
    ? false
    : 'not run: two minutes; npm run test:portable';

test('through every door', { skip, concurrency: availableParallelism() }, async (context) => {
  const wanted = files.filter((file) => except[file]?.all === undefined);
  assert.ok(wanted.length > 25);
  await Promise.all(
    wanted.map((file) =>
      context.test(file, { timeout: 900_000 }, async () => {
        const names = Object.keys(except[file] ?? {});
        const { code, output } = await runFile(file, names);
        const failures = output.split('\n').filter((line) => /^\s*not ok /.test(line));
        assert.equal(code, 0, `${failures.join('\n')}\n${output.slice(-2000)}`);
        assert.equal(count(output, 'fail'), 0);
        assert.ok(count(output, 'pass') > 0, 'nothing was tested');
      }),
    ),
  );
});
