/**
 * Runs an operation: a short one at once, so that its promise is resolved when the call returns; a
 * long one on the worker threads.
 */
import { keyEngines } from '../../request/key.js';
import type { EnginePreference } from '../../engines/engines.js';
import { MillraceError } from '../../base/errors.js';
import type { Parser } from '../../request/request.js';
import { runPromise, runSync } from '../../scheduling/run.js';
import { deriveSync, derivePromise, type DerivationParser } from '../../kdf/derive.js';
import { nextTurn, type Buffer } from '#platform/base/runtime.js';
import type { Kept } from './keys.js';
import { exception } from './platform.js';
import type { Served } from './dictionaries.js';
import type { HashFacts } from '../../catalog/facts.js';
import { Operation } from '../../base/frame.js';
import { predict } from '../../scheduling/cost-model.js';

/** The most nanoseconds of one operation that runs at once. */
const ALONE_NS = 30_000;
/** The most nanoseconds of operations that run at once in one iteration of the event loop. */
const TURN_NS = 100_000;
/** The cost of a call besides its work. */
const CALL_NS = 1000;

let spent = 0;

/**
 * Returns true if work of so many nanoseconds may run at once. A program that awaits one call after
 * the other would otherwise never return to the event loop.
 */
export function mayRunNow(cost: number): boolean {
  if (cost > ALONE_NS || spent + cost + CALL_NS > TURN_NS) return false;
  if (spent === 0) nextTurn(beginTurn);
  spent += cost + CALL_NS;
  return true;
}

function beginTurn(): void {
  spent = 0;
}

/** A new ArrayBuffer. */
export type Result = ArrayBuffer | Promise<ArrayBuffer>;

/** Fills a request and runs it. */
export function run(cost: number, fill: () => void): Result {
  if (mayRunNow(cost)) return runNow(fill);
  return later(runPromise(undefined, fill, NONE, 0), memoryOf);
}

/**
 * Makes a call of Millrace's with these arguments; `finish` makes the result of it. One that costs
 * 0 runs at once in every case.
 */
export function runCall<T>(
  cost: number,
  { fill }: Parser,
  given: readonly unknown[],
  finish: (made: unknown) => T,
): T | Promise<Awaited<T>> {
  const isNow = cost === 0 || mayRunNow(cost);
  if (!isNow) return later(runPromise(undefined, fill, given, given.length), finish);
  try {
    return finish(runSync(fill, given, given.length));
  } catch (error) {
    throw converted(error);
  }
}

/** Fills a request and runs it at once. */
export function runNow(fill: () => void): ArrayBuffer {
  try {
    return memoryOf(runSync(fill, NONE, 0));
  } catch (error) {
    throw converted(error);
  }
}

/** Derives a secret. */
export function derive(cost: number, parser: DerivationParser, given: unknown[]): Result {
  if (!mayRunNow(cost)) return later(derivePromise(parser, given), memoryOf);
  return deriveNow(parser, given);
}

/** Derives at once. */
export function deriveNow(parser: DerivationParser, given: unknown[]): ArrayBuffer {
  try {
    return memoryOf(deriveSync(parser, given, given.length));
  } catch (error) {
    throw converted(error);
  }
}

const NONE: readonly unknown[] = [];

async function later<T>(
  result: Promise<unknown>,
  finish: (made: unknown) => T,
): Promise<Awaited<T>> {
  try {
    return await finish(await result);
  } catch (error) {
    throw converted(error);
  }
}

/** Returns the memory of a result, which nothing else uses. */
export function memoryOf(result: unknown): ArrayBuffer {
  const { buffer, byteOffset, byteLength } = result as Buffer;
  if (buffer.byteLength === byteLength) return buffer as ArrayBuffer;
  return buffer.slice(byteOffset, byteOffset + byteLength) as ArrayBuffer;
}

/** Returns the error of the standard for one of Millrace's. */
function converted(error: unknown): unknown {
  return error instanceof MillraceError ? exception('OperationError', error.message) : error;
}

/** Returns the engines that hold the prepared key of a cipher, HMAC or KMAC. */
export function enginesOf({ prepared, key, hash }: Kept): EnginePreference {
  return prepared ?? keyEngines(key!, hash!.name);
}

/** Thrown for a call that the platform has to serve: its result or its error is the caller's. */
export const DELEGATE: unique symbol = Symbol('the platform serves this call');

/** Throws an error that Millrace is certain of only if the platform lacks the algorithm. */
export function refuse({ lacking }: Served, error: Error): never {
  throw lacking ? error : DELEGATE;
}

/** Refuses a call with an OperationError. */
export function refuseOperation(served: Served, message: string): never {
  return refuse(served, exception('OperationError', message));
}

/** Throws if an algorithm has an invalid member or `source` is undefined. */
export function check(served: Served, problem: Error | undefined, source: unknown): void {
  if (problem !== undefined) refuse(served, problem);
  if (source === undefined) refuse(served, new TypeError('the data is not a BufferSource'));
}

/** The cost model has numbers for the first hashes only. */
const PREDICTED_IDS = 32;

/** Predicts the nanoseconds of a hash or HMAC. */
export function digestCost(operation: Operation, { id }: HashFacts, size: number): number {
  return id < PREDICTED_IDS ? predict(operation, id, size) : 3000 + 2 * size;
}
