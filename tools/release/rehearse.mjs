// `npm run release -- --rehearse [--platforms a,b] [--prebuilt] [--workflows]`: a release from this
// machine to a registry on this machine. Builds the platform packages as releases are built, looks
// at each, publishes them, installs them in empty projects by every package manager with scripts
// blocked, runs the quick start in every runtime, and upgrades to a release of which a part is
// missing.
// `--pack` writes what would be published, and publishes nothing.
//
// --platforms   those of tools/platforms.mjs that take part; all by default
// --prebuilt    takes the binaries of native/ as they are
// --workflows   instead, the first release: first-release.mjs

import {
  copyFileSync,
  cpSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

import { findManagers, prepareManagers } from '../managers.mjs';
import { hostPlatform, platforms } from '../platforms.mjs';
import { buildRow } from '../platforms/build.mjs';
import { inspect } from '../platforms/inspect.mjs';
import { rows } from '../platforms/rows.mjs';
import { prepareRun } from '../platforms/runners.mjs';
import { findRuntime, prepareRuntimes, runtimes } from '../runtimes.mjs';
import { fetchCycloneDx } from '../sbom.mjs';
import { Stop, probe, root, step } from '../steps.mjs';
import { place } from './fetch.mjs';
import {
  add,
  installEverywhere,
  lastLines,
  makeProject,
  makeReport,
  nodeHere,
  registryVariables,
  use,
} from './projects.mjs';
import { startRegistry } from './registry.mjs';

const packagesTool = join(root, 'tools', 'platform-packages.mjs');

/** Emulated systems in which the packages of other platforms are used. */
const emulated = [
  { platform: 'linux-x64-musl', runner: 'musl-x64', flags: ['linux', 'x64', 'musl'] },
  { platform: 'linux-x64-musl', runner: 'bun-musl-x64', flags: ['linux', 'x64', 'musl'] },
  { platform: 'linux-arm64-gnu', runner: 'arm64', cpu: 'max', flags: ['linux', 'arm64', 'glibc'] },
  {
    platform: 'linux-arm64-musl',
    runner: 'musl-arm64',
    cpu: 'max',
    flags: ['linux', 'arm64', 'musl'],
  },
  { platform: 'win32-x64', runner: 'wine', flags: ['win32', 'x64'] },
  { platform: 'win32-arm64', runner: 'wine-arm64', cpu: 'cortex-a72', flags: ['win32', 'arm64'] },
];

/** Runs the rehearsal, after `prepare` if the options are right; resolves to the exit code. */
export async function rehearse(args, prepare) {
  const { values } = parseArgs({
    args,
    options: {
      rehearse: { type: 'boolean' },
      pack: { type: 'boolean' },
      platforms: { type: 'string' },
      prebuilt: { type: 'boolean', default: false },
      workflows: { type: 'boolean', default: false },
    },
  });
  if (values.pack) return packHere(prepare);
  if (!values.rehearse)
    throw new Stop('millrace: releases are published by CI; `npm run release -- --rehearse`');
  const names = values.platforms?.split(',') ?? platforms.map(({ name }) => name);
  const unknown = names.find((name) => !platforms.some((each) => each.name === name));
  if (unknown !== undefined) throw new Stop(`millrace: there is no platform ${unknown}`);
  await prepare();
  if (values.workflows) {
    const { rehearseFirstRelease } = await import('./first-release.mjs');
    return rehearseFirstRelease();
  }
  await fetchCycloneDx();
  await prepareManagers();
  await prepareRuntimes();
  const report = makeReport();
  const packages = await pack(names, values.prebuilt, report);
  const registry = await startRegistry();
  try {
    await publish(packages, registry.url);
    report('publish', undefined);
    await installEverywhere(registry.url, report);
    await runEverywhere(registry.url, names, report);
    await upgrade(packages, registry.url, report);
  } finally {
    registry.close();
  }
  return report.failed.length === 0 ? 0 : 1;
}

/** Writes the packages below npm/ and what is published of them below packages/. */
async function packHere(prepare) {
  await prepare();
  await step('write the packages', process.execPath, [packagesTool]);
  const tool = join(root, 'tools', 'release', 'pack.mjs');
  const out = join(root, 'packages');
  console.log((await step('pack', process.execPath, [tool, '--out', out])).trim());
  return 0;
}

/** Builds the binaries, writes the packages and looks at them. Returns their folder. */
async function pack(names, prebuilt, report) {
  const binaries = join(place, 'binaries');
  rmSync(binaries, { recursive: true, force: true });
  mkdirSync(binaries, { recursive: true });
  for (const name of names) {
    const file = `millrace.${name}.node`;
    const row = rows.find((each) => each.name === name);
    const library = prebuilt ? join(root, 'native', file) : await buildRow(row, { shipped: true });
    const { facts, faults } = inspect(name, library);
    report(`${name}: ${facts}`, faults.join('; ') || undefined);
    copyFileSync(library, join(binaries, file));
  }
  const out = join(place, 'packages');
  const args = [packagesTool, '--out', out, '--binaries', binaries];
  await step('write the packages', process.execPath, args);
  for (const name of names) report(`${name}: licences, bill of materials`, lookAt(join(out, name)));
  return out;
}

/** Returns what is wrong with a platform package, if anything. */
function lookAt(folder) {
  const read = (file) => readFileSync(join(folder, file), 'utf8');
  const files = readdirSync(folder);
  for (const file of ['LICENSE', 'LICENSES.txt', 'README.md', 'sbom.cdx.json'])
    if (!files.includes(file)) return `${file} is missing`;
  const licences = read('LICENSES.txt');
  const parts = JSON.parse(read('sbom.cdx.json')).components.map(({ name }) => name);
  for (const crate of ['aws-lc-sys', 'blake3', 'zeroize', 'napi-sys']) {
    if (!parts.includes(crate)) return `sbom.cdx.json lacks ${crate}`;
    if (!licences.includes(`\n${crate} `)) return `LICENSES.txt lacks ${crate}`;
  }
  return undefined;
}

/** Packs a folder of packages and publishes them by the commands that releases use. */
async function publish(packages, url) {
  const packed = `${packages}-packed`;
  const run = (name, ...args) => [join(root, 'tools', 'release', name), ...args];
  await step('pack', process.execPath, run('pack.mjs', '--npm', packages, '--out', packed));
  const env = { ...process.env, ...registryVariables(url) };
  await step('publish', process.execPath, run('publish.mjs', '--from', packed), { env });
}

/** Runs the package in every runtime, and in emulated systems with packages that take part. */
async function runEverywhere(url, names, report) {
  const { npm: manager } = findManagers();
  const project = makeProject('runtimes', url);
  const fault = await add(project, 'npm', manager);
  if (fault !== undefined) return report('install for the runtimes', fault);
  for (const runtime of runtimes) {
    const { missing, command, run, version } = findRuntime(runtime);
    if (missing !== undefined) report.skip(runtime.name, missing);
    else {
      const title = `${runtime.name} (${version})`;
      report(title, await use(project, { command, args: run, env: {} }));
    }
  }
  for (const { platform, flags, ...given } of emulated) {
    if (!names.includes(platform)) {
      report.skip(platform, 'it does not take part');
      continue;
    }
    try {
      const run = await prepareRun(/** @type {any} */ (given));
      const other = makeProject(`${platform} ${given.runner}`, url);
      const more = ['os', 'cpu', 'libc']
        .slice(0, flags.length)
        .map((key, i) => `--${key}=${flags[i]}`);
      const wrong = (await add(other, 'npm', manager, { more })) ?? (await use(other, run));
      report(`${platform}: ${run.title}`, wrong);
    } catch (error) {
      if (!(error instanceof Stop)) throw error;
      report.skip(platform, error.message);
    }
  }
}

/**
 * Upgrades from version N to N+1, without a published package for this platform: the native engine
 * must say which package is missing, and without `MILLRACE_ENGINE` the portable one must serve.
 */
async function upgrade(packages, url, report) {
  const here = hostPlatform();
  const { npm: manager } = findManagers();
  const project = makeProject('upgrade', url);
  const before = (await add(project, 'npm', manager)) ?? (await use(project, nodeHere));
  if (before !== undefined) return report('upgrade: version N', before);
  const next = join(place, 'packages-next');
  const version = writeNext(packages, next);
  rmSync(join(next, here), { recursive: true });
  await publish(next, url);
  const added = await add(project, 'npm', manager, { version });
  if (added !== undefined) return report('upgrade: install version N+1', added);
  const program = ['-e', "console.log(require('millrace').hash('sha256', 'abc', 'hex'))"];
  const run = (env) =>
    probe(process.execPath, program, { cwd: project.folder, env: { ...project.env, ...env } });
  const native = await run({ MILLRACE_ENGINE: 'native' });
  const clear = native?.code !== 0 && native?.all.includes(`@millrace/${here}`);
  report(
    'upgrade without a platform package: the error names it',
    clear ? undefined : lastLines(native),
  );
  const portable = await run({});
  const serves = portable?.code === 0 && portable.stdout.startsWith('ba7816bf');
  report(
    'upgrade without a platform package: portable serves',
    serves ? undefined : lastLines(portable),
  );
}

/** Copies the packages with the next patch version; returns that of `millrace`. */
function writeNext(packages, next) {
  rmSync(next, { recursive: true, force: true });
  cpSync(packages, next, { recursive: true });
  const read = (name) => JSON.parse(readFileSync(join(next, name, 'package.json'), 'utf8'));
  const after = (text) => text.replace(/\d+$/, (patch) => Number(patch) + 1);
  const version = after(read('millrace').version);
  for (const name of readdirSync(next)) {
    const manifest = read(name);
    manifest.version = after(manifest.version);
    for (const each of Object.keys(manifest.optionalDependencies ?? {}))
      manifest.optionalDependencies[each] = version;
    if (manifest.dependencies?.millrace !== undefined) manifest.dependencies.millrace = version;
    const text = `${JSON.stringify(manifest, null, 2)}\n`;
    writeFileSync(join(next, name, 'package.json'), text);
  }
  return version;
}
