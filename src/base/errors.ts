/**
 * Errors: a stable code and a message. The message names the argument and its requirement, and
 * never contains a key, a message or other input bytes. `shownName` shows a wrong name.
 */
import type { ErrorCode } from './error-codes.js';
import { statusErrors } from './protocol.js';

const brand: unique symbol = Symbol('millrace.error') as never;

/**
 * The class of all errors that Millrace throws. Errors of type are also TypeErrors and errors of
 * size also RangeErrors: `error instanceof MillraceError && error instanceof RangeError` can hold.
 */
export class MillraceError extends Error {
  /** The stable code; see {@link ErrorCode}. */
  readonly code: ErrorCode;
  declare readonly [brand]: true;

  constructor(code: ErrorCode, message: string) {
    super(message);
    this.code = code;
  }

  static override [Symbol.hasInstance](value: unknown): boolean {
    return typeof value === 'object' && value !== null && brand in value;
  }
}
Object.defineProperty(MillraceError.prototype, 'name', {
  value: 'MillraceError',
  configurable: true,
  writable: true,
});

class MillraceTypeError extends TypeError {
  readonly code: ErrorCode;
  declare readonly [brand]: true;
  constructor(code: ErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}

class MillraceRangeError extends RangeError {
  readonly code: ErrorCode;
  declare readonly [brand]: true;
  constructor(code: ErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}

for (const { prototype } of [MillraceError, MillraceTypeError, MillraceRangeError]) {
  // The brand serves instanceof; it is not enumerable.
  Object.defineProperty(prototype, brand, { value: true });
}

const typeErrors = new Set<ErrorCode>([
  'ERR_MISSING_ARGUMENT',
  'ERR_ARGUMENT_TYPE',
  'ERR_DETACHED',
  'ERR_RESIZABLE',
  'ERR_KEY_ALGORITHM',
]);
const rangeErrors = new Set<ErrorCode>([
  'ERR_ARGUMENT_VALUE',
  'ERR_KEY_SIZE',
  'ERR_IV_SIZE',
  'ERR_TAG_SIZE',
  'ERR_OUTPUT_SIZE',
  'ERR_SOURCE_SIZE',
  'ERR_OVERLAP',
  'ERR_NONCE_LIMIT',
  'ERR_HELD_LIMIT',
  'ERR_STATE',
  'ERR_MEMORY_LIMIT',
  'ERR_WORK_LIMIT',
  'ERR_PASSWORD_HASH',
  'ERR_FORMAT',
]);

/** Makes the error for a code: a TypeError, a RangeError or plainly a MillraceError. */
export function makeError(code: ErrorCode, message: string): MillraceError {
  if (typeErrors.has(code)) return new MillraceTypeError(code, message);
  return rangeErrors.has(code)
    ? new MillraceRangeError(code, message)
    : new MillraceError(code, message);
}

/** Describes a wrong value for a message: "a string", "an object of class Foo", "42". */
export function describe(value: unknown): string {
  if (value === null || value === undefined || typeof value === 'boolean') return String(value);
  if (typeof value === 'number') return `the number ${value}`;
  if (typeof value === 'string') return 'a string';
  if (typeof value === 'bigint' || typeof value === 'symbol' || typeof value === 'function')
    return `a ${typeof value}`;
  const name = classOf(value);
  return typeof name === 'string' && name !== ''
    ? `an object of class ${name.slice(0, 40)}`
    : 'an object';
}

/** Reads the object, which may be a revoked Proxy or have getters that throw. */
function classOf(value: unknown): unknown {
  try {
    return (Object.getPrototypeOf(value) as { constructor?: { name?: unknown } } | null)
      ?.constructor?.name;
  } catch {
    return undefined;
  }
}

/** Returns the error for an argument of the wrong type. */
export function wrongType(name: string, expected: string, value: unknown): MillraceError {
  return makeError(
    'ERR_ARGUMENT_TYPE',
    `${name} must be ${expected}, not ${describe(value)}${remedy(expected, value)}`,
  );
}

/** Returns what to do about a value in the place of bytes, or a function in that of options. */
function remedy(expected: string, value: unknown): string {
  if (typeof value === 'function')
    return expected.includes(' object') ? ': a promise takes no callback' : '';
  if (!expected.includes('Buffer')) return '';
  if (typeof value === 'string') return ": Buffer.from(text, 'hex') reads hex";
  const name = String(classOf(value));
  if (name === 'Promise') return ': await it';
  return /Stream$|^Response$/.test(name) ? ': hash of millrace/promises takes a stream' : '';
}

/** Returns the error for an argument whose memory is gone. */
export function detached(name: string): MillraceError {
  return makeError(
    'ERR_DETACHED',
    `${name} has no memory any more: its buffer was detached, transferred or shrunk`,
  );
}

/** Returns the error of a message that is not authentic. */
export function wrongTag(): MillraceError {
  return makeError(
    'ERR_AUTHENTICATION',
    'authentication failed: wrong key, nonce, aad or tag, or changed ciphertext',
  );
}

/** Returns ERR_OUT_OF_MEMORY. */
export function outOfMemory(size: number): MillraceError {
  return makeError('ERR_OUT_OF_MEMORY', `out of memory for ${size} bytes`);
}

/** Returns true for ERR_OUT_OF_MEMORY. */
export function isOutOfMemory(error: unknown): boolean {
  return error instanceof MillraceError && error.code === 'ERR_OUT_OF_MEMORY';
}

/**
 * Returns the error for a status of native code, with the bytes needed for a memory limit and the
 * reason for an unavailable engine.
 */
export function failure(status: number, needed = 0, reason = ''): MillraceError {
  const [code, message] = statusErrors[status] ?? ['ERR_ENGINE', `unknown status ${status}`];
  if (code === 'ERR_ENGINE_UNAVAILABLE' && reason !== '') return makeError(code, reason);
  return makeError(
    code,
    code === 'ERR_MEMORY_LIMIT' && needed > 0 ? `${message}: ${needed} bytes` : message,
  );
}

/** Refuses arguments after those that a call takes. undefined is the same as none. */
export function refuseSurplus(given: ArrayLike<unknown>, most: number, call: string): void {
  for (let index = most; index < given.length; index++)
    if (given[index] !== undefined)
      throw makeError(
        'ERR_MISSING_ARGUMENT',
        `${call} takes at most ${most} arguments, not ${given.length}`,
      );
}
