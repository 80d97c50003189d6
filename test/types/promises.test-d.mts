// Overloads of `millrace/promises`.

import type { Duplex } from 'node:stream';
import type { ReadableStream, TransformStream } from 'node:stream/web';

import * as promises from 'millrace/promises';
import millrace from 'millrace';

import { is, isBoolean, isNumber, isString } from './equal.mjs';

const isDuplex = is<Duplex>();
const isTransform = is<TransformStream<promises.Bytes, Buffer<ArrayBuffer>>>();
const isBufferLater = is<Promise<Buffer<ArrayBuffer>>>();
const isStringLater = is<Promise<string>>();
const isNumberLater = is<Promise<number>>();
const isStringsLater = is<Promise<string[]>>();
const isBigintsLater = is<Promise<bigint[]>>();

const { cipher, createKey, hash, hashFiles, hashMany, hmac, hmacMany, open, seal } = promises;
const { argon2, hashPassword, hkdf, pbkdf2, scrypt, unwrapKey, verifyPassword, wrapKey } = promises;
const { openStream, openTransformStream, sealStream, sealTransformStream } = promises;
const { needsRehash, timingSafeEqual } = promises;

declare const key: Uint8Array;
declare const iv: Buffer;
declare const bytes: Buffer;
declare const target: Buffer;
declare const signal: AbortSignal;
const sealing = { key, nonce: iv, source: bytes };
const ciphering = { encrypt: true, key, iv, source: bytes };

isBufferLater(hash('sha256', 'text'));
isBufferLater(hash('sha256', bytes, { signal }));
isStringLater(hash('sha256', bytes, 'hex'));
is<Promise<bigint>>()(hash('sha256', bytes, 'bigint'));
isStringLater(hash('sha256', bytes, 'hex', { signal }));
isStringLater(hash('sha256', bytes, { encoding: 'base64', signal }));
isBufferLater(hash('blake3', bytes, { outputLength: 64, key }));
isNumberLater(hash('sha256', bytes, { target, targetOffset: 3, signal }));

isBufferLater(hmac('sha256', key, bytes));
isStringLater(hmac('sha256', createKey('hmac-sha256', key), bytes, 'hex'));
isBufferLater(hmac('sha256', key, bytes, { signal }));
isNumberLater(hmac('sha256', key, bytes, { target }));

isBufferLater(seal('aes-256-gcm', { key, nonce: iv, source: 'text', signal }));
isNumberLater(seal('aes-256-gcm', { key, nonce: iv, source: 'text', target }));
isBufferLater(open('aes-256-gcm', sealing));
isNumberLater(open('aes-256-gcm', { ...sealing, target, signal }));

isBufferLater(cipher('aes-256-ctr', { ...ciphering, signal }));
isNumberLater(cipher('aes-256-ctr', { ...ciphering, target }));
isBufferLater(cipher('aes-256-ctr', 1, key, iv, bytes));
isBufferLater(cipher('aes-256-ctr', 1, key, iv, bytes, { signal }));
isBufferLater(cipher('aes-256-gcm', 1, key, iv, bytes, bytes, target));

declare const options: promises.SealedStreamOptions;
declare const body: ReadableStream<Uint8Array>;
isDuplex(sealStream({ algorithm: 'aes-256-gcm', key }));
const sides = { context: 'context', signal, highWaterMark: 65536 };
isDuplex(openStream({ algorithm: 'aes-128-gcm', key: new ArrayBuffer(16), ...sides }));
isTransform(sealTransformStream(options));
is<ReadableStream<Buffer<ArrayBuffer>>>()(
  body.pipeThrough(sealTransformStream(options)).pipeThrough(openTransformStream(options)),
);

// ---- key derivation
isBufferLater(scrypt('password', bytes, 64));
const memory = { N: 16, maxmem: 2 ** 20 };
isBufferLater(scrypt('password', 'salt', 64, { ...memory, signal }));
scrypt('password', 'salt', 64, { onProgress: ({ fraction }) => isNumber(fraction) });
isBufferLater(pbkdf2(bytes, 'salt', 1000, 32, 'sha256', { signal }));
isBufferLater(hkdf('sha256', bytes, '', 'info', 32));
isBufferLater(hkdf.extract('sha256', bytes, ''));
isBufferLater(hkdf.expand('sha256', bytes, 'info', 32, {}));
isBufferLater(wrapKey('aes-128-kw', { key: bytes, source: bytes }));
isBufferLater(unwrapKey('aes-128-kw', { key: bytes, source: bytes }));
const derived = { message: 'password', nonce: bytes };
isBufferLater(argon2('argon2id', { ...derived, memory: 64, version: 0x10, signal }));
isStringLater(hashPassword('password', { algorithm: 'scrypt', cost: 1024, signal }));
is<Promise<boolean>>()(
  verifyPassword('password', '$argon2id$...', { maxTime: 100, onProgress() {} }),
);
isBoolean(needsRehash('$argon2id$...'));
isBoolean(timingSafeEqual(bytes, key));
// @ts-expect-error a size is needed
scrypt('password', 'salt');
// @ts-expect-error no such algorithm
argon2('argon2', { message: 'password', nonce: bytes });

// @ts-expect-error no such algorithm for streams
sealStream({ algorithm: 'aes-256-ctr', key });
// @ts-expect-error a key is needed
openStream({ algorithm: 'aes-256-gcm' });
// @ts-expect-error a key is bytes
openStream({ algorithm: 'aes-256-gcm', key: 'text' });

// @ts-expect-error no callbacks here
hash('sha256', bytes, () => {});
// @ts-expect-error no callbacks here
seal('aes-256-gcm', sealing, () => {});
isStringLater(hash('sha256', bytes, 'hex', { route: 'pool', signal }));
isBufferLater(seal('aes-256-gcm', { ...sealing, route: 'split' }));
isBufferLater(cipher('aes-256-ctr', 1, key, iv, bytes, { route: 'split' }));
isStringsLater(hashMany('sha256', ['text'], 'hex', { route: 'pool' }));
// @ts-expect-error there is no such route
hash('sha256', bytes, { route: 'slow' });
// @ts-expect-error a signal is an AbortSignal
hash('sha256', bytes, { signal: 'stop' });
// @ts-expect-error no such encoding
hash('sha256', bytes, 'utf8');
// @ts-expect-error what is opened is bytes
open('aes-256-gcm', { key, nonce: iv, source: 'text' });

// What has no asynchronous form is the same function.
type Shared =
  | ('configure' | 'createHash' | 'createHmac' | 'createKey' | 'engines')
  | ('getCiphers' | 'getHashes' | 'MillraceError');
is<Pick<typeof millrace, Shared>>()({} as Pick<typeof promises, Shared>);
is<typeof hash>()(promises.default.hash);

// ---- batches
declare const asyncPaths: AsyncIterable<string>;
is<Promise<Buffer<ArrayBuffer>[]>>()(hashFiles('sha256', ['a']));
isStringsLater(hashFiles('sha256', asyncPaths, 'hex'));
isStringsLater(hashFiles('sha256', asyncPaths, 'hex', { signal }));
hashFiles('sha256', asyncPaths, {
  onProgress({ bytes, files }) {
    isNumber(bytes);
    isNumber(files);
  },
});
is<Promise<(bigint | promises.FileError)[]>>()(
  hashFiles('sha256', asyncPaths, { encoding: 'bigint', errors: 'return', signal }),
);
declare const messages: AsyncIterable<string | Uint8Array>;
isBufferLater(hashMany('sha256', messages));
is<Promise<`0x${string}`[]>>()(hashMany('keccak256', messages, '0xhex', { signal }));
isBigintsLater(hmacMany('sha256', 'key', messages, { encoding: 'bigint' }));
isBufferLater(hashMany('sha256', ['text', bytes]));
isBufferLater(hashMany('sha256', { data: bytes, size: 4 }));
isStringsLater(hashMany('sha256', ['text'], 'hex'));
isStringsLater(hashMany('sha256', ['text'], 'hex', { signal }));
isBigintsLater(hashMany('xxh64', ['text'], { encoding: 'bigint', seed: 1n, signal }));
isBufferLater(hashMany('sha256', ['text'], { signal }));
isNumberLater(hashMany('sha256', ['text'], { target, targetOffset: 4, signal }));
isBufferLater(hmacMany('sha256', key, ['text']));
isBufferLater(hmacMany('sha256', key, ['text'], { signal }));
isStringsLater(hmacMany('sha256', key, ['text'], 'hex', { signal }));
isBigintsLater(hmacMany('sha256', key, ['text'], { encoding: 'bigint', signal }));
isNumberLater(hmacMany('sha256', key, ['text'], { target, signal }));
// @ts-expect-error promises take no callback
hashMany('sha256', ['text'], () => {});
// @ts-expect-error no such encoding
hmacMany('sha256', key, ['text'], 'latin1');

isBufferLater(promises.seal('xchacha20-poly1305', { key, source: 'text' }));
const algorithm = 'chacha20-poly1305';
isBufferLater(promises.sealWithPassphrase('pass', 'text', { algorithm, N: 1024, signal }));
promises.sealWithPassphrase('a', 'b', { onProgress: ({ fraction }) => isNumber(fraction) });
isBufferLater(promises.openWithPassphrase(bytes, bytes, { maxMemory: 2 ** 28, maxTime: 100 }));
isDuplex(promises.sealStreamWithPassphrase('pass', { N: 1024, highWaterMark: 65536 }));
isDuplex(promises.openStreamWithPassphrase('pass'));
isTransform(promises.sealTransformStreamWithPassphrase('pass'));
isTransform(promises.openTransformStreamWithPassphrase('pass', { maxTime: 100, signal }));
isBufferLater(promises.sealWithKey(key, 'text', { algorithm: 'chacha20-poly1305', signal }));
isBufferLater(promises.openWithKey(bytes, bytes, { signal }));
isDuplex(promises.sealStreamWithKey(key, { highWaterMark: 65536 }));
isDuplex(promises.openStreamWithKey(key));
isTransform(promises.sealTransformStreamWithKey(key));
isTransform(promises.openTransformStreamWithKey(key));
// @ts-expect-error the header names the algorithm
promises.openWithKey(key, bytes, { algorithm: 'aes-256-gcm' });
// @ts-expect-error a key is bytes
promises.sealWithKey('key', 'text');
// @ts-expect-error ciphertext is bytes
promises.openWithPassphrase('pass', 'text');
// @ts-expect-error streams alone have sides
promises.sealWithPassphrase('pass', 'text', { highWaterMark: 65536 });
// @ts-expect-error no such option
promises.openWithPassphrase('pass', bytes, { N: 1024 });

// files as they are ready, and a stream that hashes
for await (const { path, digest } of promises.hashFilesIterator('sha256', ['a'], 'hex')) {
  is<string | URL | Buffer>()(path);
  isString(digest);
}
is<Promise<bigint>>()(promises.hashTransformStream('sha256', 'bigint').digest);
const range = { ...options, start: 5, end: 10 };
declare const parts: promises.HashPart[];
is<Promise<promises.SealingPlan>>()(promises.planSealing(parts, range));
declare const sealRange: promises.SealRange;
isBufferLater(promises.sealRange(sealRange, Buffer.alloc(9), range));
isBufferLater(promises.joinParts('blake3', parts));
is<Promise<promises.HashOutboardResult>>()(
  promises.hashOutboard(new Blob([]), { groupSize: 16_384 }),
);
const outboard: promises.ReadRange = async (start, end) => Buffer.alloc(end - start);
isBufferLater(promises.verifyRange(outboard, { digest: bytes, outboard, end: 9 }));
isBufferLater(promises.extractSlice(outboard, { outboard, end: 9, groupSize: 1024 }));
isBufferLater(promises.decodeSlice(bytes, { digest: bytes, start: 1, end: 9 }));
// @ts-expect-error a slice needs no outboard
isBufferLater(promises.decodeSlice(bytes, { digest: bytes, outboard, end: 9 }));
isBufferLater(promises.openRange((start, end) => Buffer.alloc(end - start), range));
