/** hashMany and hmacMany of `millrace`, loaded at the first call. */
import { hashManyParser, hmacManyParser } from '../operations/batch/readers.js';
import { runManyCallback } from '../operations/batch/jobs.js';
import { runManySync } from '../operations/batch/sync.js';
import { splitCallback } from './call.js';

/** Runs hashMany, or hmacMany if the call has a key. */
export function performMany(keyed: boolean, given: IArguments): unknown {
  const parser = keyed ? hmacManyParser : hashManyParser;
  const { count, callback } = splitCallback(parser.counts, given);
  return callback === undefined
    ? runManySync(parser, given, count)
    : runManyCallback(callback, parser, given, count);
}
