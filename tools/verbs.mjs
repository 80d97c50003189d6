// The work of each verb, once everything it needs is installed and built.

import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';

import { firefox, prepareBrowser } from './browser.mjs';
import { buildFailingBinary, buildFront, planNative } from './build.mjs';
import { cpuTiers } from './cpus.mjs';
import { checks } from './checks.mjs';
import { install, installed, npm } from './install.mjs';
import { keepCommit } from './long-tests.mjs';
import { prepareManagers, prepareScripts } from './managers.mjs';
import { prepareNativeBuild } from './prerequisites.mjs';
import { prove } from './prove.mjs';
import { prepareRuntimes } from './runtimes.mjs';
import { prepareBigEndian } from './s390x.mjs';
import { runTasks } from './schedule.mjs';
import { Stop, root, step, stream } from './steps.mjs';
import { Results, testFiles, testTask } from './test-files.mjs';
import { wholeTest } from './whole-test.mjs';

export const verbs = {
  start,
  test,
  'test:all': testAll,
  'test:kernel': testKernel,
  'test:allocations': testAllocations,
  'test:constant-time': testConstantTime,
  'test:faults': testFaults,
  'test:runtimes': testRuntimes,
  'test:browser': testBrowser,
  'test:portable': testPortable,
  'test:aws': testAws,
  'test:bundlers': testBundlers,
  'test:package': testPackage,
  'test:clocks': testClocks,
  'test:node-crypto': testNodeCrypto,
  'test:webcrypto': testWebcrypto,
  'test:public-keys': testPublicKeys,
  'test:cpus': testCpus,
  'test:noble': testNoble,
  'test:dependents': testDependents,
  'test:age': testAge,
  'test:fuzz': testFuzz,
  'test:sanitizers': testSanitizers,
  'test:mutants': testMutants,
  'test:vectors': testVectors,
  'test:large': testLarge,
  prove: proveKernels,
  soak,
  bench,
  docs,
  platforms,
  release,
  check,
  build,
};

async function start(args) {
  await prepare({ profile: 'development', nodeOnly: true, stubs: true });
  return stream(process.execPath, [join(root, 'cli', 'demo.mjs'), ...args]);
}

/** Folders of tests that load nothing of dist but what Node.js loads. */
const nodeTestFolders = /\btest.(request|operations|hashers|ciphers|kdf|streams|scheduling)\b/;

/** Tests that run the portable engine, by their names or their texts. */
const portableTests = /portable|browser|conformance|engines|package|docs/;

/** Tests of every build of WebAssembly, or of its speed or size. */
const everyBuild =
  /\btest.(browser|conformance|package|docs|constant-time|bench)\b|big-endian|portable.functions/;

/**
 * Runs all checks and tests but what takes longest and rarely fails alone, which `npm run test:all`
 * has (test/long-tests.mjs). What passed before with the same files is not run again, except with
 * --force. With arguments only JavaScript tests run, and those on files of one's choice are the
 * inner loop: native code is built in seconds, unoptimised across crates, WebAssembly only for
 * tests that name it or what runs it, and bundles for browsers and bundlers only for tests outside
 * some folders.
 *   npm test -- test/request/overlap.test.mjs --test-name-pattern=transfer
 */
async function test(args) {
  if (args.includes('--force')) process.env.MILLRACE_CACHE = 'off';
  const given = args.filter((arg) => arg !== '--force');
  return given.length > 0 ? someTests(given) : conclude(await wholeTest());
}

/**
 * Runs all that `npm test` runs and what takes long, and reads no result of an earlier run. With
 * --record it writes the times that later runs are compared with.
 */
async function testAll(args) {
  process.env.MILLRACE_CACHE = 'off';
  return conclude(await wholeTest({ long: true, record: args.includes('--record') }));
}

async function someTests(args) {
  const files = args.filter((arg) => !arg.startsWith('-')).map((file) => resolve(root, file));
  const texts = files.filter(existsSync).map((file) => `${file}\n${readFileSync(file, 'utf8')}`);
  const keepModules = files.length > 0 && !texts.some((text) => portableTests.test(text));
  const nodeOnly = files.length > 0 && files.every((file) => nodeTestFolders.test(file));
  const loop = files.length > 0 && !files.some((file) => everyBuild.test(file));
  const stubs = keepModules && nodeOnly;
  await prepare({ profile: 'development', keepModules, nodeOnly, stubs, loop });
  if (args.some((arg) => arg.includes('allocations'))) await buildFailingBinary();
  const code = await nodeTests(args);
  // Options may select some of a file's tests.
  if (code === 0 && args.length === files.length)
    for (const file of files) await keepCommit(relative(root, file).replaceAll('\\', '/'));
  return code;
}

// The kernel engine in guests with a kernel of their own; `npm test` has a short form.
//   npm run test:kernel -- --guest qemu test/kernel/cases/truth.mjs
// With --required it fails where there is no guest.
async function testKernel(args) {
  const { values, positionals } = parseArgs({
    args,
    options: { guest: { type: 'string' }, required: { type: 'boolean' } },
    allowPositionals: true,
  });
  await prepare();
  /** @type {NodeJS.ProcessEnv} */
  const env = { ...process.env, MILLRACE_KERNEL_CASES: positionals.join(',') || 'all' };
  if (values.guest !== undefined) env.MILLRACE_GUEST = values.guest;
  if (values.required) env.MILLRACE_GUEST_REQUIRED = '1';
  return stream(
    process.execPath,
    ['--test', '--test-reporter=spec', join(root, 'test', 'kernel', 'kernel.test.mjs')],
    { env },
  );
}

/** Proves statements about what the compiler made of kernels, and about the package's modules. */
async function proveKernels(args) {
  await prepareFront();
  return prove(args);
}

/** Makes every allocation of native code fail once, for all algorithms and call styles. */
async function testAllocations(args) {
  await prepare({ profile: 'development' });
  await buildFailingBinary();
  process.env.MILLRACE_ALLOCATIONS = 'all';
  return nodeTests([...args, 'test/lifecycle/allocations.test.mjs']);
}

/**
 * Tests that no branch, address or time depends on a secret; `npm test` has a short form of the
 * first part:
 *   npm run test:constant-time -- --test-name-pattern=portable
 */
async function testConstantTime(args) {
  await prepare();
  process.env.MILLRACE_CONSTANT_TIME = 'all';
  // The second compares times.
  const files = ['constant-time.test', 'timing.clocks'].map(
    (name) => `test/constant-time/${name}.mjs`,
  );
  return nodeTests(['--test-concurrency=1', ...args, ...files]);
}

/** Faults of the system, in their long forms. */
async function testFaults(args) {
  await prepare();
  process.env.MILLRACE_FAULTS_LONG = 'all';
  return nodeTests([...args, 'test/faults/faults.test.mjs']);
}

/**
 * Tests one build in Node 20 to 26, Bun and Deno, on the portable engine too, and in edge runtimes;
 * in full.
 */
async function testRuntimes(args) {
  await prepare();
  await prepareRuntimes();
  process.env.MILLRACE_RUNTIMES = 'all';
  const files = ['runtimes', 'edge'].map((name) => `test/conformance/${name}.test.mjs`);
  return nodeTests([...files, ...args]);
}

/** Tests the portable engine, by its own tests and by those of the entry points. */
async function testPortable(args) {
  await prepare();
  await prepareBigEndian();
  process.env.MILLRACE_PORTABLE = 'all';
  return nodeTests([...testFiles('portable'), ...args]);
}

/** Tests the package in Chromium and Firefox, and its page; `npm test` has a short form. */
async function testBrowser(args) {
  await prepare();
  await prepareBrowser();
  await prepareBrowser(firefox);
  process.env.MILLRACE_BROWSER = 'all';
  return nodeTests(['test/browser/conformance.test.mjs', 'test/docs/page.test.mjs', ...args]);
}

/**
 * Tests the package through bundlers for browsers and for servers, tracers and test runners. With
 * --next also through Next.js, which is installed for that (some 300 MB).
 */
async function testBundlers(args) {
  await prepare();
  await prepareBrowser();
  const folder = join(root, 'test', 'bundlers');
  await installIn(folder, 'install bundlers');
  if (args.includes('--next') && !existsSync(join(folder, 'node_modules', 'next'))) {
    const packages = ['next@16', 'react@19', 'react-dom@19'];
    await npmIn(folder, 'install Next.js', ['install', '--no-save', ...packages]);
  }
  return nodeTests([
    'test/package/applications.test.mjs',
    'test/package/bundlers.test.mjs',
    'test/package/noble-bundles.test.mjs',
    'test/package/servers.test.mjs',
    ...args.filter((arg) => arg !== '--next'),
  ]);
}

/**
 * Tests the package as it is published: packed, installed by npm, pnpm, yarn and bun, compiled with
 * every TypeScript, every example of the documentation, that of many machines over Redis, and the
 * calls of other libraries in docs/migrating.md. With --newest only those calls, with the newest
 * versions of the libraries instead of the locked ones.
 */
async function testPackage(args) {
  await prepare();
  if (args.includes('--newest')) {
    process.env.MILLRACE_LIBRARIES = await installNewest();
    return nodeTests(['test/docs/migrating.test.mjs', ...args.filter((arg) => arg !== '--newest')]);
  }
  await prepareManagers({ all: true });
  await installIn(join(root, 'test', 'migrating'), 'install other libraries');
  await installIn(join(root, 'test', 'queue'), 'install a queue');
  return nodeTests([
    'test/package/published.test.mjs',
    'test/package/many-machines.test.mjs',
    'test/docs/migrating.test.mjs',
    ...args,
  ]);
}

/** Installs the newest versions of the libraries of docs/migrating.md. Returns their folder. */
async function installNewest() {
  const dependencies = (...path) =>
    Object.keys(JSON.parse(readFileSync(join(root, ...path), 'utf8')).devDependencies);
  const page = readFileSync(join(root, 'docs', 'migrating.md'), 'utf8');
  const names = [
    ...dependencies('test', 'migrating', 'package.json'),
    ...dependencies('package.json').filter((name) => page.includes(name)),
  ];
  const folder = join(root, 'target', 'newest');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{ "private": true }');
  const wanted = names.map((name) => `${name}@latest`);
  await npmIn(folder, 'install the newest libraries', ['install', ...wanted]);
  const versionOf = (name) =>
    JSON.parse(readFileSync(join(folder, 'node_modules', name, 'package.json'), 'utf8')).version;
  console.error(`  ${names.map((name) => `${name} ${versionOf(name)}`).join(', ')}`);
  return folder;
}

/** Installs the locked packages of a folder that has its own manifest. */
async function installIn(folder, title) {
  if (!installed(folder)) await npmIn(folder, title, ['ci']);
}

/** Runs npm in a folder, without scripts of packages. */
async function npmIn(folder, title, given) {
  const [command, all, options] = npm([...given, '--ignore-scripts', '--no-audit', '--no-fund']);
  await step(title, command, all, { ...options, cwd: folder });
}

// The suites that depend most on the CPU, with its features hidden tier by tier; `npm test` has a
// short form.
//   npm run test:cpus -- haswell nehalem
//   npm run test:cpus -- --kernels    which kernels each tier executes
async function testCpus(args) {
  await prepare();
  if (args.includes('--kernels')) {
    const { checkKernels } = await import('./kernels.mjs');
    return conclude(await attempt([{ title: 'kernels', run: checkKernels }]));
  }
  return conclude(await attempt(cpuTiers(args)));
}

/**
 * Runs noble's own test suite against Millrace's modules, beside its own run:
 *   npm run test:noble -- DIRECTORY [--verbose] [--served] [--limit MINUTES] [TEST-FILE...]
 *   npm run test:noble -- --versions
 *   npm run test:noble -- --managers [MANAGER...]
 *   npm run test:noble -- --dependents [--newest] [--rounds 3] [--suite DIRECTORY]
 *   npm run test:noble -- --tweetnacl DIRECTORY
 */
async function testNoble(args) {
  await prepare();
  if (args.includes('--versions')) {
    process.env.MILLRACE_NOBLE_VERSIONS = 'fetch';
    return nodeTests(['test/compat/noble-versions.test.mjs']);
  }
  if (args.includes('--managers')) await prepareScripts();
  const modes = ['dependents', 'managers', 'tweetnacl'];
  const [mode] = modes.filter((each) => args.includes(`--${each}`));
  const program = `${mode ?? 'run'}.mjs`;
  return stream(process.execPath, [join(root, 'test', 'noble', program), ...args]);
}

/**
 * Tests the packages that stand in for the AWS SDK's checksums, beside the originals:
 *   npm run test:aws -- [--suites DIRECTORY] [--server PROGRAM]
 */
async function testAws(args) {
  await prepare();
  await installAws();
  const code = await nodeTests(['test/compat/aws-checksums.test.mjs']);
  const other = await stream(process.execPath, [join(root, 'test', 'aws', 'run.mjs'), ...args]);
  return code || other;
}

const installAws = () => installIn(join(root, 'test', 'aws'), "install the AWS SDK's checksums");

/** Programs of packages that use noble or node:crypto, with Millrace and without it. */
async function testDependents(args) {
  await prepare();
  return stream(process.execPath, [join(root, 'test', 'dependents', 'run.mjs'), ...args]);
}

/** Runs the judges of millrace/age: `npm run test:age -- [DIRECTORY] [--age PROGRAM]...` */
async function testAge(args) {
  await prepare();
  return stream(process.execPath, [join(root, 'test', 'dependents', 'age.mjs'), ...args]);
}

/** Runs the tests that compare times, one after the other: they need a quiet machine. */
async function testClocks(args) {
  await prepare();
  return nodeTests(['--test-concurrency=1', ...testFiles('', /\.clocks\.mjs$/), ...args]);
}

/**
 * Runs Node's own tests of node:crypto with millrace/register, and with Node alone:
 *   npm run test:node-crypto -- DIRECTORY --node PATH
 */
async function testNodeCrypto(args) {
  const { nodeCryptoTests } = await import('./node-crypto-tests.mjs');
  return nodeCryptoTests(args, prepare);
}

/**
 * Runs the Web Platform Tests of WebCryptoAPI with millrace/register-webcrypto, and with Node
 * alone:
 *   npm run test:webcrypto -- DIRECTORY --node PATH
 */
async function testWebcrypto(args) {
  const { webcryptoTests } = await import('./webcrypto-tests.mjs');
  return webcryptoTests(args, prepare);
}

/**
 * Runs the test suites of public keys, which CONTRIBUTING.md names, with Millrace and without it:
 *   npm run test:public-keys -- DIRECTORY... [--node PATH] [--match REGEXP]
 */
async function testPublicKeys(args) {
  const { publicKeyTests } = await import('./public-key-tests.mjs');
  return publicKeyTests(args, prepare);
}

/** Checks what needs no tests: formatting, lints, types. */
async function check() {
  await prepare();
  return conclude(await attempt(checks(), { concurrency: availableParallelism() }));
}

async function bench([name, ...args]) {
  await prepare();
  const program = (file, given) =>
    stream(process.execPath, [join(root, 'bench', `${file}.mjs`), ...given]);
  // Without packages of bench/.
  if (['core', 'instructions'].includes(name)) return program(name, args);
  if (name === 'aws') await installAws();
  if (['aws', 'routes', 'noble', 'overrides', 'node-crypto', 'webcrypto'].includes(name))
    return program('compare', [name, ...args]);
  const { installCompetitors } = await import('./competitors.mjs');
  await installCompetitors();
  if (['competitors', 'public-keys'].includes(name)) return program('compare', [name, ...args]);
  if (name === 'portable') return program(name, args);
  const given = name === undefined ? [] : [name, ...args];
  return stream(process.execPath, [join(root, 'cli', 'main.js'), 'bench', ...given]);
}

/**
 * Runs the fuzz targets, and every export with hostile arguments; tools/fuzz.mjs has the options.
 */
async function testFuzz(args) {
  const { fuzzing } = await import('./fuzz.mjs');
  const { steps, calls } = await fuzzing(args);
  const failed = await attempt(steps);
  if (calls > 0) {
    await prepare({ profile: 'development' });
    process.env.MILLRACE_CALLS = String(calls);
    const code = await nodeTests(testFiles('properties'));
    if (code !== 0) failed.push('hostile calls');
  }
  return conclude(failed);
}

/** Runs the sanitizers: npm run test:sanitizers -- [loom] [miri] [thread] [address] [valgrind] */
async function testSanitizers(args) {
  await prepare({ profile: 'development' });
  const { oracles } = await import('./sanitize.mjs');
  return conclude(await attempt(await oracles(args)));
}

async function testMutants(args) {
  const { mutants } = await import('./mutants.mjs');
  return mutants(args);
}

/**
 * Tests published suites: npm run test:vectors -- DIRECTORY...; test/vectors/README.md says which.
 */
async function testVectors(args) {
  if (args.length === 0) throw new Stop('usage: npm run test:vectors -- DIRECTORY...');
  await prepare({ profile: 'development' });
  return stream(process.execPath, [join(root, 'test', 'vectors', 'main.mjs'), ...args]);
}

/** Tests messages of more than 4 GiB, in the core: 5 GiB of memory, some minutes. */
async function testLarge() {
  const tests = ['--package', 'millrace-core', '--test', 'core', '--release'];
  const args = ['test', ...tests, '--', '--ignored', '--test-threads', '1', 'large::'];
  await step('messages over 4 GiB', 'cargo', args, { env: await prepareNativeBuild() });
  return 0;
}

/** Runs everything at random for some minutes. */
async function soak(args) {
  await prepare();
  return stream(process.execPath, [join(root, 'test', 'soak', 'main.mjs'), ...args]);
}

/** Builds the documentation site; tools/docs.mjs has its options. */
async function docs(args) {
  await prepare();
  const { docs: run } = await import('./docs.mjs');
  return run(args);
}

/** Builds and runs every platform with a binary, under emulators; tools/platforms/verb.mjs. */
async function platforms(args) {
  const { platformRows } = await import('./platforms/verb.mjs');
  return platformRows(args, prepareFront);
}

/** Packs a release, or rehearses it to a registry on this machine; tools/release/rehearse.mjs. */
async function release(args) {
  if (args.some((arg) => arg === '--help' || arg === '-h')) {
    console.log(
      'usage: npm run release -- --pack | --rehearse [--platforms a,b] [--prebuilt] [--workflows]',
    );
    return 0;
  }
  const { rehearse } = await import('./release/rehearse.mjs');
  return rehearse(args, prepareFront);
}

/** Builds what the verbs need that build the native code of each platform themselves. */
async function prepareFront() {
  await install();
  await buildFront();
}

/**
 * Builds the package:
 *   npm run build -- [native] [front] [--force] [--target RUST-TARGET] [--profile development]
 */
async function build(args) {
  const { values, positionals } = parseArgs({
    args,
    options: {
      force: { type: 'boolean' },
      target: { type: 'string' },
      profile: { type: 'string', default: 'release' },
    },
    allowPositionals: true,
  });
  if (!['release', 'development'].includes(values.profile))
    throw new Stop('millrace: --profile takes release or development');
  const profile = /** @type {'release' | 'development'} */ (values.profile);
  await prepare({ ...values, profile }, positionals);
  return 0;
}

/**
 * Builds what is out of date, or only the `parts` named. If the machine cannot build native code,
 * that is said before anything is installed.
 *
 * @param {Parameters<typeof planNative>[0] & Parameters<typeof buildFront>[0]} options
 * @param {readonly string[]} parts
 */
async function prepare(options = {}, parts = []) {
  const wants = (part) => parts.length === 0 || parts.includes(part);
  const build = wants('native') ? await planNative(options) : () => {};
  const native = Promise.resolve(build());
  if (!wants('front')) return native;
  await Promise.all([native, install().then(() => buildFront({ ...options, native }))]);
}

/** Runs test files side by side, all if none is named, with the options of Node.js in `args`. */
async function nodeTests(args) {
  const options = args.filter((arg) => arg.startsWith('-'));
  const named = args.filter((arg) => !arg.startsWith('-')).map((file) => resolve(root, file));
  const files = named.length > 0 ? named : testFiles();
  const alone = options.includes('--test-concurrency=1');
  const results = new Results();
  const tasks = files.map((file) => testTask(file, options, results));
  await runTasks(tasks, alone ? 1 : availableParallelism());
  return results.conclude() > 0 ? 1 : 0;
}

/** Runs tasks. Resolves to the titles of those that failed. */
async function attempt(tasks, { concurrency = 1 } = {}) {
  return (await runTasks(tasks, concurrency)).failed;
}

function conclude(failed) {
  if (failed.length === 0) return 0;
  console.error(`millrace: failed: ${failed.join(', ')}`);
  return 1;
}
