// Runs one job on one engine in each call style. Returns `{ output, tag? }`, or throws.

import millrace from 'millrace';
import promises from 'millrace/promises';

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

/** Does a job of entry-points.mjs by `engine` (a name or several). */
export async function does(job, engine, wait = waitings.sync) {
  const { kind, algorithm, key, iv, aad, source, encrypt, tag, tagSize } = job;
  if (kind === 'hash') return { output: await wait('hash', algorithm, source, { engine }) };
  if (kind === 'hmac') return { output: await wait('hmac', algorithm, key, source, { engine }) };
  if (aad === undefined)
    return { output: await wait('cipher', algorithm, { engine, encrypt, key, iv, source }) };
  const given = { engine, key, nonce: iv, aad, authTagLength: tagSize ?? tag.length };
  if (!encrypt)
    return {
      output: await wait('open', algorithm, { ...given, source: Buffer.concat([source, tag]) }),
    };
  const sealed = await wait('seal', algorithm, { ...given, source });
  return { output: sealed.subarray(0, source.length), tag: sealed.subarray(source.length) };
}
