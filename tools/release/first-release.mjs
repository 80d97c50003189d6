// `npm run release -- --rehearse --workflows`: the first release by the steps of RELEASING.md, in a
// clone of the last commit and to a registry on this machine.
//
// 0.1.0-rc.1: `npm version`, the jobs of the workflow that build and pack, and the publication by a
// person that makes the packages known. 0.1.0: `npm version`, the whole workflow for the tag, with
// staging; the approvals in order; then installs by every package manager, and the attestations of
// what was installed. workflows.mjs says what runs and what is listed.
//
// The binary of this platform is built for each version, without the optimizations of releases. For
// platforms whose jobs cannot run here a copy of it takes their place in the packages, which is
// never loaded.

import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

import { findManagers, prepareManagers } from '../managers.mjs';
import { hostPlatform, platforms } from '../platforms.mjs';
import { buildRow } from '../platforms/build.mjs';
import { rows } from '../platforms/rows.mjs';
import { prepareRuntimes } from '../runtimes.mjs';
import { fetchCycloneDx } from '../sbom.mjs';
import { probe, root, step } from '../steps.mjs';
import { fetchPrograms, fetchedFile, place as rehearsal } from './fetch.mjs';
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
import { runWorkflows } from './workflows.mjs';

const place = join(rehearsal, 'first-release');
const source = join(place, 'source');

/** Runs the rehearsal; resolves to the exit code. */
export async function rehearseFirstRelease() {
  await prepareManagers();
  await prepareRuntimes();
  await fetchCycloneDx();
  await fetchPrograms();
  rmSync(place, { recursive: true, force: true });
  const git = (...args) => execFileSync('git', args);
  git('clone', '--quiet', root, source);
  git('-C', source, 'config', 'user.name', 'rehearsal');
  git('-C', source, 'config', 'user.email', 'rehearsal@localhost');
  const report = makeReport();
  const registry = await startRegistry();
  const env = registryVariables(registry.url);
  try {
    const first = await releaseOf('0.1.0-rc.1', {
      env,
      report,
      takes: (job) => !/stage|draft/.test(job),
    });
    const from = join(first.artifacts, 'packages');
    const args = [join(root, 'tools', 'release', 'publish.mjs'), '--from', from];
    await step('first publication', process.execPath, args, { env: { ...process.env, ...env } });
    await installEverywhere(registry.url, report, 'next');
    const release = await releaseOf('0.1.0', { env, report });
    await approve(join(release.artifacts, 'packages'), env, report);
    await installEverywhere(registry.url, report);
    await verify(release, registry.url, report);
  } finally {
    registry.close();
  }
  return report.failed.length === 0 ? 0 : 1;
}

/** Makes the version and its tag, builds its binary, and runs the workflow for the tag. */
async function releaseOf(version, { env, report, takes = (_job) => true }) {
  await step(`npm version ${version}`, 'npm', ['version', version], { cwd: source });
  const row = rows.find(({ name }) => name === hostPlatform());
  const library = await buildRow(row, { source });
  const seeds = {};
  for (const { name } of platforms) {
    seeds[name] = join(place, 'binaries', name);
    mkdirSync(seeds[name], { recursive: true });
    copyFileSync(library, join(seeds[name], `millrace.${name}.node`));
    if (name !== hostPlatform()) report.skip(name, `a copy of ${hostPlatform()} takes its place`);
  }
  const tag = `v${version}`;
  return runWorkflows({ names: ['release'], tag, env, takes, source, seeds, report });
}

/** Approves what was staged, in the order in which it is published, as a maintainer does. */
async function approve(folder, env, report) {
  const npm = (...args) =>
    probe(process.execPath, [fetchedFile('npm', 'bin', 'npm-cli.js'), 'stage', ...args], {
      env: { ...process.env, ...env },
    });
  const answer = await npm('list', '--json');
  const staged = JSON.parse(answer?.stdout ?? '[]');
  const packages = JSON.parse(readFileSync(join(folder, 'packages.json'), 'utf8'));
  for (const { name, version } of packages) {
    const found = staged.find((each) => each.packageName === name && each.version === version);
    const approved = found && (await npm('approve', found.id));
    report(`approve ${name} ${version}`, approved?.code === 0 ? undefined : lastLines(approved));
  }
}

/** Verifies the attestations of what was packed, and of the binary that npm installed. */
async function verify({ artifacts, bundles, verify: check }, url, report) {
  const folder = join(artifacts, 'packages');
  const kinds = {};
  for (const bundle of bundles)
    for (const file of readdirSync(folder)) {
      if (file === 'SHA256SUMS') continue;
      const kind = await check(bundle, join(folder, file)).catch(() => undefined);
      if (kind !== undefined) kinds[kind] = (kinds[kind] ?? 0) + 1;
    }
  const told = Object.entries(kinds).map(([kind, count]) => `${count} files ${kind}`);
  report(`attestations: ${told.join(', ')}`, told.length === 2 ? undefined : 'two kinds expected');
  const project = makeProject('attestations', url);
  const { npm } = findManagers();
  const fault = (await add(project, 'npm', npm)) ?? (await use(project, nodeHere));
  if (fault !== undefined) return report('install for the attestations', fault);
  const host = hostPlatform();
  const installed = join(
    project.folder,
    'node_modules',
    '@millrace',
    host,
    `millrace.${host}.node`,
  );
  const attested = await Promise.any(bundles.map((bundle) => check(bundle, installed)))
    .then(() => undefined)
    .catch((error) => `${error}`);
  return report('the installed binary is what was attested', attested);
}
