/**
 * One digest of a message that is not in memory: of a stream (stream-source.ts) or of a file (the
 * platform's files.node.ts).
 */
import {
  createHashOptionNames,
  hmacOptionNames,
  plainHashOptionNames,
  streamOptionNames,
  targetOptionNames,
} from '../base/option-names.js';
import type { Data } from '../base/arguments.js';
import { abortSignal } from '../scheduling/run.js';
import { hashFacts } from '../catalog/catalog.js';
import type { HashFacts } from '../catalog/facts.js';
import { makeError, refuseSurplus } from '../base/errors.js';
import { digestRequest, type DigestRequest } from '../operations/hash.js';
import { refuseTuple } from '../operations/tuple.js';
import { createHash, createHmac } from '../hashers/create.js';
import { hashTables, type CreateHashOptions, type HashTables } from '../hashers/options.js';
import type { Hasher } from '../hashers/hasher.js';
import { hmacFacts } from '../operations/hmac.js';
import type { Key } from '../request/key.js';
import { encodeResult } from '../request/result.js';
import { absorbFile, absorbFileSync, fileSource, joinPaths } from '#platform/streams/files.js';
import { viewOf } from '#platform/base/runtime.js';
import { accepted, pick, type Accepted } from '../base/options.js';
import { hashOnePath } from './file-batch.js';
import { callOptions, isDirect, progressCallback, refuseWatching } from './hash-files-options.js';
import { absorbStream, type StreamSource, type StreamOptions } from './stream-source.js';
import { CallbackCompletion, type Callback } from '../scheduling/completions.js';
import type { HashOptions, TargetOptions } from '../calls/digests.js';
import type { HmacFields } from '../operations/hmac.js';

/** The fields of an encoding or options object, read once. */
interface Request {
  readonly hashing: CreateHashOptions;
  readonly reading: StreamOptions;
  /** Ends the message. */
  readonly finish: (hasher: Hasher) => unknown;
  /** The size and form of a digest that native code may compute from a file's path. */
  readonly direct: Pick<DigestRequest, 'size' | 'form'> | undefined;
}

type HashFields = HashOptions & Partial<TargetOptions> & StreamOptions;
const hashTakes: HashTables<keyof HashFields> = hashTables(
  'hash(algorithm, data) of a stream',
  plainHashOptionNames,
  targetOptionNames,
  streamOptionNames,
);
const fileTakes: HashTables<keyof HashFields> = hashTables(
  'hashFile(algorithm, path)',
  plainHashOptionNames,
  targetOptionNames,
  streamOptionNames,
);
const hmacTakes: Accepted<keyof (HmacFields & StreamOptions)> = accepted(
  'hmac(algorithm, key, data) of a stream',
  hmacOptionNames,
  targetOptionNames,
  streamOptionNames,
);
const readingTakes: Accepted<keyof StreamOptions> = accepted('this call', streamOptionNames);

/** Hashes a stream: `(algorithm, source[, encoding[, { signal, onProgress }] | options])`. */
export async function hashStream(
  algorithm: unknown,
  source: StreamSource,
  ...rest: readonly unknown[]
): Promise<unknown> {
  const facts = hashFacts(algorithm);
  refuseTuple(facts, 'data');
  const { hashing, reading, finish } = request(rest, facts, hashTakes(facts));
  const hasher = createHash(facts.name, hashing);
  await absorbStream(hasher, source, reading);
  return finish(hasher);
}

/**
 * Computes the HMAC of a stream: `(algorithm, key, source[, encoding[, { signal, onProgress }] |
 * options])`.
 */
export async function hmacStream(
  algorithm: unknown,
  key: unknown,
  source: StreamSource,
  ...rest: readonly unknown[]
): Promise<unknown> {
  const facts = hmacFacts(algorithm);
  const { hashing, reading, finish } = request(rest, facts, hmacTakes);
  const hasher = createHmac(facts.name, key as Data | Key, { engine: hashing.engine });
  await absorbStream(hasher, source, reading);
  return finish(hasher);
}

/** Hashes a file: `(algorithm, path[, encoding[, { signal, onProgress }] | options])`. */
export async function hashFileAsync(
  check: () => void,
  algorithm: unknown,
  path: unknown,
  ...rest: readonly unknown[]
): Promise<unknown> {
  check();
  return await fileHashing(algorithm, path, rest)();
}

/**
 * Refuses arguments of hashFile or hashFiles after the last supported one: a callback there would
 * never be called.
 */
export function checkFileCount(given: ArrayLike<unknown>, most: number, name = 'hashFile'): void {
  const files = name === 'hashFile' ? 'a path' : 'paths';
  for (let index = most; index < given.length; index++) {
    if (given[index] !== undefined)
      throw makeError(
        'ERR_MISSING_ARGUMENT',
        `${name} takes an algorithm, ${files}, an encoding or options, and a callback; ` +
          `not ${given.length} arguments`,
      );
  }
}

/** Calls back. Invalid arguments throw. */
export function hashFileThen(
  callback: Callback<unknown>,
  algorithm: unknown,
  path: unknown,
  form: unknown,
): void {
  const completion = new CallbackCompletion(callback);
  const hashing = fileHashing(algorithm, path, [form]);
  hashing().then(
    (digest) => completion.succeed(digest),
    (error) => completion.fail(error as Error),
  );
}

/** Checks the arguments and returns a function that hashes. */
function fileHashing(
  algorithm: unknown,
  path: unknown,
  rest: readonly unknown[],
): () => Promise<unknown> {
  const facts = hashFacts(algorithm);
  refuseTuple(facts, 'path');
  const { hashing, reading, finish, direct } = request(rest, facts, fileTakes(facts));
  // Native code needs none.
  const prepared = direct === undefined ? createHash(facts.name, hashing) : undefined;
  const file = fileSource(path);
  return async () => {
    const { signal } = reading;
    signal?.throwIfAborted();
    const name = direct && joinPaths([file]);
    if (name !== undefined) {
      const { size, form } = direct!;
      const digest = await hashOnePath(facts.id, name, size, signal);
      // Without one, reading it through the platform says why.
      if (digest !== undefined)
        return encodeResult(viewOf(digest.buffer, digest.byteOffset, size), form);
    }
    const hasher = prepared ?? createHash(facts.name, hashing);
    await absorbFile(hasher, file, reading);
    return finish(hasher);
  };
}

/** Hashes synchronously, without signal and progress. */
export function hashFileSync(
  algorithm: unknown,
  path: unknown,
  ...rest: readonly unknown[]
): unknown {
  const facts = hashFacts(algorithm);
  refuseTuple(facts, 'path');
  const { hashing, reading, finish } = request(rest, facts, fileTakes(facts));
  refuseWatching(reading);
  const hasher = createHash(facts.name, hashing);
  absorbFileSync(hasher, fileSource(path));
  return finish(hasher);
}

/** Refuses invalid arguments before anything is read. */
function request(rest: readonly unknown[], facts: HashFacts, takes: Accepted<any>): Request {
  refuseSurplus(rest, 2, 'the message of a stream or file');
  const [form, extra] = rest;
  const given = callOptions<HashFields>(form, extra, takes, readingTakes, 'signal and onProgress');
  const { encoding = 'buffer', target, targetOffset, signal } = given;
  const digest = digestRequest(given, facts, takes);
  const hashing = pick(given, createHashOptionNames);
  const onProgress = progressCallback(given.onProgress);
  // Native code reports no blocks.
  const direct =
    onProgress === undefined && target === undefined && isDirect(hashing, facts, digest.size);
  return {
    hashing,
    reading: { signal: abortSignal(signal), onProgress },
    finish: (hasher) =>
      target === undefined ? hasher.digest(encoding) : hasher.digestInto(target, targetOffset),
    direct: direct ? digest : undefined,
  };
}
