/**
 * Files in browsers are Blobs, as from a file input or a drop, hashed in constant memory.
 */
import { makeError, wrongType } from '../base/errors.js';
import { featureOf } from '../base/features.js';
import type { Hasher } from '../hashers/hasher.js';
import { absorbStream, type StreamOptions } from './stream-source.js';

/** The type of a file. */
export type FileSource = Blob;

/** Checks a file by its shape: Blobs of other frames are Blobs too. */
export function fileSource(value: unknown, name = 'file'): FileSource {
  const { stream, slice, size } = (value ?? {}) as Partial<Blob>;
  if (typeof stream === 'function' && typeof slice === 'function' && typeof size === 'number')
    return value as Blob;
  throw wrongType(name, 'a Blob, such as a File', value);
}

/** Returns the name of a file for messages. */
export function fileName(file: FileSource): string | undefined {
  return (file as Partial<File>).name;
}

/** Returns undefined: only native code reads files by path. */
export function joinPaths(): undefined {
  return undefined;
}

/** Adds a whole file to the hasher. Nothing else may use the hasher meanwhile. */
export async function absorbFile(
  hasher: Hasher,
  file: FileSource,
  options: StreamOptions,
): Promise<void> {
  let read = 0;
  const onProgress: StreamOptions['onProgress'] = (progress) => {
    read = progress.bytes;
    options.onProgress?.(progress);
  };
  await absorbStream(hasher, file, { ...options, onProgress });
  if (read < file.size)
    throw makeError(
      'ERR_FILE_CHANGED',
      `the file shrank while it was read: ${read} bytes instead of ${file.size}`,
    );
}

/** Bytes of a synchronous read. */
const BLOCK = 4 * 2 ** 20;

interface SyncReader {
  readAsArrayBuffer(blob: Blob): ArrayBuffer;
}

/** Adds a whole file to the hasher synchronously, in workers. */
export function absorbFileSync(hasher: Hasher, file: FileSource): void {
  const FileReaderSync = featureOf(
    globalThis as { FileReaderSync?: new () => SyncReader },
    'FileReaderSync',
  );
  if (FileReaderSync === undefined) {
    throw makeError(
      'ERR_NOT_SUPPORTED',
      'hashFile without a callback works in workers only: pass a callback, or use ' +
        'millrace/promises',
    );
  }
  const reader = new FileReaderSync();
  let read = 0;
  for (; read < file.size; read += BLOCK)
    hasher.update(reader.readAsArrayBuffer(file.slice(read, read + BLOCK)));
}
