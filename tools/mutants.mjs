// cargo-mutants on what .cargo/mutants.toml names: each function is changed in turn, and the tests
// must fail.

import { join } from 'node:path';

import { prepareNativeBuild } from './prerequisites.mjs';
import { probe, root, skipped, stream } from './steps.mjs';

/**
 * npm run test:mutants -- [options of cargo-mutants], such as `--file crates/request/src/bytes.rs`,
 * `--shard 0/8` or `--list`. Resolves to the exit code: 2 if a change is not found.
 */
export async function mutants(args) {
  const env = await prepareNativeBuild();
  if ((await probe('cargo', ['mutants', '--version'], { env }))?.code !== 0) {
    skipped('mutants', 'not installed (cargo install --locked cargo-mutants)');
    return 0;
  }
  // A folder that stays: the libraries are not compiled anew.
  const target = join(root, 'target', 'mutants');
  return stream('cargo', ['mutants', '--output', target, '--baseline', 'skip', ...args], {
    env: { ...env, CARGO_TARGET_DIR: join(target, 'build') },
  });
}
