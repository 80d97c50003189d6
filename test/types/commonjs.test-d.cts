// The same types by require.

import millrace = require('millrace');
import promises = require('millrace/promises');
import cryptoAsync = require('millrace/crypto-async');
import bigintHash = require('millrace/bigint-hash');
import bigintHashNode = require('millrace/bigint-hash/dist/node.js');
import bigintBuffer = require('millrace/bigint-buffer');

const digest: Buffer = millrace.hash('sha256', 'text');
const text: string = millrace.hash('sha256', digest, 'hex');
const promised: Promise<bigint> = promises.hash('sha256', text, 'bigint');
const written: number = cryptoAsync.hash('sha256', digest, 0, 32, Buffer.alloc(32), 0);
const nothing: void = millrace.hash(
  'sha256',
  text,
  (error: Error | null, result: Buffer) => void [error, result],
);
const error: millrace.MillraceError = new millrace.MillraceError('ERR_ENGINE', 'made by hand');

const number: bigint = bigintHash.hashAsBigInt(
  bigintHash.HashType.SHA256,
  bigintBuffer.toBufferBE(1n, 32),
);
const same: typeof bigintHash.getHasher = bigintHashNode.getHasher;

// @ts-expect-error a Buffer is not a string
const wrong: string = millrace.hash('sha256', 'text');

export = [promised, written, nothing, error, number, same, wrong];
