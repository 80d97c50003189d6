/** signMany and verifyMany of `millrace/promises`. */
import { runBatch } from '../../operations/batch/jobs.js';
import { signManyParser, startMany, verifyManyParser } from '../../operations/many-signatures.js';
import { withOptions } from './call.js';

/** Runs verifyMany, or signMany. */
export function signaturesLater(verifies: boolean, given: IArguments): Promise<unknown> {
  const parser = verifies ? verifyManyParser : signManyParser;
  return withOptions(parser, given, (signal, count, route, preference) =>
    runBatch((user) => startMany(parser.fill(given, count, true), user, route, preference), signal),
  );
}
