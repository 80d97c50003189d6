/** What `hash` asks before it fills a request (tools/calls/digests.mjs). */
import { encodeShort, isShort, textScratch } from '../request/input-buffer.js';
import { WHOLE } from '../base/protocol.js';
import { fastForm } from '../operations/hash.js';
import { batchableFacts, join } from '../scheduling/coalesce.js';
import { CallbackCompletion, type Callback } from '../scheduling/completions.js';

/**
 * Returns the size of a source for the fast path: that of a short string, which is encoded into the
 * input buffer, or {@link WHOLE}.
 */
export function fastSize(data: unknown): number {
  return typeof data === 'string' && isShort(data) ? encodeShort(data, textScratch) : WHOLE;
}

/** Returns false if the message is not short or an argument is invalid. */
export function hashCoalesced(
  callback: Callback<unknown>,
  algorithm: unknown,
  data: unknown,
  encoding: unknown,
): boolean {
  const facts = batchableFacts(algorithm, data);
  const form = fastForm(encoding);
  return (
    facts !== undefined &&
    form !== undefined &&
    join(facts, data as Uint8Array | string, form, new CallbackCompletion(callback))
  );
}
