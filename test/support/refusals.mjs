// A call that must be refused, in all three call styles.

import assert from 'node:assert/strict';
import { setImmediate } from 'node:timers/promises';
import { inspect } from 'node:util';

import millrace from 'millrace';
import promises from 'millrace/promises';

import { member } from './member.mjs';
import { eachWay } from './ways.mjs';

/** The class that goes with each code, besides MillraceError. */
export const classes = {
  ERR_MISSING_ARGUMENT: TypeError,
  ERR_ARGUMENT_TYPE: TypeError,
  ERR_ARGUMENT_VALUE: RangeError,
  ERR_UNKNOWN_ALGORITHM: Error,
  ERR_KEY_SIZE: RangeError,
  ERR_IV_SIZE: RangeError,
  ERR_TAG_SIZE: RangeError,
  ERR_OUTPUT_SIZE: RangeError,
  ERR_SOURCE_SIZE: RangeError,
  ERR_AUTHENTICATION: Error,
  ERR_OVERLAP: RangeError,
  ERR_DETACHED: TypeError,
  ERR_RESIZABLE: TypeError,
  ERR_KEY_DISPOSED: Error,
  ERR_KEY_ALGORITHM: TypeError,
  ERR_KEY_ENCODING: Error,
  ERR_KEY_NOT_SUPPORTED: Error,
  ERR_KEY_INVALID: Error,
  ERR_PASSPHRASE: Error,
  ERR_NONCE_LIMIT: RangeError,
  ERR_HASHER_BUSY: Error,
  ERR_HASHER_SPENT: Error,
  ERR_STATE: RangeError,
  ERR_MEMORY_LIMIT: RangeError,
  ERR_WORK_LIMIT: RangeError,
  ERR_PASSWORD_HASH: RangeError,
  ERR_FORMAT: RangeError,
  ERR_TRUNCATED: Error,
  ERR_NOT_SUPPORTED: Error,
  ERR_ENGINE_UNAVAILABLE: Error,
};

/**
 * Checks that the call is refused with `code` (one of several, if an array): thrown, also by the
 * callback form, which never calls back, and as a rejection by the promise form. The message
 * `names` the argument.
 */
export async function refuses(method, args, code, names) {
  const what = `${method}(${args.map(show).join(', ')})`;
  const check = (error, way) => expectError(error, code, names, `${what} ${way}`);
  check(
    thrown(() => member(millrace, method)(...args), what),
    'without a callback',
  );
  let called = false;
  const callback = () => {
    called = true;
  };
  check(
    thrown(() => member(millrace, method)(...args, callback), what),
    'with a callback',
  );
  const promise = member(promises, method)(...args);
  assert.ok(promise instanceof Promise, `promise of ${what}`);
  const taken = (value) => assert.fail(`promise of ${what}: no error but ${show(value)}`);
  check(await promise.then(taken, (reason) => reason), 'with a promise');
  await setImmediate();
  assert.equal(called, false, `${what}: the callback was called though the call had thrown`);
}

/** Checks that a call is refused in each way; what only the engine refuses may be called back. */
export const refusedLater = (method, args, code, names) =>
  eachWay(async (call, way) => {
    const taken = () => assert.fail(`${way}: ${method} was taken`);
    const error = await (async () => call(method, ...args))().then(taken, (reason) => reason);
    expectError(error, code, names, `${method}, ${way}`);
  });

export function expectError(error, code, names, what) {
  const codes = [code].flat();
  assert.ok(
    codes.includes(error?.code),
    `${what}: expected ${codes.join(' or ')}, not ${error?.code}: ${error?.stack}`,
  );
  assert.ok(error instanceof millrace.MillraceError, `${what}: not a MillraceError`);
  assert.ok(
    error instanceof Error && error instanceof classes[error.code],
    `${what}: ${error.code} must be a ${classes[error.code].name}`,
  );
  assert.ok(error.message.length > 10, `${what}: "${error.message}" is not a sentence`);
  if (names) assert.match(error.message, names, `${what}: the message must name the argument`);
  assert.ok(error.stack.includes(error.message), `${what}: the stack lacks the message`);
}

export function thrown(call, what) {
  let value;
  try {
    value = call();
  } catch (error) {
    return error;
  }
  return assert.fail(`${what}: no error but ${show(value)}`);
}

export function show(value) {
  const limits = { depth: 1, maxArrayLength: 3, maxStringLength: 30, breakLength: Infinity };
  return inspect(value, { ...limits, customInspect: false, showProxy: true });
}
