/** Short messages that are hashed with others of the same turn; undefined for other calls. */
import { fastForm } from '../../operations/hash.js';
import { batchableFacts, join } from '../../scheduling/coalesce.js';
import { PromiseCompletion } from '../../scheduling/completions.js';

export function joinHash(
  algorithm: unknown,
  data: unknown,
  encoding: unknown,
  count: number,
): Promise<unknown> | undefined {
  if (count === 2 || (count === 3 && typeof encoding === 'string')) {
    const facts = batchableFacts(algorithm, data);
    const form = fastForm(encoding);
    if (facts !== undefined && form !== undefined) {
      const completion = new PromiseCompletion();
      if (join(facts, data as Uint8Array | string, form, completion)) return completion.promise;
    }
  }
  return undefined;
}
