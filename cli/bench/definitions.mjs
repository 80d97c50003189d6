// The measurements, as data. One row of the table is one of these at one size.
//
//   group      cipher | aead | hash | hmac | kdf, and in the table of digests:
//              text    a one-shot digest of a string
//              hasher  three updates of the row's size, then the digest
//              many    digests of many messages of the row's size; times are per message
//              convert a number to bytes or bytes to a number
//              bigint-hash  the calls of that package, ours through millrace/bigint-hash
//   table      the word that picks it, where that is not its group
//   algorithm    by its Millrace name; of a conversion its function
//   operation    of a key derivation its cost, a name of `parameters`; of an AEAD: seal | open;
//                of a hasher: new | reused; of a batch: array | packed (one buffer);
//                of bigint-hash its function
//   key          raw: key bytes with every call; prepared: Millrace's Key object. A competitor is
//                measured in every form it has (KeyObject, imported CryptoKey) and counts with the
//                fastest.
//   output       buffer: a new Buffer; hex: a string; bigint: a BigInt; into: bytes in a buffer of
//                the caller
//   waits        sync | callback | promise, with several jobs in flight in the last two
//   sizes        those of the row, where they are not `sizes`
//   messages     of a batch
//   inFlight     where it is not `inFlight`: one batch must use all cores by itself
//   engines      rows of hashperf, cryptperf and scaling (engines.mjs)
//   ifNamed      only if its algorithm is named
//   costs        about how many seconds one call takes, where that is longer than a sample
//   competitors  names of those that take part, where not all do
//   alsoSync     a competitor without asynchronous calls takes part in a loop of synchronous ones
//
// A competitor without the output `into` takes part with a new Buffer, and one without the way of
// waiting with the one it has (see choose() in runner.mjs). In a batch it returns what is fastest
// for it: one Buffer, an array of Buffers or of hex strings.

import { perfDefinitions } from './engines.mjs';

export const sizes = [64, 256, 1024, 4096, 65536, 1048576];
export const quickSizes = [64, 1024, 65536];
export const perfQuickSizes = [64, 1024, 16384, 262144, 4194304];

/** Jobs in flight at once in the asynchronous rows. */
export const inFlight = 16;

const sync = ['sync'];
const promise = ['promise'];
const both = ['sync', 'callback'];
const all = ['sync', 'callback', 'promise'];

const rising = [11, 64, 256, 1024, 65536, 1048576];
const short = [11, 64];

/** Returns definitions that differ in their algorithm only. */
function rows(group, algorithms, output, waits, more = {}) {
  return algorithms.split(' ').map((algorithm) => ({ group, algorithm, output, waits, ...more }));
}

const many = { operation: 'array', messages: 10000, sizes: [64], inFlight: 1 };
const syncAndPromise = ['sync', 'promise'];

/** The table of digests: the functions of bigint-hash and the packages used beside it. */
const digests = [
  rows('hash', 'sha256 keccak256 xxh64 xxh3-64', 'bigint', sync, { sizes: rising }),
  rows('hash', 'sha3-256 sha512 sha1 md5 blake3 xxh32', 'bigint', sync, { sizes: short }),
  rows('hash', 'sha256 keccak256', 'hex', sync, { sizes: [11, 64, 256, 1024] }),
  rows('hash', 'sha3-256 sha512 sha1 md5 blake3 xxh64 xxh3-64', 'hex', sync, { sizes: [64] }),
  rows('hash', 'sha256 keccak256 sha3-256 blake3', 'buffer', sync, {
    sizes: [64, 1024, 65536, 1048576],
  }),
  rows('hash', 'sha512 sha1 md5', 'buffer', sync, { sizes: [64, 1048576] }),
  rows('hash', 'sha256 keccak256', 'hex', promise, { sizes: [64, 65536] }),

  rows('text', 'sha256 keccak256 md5', 'hex', sync, { sizes: short }),
  rows('text', 'xxh64', 'bigint', sync, { sizes: short }),
  rows('hasher', 'sha256 sha512 keccak256 blake3 xxh64', 'hex', sync, {
    operation: 'new',
    sizes: [64],
  }),
  rows('hasher', 'sha256 keccak256', 'hex', sync, { operation: 'reused', sizes: [64] }),

  rows('many', 'sha256 keccak256 sha512 sha1 md5', 'buffer', syncAndPromise, many),
  rows('many', 'sha256 keccak256 sha512', 'buffer', syncAndPromise, {
    ...many,
    messages: 1000,
    sizes: [4096],
  }),
  rows('many', 'sha256 keccak256', 'buffer', syncAndPromise, { ...many, operation: 'packed' }),
  rows('many', 'sha256', 'hex', sync, many),

  ['sha256', 'keccak256', 'xxh64'].flatMap((algorithm) =>
    ['hashAsBigInt', 'getHasher'].flatMap((operation) =>
      rows('bigint-hash', algorithm, 'bigint', sync, { operation, sizes: [64] }),
    ),
  ),
  rows('convert', 'toBigIntBE toBigIntLE', 'bigint', sync, { sizes: [32] }),
  rows('convert', 'toBufferBE toBufferLE', 'buffer', sync, { sizes: [32] }),
]
  .flat()
  .map((definition) => ({ table: 'digest', ...definition }));

/**
 * The table of asynchronous jobs: 1 to 1024 in flight, and one large job that should use all cores
 * by itself.
 */
const MiB = 1048576;
const loads = [
  { inFlight: 1, sizes: [256] },
  { inFlight: 64, sizes: [256] },
  { inFlight: 1024, sizes: [256] },
  { inFlight: 16, sizes: [4096, 65536, MiB] },
];
const shortJobs = [
  { group: 'hash', algorithm: 'sha256' },
  { group: 'aead', algorithm: 'aes-256-gcm', operation: 'seal', key: 'raw' },
];
const largeJobs = [
  shortJobs[1],
  { group: 'cipher', algorithm: 'aes-256-ctr', key: 'raw' },
  { group: 'hash', algorithm: 'blake3' },
];
const asynchronous = [
  ...shortJobs.flatMap((job) =>
    ['buffer', 'into'].flatMap((output) =>
      loads.map((load) => ({ ...job, output, waits: ['callback', 'promise'], ...load })),
    ),
  ),
  ...largeJobs.flatMap((job) =>
    ['into', 'buffer'].map((output) => ({
      ...job,
      output,
      waits: promise,
      inFlight: 1,
      sizes: [64 * MiB],
    })),
  ),
].map((definition) => ({
  table: 'async',
  ...definition,
  alsoSync: true,
  competitors: [
    'node:crypto',
    'own loop',
    'WebCrypto',
    'crypto-async',
    'piscina',
    '@napi-rs/blake-hash',
  ],
}));

/**
 * Key derivation; the size is that of the key. Parameters: OWASP's for passwords where there are
 * any.
 */
const derivation = [
  ['scrypt', 'N=16384 r=8 p=1', 0.04, { N: 16384, r: 8, p: 1, maxmem: 64 * MiB }],
  ['scrypt', 'N=131072 r=8 p=1', 0.4, { N: 131072, r: 8, p: 1, maxmem: 256 * MiB }, sync],
  ['argon2id', 'm=19 MiB t=2 p=1', 0.02, { memory: 19456, passes: 2, parallelism: 1 }],
  ['pbkdf2', 'sha256, 100000 iterations', 0.03, { digest: 'sha256', iterations: 100000 }],
  ['pbkdf2', 'sha512, 100000 iterations', 0.08, { digest: 'sha512', iterations: 100000 }],
  ['hkdf', 'sha256', undefined, { digest: 'sha256' }],
].map((/** @type {any[]} */ [algorithm, operation, costs, parameters, waits = both]) => ({
  group: 'kdf',
  algorithm,
  operation,
  costs,
  parameters,
  waits,
  output: 'buffer',
  sizes: [32],
}));

const raw = { key: 'raw' };
const prepared = { key: 'prepared' };
const sealRaw = { operation: 'seal', ...raw };
const sealPrepared = { operation: 'seal', ...prepared };

export const definitions = [
  ...rows('hash', 'sha256', 'hex', sync),
  ...rows('hash', 'sha256', 'buffer', all),
  ...rows('hash', 'sha256', 'into', both),
  ...rows('hash', 'sha512 sha3-256 blake2b512 sha1 md5', 'buffer', sync),
  ...rows('hash', 'blake3', 'buffer', both),
  ...rows('hash', 'xxh3-64', 'hex', sync),

  ...rows('hmac', 'hmac-sha256', 'buffer', all, raw),
  ...rows('hmac', 'hmac-sha256', 'buffer', both, prepared),
  ...rows('hmac', 'hmac-sha256', 'into', sync, raw),

  ...rows('cipher', 'aes-256-ctr', 'buffer', all, raw),
  ...rows('cipher', 'aes-256-ctr', 'into', both, raw),
  ...rows('cipher', 'aes-256-ctr', 'into', sync, prepared),
  ...rows('cipher', 'chacha20', 'buffer', sync, raw),
  ...rows('cipher', 'chacha20', 'into', both, raw),

  ...rows('aead', 'aes-256-gcm', 'buffer', all, sealRaw),
  ...rows('aead', 'aes-256-gcm', 'buffer', sync, sealPrepared),
  ...rows('aead', 'aes-256-gcm', 'into', both, sealRaw),
  ...rows('aead', 'aes-256-gcm', 'into', both, sealPrepared),
  ...rows('aead', 'aes-256-gcm', 'buffer', both, { operation: 'open', ...raw }),
  ...rows('aead', 'chacha20-poly1305', 'buffer', sync, sealRaw),
  ...rows('aead', 'chacha20-poly1305', 'into', both, sealRaw),
  ...rows('aead', 'chacha20-poly1305', 'buffer', sync, { operation: 'open', ...raw }),

  ...digests,
  ...asynchronous,
  ...derivation,
  ...perfDefinitions,
];

/** Returns one line that names a definition: "aes-256-gcm seal, prepared key, into". */
export function describe(definition) {
  const { table, key, output, inFlight, engines } = definition;
  if (engines) return `${what(definition)}${inFlight === 1 ? ', one job' : ''}`;
  // In the table of asynchronous jobs every key is a raw one.
  const said =
    table === 'async' ? `${inFlight} in flight` : key === undefined ? undefined : `${key} key`;
  return [what(definition), said, output].filter((part) => part !== undefined).join(', ');
}

function what({ group, algorithm, operation, messages }) {
  if (group === 'text') return `${algorithm} of a string`;
  if (group === 'hasher') return `${algorithm} hasher, ${operation}, 3 updates`;
  if (group === 'many') return `${algorithm} hashMany, ${operation} of ${messages}`;
  return operation === undefined ? algorithm : `${algorithm} ${operation}`;
}
