/** The options of hashFiles. */
import { shownName } from '../base/nearest.js';
import { hashFacts } from '../catalog/catalog.js';
import type { HashFacts } from '../catalog/facts.js';
import { defaultEngine } from '../engines/engines.js';
import { createHash } from '../hashers/create.js';
import type { Hasher } from '../hashers/hasher.js';
import {
  digestRequest,
  hashNames,
  type Digest,
  type Encoding,
  type HashOptions,
} from '../operations/hash.js';
import { hashingNames, parameterNames, refuseParameter } from '../operations/hash-parameters.js';
import { refuseTuple } from '../operations/tuple.js';
import { options as optionsObject } from '../base/arguments.js';
import { describe, makeError, wrongType } from '../base/errors.js';
import { accepted, pick, type Accepted, type Names } from '../base/options.js';
import type { Form } from '../request/request.js';
import { abortSignal } from '../scheduling/run.js';

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
const own: Names<Pick<Fields, 'errors' | 'signal' | 'onProgress'>> = {
  errors: true,
  signal: true,
  onProgress: true,
};
const signature = 'hashFiles(algorithm, paths)';
const fields = { ...hashNames, ...own };
const plainTakes: Accepted<any> = { ...accepted(signature, fields), refuse: refuseParameter };
const parameterTakes: Accepted<any> = accepted(signature, { ...fields, ...parameterNames });
const ownTakes: Accepted<any> = accepted('this call', own);

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
  const takes = facts.parameters === null ? plainTakes : parameterTakes;
  const named = typeof form === 'string' || form === undefined;
  if (!named && extra !== undefined)
    throw makeError('ERR_ARGUMENT_VALUE', 'options are given twice: put all into the first');
  const given = named
    ? optionsObject<Fields>(extra, 'options', ownTakes)
    : optionsObject<Fields>(form, 'options', takes);
  const encoding = named ? (form as Encoding | undefined) : given.encoding;
  const { errors, signal, onProgress } = given;
  if (errors !== undefined && errors !== 'throw' && errors !== 'return') {
    const shown =
      typeof errors === 'string' ? shownName(errors, ['throw', 'return']) : describe(errors);
    throw makeError(
      typeof errors === 'string' ? 'ERR_ARGUMENT_VALUE' : 'ERR_ARGUMENT_TYPE',
      `options.errors must be 'throw' or 'return', not ${shown}`,
    );
  }
  if (onProgress !== undefined && typeof onProgress !== 'function')
    throw wrongType('options.onProgress', 'a function', onProgress);
  const hashing = pick(given, hashingNames);
  const { size, form: kind } = digestRequest({ ...hashing, encoding }, facts, takes);
  return {
    facts,
    size,
    form: kind,
    encoding: encoding ?? 'buffer',
    hasher: createHash(facts.name, hashing),
    fast: isDirect(hashing, facts, size),
    returnErrors: errors === 'return',
    signal: abortSignal(signal),
    onProgress,
  };
}
