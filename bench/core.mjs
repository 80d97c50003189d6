// The primitives without Node.js, beside ring's: builds and runs bench/core.
//
//   npm run bench -- core [--tier zen3|skylake|haswell|nehalem|nothing]
//
// `--tier` hides CPU features from Millrace and AWS-LC, not from ring.

import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

import { describeTier, tierEnvironment, tierOf } from '../tools/cpu-tiers.mjs';
import { machineName } from './machine.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const { values } = parseArgs({ options: { tier: { type: 'string' } } });
const tier = tierOf(values.tier);

const target = join(root, 'target', 'bench-core');
const built = spawnSync('cargo', ['build', '--release', '--locked', '--target-dir', target], {
  cwd: join(root, 'bench', 'core'),
  stdio: 'inherit',
});
if (built.status !== 0) process.exit(built.status ?? 1);
console.log(`${machineName()}; ${describeTier(tier)}\n`);
const { status } = spawnSync(join(target, 'release', 'millrace-bench-core'), {
  stdio: 'inherit',
  env: { ...process.env, ...(tier && tierEnvironment(tier)) },
});
process.exitCode = status ?? 1;
