// A thread that answers with digests, or says that work is in flight and is left with it.

import { parentPort, workerData } from 'node:worker_threads';

import { pattern, toHex } from './bytes.mjs';
import { openEntryPoints } from './host.mjs';

const { where, options, leave } = workerData;
const { millrace, promises } = await openEntryPoints(where);

if (leave) {
  for (let index = 0; index < 50; index++)
    promises.hash('sha256', pattern(200_000), options).catch(() => {});
  promises.scrypt('password', 'salt', 32, { N: 2 ** 15, maxmem: 2 ** 28 }).catch(() => {});
  parentPort.postMessage('in flight');
} else {
  const digest = millrace.hash('sha256', pattern(300_000), { ...options, encoding: 'hex' });
  parentPort.postMessage({
    digest,
    long: toHex(await promises.hash('blake3', pattern(3_000_000), options)),
  });
}
