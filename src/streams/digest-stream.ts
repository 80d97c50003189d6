/**
 * One digest of a message that is not in memory: of a stream (stream-source.ts) or of a file (the
 * platform's files.node.ts).
 */
import { options as optionsObject, type Data } from '../base/arguments.js';
import { abortSignal } from '../scheduling/run.js';
import { hashFacts } from '../catalog/catalog.js';
import type { HashFacts } from '../catalog/facts.js';
import { makeError, refuseSurplus, wrongType } from '../base/errors.js';
import {
  digestRequest,
  hashNames,
  targetNames,
  type DigestRequest,
  type Encoding,
  type HashOptions,
  type TargetOptions,
} from '../operations/hash.js';
import { hashingNames, parameterNames, refuseParameter } from '../operations/hash-parameters.js';
import { refuseTuple } from '../operations/tuple.js';
import { createHash, createHmac } from '../hashers/create.js';
import type { CreateHashOptions } from '../hashers/options.js';
import type { Hasher } from '../hashers/hasher.js';
import { hmacFacts, hmacNames, type HmacFields } from '../operations/hmac.js';
import type { Key } from '../request/key.js';
import { encodeResult } from '../request/result.js';
import { absorbFile, absorbFileSync, fileSource, joinPaths } from '#platform/streams/files.js';
import { viewOf } from '#platform/base/runtime.js';
import { accepted, pick, type Accepted } from '../base/options.js';
import { hashOnePath } from './file-batch.js';
import { isDirect } from './hash-files-options.js';
import {
  absorbStream,
  streamOptionNames,
  type StreamSource,
  type StreamOptions,
} from './stream-source.js';
import { CallbackCompletion, type Callback } from '../scheduling/completions.js';

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
type HashTable = Accepted<keyof HashFields>;
type HmacTable = Accepted<keyof (HmacFields & StreamOptions)>;
const hashFields = { ...hashNames, ...targetNames, ...streamOptionNames };
const hashTakes = tables('hash(algorithm, data) of a stream');
const fileTakes = tables('hashFile(algorithm, path)');
const hmacTakes: HmacTable = accepted('hmac(algorithm, key, data) of a stream', {
  ...hmacNames,
  ...streamOptionNames,
});
const readingTakes: Accepted<keyof StreamOptions> = accepted('this call', streamOptionNames);

/** Returns the tables for hashes without and with parameters. */
function tables(signature: string): (facts: HashFacts) => Accepted<any> {
  const plain = { ...accepted(signature, hashFields), refuse: refuseParameter };
  const all: HashTable = accepted(signature, { ...hashFields, ...parameterNames });
  return (facts) => (facts.parameters === null ? plain : all);
}

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
export function checkFileCount(
  given: ArrayLike<unknown>,
  most: number,
  takes = 'hashFile takes an algorithm, a path',
): void {
  for (let index = most; index < given.length; index++) {
    if (given[index] !== undefined)
      throw makeError(
        'ERR_MISSING_ARGUMENT',
        `${takes}, an encoding or options, and a callback; not ${given.length} arguments`,
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
  const hasher = createHash(facts.name, hashing);
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
  if (reading.signal !== undefined || reading.onProgress !== undefined) {
    throw makeError(
      'ERR_ARGUMENT_VALUE',
      'options.signal and options.onProgress need a callback or millrace/promises: a ' +
        'synchronous call cannot be interrupted',
    );
  }
  const hasher = createHash(facts.name, hashing);
  absorbFileSync(hasher, fileSource(path));
  return finish(hasher);
}

/** Refuses invalid arguments before anything is read. */
function request(rest: readonly unknown[], facts: HashFacts, takes: Accepted<any>): Request {
  refuseSurplus(rest, 2, 'the message of a stream or file');
  const [form, extra] = rest;
  if (typeof form === 'string' || form === undefined) {
    const digest = digestRequest(form, facts, takes);
    const asked = optionsObject<StreamOptions>(extra, 'options', readingTakes);
    const own = { engine: asked.engine };
    return {
      hashing: own,
      reading: readingOptions(asked),
      finish: (hasher) => hasher.digest((form ?? 'buffer') as Encoding),
      direct: directOf(own, asked, facts, digest),
    };
  }
  if (extra !== undefined)
    throw makeError(
      'ERR_ARGUMENT_VALUE',
      'options are given twice: put signal and onProgress into the first',
    );
  const given = optionsObject<HashFields>(form, 'options', takes);
  const { encoding, target, targetOffset } = given;
  const digest = digestRequest(given, facts, takes);
  const hashing = pick(given, hashingNames);
  return {
    hashing,
    reading: readingOptions(given),
    finish: (hasher) =>
      target === undefined
        ? hasher.digest(encoding ?? 'buffer')
        : hasher.digestInto(target, targetOffset),
    direct: directOf(hashing, given, facts, digest),
  };
}

/** Returns the digest if native code may compute it: blocks are not reported then. */
function directOf(
  hashing: CreateHashOptions,
  { onProgress }: StreamOptions,
  facts: HashFacts,
  digest: DigestRequest,
): DigestRequest | undefined {
  const { target, size } = digest;
  if (onProgress !== undefined || target !== undefined) return undefined;
  return isDirect(hashing, facts, size) ? digest : undefined;
}

function readingOptions({ signal, onProgress }: StreamOptions): StreamOptions {
  if (onProgress !== undefined && typeof onProgress !== 'function')
    throw wrongType('options.onProgress', 'a function', onProgress);
  return { signal: abortSignal(signal), onProgress };
}
