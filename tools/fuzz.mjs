// The fuzz targets under cargo-fuzz, then every export with hostile arguments.

import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

import { prepareNativeBuild } from './prerequisites.mjs';
import { Stop, probe, root, skipped, step } from './steps.mjs';

const folder = join(root, 'fuzz');

/**
 * Runs the fuzz targets:
 *   npm run test:fuzz -- [TARGET...] [--seconds 60] [--calls 100000] [--rust-crypto] [--keep]
 *
 * `--seconds` is the time of each target, `--calls` the number of hostile calls. With
 * `--rust-crypto` the primitives are those of WebAssembly; with `--keep` inputs that reach new code
 * are added to fuzz/corpus.
 *
 * @returns the steps of the targets, and the number of calls, 0 if only targets are named
 */
export async function fuzzing(args) {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      seconds: { type: 'string', default: '60' },
      calls: { type: 'string' },
      'rust-crypto': { type: 'boolean', default: false },
      keep: { type: 'boolean', default: false },
    },
  });
  const names = readdirSync(join(folder, 'corpus')).sort();
  const unknown = positionals.find((name) => !names.includes(name));
  if (unknown !== undefined)
    throw new Stop(`millrace: ${unknown} is not a target; there are ${names.join(', ')}`);
  const chosen = positionals.length > 0 ? positionals : names;
  const calls = Number(values.calls ?? (positionals.length > 0 ? 0 : 100_000));
  const seconds = Number(values.seconds);
  if (!(seconds > 0) || !(calls >= 0))
    throw new Stop('millrace: --seconds and --calls are numbers');
  const env = await prepareNativeBuild();
  // The toolchain that rust-toolchain.toml asks for is not nightly.
  delete env.RUSTUP_TOOLCHAIN;
  if ((await probe('cargo', ['+nightly', 'fuzz', '--version'], { env }))?.code !== 0) {
    skipped(
      'fuzz targets',
      'not installed (rustup toolchain install nightly, cargo install --locked cargo-fuzz)',
    );
    return { steps: [], calls };
  }
  const features = values['rust-crypto']
    ? ['--no-default-features', '--features', 'rust-crypto']
    : [];
  const run = { env, seconds, features, keep: values.keep };
  /** @type {import('./schedule.mjs').Task[]} */
  const steps = chosen.map((name) => ({ title: `fuzz ${name}`, run: () => fuzz(name, run) }));
  return { steps: [{ title: 'fuzz: the control', run: () => control(run) }, ...steps], calls };
}

/** Returns the arguments of cargo-fuzz before the name of a target. */
const cargoFuzz = (features) => [
  '+nightly',
  'fuzz',
  'run',
  '--fuzz-dir',
  folder,
  '--target-dir',
  join(root, 'target', 'fuzz'),
  ...features,
];

/** Fuzzes a target that has a mistake, which must be found. */
async function control({ env, features }) {
  const found = mkdtempSync(join(tmpdir(), 'millrace-fuzz-'));
  try {
    const limits = ['-max_len=64', '-max_total_time=120', `-artifact_prefix=${found}/`];
    await step(
      'fuzz: its control',
      'cargo',
      [...cargoFuzz(features), 'control', found, '--', ...limits],
      { env, mustFail: /the mistake of the control/ },
    );
  } finally {
    rmSync(found, { recursive: true, force: true });
  }
}

async function fuzz(name, { env, seconds, features, keep }) {
  const kept = join(folder, 'corpus', name);
  const found = join(root, 'target', 'fuzz-corpus', name);
  mkdirSync(found, { recursive: true });
  const common = cargoFuzz(features);
  const limits = ['-max_len=4096', '-rss_limit_mb=4096', '-timeout=20', '-print_final_stats=1'];
  const title = `fuzz ${name} for ${seconds} s`;
  const args = [...common, name, found, kept, '--', ...limits];
  // libFuzzer reports on standard error.
  const text = await step(title, 'cargo', [...args, `-max_total_time=${seconds}`], {
    env,
    output: 'all',
  });
  const last = (pattern) => [...text.matchAll(pattern)].at(-1)?.[1];
  const [edges, all] = [last(/cov: (\d+)/g), last(/\((\d+) inline 8-bit counters\)/g)];
  const runs = last(/number_of_executed_units: (\d+)/g) ?? '0';
  console.error(`  ${name}: ${runs} runs, ${edges} of ${all} edges, 0 crashes`);
  if (keep) {
    const merge = [...common, name, kept, found, '--', '-merge=1', '-max_len=4096'];
    await step(`keep new inputs of ${name}`, 'cargo', merge, { env });
  }
}
