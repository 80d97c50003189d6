// The pool's threads under two judges: loom tries every order in which a few of them can meet, ThreadSanitizer watches
// all that its tests do for two threads that touch the same memory without agreement.

import { join } from 'node:path';

import { prepareNativeBuild } from './prerequisites.mjs';
import { probe, root, skipped, step } from './steps.mjs';

/** The steps, as verbs.mjs runs them. Each has a build folder of its own, or the next build would begin anew. */
export async function sanitize() {
  const env = await prepareNativeBuild();
  const base = env.CARGO_TARGET_DIR ?? join(root, 'target');
  return [
    ['loom', () => loom({ ...env, CARGO_TARGET_DIR: join(base, 'loom') })],
    ['ThreadSanitizer', () => threadSanitizer({ ...env, CARGO_TARGET_DIR: join(base, 'tsan') })],
  ];
}

async function loom(env) {
  const args = ['test', '--release', '--package', 'millrace-pool', '--lib', 'model::'];
  await step('loom: every order of a few threads', 'cargo', args, { env: { ...env, RUSTFLAGS: '--cfg loom' } });
}

/** The sanitizers are of nightly Rust, and the standard library must be built along with it. */
async function threadSanitizer(env) {
  const title = 'ThreadSanitizer: the tests of the pool';
  const target = targets[`${process.platform} ${process.arch}`];
  if (target === undefined) return skipped(title, `not for ${process.platform} on ${process.arch}`);
  const installed = await probe('rustup', ['component', 'list', '--toolchain', 'nightly', '--installed'], { env });
  if (!/^rust-src/m.test(installed?.stdout ?? '')) return skipped(title, 'not installed (rustup toolchain install nightly --component rust-src)');
  const args = ['+nightly', 'test', '-Zbuild-std', '--target', target, '--package', 'millrace-pool', '--lib', '--tests'];
  await step(title, 'cargo', args, { env: { ...env, RUSTFLAGS: '-Zsanitizer=thread' } });
}

/** Where Rust has ThreadSanitizer. */
const targets = {
  'linux x64': 'x86_64-unknown-linux-gnu',
  'linux arm64': 'aarch64-unknown-linux-gnu',
  'darwin x64': 'x86_64-apple-darwin',
  'darwin arm64': 'aarch64-apple-darwin',
};
