// Runs the suite in a runtime that has node:fs and node:module: Node, Bun, Deno, a guest with
// another kernel. One line a family on stdout; failures by name; exit code 1 if there are any.
//
//   node test/conformance/host.mjs [--engine portable[,native]] [--require | --import]
//     [--from FOLDER] [--families a,b] [--styles synchronous,callback,promise] [--json FILE]
//
// The entry points come from the built package by its exports: by `require` (the default) or
// `import`, looked up from the folder named by --from, such as a project in which Millrace is
// installed.

import { readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath, pathToFileURL } from 'node:url';

import { processes } from './processes.mjs';
import { families as neutral, runConformance } from './suite.mjs';

/** Those of every environment, and those of runtimes like Node. */
export const families = { ...neutral, processes };

/** Loads the entry points by name, from where `from` finds the package. */
export async function openEntryPoints({ from = import.meta.url, kind = 'require' } = {}) {
  const require = createRequire(from);
  const open = kind === 'require' ? async (name) => require(name) : await importerFrom(from);
  const [millrace, promises, cryptoAsync, bigintHash, bigintBuffer] = await Promise.all(
    ['', '/promises', '/crypto-async', '/bigint-hash', '/bigint-buffer'].map((entryPoint) =>
      open(`millrace${entryPoint}`),
    ),
  );
  return { millrace, promises, originals: { cryptoAsync, bigintHash, bigintBuffer } };
}

/** Names are resolved from the folder of a module: a small module in that folder is asked. */
async function importerFrom(from) {
  if (from === import.meta.url) return (name) => import(name);
  const { open } = await import(new URL('open.mjs', from));
  return open;
}

/** Loads a JSON file below test/. */
export async function load(file) {
  return JSON.parse(await readFile(new URL(`../${file}`, import.meta.url), 'utf8'));
}

/** Runs the suite on the built package. */
export async function runHere({ engine, wanted, styles, report, ...where }) {
  const entryPoints = await openEntryPoints(where);
  return runConformance({
    ...entryPoints,
    load,
    options: engine === undefined ? {} : { engine },
    families: wanted,
    styles,
    more: { processes: (context) => processes({ ...context, where }) },
    report,
  });
}

function settings(args) {
  const value = (name) => (args.includes(name) ? args[args.indexOf(name) + 1] : undefined);
  const list = (name) => value(name)?.split(',');
  const [engine, folder] = [list('--engine'), value('--from')];
  return {
    engine: engine?.length === 1 ? engine[0] : engine,
    kind: args.includes('--import') ? 'import' : 'require',
    from: folder === undefined ? undefined : pathToFileURL(join(folder, 'index.mjs')).href,
    wanted: list('--families') ?? Object.keys(families),
    styles: list('--styles'),
    json: value('--json'),
  };
}

async function main(args) {
  const { json, ...given } = settings(args);
  const begin = performance.now();
  const { cases, summary } = await runHere({
    ...given,
    report: ({ ok, unavailable, family, algorithm, name, error }) =>
      ok || unavailable || console.log(`failed: ${family}, ${algorithm}, ${name}: ${error}`),
  });
  for (const [family, algorithms] of Object.entries(summary)) {
    const [passed, failed, unavailable] = ['passed', 'failed', 'unavailable'].map((count) =>
      Object.values(algorithms).reduce((sum, counts) => sum + counts[count], 0),
    );
    console.log(
      `${family}: ${passed} ` +
        `passed${failed ? `, ${failed} FAILED` : ''}` +
        `${unavailable ? `, ${unavailable} not available` : ''}`,
    );
  }
  const seconds = (performance.now() - begin) / 1000;
  console.log(`${cases.length} cases in ${seconds.toFixed(1)} s`);
  if (json !== undefined)
    await writeFile(
      json,
      JSON.stringify({
        seconds,
        summary,
        failures: cases.filter(({ ok }) => !ok).map(({ ms, ...each }) => each),
      }),
    );
  return cases.every(({ ok, unavailable }) => ok || unavailable) ? 0 : 1;
}

if (process.argv[1] !== undefined && fileURLToPath(import.meta.url) === process.argv[1])
  process.exitCode = await main(process.argv.slice(2));
