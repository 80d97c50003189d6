// Types of `millrace/age`.

import type { Duplex } from 'node:stream';
import type { TransformStream } from 'node:stream/web';

import type { Bytes } from 'millrace';
import * as age from 'millrace/age';

import { is, isString } from './equal.mjs';

const isBufferLater = is<Promise<Buffer<ArrayBuffer>>>();
const isDuplex = is<Duplex>();
const isTransform = is<TransformStream<Bytes, Buffer<ArrayBuffer>>>();

declare const bytes: Buffer;
const { decrypt, decryptRange, encrypt, generateIdentity, identityToRecipient } = age;

isString(generateIdentity());
isString(generateIdentity('mlkem768x25519'));
isString(identityToRecipient(bytes));
// @ts-expect-error: not a type of identities
generateIdentity('rsa');

isBufferLater(encrypt('text', { recipients: ['age1'] as const, armor: true }));
isBufferLater(encrypt(bytes, { passphrase: bytes, workFactor: 12 }));
// @ts-expect-error: options are needed
encrypt(bytes);
// @ts-expect-error: a misspelt option
encrypt(bytes, { recipient: 'age1' });
isBufferLater(decrypt(bytes, { identities: ['AGE-SECRET-KEY-1', bytes], maxWorkFactor: 18 }));
// @ts-expect-error: text is not a file
decrypt('text', { passphrase: 'x' });
isBufferLater(
  decryptRange((start, end) => bytes.subarray(start, end), { passphrase: 'x', end: 9 }),
);
// @ts-expect-error: the end is needed
decryptRange(async () => bytes, { passphrase: 'x' });

isDuplex(age.encryptStream({ recipients: 'age1', highWaterMark: 1 }));
isDuplex(age.decryptStream({ identities: 'AGE-SECRET-KEY-1' }));
isTransform(age.encryptTransformStream({ passphrase: 'x' }));
isTransform(age.decryptTransformStream({ passphrase: 'x' }));
