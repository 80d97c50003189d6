// Runs one job on one engine in each call style. Returns `{ output, tag? }`, or throws.

import millrace from 'millrace';
import promises from 'millrace/promises';

import { ciphers } from '../support/algorithms.mjs';

/**
 * Synchronous, callback and promise: each takes a method's name and its arguments, and returns a
 * promise.
 */
export const waitings = {
  sync: async (method, ...args) => millrace[method](...args),
  callback: (method, ...args) =>
    new Promise((resolve, reject) =>
      millrace[method](...args, (error, value) => (error ? reject(error) : resolve(value))),
    ),
  promise: (method, ...args) => promises[method](...args),
};

/** Does a job of entry-points.mjs by `engine` (a name or several); `more` goes into its options. */
export async function does(job, engine, wait = waitings.sync, more = {}) {
  const { kind, algorithm, key, iv, aad, source } = job;
  const options = { engine, ...more };
  if (kind === 'hash')
    return {
      output: await wait('hash', algorithm, source, {
        ...options,
        ...(job.outputLength && { outputLength: job.outputLength }),
      }),
    };
  if (kind === 'hmac') return { output: await wait('hmac', algorithm, key, source, options) };
  if (!ciphers[algorithm].aead)
    return {
      output: await wait('cipher', algorithm, {
        ...options,
        encrypt: job.encrypt,
        key,
        iv,
        source,
      }),
    };
  if (!job.encrypt)
    return {
      output: await wait('open', algorithm, {
        ...options,
        key,
        nonce: iv,
        aad,
        source: Buffer.concat([source, job.tag]),
        authTagLength: job.tag.length,
      }),
    };
  const sealed = await wait('seal', algorithm, {
    ...options,
    key,
    nonce: iv,
    aad,
    source,
    authTagLength: job.tagSize,
  });
  return { output: sealed.subarray(0, source.length), tag: sealed.subarray(source.length) };
}
