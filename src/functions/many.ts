/** hashMany and hmacMany of `millrace`, loaded at the first call. */
import { hashManyParser, hmacManyParser } from '../operations/batch/readers.js';
import { startBatch } from '../operations/batch/jobs.js';
import { runManySync } from '../operations/batch/sync.js';
import { CallbackCompletion } from '../scheduling/completions.js';
import { splitCallback } from './call.js';

/** Runs hashMany, or hmacMany if the call has a key. */
export function performMany(keyed: boolean, given: IArguments): unknown {
  const { parse, counts } = keyed ? hmacManyParser : hashManyParser;
  const { count, callback } = splitCallback(counts, given);
  if (callback === undefined) return runManySync(parse(given, count));
  const completion = new CallbackCompletion(callback);
  startBatch(parse(given, count), completion);
  return undefined;
}
