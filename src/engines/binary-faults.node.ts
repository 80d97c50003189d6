/**
 * Explains why a binary cannot be loaded, from the system's message and the first bytes of the
 * file.
 */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';

/** The faults, grouped by remedy; the first that applies to any file is reported first. */
export const faults = ['addons', 'permission', 'access', 'file', 'version', 'missing'] as const;
export type Fault = (typeof faults)[number];

/** A file or package that was tried. */
export interface Attempt {
  readonly where: string;
  readonly fault: Fault;
  /** The system's message, or the kind of the file. */
  readonly reason: string;
}

/** Explains an error of loading or reading a file. */
export function explain(where: string, error: unknown): Attempt {
  const { code, message } = error as NodeJS.ErrnoException;
  const reason = String(message).split('\n')[0]!.replace(`${where}: `, '');
  if (code === 'ERR_DLOPEN_DISABLED') return { where, fault: 'addons', reason };
  if (code === 'ERR_ACCESS_DENIED')
    return {
      where,
      fault: 'permission',
      reason: `the permission model of Node.js denies reading it (${code})`,
    };
  if (code === 'ENOENT' || code === 'MODULE_NOT_FOUND')
    return { where, fault: 'missing', reason: 'not found' };
  if (code === 'EACCES' || code === 'EPERM') return { where, fault: 'access', reason };
  return { where, ...examine(where, reason) };
}

/** Returns the kind of a file that dlopen refused with this reason. */
function examine(path: string, reason: string): Pick<Attempt, 'fault' | 'reason'> {
  let head: Buffer;
  try {
    ({ head } = read(path));
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    return {
      fault: code === 'EACCES' || code === 'EPERM' ? 'access' : 'file',
      reason: code === 'EISDIR' ? 'a folder, not a file' : message,
    };
  }
  const built = builtFor(head);
  if (built === undefined)
    return { fault: 'file', reason: `damaged, or not a native binary (${reason})` };
  const here = `${process.platform}-${process.arch}`;
  if (built !== here && !here.startsWith(`${built}-`))
    return { fault: 'file', reason: `a binary for ${built}, and this is ${here}` };
  return { fault: 'file', reason };
}

const machines: Readonly<Record<number | '__proto__', string>> = {
  __proto__: null as never,
  3: 'ia32',
  22: 's390x',
  40: 'arm',
  62: 'x64',
  183: 'arm64',
  243: 'riscv64',
};

/**
 * Returns the platform of a binary from its header, undefined if it is none. PE files name their
 * CPU further on, so only their platform is returned.
 */
function builtFor(head: Buffer): string | undefined {
  if (head.length < 20) return undefined;
  if (head.readUInt32BE(0) === 0x7f454c46) {
    const machine = head[5] === 2 ? head.readUInt16BE(18) : head.readUInt16LE(18);
    // Android, FreeBSD and others use ELF files too.
    const platform = ['darwin', 'win32'].includes(process.platform) ? 'linux' : process.platform;
    return `${platform}-${machines[machine] ?? `machine ${machine}`}`;
  }
  const first = head.readUInt32LE(0);
  if (first === 0xfeedfacf)
    return `darwin-${head.readUInt32LE(4) === 0x0100000c ? 'arm64' : 'x64'}`;
  if (first === 0xbebafeca) return 'darwin';
  return head.toString('latin1', 0, 2) === 'MZ' ? 'win32' : undefined;
}

/**
 * Throws if an ELF file ends before its section table: glibc maps such a file, and the process dies
 * of SIGBUS when it touches the missing part. The loaders of other systems check this.
 */
export function refuseCutShort(path: string): void {
  const { head, size } = read(path);
  if (head.length < 64 || head.readUInt32BE(0) !== 0x7f454c46 || head[4] !== 2 || head[5] !== 1)
    return;
  const end = Number(head.readBigUInt64LE(40)) + head.readUInt16LE(58) * head.readUInt16LE(60);
  if (end > size)
    throw {
      where: path,
      fault: 'file',
      reason: `cut short: it has ${size} bytes and should have ${end}`,
    } satisfies Attempt;
}

function read(path: string): { head: Buffer; size: number } {
  const file = openSync(path, 'r');
  try {
    const bytes = Buffer.alloc(64);
    return {
      head: bytes.subarray(0, readSync(file, bytes, 0, bytes.length, 0)),
      size: fstatSync(file).size,
    };
  } finally {
    closeSync(file);
  }
}
