// The package in workerd, the runtime of Cloudflare Workers, and in edge-runtime, that of Vercel's
// edge functions. Both compile no WebAssembly from bytes: the conformance suite and every module of
// millrace/portable. `npm run test:runtimes` fetches them and runs every case; the short form runs
// some families.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';

import { columnOf, documented, keep } from '../../tools/engines-table.mjs';
import { edgeRuntime, findRuntime, makeProject, workerd } from '../../tools/runtimes.mjs';
import { root, temporary } from '../support/child.mjs';
import { bundleForEdge } from '../support/edge-bundle.mjs';

/** There is one thread, on which a long derivation cannot be stopped. */
const without = [['aborted derivations', 'aborted while it runs']];

const all = process.env.MILLRACE_RUNTIMES === 'all';
const folder = temporary();
after(() => rmSync(folder, { recursive: true, force: true }));

const vectors = ['conformance', 'vectors']
  .flatMap((name) => readdirSync(join(root, 'test', name)).map((file) => `${name}/${file}`))
  .filter((name) => name.endsWith('.json'));

/** Bundles edge.mjs. Returns the names of the WebAssembly files. */
const bundle = (condition, options) =>
  bundleForEdge("export { default } from './edge.mjs';", {
    resolveDir: import.meta.dirname,
    folder,
    condition,
    ...options,
  });

/** Runs the bundle in workerd; returns its record. */
async function inWorkerd(found, settings) {
  const names = await bundle('workerd', { format: 'esm' });
  const embed = (path) => `embed ${JSON.stringify(path)}`;
  for (const file of vectors)
    writeFileSync(join(folder, file.replace('/', '-')), readFileSync(join(root, 'test', file)));
  writeFileSync(join(folder, 'settings.json'), JSON.stringify({ ...settings, prints: true }));
  const modules = names.map((name) => `(name = "${name}", wasm = ${embed(name)})`);
  const bindings = vectors.map(
    (file) => `(name = "${file}", json = ${embed(file.replace('/', '-'))})`,
  );
  writeFileSync(
    join(folder, 'config.capnp'),
    `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (services = [(name = "main", worker = .main)]);
const main :Workerd.Worker = (
  modules = [(name = "worker", esModule = ${embed('worker.js')}), ${modules.join(', ')}],
  bindings = [(name = "settings", json = ${embed('settings.json')}), ${bindings.join(', ')}],
  compatibilityDate = "2026-01-01",
);
`,
  );
  const { stdout, stderr } = await promisify(execFile)(
    found.command,
    [...found.run, join(folder, 'config.capnp')],
    { maxBuffer: 2 ** 26, timeout: 300_000 },
  ).catch((error) => error);
  const line = `${stdout}\n${stderr}`.split('\n').find((each) => each.includes('RECORD {'));
  assert.ok(line, `${stdout}\n${stderr}`.slice(0, 4000));
  return JSON.parse(line.slice(line.indexOf('{')));
}

/** Runs the bundle in edge-runtime; returns its record. */
async function inEdgeRuntime(found, settings) {
  const names = await bundle('edge-light', { format: 'iife', globalName: 'worker' });
  const { EdgeRuntime } = await import(
    pathToFileURL(join(found.command, '..', 'dist', 'index.js'))
  );
  const read = (file) => JSON.parse(readFileSync(join(root, 'test', file), 'utf8'));
  const given = {
    modules: Object.fromEntries(
      names.map((name) => [name, new WebAssembly.Module(readFileSync(join(folder, name)))]),
    ),
    env: { settings, ...Object.fromEntries(vectors.map((file) => [file, read(file)])) },
  };
  const runtime = new EdgeRuntime({
    codeGeneration: { strings: false, wasm: false },
    extend: (context) => Object.assign(context, given),
  });
  runtime.evaluate(readFileSync(join(folder, 'worker.js'), 'utf8'));
  return JSON.parse(await runtime.evaluate('worker.default.test(undefined, env)'));
}

/** Runs every case, or those of some families, and the modules of millrace/portable. */
function testIn(runtime, run) {
  const found = findRuntime(runtime);
  const { name } = runtime;
  test(name, { skip: found.missing && `not run: ${found.missing}` }, async (t) => {
    t.diagnostic(`${name} ${found.version}`);
    makeProject();
    const some = {
      families: ['hashes', 'seals', 'keys', 'asymmetric', 'refusals', 'originals', 'absences'],
    };
    const record = await run(found, { without, ...(all ? {} : some) });
    const { compiles, runs, functions, noble, cases, failures, summary } = record;
    assert.equal(compiles, false);
    assert.equal(runs, 'wasm-simd');
    assert.deepEqual(functions.different, []);
    assert.ok(functions.equal.length > 55, `${functions.equal.length} functions`);
    assert.equal(noble, true);
    assert.deepEqual(failures, []);
    assert.ok(cases > (all ? 1800 : 150), `${cases} cases`);
    if (!all) return;
    keep(name, { version: found.version, summary });
    assert.deepEqual(
      columnOf(summary),
      documented(name),
      'docs/engines.md has another column (node tools/engines-table.mjs writes it)',
    );
  });
}

testIn(workerd, inWorkerd);
testIn(edgeRuntime, inEdgeRuntime);
