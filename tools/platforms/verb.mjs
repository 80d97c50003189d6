// `npm run platforms -- [NAME…] [--quick] [--shipped] [--build-only]`: builds every row, looks at
// its library and runs the conformance suite with it, one row after the other. A row whose tools
// cannot be had is reported as not run, with the reason.
//
// --quick       fewer families of the suite, one CPU a platform
// --shipped     the profile of releases (fat LTO), and the libraries are written to native/
// --build-only  nothing is run

import { copyFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';

import { Stop, probe, root } from '../steps.mjs';
import { buildRow, builtRow } from './build.mjs';
import { runCoreTests } from './core-tests.mjs';
import { place } from './fetch.mjs';
import { inspect } from './inspect.mjs';
import { rows } from './rows.mjs';
import { prepareRun } from './runners.mjs';

/** The families that the quick form runs, as they depend on the CPU and on the C library. */
const quickFamilies = ['hashes', 'hmacs', 'many', 'ciphers', 'seals', 'derivations'];

/** Runs the verb; resolves to the exit code. */
export async function platformRows(args) {
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
  const wanted = rows.filter(({ name }) => positionals.length === 0 || positionals.includes(name));
  const results = [];
  for (const row of wanted) results.push(...(await runRow(row, options)));
  console.log(table(results));
  const failed = results.filter(({ verdict }) => verdict === 'FAILED');
  if (failed.length === 0) return 0;
  console.error(`millrace: failed: ${[...new Set(failed.map(({ name }) => name))].join(', ')}`);
  return 1;
}

/** Builds, inspects and runs a row; resolves to a result for each of these. */
async function runRow(row, { quick, shipped, 'build-only': buildOnly }) {
  const { name } = row;
  const results = [];
  let library;
  if (row.builder !== undefined) {
    const built = await timed(name, 'build', async () => {
      library = await buildRow(row, { shipped });
      const { facts, faults } = inspect(name, library);
      return { detail: [facts, ...faults].join('; '), ok: faults.length === 0 };
    });
    results.push(built);
    if (library === undefined) return results;
    if (shipped) keep(library, name);
  }
  if (buildOnly) return results;
  if (row.fixture !== undefined) {
    const built = builtRow(rows.find((each) => each.name === row.fixture));
    if (built === undefined) {
      const detail = `needs the library of ${row.fixture}: name that row first`;
      return [{ name, what: 'run', verdict: 'not run', detail, seconds: 0 }];
    }
    library = built.library;
    console.log(`${name}: the library of ${row.fixture}, ${built.kind}`);
  }
  if (row.runs.length === 0)
    results.push({ name, what: 'run', verdict: 'not run', detail: row.unrun, seconds: 0 });
  for (const run of quick ? row.runs.slice(0, 1) : row.runs) {
    const families = quick ? quickFamilies : undefined;
    results.push(await timed(name, 'run', () => runSuite(row, run, library, families)));
  }
  const core = row.core ?? [];
  for (const cpu of quick ? core.slice(0, 1) : core)
    results.push(await timed(name, 'core', () => runCoreTests(row, cpu)));
  return results;
}

async function timed(name, what, run) {
  const begin = performance.now();
  const seconds = () => Math.round((performance.now() - begin) / 1000);
  try {
    const { detail, ok } = await run();
    return { name, what, verdict: ok ? 'ok' : 'FAILED', detail, seconds: seconds() };
  } catch (error) {
    if (!(error instanceof Stop)) throw error;
    // A failed step begins with the name of the program; a missing tool does not.
    const verdict = error.message.startsWith('millrace: ') ? 'FAILED' : 'not run';
    return { name, what, verdict, detail: error.message, seconds: seconds() };
  }
}

/** The conformance suite with a row's library in its Node.js. Its output is kept in a file. */
async function runSuite(row, run, library, families) {
  const { command, args, env = {}, children = false, title } = await prepareRun(run);
  const engine = row.engine ?? 'native';
  const suite = [join(root, 'test', 'conformance', 'host.mjs'), '--engine', engine];
  const chosen = families ?? (children ? undefined : await withoutProcesses());
  if (chosen !== undefined) suite.push('--families', chosen.join(','));
  const folder = join(place, row.name);
  mkdirSync(folder, { recursive: true });
  const log = join(folder, `${run.runner}${run.cpu === undefined ? '' : `-${run.cpu}`}.log`);
  // Wine hangs when it is given pipes.
  const shell = ['-c', 'exec "$@" </dev/null >"$0" 2>&1', log, command, ...args];
  const answer = await probe('sh', [...shell, '--expose-gc', '--no-warnings', ...suite], {
    env: {
      ...process.env,
      ...env,
      MILLRACE_ENGINE: engine,
      ...(engine === 'native' ? { MILLRACE_BINARY: pathFor(run, library) } : {}),
    },
  });
  const lines = readFileSync(log, 'utf8').trim().split(/\r?\n/);
  const summary = lines.findLast((line) => /^\d+ cases in/.test(line));
  const ok = answer?.code === 0 && summary !== undefined;
  const said = lines.filter((line) => /FAILED|failed:|Error/.test(line)).slice(0, 3);
  const bad = said.length > 0 ? said.join('; ') : `ended with ${answer?.code}`;
  return { ok, detail: `${title}: ${ok ? summary : `${bad} (${log})`}` };
}

async function withoutProcesses() {
  const suite = pathToFileURL(join(root, 'test', 'conformance', 'suite.mjs')).href;
  const { families } = await import(suite);
  return Object.keys(families).filter((name) => name !== 'processes');
}

/** Wine shows the files of this machine as drive Z. */
const pathFor = ({ runner }, library) => (runner === 'wine' ? `Z:${library}` : library);

/** Writes a library to native/, where tools/platform-packages.mjs takes it from. */
function keep(library, name) {
  const folder = join(root, 'native');
  if (!existsSync(folder)) mkdirSync(folder);
  copyFileSync(library, join(folder, `millrace.${name}.node`));
}

function table(results) {
  const width = Math.max(...results.map(({ name }) => name.length));
  return results
    .map(({ name, what, verdict, detail, seconds }) =>
      [name.padEnd(width), what.padEnd(5), verdict.padEnd(7), `${seconds} s`.padStart(6), detail]
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
