// Applications of ethers and viem in bundles for browsers, with the override of noble and without:
// the same output, and the sizes of docs/noble-and-ethers.md.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import {
  copyFileSync,
  cpSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { after, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';

import { installed, npm } from '../../tools/install.mjs';
import { writeNoblePackages } from '../../tools/noble-packages.mjs';
import { root, temporary } from '../support/child.mjs';
import { fetchPackage } from '../support/registry.mjs';

const exec = promisify(execFile);
const tools = join(root, 'test', 'bundlers');
const skip = !installed(tools) && 'not run: the bundlers are not installed (npm run test:bundlers)';
const packages = ['ethers@6.15.0', 'viem@2.37.0'];
const pages = { ethers: 'ethers-wallet', viem: 'viem-account' };
const folder = temporary();
after(() => rmSync(folder, { recursive: true, force: true }));

/** Installs the packages as they are, and a copy in which the override replaces noble 1. */
async function install() {
  const [plain, ours] = ['plain', 'ours'].map((name) => join(folder, name));
  mkdirSync(plain);
  writeFileSync(join(plain, 'package.json'), '{ "private": true, "type": "module" }\n');
  const given = ['install', ...packages, '--ignore-scripts', '--no-audit', '--no-fund'];
  const [command, args, options] = npm(given);
  await exec(command, args, { ...options, cwd: plain });
  cpSync(plain, ours, { recursive: true });
  const modules = join(ours, 'node_modules');
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const overrides = join(folder, 'overrides');
  await writeNoblePackages(overrides, manifest);
  for (const [name, version] of [
    ['hashes', '1.8.0'],
    ['ciphers', '1.3.0'],
  ]) {
    const found = readdirSync(ours, { recursive: true }).filter(
      (path) =>
        path.replaceAll('\\', '/').endsWith(`@noble/${name}/package.json`) &&
        JSON.parse(readFileSync(join(ours, path), 'utf8')).version.startsWith('1.'),
    );
    for (const path of found) {
      const place = dirname(join(ours, path));
      rmSync(place, { recursive: true });
      cpSync(join(overrides, `noble-${name}-v1`), place, { recursive: true });
    }
    cpSync(fetchPackage(`@noble/${name}`, version), join(modules, `noble-${name}-original`), {
      recursive: true,
    });
  }
  // As a copy: the way of a link would lead out of node_modules.
  symlinkSync(root, join(modules, 'millrace'), 'junction');
  for (const place of [plain, ours])
    for (const page of Object.values(pages))
      copyFileSync(join(tools, `${page}.js`), join(place, `${page}.mjs`));
  return { plain, ours };
}
const projects = skip ? undefined : install();

const OF_OTHERS =
  /Circular dependency: .*\b(?:viem|ethers|ox|abitype)\b|keyword is equivalent|performance/;

/** Returns the files that a module loads with itself, not at a first use. */
function loadedBy(file, found = new Set()) {
  if (found.has(file)) return found;
  found.add(file);
  const code = readFileSync(file, 'utf8');
  for (const [, name] of code.matchAll(/\b(?:import|from) ?["'](\.{1,2}\/[^"']+\.m?js)["']/g))
    loadedBy(join(dirname(file), name), found);
  return found;
}

/**
 * Bundles an application; resolves to its output, its size after gzip, and that of what it loads
 * later.
 */
async function run(bundler, project, page) {
  const { bundlers } = await import('../bundlers/bundle.mjs');
  const out = join(project, 'bundles', `${bundler}-${page}`);
  const entry = join(project, `${page}.mjs`);
  // Messages of bundlers about other packages do not matter.
  const first = await bundlers[bundler](entry, out, project, OF_OTHERS);
  const preload = pathToFileURL(join(tools, 'document.mjs')).href;
  const { stdout } = await exec(process.execPath, [
    '--no-warnings',
    '--import',
    preload,
    join(out, first),
  ]);
  const sizeOf = (files) =>
    files.reduce((sum, file) => sum + gzipSync(readFileSync(file), { level: 9 }).length, 0);
  const now = loadedBy(join(out, first));
  const all = readdirSync(out, { recursive: true })
    .filter((file) => /\.m?js$/.test(file))
    .map((file) => join(out, file));
  return { stdout, size: sizeOf([...now]), later: sizeOf(all.filter((file) => !now.has(file))) };
}

/** The sizes may differ from those told by this part. */
const TOLERANCE = 0.05;
const within = (size, told) =>
  assert.ok(Math.abs(size - told) <= told * TOLERANCE, `${told} KB told: ${size}`);
const docs = readFileSync(join(root, 'docs', 'noble-and-ethers.md'), 'utf8');

for (const [application, page] of Object.entries(pages))
  for (const bundler of ['esbuild', 'vite', 'webpack', 'rollup'])
    test(`${application} with the override, bundled by ${bundler}`, { skip }, async (t) => {
      const { plain, ours } = await projects;
      const [expected, found] = [await run(bundler, plain, page), await run(bundler, ours, page)];
      assert.match(expected.stdout, /^0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266 0xddf252ad/);
      assert.equal(found.stdout, expected.stdout);
      const sizes = [expected, found].map(({ size }) => size / 1000);
      t.diagnostic(
        `${application}, ${bundler}: ${sizes.map((each) => each.toFixed(1)).join(' -> ')} KB, ` +
          `later ${(found.later / 1000).toFixed(1)} KB`,
      );
      const row = new RegExp(
        `^\\| ${application}, ${bundler} \\| ([\\d.]+) KB \\| ([\\d.]+) KB \\|$`,
        'm',
      );
      const [, ...told] = row.exec(docs) ?? assert.fail(`docs lack ${application}, ${bundler}`);
      for (const [index, each] of told.entries()) within(sizes[index], each);
      if (application !== 'ethers') return;
      const [, later] = /first `scryptAsync` loads another ([\d.]+) KB/.exec(docs);
      within(found.later / 1000, later);
    });
