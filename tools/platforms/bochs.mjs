// Boots Linux in Bochs, an emulator of x86 CPUs that has AVX-512 whatever this machine has, with
// static programs to run. Bochs and the kernel are those of Debian 13.
//
// There is no boot loader and no disk. Bochs copies the kernel and the initial files into memory,
// and a ROM of the emulated machine jumps to the kernel, as Linux's x86 boot protocol has it
// (Documentation/arch/x86/boot.rst). The serial port is a file.

import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

import { dependencies, unpacked } from '../guest/packages.mjs';
import { hostPlatform } from '../platforms.mjs';
import { Stop, probe } from '../steps.mjs';
import { fetching, fromTrixie, trixie } from './fetch.mjs';

/**
 * @typedef {object} Machine
 * @property {string} title what it is
 * @property {string} command
 * @property {string[]} args
 * @property {NodeJS.ProcessEnv} env
 * @property {string[]} configuration without what is in memory
 * @property {Buffer} kernel
 * @property {Buffer} busybox
 */

/**
 * Returns a machine with that CPU, one of those that `bochs --help cpu` names. Throws Stop if
 * something for it cannot be had.
 *
 * @param {string} cpu
 * @returns {Promise<Machine>}
 */
export const prepareBochs = (cpu) => fetching(() => findBochs(cpu));

/**
 * Boots a machine and runs programs there, one after the other. Resolves to what each wrote, and to
 * its exit code, which is undefined if it did not end.
 *
 * @param {Machine} machine
 * @param {{ program: string, args: string[] }[]} runs static programs; no argument has spaces
 * @param {{ folder: string, minutes: number }} options where the files of the machine are kept, and
 *   when it is ended
 */
export async function bootBochs(machine, runs, { folder, minutes }) {
  mkdirSync(folder, { recursive: true });
  const serial = join(folder, 'serial.txt');
  rmSync(serial, { force: true });
  const files = initialFiles(machine.busybox, runs);
  writeMachine(folder, machine.configuration, memoryOf(machine.kernel, files));
  // Bochs ends with an error whenever the guest reboots, so its exit code says nothing.
  const limit = ['--foreground', '--signal=KILL', `${minutes}m`];
  const args = [...limit, machine.command, ...machine.args, '-q', '-f', 'bochsrc'];
  await probe('timeout', args, { cwd: folder, env: { ...process.env, ...machine.env } });
  const text = existsSync(serial) ? readFileSync(serial, 'utf8').replaceAll('\r', '') : '';
  return runs.map(({ program }, at) => ({ program: `${program} (${serial})`, ...ran(text, at) }));
}

const libraries = 'usr/lib/x86_64-linux-gnu';

/** The packages of the libraries that Bochs calls, and of those that they call. */
// prettier-ignore
const needed = [
  'libc6', 'libstdc++6', 'libgcc-s1', 'libltdl7', 'libsamplerate0', 'libreadline8t64', 'libtinfo6',
  'libncurses6',
];

/** Libraries that it calls for the windows of its debugger only; they come in 80 packages. */
const unused = ['gtk-3', 'gdk-3', 'pango-1.0', 'gobject-2.0', 'glib-2.0'];

async function findBochs(cpu) {
  const here = hostPlatform();
  if (here !== 'linux-x64-gnu') throw new Stop(`this machine is ${here}`);
  const { version, ...program } = await emulator();
  const busybox = join(await unpacked('busybox-static'), 'bin', 'busybox');
  return {
    title: `Bochs ${version}, cpu ${cpu}`,
    ...program,
    configuration: await configurationOf(cpu),
    kernel: await kernelOfCloud(),
    busybox: readFileSync(busybox),
  };
}

/** Bochs of Debian 13, started by the loader of its C library, as this machine's may be older. */
async function emulator() {
  const [program, screen] = [await fromTrixie('bochs'), await fromTrixie('bochs-term')];
  const binary = join(program, 'usr', 'bin', 'bochs-bin');
  const folders = [];
  for (const name of needed) folders.push(join(await fromTrixie(name), libraries));
  const command = join(folders[0], 'ld-linux-x86-64.so.2');
  const paths = [await stubs(binary, join(program, 'stubs')), ...folders].join(':');
  const args = ['--inhibit-cache', '--library-path', paths, binary];
  const plugins = [program, screen].map((each) => join(each, libraries, 'bochs', 'plugins'));
  // Its screen is a terminal's, which is written to nowhere.
  const env = { LTDL_LIBRARY_PATH: plugins.join(':'), TERM: 'xterm' };
  const answer = await probe(command, [...args, '--help'], { env: { ...process.env, ...env } });
  const version = /Bochs x86 Emulator (\S+)/.exec(answer?.all ?? '')?.[1];
  if (version === undefined) throw new Stop('Bochs of Debian 13 does not run here');
  return { command, args, env, version };
}

/** Makes libraries in place of those unused. A call of their functions would end Bochs. */
async function stubs(binary, folder) {
  const file = (name) => join(folder, `lib${name}.so.0`);
  if (unused.every((name) => existsSync(file(name)))) return folder;
  mkdirSync(folder, { recursive: true });
  const text = readFileSync(binary, 'latin1');
  const names = new Set(text.match(/(?<=\0)(?:g|gtk|gdk|pango)_\w+(?=\0)/g));
  const source = join(folder, 'stubs.c');
  const lines = [...names].map((name) => `void ${name}(void) { __builtin_trap(); }\n`);
  writeFileSync(source, lines.join(''));
  for (const name of unused) {
    const answer = await probe('cc', ['-shared', '-fPIC', '-nostdlib', '-o', file(name), source]);
    if (answer?.code !== 0) throw new Stop('no C compiler (apt-get install gcc)');
  }
  return folder;
}

/** Fetches Debian's kernel for virtual machines, which has fewer drivers than the others. */
async function kernelOfCloud() {
  const names = await dependencies('linux-image-cloud-amd64', await trixie());
  const name = names.find((each) => /^linux-image-\d/.test(each));
  if (name === undefined) throw new Stop('Debian 13 has no kernel linux-image-cloud-amd64');
  const boot = join(await fromTrixie(name), 'boot');
  const file = readdirSync(boot).find((each) => each.startsWith('vmlinuz-'));
  if (file === undefined) throw new Stop(`${name} has no kernel`);
  return readFileSync(join(boot, file));
}

/** Returns the initial files: busybox, the programs, and process 1, which runs them and reboots. */
function initialFiles(busybox, runs) {
  const steps = runs.flatMap(({ args }, at) => [
    `echo; echo begin ${at}`,
    `/program${at} ${args.join(' ')} 2>&1`,
    `code=$?; echo; echo end ${at}: $code.`,
  ]);
  const init = `#!/bin/busybox sh
/bin/busybox mount -t proc proc /proc
/bin/busybox mount -t devtmpfs dev /dev
${steps.join('\n')}
/bin/busybox sleep 1
/bin/busybox reboot -f
`;
  const folders = ['bin', 'dev', 'proc'].map((name) => ({ name, mode: 0o040755 }));
  const file = (name, data) => ({ name, mode: 0o100755, data });
  return gzipSync(
    cpio([
      ...folders,
      file('bin/busybox', busybox),
      file('init', Buffer.from(init)),
      ...runs.map(({ program }, at) => file(`program${at}`, readFileSync(program))),
    ]),
  );
}

/** Returns an archive in cpio's format `newc`. */
function cpio(entries) {
  const parts = [];
  const padded = (bytes) => parts.push(bytes, Buffer.alloc(-bytes.length & 3));
  for (const [at, { name, mode, data = Buffer.alloc(0) }] of [
    ...entries,
    { name: 'TRAILER!!!', mode: 0 },
  ].entries()) {
    // Inode, mode, owner, group, links, time, size, four devices, length of the name, checksum.
    const fields = [at + 1, mode, 0, 0, 1, 0, data.length, 0, 0, 0, 0, name.length + 1, 0];
    const header = fields.map((field) => field.toString(16).padStart(8, '0')).join('');
    padded(Buffer.from(`070701${header}${name}\0`));
    padded(data);
  }
  return Buffer.concat(parts);
}

const MIB = 2 ** 20;

/** Bochs gives memory to the machine in blocks of this size. */
const BLOCK = 8 * MIB;

/** Where the kernel's part for real mode is; its stack and its arguments follow. */
const REAL = 0x90000;
const STACK_END = 0xe000;

const kernelArguments = [
  'console=ttyS0 quiet panic=-1 reboot=t rdinit=/init',
  // No code that this machine has no use for.
  'acpi=off noapic nosmp nokaslr mitigations=off tsc=reliable edd=off',
  'vt.global_cursor_default=0',
].join(' ');

/**
 * Returns the memory at the start: the kernel's two parts and the initial files, by address. Bochs
 * reads a file into its own consecutive memory, which is the machine's up to the end of a block: a
 * file must not reach into a block that is not allocated yet.
 */
function memoryOf(kernel, files) {
  const length = ((kernel[0x1f1] || 4) + 1) * 512;
  const real = Buffer.alloc(STACK_END + kernelArguments.length + 1);
  kernel.copy(real, 0, 0, length);
  const initial = 32 * BLOCK;
  real[0x210] = 0xff; // a loader without a number
  real[0x211] |= 0x80; // there is a heap, which ends below the stack
  real.writeUInt16LE(STACK_END - 0x200, 0x224);
  real.writeUInt32LE(REAL + STACK_END, 0x228);
  real.write(kernelArguments, STACK_END, 'latin1');
  real.writeUInt32LE(initial, 0x218);
  real.writeUInt32LE(files.length, 0x21c);
  const rest = kernel.subarray(length);
  if (length > STACK_END - 0x1000 || rest.length > 2 * BLOCK - MIB || files.length > BLOCK)
    throw new Stop('millrace: the kernel or the initial files are too large for Bochs');
  return [
    { address: REAL, bytes: real },
    { address: MIB, bytes: rest.subarray(0, BLOCK - MIB) },
    { address: BLOCK, bytes: rest.subarray(BLOCK - MIB) },
    { address: initial, bytes: files },
  ];
}

/**
 * Returns a ROM that the BIOS calls: it sets the segments and the stack, and jumps to the kernel.
 */
function rom() {
  const segment = REAL >> 4;
  const bytes = Buffer.alloc(512);
  bytes.set([0x55, 0xaa, 1]); // a ROM of one unit of 512 bytes
  // prettier-ignore
  bytes.set([
    0xfa,                               // cli
    0xb8, segment & 255, segment >> 8,  // mov ax, segment
    0x8e, 0xd8, 0x8e, 0xc0,             // mov ds, ax; mov es, ax
    0x8e, 0xe0, 0x8e, 0xe8,             // mov fs, ax; mov gs, ax
    0x8e, 0xd0,                         // mov ss, ax
    0x66, 0xbc, STACK_END & 255, STACK_END >> 8, 0, 0, // mov esp, STACK_END
    0xea, 0, 0, (segment + 0x20) & 255, (segment + 0x20) >> 8, // jmp segment + 0x20 : 0
  ], 3);
  bytes[511] = -bytes.reduce((sum, byte) => sum + byte, 0) & 255;
  return bytes;
}

async function configurationOf(cpu) {
  const bios = join(await fromTrixie('bochsbios'), 'usr/share/bochs/BIOS-bochs-latest');
  const screen = join(await fromTrixie('vgabios'), 'usr/share/vgabios/vgabios.bin');
  return [
    'config_interface: textconfig',
    // A terminal without a reader: Bochs waits for ever when some 10 KB have been written to it, so
    // there is no line with the speed, and no cursor that blinks (kernelArguments).
    'display_library: term, options="hideIPS"',
    'vga: extension=none, update_freq=1',
    `romimage: file="${bios}", options=fastboot`,
    `vgaromimage: file="${screen}"`,
    // A reboot is a triple fault, which ends Bochs.
    `cpu: model=${cpu}, count=1, ips=100000000, reset_on_triple_fault=0, ignore_bad_msrs=1`,
    'clock: sync=none',
    `memory: guest=512, host=512, block_size=${BLOCK / 1024}`,
    'boot: disk',
    'com1: enabled=1, mode=file, dev=serial.txt',
    'log: bochs.log',
    'panic: action=fatal',
    ...['error', 'info', 'debug'].map((kind) => `${kind}: action=ignore`),
    'speaker: enabled=0',
  ];
}

function writeMachine(folder, lines, memory) {
  const write = (name, bytes) => writeFileSync(join(folder, name), bytes);
  write('rom.bin', rom());
  const all = [...lines, 'optromimage1: file=rom.bin, address=0xd0000'];
  for (const [at, { address, bytes }] of memory.entries()) {
    write(`memory${at}.bin`, bytes);
    all.push(`optramimage${at + 1}: file=memory${at}.bin, address=0x${address.toString(16)}`);
  }
  write('bochsrc', `${all.join('\n')}\n`);
}

/** Returns the output of the program at that index, and its exit code. */
function ran(text, at) {
  const [, after = ''] = text.split(`\nbegin ${at}\n`);
  const [output, end] = after.split(`\nend ${at}: `);
  const code = /^(\d+)\.\n/.exec(end ?? '')?.[1];
  return { output, code: code === undefined ? undefined : Number(code) };
}
