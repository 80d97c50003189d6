/** hashMany and hmacMany of `millrace/promises`, loaded at the first call. */
import { hashManyParser, hmacManyParser } from '../../operations/batch/readers.js';
import { runManyIterable } from '../../operations/batch/iterable.js';
import { runManyPromise } from '../../operations/batch/jobs.js';
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
    iterable = !Array.isArray(sources) && isMessageIterable(sources);
  } catch {
    // The parser meets the same exception of a Proxy, or refuses the argument.
  }
  const run = iterable ? runManyIterable : runManyPromise;
  return withOptions(parser, given, (signal, count, route, preference) =>
    run(signal, parser, given, count, route, preference),
  );
}
