/**
 * Hashes files in constant memory: reads blocks with Node's file system while the pool hashes
 * others. Files are not mapped: a mapped file that shrinks kills the process.
 */
import { joined } from '../base/arguments.js';
import {
  close,
  closeSync,
  fstat,
  fstatSync,
  open,
  openSync,
  read,
  readSync,
  type Stats,
} from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { makeError, wrongType } from '../base/errors.js';
import type { Hasher } from '../hashers/hasher.js';
import { copyInto, isUint8Array, sizeOf } from '../base/intrinsics.js';
import type { StreamOptions } from './stream-source.js';
import type { AnyBuffer } from '#platform/base/runtime.js';
import { allocateApart, utf8 } from '../base/runtime.node.js';

/** A file's path; in browsers a Blob. */
export type FileSource = string | AnyBuffer | URL;

/** Checks a path. */
export function fileSource(value: unknown, name = 'path'): string | AnyBuffer {
  const path =
    typeof value === 'string'
      ? value
      : isUint8Array(value)
        ? copyInto(allocateApart(sizeOf(value)), value, 0)
        : pathOfUrl(value, name);
  if (path.includes('\0'))
    throw makeError('ERR_ARGUMENT_VALUE', `${name} must not have a NUL in it`);
  return path;
}

/** Returns the name of a file for messages. */
export function fileName(path: FileSource): string | undefined {
  return String(path);
}

/**
 * Returns paths as bytes, each followed by NUL, for native code that reads files; undefined if only
 * node:fs may read them (`--permission`).
 */
export function joinPaths(paths: readonly FileSource[]): Uint8Array | undefined {
  if (Object.hasOwn(process, 'permission')) return undefined;
  if (paths.every((path) => typeof path === 'string')) return utf8(`${paths.join('\0')}\0`);
  const bytesOf = (path: FileSource): Uint8Array =>
    typeof path === 'string' ? utf8(path) : (path as Buffer);
  const parts = paths.flatMap((path) => [bytesOf(path), new Uint8Array(1)]);
  return joined(parts, allocateApart);
}

function pathOfUrl(value: unknown, name: string): string {
  if (!isUrl(value)) throw wrongType(name, 'a string, Buffer or file URL', value);
  try {
    return fileURLToPath(value);
  } catch (error) {
    throw makeError(
      'ERR_ARGUMENT_VALUE',
      `${name} must be the URL of a file here: ${(error as Error).message}`,
    );
  }
}

function isUrl(value: unknown): value is URL {
  try {
    return value instanceof URL;
  } catch {
    return false; // A revoked Proxy.
  }
}

/** Bytes of a read, and the number of such blocks: one is read while others are hashed. */
const BLOCK = 512 * 1024;
const BLOCKS = 3;

/** Adds a whole file to the hasher. Nothing else may use the hasher meanwhile. */
export async function absorbFile(
  hasher: Hasher,
  path: FileSource,
  { signal, onProgress }: StreamOptions,
): Promise<void> {
  signal?.throwIfAborted();
  const file = await promisify(open)(path, 'r');
  try {
    const stats = await promisify(fstat)(file);
    const total = sizeOfFile(stats);
    const blocks = blocksFor(total);
    const hashing: (Promise<void> | undefined)[] = blocks.map(() => undefined);
    let bytes = 0;
    let hashed = 0;
    const hash = async (block: Uint8Array, size: number): Promise<void> => {
      await hasher.updateAsync(block, 0, size);
      hashed += size;
      if (signal?.aborted !== true) onProgress?.({ bytes: hashed, total });
    };
    for (let turn = 0; ; turn++) {
      signal?.throwIfAborted();
      const at = turn % blocks.length;
      const block = blocks[at]!;
      await hashing[at]; // its previous content
      const size = await readInto(file, block);
      if (size === 0) break;
      bytes += size;
      hashing[at] = hash(block, size);
      // Awaited before the block is used again, and at the end; a failure until then is not
      // unhandled.
      hashing[at].catch(() => {});
    }
    await Promise.all(hashing);
    if (isShort(bytes, total)) checkShort(path, bytes, stats, await promisify(fstat)(file));
  } finally {
    // Also after an abort: the pending read has returned by then, so no other file can get this
    // descriptor.
    await promisify(close)(file).catch(() => {});
  }
}

/** Adds a whole file to the hasher synchronously. */
export function absorbFileSync(hasher: Hasher, path: FileSource): void {
  const file = openSync(path, 'r');
  try {
    const stats = fstatSync(file);
    const total = sizeOfFile(stats);
    const [block] = blocksFor(total) as [Buffer];
    let bytes = 0;
    for (;;) {
      const size = readSync(file, block, 0, block.length, null);
      if (size === 0) break;
      hasher.update(block, 0, size);
      bytes += size;
    }
    if (isShort(bytes, total)) checkShort(path, bytes, stats, fstatSync(file));
  } finally {
    closeSync(file);
  }
}

/**
 * Returns the size of a regular file; other files do not report it, and those of procfs report 0.
 */
function sizeOfFile(stats: Stats): number | undefined {
  return stats.isFile() && stats.size > 0 ? stats.size : undefined;
}

/**
 * Returns the blocks to read into. A small file needs one, with one byte more than its size, so
 * that its end is recognized.
 */
function blocksFor(total: number | undefined): Buffer[] {
  if (total !== undefined && total < BLOCK) return [allocateApart(total + 1)];
  return Array.from({ length: BLOCKS }, () => allocateApart(BLOCK));
}

/** Not promisify, which node's own `read` tells the form of the result; a replacement does not. */
function readInto(file: number, block: Buffer): Promise<number> {
  return new Promise((resolve, reject) =>
    read(file, block, 0, block.length, null, (error, size) =>
      error ? reject(error) : resolve(size),
    ),
  );
}

/**
 * Returns true for a file that became shorter. Growth is not an error: a log may grow while it is
 * read.
 */
function isShort(bytes: number, total: number | undefined): boolean {
  return total !== undefined && bytes < total;
}

/**
 * Refuses a file that ended before its size, except a pseudo file: those of sysfs report 4096 bytes
 * and hold fewer. Their size and time are still the same, and they occupy no blocks.
 *
 * @throws MillraceError ERR_FILE_CHANGED
 */
function checkShort(path: FileSource, bytes: number, opened: Stats, now: Stats): void {
  const unchanged = now.size === opened.size && now.mtimeMs === opened.mtimeMs;
  if (unchanged && now.blocks === 0) return;
  throw makeError(
    'ERR_FILE_CHANGED',
    `${String(path)} shrank while it was read: ${bytes} bytes instead of ${opened.size}`,
  );
}
