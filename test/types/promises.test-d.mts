// Overloads of `millrace/promises`.

import promises, { cipher, configure, createKey, engines, getCiphers, getHashes, hash, hmac, MillraceError, open, seal } from 'millrace/promises';
import millrace from 'millrace';

import { is } from './equal.mjs';

declare const key: Uint8Array;
declare const iv: Buffer;
declare const bytes: Buffer;
declare const target: Buffer;
declare const signal: AbortSignal;

is<Promise<Buffer>>()(hash('sha256', 'text'));
is<Promise<Buffer>>()(hash('sha256', bytes, { signal }));
is<Promise<string>>()(hash('sha256', bytes, 'hex'));
is<Promise<bigint>>()(hash('sha256', bytes, 'bigint'));
is<Promise<string>>()(hash('sha256', bytes, 'hex', { signal }));
is<Promise<string>>()(hash('sha256', bytes, { encoding: 'base64', signal }));
is<Promise<Buffer>>()(hash('blake3', bytes, { outputLength: 64, key }));
is<Promise<number>>()(hash('sha256', bytes, { target, targetOffset: 3, signal }));
is<Promise<number>>()(hash('sha256', bytes, 0, 4, target, 0));
is<Promise<number>>()(hash('sha256', bytes, 0, 4, target, 0, { signal }));

is<Promise<Buffer>>()(hmac('sha256', key, bytes));
is<Promise<string>>()(hmac('sha256', createKey('hmac-sha256', key), bytes, 'hex'));
is<Promise<Buffer>>()(hmac('sha256', key, bytes, { signal }));
is<Promise<number>>()(hmac('sha256', key, bytes, { target }));
is<Promise<number>>()(hmac('sha256', key, 0, 4, bytes, 0, 4, target, 0, { signal }));

is<Promise<Buffer>>()(seal('aes-256-gcm', { key, nonce: iv, source: 'text', signal }));
is<Promise<number>>()(seal('aes-256-gcm', { key, nonce: iv, source: 'text', target }));
is<Promise<Buffer>>()(open('aes-256-gcm', { key, nonce: iv, source: bytes }));
is<Promise<number>>()(open('aes-256-gcm', { key, nonce: iv, source: bytes, target, signal }));

is<Promise<Buffer>>()(cipher('aes-256-ctr', { encrypt: true, key, iv, source: bytes, signal }));
is<Promise<number>>()(cipher('aes-256-ctr', { encrypt: true, key, iv, source: bytes, target }));
is<Promise<Buffer>>()(cipher('aes-256-ctr', 1, key, iv, bytes));
is<Promise<Buffer>>()(cipher('aes-256-ctr', 1, key, iv, bytes, { signal }));
is<Promise<Buffer>>()(cipher('aes-256-gcm', 1, key, iv, bytes, bytes, target));
is<Promise<number>>()(cipher('aes-256-ctr', 1, key, 0, 32, iv, 0, 16, bytes, 0, 4, target, 0));
is<Promise<number>>()(cipher('aes-256-gcm', 0, key, 0, 32, iv, 0, 12, bytes, 0, 4, target, 0, bytes, 0, 1, target, 4, 16));

// @ts-expect-error no callbacks here
hash('sha256', bytes, () => {});
// @ts-expect-error no callbacks here
seal('aes-256-gcm', { key, nonce: iv, source: bytes }, () => {});
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
