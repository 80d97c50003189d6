// The runtimes that the conformance suite runs in, from the npm packages that carry their binaries.
// They go to target/runtimes, once; where one cannot be had, that is said and it is not run.

import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { npm } from './install.mjs';
import { Stop, probe, root, skipped, step } from './steps.mjs';

const folder = join(root, 'target', 'runtimes');
const { platform, arch } = process;

const musl = isMusl();

/** The packages are named in each project's own way. Only Bun has some for musl. */
const systems = {
  node: musl ? undefined : `node-${{ win32: 'win' }[platform] ?? platform}-${arch}`,
  bun:
    `@oven/bun-${{ win32: 'windows' }[platform] ?? platform}-` +
    `${{ arm64: 'aarch64' }[arch] ?? arch}${musl ? '-musl' : ''}`,
  deno: musl ? undefined : `@deno/${platform}-${arch}${platform === 'linux' ? '-glibc' : ''}`,
};

const exe = platform === 'win32' ? '.exe' : '';

/** Name, package and version, the binary within it, and how it runs a script. */
export const runtimes = [
  ...[20, 22, 24, 26].map((major) => ({
    name: `Node ${major}`,
    package: systems.node && `${systems.node}@${major}`,
    binary: platform === 'win32' ? 'bin/node.exe' : 'bin/node',
    run: [],
  })),
  { name: 'Bun', package: `${systems.bun}@1`, binary: `bin/bun${exe}`, run: [] },
  {
    name: 'Deno',
    package: systems.deno && `${systems.deno}@2`,
    binary: `deno${exe}`,
    run: ['run', '-A'],
  },
];

/** Cloudflare Workers' runtime, which runs the tests that a configuration names. */
export const workerd = {
  name: 'workerd',
  package: musl
    ? undefined
    : `@cloudflare/workerd-${{ win32: 'windows' }[platform] ?? platform}-` +
      `${{ x64: '64' }[arch] ?? arch}@1`,
  binary: `bin/workerd${exe}`,
  run: ['test', '--experimental'],
};

/** Vercel's runtime of edge functions: a library; the path of its manifest tells its folder. */
export const edgeRuntime = {
  name: 'edge-runtime',
  package: 'edge-runtime@4',
  binary: 'package.json',
  run: [],
};

/**
 * Returns the command of a runtime, its arguments before a script, and its version; or `missing`,
 * why there is none.
 */
export function findRuntime({ name, package: wanted, binary, run }) {
  const own =
    process.release.name === 'node' && name === `Node ${process.versions.node.split('.')[0]}`;
  if (own) return { command: process.execPath, run, version: process.versions.node };
  if (wanted === undefined) return { missing: 'npm has no package of it for musl' };
  const place = placeOf(name);
  const account = join(place, 'found.json');
  if (!existsSync(account))
    return { missing: 'it is not in target/runtimes (npm run test:runtimes fetches it)' };
  const { missing, from, version } = JSON.parse(readFileSync(account, 'utf8'));
  if (missing !== undefined) return { missing };
  return { command: join(place, from, binary), run, version };
}

/** Fetches those that are not there. */
export async function prepareRuntimes() {
  for (const runtime of [...runtimes, workerd, edgeRuntime]) {
    const found = findRuntime(runtime);
    if (found.command !== undefined && existsSync(found.command)) continue;
    if (runtime.package === undefined) continue;
    await fetchRuntime(runtime);
  }
}

/** A day; then what could not be had is asked for again. */
const AGAIN = 24 * 3600 * 1000;

async function fetchRuntime({ name, package: wanted, binary }) {
  const place = placeOf(name);
  mkdirSync(place, { recursive: true });
  const note = (found) => writeFileSync(join(place, 'found.json'), `${JSON.stringify(found)}\n`);
  const earlier = existsSync(join(place, 'found.json'))
    ? JSON.parse(readFileSync(join(place, 'found.json'), 'utf8'))
    : {};
  if (earlier.missing !== undefined && Date.now() - earlier.at < AGAIN) return;
  // A separate folder, so that npm does not look at the manifest of this package.
  writeFileSync(join(place, 'package.json'), '{ "private": true }\n');
  const [command, args, options] = npm([
    'install',
    '--no-save',
    '--no-audit',
    '--no-fund',
    '--ignore-scripts',
    '--fetch-retries=1',
    '--prefix',
    place,
    wanted,
  ]);
  try {
    await step(`fetch ${name}`, command, args, { ...options, cwd: place });
  } catch (error) {
    if (!(error instanceof Stop)) throw error;
    skipped(name, `${wanted} cannot be had here`);
    note({ missing: `the package ${wanted} cannot be had here`, at: Date.now() });
    return;
  }
  const from = join('node_modules', wanted.replace(/@[^@]+$/, ''));
  const file = join(place, from, binary);
  const told = binary.endsWith('.json')
    ? JSON.parse(readFileSync(file, 'utf8')).version
    : (await probe(file, ['--version']))?.stdout;
  const version = /\d+[.-]\d+[.-]\d+/.exec(told ?? '')?.[0];
  if (version === undefined) {
    skipped(name, 'its binary does not run here');
    note({ missing: 'its binary does not run here', at: Date.now() });
    return;
  }
  note({ from, version });
}

/**
 * Makes a project in which the built package is installed under its name: what a user's project
 * sees of it.
 */
export function makeProject() {
  const place = join(folder, 'project');
  const installed = join(place, 'node_modules', 'millrace');
  mkdirSync(join(place, 'node_modules'), { recursive: true });
  if (!existsSync(installed)) symlinkSync(root, installed, 'junction');
  // A module resolves names from its folder.
  writeFileSync(join(place, 'open.mjs'), 'export const open = (name) => import(name);\n');
  return place;
}

// A checkout may be used by systems with both C libraries, as in containers.
function placeOf(name) {
  return join(folder, `${name.toLowerCase().replace(' ', '-')}${musl ? '-musl' : ''}`);
}

function isMusl() {
  const { header } = /** @type {any} */ (process.report.getReport());
  return platform === 'linux' && header.glibcVersionRuntime === undefined;
}
