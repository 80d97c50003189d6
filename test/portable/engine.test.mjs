// Runs tests of the entry points again on the portable engine, each file in a separate process
// with MILLRACE_ENGINE=portable. Quick files run always, all of them with `npm run test:portable`.
//
// Some folders and files are left out: lifecycle (the compiler and garbage collector of JavaScript
// copy keys; threads of the native engine), scheduling/{constant-overhead,costs,routes,split}
// (routes and costs of the native engine) and scheduling/cancellation-midway (takes minutes;
// workers.test.mjs covers how jobs stop).

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { join, relative } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';

import { testFiles } from '../../tools/test-files.mjs';
import { root } from '../support/child.mjs';

const NATIVE = 'tests threads, routes, costs or memory of the native engine';
const HEAVY = 'takes hours in JavaScript; smaller tests cover the same code';

const NO_HPKE = 'the portable engine has no HPKE';
const NOT_PORTABLE = 'restricted RSA-PSS keys, compressed points of P-384, and encrypted PKCS#8';

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
  'test/public-keys/keys.test.mjs': {
    'rsa-pss, restricted: every form is read and written as by node:crypto': NOT_PORTABLE,
    'the keys of node:crypto in raw forms': NOT_PORTABLE,
    'encrypted private keys': NOT_PORTABLE,
    'x-wing: the published encodings': NOT_PORTABLE,
    'a public key in the place of a private one': NOT_PORTABLE,
    'parts that contradict each other are refused': 'WebCrypto checks RSA keys when it uses them',
    'keys are equal by kind and public key': NOT_PORTABLE,
    'a key prints nothing of itself, and is not made by its class': NOT_PORTABLE,
  },
  'test/public-keys/keys-of-calls.test.mjs': {
    'long texts, and keys with a passphrase, are not kept': NOT_PORTABLE,
  },
  'test/scheduling/back-pressure.test.mjs': {
    'what waits for its turn in a recipient of HPKE counts until it has had it': NO_HPKE,
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
  'test/operations/hash-parts.test.mjs',
  'test/operations/key-kinds.test.mjs',
  'test/public-keys/keys-of-calls.test.mjs',
  'test/public-keys/keys.test.mjs',
  'test/request/arguments.test.mjs',
  'test/request/buffers.test.mjs',
  'test/request/getters.test.mjs',
  'test/request/options.test.mjs',
  'test/request/refusals.test.mjs',
  'test/request/signals.test.mjs',
  'test/scheduling/cancellation.test.mjs',
  'test/streams/files.test.mjs',
  'test/streams/outboards.test.mjs',
  'test/streams/sealed-parts.test.mjs',
];

/** All files, by folder and by name. */
const folders = ['request', 'operations', 'hashers', 'kdf', 'streams'];
const others = [
  'test/public-keys/keys-of-calls.test.mjs',
  'test/public-keys/keys.test.mjs',
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

const files = folders.flatMap((folder) => testFiles(folder).map((file) => relative(root, file)));
files.push(...others);

/** Runs a file but for the tests of these names; `{ code, stdout, stderr }`. */
function runFile(file, names) {
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const escaped = names.map((name) => name.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&'));
  // The file itself is a test too, of which all are parts: it must not be named, or all are.
  const pattern =
    names.length === 0 ? [] : [`--test-name-pattern=/^(?!(<root>|${escaped.join('|')})?$)/`];
  const args = ['--expose-gc', '--test-reporter=tap', ...pattern, join(root, file)];
  const more = { MILLRACE_ENGINE: 'portable', MILLRACE_UPSTREAM_RUNS: '1' };
  const options = { cwd: root, env: { ...env, ...more }, maxBuffer: 2 ** 28 };
  return promisify(execFile)(process.execPath, args, options).catch((error) => error);
}

const count = (output, what) => Number(new RegExp(`^# ${what} (\\d+)$`, 'm').exec(output)?.[1]);

test('the lists name existing files', () => {
  for (const file of [...Object.keys(except), ...quick])
    assert.ok(files.includes(file), `${file} does not exist`);
});

const concurrency = availableParallelism();

test('entry points pass their tests on the portable engine', { concurrency }, async (context) => {
  const given = process.env.MILLRACE_PORTABLE ? files : quick;
  const wanted = given.filter((file) => except[file]?.all === undefined);
  assert.ok(wanted.length >= 10);
  const tests = wanted.map((file) =>
    context.test(file, { timeout: 300_000 }, async () => {
      const { code = 0, stdout, stderr } = await runFile(file, Object.keys(except[file] ?? {}));
      const failures = stdout.split('\n').filter((line) => /^\s*not ok /.test(line));
      assert.equal(code, 0, `${failures.join('\n')}\n${stdout.slice(-2000)}${stderr}`);
      assert.equal(count(stdout, 'fail'), 0);
      assert.ok(count(stdout, 'pass') > 0, 'no test ran');
    }),
  );
  await Promise.all(tests);
});
