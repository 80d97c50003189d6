// Programs with the DOM's types, with and without @types/node.

import { sha256 } from 'millrace/noble-hashes/sha2.js';
import { scryptAsync } from 'millrace/noble-hashes/scrypt.js';
import { gcm } from 'millrace/noble-ciphers/aes.js';
import { hash, hmac, randomBytes, seal } from 'millrace';
import * as promises from 'millrace/promises';
import { crypto as own, subtle } from 'millrace/webcrypto';

import { is } from '../equal.mjs';

const key = new Uint8Array(32);
const options = { algorithm: 'aes-256-gcm', key } as const;
const body = new Blob(['x']).stream();

// Streams of the DOM go through every transform stream.

type Transforms<Exports> = {
  [Name in keyof Exports]: Exports[Name] extends (...given: any) => infer Result
    ? [0] extends [1 & Result]
      ? never
      : Result extends { readonly readable: object; readonly writable: object }
        ? { name: Name; stream: Result }
        : never
    : never;
}[keyof Exports];
type Refused<Each> = Each extends { stream: ReadableWritablePair } ? never : Each;
declare const refused: Refused<Transforms<typeof promises>>;
is<never>()(refused);
declare const taken: Transforms<typeof promises>['name'];
is<
  'hashTransformStream' | `${'seal' | 'open'}TransformStream${'' | 'WithKey' | 'WithPassphrase'}`
>()(taken);

const sealed = body.pipeThrough(promises.sealTransformStream(options));
const stored = await new Response(sealed).blob();
const opened = stored.stream().pipeThrough(promises.openTransformStream(options));
await opened.pipeTo(new WritableStream<Uint8Array>());
const hashing = promises.hashTransformStream('sha256', 'hex');
await new Response(body.pipeThrough(hashing)).blob();
is<Promise<string>>()(hashing.digest);
body
  .pipeThrough(promises.hashTransformStream('sha256'))
  .pipeThrough(promises.sealTransformStreamWithKey(key))
  .pipeThrough(new TextDecoderStream());
promises.hash('sha256', body);
promises.hash('sha256', stored);

// Results are what Blob, fetch and WebCrypto take.

new Blob([hash('sha256', key), sha256(key), gcm(key, key).encrypt(key), hmac('sha256', key, key)]);
new Response(seal('aes-256-gcm', { key, source: key }).subarray(1));
crypto.subtle.importKey('raw', randomBytes(32), 'AES-GCM', false, ['encrypt']);
subtle.importKey('raw', await scryptAsync('a', 'b', { N: 16, r: 8, p: 1 }), 'HKDF', false, []);

// millrace/webcrypto has the DOM's types.

is<Crypto>()(own);
is<SubtleCrypto>()(subtle);
is<Promise<CryptoKey>>()(subtle.importKey('raw', key, 'HKDF', false, ['deriveBits']));
