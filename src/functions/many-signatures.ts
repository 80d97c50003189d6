/** signMany and verifyMany of `millrace`. */
import {
  runSync,
  signManyParser,
  startMany,
  verifyManyParser,
} from '../operations/many-signatures.js';
import { CallbackCompletion } from '../scheduling/completions.js';
import { splitCallback } from './call.js';

/** Runs verifyMany, or signMany. */
export function performSignatures(verifies: boolean, given: IArguments): unknown {
  const { fill, counts } = verifies ? verifyManyParser : signManyParser;
  const { count, callback } = splitCallback(counts, given);
  if (callback === undefined) return runSync(fill(given, count));
  const completion = new CallbackCompletion(callback);
  startMany(fill(given, count), completion);
  return undefined;
}
