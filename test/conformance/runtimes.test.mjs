// One build in every runtime that tools/runtimes.mjs finds: Node 20 to 26, Bun and Deno, by require
// and by import; and what each runtime refuses. `npm run test:runtimes` (MILLRACE_RUNTIMES=all)
// runs every case on both engines; the short form runs some families, as conformance/node.test.mjs
// runs every case in this version of Node.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createHash, scryptSync } from 'node:crypto';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';

import { findRuntime, makeProject, runtimes } from '../../tools/runtimes.mjs';
import { columnOf, documented, keep } from '../../tools/engines-table.mjs';
import { root } from '../support/child.mjs';

const project = makeProject();
const all = process.env.MILLRACE_RUNTIMES === 'all';

/** The restrictions of runtimes, and their replacements. */
const restrictions = [
  {
    title: 'no native addons',
    of: /^Node/,
    flags: ['--no-addons'],
    reason: /no-addons|loading addons is disabled/,
  },
  {
    title: '--permission without --allow-addons',
    of: /^Node 2[246]/,
    flags: [permissionFlag, '--allow-fs-read=*', '--allow-worker'],
    reason: /addons is disabled|ERR_DLOPEN_DISABLED/,
  },
  {
    title: 'without --allow-ffi',
    of: /^Deno/,
    run: ['run', '--no-prompt', '--allow-read', '--allow-env', '--allow-sys'],
    reason: /--allow-ffi/,
  },
  {
    title: 'without --allow-sys',
    of: /^Deno/,
    run: ['run', '--no-prompt', '--allow-read', '--allow-ffi'],
    native: true,
  },
  {
    title: 'without --allow-read',
    of: /^Deno/,
    run: ['run', '--no-prompt'],
    error: /--allow-read/,
  },
];

/**
 * Returns the flag of the permission model, from Node 22.13 on; before that it was an experiment.
 */
function permissionFlag({ version }) {
  const [major, minor] = version.split('.').map(Number);
  return major > 22 || (major === 22 && minor >= 13) ? '--permission' : '--experimental-permission';
}

/** The answers of restricted.mjs. */
const expected = {
  digest: createHash('sha256').update('abc').digest('hex'),
  long: createHash('sha256').update(new Uint8Array(3_000_000)).digest('hex'),
  opened: 300_000,
  key: scryptSync('password', 'salt', 16, { N: 16 }).toString('hex'),
  engines: true,
};

// Two at a time: most of it is a CPU's work.
describe('runtimes', { concurrency: 2 }, () => {
  for (const runtime of runtimes) {
    const found = findRuntime(runtime);
    test(runtime.name, { skip: found.missing && `not run: ${found.missing}` }, async (t) => {
      const { command, run, version } = found;
      t.diagnostic(`${runtime.name}: ${version}`);

      if (all) {
        await inFull(t, runtime, found);
      } else {
        const families = ['--families', 'seals,asymmetric,streams,processes,refusals,passwords'];
        await t.test('by require', () => suite(command, run, ['--require', ...families]));
        await t.test('by import, on the portable engine', () =>
          suite(command, run, ['--import', '--engine', 'portable', '--families', 'seals']),
        );
      }

      if (runtime.name.startsWith('Node'))
        await t.test('millrace/node-crypto beside node:crypto', () => besideNodeCrypto(command));

      for (const restriction of restrictions) {
        const { title, of, flags = [], run: instead = run, reason, error, native } = restriction;
        if (!of.test(runtime.name)) continue;
        await t.test(title, async () => {
          const given = flags.map((flag) => (typeof flag === 'function' ? flag(found) : flag));
          const { stdout, stderr } = await execute(command, [
            ...given,
            ...instead,
            join(root, 'test', 'conformance', 'restricted.mjs'),
            join(project, 'index.mjs'),
          ]);
          if (error !== undefined) {
            assert.match(stdout + stderr, error);
            return;
          }
          const { native: served, reason: why, warnings, ...answers } = JSON.parse(stdout);
          assert.deepEqual(answers, expected, stderr);
          if (native) {
            assert.equal(served, 'serves');
            assert.deepEqual(warnings, []);
            return;
          }
          // The portable engine serves, says so once, and a call that names `native` is told why.
          assert.equal(served, 'ERR_ENGINE_UNAVAILABLE');
          assert.match(why, reason);
          const told = warnings.filter((warning) => warning.startsWith('MILLRACE_NO_BINARY'));
          assert.equal(told.length, 1, warnings.join('\n'));
        });
      }
    });
  }
});

/** Tests every case by require, some by import, and every case on the portable engine. */
async function inFull(t, runtime, { command, run, version }) {
  await t.test('every case, by require', async () => {
    const { summary } = await suite(command, run, ['--require']);
    keep(runtime.name, { version, summary });
    assert.deepEqual(
      columnOf(summary),
      documented(runtime.name),
      'docs/engines.md has another column (node tools/engines-table.mjs writes it)',
    );
  });
  await t.test('by import', () =>
    suite(command, run, ['--import', '--families', 'seals,streams,processes,refusals']),
  );
  await t.test('every case, on the portable engine', () =>
    suite(command, run, ['--import', '--engine', 'portable']),
  );
}

/**
 * Tests the node:crypto entry point: what node:crypto exports, and how it answers, differs from
 * version to version.
 */
async function besideNodeCrypto(command) {
  for (const file of ['node-crypto', 'node-crypto-ciphers']) {
    const { stdout, code } = await execute(command, [
      '--test-reporter=tap',
      join(root, 'test', 'compat', `${file}.test.mjs`),
    ]);
    assert.match(stdout, /^# pass [1-9]/m);
    assert.equal(code, 0, stdout.slice(0, 4000));
  }
}

/** Runs conformance/host.mjs and returns its record. */
async function suite(command, run, args) {
  const json = join(project, `${process.pid}-${Math.random().toString(36).slice(2)}.json`);
  const { stdout, stderr, code } = await execute(command, [
    ...run,
    join(root, 'test', 'conformance', 'host.mjs'),
    '--from',
    project,
    '--json',
    json,
    ...args,
  ]);
  const failures = stdout.split('\n').filter((line) => line.startsWith('failed'));
  assert.equal(code, 0, `${failures.slice(0, 20).join('\n')}\n${stderr.slice(-2000)}`);
  const record = JSON.parse(await readFile(json, 'utf8'));
  await rm(json);
  return record;
}

function execute(command, args) {
  // With NODE_TEST_CONTEXT a test file would report to the runner of this one.
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  return new Promise((resolve) => {
    const child = execFile(
      command,
      args,
      { timeout: 300_000, killSignal: 'SIGKILL', maxBuffer: 2 ** 26, cwd: project, env },
      (_, stdout, stderr) => resolve({ stdout, stderr, code: child.exitCode }),
    );
  });
}
