// Overloads of the drop-in entry point.

import entryPoint, { cipher, CIPHER_BLOCK_MAX, E_CORRUPT, hash, hmac } from 'millrace/crypto-async';

import { is } from './equal.mjs';

declare const buffer: Buffer;
declare const view: DataView;

is<number>()(CIPHER_BLOCK_MAX);
is<string>()(E_CORRUPT as string);
is<typeof hash>()(entryPoint.hash);

is<Buffer<ArrayBuffer>>()(hash('sha256', buffer));
is<void>()(
  hash('sha256', buffer, (error, digest) => {
    is<Error | undefined>()(error);
    is<Buffer<ArrayBuffer> | undefined>()(digest);
  }),
);
is<number>()(hash('sha256', view, 0, 4, buffer, 0));
is<void>()(
  hash('sha256', view, 0, 4, buffer, 0, (_error, written) => is<number | undefined>()(written)),
);

is<Buffer<ArrayBuffer>>()(hmac('sha256', buffer, buffer));
is<void>()(
  hmac('sha256', buffer, buffer, (_error, mac) => is<Buffer<ArrayBuffer> | undefined>()(mac)),
);
is<number>()(hmac('sha256', buffer, 0, 4, buffer, 0, 4, buffer, 0));
is<void>()(
  hmac('sha256', buffer, 0, 4, buffer, 0, 4, buffer, 0, (_error, written) =>
    is<number | undefined>()(written),
  ),
);

is<Buffer<ArrayBuffer>>()(cipher('aes-256-ctr', 1, buffer, buffer, buffer));
is<void>()(
  cipher('aes-256-ctr', 0, buffer, buffer, buffer, (_error, text) =>
    is<Buffer<ArrayBuffer> | undefined>()(text),
  ),
);
is<Buffer<ArrayBuffer>>()(cipher('aes-256-gcm', 1, buffer, buffer, buffer, buffer, buffer));
is<void>()(
  cipher('aes-256-gcm', 1, buffer, buffer, buffer, buffer, buffer, (_error, text) =>
    is<Buffer<ArrayBuffer> | undefined>()(text),
  ),
);
is<number>()(cipher('aes-256-ctr', 1, buffer, 0, 32, buffer, 0, 16, buffer, 0, 4, buffer, 0));
is<void>()(
  cipher(
    'aes-256-ctr',
    1,
    buffer,
    0,
    32,
    buffer,
    0,
    16,
    buffer,
    0,
    4,
    buffer,
    0,
    (_error, written) => is<number | undefined>()(written),
  ),
);
is<number>()(
  cipher(
    'aes-256-gcm',
    1,
    buffer,
    0,
    32,
    buffer,
    0,
    12,
    buffer,
    0,
    4,
    buffer,
    0,
    buffer,
    0,
    0,
    buffer,
    0,
    16,
  ),
);

// @ts-expect-error text is not taken here
hash('sha256', 'text');
// @ts-expect-error nor encodings
hash('sha256', buffer, 'hex');
// @ts-expect-error nor booleans
cipher('aes-256-ctr', true, buffer, buffer, buffer);
// @ts-expect-error nor a bare ArrayBuffer
hash('sha256', new ArrayBuffer(4), 0, 4, buffer, 0);
