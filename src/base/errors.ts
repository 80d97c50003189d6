/**
 * Errors: a stable code and a message. The message names the argument and its requirement, and
 * never contains a key, a message or other input bytes. `shownName` shows a wrong name.
 */
import type { ErrorCode } from './error-codes.js';
import { typeHint } from '#platform/base/hints.js';
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

// Every bundle has them: as sets of names they are 90 bytes larger, compressed.
const typeErrors = /_(MISSING_ARGUMENT|ARGUMENT_TYPE|DETACHED|RESIZABLE|KEY_ALGORITHM)$/;
const rangeErrors = /_(VALUE|SIZE|LIMIT|OVERLAP|STATE|PASSWORD_HASH|FORMAT)$/;

/** Makes the error for a code: a TypeError, a RangeError or plainly a MillraceError. */
export function makeError(code: ErrorCode, message: string): MillraceError {
  if (typeErrors.test(code)) return new MillraceTypeError(code, message);
  return rangeErrors.test(code)
    ? new MillraceRangeError(code, message)
    : new MillraceError(code, message);
}

/** Describes a wrong value for a message: "a string", "an object of class Foo", "the number 42". */
export function describe(value: unknown): string {
  if (value === null || value === undefined || typeof value === 'boolean') return String(value);
  if (typeof value === 'number') return `the number ${value}`;
  if (typeof value !== 'object') return `a ${typeof value}`;
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
    `${name} must be ${expected}, not ${describe(value)}${typeHint(expected, value, classOf)}`,
  );
}

/** Returns the error for an argument with detached memory. */
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
  const known = Object.hasOwn(statusErrors, status) ? statusErrors[status] : undefined;
  const [code, message] = known ?? ['ERR_ENGINE', `unknown status ${status}`];
  if (code === 'ERR_ENGINE_UNAVAILABLE' && reason !== '') return makeError(code, reason);
  return makeError(
    code,
    code === 'ERR_MEMORY_LIMIT' && needed > 0 ? `${message}: ${needed} bytes` : message,
  );
}

/**
 * Refuses arguments after those that a call takes. undefined is the same as none. `form` shows the
 * call with its arguments, and may say what it returns; without brackets it is a name only.
 */
export function refuseSurplus(given: ArrayLike<unknown>, most: number, form: string): void {
  for (let index = most; index < given.length; index++)
    if (given[index] !== undefined)
      throw makeError(
        'ERR_MISSING_ARGUMENT',
        `${form.split('(')[0]} takes at most ${most} argument${most === 1 ? '' : 's'}, ` +
          `not ${given.length}${form.includes('(') ? `: ${form}` : ''}`,
      );
}
