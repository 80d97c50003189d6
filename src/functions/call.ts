/** Calls of `millrace`: synchronous without a callback, otherwise on the worker threads. */
import type { Parser } from '../request/request.js';
import type { Callback } from '../scheduling/completions.js';
import { runCallback, runSync } from '../scheduling/run.js';

/** Runs a call: asynchronously if the last argument is a callback, otherwise synchronously. */
export function perform({ fill, counts }: Parser, given: IArguments): unknown {
  const { count, callback } = splitCallback(counts, given);
  return callback === undefined
    ? runSync(fill, given, count)
    : runCallback(callback, fill, given, count);
}

/** Returns the callback, if the last argument is one, and the number of other arguments. */
export function splitCallback(
  counts: readonly number[],
  given: IArguments,
): { count: number; callback: Callback<unknown> | undefined } {
  const count = given.length;
  const last: unknown = count > 0 ? given[count - 1] : undefined;
  if (typeof last === 'function') return { count: count - 1, callback: last as Callback<unknown> };
  // A trailing undefined counts as an absent argument.
  return {
    count: last === undefined && count > 0 && !counts.includes(count) ? count - 1 : count,
    callback: undefined,
  };
}
