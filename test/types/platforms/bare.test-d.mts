// Programs without @types/node, with the DOM's types and without: every entry point but
// millrace/node-crypto, whose types are those of node:crypto.

import * as millrace from 'millrace';
import * as bigintBuffer from 'millrace/bigint-buffer';
import * as bigintHash from 'millrace/bigint-hash';
import * as cryptoAsync from 'millrace/crypto-async';
import * as ethers from 'millrace/ethers';
import * as javascript from 'millrace/javascript';
import * as nobleCiphers from 'millrace/noble-ciphers';
import * as nobleHashes from 'millrace/noble-hashes';
import * as portable from 'millrace/portable';
import * as promises from 'millrace/promises';
import 'millrace/register';
import 'millrace/register-webcrypto';
import * as webcrypto from 'millrace/webcrypto';

import { is, isString } from '../equal.mjs';

declare const bytes: Uint8Array;
/** `Uint8Array<ArrayBuffer>`, and Uint8Array before TypeScript 5.7. */
type Result = ReturnType<Uint8Array['slice']>;

is<Result>()(millrace.hash('sha256', bytes));
isString(millrace.hash('sha256', bytes, 'hex'));
is<Result>()(millrace.createHash('sha256').update(bytes).digest());
is<Promise<Result>>()(promises.hash('sha256', bytes));
is<Promise<bigint>>()(promises.hashFile('sha256', 'file', 'bigint'));
is<Result>()(portable.sha256(bytes));
is<Result>()(bigintHash.hashAsBuffer('sha256', bytes));
is<Result>()(bigintBuffer.toBufferLE(1n, 2));
is<Result>()(cryptoAsync.hash('sha256', bytes));
is<Result>()(nobleHashes.v2.sha2.sha256(bytes));
is<Result>()(nobleCiphers.v2.aes.gcm(bytes, bytes).encrypt(bytes));
is<string[]>()(ethers.register());
export const others = [javascript, webcrypto];
// @ts-expect-error a key is not a number
millrace.createKey('hmac-sha256', 7);
// @ts-expect-error nor is a message
promises.hash('sha256', 7);
