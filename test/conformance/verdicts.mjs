// The assertions of the suite, and the messages of failures.

import { digestOf, hex, toHex } from './bytes.mjs';

export function fail(message) {
  throw new Error(message);
}

export function ok(condition, message) {
  if (!condition) fail(message);
}

export function same(actual, expected, what) {
  if (!Object.is(actual, expected)) fail(`${what}: ${show(actual)}, not ${show(expected)}`);
}

/**
 * Checks that the value is a Uint8Array (a Buffer is one) with just these bytes, given as bytes or
 * as `digestOf` returns them.
 */
export function sameBytes(actual, expected, what) {
  if (!(actual instanceof Uint8Array)) fail(`${what}: ${show(actual)} is not a Uint8Array`);
  const wanted = typeof expected === 'string' ? expected : digestOf(expected);
  const got = wanted.includes(':') || actual.length <= 128 ? digestOf(actual) : toHex(actual);
  if (got !== wanted) fail(`${what}: ${got.slice(0, 80)}, not ${wanted.slice(0, 80)}`);
}

/** Returns a target of which `guarded` tells where it was written. */
export function guard(size) {
  return new Uint8Array(size).fill(0xa5);
}

/** Checks that the target has these bytes (given as such or as hex), and no others were written. */
export function guarded(target, offset, expected, what) {
  const bytes = typeof expected === 'string' ? hex(expected) : expected;
  const end = offset + bytes.length;
  sameBytes(target.slice(offset, end), bytes, what);
  const beside = [...target.slice(0, offset), ...target.slice(end)];
  ok(
    beside.every((byte) => byte === 0xa5),
    `${what}: written beside the target`,
  );
}

/** Returns what a function throws, or undefined. */
export function thrown(use) {
  try {
    use();
  } catch (error) {
    return error;
  }
  return undefined;
}

/** The classes an error has besides MillraceError. */
const classes = {
  ERR_MISSING_ARGUMENT: TypeError,
  ERR_ARGUMENT_TYPE: TypeError,
  ERR_KEY_ALGORITHM: TypeError,
  ERR_ARGUMENT_VALUE: RangeError,
  ERR_KEY_SIZE: RangeError,
  ERR_IV_SIZE: RangeError,
  ERR_TAG_SIZE: RangeError,
  ERR_OUTPUT_SIZE: RangeError,
  ERR_SOURCE_SIZE: RangeError,
  ERR_OVERLAP: RangeError,
  ERR_STATE: RangeError,
  ERR_MEMORY_LIMIT: RangeError,
  ERR_WORK_LIMIT: RangeError,
  ERR_PASSWORD_HASH: RangeError,
};

/**
 * Checks that it is an error of the library with this code. One of an engine that cannot serve is
 * rethrown: it is not a wrong answer.
 */
export function sameError(error, code, { MillraceError }, what) {
  if (error?.code === 'ERR_ENGINE_UNAVAILABLE' && code !== 'ERR_ENGINE_UNAVAILABLE') throw error;
  if (error?.code !== code)
    fail(`${what}: ${error?.code ?? 'no code'}, not ${code} (${error?.stack ?? show(error)})`);
  if (!(error instanceof MillraceError)) fail(`${what}: ${code} is not a MillraceError`);
  if (!(error instanceof (classes[code] ?? Error)))
    fail(`${what}: ${code} is not a ${classes[code].name}`);
  if (error.message.length <= 10) fail(`${what}: "${error.message}" is not a sentence`);
}

export function show(value) {
  if (typeof value === 'bigint') return `${value}n`;
  if (typeof value === 'string') return JSON.stringify(value.slice(0, 60));
  if (ArrayBuffer.isView(value)) return `${value.constructor.name}(${value.byteLength})`;
  if (value instanceof Error) return `${value.name} ${value.code ?? ''}: ${value.message}`;
  return String(value);
}
