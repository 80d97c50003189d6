/** The options of hashFiles, and what hashFile and digests of streams share with them. */
import {
  filesSignalOptionNames,
  createHashOptionNames,
  plainHashOptionNames,
} from '../base/option-names.js';
import { shownName } from '../base/nearest.js';
import { hashFacts } from '../catalog/catalog.js';
import type { HashFacts } from '../catalog/facts.js';
import { defaultEngine } from '../engines/engines.js';
import { createHash } from '../hashers/create.js';
import type { Hasher } from '../hashers/hasher.js';
import { digestRequest } from '../operations/hash.js';
import { hashTables, type HashTables } from '../hashers/options.js';
import { refuseTuple } from '../operations/tuple.js';
import { options as optionsObject } from '../base/arguments.js';
import { describe, makeError, wrongType } from '../base/errors.js';
import { accepted, pick, type Accepted } from '../base/options.js';
import type { Form } from '../request/request.js';
import { abortSignal } from '../scheduling/run.js';
import type { Digest, Encoding, HashOptions } from '../calls/digests.js';

/** The error of a file that could not be hashed: the file system's, with the place of its path. */
export interface FileError extends Error {
  /** The index of the path. */
  readonly index: number;
  /** The path as text; the name of a File in browsers. */
  readonly path?: string | undefined;
  /** The file system's code, or Millrace's. */
  readonly code?: string | undefined;
}

/** Options of hashFiles. */
export interface HashFilesOptions<
  E extends Encoding = Encoding,
  R extends 'throw' | 'return' = 'throw' | 'return',
> extends HashOptions<E> {
  /**
   * `'throw'` (default): the first path, in the order given, that cannot be hashed ends the call
   * with its error. `'return'`: an Error takes the place of its digest, and the call continues.
   */
  readonly errors?: R | undefined;
}

/** The progress of an asynchronous call of hashFiles. */
export interface FilesProgress {
  /** The bytes hashed so far, also those of files that are not finished. */
  readonly bytes: number;
  /** The files that are finished, also those that could not be hashed. */
  readonly files: number;
}

/** The signal and progress of an asynchronous call. */
export interface FilesSignalOptions {
  /** Stops the reading and rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /**
   * Called on the event loop after each group of files, and every 100 ms while a large file is
   * hashed. An exception ends the call.
   */
  readonly onProgress?: ((progress: FilesProgress) => void) | undefined;
}

/** A digest, or the error of its file if the call returns errors. */
export type FileDigest<E extends Encoding, R extends 'throw' | 'return'> = R extends 'return'
  ? Digest<E> | FileError
  : Digest<E>;

type Fields = HashFilesOptions & FilesSignalOptions;
const takes: HashTables<keyof Fields> = hashTables(
  'hashFiles(algorithm, paths)',
  plainHashOptionNames,
  'errors',
  filesSignalOptionNames,
);
const ownTakes: Accepted<any> = accepted('this call', 'errors', filesSignalOptionNames);

/**
 * Returns the options of a call and the encoding: `form` is an encoding, and `extra` has options
 * that go with one, or `form` has all options.
 */
export function callOptions<T extends { readonly encoding?: Encoding | undefined }>(
  form: unknown,
  extra: unknown,
  all: Accepted<any>,
  withEncoding: Accepted<any>,
  named: string,
): T {
  if (typeof form === 'string' || form === undefined) {
    const given = optionsObject<T>(extra, 'options', withEncoding);
    return { ...given, encoding: form, __proto__: null };
  }
  if (extra !== undefined)
    throw makeError('ERR_ARGUMENT_VALUE', `options are given twice: put ${named} into the first`);
  return optionsObject<T>(form, 'options', all);
}

/** Refuses what a synchronous call cannot have. */
export function refuseWatching(given: { signal?: unknown; onProgress?: unknown }): void {
  if (given.signal !== undefined || given.onProgress !== undefined)
    throw makeError(
      'ERR_ARGUMENT_VALUE',
      'options.signal and options.onProgress need a callback or millrace/promises: a ' +
        'synchronous call cannot be interrupted',
    );
}

/** Returns a function or undefined. */
export function progressCallback<Callback>(value: Callback): Callback {
  if (value !== undefined && typeof value !== 'function')
    throw wrongType('options.onProgress', 'a function', value);
  return value;
}

/** The parsed arguments besides the paths. */
export interface Plan {
  readonly facts: HashFacts;
  readonly size: number;
  readonly form: Form;
  readonly encoding: Encoding;
  /** Copied for each file that native code does not read. */
  readonly hasher: Hasher;
  /** True if native code may read files. */
  readonly fast: boolean;
  readonly returnErrors: boolean;
  readonly signal: AbortSignal | undefined;
  readonly onProgress: ((progress: FilesProgress) => void) | undefined;
}

/** Longer digests are not collected for many files in one call. */
const DIGEST_MAX = 4096;

/** Returns true if native code may open and read files for this digest. */
export function isDirect(hashing: object, facts: HashFacts, size: number): boolean {
  return (
    Object.entries(hashing).every(
      ([name, value]) => name === 'outputLength' || value === undefined,
    ) &&
    size <= DIGEST_MAX &&
    (facts.xof || size === facts.digestSize) &&
    defaultEngine.engine.name === 'native'
  );
}

/** Refuses invalid arguments before anything is read. */
export function planOf(algorithm: unknown, form: unknown, extra: unknown): Plan {
  const facts = hashFacts(algorithm);
  refuseTuple(facts, 'paths');
  const given = callOptions<Fields>(form, extra, takes(facts), ownTakes, 'all');
  const { encoding = 'buffer', errors, signal } = given;
  if (errors !== undefined && errors !== 'throw' && errors !== 'return') {
    const shown =
      typeof errors === 'string' ? shownName(errors, ['throw', 'return']) : describe(errors);
    throw makeError(
      typeof errors === 'string' ? 'ERR_ARGUMENT_VALUE' : 'ERR_ARGUMENT_TYPE',
      `options.errors must be 'throw' or 'return', not ${shown}`,
    );
  }
  const onProgress = progressCallback(given.onProgress);
  const hashing = pick(given, createHashOptionNames);
  const { size, form: kind } = digestRequest(given, facts, takes(facts));
  return {
    facts,
    size,
    form: kind,
    encoding,
    hasher: createHash(facts.name, hashing),
    fast: isDirect(hashing, facts, size),
    returnErrors: errors === 'return',
    signal: abortSignal(signal),
    onProgress,
  };
}
