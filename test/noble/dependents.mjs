// Installs libraries that depend on noble twice, as they are and with the overrides of
// docs/noble-and-ethers.md and docs/overrides.md, from tarballs as they are published, and compares
// their workloads in turns. It needs the npm registry.
//
//   npm run test:noble -- --dependents [--newest] [--rounds 3] [--suite DIRECTORY]
//
// With --newest the libraries have their newest versions. With --suite it also runs the tests of a
// checkout of js-ethereum-cryptography in both.

import { deepStrictEqual } from 'node:assert';
import { execFile } from 'node:child_process';
import { copyFileSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import { build } from 'esbuild';

import { npm } from '../../tools/install.mjs';
import { pack, serve } from '../package/packed.mjs';
import { temporary } from '../support/child.mjs';
import { shownOverrides } from '../support/overrides.mjs';

const exec = promisify(execFile);
const { values } = parseArgs({
  options: {
    dependents: { type: 'boolean' },
    newest: { type: 'boolean' },
    rounds: { type: 'string', default: '3' },
    suite: { type: 'string' },
  },
});

const dependents = {
  '@chainsafe/persistent-merkle-tree': '1.2.1',
  '@ethereumjs/mpt': '10.0.0',
  'ethereum-cryptography': '3.2.0',
  ethers: '6.15.0',
  merkletreejs: '0.6.0',
  'nostr-tools': '2.15.0',
  viem: '2.33.0',
};
const overrides = shownOverrides('noble-and-ethers', 'overrides');

const folder = temporary();
let registry;
try {
  const packages = await pack(folder);
  registry = await serve(packages);
  const main = packages.find(({ manifest: { name } }) => name === 'millrace');
  const plain = await project('plain', {}, main.file);
  const replaced = await project('replaced', overrides, main.file);
  if (values.suite !== undefined) {
    for (const place of [plain, replaced]) await runSuite(resolve(values.suite), place);
  }
  await measure(plain, replaced);
} finally {
  await registry?.close();
  rmSync(folder, { recursive: true, force: true });
}

/** Installs the libraries with overrides. */
async function project(name, changed, millrace) {
  const place = join(folder, name);
  mkdirSync(place);
  const wanted = Object.entries(dependents).map(([each, version]) => [
    each,
    values.newest ? 'latest' : version,
  ]);
  const dependencies = { ...Object.fromEntries(wanted), millrace: `file:${millrace}` };
  const manifest = { private: true, dependencies, overrides: changed };
  writeFileSync(join(place, 'package.json'), JSON.stringify(manifest));
  writeFileSync(join(place, '.npmrc'), `@millrace:registry=${registry.url}\n`);
  const [command, args, options] = npm(['install', '--ignore-scripts', '--no-audit', '--no-fund']);
  await exec(command, args, { ...options, cwd: place });
  return place;
}

/** Runs the workloads in turns and prints the ratios. */
async function measure(plain, replaced) {
  const program = fileURLToPath(new URL('./workloads.mjs', import.meta.url));
  const run = async (cwd, ...args) => {
    copyFileSync(program, join(cwd, 'workloads.mjs'));
    const { stdout } = await exec(process.execPath, ['workloads.mjs', ...args], { cwd });
    return JSON.parse(/^#times (.*)$/m.exec(stdout)[1]);
  };
  const ways = [[plain], [replaced], [plain, '--ethers']];
  const best = ways.map(() => ({}));
  for (let round = 0; round < Number(values.rounds); round++) {
    for (const [index, way] of ways.entries()) {
      for (const [name, { ns, result }] of Object.entries(await run(...way))) {
        const known = (best[index][name] ??= { ns, result });
        known.ns = Math.min(known.ns, ns);
        deepStrictEqual(result, best[0][name].result, name);
      }
    }
  }
  const [before, after, registered] = best;
  console.log('| workload | noble | with the override | ratio | with register | ratio |');
  console.log('|---|---|---|---|---|---|');
  const us = (ns) => `${(ns / 1e3).toPrecision(3)} us`;
  for (const [name, { ns }] of Object.entries(before)) {
    const cells = [name, us(ns), us(after[name].ns), (ns / after[name].ns).toFixed(1)];
    const hooked = registered[name].ns;
    cells.push(...(name.startsWith('ethers') ? [us(hooked), (ns / hooked).toFixed(1)] : ['', '']));
    console.log(`| ${cells.join(' | ')} |`);
  }
}

/** Runs the tests of ethereum-cryptography against the installed package. */
async function runSuite(suite, place) {
  const tests = join(suite, 'test', 'test-vectors');
  const out = join(place, 'test');
  await build({
    entryPoints: readdirSync(tests)
      .filter((file) => file.endsWith('.ts') && file !== 'assert.ts')
      .map((file) => join(tests, file)),
    outdir: out,
    outExtension: { '.js': '.cjs' },
    bundle: true,
    platform: 'node',
    format: 'cjs',
    logLevel: 'error',
    banner: { js: "const { describe, it } = require('node:test');" },
    plugins: [{ name: 'installed package', setup: resolveInstalled }],
  });
  const args = ['--test', '--test-reporter=tap', out];
  const options = { cwd: place, maxBuffer: 2 ** 28 };
  const { stdout } = await exec(process.execPath, args, options).catch((error) => error);
  const count = (name) => new RegExp(`^# ${name} (\\d+)`, 'm').exec(stdout)?.[1];
  console.log(`${place.split('/').at(-1)}: ${count('pass')} passed, ${count('fail')} failed`);
  for (const [, title] of stdout.matchAll(/^ *not ok \d+ - (.*)/gm)) console.log(`  ${title}`);
}

/** Leads imports of the suite's sources to the installed package. */
function resolveInstalled({ onResolve }) {
  onResolve({ filter: /^\.\.\/\.\.\/src\// }, ({ path }) => ({
    path: path.replace('../../src', 'ethereum-cryptography').replace(/(\.[jt]s)?$/, '.js'),
    external: true,
  }));
  onResolve({ filter: /^[^.]/ }, ({ path, kind }) =>
    kind === 'entry-point' ? undefined : { path, external: true },
  );
}
