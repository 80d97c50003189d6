/**
 * Errors: a code for programs and a sentence for people. The sentence names the argument and what
 * it must be; it never contains a key, a message or any other byte it was given.
 */
import { statusErrors } from './protocol.js';

/** The stable codes of every error Millrace raises. */
export type ErrorCode =
  /** An argument, or the argument an option needs, is missing. TypeError. */
  | 'ERR_MISSING_ARGUMENT'
  /** An argument has the wrong type. TypeError. */
  | 'ERR_ARGUMENT_TYPE'
  /** An integer, range, offset, encoding or option is not among those accepted. RangeError. */
  | 'ERR_ARGUMENT_VALUE'
  /** No algorithm of that name; the message names the nearest. */
  | 'ERR_UNKNOWN_ALGORITHM'
  /** The key has the wrong number of bytes. RangeError. */
  | 'ERR_KEY_SIZE'
  /** The iv or nonce has the wrong number of bytes. RangeError. */
  | 'ERR_IV_SIZE'
  /** The tag has a number of bytes that is wrong or too weak. RangeError. */
  | 'ERR_TAG_SIZE'
  /** The output has the wrong number of bytes, or an output length must be given. RangeError. */
  | 'ERR_OUTPUT_SIZE'
  /** The source is longer than the algorithm allows, or too short to hold a tag. RangeError. */
  | 'ERR_SOURCE_SIZE'
  /** Wrong key, nonce, aad or tag, or changed ciphertext: nothing was decrypted. */
  | 'ERR_AUTHENTICATION'
  /** A sealed stream ends where it cannot: its end is missing. */
  | 'ERR_TRUNCATED'
  /** Two outputs of one call lie over each other. RangeError. */
  | 'ERR_OVERLAP'
  /** A resizable ArrayBuffer cannot be lent to an asynchronous call. TypeError. */
  | 'ERR_RESIZABLE'
  /** The prepared key was disposed. */
  | 'ERR_KEY_DISPOSED'
  /** The prepared key belongs to another algorithm. TypeError. */
  | 'ERR_KEY_ALGORITHM'
  /** The engine refused; a defect or an exhausted resource. */
  | 'ERR_ENGINE'
  /**
   * The engine that was asked for cannot do this here; the message says why, and how to mend it.
   */
  | 'ERR_ENGINE_UNAVAILABLE'
  /**
   * Memory is short: there was none for a copy, for a result, or for a derivation to work in.
   * Nothing was computed.
   */
  | 'ERR_OUT_OF_MEMORY'
  /**
   * An asynchronous operation of this hasher is in flight: wait for it, or make the next one
   * asynchronous too.
   */
  | 'ERR_HASHER_BUSY'
  /** The hasher has given its digest (or begun to give output): reset it, or make another. */
  | 'ERR_HASHER_SPENT'
  /**
   * The bytes are not a hasher's state that can go on here: damaged, or of another algorithm,
   * version, seed or key. RangeError.
   */
  | 'ERR_STATE'
  /**
   * A derivation needs more memory than it, or all together, may take; the message says how many
   * bytes. RangeError.
   */
  | 'ERR_MEMORY_LIMIT'
  /**
   * A password hash, or the header of a sealed message, asks for more work than it may. RangeError.
   */
  | 'ERR_WORK_LIMIT'
  /** The text is not a password hash in a form that is known here. RangeError. */
  | 'ERR_PASSWORD_HASH'
  /**
   * What is to be opened with a passphrase is not in the format of `sealWithPassphrase`, or its
   * header is damaged. RangeError.
   */
  | 'ERR_FORMAT'
  /** A file became shorter while it was read. */
  | 'ERR_FILE_CHANGED'
  /** This platform does not have what the call needs: a browser has no streams of Node's. */
  | 'ERR_NOT_SUPPORTED'
  /** No native binary fits this platform, or it cannot be loaded. */
  | 'ERR_NO_BINARY';

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
