// User-mode Linux: a kernel that is an ordinary program. It needs no virtual machine and no
// privileges, and its programs use all instructions of the CPU. Debian's package has matching
// modules. It has one CPU, and a system call takes 15 to 50 us, so times in it mean nothing.

import {
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  statfsSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { unpacked } from './packages.mjs';
import { Stop } from '../steps.mjs';

/** Returns the guest for boot.mjs. Throws Stop with the reason if it is not available. */
export async function prepareUml() {
  if (process.platform !== 'linux' || process.arch !== 'x64')
    throw new Stop(
      `User-mode Linux is for Linux on x86-64, this is ${process.platform} on ${process.arch}`,
    );
  if (/^flags\b.*\bamx_tile\b/m.test(readFileSync('/proc/cpuinfo', 'utf8')))
    throw new Stop(
      'User-mode Linux has no room for the registers of a CPU with AMX: its first program ends ' +
        'with SIGSEGV (with qemu-system-x86_64 installed the guest is QEMU)',
    );
  const [uml, kmod, busybox] = await Promise.all([
    unpacked('user-mode-linux'),
    unpacked('kmod'),
    unpacked('busybox-static'),
  ]);
  const program = join(uml, 'usr', 'bin', 'linux.uml');
  const versions = join(uml, 'usr', 'lib', 'uml', 'modules');
  if (!existsSync(program) || !existsSync(versions))
    throw new Stop('the package user-mode-linux has no linux.uml or no modules');
  const [version] = readdirSync(versions);
  const modules = modulesFolder(uml, versions, version);
  return {
    name: `User-mode Linux ${version}`,
    tools: { busybox: join(busybox, 'bin', 'busybox'), modprobe: modprobe(kmod), modules },
    prologue: ({ shared }) => `
$busybox mount -t proc proc /proc
$busybox mount -t sysfs sys /sys
$busybox grep -q ' /dev ' /proc/mounts || $busybox mount -t devtmpfs dev /dev
$busybox mkdir -p /dev/shm /dev/pts
$busybox mount -t tmpfs tmpfs /dev/shm
$busybox mount -t devpts pts /dev/pts
$busybox mount -t hostfs -o ${shared} none ${shared}`,
    // The kernel always exits with 0; the job's exit code is in the shared folder.
    epilogue: '$busybox poweroff -f',
    command: ({ shared, init, memory }) => {
      mkdirSync(join(shared, 'uml'));
      // Without uml_dir it writes to a folder in the user's home.
      const console_ = ['con0=null,fd:1', 'con=null', 'ssl=null', 'quiet'];
      return [
        program,
        [
          `mem=${memory}M`,
          'root=/dev/root',
          'rootfstype=hostfs',
          'rootflags=/',
          'ro',
          ...console_,
          `uml_dir=${join(shared, 'uml')}/`,
          `init=${init}`,
        ],
      ];
    },
    env: ({ memory }) => ({ TMPDIR: memoryFolder(memory) }),
  };
}

/**
 * Returns the folder for the guest's memory, a sparse file that is mapped as executable. /dev/shm
 * is the fastest place; in containers it is small and not executable.
 */
function memoryFolder(memory) {
  const { bavail, bsize } = existsSync('/dev/shm')
    ? statfsSync('/dev/shm')
    : { bavail: 0, bsize: 0 };
  const runs = !/^\S+ \/dev\/shm \S+ \S*\bnoexec\b/m.test(readFileSync('/proc/mounts', 'utf8'));
  return runs && bavail * bsize >= memory * 2 ** 20 ? '/dev/shm' : tmpdir();
}

/** Returns the folder for modprobe, which looks in its lib/modules. */
function modulesFolder(uml, versions, version) {
  const folder = join(uml, 'lib', 'modules');
  mkdirSync(folder, { recursive: true });
  const link = join(folder, version);
  if (!existsSync(link)) {
    // The link dangles if the checkout was moved.
    rmSync(link, { force: true });
    symlinkSync(join(versions, version), link);
  }
  return uml;
}

/**
 * Returns the path of a tool of kmod, one program; the name by which it is called selects the tool.
 */
export function modprobe(kmod, tool = 'modprobe') {
  const link = join(kmod, 'bin', tool);
  if (!existsSync(link)) symlinkSync('kmod', link);
  return link;
}
