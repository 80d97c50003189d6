/**
 * Errors: a code for programs and a sentence for people. The sentence names the argument and what
 * it must be; it never contains a key, a message or any other byte it was given.
 */
import type { ErrorCode } from './error-codes.js';
import { statusErrors } from './protocol.js';

const brand: unique symbol = Symbol('millrace.error') as never;

/**
 * The class of every error Millrace raises. Wrong types are TypeErrors and wrong sizes RangeErrors
 * at the same time: `error instanceof MillraceError && error instanceof RangeError` can both hold.
 */
export class MillraceError extends Error {
  /** What went wrong, for programs; see {@link ErrorCode}. */
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
  // The brand is for instanceof, not for people who print the error.
  Object.defineProperty(prototype, brand, { value: true });
}

const typeErrors = new Set<ErrorCode>([
  'ERR_MISSING_ARGUMENT',
  'ERR_ARGUMENT_TYPE',
  'ERR_RESIZABLE',
  'ERR_KEY_ALGORITHM',
]);
const plainErrors = new Set<ErrorCode>([
  'ERR_UNKNOWN_ALGORITHM',
  'ERR_AUTHENTICATION',
  'ERR_TRUNCATED',
  'ERR_KEY_DISPOSED',
  'ERR_ENGINE',
  'ERR_OUT_OF_MEMORY',
  'ERR_NO_BINARY',
  'ERR_NOT_SUPPORTED',
  'ERR_ENGINE_UNAVAILABLE',
  'ERR_HASHER_BUSY',
  'ERR_HASHER_SPENT',
  'ERR_FILE_CHANGED',
]);

/** Makes the error for a code: a TypeError, a RangeError or plainly a MillraceError. */
export function makeError(code: ErrorCode, message: string): MillraceError {
  if (typeErrors.has(code)) return new MillraceTypeError(code, message);
  return plainErrors.has(code)
    ? new MillraceError(code, message)
    : new MillraceRangeError(code, message);
}

/** "a string", "an object of class Foo", "42": how a wrong value is named in a message. */
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

/** Asks the object, which may be a revoked Proxy or have getters that throw. */
function classOf(value: unknown): unknown {
  try {
    return (Object.getPrototypeOf(value) as { constructor?: { name?: unknown } } | null)
      ?.constructor?.name;
  } catch {
    return undefined;
  }
}

/** The error for an argument of the wrong type. */
export function wrongType(name: string, expected: string, value: unknown): MillraceError {
  return makeError('ERR_ARGUMENT_TYPE', `${name} must be ${expected}, not ${describe(value)}`);
}

/** The error for memory that there is not. */
export function outOfMemory(size: number): MillraceError {
  return makeError('ERR_OUT_OF_MEMORY', `out of memory for ${size} bytes`);
}

/**
 * The error for a status of the native code; where it is about memory, with the bytes that are
 * needed, and about an engine, with the reason.
 */
export function failure(status: number, needed = 0, reason = ''): MillraceError {
  const [code, message] = statusErrors[status] ?? ['ERR_ENGINE', `unknown status ${status}`];
  if (code === 'ERR_ENGINE_UNAVAILABLE' && reason !== '') return makeError(code, reason);
  return makeError(
    code,
    code === 'ERR_MEMORY_LIMIT' && needed > 0 ? `${message}: ${needed} bytes` : message,
  );
}
