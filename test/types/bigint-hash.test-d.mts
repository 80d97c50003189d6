// Types of the drop-in entry points: the original package's code compiles, and more precisely.

import * as conversions from 'millrace/bigint-buffer';
import entryPoint, {
  getHasher,
  hashAsBigInt,
  hashAsBuffer,
  HashType,
  InputEncoding,
  KeccakHasher,
  OpensslHasher,
  OutputType,
  toBigIntBE,
  toBigIntLE,
  toBufferBE,
  toBufferLE,
  XxHasher,
} from 'millrace/bigint-hash';
import type { Hash, HashName } from 'millrace/bigint-hash';

import { is } from './equal.mjs';

declare const buffer: Buffer;
declare const octets: Uint8Array;
declare const view: DataView;
declare const name: string;
declare const output: OutputType;

is<bigint>()(hashAsBigInt(HashType.KECCAK256, buffer));
is<bigint>()(hashAsBigInt('keccak256', octets));
is<bigint>()(hashAsBigInt('SHA-256', view));
is<bigint>()(hashAsBigInt(name, buffer));
is<Buffer<ArrayBuffer>>()(hashAsBuffer(HashType.xxHash64, buffer));
is<Buffer<ArrayBuffer>>()(hashAsBuffer('blake3', octets));
is<typeof hashAsBigInt>()(entryPoint.hashAsBigInt);
is<HashType>()(HashType.SHA3_256);

const hasher = getHasher(HashType.SHA1);
is<Hash>()(hasher);
is<Hash>()(
  hasher
    .update('text')
    .update('text', InputEncoding.LATIN1)
    .update('00', 'hex')
    .update(octets)
    .update(view),
);
is<Buffer<ArrayBuffer>>()(hasher.digest());
is<Buffer<ArrayBuffer>>()(hasher.digest(OutputType.Buffer));
is<Buffer<ArrayBuffer>>()(hasher.digest('buffer'));
is<bigint>()(hasher.digest(OutputType.BigInt));
is<bigint>()(hasher.digest('bigint'));
is<Buffer<ArrayBuffer> | bigint>()(hasher.digest(output));
is<bigint>()(hasher.digestBigInt());
is<bigint>()(hasher.digestAsBigInt());
// As the original package's users had to write.
is<bigint>()(hasher.digest(OutputType.BigInt) as bigint);

is<Hash>()(new OpensslHasher(HashType.MD5) as Hash);
is<OpensslHasher>()(new OpensslHasher('md5').update('text'));
is<bigint>()(new KeccakHasher('keccak256').digest('bigint'));
is<number>()(OpensslHasher.getOpensslType(HashType.MD5));
is<number>()(KeccakHasher.getKeccakType('sha3-256'));
is<number>()(XxHasher.getXxHashType('xxHash32'));

const names: HashName[] = [HashType.MD5, 'md5', 'ripemd160', name];
is<HashName[]>()(names);

is<bigint>()(toBigIntBE(buffer));
is<bigint>()(toBigIntLE(octets));
is<Buffer<ArrayBuffer>>()(toBufferBE(1n, 32));
is<Buffer<ArrayBuffer>>()(toBufferLE(1n, 32));
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
