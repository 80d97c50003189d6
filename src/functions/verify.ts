/** Verification of codes, now or with a callback. */
import { argument, surplusArguments } from '../base/arguments.js';
import { wrongType } from '../base/errors.js';
import { laterVerification, verifyNow, type ReadVerification } from '../operations/verify-mac.js';
import type { Callback } from '../scheduling/completions.js';
import { runCallback } from '../scheduling/run.js';

export function verify(
  name: string,
  read: ReadVerification,
  given: IArguments,
): boolean | undefined {
  if (given.length > 3)
    throw surplusArguments(
      `${name} takes 2 arguments`,
      given.length,
      `Pass key, source and mac as options: ${name}(algorithm, { key, source, mac })`,
    );
  const callback = argument(given, 2);
  if (callback === undefined) return verifyNow(read(argument(given, 0), argument(given, 1), true));
  if (typeof callback !== 'function') throw wrongType('callback', 'a function', callback);
  const { fill, verdict } = laterVerification(read);
  const settle: Callback<unknown> = (...[error, code]) => {
    if (error === null) (callback as Callback<boolean>)(null, verdict(code));
    else (callback as (error: unknown) => void)(error);
  };
  runCallback(settle, fill, given, 2);
  return undefined;
}
