// QEMU with the kernel of a Debian release, with the drivers that use the CPU's instructions. It
// needs `qemu-system-x86_64` and a download of 70 MB, and is slower than User-mode Linux if it must
// emulate the CPU (4 to 6 s for a boot), so User-mode Linux is tried first.
//
// The root file system is this machine's, over 9p. Debian's kernel has 9p and its bus as modules,
// which a small initial file system loads.

import {
  accessSync,
  constants,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';

import { dependencies, own, release, unpacked } from './packages.mjs';
import { modprobe } from './uml.mjs';
import { Stop, probe } from '../steps.mjs';

const program = 'qemu-system-x86_64';
const metaPackage = 'linux-image-amd64';

/** The modules that udev loads for the CPU of a machine. Some kernels lack some. */
const drivers = [
  'aesni-intel',
  'ghash-clmulni-intel',
  'sha1-ssse3',
  'sha256-ssse3',
  'sha512-ssse3',
];

/**
 * Returns the guest for boot.mjs. Throws Stop with the reason if it is not available.
 *
 * @param suite the code name of the kernel's Debian release; by default that of this machine
 */
export async function prepareQemu(suite) {
  if (process.platform !== 'linux' || process.arch !== 'x64')
    throw new Stop(
      `the guest under QEMU is for Linux on x86-64, this is ${process.platform} on ${process.arch}`,
    );
  if ((await probe(program, ['--version']))?.code !== 0)
    throw new Stop(`${program} is not installed (apt-get install qemu-system-x86)`);
  const [kmod, busybox] = await Promise.all([unpacked('kmod'), unpacked('busybox-static')]);
  const shell = join(busybox, 'bin', 'busybox');
  const { folder, version, image } = await kernelOf(
    suite === undefined ? own : await release(suite),
    kmod,
  );
  const initial = await initialFiles(folder, version, shell);
  const accelerator = (await kvmWorks(image, initial)) ? 'kvm' : 'tcg';
  return {
    name: `Linux ${version}, QEMU with ${accelerator}`,
    limit: accelerator === 'kvm' ? 600_000 : 1_800_000,
    tools: { busybox: shell, modprobe: modprobe(kmod), modules: folder },
    // The initial file system has mounted the rest.
    prologue: ({ shared }) =>
      `for name in ${drivers.join(' ')}; do ${shared}/modprobe -q $name; done`,
    epilogue: '$busybox poweroff -f',
    command: ({ shared, init, memory }) => [
      program,
      [
        ...machine(
          accelerator,
          image,
          initial,
          memory,
          `guest_shared=${shared} guest_init=${init}`,
        ),
        ...shares({ '/': 'readonly=on', [shared]: '' }),
      ],
    ],
  };
}

/** Returns the packages of the current kernel: one up to Debian 13, several later. */
async function kernelPackages(from) {
  const found = new Set();
  const queue = [metaPackage];
  while (queue.length > 0) {
    for (const name of await dependencies(queue.pop(), from)) {
      if (!/^linux-(image|binary|modules)-/.test(name) || found.has(name)) continue;
      found.add(name);
      queue.push(name);
    }
  }
  if (found.size === 0) throw new Stop(`apt-get knows no kernel by the name ${metaPackage}`);
  return [...found];
}

async function kernelOf(from, kmod) {
  const packages = await kernelPackages(from);
  const folders = await Promise.all(packages.map((name) => unpacked(name, from)));
  const homes = folders.flatMap((folder) =>
    ['lib/modules', 'usr/lib/modules'].map((below) => ({ folder, modules: join(folder, below) })),
  );
  const { folder, modules } =
    homes.find(
      ({ modules: each }) =>
        existsSync(each) &&
        readdirSync(each).some((name) => existsSync(join(each, name, 'kernel'))),
    ) ?? {};
  if (modules === undefined) throw new Stop(`no modules in ${packages.join(', ')}`);
  const [version] = readdirSync(modules);
  const image = folders
    .flatMap((each) => [
      join(each, 'boot', `vmlinuz-${version}`),
      join(each, 'usr/lib/modules', version, 'vmlinuz'),
    ])
    .find((path) => existsSync(path));
  if (image === undefined) throw new Stop(`no kernel in ${packages.join(', ')}`);
  // kmod looks in lib/modules. The index of modules is made by hooks of the packages, which do not
  // run.
  if (!existsSync(join(folder, 'lib'))) symlinkSync('usr/lib', join(folder, 'lib'));
  if (!existsSync(join(modules, version, 'modules.dep.bin'))) {
    const answer = await probe(modprobe(kmod, 'depmod'), ['-b', folder, version]);
    if (answer?.code !== 0) throw new Stop(`depmod failed: ${answer?.all.trim()}`);
  }
  return { folder, version, image };
}

/** Makes a cpio archive of busybox, the modules for 9p in order of dependency, and init. */
async function initialFiles(folder, version, busybox) {
  const archive = join(folder, 'initial.cpio');
  if (existsSync(archive)) return archive;
  const staging = mkdtempSync(join(tmpdir(), 'millrace-initial-'));
  try {
    for (const name of ['bin', 'modules', 'proc', 'machine']) mkdirSync(join(staging, name));
    copyFileSync(busybox, join(staging, 'bin', 'busybox'));
    const modules = inOrder(join(folder, 'lib', 'modules', version), [
      'virtio_pci',
      '9pnet_virtio',
      '9p',
    ]);
    const names = [];
    for (const path of modules) {
      const name = basename(path).replace(/\.(xz|zst|gz)$/, '');
      names.push(name);
      copyFileSync(path, join(staging, 'modules', basename(path)));
      if (path.endsWith('.xz'))
        await must(busybox, ['unxz', join(staging, 'modules', basename(path))]);
    }
    writeFileSync(join(staging, 'init'), firstProgram(names), { mode: 0o755 });
    await must(
      '/bin/sh',
      ['-c', `'${busybox}' find . ! -name archive | '${busybox}' cpio -o -H newc > archive`],
      { cwd: staging },
    );
    copyFileSync(join(staging, 'archive'), archive);
  } finally {
    rmSync(staging, { recursive: true, force: true });
  }
  return archive;
}

/**
 * Returns the script of process 1. It changes its root with exec, because the kernel's threads,
 * which start modprobe, have the root of process 1.
 */
function firstProgram(modules) {
  return `#!/bin/busybox sh
export PATH=/bin
busybox mount -t proc proc /proc
for word in $(busybox cat /proc/cmdline); do case $word in guest_*) eval "$word";; esac; done
[ -n "$guest_init" ] || { echo guest is up; busybox poweroff -f; }
${modules.map((name) => `busybox insmod /modules/${name}`).join('\n')}
options=trans=virtio,version=9p2000.L,msize=512000
busybox mount -t 9p -o ro,$options,cache=loose share0 /machine || busybox poweroff -f
busybox mount -t 9p -o $options share1 /machine$guest_shared
busybox mount -t proc proc /machine/proc
busybox mount -t sysfs sys /machine/sys
busybox mount -t devtmpfs dev /machine/dev
busybox mkdir -p /machine/dev/shm /machine/dev/pts
busybox mount -t tmpfs tmpfs /machine/dev/shm
busybox mount -t devpts pts /machine/dev/pts
exec busybox chroot /machine $guest_init
`;
}

/** Returns the files of these modules after those of the modules that they need. */
function inOrder(folder, names) {
  const lines = readFileSync(join(folder, 'modules.dep'), 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => line.split(/:\s*/));
  const needs = new Map(lines.map(([path, list]) => [path, list.split(' ').filter(Boolean)]));
  const order = [];
  const add = (path) => {
    if (order.includes(path)) return;
    for (const each of needs.get(path) ?? []) add(each);
    order.push(path);
  };
  for (const name of names) {
    const path = [...needs.keys()].find((each) => basename(each).replace(/\.ko.*$/, '') === name);
    if (path !== undefined) add(path); // others are built into the kernel
  }
  return order.map((path) => join(folder, path));
}

/**
 * Returns the arguments of a machine. QEMU 7.2 emulates AES of two blocks at a time (VAES) wrongly,
 * so it is disabled.
 */
function machine(accelerator, image, initial, memory, words) {
  return [
    '-accel',
    accelerator,
    '-cpu',
    accelerator === 'tcg' ? 'max,-vaes' : 'max',
    '-smp',
    '2',
    '-m',
    `${memory}`,
    '-M',
    'q35',
    '-nodefaults',
    '-no-user-config',
    '-nic',
    'none',
    '-display',
    'none',
    '-serial',
    'stdio',
    '-no-reboot',
    '-kernel',
    image,
    '-initrd',
    initial,
    '-append',
    `console=ttyS0 quiet panic=-1 rdinit=/init ${words}`,
  ];
}

function shares(folders) {
  return Object.entries(folders).flatMap(([path, options], index) => [
    '-fsdev',
    ['local', `id=share${index}`, `path=${path}`, 'security_model=none', 'multidevs=remap', options]
      .filter(Boolean)
      .join(','),
    '-device',
    `virtio-9p-pci,fsdev=share${index},mount_tag=share${index}`,
  ]);
}

/** Boots a kernel with KVM: under some hypervisors /dev/kvm opens, but no kernel starts. */
async function kvmWorks(image, initial) {
  if (!['kvm_intel', 'kvm_amd'].some((name) => existsSync(`/sys/module/${name}`))) return false;
  try {
    accessSync('/dev/kvm', constants.R_OK | constants.W_OK);
  } catch {
    return false;
  }
  const answer = await probe('timeout', [
    '15',
    program,
    ...machine('kvm', image, initial, 256, ''),
  ]);
  return answer?.stdout.includes('guest is up') === true;
}

async function must(command, args, options) {
  const answer = await probe(command, args, options);
  if (answer?.code !== 0)
    throw new Stop(
      `${basename(command)} failed: ` +
        (answer?.all.trim().split('\n').at(-1) ?? 'it is not installed'),
    );
}
