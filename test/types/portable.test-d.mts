// millrace/portable: an encoding decides the type of a digest, each function takes the options that
// its algorithm has.

import entryPoint, {
  aes_256_ctr,
  aes_256_gcm,
  argon2,
  blake3,
  createHmac,
  hkdf,
  unwrapKey,
  wrapKey,
  hmac,
  MillraceError,
  pbkdf2,
  scrypt,
  sha256,
  shake256,
  timingSafeEqual,
  xxh3_64,
} from 'millrace/portable';
import type {
  Aead,
  Argon2Parameters,
  Bytes,
  Cipher,
  CipherOptions,
  Data,
  Digest,
  Encoding,
  ErrorCode,
  HashFunction,
  ContextOptions,
  KeyOptions,
  OpenOptions,
  OutputOptions,
  Running,
  RunningHash,
  RunningHmac,
  ScryptOptions,
  SealOptions,
  SeedOptions,
} from 'millrace/portable';

import { is, type Equal, type Expect } from './equal.mjs';

declare const bytes: Uint8Array;
declare const encoding: Encoding;

// ---- hashes
is<Uint8Array<ArrayBuffer>>()(sha256('text'));
is<Uint8Array<ArrayBuffer>>()(sha256(bytes));
is<Uint8Array<ArrayBuffer>>()(sha256(new DataView(new ArrayBuffer(4))));
is<Uint8Array<ArrayBuffer>>()(sha256(new SharedArrayBuffer(4)));
is<Uint8Array<ArrayBuffer>>()(sha256(bytes, 'buffer'));
is<string>()(sha256(bytes, 'hex'));
is<string>()(sha256(bytes, 'base64'));
is<string>()(sha256(bytes, 'base64url'));
is<`0x${string}`>()(sha256(bytes, '0xhex'));
is<bigint>()(sha256(bytes, 'bigint'));
is<string>()(sha256(bytes, { encoding: 'hex' }));
is<Uint8Array<ArrayBuffer>>()(sha256(bytes, {}));
is<string | bigint | Uint8Array<ArrayBuffer>>()(sha256(bytes, encoding));
is<Uint8Array<ArrayBuffer>>()(blake3(bytes, { key: bytes, outputLength: 64 }));
is<bigint>()(blake3(bytes, { key: bytes, encoding: 'bigint' }));
is<Uint8Array<ArrayBuffer>>()(shake256(bytes, { outputLength: 64 }));
is<bigint>()(xxh3_64(bytes, { seed: 1n, encoding: 'bigint' }));
is<bigint>()(xxh3_64(bytes, { seed: 1, encoding: 'bigint' }));
is<string>()(sha256.algorithm);
is<number>()(sha256.outputLength);
is<number>()(sha256.blockSize);
is<HashFunction>()(sha256);
is<HashFunction<OutputOptions & KeyOptions & ContextOptions>>()(blake3);
is<HashFunction<SeedOptions>>()(xxh3_64);
// @ts-expect-error no encoding of that name
sha256(bytes, 'utf8');
// @ts-expect-error a number is not bytes
sha256(5);
// @ts-expect-error sha256 takes no seed
sha256(bytes, { seed: 1 });
// @ts-expect-error xxh3 takes no key
xxh3_64(bytes, { key: bytes });
// @ts-expect-error there is no target at this entry point
sha256(bytes, { target: bytes });

// ---- incremental
is<RunningHash>()(sha256.create());
is<RunningHash>()(xxh3_64.create({ seed: 5 }));
is<RunningHash>()(sha256.create().update('a').update(bytes).copy());
is<Uint8Array<ArrayBuffer>>()(sha256.create().digest());
is<string>()(sha256.create().digest('hex'));
is<bigint>()(sha256.create().digest('bigint'));
is<Uint8Array<ArrayBuffer>>()(shake256.create().squeeze(10));
is<string>()(shake256.create().squeeze(10, 'base64'));
// @ts-expect-error sha256 takes no seed
sha256.create({ seed: 5 });
const running: Running = sha256.create();
is<string>()(running.algorithm);

// ---- hmac
is<Uint8Array<ArrayBuffer>>()(hmac(sha256, 'key', 'message'));
is<string>()(hmac(sha256, bytes, bytes, 'hex'));
is<bigint>()(hmac(blake3, bytes, bytes, { encoding: 'bigint' }));
is<RunningHmac>()(createHmac(sha256, 'key').update('message').copy());
is<string>()(createHmac(xxh3_64, 'key').digest('hex'));
// @ts-expect-error a function of this entry point, not a name
hmac('sha256', 'key', 'message');

// ---- ciphers
is<Cipher>()(aes_256_ctr);
is<Uint8Array<ArrayBuffer>>()(aes_256_ctr.encrypt({ key: bytes, iv: bytes, source: 'text' }));
is<Uint8Array<ArrayBuffer>>()(aes_256_ctr.decrypt({ key: bytes, iv: bytes, source: bytes }));
is<Aead>()(aes_256_gcm);
is<Uint8Array<ArrayBuffer>>()(
  aes_256_gcm.seal({ key: bytes, nonce: bytes, source: 'text', aad: 'aad', authTagLength: 12 }),
);
is<Uint8Array<ArrayBuffer>>()(aes_256_gcm.open({ key: bytes, nonce: bytes, source: bytes }));
// @ts-expect-error ciphertext is bytes
aes_256_gcm.open({ key: bytes, nonce: bytes, source: 'text' });
// @ts-expect-error an AEAD seals and opens
aes_256_gcm.encrypt({ key: bytes, iv: bytes, source: bytes });

// ---- derivation
is<Uint8Array<ArrayBuffer>>()(scrypt('password', bytes, 32));
is<Uint8Array<ArrayBuffer>>()(scrypt('password', bytes, 32, { N: 2 ** 15, maxmem: 2 ** 26 }));
is<Uint8Array<ArrayBuffer>>()(pbkdf2('password', bytes, 1000, 32, sha256));
is<Uint8Array<ArrayBuffer>>()(hkdf(sha256, bytes, '', 'info', 32));
is<Uint8Array<ArrayBuffer>>()(hkdf.extract(sha256, bytes, ''));
is<Uint8Array<ArrayBuffer>>()(hkdf.expand(sha256, bytes, 'info', 32));
is<Uint8Array<ArrayBuffer>>()(wrapKey('aes-128-kw', { key: bytes, source: bytes }));
is<Uint8Array<ArrayBuffer>>()(unwrapKey('aes-128-kw', { key: bytes, source: bytes }));
is<Uint8Array<ArrayBuffer>>()(argon2('argon2id', { message: 'password', nonce: bytes }));
is<boolean>()(timingSafeEqual(bytes, new ArrayBuffer(4)));
// @ts-expect-error no such Argon2
argon2('argon2', { message: 'password', nonce: bytes });
// @ts-expect-error a function of this entry point, not a name
pbkdf2('password', bytes, 1000, 32, 'sha256');

// ---- types that are handed on
export type Types = [
  Expect<Equal<Digest<'hex'>, string>>,
  Expect<Equal<Digest<'buffer'>, Uint8Array<ArrayBuffer>>>,
  Expect<Equal<Digest<'bigint'>, bigint>>,
  Expect<Equal<Data, Bytes | string>>,
  Expect<Equal<typeof entryPoint.sha256, typeof sha256>>,
];
export const codes = (error: MillraceError): ErrorCode => error.code;
export const given:
  [CipherOptions, SealOptions, OpenOptions, ScryptOptions, Argon2Parameters] | undefined =
  undefined;
