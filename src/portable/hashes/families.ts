/**
 * Each hash of the catalog, exported by its name with `_` for `-`, so that a bundle contains only
 * those it uses.
 */
import { _MD5, _RIPEMD160, _SHA1 } from '@noble/hashes/legacy.js';
import { _BLAKE2b } from '@noble/hashes/blake2.js';
import { _SHA384, _SHA512, _SHA512_224, _SHA512_256 } from '@noble/hashes/sha2.js';
import { Blake2 } from './blake2.js';
import { Blake2sCompression } from './blake2s.js';
import { Blake3 } from './blake3.js';
import type { PortableHash } from './contract.js';
import { Crc } from './crc.js';
import { KECCAK, SHA3, SHAKE, Sponge, TurboShake } from './keccak.js';
import { KangarooTwelve, ParallelHash } from './keccak-trees.js';
import { Md5Sha1 } from './md5-sha1.js';
import { MerkleDamgard } from './merkle-damgard.js';
import { CShake, Kmac, TupleHash } from './sp800-185.js';
import { FIRST_224, FIRST_256, Sha256Compression } from './sha256.js';
import { Xxh3 } from './xxh/xxh3.js';
import { Xxh32 } from './xxh/xxh32.js';
import { Xxh64 } from './xxh/xxh64.js';

export const md5: PortableHash = /* @__PURE__ */ new MerkleDamgard(/* @__PURE__ */ new _MD5());
export const sha1: PortableHash = /* @__PURE__ */ new MerkleDamgard(/* @__PURE__ */ new _SHA1());
export const ripemd160: PortableHash = /* @__PURE__ */ new MerkleDamgard(
  /* @__PURE__ */ new _RIPEMD160(),
);
export const md5_sha1: PortableHash = /* @__PURE__ */ new Md5Sha1(md5, sha1);

export const sha224: PortableHash = /* @__PURE__ */ new MerkleDamgard(
  /* @__PURE__ */ new Sha256Compression(FIRST_224, 28),
);
export const sha256: PortableHash = /* @__PURE__ */ new MerkleDamgard(
  /* @__PURE__ */ new Sha256Compression(FIRST_256, 32),
);
export const sha384: PortableHash = /* @__PURE__ */ new MerkleDamgard(
  /* @__PURE__ */ new _SHA384(),
);
export const sha512: PortableHash = /* @__PURE__ */ new MerkleDamgard(
  /* @__PURE__ */ new _SHA512(),
);
export const sha512_224: PortableHash = /* @__PURE__ */ new MerkleDamgard(
  /* @__PURE__ */ new _SHA512_224(),
);
export const sha512_256: PortableHash = /* @__PURE__ */ new MerkleDamgard(
  /* @__PURE__ */ new _SHA512_256(),
);

export const sha3_224: PortableHash = /* @__PURE__ */ new Sponge(144, SHA3);
export const sha3_256: PortableHash = /* @__PURE__ */ new Sponge(136, SHA3);
export const sha3_384: PortableHash = /* @__PURE__ */ new Sponge(104, SHA3);
export const sha3_512: PortableHash = /* @__PURE__ */ new Sponge(72, SHA3);
export const keccak224: PortableHash = /* @__PURE__ */ new Sponge(144, KECCAK);
export const keccak256: PortableHash = /* @__PURE__ */ new Sponge(136, KECCAK);
export const keccak384: PortableHash = /* @__PURE__ */ new Sponge(104, KECCAK);
export const keccak512: PortableHash = /* @__PURE__ */ new Sponge(72, KECCAK);
export const shake128: PortableHash = /* @__PURE__ */ new Sponge(168, SHAKE);
export const shake256: PortableHash = /* @__PURE__ */ new Sponge(136, SHAKE);

export const cshake128: PortableHash = /* @__PURE__ */ new CShake(168);
export const cshake256: PortableHash = /* @__PURE__ */ new CShake(136);
export const kmac128: PortableHash = /* @__PURE__ */ new Kmac(168, false);
export const kmac256: PortableHash = /* @__PURE__ */ new Kmac(136, false);
export const kmacxof128: PortableHash = /* @__PURE__ */ new Kmac(168, true);
export const kmacxof256: PortableHash = /* @__PURE__ */ new Kmac(136, true);
export const tuplehash128: PortableHash = /* @__PURE__ */ new TupleHash(168, false);
export const tuplehash256: PortableHash = /* @__PURE__ */ new TupleHash(136, false);
export const tuplehashxof128: PortableHash = /* @__PURE__ */ new TupleHash(168, true);
export const tuplehashxof256: PortableHash = /* @__PURE__ */ new TupleHash(136, true);
export const parallelhash128: PortableHash = /* @__PURE__ */ new ParallelHash(168, 32, false);
export const parallelhash256: PortableHash = /* @__PURE__ */ new ParallelHash(136, 64, false);
export const parallelhashxof128: PortableHash = /* @__PURE__ */ new ParallelHash(168, 32, true);
export const parallelhashxof256: PortableHash = /* @__PURE__ */ new ParallelHash(136, 64, true);
export const turboshake128: PortableHash = /* @__PURE__ */ new TurboShake(168);
export const turboshake256: PortableHash = /* @__PURE__ */ new TurboShake(136);
export const kt128: PortableHash = /* @__PURE__ */ new KangarooTwelve(168, 32);
export const kt256: PortableHash = /* @__PURE__ */ new KangarooTwelve(136, 64);

export const blake2b512: PortableHash = /* @__PURE__ */ new Blake2(/* @__PURE__ */ new _BLAKE2b());
export const blake2s256: PortableHash = /* @__PURE__ */ new Blake2(
  /* @__PURE__ */ new Blake2sCompression(),
);
export const blake3: PortableHash = /* @__PURE__ */ new Blake3();

/** Not cryptographic. */
export const xxh32: PortableHash = /* @__PURE__ */ new Xxh32();
export const xxh64: PortableHash = /* @__PURE__ */ new Xxh64();
export const xxh3_64: PortableHash = /* @__PURE__ */ new Xxh3(false);
export const xxh3_128: PortableHash = /* @__PURE__ */ new Xxh3(true);
export const crc32: PortableHash = /* @__PURE__ */ new Crc(4, 0xedb88320);
export const crc32c: PortableHash = /* @__PURE__ */ new Crc(4, 0x82f63b78);
export const crc64nvme: PortableHash = /* @__PURE__ */ new Crc(8, 0xac4bc9b5, 0x9a6c9329);

/** The hashes whose compression function is that of @noble/hashes; the others are our own. */
export const NOBLE_COMPRESSION: readonly string[] = [
  'md5',
  'sha1',
  'md5-sha1',
  'ripemd160',
  'sha384',
  'sha512',
  'sha512-224',
  'sha512-256',
  'blake2b512',
];
