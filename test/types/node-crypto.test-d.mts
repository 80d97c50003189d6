// millrace/node-crypto has the types of node:crypto, classes included; millrace/register has none.

import type * as node from 'node:crypto';

import own, { createHash, scryptSync, type Hash, type KeyObject } from 'millrace/node-crypto';
import 'millrace/register';

import type { Equal } from './equal.mjs';

const whole: typeof node = own;
const hash: Hash = createHash('sha256', { outputLength: 32 });
const text: string = hash.update('abc').digest('hex');
const key: KeyObject = own.createSecretKey(scryptSync('p', 's', 32, { N: 1024 }));
const sameHash: Equal<typeof createHash, typeof node.createHash> = true;
// @ts-expect-error: an encoding that node:crypto does not have
createHash('sha256').digest('bigint');
// @ts-expect-error: node:crypto has no such function
own.createKey;

export { key, sameHash, text, whole };
