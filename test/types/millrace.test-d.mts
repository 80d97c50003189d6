// Overloads of `millrace`: with a callback nothing is returned, without one the result is; an
// encoding decides the type of a digest, a target turns the result into a number.

import { createSecretKey } from 'node:crypto';
import { PassThrough, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';

import millrace, {
  argon2,
  cipher,
  Cipher,
  configure,
  createCipher,
  createDecipher,
  createHash,
  createHmac,
  createKey,
  Decipher,
  engines,
  generateKey,
  getCiphers,
  getHashes,
  Hash,
  hash,
  hashMany,
  hashPairs,
  hashPassword,
  hkdf,
  unwrapKey,
  wrapKey,
  Hmac,
  hmac,
  hmacMany,
  MillraceError,
  needsRehash,
  open,
  pbkdf2,
  randomBytes,
  scrypt,
  seal,
  sealStream,
  timingSafeEqual,
  verifyPassword,
} from 'millrace';
import type {
  Argon2Parameters,
  Bytes,
  Callback,
  CipherOptions,
  CopyOptions,
  CreateHashOptions,
  CreateHmacOptions,
  Data,
  DerivationProgress,
  DigestEncoding,
  Encoding,
  ErrorCode,
  FileError,
  Hasher,
  HashOptions,
  HashPasswordOptions,
  Key,
  OpenOptions,
  PackedSources,
  RouteName,
  SealOptions,
  Sources,
  VerifyPasswordOptions,
} from 'millrace';

import { is, type Equal, type Expect } from './equal.mjs';

declare const key: Uint8Array;
declare const iv: Buffer;
declare const bytes: Buffer;
declare const target: Buffer;

// ---- hash
is<Buffer<ArrayBuffer>>()(hash('sha256', 'text'));
is<Buffer<ArrayBuffer>>()(hash('sha256', bytes));
is<Buffer<ArrayBuffer>>()(hash('sha256', new DataView(new ArrayBuffer(4))));
is<Buffer<ArrayBuffer>>()(hash('sha256', new ArrayBuffer(4)));
is<Buffer<ArrayBuffer>>()(hash('sha256', new SharedArrayBuffer(4)));
is<Buffer<ArrayBuffer>>()(hash('sha256', new Float64Array(4)));
is<Buffer<ArrayBuffer>>()(hash('sha256', bytes, 'buffer'));
is<string>()(hash('sha256', bytes, 'hex'));
is<string>()(hash('sha256', bytes, 'base64'));
is<string>()(hash('sha256', bytes, 'base64url'));
is<`0x${string}`>()(hash('keccak256', bytes, '0xhex'));
is<`0x${string}`>()(hash('keccak256', bytes, { encoding: '0xhex' }));
is<`0x${string}`[]>()(hashMany('keccak256', [bytes], '0xhex'));
is<`0x${string}`>()(createHash('sha256').digest('0xhex'));
is<bigint>()(hash('sha256', bytes, 'bigint'));
is<Buffer<ArrayBuffer>>()(hash('blake3', bytes, { outputLength: 64, key }));
is<Buffer<ArrayBuffer>>()(hash('xxh64', bytes, { seed: 1n }));
is<Buffer<ArrayBuffer>>()(hash('xxh64', bytes, { seed: 1 }));
is<string>()(hash('blake3', bytes, { encoding: 'hex', outputLength: 64 }));
is<bigint>()(hash('xxh64', bytes, { encoding: 'bigint', seed: 1 }));
is<number>()(hash('sha256', bytes, { target }));
is<number>()(hash('sha256', bytes, { target, targetOffset: 4 }));
is<void>()(hash('sha256', bytes, (_error, digest) => is<Buffer<ArrayBuffer>>()(digest)));
is<void>()(
  hash('sha256', bytes, 'hex', (error, digest) => {
    is<MillraceError | NodeJS.ErrnoException | null>()(error);
    is<string>()(digest);
  }),
);
is<void>()(hash('sha256', bytes, 'bigint', (_error, digest) => is<bigint>()(digest)));
is<void>()(
  hash('shake128', bytes, { outputLength: 4 }, (_error, digest) =>
    is<Buffer<ArrayBuffer>>()(digest),
  ),
);
is<void>()(hash('sha256', bytes, { encoding: 'base64' }, (_error, digest) => is<string>()(digest)));
is<void>()(hash('sha256', bytes, { target }, (_error, written) => is<number>()(written)));

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
is<Buffer<ArrayBuffer>>()(hmac('sha256', key, bytes));
is<Buffer<ArrayBuffer>>()(hmac('sha256', 'key', 'text'));
is<Buffer<ArrayBuffer>>()(hmac('sha256', createKey('hmac-sha256', 'key'), 'text'));
is<string>()(hmac('sha256', key, bytes, 'hex'));
is<bigint>()(hmac('sha256', key, bytes, 'bigint'));
is<string>()(hmac('sha256', key, bytes, { encoding: 'base64url' }));
is<number>()(hmac('sha256', key, bytes, { target, targetOffset: 3 }));
is<void>()(hmac('sha256', key, bytes, (_error, mac) => is<Buffer<ArrayBuffer>>()(mac)));
is<void>()(hmac('sha256', key, bytes, 'hex', (_error, mac) => is<string>()(mac)));
is<void>()(hmac('sha256', key, bytes, { target }, (_error, written) => is<number>()(written)));

// @ts-expect-error a key is needed
hmac('sha256', bytes);
// @ts-expect-error a key is not a number
hmac('sha256', 5, bytes);
// @ts-expect-error one number too few
hmac('sha256', key, 0, 4, bytes, 0, 4, target);

// ---- seal and open
is<Buffer<ArrayBuffer>>()(seal('aes-256-gcm', { key, nonce: iv, source: 'text' }));
is<Buffer<ArrayBuffer>>()(
  seal('aes-256-gcm', { key, nonce: iv, source: bytes, aad: 'aad', authTagLength: 12 }),
);
is<Buffer<ArrayBuffer>>()(
  seal('aes-256-gcm', { key: createKey('aes-256-gcm', key), nonce: iv, source: bytes }),
);
is<number>()(seal('aes-256-gcm', { key, nonce: iv, source: bytes, target, targetOffset: 1 }));
is<void>()(
  seal('aes-256-gcm', { key, nonce: iv, source: bytes }, (_error, sealed) =>
    is<Buffer<ArrayBuffer>>()(sealed),
  ),
);
is<void>()(
  seal('aes-256-gcm', { key, nonce: iv, source: bytes, target }, (_error, written) =>
    is<number>()(written),
  ),
);
is<Buffer<ArrayBuffer>>()(open('aes-256-gcm', { key, nonce: iv, source: bytes }));
is<number>()(open('aes-256-gcm', { key, nonce: iv, source: bytes, target }));
is<void>()(
  open('aes-256-gcm', { key, nonce: iv, source: bytes }, (_error, message) =>
    is<Buffer<ArrayBuffer>>()(message),
  ),
);
is<void>()(
  open('aes-256-gcm', { key, nonce: iv, source: bytes, target }, (_error, written) =>
    is<number>()(written),
  ),
);

is<Buffer<ArrayBuffer>>()(seal('xchacha20-poly1305', { key, source: bytes }));
is<Buffer<ArrayBuffer>>()(open('xchacha20-poly1305', { key, source: bytes }));
// @ts-expect-error a key is needed
seal('aes-256-gcm', { nonce: iv, source: bytes });
// @ts-expect-error a source is needed
open('aes-256-gcm', { key, nonce: iv });
// @ts-expect-error a key is not text
seal('aes-256-gcm', { key: 'key', nonce: iv, source: bytes });
// @ts-expect-error what is opened is bytes, not text
open('aes-256-gcm', { key, nonce: iv, source: 'text' });
// @ts-expect-error there is no such option
seal('aes-256-gcm', { key, nonce: iv, source: bytes, tagSize: 16 });
// @ts-expect-error a separate tag is for cipher
seal('aes-256-gcm', { key, nonce: iv, source: bytes, tag: target });
// @ts-expect-error the signal is for the promises
seal('aes-256-gcm', { key, nonce: iv, source: bytes, signal: new AbortController().signal });

// ---- routes
is<void>()(
  hash('sha256', bytes, { route: 'pool' }, (_error, digest) => is<Buffer<ArrayBuffer>>()(digest)),
);
is<void>()(
  hash('sha256', bytes, { encoding: 'hex', route: 'inline' }, (_error, digest) =>
    is<string>()(digest),
  ),
);
is<void>()(
  hash('sha256', bytes, { target, route: 'split' }, (_error, written) => is<number>()(written)),
);
is<void>()(
  hmac('sha256', key, bytes, { route: 'auto' }, (_error, mac) => is<Buffer<ArrayBuffer>>()(mac)),
);
is<void>()(
  seal('aes-256-gcm', { key, nonce: iv, source: bytes, route: 'split' }, (_error, sealed) =>
    is<Buffer<ArrayBuffer>>()(sealed),
  ),
);
is<void>()(
  open(
    'aes-256-gcm',
    { key, nonce: iv, source: bytes, target, route: undefined },
    (_error, written) => is<number>()(written),
  ),
);
is<void>()(
  cipher('aes-256-ctr', { encrypt: true, key, iv, source: bytes, route: 'pool' }, (_error, text) =>
    is<Buffer<ArrayBuffer>>()(text),
  ),
);
is<void>()(
  hashMany('sha256', ['text'], { encoding: 'hex', route: 'pool' }, (_error, digests) =>
    is<string[]>()(digests),
  ),
);
is<RouteName>()(configure().route);
is<number>()(configure({ route: 'split', maxQueuedBytes: 2 ** 28 }).maxQueuedBytes);
is<number | undefined>()(engines().costs['sha256']?.splitFrom);
is<boolean>()(engines().costs['sha256']!.measured);
is<number>()(engines().queuedBytes);

// @ts-expect-error a synchronous call takes no route
hash('sha256', bytes, { route: 'pool' });
// @ts-expect-error a synchronous call takes no route
seal('aes-256-gcm', { key, nonce: iv, source: bytes, route: 'pool' });
// @ts-expect-error there is no such route
seal('aes-256-gcm', { key, nonce: iv, source: bytes, route: 'fast' }, () => {});
// @ts-expect-error a route is a name
configure({ route: 1 });

// ---- cipher
is<Buffer<ArrayBuffer>>()(cipher('aes-256-ctr', { encrypt: true, key, iv, source: bytes }));
is<Buffer<ArrayBuffer>>()(cipher('aes-256-ctr', { encrypt: 0, key, iv, source: 'text' }));
is<Buffer<ArrayBuffer>>()(
  cipher('aes-256-gcm', { encrypt: true, key, iv, source: bytes, aad: bytes, tag: target }),
);
is<number>()(cipher('aes-256-ctr', { encrypt: true, key, iv, source: bytes, target }));
is<Buffer<ArrayBuffer>>()(cipher('aes-256-ctr', 1, key, iv, bytes));
is<Buffer<ArrayBuffer>>()(cipher('aes-256-ctr', true, createKey('aes-256-ctr', key), iv, bytes));
is<Buffer<ArrayBuffer>>()(cipher('aes-256-gcm', 1, key, iv, bytes, bytes, target));
is<void>()(
  cipher('aes-256-ctr', { encrypt: true, key, iv, source: bytes }, (_error, text) =>
    is<Buffer<ArrayBuffer>>()(text),
  ),
);
is<void>()(
  cipher('aes-256-ctr', { encrypt: true, key, iv, source: bytes, target }, (_error, written) =>
    is<number>()(written),
  ),
);
is<void>()(
  cipher('aes-256-ctr', 1, key, iv, bytes, (_error, text) => is<Buffer<ArrayBuffer>>()(text)),
);
is<void>()(
  cipher('aes-256-gcm', 1, key, iv, bytes, bytes, target, (_error, text) =>
    is<Buffer<ArrayBuffer>>()(text),
  ),
);

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
is<Key>()(createKey('aes-256-gcm', key));
is<string>()(createKey('hmac-sha1', 'text').algorithm);
is<number>()(createKey('hmac-sha1', 'text').size);
is<boolean>()(createKey('hmac-sha1', 'text').disposed);
is<void>()(createKey('hmac-sha1', 'text').dispose());
{
  using scoped = createKey('blake3', key);
  is<Key>()(scoped);
}
// @ts-expect-error a key's algorithm is not to be changed
createKey('hmac-sha1', 'text').algorithm = 'sha256';
// @ts-expect-error a key is made of something
createKey('hmac-sha1');

// ---- hashers
const hasher = createHash('sha256');
is<Hash>()(hasher);
is<Hash>()(createHash('shake128', { outputLength: 4, highWaterMark: 5 }));
is<Hash>()(createHash('xxh64', { seed: 1n, state: bytes }));
is<Hash>()(createHash('blake3', { key: createKey('blake3', bytes) }));
is<Hmac>()(createHmac('sha256', 'key'));
is<Hmac>()(createHmac('sha256', bytes, { state: bytes, encoding: 'hex' }));
is<Hmac>()(createHmac('sha256', createKey('hmac-sha256', 'key')));
is<Hmac>()(createHmac('sha256', createSecretKey(bytes)));
is<Hash>()(hasher.update('text'));
is<Hash>()(hasher.update('text', 'latin1'));
is<Hash>()(hasher.update(bytes));
is<Hash>()(hasher.update(new ArrayBuffer(4)));
is<Hash>()(hasher.update(bytes, 0, 4));
is<Hash>()(
  hasher.update(bytes, 0, 4, (error) => is<MillraceError | NodeJS.ErrnoException | null>()(error)),
);
is<Hash>()(
  hasher.update('text', 'hex', (error) =>
    is<MillraceError | NodeJS.ErrnoException | null>()(error),
  ),
);
is<Hash>()(hasher.update(bytes, () => {}));
is<Hmac>()(createHmac('sha256', 'key').update(bytes));
is<Promise<void>>()(hasher.updateAsync('text'));
is<Promise<void>>()(hasher.updateAsync('text', 'base64'));
is<Promise<void>>()(hasher.updateAsync(bytes, 0, 4));
is<Buffer<ArrayBuffer>>()(hasher.digest());
is<Buffer<ArrayBuffer>>()(hasher.digest('buffer'));
is<string>()(hasher.digest('hex'));
is<string>()(hasher.digest('latin1'));
is<bigint>()(hasher.digest('bigint'));
is<void>()(hasher.digest((_error, digest) => is<Buffer<ArrayBuffer>>()(digest)));
is<void>()(hasher.digest('hex', (_error, digest) => is<string>()(digest)));
is<void>()(hasher.digest('bigint', (_error, digest) => is<bigint>()(digest)));
is<Promise<Buffer<ArrayBuffer>>>()(hasher.digestAsync());
is<Promise<string>>()(hasher.digestAsync('hex'));
is<Promise<bigint>>()(hasher.digestAsync('bigint'));
is<number>()(hasher.digestInto(target));
is<number>()(hasher.digestInto(new ArrayBuffer(40), 4));
is<Hash>()(hasher.copy());
is<Hash>()(hasher.copy({ outputLength: 4, highWaterMark: 5 }));
is<Hmac>()(createHmac('sha256', 'key').copy());
is<Hash>()(hasher.reset());
is<Buffer<ArrayBuffer>>()(hasher.exportState());
is<Buffer<ArrayBuffer>>()(hasher.squeeze(4));
is<string>()(hasher.squeeze(4, 'hex'));
is<bigint>()(hasher.squeeze(4, 'bigint'));
is<number>()(hasher.squeezeInto(target, 0, 4));
is<string>()(hasher.algorithm);
is<number>()(hasher.outputLength);
is<number>()(hasher.blockSize);
is<PassThrough>()(hasher.pipe(new PassThrough()));
is<Promise<void>>()(pipeline(new PassThrough(), hasher, new PassThrough()));
const transform: Transform = hasher;
const either: Hasher = Math.random() < 0.5 ? hasher : createHmac('sha256', 'key');
is<string>()(either.digest('hex'));
transform.end();

// @ts-expect-error hashers are made by createHash
new Hash('sha256');
// @ts-expect-error hashers are made by createHmac
new Hmac();
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
type _DigestEncodings = Expect<Equal<DigestEncoding, Encoding | BufferEncoding>>;

// ---- files
const path = new URL('file:///a');
is<Buffer<ArrayBuffer>[]>()(millrace.hashFiles('sha256', ['a', path, bytes as Buffer]));
is<string[]>()(millrace.hashFiles('sha256', new Set(['a']), 'hex'));
is<`0x${string}`[]>()(millrace.hashFiles('sha256', ['a'], '0xhex'));
is<bigint[]>()(millrace.hashFiles('blake3', ['a'], { encoding: 'bigint', key: 'k' as never }));
is<(string | FileError)[]>()(
  millrace.hashFiles('sha256', ['a'], { encoding: 'hex', errors: 'return' }),
);
is<void>()(
  millrace.hashFiles('sha256', ['a'], (_error, digests) => is<Buffer<ArrayBuffer>[]>()(digests)),
);
is<void>()(millrace.hashFiles('sha256', ['a'], 'hex', (_error, all) => is<string[]>()(all)));
is<void>()(
  millrace.hashFiles('sha256', ['a'], { errors: 'return' }, (_error, digests) =>
    is<(Buffer<ArrayBuffer> | FileError)[]>()(digests),
  ),
);
// @ts-expect-error: one path is not many
millrace.hashFiles('sha256', 5);
// @ts-expect-error: a target has no room for errors
millrace.hashFiles('sha256', ['a'], { target });

// ---- batches
const packed: PackedSources = { data: bytes, size: 4 };
const several: Sources = ['text', bytes, new ArrayBuffer(4)];
is<Buffer<ArrayBuffer>>()(hashPairs('sha256', bytes));
is<number>()(hashPairs('sha256', bytes, bytes));
// @ts-expect-error the third argument is memory, no options
hashPairs('sha256', bytes, { target: bytes });

is<Buffer<ArrayBuffer>>()(hashMany('sha256', several));
is<Buffer<ArrayBuffer>>()(hashMany('sha256', packed));
is<string[]>()(hashMany('sha256', new Set(['a']), 'hex'));
declare const awaited: AsyncIterable<string>;
// @ts-expect-error: only millrace/promises waits for messages
hashMany('sha256', awaited);
is<Buffer<ArrayBuffer>>()(hashMany('sha256', ['a', 'b'] as const));
is<string[]>()(hashMany('sha256', several, 'hex'));
is<Buffer<ArrayBuffer>[]>()(hashMany('sha256', several, 'buffer'));
is<bigint[]>()(hashMany('sha256', several, 'bigint'));
is<bigint[]>()(hashMany('xxh64', several, { encoding: 'bigint', seed: 1 }));
is<Buffer<ArrayBuffer>>()(hashMany('shake128', several, { outputLength: 4 }));
is<number>()(hashMany('sha256', several, { target }));
is<number>()(hashMany('sha256', packed, { target, targetOffset: 4 }));
is<void>()(hashMany('sha256', several, (_error, digests) => is<Buffer<ArrayBuffer>>()(digests)));
is<void>()(hashMany('sha256', several, 'hex', (_error, digests) => is<string[]>()(digests)));
is<void>()(hashMany('sha256', several, { target }, (_error, written) => is<number>()(written)));
is<void>()(
  hashMany('sha256', several, { encoding: 'base64' }, (_error, digests) => is<string[]>()(digests)),
);
is<Buffer<ArrayBuffer>>()(hmacMany('sha256', 'key', several));
is<Buffer<ArrayBuffer>>()(hmacMany('sha256', createKey('hmac-sha256', 'key'), packed));
is<string[]>()(hmacMany('sha256', bytes, several, 'base64url'));
is<bigint[]>()(hmacMany('sha256', bytes, several, { encoding: 'bigint' }));
is<number>()(hmacMany('sha256', bytes, several, { target }));
is<void>()(hmacMany('sha256', bytes, several, (_error, codes) => is<Buffer<ArrayBuffer>>()(codes)));
is<void>()(hmacMany('sha256', bytes, several, 'hex', (_error, codes) => is<string[]>()(codes)));
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
is<string[]>()(getCiphers());
is<string[]>()(getHashes());
// ---- key derivation
is<Buffer<ArrayBuffer>>()(scrypt('password', 'salt', 64));
is<Buffer<ArrayBuffer>>()(
  scrypt(key, new ArrayBuffer(8), 64, {
    cost: 16,
    blockSize: 4,
    parallelization: 2,
    maxmem: 2 ** 20,
  }),
);
is<void>()(
  scrypt('password', 'salt', 64, (error, derived) => {
    is<MillraceError | NodeJS.ErrnoException | null>()(error);
    is<Buffer<ArrayBuffer>>()(derived);
  }),
);
is<void>()(
  scrypt('password', 'salt', 64, { N: 16, signal: new AbortController().signal }, () => {}),
);
is<Buffer<ArrayBuffer>>()(pbkdf2('password', 'salt', 1000, 32, 'sha256'));
is<void>()(pbkdf2('password', 'salt', 1000, 32, 'sha256', () => {}));
is<void>()(
  pbkdf2(
    'password',
    'salt',
    1000,
    32,
    'sha256',
    { onProgress: (progress: DerivationProgress) => is<number>()(progress.fraction) },
    () => {},
  ),
);
is<Buffer<ArrayBuffer>>()(hkdf('sha256', createSecretKey(key), 'salt', 'info', 32));
is<void>()(hkdf('sha256', key, 'salt', 'info', 32, () => {}));
is<Buffer<ArrayBuffer>>()(
  hkdf.extract('sha256', createSecretKey(key), 'salt', { engine: 'native' }),
);
is<void>()(hkdf.extract('sha256', key, 'salt', (_error, prk) => is<Buffer<ArrayBuffer>>()(prk)));
is<Buffer<ArrayBuffer>>()(hkdf.expand('sha256', key, 'info', 32));
is<void>()(hkdf.expand('sha256', key, 'info', 32, { onProgress() {} }, () => {}));
// @ts-expect-error a size is missing
hkdf.expand('sha256', key, 'info');
is<Buffer<ArrayBuffer>>()(wrapKey('aes-256-kw', { key: createSecretKey(key), source: key }));
is<void>()(
  unwrapKey('aes-256-kwp', { key, source: bytes }, (_error, found) =>
    is<Buffer<ArrayBuffer>>()(found),
  ),
);
// @ts-expect-error a wrapped key is bytes
unwrapKey('aes-256-kwp', { key, source: createSecretKey(key) });
is<string>()(hashPassword('password', { algorithm: 'bcrypt', cost: 10 }));
const argon2ing: Argon2Parameters = {
  message: 'password',
  nonce: bytes,
  parallelism: 1,
  tagLength: 32,
  memory: 64,
  passes: 1,
  secret: key,
  associatedData: 'x',
};
is<Buffer<ArrayBuffer>>()(argon2('argon2id', argon2ing));
is<void>()(
  argon2('argon2d', { ...argon2ing, onProgress() {} }, (_error, derived) =>
    is<Buffer<ArrayBuffer>>()(derived),
  ),
);
const passwords: HashPasswordOptions = {
  algorithm: 'argon2i',
  memory: 64,
  passes: 1,
  parallelism: 1,
  secret: 'pepper',
  saltLength: 8,
  hashLength: 16,
};
is<string>()(hashPassword('password', passwords));
is<void>()(hashPassword('password', (_error, hash) => is<string>()(hash)));
const verifying: VerifyPasswordOptions = { secret: 'pepper', maxMemory: 2 ** 20, maxTime: 100 };
is<boolean>()(verifyPassword('password', '$argon2id$...', verifying));
is<void>()(
  verifyPassword('password', '$argon2id$...', verifying, (_error, right) => is<boolean>()(right)),
);
is<boolean>()(needsRehash('$argon2id$...', { algorithm: 'scrypt' }));
is<boolean>()(timingSafeEqual(bytes, new Uint16Array(2)));
is<number>()(configure({ maxKdfMemory: 2 ** 28 }).maxKdfMemory);
is<number>()(engines().kdf.memory + engines().kdf.waiting);
// @ts-expect-error a number, not a text
scrypt('password', 'salt', '64');
// @ts-expect-error a Buffer is not a password hash
verifyPassword('password', bytes);
// @ts-expect-error a string might be compared by its letters
timingSafeEqual('a', 'b');

is<number>()(configure().threads);
is<number>()(configure({ threads: 2 }).threads);
is<boolean>()(configure({ recycle: false }).recycle);
is<boolean>()(engines().native.available);
is<number>()(engines().threads.started);
// @ts-expect-error no such setting
configure({ thread: 2 });

const error: unknown = undefined;
if (error instanceof MillraceError) {
  is<ErrorCode>()(error.code);
  is<string>()(error.message);
  // @ts-expect-error no such code
  error.code === 'ERR_NOTHING';
}
type _Codes = Expect<Equal<'ERR_AUTHENTICATION' extends ErrorCode ? true : false, true>>;
type _Encodings = Expect<
  Equal<Encoding, 'buffer' | 'hex' | '0xhex' | 'base64' | 'base64url' | 'bigint'>
>;
type _Data = Expect<Equal<Data, Bytes | string>>;

// The default export has the same members as the names.
is<typeof hash>()(millrace.hash);
is<typeof seal>()(millrace.seal);
is<typeof MillraceError>()(millrace.MillraceError);

// The types of the options can be named.
const sealing: SealOptions = { key, nonce: iv, source: bytes };
const opening: OpenOptions = { key, nonce: iv, source: bytes };
const ciphering: CipherOptions = { encrypt: true, key, iv, source: bytes };
const hashing: HashOptions = { outputLength: 4 };
const beginning: CreateHashOptions = { seed: 1, state: bytes };
const authenticating: CreateHmacOptions = { state: bytes, highWaterMark: 4 };
const copying: CopyOptions = { outputLength: 4 };
is<Hash>()(createHash('xxh64', beginning).copy(copying));
is<Hmac>()(createHmac('sha256', 'key', authenticating));
const callback: Callback<Buffer> = (_error, _digest) => {};
is<Buffer<ArrayBuffer>>()(seal('aes-256-gcm', sealing));
is<Buffer<ArrayBuffer>>()(open('aes-256-gcm', opening));
is<Buffer<ArrayBuffer>>()(cipher('aes-256-ctr', ciphering));
hash('shake128', bytes, hashing);
is<void>()(hash('sha256', bytes, callback));

// ---- with a passphrase
is<void>()(
  millrace.sealWithPassphrase('pass', 'text', (_error, sealed) =>
    is<Buffer<ArrayBuffer>>()(sealed),
  ),
);
is<void>()(
  millrace.openWithPassphrase('pass', bytes, { maxTime: 100 }, (_error, opened) =>
    is<Buffer<ArrayBuffer>>()(opened),
  ),
);
// @ts-expect-error there is no synchronous form
millrace.sealWithPassphrase('pass', 'text');

// ---- results are bytes of an ArrayBuffer, which fetch and crypto.subtle ask for
is<Promise<ArrayBuffer>>()(crypto.subtle.digest('SHA-256', hash('sha256', 'text')));

// Incremental ciphers.
const pieces = { key: bytes, nonce: bytes };
is<Cipher>()(createCipher('aes-256-gcm', { ...pieces, aad: 'text', highWaterMark: 4 }));
is<Decipher>()(createDecipher('aes-256-gcm', { ...pieces, authTag: bytes, unverified: true }));
is<Buffer<ArrayBuffer>>()(createCipher('aes-256-gcm', pieces).update('text', 'utf8'));
is<void>()(createCipher('aes-256-gcm', pieces).update(bytes, (_error, text) => text.length));
is<Promise<Buffer<ArrayBuffer>>>()(createCipher('aes-256-gcm', pieces).updateAsync(bytes));
is<number>()(createCipher('aes-256-gcm', pieces).updateInto(bytes, bytes, 1));
is<Promise<number>>()(createCipher('aes-256-gcm', pieces).updateIntoAsync(bytes, bytes));
is<Buffer<ArrayBuffer>>()(createCipher('aes-256-gcm', pieces).final());
is<void>()(createDecipher('aes-256-gcm', pieces).final((_error, text) => text.length));
is<Promise<Buffer<ArrayBuffer>>>()(createDecipher('aes-256-gcm', pieces).finalAsync());
is<Buffer<ArrayBuffer>>()(createCipher('aes-256-gcm', pieces).authTag);
is<Decipher>()(createDecipher('aes-256-gcm', pieces).setAuthTag(bytes).copy());
// @ts-expect-error a cipher has no copy
createCipher('aes-256-gcm', pieces).copy();
// @ts-expect-error a key is required
createCipher('aes-256-gcm', { nonce: bytes });
// @ts-expect-error unverified is for deciphers
createCipher('aes-256-gcm', { ...pieces, unverified: true });

// random bytes, keys and sealed streams
is<Buffer<ArrayBuffer>>()(randomBytes(32));
is<Buffer<ArrayBuffer>>()(generateKey('hmac-sha256'));
sealStream({ algorithm: 'aes-256-gcm', key: generateKey('aes-256-gcm') });
seal('AES-256-GCM', { key: randomBytes(32), source: 'text' });
// @ts-expect-error not the name of a cipher
seal('aes256gcm', { key: randomBytes(32), source: 'text' });
// @ts-expect-error a cipher without authentication
seal('aes-256-ctr', { key: randomBytes(32), source: 'text' });
// @ts-expect-error a cipher without authentication
open('chacha20', { key: randomBytes(32), source: randomBytes(32) });
