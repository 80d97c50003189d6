// Rust's tests by cargo, and what they skipped. The test harness knows no skipping at run time: a
// test that lacks something prints `skipped: PLACE: needs NAMES`, and that is collected here.

import { prepareNativeBuild } from './prerequisites.mjs';
import { step } from './steps.mjs';

// Not the examples, which clippy compiles, nor documentation, which has no tests.
const TARGETS = ['--lib', '--bins', '--tests'];

/**
 * Runs `cargo test --release`; throws Stop when a test fails. Prints how many places were skipped,
 * by the first name that was missing, and returns them: `PLACE: needs NAMES`.
 */
export async function runRustTests(title, choice, env = {}) {
  const args = [
    'test',
    '--release',
    ...choice,
    ...(choice.includes('--lib') ? [] : TARGETS),
    ...(process.env.CI ? ['--locked'] : []),
    '--',
    '--show-output',
  ];
  const said = await step(title, 'cargo', args, {
    env: { ...(await prepareNativeBuild()), ...env },
  });
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
