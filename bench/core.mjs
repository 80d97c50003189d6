// The primitives without Node.js, beside those of AWS-LC, ring and other crates: builds and runs
// bench/core.
//
//   npm run bench -- core [--tier all|A|B|S|C|nehalem|nothing]... [--match TEXT]
//
// `--tier` hides CPU features from all of them: crates ask the CPU by `cpuid`, which is replaced in
// a copy of the program (bench/core/src/hidden.rs). `all` are the tiers that this CPU can be.

import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

import {
  describeTier,
  featuresHere,
  letterOf,
  tierEnvironment,
  tiersOf,
  whyNot,
} from '../tools/cpu-tiers.mjs';
import { root } from '../tools/steps.mjs';
import { machineName, today } from './machine.mjs';
import { digits } from './report.mjs';

const { values } = parseArgs({
  options: {
    tier: { type: 'string', multiple: true, default: [] },
    match: { type: 'string', default: '' },
  },
});
const features = featuresHere();
const chosen = tiersOf(values.tier).filter((tier) => {
  const reason = tier && whyNot(tier, features);
  if (reason !== undefined) console.error(`${letterOf(tier)}: ${reason}`);
  return reason === undefined;
});

const target = join(root, 'target', 'bench-core');
const built = spawnSync('cargo', ['build', '--release', '--locked', '--target-dir', target], {
  cwd: join(root, 'bench', 'core'),
  stdio: 'inherit',
});
if (built.status !== 0) process.exit(built.status ?? 1);
const program = join(target, 'release', 'millrace-bench-core');
const { copy, reason } = chosen.some((tier) => tier?.hide.length > 0) ? asking(program) : {};

/** Rows by name and bytes, with the forms of each tier. */
const rows = new Map();
for (const tier of chosen) {
  const hiding = tier !== undefined && tier.hide.length > 0;
  const output = execFileSync(hiding && copy ? copy : program, [values.match], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, ...(tier && tierEnvironment(tier)) },
  });
  for (const line of output.trim().split('\n')) {
    const [name, bytes, form, ns] = line.split('\t');
    const key = `${name} | ${bytes}`;
    if (!rows.has(key)) rows.set(key, new Map());
    const forms = rows.get(key);
    forms.set(tier, [...(forms.get(tier) ?? []), { form, ns: Number(ns), bytes: Number(bytes) }]);
  }
}

console.log(`${machineName().replace(/, v[\d.]+$/, '')}; ${today()}.`);
console.log(
  `Tiers: ${chosen.map((tier) => `${letterOf(tier)}: ${describeTier(tier)}`).join('; ')}.`,
);
if (reason !== undefined)
  console.log(`Nothing is hidden from other libraries than AWS-LC: ${reason}.`);
const heads = chosen.flatMap((tier) => [
  `${letterOf(tier)}: Millrace`,
  'best other / ours',
  'AWS-LC / ours',
]);
console.log(
  `\n| operation | bytes | ${heads.join(' | ')} |\n|---|---|${'---|'.repeat(heads.length)}`,
);
for (const [name, forms] of rows)
  console.log(`| ${[name, ...chosen.flatMap((tier) => cellsOf(forms.get(tier)))].join(' | ')} |`);

function cellsOf([ours, ...others]) {
  const best = others.length > 0 ? others.reduce((a, b) => (b.ns < a.ns ? b : a)) : undefined;
  const awsLc = others.find(({ form }) => form === 'aws-lc');
  return [
    ours.bytes < 1024 ? `${digits(ours.ns)} ns` : `${digits(ours.bytes / ours.ns)} GB/s`,
    best === undefined ? '-' : `${ratio(ours, best)} ${best.form}`,
    awsLc === undefined ? '-' : ratio(ours, awsLc),
  ];
}

function ratio(ours, other) {
  const text = (other.ns / ours.ns).toFixed(2);
  return Number(text) < 1 ? `**${text}**` : text;
}

/**
 * Writes a copy of the program in which each `cpuid` of `.text` is `ud0`, and returns its path; or
 * the reason why there is none.
 */
function asking(file) {
  if (process.platform !== 'linux' || process.arch !== 'x64')
    return { reason: 'features are hidden from them on Linux on x64 only' };
  const options = /** @type {const} */ ({ encoding: 'utf8', maxBuffer: 2 ** 30 });
  let heads;
  let code;
  try {
    heads = execFileSync('objdump', ['-h', '-j', '.text', file], options);
    code = execFileSync('objdump', ['-d', '-j', '.text', '--no-show-raw-insn', file], options);
  } catch {
    return { reason: 'objdump, which finds where they ask the CPU, is not installed' };
  }
  const [, start, , offset] = heads.match(/ \.text +\S+ +(\S+) +(\S+) +(\S+)/);
  const found = [...code.matchAll(/^ *([0-9a-f]+):\s+cpuid/gm)];
  const bytes = readFileSync(file);
  for (const [, address] of found) {
    const at = Number(`0x${address}`) - Number(`0x${start}`) + Number(`0x${offset}`);
    if (bytes.readUInt16BE(at) !== 0x0f_a2) throw new Error(`no cpuid at ${address}`);
    bytes.writeUInt16BE(0x0f_ff, at);
  }
  const copy = `${file}-hiding`;
  writeFileSync(copy, bytes);
  chmodSync(copy, 0o755);
  return { copy };
}
