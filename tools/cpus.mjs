// The suites that depend most on the CPU, once for each tier of cpu-tiers.mjs.

import { readdirSync } from 'node:fs';
import { join } from 'node:path';

import { everything, featuresHere, newest, tierEnvironment, tiers, whyNot } from './cpu-tiers.mjs';
import { runRustTests } from './rust-tests.mjs';
import { Stop, root, skipped, step } from './steps.mjs';

/** The core's tests on RustCrypto's crates, as on a target without AWS-LC and without kernels. */
const withoutAwsLc = {
  name: 'a target without AWS-LC',
  short: 'rust-crypto',
  hide: everything,
  ia32cap: '0x0:0x0',
  needs: [],
};

/** The tiers, and the families of the conformance suite, that the short form has. */
const quick = {
  tiers: ['haswell', 'nothing'],
  families: ['hashes', 'hmacs', 'many', 'ciphers', 'seals', 'derivations', 'asymmetric'],
};

/**
 * A step for each tier, or for those that `chosen` names: Rust's tests of the core and of keys, the
 * conformance suite on the native engine, published vectors, routes and cancelling, lifecycle. The
 * newest CPU's only if it is named, and then a CPU without AVX-512 fails. The other tiers skip;
 * kernels for AVX-512 would be tested nowhere if this one did too.
 */
export function cpuTiers(chosen, { short = false } = {}) {
  const all = [...tiers, withoutAwsLc, newest];
  const unknown = chosen.find((name) => !all.some((tier) => tier.short === name));
  if (unknown !== undefined) {
    throw new Stop(
      `millrace: there is no tier ${unknown}: ${all.map((tier) => tier.short).join(', ')}`,
    );
  }
  const names = short ? quick.tiers : chosen;
  const wanted =
    names.length === 0
      ? [...tiers, withoutAwsLc]
      : all.filter((tier) => names.includes(tier.short));
  return wanted.map((tier) => ({
    title: `as on ${tier.name}`,
    run: () => runTier(tier, short),
  }));
}

async function runTier(tier, short) {
  const title = `as on ${tier.name}`;
  const reason = whyNot(tier, featuresHere());
  if (reason !== undefined && tier === newest) throw new Stop(`millrace: ${title}: ${reason}`);
  if (reason !== undefined) return skipped(title, reason);
  const hidden = tierEnvironment(tier);
  if (tier === withoutAwsLc) {
    const features = ['--no-default-features', '--features', 'rust-crypto'];
    await runRustTests(`${title}: Rust`, ['--package', 'millrace-core', ...features], {
      env: hidden,
    });
    return;
  }
  const env = { ...process.env, ...hidden };
  const failed = [];
  const attempt = async (run) => {
    try {
      await run();
    } catch (error) {
      if (!(error instanceof Stop)) throw error;
      failed.push(error.message);
    }
  };
  // The short form needs no other build than `npm test`.
  const crates = ['core', 'request', 'public-keys'];
  const core = short ? ['--lib'] : crates.flatMap((name) => ['--package', `millrace-${name}`]);
  await attempt(async () => {
    const profile = short ? 'development' : 'release';
    const skips = await runRustTests(`${title}: Rust`, core, { env: hidden, profile });
    const lost = skips.filter((each) => / needs .*(avx512|vaes)/.test(each));
    if (tier === newest && lost.length > 0)
      throw new Stop(`millrace: ${title}: tests were skipped:\n${lost.join('\n')}`);
  });
  const suite = [join(root, 'test', 'conformance', 'host.mjs'), '--engine', 'native'];
  const families = short ? ['--families', quick.families.join(',')] : [];
  await attempt(() =>
    step(`${title}: conformance`, process.execPath, ['--expose-gc', ...suite, ...families], {
      env,
    }),
  );
  if (!short) {
    const files = [
      ...testsIn('test/scheduling'),
      ...testsIn('test/lifecycle'),
      'test/operations/vectors.test.mjs',
    ];
    await attempt(() =>
      step(
        `${title}: vectors, scheduling, lifecycle`,
        process.execPath,
        ['--expose-gc', '--test', ...files],
        { env },
      ),
    );
  }
  if (failed.length > 0) throw new Stop(failed.join('\n'));
}

function testsIn(folder) {
  return readdirSync(join(root, folder))
    .filter((file) => file.endsWith('.test.mjs'))
    .map((file) => `${folder}/${file}`);
}
