/**
 * Predicts what work costs in JavaScript, in nanoseconds: from the catalog at first, then as
 * measured by a worker after a job of the algorithm.
 */
import { Operation, Route } from '../base/frame.js';
import { isCipher } from '../base/operations.js';
import type { CipherFacts, HashFacts } from '../catalog/facts.js';
import { ciphers, hashes } from '../catalog/catalog-table.js';
import { perform } from './execute.js';
import { messageCount } from './messages.js';
import { plainWork } from './work.js';
import type { Work } from './work.js';

/** The cost of a message: fixed nanoseconds, and nanoseconds for each byte. */
export interface Cost {
  readonly fixed: number;
  readonly perByte: number;
}

/**
 * Operations of at most this many nanoseconds run during their call: about what it costs this
 * thread to copy a source, send it to a worker and receive the result.
 */
export const INLINE_NS = 50_000;

interface Entry {
  readonly cost: Cost;
  readonly measured: boolean;
}

function initialEntries(facts: readonly (HashFacts | CipherFacts)[]): Entry[] {
  return facts.map(({ portableCost: [fixed, perByte] }) => ({
    cost: { fixed, perByte },
    measured: false,
  }));
}

const hashCosts = initialEntries(hashes);
const cipherCosts = initialEntries(ciphers);

function entries(cipher: boolean): Entry[] {
  return cipher ? cipherCosts : hashCosts;
}

/** Returns the cost of a hash or cipher, undefined for an unknown number. */
export function costOf(cipher: boolean, algorithm: number): Cost | undefined {
  return entries(cipher).at(algorithm)?.cost;
}

export function isMeasured(cipher: boolean, algorithm: number): boolean {
  return entries(cipher).at(algorithm)?.measured ?? true;
}

/** Changes whenever a cost or the default route changes. */
let epoch = 0;
export const costEpoch = (): number => epoch;

/** Accepts a measured cost, limited to a factor of 8 from the table's. */
export function settleCost(operation: Operation, algorithm: number, found: Cost): void {
  const list = entries(isCipher(operation));
  const prior = list.at(algorithm);
  if (prior === undefined || prior.measured) return;
  const near = (value: number, before: number): number =>
    Math.min(Math.max(value, before / 8), before * 8);
  list[algorithm] = {
    cost: {
      fixed: near(found.fixed, prior.cost.fixed),
      perByte: near(found.perByte, prior.cost.perByte),
    },
    measured: true,
  };
  epoch += 1;
}

let routeSetting = Route.Auto;

/** Returns the route of calls that name none. */
export function defaultRoute(): Route {
  return routeSetting;
}

export function setDefaultRoute(route: number): void {
  routeSetting = route >= Route.Auto && route <= Route.Split ? route : Route.Auto;
  epoch += 1;
}

function total(cost: Cost | undefined, bytes: number, count = 1): number {
  return cost === undefined ? 0 : count * cost.fixed + bytes * cost.perByte;
}

/** Returns the predicted nanoseconds of hashing `count` messages of `bytes` bytes in total. */
export function ofMessages(algorithm: number, bytes: number, count: number): number {
  return Math.round(total(hashCosts.at(algorithm)?.cost, bytes, count));
}

/** Returns the predicted nanoseconds of an operation other than a derivation. */
export function predict(work: Work): number {
  const { operation, algorithm, source, target, iv, aad, secret, views } = work;
  const cipher = isCipher(operation);
  const cost = entries(cipher).at(algorithm)?.cost;
  switch (operation) {
    case Operation.Hash:
    case Operation.Finish:
    case Operation.Squeeze:
      return total(cost, source.length + target.length);
    case Operation.MacBegin:
    case Operation.Hmac:
      return total(cost, source.length + secret.length + 2 * hashes[algorithm]!.blockSize, 2);
    case Operation.MacFinish:
      return total(cost, source.length, 2);
    case Operation.Update:
    case Operation.MacUpdate:
      return total(cost, source.length + iv.length);
    case Operation.HashMany:
    case Operation.HmacMany:
      return total(
        cost,
        views?.reduce((sum, { length }) => sum + length, 0) ?? source.length,
        messageCount(work),
      );
    case Operation.SealChunks:
    case Operation.OpenChunks:
      return total(cost, source.length, messageCount(work));
    default:
      return total(cost, source.length + aad.length);
  }
}

/** Returns the largest number of bytes that fit into these nanoseconds. */
export function bytesFor({ fixed, perByte }: Cost, nanoseconds: number): number {
  return Math.max(0, Math.floor((nanoseconds - fixed) / perByte));
}

// measuring

const SHORT = 64;
const LONG = 16 * 1024;
/** Milliseconds of warm-up for the compiler, and of measuring at each size. */
const WARM = 4;
const TAKE = 2;
/** Milliseconds of each batch. */
const BATCH = 0.25;

/** Measures an algorithm on this thread. Returns undefined if the clock is too coarse. */
export function measure(operation: Operation, algorithm: number): Cost | undefined {
  const once = sample(operation, algorithm);
  spin(() => once(LONG), WARM);
  const [short, long] = [spin(() => once(SHORT), TAKE), spin(() => once(LONG), TAKE)];
  const perByte = (long - short) / (LONG - SHORT);
  return perByte > 0 && short > 0
    ? { fixed: Math.max(short - SHORT * perByte, short / 8), perByte }
    : undefined;
}

/** Returns a function that processes `size` bytes. */
function sample(operation: Operation, algorithm: number): (size: number) => void {
  const [source, target] = [new Uint8Array(LONG), new Uint8Array(LONG)];
  const cipher = isCipher(operation);
  const { digestSize } = hashes[cipher ? 0 : algorithm]!;
  const { keySize, ivSize, tagSize } = ciphers[cipher ? algorithm : 0]!;
  const work = cipher
    ? plainWork(Operation.Encrypt, algorithm, {
        secret: new Uint8Array(keySize),
        iv: new Uint8Array(ivSize),
        tag: new Uint8Array(tagSize),
      })
    : plainWork(Operation.Hash, algorithm, { target: new Uint8Array(digestSize || 32) });
  return (size) => {
    const sized = { ...work, source: source.subarray(0, size) };
    perform(cipher ? { ...sized, target: target.subarray(0, size) } : sized);
  };
}

/**
 * Returns the nanoseconds of one call: the minimum over several batches, because other processes
 * disturb them.
 */
function spin(work: () => void, milliseconds: number): number {
  const { performance } = globalThis;
  const start = performance.now();
  let least = Infinity;
  for (let before = start, end = start; end - start < milliseconds;) {
    let count = 0;
    before = end;
    // Clocks may be as coarse as 0.1 ms.
    for (; end - before < BATCH; end = performance.now()) {
      work();
      count += 1;
    }
    least = Math.min(least, ((end - before) * 1e6) / count);
  }
  return least;
}
