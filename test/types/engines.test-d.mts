// The option `engine` in every call that takes it, and what `engines` reports.

import * as millrace from 'millrace';
import { aes_256_gcm, sha256 } from 'millrace/portable';
import promises from 'millrace/promises';

import { is, isBoolean, isNumber, isString, isVoid, type Equal, type Expect } from './equal.mjs';

const isBuffer = is<Buffer<ArrayBuffer>>();
const isBufferLater = is<Promise<Buffer<ArrayBuffer>>>();

const { cipher, createHash, createHmac, createKey, hash, hashMany, hmac, hmacMany } = millrace;
const { argon2, hashPassword, hkdf, open, pbkdf2, scrypt, seal, verifyPassword } = millrace;
const { configure, engines, hashFile } = millrace;

declare const key: Uint8Array;
declare const nonce: Uint8Array;
declare const iv: Uint8Array;
declare const bytes: Buffer;
declare const preference: readonly millrace.EngineName[];

type Names = Expect<
  Equal<millrace.EngineName, 'native' | 'portable' | 'kernel' | 'af_alg' | 'cryptodev'>
>;

const one: millrace.EngineOptions = { engine: 'portable' };
const several: millrace.EngineOptions = { engine: ['kernel', 'native'] };
const none: millrace.EngineOptions = { engine: undefined };
const engine = 'portable';

// ---- synchronous
isBuffer(hash('sha256', bytes, one));
isString(hash('sha256', bytes, { engine, encoding: 'hex' }));
isNumber(hash('sha256', bytes, { engine, target: bytes }));
isBuffer(hash('sha256', bytes, { engine: preference }));
isString(hmac('sha256', key, bytes, { engine, encoding: 'hex' }));
isNumber(hmac('sha256', key, bytes, { engine, target: bytes }));
isBuffer(hashMany('sha256', ['text'], { engine }));
is<string[]>()(hashMany('sha256', ['text'], { engine, encoding: 'hex' }));
isBuffer(hmacMany('sha256', key, ['text'], { engine }));
is<string[]>()(hmacMany('sha256', key, ['text'], { engine, encoding: 'hex' }));
isBuffer(seal('aes-256-gcm', { key, nonce, source: bytes, engine }));
isBuffer(open('aes-256-gcm', { key, nonce, source: bytes, engine }));
isBuffer(cipher('aes-256-ctr', { encrypt: true, key, iv, source: bytes, engine }));
is<millrace.Hash>()(createHash('sha256', { engine, highWaterMark: 4 }));
is<millrace.Hmac>()(createHmac('sha256', key, { engine }));
is<millrace.Key>()(createKey('aes-256-gcm', key, { engine: ['kernel', 'native'] }));
isBuffer(scrypt('password', 'salt', 32, { N: 16, engine }));
isBuffer(pbkdf2('password', 'salt', 3, 32, 'sha256', { engine }));
isBuffer(hkdf('sha256', 'secret', 'salt', 'info', 32, { engine }));
isBuffer(argon2('argon2id', { message: 'password', nonce: 'salt', engine }));
isString(hashPassword('password', { engine }));
isBoolean(verifyPassword('password', '$2b$', { engine }));
isBuffer(hashFile('sha256', 'path', { engine }));

// ---- with a callback
isVoid(hash('sha256', bytes, { engine }, (_error, digest) => isBuffer(digest)));
isVoid(
  hmac('sha256', key, bytes, { engine, encoding: 'hex' }, (_error, digest) => isString(digest)),
);
isVoid(hmacMany('sha256', key, ['text'], { engine }, (_error, digests) => isBuffer(digests)));
isVoid(scrypt('password', 'salt', 32, { engine }, (_error, derived) => isBuffer(derived)));

// ---- promises
isBufferLater(promises.hash('sha256', bytes, { engine }));
is<Promise<string>>()(promises.hash('sha256', bytes, 'hex', { engine }));
is<Promise<string>>()(promises.hmac('sha256', key, bytes, 'hex', { engine: preference }));
isBufferLater(promises.hashMany('sha256', ['text'], { engine }));
isBufferLater(promises.seal('aes-256-gcm', { key, nonce, source: bytes, engine }));
isBufferLater(promises.pbkdf2('password', 'salt', 3, 32, 'sha256', { engine }));

// ---- settings and report
is<millrace.Settings>()(configure({ engine: 'auto' }));
configure({ engine: 'kernel' });
configure({ engine: ['kernel', 'native'] });
is<'auto' | millrace.EngineName | readonly millrace.EngineName[]>()(configure().engine);
is<millrace.Engines>()(engines({ probe: ['kernel'] }));
is<boolean | undefined>()(engines().kernel.available);
is<millrace.ServedAlgorithm | undefined>()(
  engines().portable.algorithms['sha256'] as millrace.ServedAlgorithm | undefined,
);
is<readonly millrace.Fallback[]>()(engines().fallbacks);
const asked: millrace.EnginesOptions = { probe: preference };
const prepared: millrace.CreateKeyOptions = { engine: 'native' };
const known: millrace.KernelAlgorithm = {
  interface: 'af_alg',
  af_alg: { driver: 'sha256-ni' },
  cryptodev: {},
};
const kernelInterface: millrace.KernelInterface = {
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
isString(sha256(bytes, 'hex'));
void aes_256_gcm;
void [one, several, none, asked, prepared, known, kernelInterface];
type _All = Names;
