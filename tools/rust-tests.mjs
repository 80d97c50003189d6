// Rust's tests by cargo, and what they skipped. The test harness knows no skipping at run time: a
// test that lacks something prints `skipped: PLACE: needs NAMES`, and that is collected here.

import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

import { cargo } from './cargo.mjs';
import { root } from './steps.mjs';

// Not the examples, which clippy compiles, nor documentation, which has no tests.
const TARGETS = ['--lib', '--bins', '--tests'];

/** The crates with tests. `--lib` would compile and link the others, too. */
const tested = readdirSync(join(root, 'crates')).filter(
  (name) => !/^test = false$/m.test(readFileSync(join(root, 'crates', name, 'Cargo.toml'), 'utf8')),
);

const toolsOfRust = ['rust-tests', 'checks', 'cargo', 'steps', 'prerequisites'];

/** Files and folders of the repository that compilers, lints and tests of Rust read. */
export const rustSources = [
  'Cargo.toml',
  'Cargo.lock',
  'rust-toolchain.toml',
  'rustfmt.toml',
  '.cargo',
  'crates',
  'fuzz',
  'test/vectors',
  ...toolsOfRust.map((name) => `tools/${name}.mjs`),
];

/**
 * Runs `cargo test`; throws Stop when a test fails. Prints how many places were skipped, by the
 * first name that was missing, and returns them: `PLACE: needs NAMES`.
 *
 * @param {string} title
 * @param {readonly string[]} choice of tests; all if empty
 * @param {{ env?: NodeJS.ProcessEnv, profile?: 'development' | 'release' }} options
 */
export async function runRustTests(title, choice = [], { env, profile = 'development' } = {}) {
  const packages = choice.includes('--package')
    ? []
    : tested.flatMap((name) => ['--package', `millrace-${name}`]);
  const targets = choice.includes('--lib') ? [] : TARGETS;
  const args = ['test', '--profile', profile, ...packages, ...choice, ...targets];
  const said = await cargo(title, [...args, '--', '--show-output'], { env });
  const skipped = [
    ...new Set([...said.matchAll(/^skipped: (.+: needs .+)$/gm)].map(([, text]) => text)),
  ];
  const counts = new Map();
  for (const text of skipped) {
    const [name] = /(?<=: needs )\S+/.exec(text);
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  const each = [...counts].map(([name, count]) => `${name} ${count}`).join(', ');
  console.error(
    `  ${title}: ${skipped.length} skipped, in whole or in ` +
      `part${each === '' ? '' : `, as they need: ${each}`}`,
  );
  return skipped;
}
