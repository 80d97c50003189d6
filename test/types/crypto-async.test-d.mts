// Overloads of the drop-in entry point.

import entryPoint, { cipher, CIPHER_BLOCK_MAX, E_CORRUPT, hash, hmac } from 'millrace/crypto-async';

import { is, isNumber, isString, isVoid } from './equal.mjs';

const isBuffer = is<Buffer<ArrayBuffer>>();
const isBufferOrNone = is<Buffer<ArrayBuffer> | undefined>();
const isNumberOrNone = is<number | undefined>();

declare const buffer: Buffer;
declare const view: DataView;
const part = [buffer, 0, 32] as const;

isNumber(CIPHER_BLOCK_MAX);
isString(E_CORRUPT as string);
is<typeof hash>()(entryPoint.hash);

isBuffer(hash('sha256', buffer));
isVoid(hash('sha256', buffer, (error) => is<Error | undefined>()(error)));
isVoid(hash('sha256', buffer, (_error, digest) => isBufferOrNone(digest)));
isNumber(hash('sha256', view, 0, 4, buffer, 0));
isVoid(hash('sha256', view, 0, 4, buffer, 0, (_error, written) => isNumberOrNone(written)));

isBuffer(hmac('sha256', buffer, buffer));
isVoid(hmac('sha256', buffer, buffer, (_error, mac) => isBufferOrNone(mac)));
isNumber(hmac('sha256', ...part, ...part, buffer, 0));
isVoid(hmac('sha256', ...part, ...part, buffer, 0, (_error, written) => isNumberOrNone(written)));

isBuffer(cipher('aes-256-ctr', 1, buffer, buffer, buffer));
isVoid(cipher('aes-256-ctr', 0, buffer, buffer, buffer, (_error, text) => isBufferOrNone(text)));
isBuffer(cipher('aes-256-gcm', 1, buffer, buffer, buffer, buffer, buffer));
isVoid(
  cipher('aes-256-gcm', 1, buffer, buffer, buffer, buffer, buffer, (_error, text) =>
    isBufferOrNone(text),
  ),
);
isNumber(cipher('aes-256-ctr', 1, ...part, ...part, ...part, buffer, 0));
isVoid(
  cipher('aes-256-ctr', 1, ...part, ...part, ...part, buffer, 0, (_error, written) =>
    isNumberOrNone(written),
  ),
);
isNumber(cipher('aes-256-gcm', 1, ...part, ...part, ...part, buffer, 0, ...part, ...part));

// @ts-expect-error text is not taken here
hash('sha256', 'text');
// @ts-expect-error nor encodings
hash('sha256', buffer, 'hex');
// @ts-expect-error nor booleans
cipher('aes-256-ctr', true, buffer, buffer, buffer);
// @ts-expect-error nor a bare ArrayBuffer
hash('sha256', new ArrayBuffer(4), 0, 4, buffer, 0);
