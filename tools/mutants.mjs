// cargo-mutants on what .cargo/mutants.toml names: each function is changed in turn, and the tests
// must fail.

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';

import { prepareNativeBuild } from './prerequisites.mjs';
import { probe, root, skipped, stream } from './steps.mjs';

/** The crates with tests that find a change of a crate. */
const testedBy = {
  pool: ['millrace-pool'],
  request: ['millrace-request'],
  core: ['millrace-core', 'millrace-request'],
};

/**
 * Tests mutants: npm run test:mutants -- [pool] [request] [core] [options of cargo-mutants], such
 * as `--shard 0/8` or `--list`. Resolves to the exit code: 2 if a change is not found.
 */
export async function mutants(args) {
  const env = await prepareNativeBuild();
  if ((await probe('cargo', ['mutants', '--version'], { env }))?.code !== 0) {
    skipped('mutants', 'not installed (cargo install --locked cargo-mutants)');
    return 0;
  }
  const all = Object.keys(testedBy);
  const named = args.filter((arg) => all.includes(arg));
  const options = args.filter((arg) => !all.includes(arg));
  let worst = 0;
  for (const crate of named.length > 0 ? named : all) {
    // Folders that stay: the libraries are not compiled anew.
    const target = join(root, 'target', 'mutants', crate);
    mkdirSync(target, { recursive: true });
    const packages = testedBy[crate].flatMap((name) => ['--test-package', name]);
    const where = ['--package', `millrace-${crate}`, '--output', target];
    // A mutant costs an incremental build of seconds; the tests have passed before.
    const how = ['--profile', 'development', '--baseline', 'skip', '--timeout', '120'];
    const code = await stream('cargo', ['mutants', ...where, ...packages, ...how, ...options], {
      env: { ...env, CARGO_TARGET_DIR: join(root, 'target', 'mutants', 'build') },
    });
    worst = Math.max(worst, code);
  }
  return worst;
}
