// Types of the drop-in entry points: the original package's code compiles, and more precisely.

import * as conversions from 'millrace/bigint-buffer';
import * as entryPoint from 'millrace/bigint-hash';

import { is, isBigint, isNumber } from './equal.mjs';

const isHash = is<entryPoint.Hash>();
const isBuffer = is<Buffer<ArrayBuffer>>();

const { getHasher, hashAsBigInt, hashAsBuffer, HashType, InputEncoding } = entryPoint;
const { KeccakHasher, OpensslHasher, OutputType, XxHasher } = entryPoint;
const { toBigIntBE, toBigIntLE, toBufferBE, toBufferLE } = entryPoint;

declare const buffer: Buffer;
declare const octets: Uint8Array;
declare const view: DataView;
declare const name: string;
declare const output: entryPoint.OutputType;

isBigint(hashAsBigInt(HashType.KECCAK256, buffer));
isBigint(hashAsBigInt('keccak256', octets));
isBigint(hashAsBigInt('SHA-256', view));
isBigint(hashAsBigInt(name, buffer));
isBuffer(hashAsBuffer(HashType.xxHash64, buffer));
isBuffer(hashAsBuffer('blake3', octets));
is<typeof hashAsBigInt>()(entryPoint.default.hashAsBigInt);
is<entryPoint.HashType>()(HashType.SHA3_256);

const hasher = getHasher(HashType.SHA1);
isHash(hasher);
isHash(hasher.update('text').update('text', InputEncoding.LATIN1).update('00', 'hex'));
isHash(hasher.update(octets).update(view));
isBuffer(hasher.digest());
isBuffer(hasher.digest(OutputType.Buffer));
isBuffer(hasher.digest('buffer'));
isBigint(hasher.digest(OutputType.BigInt));
isBigint(hasher.digest('bigint'));
is<Buffer<ArrayBuffer> | bigint>()(hasher.digest(output));
isBigint(hasher.digestBigInt());
isBigint(hasher.digestAsBigInt());
// As the original package's users had to write.
isBigint(hasher.digest(OutputType.BigInt) as bigint);

isHash(new OpensslHasher(HashType.MD5) as entryPoint.Hash);
is<entryPoint.OpensslHasher>()(new OpensslHasher('md5').update('text'));
isBigint(new KeccakHasher('keccak256').digest('bigint'));
isNumber(OpensslHasher.getOpensslType(HashType.MD5));
isNumber(KeccakHasher.getKeccakType('sha3-256'));
isNumber(XxHasher.getXxHashType('xxHash32'));

const names: entryPoint.HashName[] = [HashType.MD5, 'md5', 'ripemd160', name];
is<entryPoint.HashName[]>()(names);

isBigint(toBigIntBE(buffer));
isBigint(toBigIntLE(octets));
isBuffer(toBufferBE(1n, 32));
isBuffer(toBufferLE(1n, 32));
is<typeof toBigIntBE>()(conversions.toBigIntBE);

// @ts-expect-error one-shots take no text
hashAsBigInt(HashType.MD5, 'text');
// @ts-expect-error nor a bare ArrayBuffer
hashAsBuffer(HashType.MD5, new ArrayBuffer(4));
// @ts-expect-error the original package had no hex
hasher.digest('hex');
// @ts-expect-error nor numbers for BigInts
toBufferBE(1, 32);
// @ts-expect-error a width must be given
toBufferBE(1n);
// @ts-expect-error the algorithm must be named
getHasher();
