/**
 * hashMany and hmacMany of `millrace/promises` over iterables: the messages are collected into
 * batches, and one is hashed on the pool while the next is collected.
 */
import { isUint8Array, joined } from '../../base/arguments.js';
import { makeError } from '../../base/errors.js';
import { eachItem, type Items } from '../../base/iterables.js';
import { SecretCopy, wipeCopy } from '../../base/secret-copy.js';
import { secretCopy, wipe, type Secret } from '../../base/secret-memory.js';
import { secretResult } from '../../base/secret-results.js';
import { Form } from '../../request/request.js';
import { isKeyed, type Batch } from './arguments.js';
import { runBatch, startBatch } from './jobs.js';
import { inList, MessageCopies } from './messages.js';
import type { Buffer } from '#platform/base/runtime.js';

/** A batch is complete with this many messages, or bytes. */
const BATCH_MESSAGES = 4096;
const BATCH_BYTES = 1024 * 1024;

/**
 * Hashes the messages of an iterable by the call that `parse` returns, which has none. The iterable
 * is closed after an error or an abort.
 */
export async function runManyIterable(
  source: Items<unknown>,
  parse: () => Batch,
  signal: AbortSignal | undefined,
): Promise<unknown> {
  signal?.throwIfAborted();
  const call = parse();
  // The caller could change its key between two batches.
  const key = isUint8Array(call.key) ? new SecretCopy(secretCopy(call.key)) : call.key;
  const batches: Promise<unknown>[] = [];
  let copies = new MessageCopies();
  const flush = async (): Promise<boolean> => {
    const messages = inList(copies.list);
    copies = new MessageCopies();
    await batches.at(-2);
    const batch = runBatch(
      (user) => startBatch({ ...call, messages, key: key?.bytes }, user),
      signal,
    );
    // Awaited before the next batch but one, and at the end.
    batch.catch(() => {});
    batches.push(batch);
    return true;
  };
  try {
    if (call.options.target !== undefined)
      throw makeError(
        'ERR_ARGUMENT_VALUE',
        'options.target needs an array or packed sources: an iterable does not tell its size',
      );
    await eachItem(source, 'sources', signal, (item, index) => {
      copies.add(item, index, call.facts.tuple);
      return copies.list.length < BATCH_MESSAGES && copies.bytes < BATCH_BYTES ? true : flush();
    });
    if (copies.list.length > 0 || batches.length === 0) await flush();
    return joinedResults(await Promise.all(batches), call);
  } finally {
    // Jobs in flight have copied the key, or have ended.
    await Promise.allSettled(batches);
    wipeCopy(key);
  }
}

/** Returns one array, or one Buffer, with the digests of all batches. */
function joinedResults(results: readonly unknown[], call: Batch): unknown {
  if (results.length === 1) return results[0];
  if (call.options.form !== Form.Joined) return (results as unknown[][]).flat();
  const parts = results as Secret<Buffer>[];
  const all = joined(parts, secretResult);
  if (isKeyed(call)) for (const part of parts) wipe(part);
  return all;
}
