/** hashMany and hmacMany of `millrace/promises`, loaded at the first call. */
import type { Items } from '../../base/iterables.js';
import { defaultEngine, type EnginePreference } from '../../engines/engines.js';
import { withCallOptions, type Batch } from '../../operations/batch/arguments.js';
import { hashManyParser, hmacManyParser } from '../../operations/batch/readers.js';
import { runManyIterable } from '../../operations/batch/iterable.js';
import { runBatch, startBatch } from '../../operations/batch/jobs.js';
import { isMessageIterable } from '../../operations/batch/messages.js';
import { withOptions } from './call.js';

/** Runs hashMany, or hmacMany if the call has a key: an iterable while it gives messages. */
export function performSources(
  keyed: boolean,
  given: IArguments,
  sources: unknown,
): Promise<unknown> {
  const parser = keyed ? hmacManyParser : hashManyParser;
  let iterable = false;
  try {
    iterable = isMessageIterable(sources);
  } catch {
    // The parser meets the same exception of a Proxy, or refuses the argument.
  }
  return withOptions(parser, given, (signal, count, route, preference) => {
    const parse = (asked: EnginePreference | undefined): Batch =>
      withCallOptions(parser.parse(given, count, true, asked), route, preference);
    if (!iterable) return runBatch((user) => startBatch(parse(preference), user), signal);
    given[parser.options - 1] = [];
    // A kept key could be collected with its KeyObject before the last batch.
    const asked = preference ?? defaultEngine.preference;
    return runManyIterable(sources as Items<unknown>, () => parse(asked), signal);
  });
}
