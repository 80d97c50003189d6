// Bills of materials in CycloneDX's format. That of a platform's binary is by cargo-cyclonedx: the
// crates that are compiled in, their versions and licences. That of `millrace` lists the crates in
// its WebAssembly modules, and the npm packages that are bundled into its files.

import { existsSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { delimiter, join } from 'node:path';

import { prepareNativeBuild } from './prerequisites.mjs';
import { Stop, probe, root, step } from './steps.mjs';

const file = 'millrace-sbom';
const tools = join(root, 'target', 'tools');

/**
 * Returns the bill of materials of what is bundled in the folder of `millrace`: that with licences
 * beside the bundles.
 */
export function bundledBill(folder, { name, version, license }) {
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')).packages;
  const licences = readdirSync(join(folder, 'dist'), { recursive: true, encoding: 'utf8' })
    .filter((path) => /(^|[\\/])LICENSES\.txt$/.test(path))
    .map((path) => readFileSync(join(folder, 'dist', path), 'utf8'));
  const named = licences.flatMap((text) => [
    ...text.matchAll(/^((?:@[\w-]+\/)?[\w-]+) (\d\S*) \((.+)\)$/gm),
  ]);
  const bundled = new Map(named.map(([, each, found, id]) => [each, { found, id }]));
  // The charts of the benchmark report, as files.
  if (existsSync(join(folder, 'dist', 'uplot'))) bundled.set('uplot', { found: '', id: '' });
  const components = [...bundled.keys()].sort().map((each) => {
    if (!(`node_modules/${each}` in lock)) return crateOf(each, bundled.get(each));
    const { version: locked, license: id, integrity } = lock[`node_modules/${each}`];
    return {
      type: 'library',
      name: each,
      version: locked,
      purl: `pkg:npm/${each.replace('@', '%40')}@${locked}`,
      licenses: [{ expression: id }],
      hashes: [
        {
          alg: 'SHA-512',
          content: Buffer.from(integrity.slice('sha512-'.length), 'base64').toString('hex'),
        },
      ],
    };
  });
  const component = {
    type: 'library',
    name,
    version,
    purl: `pkg:npm/${name}@${version}`,
    licenses: [{ expression: license }],
  };
  const bill = { bomFormat: 'CycloneDX', specVersion: '1.5', version: 1, metadata: { component } };
  return `${JSON.stringify({ ...bill, components }, null, 2)}\n`;
}

/** Returns a crate as a component. */
function crateOf(name, { found, id }) {
  const crates = readFileSync(join(root, 'Cargo.lock'), 'utf8');
  const entry = `name = "${name}"\nversion = "${found}"\n`;
  const [, checksum] =
    /^checksum = "(\w+)"$/m.exec(crates.slice(crates.indexOf(entry)).split('\n\n')[0]) ?? [];
  if (!crates.includes(entry) || checksum === undefined)
    throw new Stop(`millrace: Cargo.lock has no ${name} ${found}`);
  return {
    type: 'library',
    name,
    version: found,
    purl: `pkg:cargo/${name}@${found}`,
    licenses: [{ expression: id }],
    hashes: [{ alg: 'SHA-256', content: checksum }],
  };
}

/** Returns the environment for cargo-cyclonedx, of this machine or of `fetchCycloneDx`. */
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
