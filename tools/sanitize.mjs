// What tests cannot see by themselves, under three oracles. loom tries every order in which a few
// threads of the pool can meet; ThreadSanitizer watches all that the pool's tests do for two
// threads that touch the same memory without agreement; valgrind watches a short soak, Node and
// all, for memory that is read before it is written, or not ours.

import { join } from 'node:path';

import { prepareNativeBuild } from './prerequisites.mjs';
import { probe, root, skipped, step } from './steps.mjs';

/**
 * Steps as verbs.mjs runs them, each with a name. The first two build in folders of their own, or
 * the next build would begin anew.
 */
export async function oracles() {
  const env = await prepareNativeBuild();
  const base = env.CARGO_TARGET_DIR ?? join(root, 'target');
  return [
    ['loom', () => loom({ ...env, CARGO_TARGET_DIR: join(base, 'loom') })],
    ['ThreadSanitizer', () => threadSanitizer({ ...env, CARGO_TARGET_DIR: join(base, 'tsan') })],
    ['valgrind', memcheck],
  ];
}

async function loom(env) {
  const args = ['test', '--release', '--package', 'millrace-pool', '--lib', 'model::'];
  await step('loom: every order of a few threads', 'cargo', args, {
    env: { ...env, RUSTFLAGS: '--cfg loom' },
  });
}

/**
 * The sanitizers are of nightly Rust, and the standard library must be built along with the tests.
 */
async function threadSanitizer(env) {
  const title = 'ThreadSanitizer: the tests of the pool';
  const target = targets[`${process.platform} ${process.arch}`];
  if (target === undefined) return skipped(title, `not for ${process.platform} on ${process.arch}`);
  const installed = await probe(
    'rustup',
    ['component', 'list', '--toolchain', 'nightly', '--installed'],
    { env },
  );
  if (!/^rust-src/m.test(installed?.stdout ?? ''))
    return skipped(title, 'not installed (rustup toolchain install nightly --component rust-src)');
  const args = [
    '+nightly',
    'test',
    '-Zbuild-std',
    '--target',
    target,
    '--package',
    'millrace-pool',
    '--lib',
    '--tests',
  ];
  await step(title, 'cargo', args, { env: { ...env, RUSTFLAGS: '-Zsanitizer=thread' } });
}

/** Where Rust has ThreadSanitizer. */
const targets = {
  'linux x64': 'x86_64-unknown-linux-gnu',
  'linux arm64': 'aarch64-unknown-linux-gnu',
  'darwin x64': 'x86_64-apple-darwin',
  'darwin arm64': 'aarch64-apple-darwin',
};

/**
 * Some fifty times slower than the soak itself; valgrind knows AVX2, so the paths for AVX-512 are
 * not among those taken.
 */
async function memcheck() {
  const title = 'valgrind: a short soak';
  if ((await probe('valgrind', ['--version']))?.code !== 0) return skipped(title, 'not installed');
  const valgrind = [
    'valgrind',
    '--error-exitcode=99',
    '--smc-check=all-non-file',
    `--suppressions=${join(root, 'test', 'soak', 'valgrind.supp')}`,
  ];
  const limits = {
    seed: 5,
    seconds: 1200,
    steps: 150,
    threads: 0,
    largest: 50_000,
    huge: 0,
    patience: 600,
  };
  const args = Object.entries(limits).flatMap(([name, value]) => [`--${name}`, String(value)]);
  await step(title, process.execPath, [
    join(root, 'test', 'soak', 'main.mjs'),
    ...args,
    '--under',
    valgrind.join(' '),
  ]);
}
