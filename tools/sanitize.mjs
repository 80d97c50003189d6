// What tests cannot see by themselves, under five oracles. loom tries every order in which a few
// threads of the pool can meet. Miri interprets safe and unsafe Rust by the rules of the language.
// ThreadSanitizer watches for two threads that touch the same memory without agreement,
// AddressSanitizer for memory that is not the code's own: in Rust's tests, and in Node under a soak.
// valgrind watches a short soak, Node and all, for memory that is read before it is written. Each
// must first report a mistake of crates/pool/tests/controls.rs; that of loom is one of its models.

import { existsSync } from 'node:fs';
import { join } from 'node:path';

import { everything } from './cpu-tiers.mjs';
import { prepareNativeBuild } from './prerequisites.mjs';
import { Stop, probe, root, skipped, step } from './steps.mjs';

/**
 * Returns steps as verbs.mjs runs them, each with a name; only those that are `chosen`, if any.
 * Each builds in a separate folder, or the next build would begin anew.
 *
 * @param {readonly string[]} chosen
 */
export async function oracles(chosen = []) {
  const env = await prepareNativeBuild();
  const base = env.CARGO_TARGET_DIR ?? join(root, 'target');
  const within = (name) => ({ ...env, CARGO_TARGET_DIR: join(base, name) });
  const runs = {
    loom: () => loom(within('loom')),
    miri: () => miri(within('miri')),
    thread: () => threadSanitizer(within('tsan')),
    address: () => addressSanitizer(within('asan')),
    valgrind: () => memcheck(within('valgrind')),
  };
  const unknown = chosen.find((name) => !Object.hasOwn(runs, name));
  if (unknown !== undefined)
    throw new Stop(`millrace: ${unknown}: there are ${Object.keys(runs).join(', ')}`);
  return Object.entries(runs)
    .filter(([title]) => chosen.length === 0 || chosen.includes(title))
    .map(([title, run]) => ({ title, run }));
}

async function loom(env) {
  const args = ['test', '--release', '--package', 'millrace-pool', '--lib', 'model::'];
  await step('loom: every order of a few threads', 'cargo', args, {
    env: { ...env, RUSTFLAGS: '--cfg loom' },
  });
}

/** Mistakes in crates/pool/tests/controls.rs: the name of the test, and what an oracle says. */
const race = { name: 'two_threads_write_without_agreement', mustFail: /data race/i };
const freed = { name: 'freed_memory_is_read', mustFail: /heap-use-after-free|Undefined Behavior/ };
const unwritten = {
  name: 'a_branch_depends_on_memory_that_was_never_written',
  mustFail: /uninitiali[sz]ed/,
};

const controlTests = ['--package', 'millrace-pool', '--test', 'controls'];

/** Runs a control as an oracle's tests; throws Stop unless the mistake is reported. */
function control(oracle, args, { name, mustFail }, env) {
  const all = [...args, ...controlTests, '--', '--ignored', '--exact', name];
  return step(`${oracle}: its control`, 'cargo', all, { env, mustFail });
}

/** The portable primitives: Miri cannot run AWS-LC's C and assembly. */
const portable = ['--no-default-features', '--features', 'rust-crypto'];

/**
 * Runs Miri; of the tests of crates/request those that compute little, as it is a thousand times
 * slower.
 */
async function miri(env) {
  const title = 'Miri: the pool, and how a call is decoded';
  if (!(await hasNightly('miri', env)))
    return skipped(title, 'not installed (rustup component add miri --toolchain nightly)');
  const flags = {
    ...env,
    MIRIFLAGS: '-Zmiri-disable-isolation',
    MILLRACE_CPU_HIDE: `${everything}`,
  };
  const test = ['+nightly', 'miri', 'test'];
  for (const mistake of [race, freed, unwritten]) await control('Miri', test, mistake, flags);
  const run = (args) => step(title, 'cargo', [...test, ...args], { env: flags });
  await run(['--package', 'millrace-pool', '--lib', 'sleep::']);
  const few = ['bytes::', 'keys::', 'decode::', 'wiping::copies', 'wiping::a_reply'];
  await run(['--package', 'millrace-request', ...portable, '--test', 'request', '--', ...few]);
}

/**
 * Runs ThreadSanitizer. The sanitizers are of nightly Rust; for this one the standard library must
 * be built along with the tests.
 */
async function threadSanitizer(env) {
  const title = 'ThreadSanitizer: the tests of the pool';
  const target = targets[`${process.platform} ${process.arch}`];
  if (target === undefined) return skipped(title, `not for ${process.platform} on ${process.arch}`);
  if (!(await hasNightly('rust-src', env)))
    return skipped(title, 'not installed (rustup toolchain install nightly --component rust-src)');
  const args = ['+nightly', 'test', '-Zbuild-std', '--target', target];
  // A backtrace of a panic that a test expects takes a minute.
  const flags = { ...env, RUSTFLAGS: '-Zsanitizer=thread', RUST_BACKTRACE: '0' };
  await control('ThreadSanitizer', args, race, flags);
  const tests = ['--package', 'millrace-pool', '--lib', '--tests'];
  await step(title, 'cargo', [...args, ...tests], { env: flags });
}

/** Runs Rust's tests, then a soak of the binding in Node, which loads the sanitizer first. */
async function addressSanitizer(env) {
  const title = 'AddressSanitizer: Rust tests';
  const target = targets[`${process.platform} ${process.arch}`];
  if (target === undefined) return skipped(title, `not for ${process.platform} on ${process.arch}`);
  if (!(await hasNightly('rustc', env)))
    return skipped(title, 'not installed (rustup toolchain install nightly)');
  // Some tests ask for more memory than there is.
  const options = 'detect_leaks=0:allocator_may_return_null=1';
  const flags = { ...env, RUSTFLAGS: '-Zsanitizer=address', ASAN_OPTIONS: options };
  const packages = ['core', 'request', 'pool'].flatMap((name) => ['--package', `millrace-${name}`]);
  // The allocator of a test program, which reads what is freed, is one of its tests.
  // Without link-time optimization, which would take minutes for each of these programs.
  const args = ['+nightly', 'test', '--profile', 'development', '--target', target];
  await control('AddressSanitizer', args, freed, flags);
  await step(title, 'cargo', [...args, ...packages, '--lib', '--tests'], { env: flags });
  await soakUnderAddressSanitizer(flags, target);
}

async function soakUnderAddressSanitizer(env, target) {
  const title = 'AddressSanitizer: a soak of the binding';
  const { stdout } = (await probe('cc', ['-print-file-name=libasan.so'])) ?? { stdout: '' };
  const runtime = stdout.trim();
  if (process.platform !== 'linux' || !existsSync(runtime))
    return skipped(title, "needs the C compiler's libasan.so");
  const how = ['--profile', 'development', '--target', target];
  const args = ['+nightly', 'build', ...how, '--package', 'millrace-node'];
  await step('build the binding with AddressSanitizer', 'cargo', args, { env });
  const binary = join(env.CARGO_TARGET_DIR, target, 'development', 'libmillrace_node.so');
  await step(
    title,
    process.execPath,
    [
      join(root, 'test', 'soak', 'main.mjs'),
      ...soakArguments({ seed: 5, seconds: 60, threads: 1, largest: 1_000_000, huge: 0 }),
    ],
    {
      env: {
        ...process.env,
        MILLRACE_BINARY: binary,
        LD_PRELOAD: runtime,
        // Node's own frames and its handler of faults are not the sanitizer's.
        ASAN_OPTIONS: `${env.ASAN_OPTIONS}:use_sigaltstack=0:handle_segv=0:detect_odr_violation=0`,
      },
    },
  );
}

/** Returns true if nightly Rust has a component. */
async function hasNightly(component, env) {
  const installed = await probe(
    'rustup',
    ['component', 'list', '--toolchain', 'nightly', '--installed'],
    { env },
  );
  return new RegExp(`^${component}\\b`, 'm').test(installed?.stdout ?? '');
}

/** Where Rust has ThreadSanitizer and AddressSanitizer. */
const targets = {
  'linux x64': 'x86_64-unknown-linux-gnu',
  'linux arm64': 'aarch64-unknown-linux-gnu',
  'darwin x64': 'x86_64-apple-darwin',
  'darwin arm64': 'aarch64-apple-darwin',
};

const soakArguments = (limits) =>
  Object.entries(limits).flatMap(([name, value]) => [`--${name}`, String(value)]);

/**
 * Runs a short soak under valgrind, some fifty times slower than without. valgrind knows AVX2, so
 * the paths for AVX-512 are not taken.
 */
async function memcheck(env) {
  const title = 'valgrind: a short soak';
  if ((await probe('valgrind', ['--version']))?.code !== 0) return skipped(title, 'not installed');
  const valgrind = [
    'valgrind',
    '--error-exitcode=99',
    '--smc-check=all-non-file',
    `--suppressions=${join(root, 'test', 'soak', 'valgrind.supp')}`,
  ];
  const target = targets[`${process.platform} ${process.arch}`] ?? '';
  // Where cargo looks for what runs its tests.
  const runner = `CARGO_TARGET_${target.toUpperCase().replaceAll('-', '_')}_RUNNER`;
  const flags = { ...env, [runner]: valgrind.slice(0, 2).join(' ') };
  await control('valgrind', ['test'], unwritten, flags);
  const limits = {
    seed: 5,
    seconds: 1200,
    steps: 150,
    threads: 0,
    largest: 50_000,
    huge: 0,
    patience: 600,
  };
  await step(title, process.execPath, [
    join(root, 'test', 'soak', 'main.mjs'),
    ...soakArguments(limits),
    '--under',
    valgrind.join(' '),
  ]);
}
