// Writes what is published, under npm/ or another folder: a package for each platform with its
// binary, `millrace` itself, and the packages that stand in for noble's (noble-packages.mjs) and
// for the AWS SDK's checksums (aws-packages.mjs).
// Nothing is compiled and no script runs when they are installed: npm picks the one platform
// package that fits by its os, cpu and libc fields.
//
//   node tools/platform-packages.mjs [--complete] [--repository URL] [--out FOLDER]
//       [--binaries FOLDER]    write it; the binaries are those of native/ or of another folder
//
// tools/release/pack.mjs makes tarballs of it, and tools/release/publish.mjs publishes these.
//
// `millrace` has the files that the repository's own package.json lists, less the binaries, the man
// pages of its command, and a bill of materials (sbom.cdx.json) of the npm packages that are
// bundled; a platform package has the licences of everything that is compiled into its binary, and
// a bill of materials of it, which take cargo to know. With --complete nothing may be missing.
//
// The optionalDependencies are written here and are not in the repository's own package.json:
// there, `npm ci` would look for packages of a version that is not published yet, and fail. For the
// same reason the repository's own is private: published unchanged, it would carry one
// platform's binary.

import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';

import { writeAwsPackages } from './aws-packages.mjs';
import { npm } from './install.mjs';
import { manPages } from './man.mjs';
import { projectFields } from './manifests.mjs';
import { writeNoblePackages } from './noble-packages.mjs';
import { notices } from './notices.mjs';
import { writeOverridePackages } from './override-packages.mjs';
import { platforms } from './platforms.mjs';
import { standIns } from './release/names.mjs';
import { billOfMaterials, bundledBill } from './sbom.mjs';
import { Stop, probe, root, skipped } from './steps.mjs';

let out = join(root, 'npm');
let binaries = join(root, 'native');
let main;

try {
  const { values } = parseArgs({
    options: {
      complete: { type: 'boolean', default: false },
      repository: { type: 'string' },
      out: { type: 'string' },
      binaries: { type: 'string' },
    },
  });
  if (values.out !== undefined) out = resolve(values.out);
  if (values.binaries !== undefined) binaries = resolve(values.binaries);
  main = join(out, 'millrace');
  await write(values);
} catch (error) {
  if (!(error instanceof Stop) && !String(error?.code).startsWith('ERR_PARSE_ARGS')) throw error;
  console.error(error.message);
  process.exitCode = 1;
}

async function write({ complete, repository }) {
  if (complete && !/^https:\/\/[^/]+\/(?!OWNER\/)[\w.-]+\/[\w.-]+$/.test(repository ?? ''))
    throw new Stop('millrace: --repository takes the address of the repository');
  const manifest = readManifest(root);
  const built = platforms.filter(({ name }) => existsSync(binaryOf(name)));
  const missing = platforms.filter((platform) => !built.includes(platform)).map(({ name }) => name);
  if (built.length === 0)
    throw new Stop('millrace: no binary in native/: run `npm run build` first.');
  if (complete && missing.length > 0)
    throw new Stop(`millrace: no binary for ${missing.join(', ')}`);

  rmSync(out, { recursive: true, force: true });
  for (const platform of built) await writePlatform(platform, manifest, repository, complete);
  await writeMain(manifest, built, repository);
  await writeNoblePackages(out, manifest, repository);
  writeOverridePackages(out, manifest, repository);
  writeAwsPackages(out, manifest, repository);
  console.log(
    `${relative('', out) || '.'}: millrace ${manifest.version} and ${built.length} of ` +
      `${platforms.length} platform packages, ${standIns.length} packages for overrides`,
  );
  if (missing.length > 0) console.log(`without ${missing.join(', ')}`);
}

async function writePlatform(platform, manifest, repository, complete) {
  const { name, os, cpu, libc } = platform;
  const folder = join(out, name);
  const binary = `millrace.${name}.node`;
  mkdirSync(folder, { recursive: true });
  copyFileSync(binaryOf(name), join(folder, binary));
  copyFileSync(join(root, 'LICENSE'), join(folder, 'LICENSE'));
  const { text: licences, license } = await notices(platform);
  writeFileSync(join(folder, 'LICENSES.txt'), licences);
  const { text, missing } = await billOfMaterials(platform);
  if (text !== undefined) writeFileSync(join(folder, 'sbom.cdx.json'), text);
  else if (complete) throw new Stop(`millrace: no bill of materials: ${missing}`);
  else skipped(`bill of materials of ${name}`, missing);
  writeFileSync(
    join(folder, 'README.md'),
    `The ${name} binary of millrace. Install millrace; npm picks this package where it fits.\n`,
  );
  writeManifest(folder, {
    name: packageOf(name),
    version: manifest.version,
    description: `The ${name} binary of millrace`,
    license,
    author: manifest.author,
    ...projectFields(repository),
    main: binary,
    files: [binary, 'LICENSES.txt', ...(text === undefined ? [] : ['sbom.cdx.json'])],
    os: [os],
    cpu: [cpu],
    ...(libc === undefined ? {} : { libc: [libc] }),
    engines: manifest.engines,
    preferUnplugged: true,
  });
}

// The repository's manifest without what is only for the repository, and with the platform
// packages, in exactly this version: front and binary are one program.
async function writeMain(
  { scripts, devDependencies, files: listed, private: _, ...manifest },
  built,
  repository,
) {
  for (const path of await packedFiles()) {
    mkdirSync(dirname(join(main, path)), { recursive: true });
    copyFileSync(join(root, path), join(main, path));
  }
  const { name, version, license } = readManifest(root);
  writeFileSync(join(main, 'sbom.cdx.json'), bundledBill(main, { name, version, license }));
  mkdirSync(join(main, 'man'));
  for (const [page, text] of Object.entries(manPages()))
    writeFileSync(join(main, 'man', page), text);
  writeManifest(main, {
    ...manifest,
    ...projectFields(repository),
    man: Object.keys(manPages()).map((page) => `./man/${page}`),
    files: [...listed.filter((each) => !isBinary(each)), 'man', 'sbom.cdx.json'],
    optionalDependencies: Object.fromEntries(
      built.map(({ name }) => [packageOf(name), manifest.version]),
    ),
  });
}

function binaryOf(name) {
  return join(binaries, `millrace.${name}.node`);
}

function packageOf(name) {
  return `@millrace/${name}`;
}

/** Returns what npm would pack here, by the rules of npm. */
async function packedFiles() {
  const [command, args, options] = npm(['pack', '--dry-run', '--json', '--ignore-scripts']);
  const answer = await probe(command, args, options);
  if (answer?.code !== 0)
    throw new Stop(`millrace: npm pack failed: ${answer?.stderr ?? 'npm was not found'}`);
  const [{ files }] = Object.values(JSON.parse(answer.stdout));
  return files.map(({ path }) => path).filter((path) => path !== 'package.json' && !isBinary(path));
}

function isBinary(path) {
  return path.startsWith('native/');
}

function readManifest(folder) {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
}

function writeManifest(folder, manifest) {
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
}
