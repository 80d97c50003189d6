// Overloads of `millrace`: with a callback nothing is returned, without one the result is; an
// encoding decides the type of a digest, a target turns the result into a number.

import { createSecretKey, type KeyObject } from 'node:crypto';
import { PassThrough, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';

import * as millrace from 'millrace';

import { is, isBigint, isBoolean, isNumber, isString, isVoid } from './equal.mjs';
import type { Equal, Expect } from './equal.mjs';

const isHash = is<millrace.Hash>();
const isHmac = is<millrace.Hmac>();
const isError = is<millrace.MillraceError | NodeJS.ErrnoException | null>();
const isHex = is<`0x${string}`>();
const isBuffer = is<Buffer<ArrayBuffer>>();
const isBuffers = is<Buffer<ArrayBuffer>[]>();
const isHexes = is<`0x${string}`[]>();
const isDone = is<Promise<void>>();
const isBufferLater = is<Promise<Buffer<ArrayBuffer>>>();
const isStrings = is<string[]>();
const isBigints = is<bigint[]>();

const { createHash, createHmac, hash, hashMany, hashPairs, hmac, hmacMany } = millrace;
const { cipher, createCipher, createDecipher, open, seal, unwrapKey, wrapKey } = millrace;
const { argon2, hashPassword, hkdf, needsRehash, pbkdf2, scrypt, verifyPassword } = millrace;
const { configure, createKey, engines, generateKey, randomBytes, timingSafeEqual } = millrace;

declare const key: Uint8Array;
declare const iv: Buffer;
declare const bytes: Buffer;
declare const target: Buffer;
declare const data: string | DataView | ArrayBuffer | SharedArrayBuffer | Float64Array | Buffer;
declare const textual: 'hex' | 'base64' | 'base64url';
declare const seed: number | bigint;
declare const anyKey: string | Uint8Array | millrace.Key | KeyObject;
const sealing = { key, nonce: iv, source: bytes };
const ciphering = { encrypt: true, key, iv, source: bytes };

// ---- hash
isBuffer(hash('sha256', data));
isBuffer(hash('sha256', bytes, 'buffer'));
isString(hash('sha256', bytes, 'hex'));
isString(hash('sha256', bytes, textual));
isHex(hash('keccak256', bytes, '0xhex'));
isHex(hash('keccak256', bytes, { encoding: '0xhex' }));
isHexes(hashMany('keccak256', [bytes], '0xhex'));
isHex(createHash('sha256').digest('0xhex'));
isBigint(hash('sha256', bytes, 'bigint'));
isBuffer(hash('blake3', bytes, { outputLength: 64, key }));
isBuffer(hash('xxh64', bytes, { seed }));
isString(hash('blake3', bytes, { encoding: 'hex', outputLength: 64 }));
isBigint(hash('xxh64', bytes, { encoding: 'bigint', seed: 1 }));
isNumber(hash('sha256', bytes, { target }));
isNumber(hash('sha256', bytes, { target, targetOffset: 4 }));
isVoid(hash('sha256', bytes, (_error, digest) => isBuffer(digest)));
isVoid(hash('sha256', bytes, 'hex', (_error, digest) => isString(digest)));
isVoid(hash('sha256', bytes, 'hex', (error) => isError(error)));
isVoid(hash('sha256', bytes, 'bigint', (_error, digest) => isBigint(digest)));
isVoid(hash('shake128', bytes, { outputLength: 4 }, (_error, digest) => isBuffer(digest)));
isVoid(hash('sha256', bytes, { encoding: 'base64' }, (_error, digest) => isString(digest)));
isVoid(hash('sha256', bytes, { target }, (_error, written) => isNumber(written)));

// @ts-expect-error an algorithm is a string
hash(256, bytes);
// @ts-expect-error data is not a number
hash('sha256', 5);
// @ts-expect-error data is needed
hash('sha256');
// @ts-expect-error no such encoding
hash('sha256', bytes, 'utf8');
// @ts-expect-error no such encoding
hash('sha256', bytes, { encoding: 'latin1' });
// @ts-expect-error a seed is not a string
hash('xxh64', bytes, { seed: '1' });
// @ts-expect-error a window takes bytes, not text
hash('sha256', 'text', 0, 4, target, 0);
// @ts-expect-error a target needs an offset in the window form
hash('sha256', bytes, 0, 4, target);
// @ts-expect-error an offset is a number
hash('sha256', bytes, '0', 4, target, 0);
// @ts-expect-error a callback is a function
hash('sha256', bytes, 'hex', {});
// @ts-expect-error the digest of a hex call is a string
hash('sha256', bytes, 'hex', (_error: Error | null, _digest: Buffer) => {});

// ---- hmac
isBuffer(hmac('sha256', key, bytes));
isBuffer(hmac('sha256', anyKey, data));
isString(hmac('sha256', key, bytes, 'hex'));
isBigint(hmac('sha256', key, bytes, 'bigint'));
isString(hmac('sha256', key, bytes, { encoding: 'base64url' }));
isNumber(hmac('sha256', key, bytes, { target, targetOffset: 3 }));
isVoid(hmac('sha256', key, bytes, (_error, mac) => isBuffer(mac)));
isVoid(hmac('sha256', key, bytes, 'hex', (_error, mac) => isString(mac)));
isVoid(hmac('sha256', key, bytes, { target }, (_error, written) => isNumber(written)));

// @ts-expect-error a key is needed
hmac('sha256', bytes);
// @ts-expect-error a key is not a number
hmac('sha256', 5, bytes);
// @ts-expect-error one number too few
hmac('sha256', key, 0, 4, bytes, 0, 4, target);

// ---- seal and open
isBuffer(seal('aes-256-gcm', { key, nonce: iv, source: 'text' }));
isBuffer(seal('aes-256-gcm', { ...sealing, aad: 'aad', authTagLength: 12 }));
isBuffer(seal('aes-256-gcm', { key: createKey('aes-256-gcm', key), nonce: iv, source: bytes }));
isNumber(seal('aes-256-gcm', { ...sealing, target, targetOffset: 1 }));
isVoid(seal('aes-256-gcm', sealing, (_error, sealed) => isBuffer(sealed)));
isVoid(seal('aes-256-gcm', { ...sealing, target }, (_error, written) => isNumber(written)));
isBuffer(open('aes-256-gcm', sealing));
isNumber(open('aes-256-gcm', { ...sealing, target }));
isVoid(open('aes-256-gcm', sealing, (_error, message) => isBuffer(message)));
isVoid(open('aes-256-gcm', { ...sealing, target }, (_error, written) => isNumber(written)));

isBuffer(seal('xchacha20-poly1305', { key, source: bytes }));
isBuffer(open('xchacha20-poly1305', { key, source: bytes }));
// @ts-expect-error a key is needed
seal('aes-256-gcm', { nonce: iv, source: bytes });
// @ts-expect-error a source is needed
open('aes-256-gcm', { key, nonce: iv });
// @ts-expect-error a key is not text
seal('aes-256-gcm', { key: 'key', nonce: iv, source: bytes });
// @ts-expect-error what is opened is bytes, not text
open('aes-256-gcm', { key, nonce: iv, source: 'text' });
// @ts-expect-error there is no such option
seal('aes-256-gcm', { ...sealing, tagSize: 16 });
// @ts-expect-error a separate tag is for cipher
seal('aes-256-gcm', { ...sealing, tag: target });
// @ts-expect-error the signal is for the promises
seal('aes-256-gcm', { ...sealing, signal: new AbortController().signal });

// ---- routes
isVoid(hash('sha256', bytes, { route: 'pool' }, (_error, digest) => isBuffer(digest)));
isVoid(hash('sha256', bytes, { target, route: 'split' }, (_error, written) => isNumber(written)));
isVoid(hmac('sha256', key, bytes, { route: 'auto' }, (_error, mac) => isBuffer(mac)));
isVoid(seal('aes-256-gcm', { ...sealing, route: 'split' }, (_error, sealed) => isBuffer(sealed)));
const anyRoute = { ...sealing, target, route: undefined };
isVoid(open('aes-256-gcm', anyRoute, (_error, written) => isNumber(written)));
isVoid(cipher('aes-256-ctr', { ...ciphering, route: 'pool' }, (_error, text) => isBuffer(text)));
const pooled = { encoding: 'hex', route: 'pool' } as const;
isVoid(hash('sha256', bytes, pooled, (_error, digest) => isString(digest)));
isVoid(hashMany('sha256', ['text'], pooled, (_error, digests) => isStrings(digests)));
is<'auto' | 'inline' | 'pool' | 'split'>()(configure().route);
is<millrace.RouteName>()(configure().route);
isNumber(configure({ route: 'split', maxQueuedBytes: 2 ** 28 }).maxQueuedBytes);
is<number | undefined>()(engines().costs['sha256']?.splitFrom);
isBoolean(engines().costs['sha256']!.measured);
isNumber(engines().queuedBytes);

// @ts-expect-error a synchronous call takes no route
hash('sha256', bytes, { route: 'pool' });
// @ts-expect-error a synchronous call takes no route
seal('aes-256-gcm', { ...sealing, route: 'pool' });
// @ts-expect-error there is no such route
seal('aes-256-gcm', { ...sealing, route: 'fast' }, () => {});
// @ts-expect-error a route is a name
configure({ route: 1 });

// ---- cipher
isBuffer(cipher('aes-256-ctr', ciphering));
isBuffer(cipher('aes-256-ctr', { encrypt: 0, key, iv, source: 'text' }));
isBuffer(cipher('aes-256-gcm', { ...ciphering, aad: bytes, tag: target }));
isNumber(cipher('aes-256-ctr', { ...ciphering, target }));
isBuffer(cipher('aes-256-ctr', 1, key, iv, bytes));
isBuffer(cipher('aes-256-ctr', true, createKey('aes-256-ctr', key), iv, bytes));
isBuffer(cipher('aes-256-gcm', 1, key, iv, bytes, bytes, target));
isVoid(cipher('aes-256-ctr', ciphering, (_error, text) => isBuffer(text)));
isVoid(cipher('aes-256-ctr', { ...ciphering, target }, (_error, written) => isNumber(written)));
isVoid(cipher('aes-256-ctr', 1, key, iv, bytes, (_error, text) => isBuffer(text)));
isVoid(cipher('aes-256-gcm', 1, key, iv, bytes, bytes, target, (_error, text) => isBuffer(text)));

// @ts-expect-error encrypt is a boolean, 0 or 1
cipher('aes-256-ctr', 2, key, iv, bytes);
// @ts-expect-error encrypt is needed
cipher('aes-256-ctr', { key, iv, source: bytes });
// @ts-expect-error an aad without a tag
cipher('aes-256-gcm', 1, key, iv, bytes, bytes);
// @ts-expect-error no form has twelve arguments
cipher('aes-256-ctr', 1, key, 0, 32, iv, 0, 16, bytes, 0, 4, target);
// @ts-expect-error a key is not text
cipher('aes-256-ctr', 1, 'key', iv, bytes);

// ---- keys
is<millrace.Key>()(createKey('aes-256-gcm', key));
isString(createKey('hmac-sha1', 'text').algorithm);
isNumber(createKey('hmac-sha1', 'text').size);
isBoolean(createKey('hmac-sha1', 'text').disposed);
isVoid(createKey('hmac-sha1', 'text').dispose());
{
  using scoped = createKey('blake3', key);
  is<millrace.Key>()(scoped);
}
// @ts-expect-error a key's algorithm is not to be changed
createKey('hmac-sha1', 'text').algorithm = 'sha256';
// @ts-expect-error a key is made of something
createKey('hmac-sha1');

// ---- hashers
const hasher = createHash('sha256');
isHash(hasher);
isHash(createHash('shake128', { outputLength: 4, highWaterMark: 5 }));
isHash(createHash('xxh64', { seed, state: bytes }));
isHash(createHash('blake3', { key: createKey('blake3', bytes) }));
isHmac(createHmac('sha256', anyKey));
isHmac(createHmac('sha256', bytes, { state: bytes, encoding: 'hex' }));
isHash(hasher.update(data));
isHash(hasher.update('text', 'latin1'));
isHash(hasher.update(bytes, 0, 4));
isHash(hasher.update(bytes, 0, 4, (error) => isError(error)));
isHash(hasher.update('text', 'hex', (error) => isError(error)));
isHash(hasher.update(bytes, () => {}));
isHmac(createHmac('sha256', 'key').update(bytes));
isDone(hasher.updateAsync('text'));
isDone(hasher.updateAsync('text', 'base64'));
isDone(hasher.updateAsync(bytes, 0, 4));
isBuffer(hasher.digest());
isBuffer(hasher.digest('buffer'));
isString(hasher.digest('hex'));
isString(hasher.digest('latin1'));
isBigint(hasher.digest('bigint'));
isVoid(hasher.digest((_error, digest) => isBuffer(digest)));
isVoid(hasher.digest('hex', (_error, digest) => isString(digest)));
isVoid(hasher.digest('bigint', (_error, digest) => isBigint(digest)));
isBufferLater(hasher.digestAsync());
is<Promise<string>>()(hasher.digestAsync('hex'));
is<Promise<bigint>>()(hasher.digestAsync('bigint'));
isNumber(hasher.digestInto(target));
isNumber(hasher.digestInto(new ArrayBuffer(40), 4));
isHash(hasher.copy());
isHash(hasher.copy({ outputLength: 4, highWaterMark: 5 }));
isHmac(createHmac('sha256', 'key').copy());
isHash(hasher.reset());
isBuffer(hasher.exportState());
isBuffer(hasher.squeeze(4));
isString(hasher.squeeze(4, 'hex'));
isBigint(hasher.squeeze(4, 'bigint'));
isNumber(hasher.squeezeInto(target, 0, 4));
isString(hasher.algorithm);
isNumber(hasher.outputLength);
isNumber(hasher.blockSize);
is<PassThrough>()(hasher.pipe(new PassThrough()));
isDone(pipeline(new PassThrough(), hasher, new PassThrough()));
const transform: Transform = hasher;
const either: millrace.Hasher = Math.random() < 0.5 ? hasher : createHmac('sha256', 'key');
isString(either.digest('hex'));
transform.end();

// @ts-expect-error hashers are made by createHash
new millrace.Hash('sha256');
// @ts-expect-error hashers are made by createHmac
new millrace.Hmac();
// @ts-expect-error an HMAC has one size
createHmac('sha256', 'key').squeeze(4);
// @ts-expect-error a key is needed
createHmac('sha256');
// @ts-expect-error a state is bytes
createHash('sha256', { state: 'text' });
// @ts-expect-error data is needed
hasher.update();
// @ts-expect-error data is not a number
hasher.update(5);
// @ts-expect-error no such encoding
hasher.update('text', 'bigint');
// @ts-expect-error a window has a size
hasher.update(bytes, 0);
// @ts-expect-error a window takes bytes, not text
hasher.update('text', 0, 4);
// @ts-expect-error no such encoding
hasher.digest('klingon');
// @ts-expect-error a property to be read
hasher.algorithm = 'md5';
type _DigestEncodings = Expect<Equal<millrace.DigestEncoding, millrace.Encoding | BufferEncoding>>;

// ---- files
const path = new URL('file:///a');
isBuffers(millrace.hashFiles('sha256', ['a', path, bytes as Buffer]));
isStrings(millrace.hashFiles('sha256', new Set(['a']), 'hex'));
isHexes(millrace.hashFiles('sha256', ['a'], '0xhex'));
isBigints(millrace.hashFiles('blake3', ['a'], { encoding: 'bigint', key: 'k' as never }));
is<(string | millrace.FileError)[]>()(
  millrace.hashFiles('sha256', ['a'], { encoding: 'hex', errors: 'return' }),
);
isVoid(millrace.hashFiles('sha256', ['a'], (_error, digests) => isBuffers(digests)));
isVoid(millrace.hashFiles('sha256', ['a'], 'hex', (_error, all) => isStrings(all)));
isVoid(
  millrace.hashFiles('sha256', ['a'], { errors: 'return' }, (_error, digests) =>
    is<(Buffer<ArrayBuffer> | millrace.FileError)[]>()(digests),
  ),
);
// @ts-expect-error: one path is not many
millrace.hashFiles('sha256', 5);
// @ts-expect-error: a target has no room for errors
millrace.hashFiles('sha256', ['a'], { target });

// ---- batches
const packed: millrace.PackedSources = { data: bytes, size: 4 };
const several: millrace.Sources = ['text', bytes, new ArrayBuffer(4)];
isBuffer(hashPairs('sha256', bytes));
isNumber(hashPairs('sha256', bytes, bytes));
// @ts-expect-error the third argument is memory, no options
hashPairs('sha256', bytes, { target: bytes });

const part: millrace.HashPart = millrace.hashPart('blake3', bytes, { offset: 1024, size: 4096 });
isBuffer(millrace.joinParts('blake3', [part]));
isNumber(millrace.joinParts('kt128', new Set([part]), { customization: 'x', target: bytes }));
millrace.hashPart(
  'kt128',
  bytes,
  { size: 4, route: 'pool' },
  (error, made) => made satisfies object,
);
// @ts-expect-error the size of the object is required
millrace.hashPart('blake3', bytes, { offset: 0 });
// @ts-expect-error no hash with parts
millrace.hashPart('sha256', bytes, { size: 4 });

isBuffer(hashMany('sha256', several));
isBuffer(hashMany('sha256', packed));
isStrings(hashMany('sha256', new Set(['a']), 'hex'));
declare const awaited: AsyncIterable<string>;
// @ts-expect-error: only millrace/promises waits for messages
hashMany('sha256', awaited);
isBuffer(hashMany('sha256', ['a', 'b'] as const));
isStrings(hashMany('sha256', several, 'hex'));
isBuffers(hashMany('sha256', several, 'buffer'));
isBigints(hashMany('sha256', several, 'bigint'));
isBigints(hashMany('xxh64', several, { encoding: 'bigint', seed: 1 }));
isBuffer(hashMany('shake128', several, { outputLength: 4 }));
isNumber(hashMany('sha256', several, { target }));
isNumber(hashMany('sha256', packed, { target, targetOffset: 4 }));
isVoid(hashMany('sha256', several, (_error, digests) => isBuffer(digests)));
isVoid(hashMany('sha256', several, 'hex', (_error, digests) => isStrings(digests)));
isVoid(hashMany('sha256', several, { target }, (_error, written) => isNumber(written)));
isVoid(
  hashMany('sha256', several, { encoding: 'base64' }, (_error, digests) => isStrings(digests)),
);
isBuffer(hmacMany('sha256', anyKey, packed));
isBuffer(hmacMany('sha256', 'key', several));
isStrings(hmacMany('sha256', bytes, several, 'base64url'));
isBigints(hmacMany('sha256', bytes, several, { encoding: 'bigint' }));
isNumber(hmacMany('sha256', bytes, several, { target }));
isVoid(hmacMany('sha256', bytes, several, (_error, codes) => isBuffer(codes)));
isVoid(hmacMany('sha256', bytes, several, 'hex', (_error, codes) => isStrings(codes)));
// @ts-expect-error sources are several
hashMany('sha256', bytes);
// @ts-expect-error an element is data
hashMany('sha256', [5]);
// @ts-expect-error packed messages have a size
hashMany('sha256', { data: bytes });
// @ts-expect-error no such encoding
hashMany('sha256', several, 'latin1');
// @ts-expect-error a key is needed
hmacMany('sha256', several);

// ---- the rest
isStrings(millrace.getCiphers());
isStrings(millrace.getHashes());
// ---- key derivation
isBuffer(scrypt('password', 'salt', 64));
const cost = { cost: 16, blockSize: 4, parallelization: 2, maxmem: 2 ** 20 };
isBuffer(scrypt(key, new ArrayBuffer(8), 64, cost));
isVoid(scrypt('password', 'salt', 64, (_error, derived) => isBuffer(derived)));
isVoid(scrypt('password', 'salt', 64, (error) => isError(error)));
isVoid(scrypt('password', 'salt', 64, { N: 16, signal: new AbortController().signal }, () => {}));
isBuffer(pbkdf2('password', 'salt', 1000, 32, 'sha256'));
isVoid(pbkdf2('password', 'salt', 1000, 32, 'sha256', () => {}));
const onProgress = (progress: millrace.DerivationProgress) => isNumber(progress.fraction);
isVoid(pbkdf2('password', 'salt', 1000, 32, 'sha256', { onProgress }, () => {}));
isBuffer(hkdf('sha256', createSecretKey(key), 'salt', 'info', 32));
isVoid(hkdf('sha256', key, 'salt', 'info', 32, () => {}));
isBuffer(hkdf.extract('sha256', createSecretKey(key), 'salt', { engine: 'native' }));
isVoid(hkdf.extract('sha256', key, 'salt', (_error, prk) => isBuffer(prk)));
isBuffer(hkdf.expand('sha256', key, 'info', 32));
isVoid(hkdf.expand('sha256', key, 'info', 32, { onProgress() {} }, () => {}));
// @ts-expect-error a size is missing
hkdf.expand('sha256', key, 'info');
isBuffer(wrapKey('aes-256-kw', { key: createSecretKey(key), source: key }));
isVoid(unwrapKey('aes-256-kwp', { key, source: bytes }, (_error, found) => isBuffer(found)));
// @ts-expect-error a wrapped key is bytes
unwrapKey('aes-256-kwp', { key, source: createSecretKey(key) });
isString(hashPassword('password', { algorithm: 'bcrypt', cost: 10 }));
const argon2ing: millrace.Argon2Parameters = {
  message: 'password',
  nonce: bytes,
  parallelism: 1,
  tagLength: 32,
  memory: 64,
  passes: 1,
  secret: key,
  associatedData: 'x',
};
isBuffer(argon2('argon2id', argon2ing));
isVoid(
  argon2('argon2d', { ...argon2ing, onProgress() {} }, (_error, derived) => isBuffer(derived)),
);
const passwords: millrace.HashPasswordOptions = {
  algorithm: 'argon2i',
  memory: 64,
  passes: 1,
  parallelism: 1,
  secret: 'pepper',
  saltLength: 8,
  hashLength: 16,
};
isString(hashPassword('password', passwords));
isVoid(hashPassword('password', (_error, hash) => isString(hash)));
const verifying: millrace.VerifyPasswordOptions = {
  secret: 'pepper',
  maxMemory: 2 ** 20,
  maxTime: 100,
};
isBoolean(verifyPassword('password', '$argon2id$...', verifying));
isVoid(verifyPassword('password', '$argon2id$...', verifying, (_error, right) => isBoolean(right)));
isBoolean(needsRehash('$argon2id$...', { algorithm: 'scrypt' }));
isBoolean(timingSafeEqual(bytes, new Uint16Array(2)));
isNumber(configure({ maxKdfMemory: 2 ** 28 }).maxKdfMemory);
isNumber(engines().kdf.memory + engines().kdf.waiting);
// @ts-expect-error a number, not a text
scrypt('password', 'salt', '64');
// @ts-expect-error a Buffer is not a password hash
verifyPassword('password', bytes);
// @ts-expect-error a string might be compared by its letters
timingSafeEqual('a', 'b');

isNumber(configure().threads);
isNumber(configure({ threads: 2 }).threads);
isBoolean(configure({ recycle: false }).recycle);
isBoolean(engines().native.available);
isNumber(engines().threads.started);
// @ts-expect-error no such setting
configure({ thread: 2 });

const error: unknown = undefined;
if (error instanceof millrace.MillraceError) {
  is<millrace.ErrorCode>()(error.code);
  isString(error.message);
  // @ts-expect-error no such code
  error.code === 'ERR_NOTHING';
}
type _Codes = Expect<Equal<'ERR_AUTHENTICATION' extends millrace.ErrorCode ? true : false, true>>;
type _Encodings = Expect<
  Equal<millrace.Encoding, 'buffer' | 'hex' | '0xhex' | 'base64' | 'base64url' | 'bigint'>
>;
type _Data = Expect<Equal<millrace.Data, millrace.Bytes | string>>;

// The default export has the same members as the names.
type Named = Omit<typeof millrace, 'default'>;
type IsSame<Name extends keyof Named> = Equal<(typeof millrace.default)[Name], Named[Name]>;
type _Default = Expect<{ [Name in keyof Named]: IsSame<Name> }[keyof Named]>;

// The types of the options can be named.
const sealOptions: millrace.SealOptions = sealing;
const openOptions: millrace.OpenOptions = sealing;
const cipherOptions: millrace.CipherOptions = ciphering;
const hashOptions: millrace.HashOptions = { outputLength: 4 };
const beginning: millrace.CreateHashOptions = { seed: 1, state: bytes };
const authenticating: millrace.CreateHmacOptions = { state: bytes, highWaterMark: 4 };
const copying: millrace.CopyOptions = { outputLength: 4 };
const callback: millrace.Callback<Buffer> = (_error, _digest) => {};
isHash(createHash('xxh64', beginning).copy(copying));
isHmac(createHmac('sha256', 'key', authenticating));
isBuffer(seal('aes-256-gcm', sealOptions));
isBuffer(open('aes-256-gcm', openOptions));
isBuffer(cipher('aes-256-ctr', cipherOptions));
hash('shake128', bytes, hashOptions);
isVoid(hash('sha256', bytes, callback));

// ---- with a passphrase
isVoid(millrace.sealWithPassphrase('pass', 'text', (_error, sealed) => isBuffer(sealed)));
isVoid(
  millrace.openWithPassphrase('pass', bytes, { maxTime: 100 }, (_error, opened) =>
    isBuffer(opened),
  ),
);
// @ts-expect-error there is no synchronous form
millrace.sealWithPassphrase('pass', 'text');

// ---- results are bytes of an ArrayBuffer, which fetch and crypto.subtle ask for
is<Promise<ArrayBuffer>>()(crypto.subtle.digest('SHA-256', hash('sha256', 'text')));

// Incremental ciphers.
const pieces = { key: bytes, nonce: bytes };
is<millrace.Cipher>()(createCipher('aes-256-gcm', { ...pieces, aad: 'text', highWaterMark: 4 }));
is<millrace.Decipher>()(
  createDecipher('aes-256-gcm', { ...pieces, authTag: bytes, unverified: true }),
);
isBuffer(createCipher('aes-256-gcm', pieces).update('text', 'utf8'));
isVoid(createCipher('aes-256-gcm', pieces).update(bytes, (_error, text) => text.length));
isBufferLater(createCipher('aes-256-gcm', pieces).updateAsync(bytes));
isNumber(createCipher('aes-256-gcm', pieces).updateInto(bytes, bytes, 1));
is<Promise<number>>()(createCipher('aes-256-gcm', pieces).updateIntoAsync(bytes, bytes));
isBuffer(createCipher('aes-256-gcm', pieces).final());
isVoid(createDecipher('aes-256-gcm', pieces).final((_error, text) => text.length));
isBufferLater(createDecipher('aes-256-gcm', pieces).finalAsync());
isBuffer(createCipher('aes-256-gcm', pieces).authTag);
is<millrace.Decipher>()(createDecipher('aes-256-gcm', pieces).setAuthTag(bytes).copy());
// @ts-expect-error a cipher has no copy
createCipher('aes-256-gcm', pieces).copy();
// @ts-expect-error a key is required
createCipher('aes-256-gcm', { nonce: bytes });
// @ts-expect-error unverified is for deciphers
createCipher('aes-256-gcm', { ...pieces, unverified: true });

// checksums of parts
const parts = [{ checksum: 5n, size: 1 }] as const;
isBuffer(millrace.combineChecksums('crc32c', parts));
isBigint(millrace.combineChecksums('CRC64NVME', new Set(parts), 'bigint'));
isHex(millrace.combineChecksums('crc32', [{ checksum: 5, size: 1 }], '0xhex'));
isString(millrace.multipartChecksum('md5', hashMany('md5', [key]), 'etag'));
isString(millrace.multipartChecksum('sha256', ['text', key], 'composite'));
isString(millrace.multipartChecksum('sha1', { data: key, size: 5 }));
// @ts-expect-error a size is required
millrace.combineChecksums('crc32', [{ checksum: 5n }]);
// @ts-expect-error not a form
millrace.multipartChecksum('md5', [key], 'hex');

// random bytes, keys and sealed streams
isBuffer(randomBytes(32));
isBuffer(generateKey('hmac-sha256'));
millrace.sealStream({ algorithm: 'aes-256-gcm', key: generateKey('aes-256-gcm') });
seal('AES-256-GCM', { key: randomBytes(32), source: 'text' });
// @ts-expect-error not the name of a cipher
seal('aes256gcm', { key: randomBytes(32), source: 'text' });
// @ts-expect-error a cipher without authentication
seal('aes-256-ctr', { key: randomBytes(32), source: 'text' });
// @ts-expect-error a cipher without authentication
open('chacha20', { key: randomBytes(32), source: randomBytes(32) });

// asymmetric keys
const { decapsulate, diffieHellman, encapsulate, generateKeyPair, sign, verify } = millrace;
const pair = generateKeyPair('ed25519');
is<millrace.PrivateKey>()(pair.privateKey);
is<millrace.PublicKey>()(pair.publicKey);
isBuffer(sign(null, 'text', pair.privateKey));
isString(sign('sha256', 'text', 'a PEM', { encoding: 'base64url' }));
isNumber(sign('sha256', bytes, { key: 'a PEM', padding: 'pss' }, { target: bytes }));
isVoid(sign(null, 'text', pair.privateKey, (_error, signature) => isBuffer(signature)));
isVoid(
  sign(null, 'text', pair.privateKey, { encoding: 'hex', route: 'pool' }, (_error, signature) =>
    isString(signature),
  ),
);
isBoolean(verify('sha256', 'text', { key: 'a PEM', dsaEncoding: 'ieee-p1363' }, bytes));
// @ts-expect-error a signature is bytes
verify('sha256', 'text', 'a PEM', 'a signature');
// @ts-expect-error not a padding of signatures
sign('sha256', 'text', 'a PEM', { padding: 'oaep' });
// @ts-expect-error a synchronous call takes no route
sign('sha256', 'text', 'a PEM', { route: 'pool' });
isBuffer(millrace.signMany(null, ['text', bytes], pair.privateKey)[0]!);
is<string[]>()(millrace.signMany(null, ['text'], [pair.privateKey], { encoding: 'hex' }));
isNumber(millrace.signMany(null, { data: bytes, size: 3 }, pair.privateKey, { target: bytes }));
const rawKeys = { data: bytes, algorithm: 'ed25519' } as const;
is<boolean[]>()(millrace.verifyMany(null, new Set(['text']), rawKeys, [bytes]));
// @ts-expect-error signatures are bytes
millrace.verifyMany(null, ['text'], pair.publicKey, ['a signature']);
isString(pair.privateKey.export({ format: 'pem', cipher: 'aes-256-cbc', passphrase: 'text' }));
isBuffer(diffieHellman(pair));
isNumber(diffieHellman({ ...pair, target: bytes }));
is<millrace.Encapsulation>()(encapsulate(pair.publicKey));
isBuffer(decapsulate(pair.privateKey, bytes));
isBuffer(millrace.publicEncrypt({ key: pair.publicKey, oaepHash: 'sha256' }, 'text'));
isNumber(millrace.privateDecrypt(pair.privateKey, bytes, { target: bytes }));
const sealed = millrace.hpkeSeal(pair.publicKey, 'text', { info: 'text' });
is<millrace.HpkeSealed>()(sealed);
isBuffer(sealed.ciphertext);
isNumber(millrace.hpkeSeal(pair.publicKey, 'text', { target: bytes }).ciphertext);
isBuffer(millrace.hpkeOpen(pair.privateKey, sealed.encapsulatedKey, sealed.ciphertext));
isVoid(
  millrace.hpkeSeal(pair.publicKey, 'text', { target: bytes }, (_error, { ciphertext }) =>
    isNumber(ciphertext),
  ),
);
const encoded = generateKeyPair('rsa', {
  modulusLength: 2048,
  publicKeyEncoding: { format: 'pem' },
  privateKeyEncoding: { format: 'der' },
});
isString(encoded.publicKey);
isBuffer(encoded.privateKey);
isVoid(
  generateKeyPair('ec', { namedCurve: 'P-256' }, (_error, publicKey, privateKey) => {
    is<millrace.PublicKey>()(publicKey);
    is<millrace.PrivateKey>()(privateKey);
  }),
);
