// `npm test` without arguments, and `npm run test:all`: builds, checks, Rust tests and test files,
// side by side.

import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus } from 'node:os';
import { delimiter, join } from 'node:path';

import { mayAppear, unexpectedSkips } from './absent-tools.mjs';
import { prepareBrowser } from './browser.mjs';
import { buildFailingBinary, buildFront, planNative } from './build.mjs';
import { keepVerdict, verdict } from './cache.mjs';
import { checks } from './checks.mjs';
import { compilers } from './cargo.mjs';
import { cpuTiers } from './cpus.mjs';
import { buildSite } from './docs.mjs';
import { fingerprint, treeFingerprint } from './fingerprint.mjs';
import { install } from './install.mjs';
import { keepCommit, leftOut } from './long-tests.mjs';
import { prepareManagers } from './managers.mjs';
import { prepareTestPrograms, testPrograms } from './prerequisites.mjs';
import { fastProofs, proofSources } from './prove.mjs';
import { runRustTests, rustSources } from './rust-tests.mjs';
import { runTasks } from './schedule.mjs';
import { Stop, root, skipped, skippedSteps, told } from './steps.mjs';
import { Results, testFiles, testTask } from './test-files.mjs';
import { buildModules } from './wasm.mjs';

/** Seconds of each step and file, as the last `npm test -- --record` found them. */
const timesFile = join(root, 'tools', 'test-times.json');

/**
 * Runs everything; with `long` also what tools/long-tests.mjs leaves out. Resolves to the titles of
 * what failed. With `record` it writes the times that later runs are compared with.
 */
export async function wholeTest({ long = false, record = false } = {}) {
  const build = await planNative();
  await install();
  await buildModules({ stubs: true });
  const tree = treeFingerprint();
  /** @param {import('./schedule.mjs').Task} task */
  const read = ({ reads }) => (reads === undefined ? tree : fingerprint(reads, []));
  const before = await conditions();
  const out = long ? new Map() : await leftOut();
  const results = new Results();
  const times = JSON.parse(readFileSync(timesFile, 'utf8'));
  const front = ['front'];
  /** @type {import('./schedule.mjs').Task[]} */
  const all = [
    {
      title: 'Rust tests',
      lane: 'cargo',
      reads: rustSources,
      run: () => rustTests(long ? 'release' : 'development'),
    },
    { title: 'proofs', needs: front, reads: proofSources, run: fastProofs },
    ...cpuTiers([], { short: true }).map((task) => ({ ...task, lane: 'cargo', needs: front })),
    { title: 'documentation site', needs: front, run: () => buildSite({ required: long }) },
    ...checks(),
    ...testFiles()
      .map((file) => ({ ...testTask(file, [], results), needs: needsOf(file) }))
      .sort((left, right) => (times[right.title] ?? 0) - (times[left.title] ?? 0)),
  ];
  const gone = [...out.keys()].find((title) => !all.some((task) => task.title === title));
  if (gone !== undefined) throw new Stop(`millrace: tools/long-tests.mjs: there is no ${gone}`);
  const tests = all.filter(({ title }) => !out.has(title));
  const known = new Map(
    tests.flatMap((task) => {
      const said = verdict(task.title, [read(task), before]);
      return said === undefined ? [] : [[task.title, said]];
    }),
  );
  for (const title of known.keys()) await keepCommit(title);
  const again = tests
    .filter(({ title }) => !known.has(title))
    .map((task) => ({
      ...task,
      run: async () => {
        // Before it runs: a file may be changed meanwhile.
        const files = read(task);
        const said = /** @type {{ skipped?: string[] }} */ ((await task.run()) ?? {});
        // What was missing may be installed when it is asked for again, or was installed meanwhile.
        if (said.skipped?.some((text) => mayAppear(text, programs))) return;
        keepVerdict(task.title, [files, await conditions()], said);
        await keepCommit(task.title);
      },
    }));
  const failing = again.some(({ needs }) => needs?.includes('failing allocator'));
  /** @type {import('./schedule.mjs').Task[]} */
  const builds = [
    { title: 'native code', lane: 'cargo', run: async () => build() },
    { title: 'modules', lane: 'modules', run: () => buildModules() },
    { title: 'programs', run: () => preparePrograms({ long }) },
    { title: 'front', needs: ['native code', 'modules', 'programs'], run: () => buildFront() },
    ...(failing
      ? [{ title: 'failing allocator', lane: 'cargo', run: () => buildFailingBinary() }]
      : []),
  ];
  const ran = await runTasks([...builds, ...again], availableParallelism());
  for (const [title, reason] of out) skipped(title, `${reason} (npm run test:all has it)`);
  if (known.size > 0) {
    for (const said of known.values()) results.add(said);
    told(`${known.size} steps and files`, 'passed before with the same files (--force)');
  }
  results.conclude();
  const lacking = unexpectedSkips([...results.skipped, ...skippedSteps]);
  for (const text of lacking) console.error(`  in CI this needs its tool: ${text}`);
  const grown = sayTimes(ran.seconds, times, { record });
  // Times are those of test:all, where everything runs beside everything.
  return [...ran.failed, ...lacking, ...(long ? grown : [])];
}

/** Fetches what some tests run and the repository does not need; they say so if it is not there. */
async function preparePrograms({ long }) {
  await prepareTestPrograms();
  await prepareBrowser();
  await prepareManagers({ all: long });
}

const needsOf = (file) =>
  file.includes('allocations') ? ['front', 'failing allocator'] : ['front'];

/** @param {'development' | 'release'} profile */
async function rustTests(profile) {
  for (const skip of await runRustTests('Rust tests', [], { profile }))
    console.error(`  skipped: ${skip}`);
}

/** Programs that tests run. */
const programs = [
  ...Object.keys(testPrograms),
  ...'b3sum cksum chromium firefox qemu-system-x86_64 perl git cargo-deny gdb python3'.split(' '),
];

/** What a verdict depends on besides the files of the repository. */
async function conditions() {
  const { env, version, arch, platform } = process;
  const path = (env.PATH ?? '').split(delimiter);
  const found = programs.flatMap((name) => {
    const file = path.map((folder) => join(folder, name)).find((each) => existsSync(each));
    return file === undefined ? [] : [[name, statSync(file).size]];
  });
  const settings = Object.keys(env)
    .filter((name) => /^(MILLRACE_|CARGO_|RUST|CC$|CFLAGS|CI$)/.test(name))
    .map((name) => [name, env[name]]);
  const here = [version, arch, platform, cpus()[0]?.model, process.getuid?.()];
  return [...here, found, settings.sort(), await compilers(env)];
}

/**
 * Prints the ten slowest steps, and those that took half as long again as recorded, on the scale of
 * this run: the median step is as fast as its record. Returns the latter.
 *
 * @param {ReadonlyMap<string, number>} seconds
 */
function sayTimes(seconds, times, { record }) {
  const slowest = [...seconds].sort(([, left], [, right]) => right - left);
  console.error('  slowest:');
  for (const [title, took] of slowest.slice(0, 10))
    console.error(`${`${took.toFixed(1)} s`.padStart(11)}  ${title}`);
  if (record) {
    const rounded = slowest.map(([title, took]) => [title, Number(took.toFixed(1))]);
    writeFileSync(timesFile, `${JSON.stringify(Object.fromEntries(rounded), null, 2)}\n`);
    return [];
  }
  const ratios = slowest
    .filter(([title, took]) => took > 5 && times[title] > 5)
    .map(([title, took]) => ({ title, took, ratio: took / times[title] }));
  // Few steps have no median: most were not run again.
  if (ratios.length < 20) return [];
  const scale = ratios.map(({ ratio }) => ratio).sort((a, b) => a - b)[ratios.length >> 1];
  const grown = ratios
    .filter(({ took, ratio }) => took > 20 && ratio > 1.5 * scale)
    .map(({ title, took }) => {
      const usual = (times[title] * scale).toFixed(0);
      return `${title} took ${took.toFixed(0)} s instead of ${usual}`;
    });
  for (const text of grown) console.error(`  slower than recorded: ${text}`);
  return grown;
}
