/** Digests of files: a callback is the last argument, with or without an encoding before it. */
import { wrongType } from '../base/errors.js';
import type { Encoding } from '../calls/digests.js';
import type { Callback } from '../scheduling/completions.js';
import { checkFileCount } from '../streams/digest-stream.js';
import type { FileDigest } from '../streams/hash-files-options.js';
import type { FileSource } from '#platform/streams/files.js';

/** A file of `hashFilesIterator`. */
export interface FileEntry<E extends Encoding, R extends 'throw' | 'return'> {
  /** The index of the path. */
  readonly index: number;
  /** The path as it was given. */
  readonly path: FileSource;
  /** The digest, or the error of the file if the call returns errors. */
  readonly digest: FileDigest<E, R>;
}

/** Runs a call on files synchronously, or with a callback. */
export function runFiles(
  name: 'hashFile' | 'hashFiles',
  sync: (algorithm: unknown, files: unknown, form: unknown) => unknown,
  then: (callback: Callback<unknown>, algorithm: unknown, files: unknown, form: unknown) => void,
  algorithm: unknown,
  files: unknown,
  third: unknown,
  fourth: unknown,
  given: IArguments,
): unknown {
  const callback = typeof third === 'function' ? third : fourth;
  checkFileCount(given, callback === third ? 3 : 4, name);
  if (callback === undefined) return sync(algorithm, files, third);
  if (typeof callback !== 'function') throw wrongType('callback', 'a function', callback);
  const form = callback === third ? undefined : third;
  return then(callback as Callback<unknown>, algorithm, files, form);
}
