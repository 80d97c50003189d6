// The suites that depend most on the CPU, once for each tier of cpu-tiers.mjs.

import { createRequire } from 'node:module';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';

import { tierEnvironment, tiers, whyNot } from './cpu-tiers.mjs';
import { runRustTests } from './rust-tests.mjs';
import { Stop, root, skipped, step } from './steps.mjs';

/** Families of the conformance suite, and tests, that the short form has. */
const quick = {
  families: ['hashes', 'hmacs', 'many', 'ciphers', 'seals', 'derivations'],
  files: ['test/scheduling/cancellation-midway.test.mjs'],
  tests: ['--test-name-pattern=/^chacha20-poly1305|^aes-256-gcm, pool/'],
};

/**
 * A step for each tier, or for those that `chosen` names: Rust's tests of the core, the conformance
 * suite on the native engine, published vectors, routes and cancelling, lifecycle.
 */
export function cpuTiers(chosen, { short = false } = {}) {
  const unknown = chosen.find((name) => !tiers.some((tier) => tier.short === name));
  if (unknown !== undefined) {
    throw new Stop(
      `millrace: there is no tier ${unknown}: ${tiers.map((tier) => tier.short).join(', ')}`,
    );
  }
  const wanted = tiers.filter((tier) => chosen.length === 0 || chosen.includes(tier.short));
  return wanted.map((tier) => [`as on ${tier.name}`, () => runTier(tier, short)]);
}

async function runTier(tier, short) {
  const title = `as on ${tier.name}`;
  const reason = whyNot(tier, featuresHere());
  if (reason !== undefined) return skipped(title, reason);
  const env = { ...process.env, ...tierEnvironment(tier) };
  const failed = [];
  const attempt = async (run) => {
    try {
      await run();
    } catch (error) {
      if (!(error instanceof Stop)) throw error;
      failed.push(error.message);
    }
  };
  const core = ['--package', 'millrace-core', ...(short ? ['--lib'] : [])];
  await attempt(() => runRustTests(`${title}: Rust`, core, tierEnvironment(tier)));
  const suite = [join(root, 'test', 'conformance', 'host.mjs'), '--engine', 'native'];
  const families = short ? ['--families', quick.families.join(',')] : [];
  await attempt(() =>
    step(`${title}: conformance`, process.execPath, ['--expose-gc', ...suite, ...families], {
      env,
    }),
  );
  const files = short
    ? quick.files
    : [
        ...testsIn('test/scheduling'),
        ...testsIn('test/lifecycle'),
        'test/operations/vectors.test.mjs',
      ];
  const args = ['--expose-gc', '--test', ...(short ? quick.tests : []), ...files];
  await attempt(() =>
    step(
      `${title}: ${short ? 'cancelling' : 'vectors, scheduling, lifecycle'}`,
      process.execPath,
      args,
      { env },
    ),
  );
  if (failed.length > 0) throw new Stop(failed.join('\n'));
}

/** What this CPU has, hidden or not. */
function featuresHere() {
  return createRequire(import.meta.url)(root).engines().native.cpu.features;
}

function testsIn(folder) {
  return readdirSync(join(root, folder))
    .filter((file) => file.endsWith('.test.mjs'))
    .map((file) => `${folder}/${file}`);
}
