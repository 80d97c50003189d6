// millrace/portable: an encoding decides the type of a digest, each function takes the options that
// its algorithm has.

import * as portable from 'millrace/portable';

import { is, isBigint, isBoolean, isNumber, isString, type Equal, type Expect } from './equal.mjs';

const isBytes = is<Uint8Array<ArrayBuffer>>();

const { blake3, createHmac, hmac, sha256, shake256, xxh3_64 } = portable;
const { aes_256_ctr, aes_256_gcm, timingSafeEqual, unwrapKey, wrapKey } = portable;
const { argon2, hkdf, pbkdf2, scrypt } = portable;

declare const bytes: Uint8Array;
declare const data: string | Uint8Array | DataView | SharedArrayBuffer;
declare const textual: 'hex' | 'base64' | 'base64url';
declare const seed: number | bigint;
declare const encoding: portable.Encoding;

// ---- hashes
isBytes(sha256(data));
isBytes(sha256(bytes, 'buffer'));
isString(sha256(bytes, 'hex'));
isString(sha256(bytes, textual));
is<`0x${string}`>()(sha256(bytes, '0xhex'));
isBigint(sha256(bytes, 'bigint'));
isString(sha256(bytes, { encoding: 'hex' }));
isBytes(sha256(bytes, {}));
is<string | bigint | Uint8Array<ArrayBuffer>>()(sha256(bytes, encoding));
isBytes(blake3(bytes, { key: bytes, outputLength: 64 }));
isBigint(blake3(bytes, { key: bytes, encoding: 'bigint' }));
isBytes(shake256(bytes, { outputLength: 64 }));
isBigint(xxh3_64(bytes, { seed, encoding: 'bigint' }));
isString(sha256.algorithm);
isNumber(sha256.outputLength);
isNumber(sha256.blockSize);
is<portable.HashFunction>()(sha256);
is<portable.HashFunction<portable.OutputOptions & portable.KeyOptions & portable.ContextOptions>>()(
  blake3,
);
is<portable.HashFunction<portable.SeedOptions>>()(xxh3_64);
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
is<portable.RunningHash>()(sha256.create());
is<portable.RunningHash>()(xxh3_64.create({ seed: 5 }));
is<portable.RunningHash>()(sha256.create().update('a').update(bytes).copy());
isBytes(sha256.create().digest());
isString(sha256.create().digest('hex'));
isBigint(sha256.create().digest('bigint'));
isBytes(shake256.create().squeeze(10));
isString(shake256.create().squeeze(10, 'base64'));
// @ts-expect-error sha256 takes no seed
sha256.create({ seed: 5 });
const running: portable.Running = sha256.create();
isString(running.algorithm);

// ---- hmac
isBytes(hmac(sha256, 'key', 'message'));
isString(hmac(sha256, bytes, bytes, 'hex'));
isBigint(hmac(blake3, bytes, bytes, { encoding: 'bigint' }));
is<portable.RunningHmac>()(createHmac(sha256, 'key').update('message').copy());
isString(createHmac(xxh3_64, 'key').digest('hex'));
// @ts-expect-error a function of this entry point, not a name
hmac('sha256', 'key', 'message');

// ---- ciphers
is<portable.Cipher>()(aes_256_ctr);
isBytes(aes_256_ctr.encrypt({ key: bytes, iv: bytes, source: 'text' }));
isBytes(aes_256_ctr.decrypt({ key: bytes, iv: bytes, source: bytes }));
is<portable.Aead>()(aes_256_gcm);
isBytes(
  aes_256_gcm.seal({ key: bytes, nonce: bytes, source: 'text', aad: 'aad', authTagLength: 12 }),
);
isBytes(aes_256_gcm.open({ key: bytes, nonce: bytes, source: bytes }));
// @ts-expect-error ciphertext is bytes
aes_256_gcm.open({ key: bytes, nonce: bytes, source: 'text' });
// @ts-expect-error an AEAD seals and opens
aes_256_gcm.encrypt({ key: bytes, iv: bytes, source: bytes });

// ---- derivation
isBytes(scrypt('password', bytes, 32));
isBytes(scrypt('password', bytes, 32, { N: 2 ** 15, maxmem: 2 ** 26 }));
isBytes(pbkdf2('password', bytes, 1000, 32, sha256));
isBytes(hkdf(sha256, bytes, '', 'info', 32));
isBytes(hkdf.extract(sha256, bytes, ''));
isBytes(hkdf.expand(sha256, bytes, 'info', 32));
isBytes(wrapKey('aes-128-kw', { key: bytes, source: bytes }));
isBytes(unwrapKey('aes-128-kw', { key: bytes, source: bytes }));
isBytes(argon2('argon2id', { message: 'password', nonce: bytes }));
isBoolean(timingSafeEqual(bytes, new ArrayBuffer(4)));
// @ts-expect-error no such Argon2
argon2('argon2', { message: 'password', nonce: bytes });
// @ts-expect-error a function of this entry point, not a name
pbkdf2('password', bytes, 1000, 32, 'sha256');

// ---- types that are handed on
export type Types = [
  Expect<Equal<portable.Digest<'hex'>, string>>,
  Expect<Equal<portable.Digest<'buffer'>, Uint8Array<ArrayBuffer>>>,
  Expect<Equal<portable.Digest<'bigint'>, bigint>>,
  Expect<Equal<portable.Data, portable.Bytes | string>>,
  Expect<Equal<typeof portable.default.sha256, typeof sha256>>,
];
export const codes = (error: portable.MillraceError): portable.ErrorCode => error.code;
type Given = portable.CipherOptions | portable.SealOptions | portable.OpenOptions;
export const given: [Given, portable.ScryptOptions, portable.Argon2Parameters][] = [];
