/**
 * hashMany and hmacMany of `millrace/promises` over iterables: the messages are collected into
 * batches, and one is hashed on the pool while the next is collected.
 */
import { makeError } from '../../base/errors.js';
import type { Route } from '../../base/frame.js';
import { eachItem } from '../../base/iterables.js';
import { defaultEngine, type EnginePreference } from '../../engines/engines.js';
import { enginesAmong, isKeyed, wipeKey, type Batch, type ManyParser } from './arguments.js';
import { runBatch } from './jobs.js';
import { MessageCopies } from './messages.js';
import { secretCopy, wipe, type Secret } from '../../base/secret-memory.js';
import { secretResult } from '../../base/secret-results.js';
import type { Buffer } from '#platform/base/runtime.js';
import type { Sources } from '../../calls/digests.js';

/** A batch is complete with this many messages, or bytes. */
const BATCH_MESSAGES = 4096;
const BATCH_BYTES = 1024 * 1024;

/** Hashes the messages of an iterable. It is closed after an error or an abort. */
export async function runManyIterable(
  signal: AbortSignal | undefined,
  { parse, sources }: ManyParser,
  given: ArrayLike<unknown>,
  count: number,
  route: Route | undefined,
  preference: EnginePreference | undefined,
): Promise<unknown> {
  signal?.throwIfAborted();
  const source = given[sources] as Exclude<Sources, { size: unknown }>;
  const others = Array.from(given);
  others[sources] = [];
  // A kept key could be collected with its KeyObject before the last batch.
  const asked = preference ?? defaultEngine.preference;
  const call = ownKey(parse(others, count, true, asked), route, preference);
  const results: unknown[] = [];
  const copies = new MessageCopies();
  let [before, last] = [Promise.resolve(), Promise.resolve()];
  const flush = async (): Promise<boolean> => {
    const messages = copies.take();
    await before;
    const index = results.push(undefined) - 1;
    before = last;
    last = runBatch(() => ({ ...call, messages, ownKey: undefined }), signal).then((result) => {
      results[index] = result;
    });
    // Awaited before the next batch but one, and at the end.
    last.catch(() => {});
    return true;
  };
  try {
    await eachItem(source, 'sources', signal, (item, index) => {
      copies.add(item, call.facts.tuple, index);
      return copies.list.length < BATCH_MESSAGES && copies.bytes < BATCH_BYTES ? true : flush();
    });
    if (copies.list.length > 0 || results.length === 0) await flush();
    await before;
    await last;
    return joined(results, call);
  } finally {
    // Jobs in flight have copied the key, or have ended.
    await Promise.allSettled([before, last]);
    wipeKey(call);
  }
}

/** Returns the call with a copy of its key, which the caller could change between two batches. */
function ownKey(
  batch: Batch,
  route: Route | undefined,
  preference: EnginePreference | undefined,
): Batch {
  try {
    if (batch.target !== undefined)
      throw makeError(
        'ERR_ARGUMENT_VALUE',
        'options.target needs an array or packed sources: an iterable does not tell its size',
      );
    const key = batch.key && secretCopy(batch.key);
    return {
      ...batch,
      key,
      ownKey: key,
      route: route ?? batch.route,
      preference:
        preference === undefined ? batch.preference : enginesAmong(batch.preference, preference),
    };
  } finally {
    wipeKey(batch);
  }
}

/** Returns one array, or one Buffer, with the digests of all batches. */
function joined(results: readonly unknown[], call: Batch): unknown {
  if (results.length === 1) return results[0];
  if (call.form !== undefined) return (results as unknown[][]).flat();
  const parts = results as Secret<Buffer>[];
  const all = secretResult(parts.reduce((total, { length }) => total + length, 0));
  let end = 0;
  for (const part of parts) {
    all.set(part, end);
    end += part.length;
    if (isKeyed(call)) wipe(part);
  }
  return all;
}
