// Overloads of `millrace/promises`.

import type { Duplex } from 'node:stream';
import type { ReadableStream, TransformStream } from 'node:stream/web';

import promises, {
  cipher,
  configure,
  createHash,
  createHmac,
  createKey,
  engines,
  getCiphers,
  getHashes,
  hash,
  hashFiles,
  hashMany,
  hmac,
  hmacMany,
  MillraceError,
  open,
  openStream,
  argon2,
  hashPassword,
  hkdf,
  unwrapKey,
  wrapKey,
  needsRehash,
  openTransformStream,
  pbkdf2,
  scrypt,
  timingSafeEqual,
  verifyPassword,
  seal,
  sealStream,
  sealTransformStream,
} from 'millrace/promises';
import type { Bytes, FileError, SealedStreamOptions } from 'millrace/promises';
import millrace from 'millrace';

import { is } from './equal.mjs';

declare const key: Uint8Array;
declare const iv: Buffer;
declare const bytes: Buffer;
declare const target: Buffer;
declare const signal: AbortSignal;

is<Promise<Buffer<ArrayBuffer>>>()(hash('sha256', 'text'));
is<Promise<Buffer<ArrayBuffer>>>()(hash('sha256', bytes, { signal }));
is<Promise<string>>()(hash('sha256', bytes, 'hex'));
is<Promise<bigint>>()(hash('sha256', bytes, 'bigint'));
is<Promise<string>>()(hash('sha256', bytes, 'hex', { signal }));
is<Promise<string>>()(hash('sha256', bytes, { encoding: 'base64', signal }));
is<Promise<Buffer<ArrayBuffer>>>()(hash('blake3', bytes, { outputLength: 64, key }));
is<Promise<number>>()(hash('sha256', bytes, { target, targetOffset: 3, signal }));

is<Promise<Buffer<ArrayBuffer>>>()(hmac('sha256', key, bytes));
is<Promise<string>>()(hmac('sha256', createKey('hmac-sha256', key), bytes, 'hex'));
is<Promise<Buffer<ArrayBuffer>>>()(hmac('sha256', key, bytes, { signal }));
is<Promise<number>>()(hmac('sha256', key, bytes, { target }));

is<Promise<Buffer<ArrayBuffer>>>()(seal('aes-256-gcm', { key, nonce: iv, source: 'text', signal }));
is<Promise<number>>()(seal('aes-256-gcm', { key, nonce: iv, source: 'text', target }));
is<Promise<Buffer<ArrayBuffer>>>()(open('aes-256-gcm', { key, nonce: iv, source: bytes }));
is<Promise<number>>()(open('aes-256-gcm', { key, nonce: iv, source: bytes, target, signal }));

is<Promise<Buffer<ArrayBuffer>>>()(
  cipher('aes-256-ctr', { encrypt: true, key, iv, source: bytes, signal }),
);
is<Promise<number>>()(cipher('aes-256-ctr', { encrypt: true, key, iv, source: bytes, target }));
is<Promise<Buffer<ArrayBuffer>>>()(cipher('aes-256-ctr', 1, key, iv, bytes));
is<Promise<Buffer<ArrayBuffer>>>()(cipher('aes-256-ctr', 1, key, iv, bytes, { signal }));
is<Promise<Buffer<ArrayBuffer>>>()(cipher('aes-256-gcm', 1, key, iv, bytes, bytes, target));

declare const options: SealedStreamOptions;
declare const body: ReadableStream<Uint8Array>;
is<Duplex>()(sealStream({ algorithm: 'aes-256-gcm', key }));
is<Duplex>()(
  openStream({
    algorithm: 'aes-128-gcm',
    key: new ArrayBuffer(16),
    context: 'context',
    signal,
    highWaterMark: 65536,
  }),
);
is<TransformStream<Bytes, Buffer<ArrayBuffer>>>()(sealTransformStream(options));
is<ReadableStream<Buffer<ArrayBuffer>>>()(
  body.pipeThrough(sealTransformStream(options)).pipeThrough(openTransformStream(options)),
);

// ---- key derivation
is<Promise<Buffer<ArrayBuffer>>>()(scrypt('password', bytes, 64));
is<Promise<Buffer<ArrayBuffer>>>()(
  scrypt('password', 'salt', 64, {
    N: 16,
    maxmem: 2 ** 20,
    signal,
    onProgress: ({ fraction }) => is<number>()(fraction),
  }),
);
is<Promise<Buffer<ArrayBuffer>>>()(pbkdf2(bytes, 'salt', 1000, 32, 'sha256', { signal }));
is<Promise<Buffer<ArrayBuffer>>>()(hkdf('sha256', bytes, '', 'info', 32));
is<Promise<Buffer<ArrayBuffer>>>()(hkdf.extract('sha256', bytes, ''));
is<Promise<Buffer<ArrayBuffer>>>()(hkdf.expand('sha256', bytes, 'info', 32, {}));
is<Promise<Buffer<ArrayBuffer>>>()(wrapKey('aes-128-kw', { key: bytes, source: bytes }));
is<Promise<Buffer<ArrayBuffer>>>()(unwrapKey('aes-128-kw', { key: bytes, source: bytes }));
is<Promise<Buffer<ArrayBuffer>>>()(
  argon2('argon2id', { message: 'password', nonce: bytes, memory: 64, version: 0x10, signal }),
);
is<Promise<string>>()(hashPassword('password', { algorithm: 'scrypt', cost: 1024, signal }));
is<Promise<boolean>>()(
  verifyPassword('password', '$argon2id$...', { maxTime: 100, onProgress() {} }),
);
is<boolean>()(needsRehash('$argon2id$...'));
is<boolean>()(timingSafeEqual(bytes, key));
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
seal('aes-256-gcm', { key, nonce: iv, source: bytes }, () => {});
is<Promise<string>>()(hash('sha256', bytes, 'hex', { route: 'pool', signal }));
is<Promise<Buffer<ArrayBuffer>>>()(
  seal('aes-256-gcm', { key, nonce: iv, source: bytes, route: 'split' }),
);
is<Promise<Buffer<ArrayBuffer>>>()(cipher('aes-256-ctr', 1, key, iv, bytes, { route: 'split' }));
is<Promise<string[]>>()(hashMany('sha256', ['text'], 'hex', { route: 'pool' }));
// @ts-expect-error there is no such route
hash('sha256', bytes, { route: 'slow' });
// @ts-expect-error a signal is an AbortSignal
hash('sha256', bytes, { signal: 'stop' });
// @ts-expect-error no such encoding
hash('sha256', bytes, 'utf8');
// @ts-expect-error what is opened is bytes
open('aes-256-gcm', { key, nonce: iv, source: 'text' });

is<typeof millrace.createKey>()(createKey);
is<typeof millrace.configure>()(configure);
is<typeof millrace.engines>()(engines);
is<typeof millrace.getCiphers>()(getCiphers);
is<typeof millrace.getHashes>()(getHashes);
is<typeof millrace.MillraceError>()(MillraceError);
is<typeof hash>()(promises.hash);

// ---- hashers and batches
is<typeof millrace.createHash>()(createHash);
is<typeof millrace.createHmac>()(createHmac);
declare const asyncPaths: AsyncIterable<string>;
is<Promise<Buffer<ArrayBuffer>[]>>()(hashFiles('sha256', ['a']));
is<Promise<string[]>>()(hashFiles('sha256', asyncPaths, 'hex'));
is<Promise<string[]>>()(hashFiles('sha256', asyncPaths, 'hex', { signal }));
hashFiles('sha256', asyncPaths, {
  onProgress({ bytes, files }) {
    is<number>()(bytes);
    is<number>()(files);
  },
});
is<Promise<(bigint | FileError)[]>>()(
  hashFiles('sha256', asyncPaths, { encoding: 'bigint', errors: 'return', signal }),
);
declare const messages: AsyncIterable<string | Uint8Array>;
is<Promise<Buffer<ArrayBuffer>>>()(hashMany('sha256', messages));
is<Promise<`0x${string}`[]>>()(hashMany('keccak256', messages, '0xhex', { signal }));
is<Promise<bigint[]>>()(hmacMany('sha256', 'key', messages, { encoding: 'bigint' }));
is<Promise<Buffer<ArrayBuffer>>>()(hashMany('sha256', ['text', bytes]));
is<Promise<Buffer<ArrayBuffer>>>()(hashMany('sha256', { data: bytes, size: 4 }));
is<Promise<string[]>>()(hashMany('sha256', ['text'], 'hex'));
is<Promise<string[]>>()(hashMany('sha256', ['text'], 'hex', { signal }));
is<Promise<bigint[]>>()(hashMany('xxh64', ['text'], { encoding: 'bigint', seed: 1n, signal }));
is<Promise<Buffer<ArrayBuffer>>>()(hashMany('sha256', ['text'], { signal }));
is<Promise<number>>()(hashMany('sha256', ['text'], { target, targetOffset: 4, signal }));
is<Promise<Buffer<ArrayBuffer>>>()(hmacMany('sha256', key, ['text']));
is<Promise<Buffer<ArrayBuffer>>>()(hmacMany('sha256', key, ['text'], { signal }));
is<Promise<string[]>>()(hmacMany('sha256', key, ['text'], 'hex', { signal }));
is<Promise<bigint[]>>()(hmacMany('sha256', key, ['text'], { encoding: 'bigint', signal }));
is<Promise<number>>()(hmacMany('sha256', key, ['text'], { target, signal }));
// @ts-expect-error promises take no callback
hashMany('sha256', ['text'], () => {});
// @ts-expect-error no such encoding
hmacMany('sha256', key, ['text'], 'latin1');

is<Promise<Buffer<ArrayBuffer>>>()(promises.seal('xchacha20-poly1305', { key, source: 'text' }));
is<Promise<Buffer<ArrayBuffer>>>()(
  promises.sealWithPassphrase('pass', 'text', {
    algorithm: 'chacha20-poly1305',
    N: 1024,
    signal,
    onProgress: ({ fraction }) => is<number>()(fraction),
  }),
);
is<Promise<Buffer<ArrayBuffer>>>()(
  promises.openWithPassphrase(bytes, bytes, { maxMemory: 2 ** 28, maxTime: 100 }),
);
is<Duplex>()(promises.sealStreamWithPassphrase('pass', { N: 1024, highWaterMark: 65536 }));
is<Duplex>()(promises.openStreamWithPassphrase('pass'));
is<TransformStream<Bytes, Buffer<ArrayBuffer>>>()(
  promises.sealTransformStreamWithPassphrase('pass'),
);
is<TransformStream<Bytes, Buffer<ArrayBuffer>>>()(
  promises.openTransformStreamWithPassphrase('pass', { maxTime: 100, signal }),
);
is<Promise<Buffer<ArrayBuffer>>>()(
  promises.sealWithKey(key, 'text', { algorithm: 'chacha20-poly1305', signal }),
);
is<Promise<Buffer<ArrayBuffer>>>()(promises.openWithKey(bytes, bytes, { signal }));
is<Duplex>()(promises.sealStreamWithKey(key, { highWaterMark: 65536 }));
is<Duplex>()(promises.openStreamWithKey(key));
is<TransformStream<Bytes, Buffer<ArrayBuffer>>>()(promises.sealTransformStreamWithKey(key));
is<TransformStream<Bytes, Buffer<ArrayBuffer>>>()(promises.openTransformStreamWithKey(key));
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
  is<string>()(digest);
}
is<Promise<bigint>>()(promises.hashTransformStream('sha256', 'bigint').digest);
is<Promise<Buffer<ArrayBuffer>>>()(
  promises.openRange((start, end) => Buffer.alloc(end - start), {
    algorithm: 'aes-256-gcm',
    key,
    start: 5,
    end: 10,
  }),
);
