// Which functions with `#[target_feature]` each kind of CPU executes in the Rust tests of the core:
//
//   npm run test:cpus -- --kernels
//
// The tests are compiled with LLVM's counters (`-C instrument-coverage`) and run once for each tier
// of cpu-tiers.mjs. Their counts are read by the llvm-profdata that comes with Rust.
// It fails if no tier executes a function, unless `exempt` gives the reason.

import { createRequire } from 'node:module';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative, sep } from 'node:path';

import { tierEnvironment, tiers, whyNot } from './cpu-tiers.mjs';
import { prepareNativeBuild } from './prerequisites.mjs';
import { Stop, probe, root, step } from './steps.mjs';

const sources = join(root, 'crates', 'core', 'src');

const isArm = ({ file, features }) =>
  /(^|\/)(aarch64|neon)(\/|\.rs)/.test(file) || features.includes('neon');

/**
 * Functions that no tier executes here, each with the reason.
 *
 * @type {{ matches: (row: any, here: readonly string[]) => boolean, reason: string }[]}
 */
const exempt = [
  { matches: isArm, reason: 'arm64: the rows of `npm run platforms` for it run the tests' },
  {
    matches: (row, here) => !here.includes('avx512f') && row.wide,
    reason: 'no AVX-512 here: `npm run platforms -- x64-avx512` runs the tests under Bochs',
  },
];

const everything = { name: 'this CPU', short: 'this CPU', hide: [], needs: [] };

/** Runs the tests on each tier, prints the table; throws Stop if a function was never executed. */
export async function checkKernels() {
  if (process.arch !== 'x64') throw new Stop(`millrace: tiers are x64, this is ${process.arch}`);
  const profdata = await llvmTool('llvm-profdata');
  const programs = await buildTests();
  const features = createRequire(import.meta.url)(root).engines().native.cpu.features;
  const columns = [];
  for (const tier of [everything, ...tiers]) {
    const reason = whyNot(tier, features);
    if (reason !== undefined) console.log(`not run: ${tier.name}: ${reason}`);
    else columns.push({ ...tier, executed: await executedOn(tier, programs, profdata) });
  }
  const rows = await rowsOf(columns);
  const reasonFor = (row) => exempt.find(({ matches }) => matches(row, features))?.reason;
  console.log(tableOf(rows, columns, reasonFor));
  const never = rows.filter((row) => !row.counts.some(Boolean) && reasonFor(row) === undefined);
  for (const { file, name } of never) console.log(`never executed: ${file}: ${name}`);
  if (rows.length === 0 || never.length > 0)
    throw new Stop(`millrace: ${never.length} kernels are executed on no CPU`);
}

/** Compiles the tests of the core with counters; dependencies are those of every build. */
async function buildTests() {
  const folder = join(root, 'target', 'kernels');
  mkdirSync(folder, { recursive: true });
  const wrapper = join(folder, 'rustc.sh');
  // The later options count. Counters follow an inlined function, but compiling takes longer then.
  const options = '-C instrument-coverage -C lto=thin -C codegen-units=16 -C opt-level=1';
  writeFileSync(wrapper, `#!/bin/sh\nexec "$@" ${options}\n`);
  chmodSync(wrapper, 0o755);
  const env = { ...(await prepareNativeBuild()), RUSTC_WORKSPACE_WRAPPER: wrapper };
  const args = ['test', '--release', '--package', 'millrace-core', '--lib', '--tests', '--no-run'];
  const said = await step(
    'compile the tests of the core with counters',
    'cargo',
    [...args, '--message-format', 'json-render-diagnostics'],
    { env, errorOutput: 'stderr' },
  );
  return said
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line))
    .filter(({ executable, profile }) => executable && profile.test)
    .map(({ executable }) => executable);
}

/** Returns the mangled names of the functions in the tests, and whether they were executed. */
async function executedOn(tier, programs, profdata) {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-kernels-'));
  try {
    const hidden = tier === everything ? {} : tierEnvironment(tier);
    const profile = join(folder, '%p-%m.profraw');
    const env = { ...process.env, ...hidden, LLVM_PROFILE_FILE: profile };
    // Not the tests that start themselves again with other features.
    const args = ['--skip', 'hidden_instructions'];
    for (const program of programs)
      await step(`${tier.name}: ${relative(root, program)}`, program, args, { env });
    const merged = join(folder, 'merged');
    const merge = ['merge', '--text', '--failure-mode=all', '--output', merged, folder];
    await step(`${tier.name}: join the profiles`, profdata, merge);
    return countersOf(readFileSync(merged, 'utf8'));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * Reads LLVM's text form of a profile: for each function its name, and whether one of its counters
 * is not zero.
 *
 * @returns {Map<string, boolean>}
 */
function countersOf(profile) {
  const records = profile.matchAll(
    /^(\S+)\n# Func Hash:\n[^#]*# Num Counters:\n[^#]*# Counter Values:\n([\d\n]*)/gm,
  );
  const executed = new Map();
  // A name has a record for each hash of its function.
  for (const [, name, counters] of records)
    executed.set(name, executed.get(name) || /[1-9]/.test(counters));
  return executed;
}

/** Returns the path of a program of LLVM, in the version of Rust's; rustup installs it. */
async function llvmTool(name) {
  const answer = await probe('rustc', ['--print', 'target-libdir']);
  const path = join(answer?.stdout.trim() ?? '', '..', 'bin', name);
  if (!existsSync(path) && (await probe('rustup', ['--version'])) !== undefined)
    await step('install llvm-tools', 'rustup', ['component', 'add', 'llvm-tools']);
  if (!existsSync(path))
    throw new Stop(`millrace: ${name} is missing (rustup component add llvm-tools)`);
  return path;
}

/**
 * Returns the functions with the attribute in the sources: file, module path, name, and with what
 * names a macro makes instances of them for AVX-512. Those that a macro names by its argument are
 * not among them, but what they call is.
 */
function kernelsInSources() {
  const files = readdirSync(sources, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.rs') && !path.endsWith('tests.rs'))
    .map((path) => ({
      file: path.split(sep).join('/'),
      text: readFileSync(join(sources, path), 'utf8'),
    }));
  // The folder of a CPU is a module with the same name on every CPU.
  const renamed = files.flatMap(({ file, text }) => {
    const parent = moduleOf(file);
    const folder = /path = "(\w+)\/mod\.rs"\)\](?=\n(?:#\[.*\n)*(?:pub\S* )?mod (\w+);)/g;
    return [...text.matchAll(folder)].map(([, name, module]) => [
      `${parent}::${name}`,
      `${parent}::${module}`,
    ]);
  });
  // Arguments of macros on the line of these instructions, not attributes; by folder.
  const wide = new Map();
  for (const { file, text } of files) {
    const lines = text.match(/^[^#\n]*"avx512.*/gm) ?? [];
    const names = lines.flatMap((line) => line.match(/\w+/g));
    wide.set(dirname(file), [...(wide.get(dirname(file)) ?? []), ...names]);
  }
  return files.flatMap(({ file, text }) => {
    const own = moduleOf(file);
    const [from, to] = renamed.find(([name]) => `${own}::`.startsWith(`${name}::`)) ?? ['', ''];
    const module = `${to}${own.slice(from.length)}`;
    const kernels = /#\[target_feature\(enable = ([^)]*)\)\][^{;]*?\bfn (\w+)/g;
    return [...text.matchAll(kernels)].map(([, features, name]) => ({
      file,
      module,
      name,
      features,
      wide: wide.get(dirname(file)),
    }));
  });
}

const moduleOf = (file) => file.replace(/(\/mod)?\.rs$/, '').replaceAll('/', '::');

/**
 * Returns a row for each function of the sources, or for each of its instances that a macro makes.
 * Those of generic parameters are one.
 */
async function rowsOf(columns) {
  const mangled = [...new Set(columns.flatMap(({ executed }) => [...executed.keys()]))];
  const readable = await demangled(mangled.map((name) => name.replace(/^.*:/, '')));
  const instances = mangled.map((name, at) => ({ name, path: plain(readable[at]) }));
  const rows = new Map();
  for (const { file, module, name, features, wide } of kernelsInSources()) {
    const within = (place) =>
      instances.filter(({ path }) => path.includes(`${place}::`) && path.endsWith(`::${name}`));
    // A macro of one file makes functions in the CPU's folder of the same name, or in the others of
    // its folder. Tiers are x64; a folder of arm64 has the same modules.
    const here = isArm({ file, features }) ? [] : within(module);
    const parent = module.replace(/::\w+$/, '');
    const places = [`cpu::kernels::${parent.split('::').at(-1)}`, parent];
    const others = isArm({ file, features }) ? [] : places.map(within);
    const own = [here, ...others].find((found) => found.length > 0) ?? [];
    for (const each of own.length === 0 ? [{ name, path: name }] : own) {
      const key = `${file} ${each.path}`;
      const counts = columns.map(({ executed }) => executed.get(each.name) ?? false);
      const before = rows.get(key)?.counts ?? [];
      rows.set(key, {
        file,
        name: each.path,
        features: wide.includes(each.path.split('::').at(-2)) ? `${features} avx512` : features,
        counts: counts.map((ran, at) => ran || (before[at] ?? false)),
      });
    }
  }
  const all = [...rows.values()];
  const isWide = ({ name, features }) => /512/.test(`${name} ${features}`);
  // A small function without AVX-512 may serve only those with it in its file.
  return all.map((row) => {
    const others = all.filter((other) => other !== row && other.file === row.file);
    return { ...row, wide: isWide(row) || (others.length > 0 && others.every(isWide)) };
  });
}

/** Drops the number of the crate, generic arguments, and what a closure adds. */
function plain(path) {
  let before;
  let text = path.replaceAll('->', '').replace(/\[[0-9a-f]+\]/g, '');
  do {
    before = text;
    text = text
      .replace(/::<[^<>]*>/g, '')
      .replace(/<([^<>]*?)(?: as ([^<>]*))?>/g, (_, type, trait) =>
        // A type of another crate is where the trait is.
        trait === undefined || type.includes('millrace_core')
          ? type
          : `${trait}::${type.split('::').at(-1)}`,
      );
  } while (text !== before);
  return text.replace(/::\{closure[^]*$/, '');
}

async function demangled(names) {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-names-'));
  try {
    const file = join(folder, 'names');
    writeFileSync(file, names.join('\n'));
    const answer = await probe('sh', ['-c', `c++filt < '${file}'`]);
    if (answer?.code !== 0)
      throw new Stop('millrace: c++filt is missing (apt-get install binutils)');
    return answer.stdout.split('\n');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Returns a table in Markdown: of each file how many functions each tier executes. */
function tableOf(rows, columns, reasonFor) {
  const lines = [
    ['file', 'functions', ...columns.map(({ short }) => short), 'on none'],
    ['---', '--:', ...columns.map(() => '--:'), '---'],
  ];
  for (const file of new Set(rows.map((row) => row.file))) {
    const own = rows.filter((row) => row.file === file);
    const counts = columns.map((_, at) => own.filter(({ counts: all }) => all[at]).length);
    const none = own.filter(({ counts: all }) => !all.some(Boolean));
    const reasons = [...new Set(none.map((row) => reasonFor(row) ?? 'no reason'))];
    const last = none.length === 0 ? '' : `${none.length}: ${reasons.join('; ')}`;
    lines.push([file, own.length, ...counts, last]);
  }
  return lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}
