// `npm run platforms -- [NAME…] [--quick] [--shipped] [--build-only]`: builds every row, looks at
// its library and runs the conformance suite with it. Two builds go on at a time, and runs beside
// them, as many as there are CPUs. A row with tools that cannot be installed is reported as not
// run, with the reason.
//
// --quick       less of the suite, one CPU a platform, no platform that nothing runs here, and the
//               Rust tests of the core only for rows that are named
// --shipped     the profile of releases (fat LTO), and the libraries are written to native/
// --build-only  nothing is run

import { copyFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

import { Stop, probe, root } from '../steps.mjs';
import { buildCoreTests, buildRow } from './build.mjs';
import { runCoreTests } from './core-tests.mjs';
import { place } from './fetch.mjs';
import { inspect } from './inspect.mjs';
import { makeJobs } from './jobs.mjs';
import { rows } from './rows.mjs';
import { prepareRun } from './runners.mjs';

/** The families that the quick form runs: those that depend on the CPU and on the C library. */
const quickFamilies = 'hashes,hmacs,many,ciphers,seals,derivations';

/** Runs the verb, after `prepare` if the options are right; resolves to the exit code. */
export async function platformRows(args, prepare) {
  const { values: options, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      quick: { type: 'boolean', default: false },
      shipped: { type: 'boolean', default: false },
      'build-only': { type: 'boolean', default: false },
    },
  });
  const unknown = positionals.find((name) => !rows.some((row) => row.name === name));
  if (unknown !== undefined) {
    const names = rows.map(({ name }) => name).join(', ');
    throw new Stop(`millrace: there is no platform ${unknown}: ${names}`);
  }
  await prepare();
  const wanted = rows.filter(({ name }) => positionals.length === 0 || positionals.includes(name));
  const begin = performance.now();
  const jobs = makeJobs(Math.max(...wanted.map(({ name }) => name.length)));
  const libraries = makeLibraries(options, jobs);
  const given = { options, named: positionals.length > 0, jobs, libraries };
  await Promise.all(wanted.map((row) => runRow(row, given)));
  console.log(`${wanted.length} rows in ${Math.round((performance.now() - begin) / 1000)} s`);
  if (jobs.failed.size === 0) return 0;
  console.error(`millrace: failed: ${[...jobs.failed].join(', ')}`);
  return 1;
}

/** Returns a function that builds and inspects the library of a row once; undefined on failure. */
function makeLibraries({ shipped }, { attempt }) {
  const built = new Map();
  return (name) => {
    const build = async () => {
      const library = await buildRow(rowOf(name), { shipped });
      const { facts, faults } = inspect(name, library);
      if (shipped) keep(library, name);
      return { detail: [facts, ...faults].join('; '), ok: faults.length === 0, value: library };
    };
    if (!built.has(name)) built.set(name, attempt(name, 'build', build));
    return built.get(name);
  };
}

const rowOf = (name) => rows.find((row) => row.name === name);

/** Builds a row and runs what it names. */
async function runRow(row, { options, named, jobs, libraries }) {
  const { name, builder, fixture, runs, core = [], unrun } = row;
  const { quick, 'build-only': buildOnly } = options;
  if (buildOnly && builder === undefined) return;
  // The tests of the core are another build of everything, so the quick form has them by name only.
  const cpus = quick && !named ? [] : core;
  const leftOut = quick && !buildOnly && runs.length + cpus.length === 0;
  if (leftOut) return jobs.notRun(name, unrun ?? `--quick has it if it is named: ${name} --quick`);
  const from = builder === undefined ? fixture : name;
  const library = from === undefined ? undefined : await libraries(from);
  if (buildOnly) return;
  if (runs.length + cpus.length === 0) return jobs.notRun(name, unrun);
  if (from !== undefined && library === undefined)
    return jobs.notRun(name, `the library of ${from} was not built`);
  const some = (all) => (quick ? all.slice(0, 1) : all);
  await Promise.all([
    ...some(runs).map((run) => jobs.attempt(name, 'run', () => runSuite(row, run, library, quick))),
    runCore(row, some(cpus), { quick, jobs }),
  ]);
}

/** Runs the Rust tests of the core on each CPU that a row names. */
async function runCore(row, cpus, { quick, jobs: { attempt } }) {
  if (cpus.length === 0) return;
  const build = async () => ({ ok: true, detail: 'tests', value: await buildCoreTests(row) });
  const programs = await attempt(row.name, 'build', build);
  if (programs === undefined) return;
  const options = { quick, folder: join(place, row.name) };
  await Promise.all(
    cpus.map((cpu) => attempt(row.name, 'core', () => runCoreTests(programs, cpu, options))),
  );
}

/** Runs the conformance suite with a row's library in its Node.js. Its output is kept in a file. */
async function runSuite(row, run, library, quick) {
  const { command, args, env = {}, cwd, pathOf = (file) => file, title } = await prepareRun(run);
  const engine = row.engine ?? 'native';
  const host = pathOf(join(root, 'test', 'conformance', 'host.mjs'));
  const suite = [host, '--engine', engine];
  // A row that builds nothing is there for its CPU, which threads make no difference to.
  const styles = row.builder === undefined ? 'synchronous' : 'synchronous,promise';
  if (quick) suite.push('--families', quickFamilies, '--styles', styles);
  const folder = join(place, row.name);
  mkdirSync(folder, { recursive: true });
  const log = join(folder, `${run.runner}${run.cpu === undefined ? '' : `-${run.cpu}`}.log`);
  // Wine hangs when it is given pipes.
  const shell = ['-c', 'exec "$@" </dev/null >"$0" 2>&1', log, command, ...args];
  const answer = await probe('sh', [...shell, '--expose-gc', '--no-warnings', ...suite], {
    cwd,
    env: {
      ...process.env,
      ...env,
      MILLRACE_ENGINE: engine,
      ...(engine === 'native' ? { MILLRACE_BINARY: pathOf(library) } : {}),
      // Wine's programs start others by themselves.
      ...(run.runner.startsWith('wine')
        ? {}
        : { MILLRACE_NODE_COMMAND: JSON.stringify([command, ...args]) }),
    },
  });
  const lines = readFileSync(log, 'utf8').trim().split(/\r?\n/);
  const summary = lines.findLast((line) => /^\d+ cases in/.test(line));
  const ok = answer?.code === 0 && summary !== undefined;
  const said = lines.filter((line) => /FAILED|failed:|Error/.test(line)).slice(0, 3);
  const bad = said.length > 0 ? said.join('; ') : `ended with ${answer?.code}`;
  return { ok, detail: `${title}: ${ok ? summary : `${bad} (${log})`}` };
}

/** Writes a library to native/, where tools/platform-packages.mjs takes it from. */
function keep(library, name) {
  const folder = join(root, 'native');
  if (!existsSync(folder)) mkdirSync(folder);
  copyFileSync(library, join(folder, `millrace.${name}.node`));
}
