// The kernel engine against kernels that have what this machine's may not: each visit boots a guest
// (tools/guest), runs files of cases/ in it with `node --test`, and repeats here what became of
// each test. Where no guest can be had, "not run" is said with the reason.
//
// MILLRACE_GUEST names the guest (uml or qemu), MILLRACE_KERNEL_CASES some of the cases, or `all`;
// without it the short form runs. If a guest is named, or MILLRACE_GUEST_REQUIRED is set, "not run"
// is a failure. `npm run test:kernel` sets them from its arguments.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, test } from 'node:test';

import { boot, findGuest } from '../../tools/guest/boot.mjs';
import { columnOf, documented, keep } from '../../tools/engines-table.mjs';
import { Stop } from '../../tools/steps.mjs';
import { root, temporary } from '../support/child.mjs';
import { served } from './engines.mjs';
import { anywhere, visits } from './visits.mjs';

const chosen = process.env.MILLRACE_KERNEL_CASES?.split(',').map((file) => basename(file, '.mjs'));
const wanted = ({ cases, short }) =>
  chosen === undefined
    ? short
    : cases.filter((name) => chosen.includes('all') || chosen.includes(name));

const guest = await findGuest(process.env.MILLRACE_GUEST).catch((error) => {
  if (!(error instanceof Stop)) throw error;
  return { reason: error.message };
});
const required = process.env.MILLRACE_GUEST_REQUIRED || process.env.MILLRACE_GUEST;
const notRun = guest.reason && !required ? `not run: ${guest.reason}` : false;
/**
 * The columns of docs/engines.md, by the file in which a guest leaves what it found: with
 * MILLRACE_KERNEL_ALL only.
 */
const columns = { 'conformance-af_alg': 'AF_ALG', 'conformance-cryptodev': '/dev/crypto' };

/** Algorithms that the kernels of some releases have by AF_ALG, and those of others lack. */
const moreByAge = ['blake2b512'];

const { MILLRACE_SEED, MILLRACE_KERNEL_ALL } = process.env;
const environment = {
  PYTHON: findPython(),
  ...(chosen === undefined && { MILLRACE_KERNEL_SHORT: '1' }),
  ...(MILLRACE_SEED && { MILLRACE_SEED }),
  ...(MILLRACE_KERNEL_ALL && { MILLRACE_KERNEL_ALL }),
};

describe('guests', { concurrency: 2 }, () => {
  for (const visit of visits.filter((each) => wanted(each).length > 0)) {
    const { name, blocked } = visit;
    test(`${name}${guest.name ? ` (${guest.name})` : ''}`, { skip: notRun }, async (t) => {
      assert.equal(guest.reason, undefined, `there is no guest: ${guest.reason}`);
      const job =
        `${quoted(process.execPath)} ` +
        `${testArguments(wanted(visit), '$shared/results').map(quoted).join(' ')}`;
      const { code, output, console, files, ms } = await boot(guest, job, {
        blocked,
        environment: { ...environment, MILLRACE_KERNEL_TEST: 'guest' },
        collect: ['results', ...Object.keys(columns)],
      });
      t.diagnostic(`${name}: ${(ms / 1000).toFixed(1)} s with the boot`);
      for (const [file, column] of Object.entries(columns)) await compare(t, column, files[file]);
      await repeat(t, files.results, { code, said: `${output}\n${console}` });
    });
  }
});

test('docs/engines.md has no more in its columns of the kernel than is asked of it here', () => {
  for (const [file, column] of Object.entries(columns)) {
    const cells = documented(column);
    const { hash, cipher } = served[file.replace('conformance-', '')];
    for (const algorithm of [...hash, ...cipher])
      assert.ok(algorithm in cells, `${column}: ${algorithm} has no cell`);
    for (const [algorithm, cell] of Object.entries(cells)) {
      const asked = hash.includes(algorithm) || cipher.includes(algorithm);
      const has = /\b(yes|digest|cipher)\b/.test(cell);
      if (!moreByAge.includes(algorithm) || !has)
        assert.equal(asked, has, `${column}: ${algorithm} is asked for, or not`);
    }
  }
});

const own = wanted(anywhere);
if (own.length > 0) {
  const reason = withoutAfAlg();
  test('the kernel of this machine', { skip: reason && `not run: ${reason}` }, async (t) => {
    const folder = temporary();
    const results = join(folder, 'results');
    try {
      const { status, stdout, stderr } = spawnSync(process.execPath, testArguments(own, results), {
        cwd: root,
        encoding: 'utf8',
        env: {
          ...process.env,
          ...environment,
          MILLRACE_KERNEL_TEST: 'here',
          NODE_TEST_CONTEXT: undefined,
        },
      });
      const said = `${stdout}\n${stderr}`;
      await repeat(t, readFileSync(results, 'utf8'), { code: status ?? undefined, said });
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
}

function testArguments(cases, results) {
  const files = cases.map((name) => join(root, 'test', 'kernel', 'cases', `${name}.mjs`));
  return [
    '--expose-gc',
    '--test',
    '--test-concurrency=1',
    `--test-reporter=${join(root, 'test', 'kernel', 'lines.mjs')}`,
    `--test-reporter-destination=${results}`,
    ...files,
  ];
}

/**
 * Holds the whole suite's summary, if it was run, against the table in the documentation, and keeps
 * it for that.
 */
async function compare(t, column, summary) {
  if (summary === '') return;
  keep(column, { version: guest.name, summary: JSON.parse(summary) });
  await t.test(`${column}: what docs/engines.md says of it`, () =>
    assert.deepEqual(columnOf(JSON.parse(summary)), documented(column)),
  );
}

/** Repeats each test that was run elsewhere, with its outcome; none may be missing. */
async function repeat(t, results, { code, said }) {
  const outcomes = results
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
  for (const { name, passed, skipped, error } of outcomes) {
    await t.test(name, { skip: skipped ? `${skipped}` : false }, () => {
      if (!passed) throw Object.assign(new Error(name), { stack: error });
    });
  }
  const tail = said.trim().split('\n').slice(-40).join('\n');
  const late = `it was ended after its limit of time; the last it said:\n${tail}`;
  assert.notEqual(code, undefined, late);
  if (outcomes.every(({ passed }) => passed))
    assert.equal(code, 0, `exit code ${code}, though no test failed; the last it said:\n${tail}`);
  assert.ok(outcomes.length > 0, `no test was run; the last it said:\n${tail}`);
}

/** Returns why this machine's own AF_ALG cannot be tested; undefined if it can. */
function withoutAfAlg() {
  if (process.platform !== 'linux') return `AF_ALG is of Linux, this is ${process.platform}`;
  const program = `
    try { require('millrace').hash('sha256', 'abc', { engine: 'af_alg' }); }
    catch (error) { console.log(error.message); }`;
  const options = { cwd: root, encoding: 'utf8' };
  const { stdout } = spawnSync(process.execPath, ['-e', program], options);
  return stdout.trim() || undefined;
}

// The command python3 may be a script that looks for Python.
function findPython() {
  const { status, stdout } = spawnSync('python3', ['-c', 'import sys; print(sys.executable)'], {
    encoding: 'utf8',
  });
  return status === 0 ? stdout.trim() : '';
}

// For sh; the folder shared with the guest is a variable there.
function quoted(text) {
  return text.includes('$shared') ? `"${text}"` : `'${text.replaceAll("'", "'\\''")}'`;
}
