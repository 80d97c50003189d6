/**
 * One digest of a message that is not in memory as a whole: in pieces (pieces.ts) or in a file (the platform's files).
 */
import { options as optionsObject, type Data } from '../arguments.js';
import { abortSignal } from '../call.js';
import { hashFacts } from '../catalog.js';
import type { EngineOptions } from '../engines.js';
import { makeError, wrongType } from '../errors.js';
import { digestRequest, type Encoding, type HashOptions, type TargetOptions } from '../hash.js';
import { createHash, createHmac, type Hasher } from '../hashers/hasher.js';
import { hmacFacts } from '../hmac.js';
import type { Key } from '../key.js';
import { absorbFile, absorbFileSync, fileSource } from '../platform/node-files.js';
import { absorb, type Pieces, type PiecesOptions } from './pieces.js';
import { CallbackWaiter, type Callback } from '../waiters.js';

/** What an encoding or an options object asks for, read once. */
interface Request {
  readonly hashing: Pick<HashOptions, 'outputLength' | 'seed' | 'key' | 'engine'>;
  readonly reading: PiecesOptions;
  /** Ends the message. */
  readonly finish: (hasher: Hasher) => unknown;
}

/** `(algorithm, pieces[, encoding[, { signal, onProgress }] | options])`. */
export async function hashPieces(algorithm: unknown, pieces: Pieces, ...rest: readonly unknown[]): Promise<unknown> {
  const facts = hashFacts(algorithm);
  const { hashing, reading, finish } = request(rest, (value) => digestRequest(value, facts));
  const hasher = createHash(facts.name, hashing);
  await absorb(hasher, pieces, reading);
  return finish(hasher);
}

/** `(algorithm, key, pieces[, encoding[, { signal, onProgress }] | options])`. */
export async function hmacPieces(algorithm: unknown, key: unknown, pieces: Pieces, ...rest: readonly unknown[]): Promise<unknown> {
  const facts = hmacFacts(algorithm);
  const { hashing, reading, finish } = request(rest, (value) => digestRequest(value, facts));
  const hasher = createHmac(facts.name, key as Data | Key, { engine: hashing.engine });
  await absorb(hasher, pieces, reading);
  return finish(hasher);
}

/** `(algorithm, path[, encoding[, { signal, onProgress }] | options])`. */
export async function hashFileAsync(algorithm: unknown, path: unknown, ...rest: readonly unknown[]): Promise<unknown> {
  return await fileHashing(algorithm, path, rest)();
}

/** The same with a callback. Wrong arguments throw. */
export function hashFileThen(callback: Callback<unknown>, algorithm: unknown, path: unknown, form: unknown): void {
  const waiter = new CallbackWaiter(callback);
  const hashing = fileHashing(algorithm, path, [form]);
  hashing().then(
    (digest) => waiter.succeed(digest),
    (error) => waiter.fail(error as Error),
  );
}

/** Checks the arguments; the rest waits for the call. */
function fileHashing(algorithm: unknown, path: unknown, rest: readonly unknown[]): () => Promise<unknown> {
  const facts = hashFacts(algorithm);
  const { hashing, reading, finish } = request(rest, (value) => digestRequest(value, facts));
  const hasher = createHash(facts.name, hashing);
  const file = fileSource(path);
  return async () => {
    await absorbFile(hasher, file, reading);
    return finish(hasher);
  };
}

/** The same, here and now; without signal and progress. */
export function hashFileSync(algorithm: unknown, path: unknown, ...rest: readonly unknown[]): unknown {
  const facts = hashFacts(algorithm);
  const { hashing, reading, finish } = request(rest, (value) => digestRequest(value, facts));
  if (reading.signal !== undefined || reading.onProgress !== undefined) {
    throw makeError('ERR_ARGUMENT_VALUE', 'options.signal and options.onProgress need a callback or millrace/promises: a synchronous call cannot be interrupted');
  }
  const hasher = createHash(facts.name, hashing);
  absorbFileSync(hasher, fileSource(path));
  return finish(hasher);
}

/** `check` refuses what a call on bytes would refuse, before anything is read. */
function request([form, extra]: readonly unknown[], check: (value: unknown) => { readonly size: number }): Request {
  if (typeof form === 'string' || form === undefined) {
    check(form);
    const { engine } = optionsObject<EngineOptions>(extra, 'options');
    return { hashing: { engine }, reading: readingOptions(extra), finish: (hasher) => hasher.digest((form ?? 'buffer') as Encoding) };
  }
  // Read once: what was checked is what is used.
  const given = { ...optionsObject<HashOptions & Partial<TargetOptions> & PiecesOptions>(form, 'options') };
  const { encoding, outputLength, seed, key, target, targetOffset, engine } = given;
  check(given);
  return {
    hashing: { outputLength, seed, key, engine },
    reading: readingOptions(given),
    finish: (hasher) => (target === undefined ? hasher.digest(encoding ?? 'buffer') : hasher.digestInto(target, targetOffset)),
  };
}

function readingOptions(value: unknown): PiecesOptions {
  const { signal, onProgress } = optionsObject<PiecesOptions>(value, 'options');
  if (onProgress !== undefined && typeof onProgress !== 'function') throw wrongType('options.onProgress', 'a function', onProgress);
  return { signal: abortSignal(signal), onProgress };
}
