// The option `engine` in every call that takes it, and what `engines` reports.

import {
  argon2,
  cipher,
  configure,
  createHash,
  createHmac,
  createKey,
  engines,
  hash,
  hashFile,
  hashMany,
  hashPassword,
  hkdf,
  hmac,
  hmacMany,
  open,
  pbkdf2,
  scrypt,
  seal,
  verifyPassword,
} from 'millrace';
import type {
  CreateKeyOptions,
  EngineName,
  EngineOptions,
  Engines,
  EnginesOptions,
  Fallback,
  Hash,
  Hmac,
  KernelAlgorithm,
  KernelInterface,
  Key,
  ServedAlgorithm,
  Settings,
} from 'millrace';
import { aes_256_gcm, sha256 } from 'millrace/portable';
import promises from 'millrace/promises';

import { is, type Equal, type Expect } from './equal.mjs';

declare const key: Uint8Array;
declare const nonce: Uint8Array;
declare const iv: Uint8Array;
declare const bytes: Buffer;
declare const preference: readonly EngineName[];

type Names = Expect<Equal<EngineName, 'native' | 'portable' | 'kernel' | 'af_alg' | 'cryptodev'>>;

const one: EngineOptions = { engine: 'portable' };
const several: EngineOptions = { engine: ['kernel', 'native'] };
const none: EngineOptions = { engine: undefined };
const engine = 'portable';

// ---- synchronous
is<Buffer<ArrayBuffer>>()(hash('sha256', bytes, one));
is<string>()(hash('sha256', bytes, { engine, encoding: 'hex' }));
is<number>()(hash('sha256', bytes, { engine, target: bytes }));
is<Buffer<ArrayBuffer>>()(hash('sha256', bytes, { engine: preference }));
is<string>()(hmac('sha256', key, bytes, { engine, encoding: 'hex' }));
is<number>()(hmac('sha256', key, bytes, { engine, target: bytes }));
is<Buffer<ArrayBuffer>>()(hashMany('sha256', ['text'], { engine }));
is<string[]>()(hashMany('sha256', ['text'], { engine, encoding: 'hex' }));
is<Buffer<ArrayBuffer>>()(hmacMany('sha256', key, ['text'], { engine }));
is<string[]>()(hmacMany('sha256', key, ['text'], { engine, encoding: 'hex' }));
is<Buffer<ArrayBuffer>>()(seal('aes-256-gcm', { key, nonce, source: bytes, engine }));
is<Buffer<ArrayBuffer>>()(open('aes-256-gcm', { key, nonce, source: bytes, engine }));
is<Buffer<ArrayBuffer>>()(cipher('aes-256-ctr', { encrypt: true, key, iv, source: bytes, engine }));
is<Hash>()(createHash('sha256', { engine, highWaterMark: 4 }));
is<Hmac>()(createHmac('sha256', key, { engine }));
is<Key>()(createKey('aes-256-gcm', key, { engine: ['kernel', 'native'] }));
is<Buffer<ArrayBuffer>>()(scrypt('password', 'salt', 32, { N: 16, engine }));
is<Buffer<ArrayBuffer>>()(pbkdf2('password', 'salt', 3, 32, 'sha256', { engine }));
is<Buffer<ArrayBuffer>>()(hkdf('sha256', 'secret', 'salt', 'info', 32, { engine }));
is<Buffer<ArrayBuffer>>()(argon2('argon2id', { message: 'password', nonce: 'salt', engine }));
is<string>()(hashPassword('password', { engine }));
is<boolean>()(verifyPassword('password', '$2b$', { engine }));
is<Buffer<ArrayBuffer>>()(hashFile('sha256', 'path', { engine }));

// ---- with a callback
is<void>()(
  hash('sha256', bytes, { engine }, (_error, digest) => is<Buffer<ArrayBuffer>>()(digest)),
);
is<void>()(
  hmac('sha256', key, bytes, { engine, encoding: 'hex' }, (_error, digest) => is<string>()(digest)),
);
is<void>()(
  hmacMany('sha256', key, ['text'], { engine }, (_error, digests) =>
    is<Buffer<ArrayBuffer>>()(digests),
  ),
);
is<void>()(
  scrypt('password', 'salt', 32, { engine }, (_error, derived) =>
    is<Buffer<ArrayBuffer>>()(derived),
  ),
);

// ---- promises
is<Promise<Buffer<ArrayBuffer>>>()(promises.hash('sha256', bytes, { engine }));
is<Promise<string>>()(promises.hash('sha256', bytes, 'hex', { engine }));
is<Promise<string>>()(promises.hmac('sha256', key, bytes, 'hex', { engine: preference }));
is<Promise<Buffer<ArrayBuffer>>>()(promises.hashMany('sha256', ['text'], { engine }));
is<Promise<Buffer<ArrayBuffer>>>()(
  promises.seal('aes-256-gcm', { key, nonce, source: bytes, engine }),
);
is<Promise<Buffer<ArrayBuffer>>>()(
  promises.pbkdf2('password', 'salt', 3, 32, 'sha256', { engine }),
);

// ---- settings and report
is<Settings>()(configure({ engine: 'auto' }));
configure({ engine: 'kernel' });
configure({ engine: ['kernel', 'native'] });
is<'auto' | EngineName | readonly EngineName[]>()(configure().engine);
is<Engines>()(engines({ probe: ['kernel'] }));
is<boolean | undefined>()(engines().kernel.available);
is<ServedAlgorithm | undefined>()(
  engines().portable.algorithms['sha256'] as ServedAlgorithm | undefined,
);
is<readonly Fallback[]>()(engines().fallbacks);
const asked: EnginesOptions = { probe: preference };
const prepared: CreateKeyOptions = { engine: 'native' };
const known: KernelAlgorithm = {
  interface: 'af_alg',
  af_alg: { driver: 'sha256-ni' },
  cryptodev: {},
};
const kernelInterface: KernelInterface = {
  driver: 'x',
  accelerator: true,
  maxMessage: 65536,
  reason: 'why',
};

// ---- names that are not engines
// @ts-expect-error there is no such engine
hash('sha256', bytes, { engine: 'gpu' });
// @ts-expect-error for a call there is nothing automatic
hash('sha256', bytes, { engine: 'auto' });
// @ts-expect-error
configure({ engine: ['auto'] });
// @ts-expect-error
createHash('sha256', { engine: 1 });
// @ts-expect-error
engines({ probe: 'kernel' });

// ---- millrace/portable gives Uint8Arrays everywhere
is<Uint8Array<ArrayBuffer>>()(sha256(bytes));
is<string>()(sha256(bytes, 'hex'));
void aes_256_gcm;
void [one, several, none, asked, prepared, known, kernelInterface];
type _All = Names;
