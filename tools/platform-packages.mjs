// Writes what is published, under npm/ or another folder: a package for each platform with its
// binary, `millrace` itself, and the packages that stand in for noble's (noble-packages.mjs) and
// for the AWS SDK's checksums (aws-packages.mjs).
// Nothing is compiled and no script runs when they are installed: npm picks the one platform
// package that fits by its os, cpu and libc fields.
//
//   node tools/platform-packages.mjs [--complete] [--repository URL] [--out FOLDER]
//       [--binaries FOLDER]    write it; the binaries are those of native/ or of another folder
//   node tools/platform-packages.mjs --publish [--tag v1.2.3] [--dry-run | --no-provenance]
//       [--out FOLDER]         publish what was written; a rehearsal has no provenance to record
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

import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';

import { awsFolders, writeAwsPackages } from './aws-packages.mjs';
import { npm } from './install.mjs';
import { manPages } from './man.mjs';
import { nobleFolders, nobleTag, writeNoblePackages } from './noble-packages.mjs';
import { notices } from './notices.mjs';
import { overrideFolders, overrideTag, writeOverridePackages } from './override-packages.mjs';
import { platforms } from './platforms.mjs';
import { billOfMaterials, bundledBill } from './sbom.mjs';
import { Stop, probe, root, skipped, step } from './steps.mjs';

/** The packages that stand in for others. */
const standIns = [...nobleFolders, ...overrideFolders, ...awsFolders];
/** The tags under which some of them are published: they have several versions. */
const tagOf = (folder) =>
  nobleFolders.includes(folder)
    ? nobleTag(folder)
    : overrideFolders.includes(folder)
      ? overrideTag(folder)
      : undefined;

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
      publish: { type: 'boolean', default: false },
      tag: { type: 'string' },
      'dry-run': { type: 'boolean', default: false },
      'no-provenance': { type: 'boolean', default: false },
    },
  });
  if (values.out !== undefined) out = resolve(values.out);
  if (values.binaries !== undefined) binaries = resolve(values.binaries);
  main = join(out, 'millrace');
  if (values.publish) await publish(values);
  else await write(values);
} catch (error) {
  if (!(error instanceof Stop) && !String(error?.code).startsWith('ERR_PARSE_ARGS')) throw error;
  console.error(error.message);
  process.exitCode = 1;
}

async function write({ complete, repository }) {
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
    ...repositoryField(repository),
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
    ...repositoryField(repository),
    man: Object.keys(manPages()).map((page) => `./man/${page}`),
    files: [...listed.filter((each) => !isBinary(each)), 'man', 'sbom.cdx.json'],
    optionalDependencies: Object.fromEntries(
      built.map(({ name }) => [packageOf(name), manifest.version]),
    ),
  });
}

// The platform packages first, so that `millrace` never names one that is not there, and those that
// depend on it last. Can be run again after a failure: what is published already is left alone.
async function publish({ tag, 'dry-run': dryRun, 'no-provenance': unproven }) {
  if (!existsSync(main)) throw new Stop(`millrace: nothing in ${out}: write it first.`);
  const { version } = readManifest(main);
  if (tag !== undefined && tag !== `v${version}`)
    throw new Stop(`millrace: tag ${tag} is not version ${version}`);
  const folders = readdirSync(out)
    .map((name) => join(out, name))
    .filter((folder) => folder !== main && !standIns.includes(basename(folder)));
  const overrides = standIns.map((name) => join(out, name));
  for (const folder of [...folders.sort(), main, ...overrides]) {
    const { name, version } = readManifest(folder);
    const [command, view, options] = npm(['view', `${name}@${version}`, 'version']);
    if ((await probe(command, view, options))?.stdout.trim() === version) {
      console.log(`  ${name} ${version} is published already`);
      continue;
    }
    const [, args] = npm([
      'publish',
      '--access',
      'public',
      ...(tagOf(basename(folder)) === undefined ? [] : ['--tag', tagOf(basename(folder))]),
      dryRun ? '--dry-run' : `--provenance=${!unproven}`,
    ]);
    await step(`publish ${name}`, command, args, { ...options, cwd: folder });
  }
}

function binaryOf(name) {
  return join(binaries, `millrace.${name}.node`);
}

function packageOf(name) {
  return `@millrace/${name}`;
}

function repositoryField(url) {
  return url === undefined ? {} : { repository: { type: 'git', url: `git+${url}.git` } };
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
