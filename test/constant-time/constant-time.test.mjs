// No branch and no address depends on a secret. Node.js runs under valgrind's memcheck, which
// reports each branch and address that depends on undefined bits, and keys, passwords and messages
// are marked as undefined (calls.mjs). What runs is the shipped binary, AWS-LC included, the
// JavaScript around it, and WebAssembly as V8 compiles it.
//
// valgrind knows no AVX-512, VAES and SHA-NI: it hides them, so that other kernels run.
// timing.clocks.mjs is for those. `npm run test:constant-time` runs all sizes, on several CPUs and
// on the portable engine, and fails without valgrind; MILLRACE_CONSTANT_TIME_CALLS=TEXT selects
// calls by their name.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';

import { tierEnvironment, tiers } from '../../tools/cpu-tiers.mjs';
import { controls, declared, watchedCalls } from './calls.mjs';
import { buildAddon, missing, watch } from './memcheck.mjs';

const everything = process.env.MILLRACE_CONSTANT_TIME === 'all';
const only = process.env.MILLRACE_CONSTANT_TIME_CALLS;

const skip = missing() ?? false;
if (everything && skip) throw new Error(`constant time cannot be tested here: ${skip}`);
const folder = mkdtempSync(join(tmpdir(), 'millrace-constant-time-'));
after(() => rmSync(folder, { recursive: true, force: true }));
const addon = skip === false ? buildAddon(folder) : '';

const tier = (name) => tierEnvironment(tiers.find(({ short }) => short === name));
const configurations = [
  { title: 'native engine, AVX2 and AES-NI', env: {} },
  { title: 'native engine, as on Nehalem', env: tier('nehalem'), long: true },
  { title: 'native engine, SSE2 only', env: tier('nothing'), long: true },
  { title: 'portable engine', env: { MILLRACE_ENGINE: 'portable' }, long: true, most: 'some' },
];

const checkConfiguration = ({ title, env, long, most = 'all' }) => {
  const reason = skip || (long && !everything && 'npm run test:constant-time');
  const sizes = everything ? most : 'few';
  test(
    `${title}: nothing depends on a secret but what is declared`,
    { skip: reason },
    async (t) => {
      const { calls, engines } = await watch(addon, { title, env, sizes, only });
      const engine = env.MILLRACE_ENGINE ?? 'native';
      for (const line of kernels(engines[engine].algorithms)) t.diagnostic(`${title}: ${line}`);
      const seen = new Map(calls.map((each) => [each.name, each]));
      for (const { name } of controls)
        assert.ok(only !== undefined || seen.get(name).errors > 0, `${name} is not reported`);
      const wrong = watchedCalls(sizes, engine)
        .filter(({ name }) => only === undefined || name.includes(only))
        .map((call) =>
          engine === 'portable' ? { ...call, leaks: call.portable ?? call.leaks } : call,
        )
        .flatMap((call) => faultsOf(call, seen.get(call.name)));
      assert.deepEqual(wrong, []);
      assert.ok(seen.size > 0, `no call has ${only} in its name`);
    },
  );
};

// The slowest first.
describe('under valgrind', { concurrency: availableParallelism() }, () =>
  configurations.toReversed().forEach(checkConfiguration),
);

/** Returns what is wrong with a call. */
function faultsOf({ name, leaks, times, boolean = false }, seen) {
  if (seen === undefined) return [`${name}: was not called`];
  const { errors, secretBytes, report } = seen;
  const faults = [];
  const most = times ?? (leaks === 'verdict' ? 1 : Infinity);
  const allowed = leaks === undefined ? 0 : most;
  if (leaks !== undefined) assert.ok(leaks in declared, leaks);
  if (errors > allowed) faults.push(`${name}: ${errors} reports\n${report}`);
  // A secret that gets lost on the way would hide every leak. In a table of the runtime's it does.
  if (!boolean && leaks !== 'text' && secretBytes === 0)
    faults.push(`${name}: the result does not depend on a secret`);
  return faults;
}

/** Says which code ran: the algorithms of each library with the same instructions. */
function kernels(algorithms) {
  const groups = new Map();
  for (const [name, { library, instructions }] of Object.entries(algorithms)) {
    const code = `${library} ${instructions?.join(' ') || 'without special instructions'}`;
    groups.set(code, [...(groups.get(code) ?? []), name]);
  }
  return [...groups].map(([code, names]) => `${code}: ${names.join(', ')}`);
}
