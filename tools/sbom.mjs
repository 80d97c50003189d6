// The bill of materials of a platform's binary in CycloneDX's format, by cargo-cyclonedx: the
// crates that are compiled in, their versions and licences. Written into each platform package.

import { readFileSync, readdirSync, rmSync } from 'node:fs';
import { delimiter, join } from 'node:path';

import { prepareNativeBuild } from './prerequisites.mjs';
import { Stop, probe, root, step } from './steps.mjs';

const file = 'millrace-sbom';
const tools = join(root, 'target', 'tools');

/** The environment for cargo-cyclonedx, of this machine or of `fetchCycloneDx`. */
async function environment() {
  /** @type {NodeJS.ProcessEnv} */
  const env = { ...(await prepareNativeBuild()), SOURCE_DATE_EPOCH: '0' };
  env.PATH = `${env.PATH}${delimiter}${join(tools, 'bin')}`;
  return env;
}

async function hasCycloneDx(env) {
  return (await probe('cargo-cyclonedx', ['cyclonedx', '--version'], { env }))?.code === 0;
}

/** Builds cargo-cyclonedx below target/tools if this machine has none. */
export async function fetchCycloneDx() {
  const env = await environment();
  if (await hasCycloneDx(env)) return;
  const args = ['install', '--locked', '--root', tools, 'cargo-cyclonedx@0.5.9'];
  await step('build cargo-cyclonedx', 'cargo', args, { env });
}

/**
 * Returns the text for a platform of platforms.mjs, or `missing`, why there is none.
 *
 * @returns {Promise<{ text: string, missing?: undefined } | { missing: string, text?: undefined }>}
 */
export async function billOfMaterials({ rust }) {
  const env = await environment();
  if (!(await hasCycloneDx(env)))
    return { missing: 'no cargo-cyclonedx (cargo install --locked cargo-cyclonedx)' };
  const crates = join(root, 'crates');
  // prettier-ignore
  const args = [
    'cyclonedx', '--quiet', '--manifest-path', join(crates, 'node', 'Cargo.toml'), '--target', rust,
    '--format', 'json', '--spec-version', '1.5', '--no-build-deps', '--override-filename', file,
  ];
  const answer = await probe('cargo-cyclonedx', args, { env });
  if (answer?.code !== 0) throw new Stop(`millrace: cargo cyclonedx failed: ${answer?.all}`);
  const text = readFileSync(join(crates, 'node', `${file}.json`), 'utf8');
  // It writes one for each crate of the workspace.
  for (const name of readdirSync(crates))
    rmSync(join(crates, name, `${file}.json`), { force: true });
  // References by path name a folder of this machine.
  return { text: `${text.replaceAll(root.replace(/[\\/]$/, ''), '').trim()}\n` };
}
