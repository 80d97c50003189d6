// What is measured, as data. One row of the table = one of these at one size.
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
//   engines      rows of hashperf and cryptperf (engines.mjs)
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
const oneShot = [64, 1024, 65536, 1048576];

/** The table of digests: the functions of bigint-hash and the packages used beside it. */
const digests = [
  ...['sha256', 'keccak256', 'xxh64', 'xxh3-64'].map((algorithm) => ({
    group: 'hash',
    algorithm,
    output: 'bigint',
    waits: sync,
    sizes: rising,
  })),
  ...['sha3-256', 'sha512', 'sha1', 'md5', 'blake3', 'xxh32'].map((algorithm) => ({
    group: 'hash',
    algorithm,
    output: 'bigint',
    waits: sync,
    sizes: short,
  })),
  ...['sha256', 'keccak256'].map((algorithm) => ({
    group: 'hash',
    algorithm,
    output: 'hex',
    waits: sync,
    sizes: [11, 64, 256, 1024],
  })),
  ...['sha3-256', 'sha512', 'sha1', 'md5', 'blake3', 'xxh64', 'xxh3-64'].map((algorithm) => ({
    group: 'hash',
    algorithm,
    output: 'hex',
    waits: sync,
    sizes: [64],
  })),
  ...['sha256', 'keccak256', 'sha3-256', 'blake3'].map((algorithm) => ({
    group: 'hash',
    algorithm,
    output: 'buffer',
    waits: sync,
    sizes: oneShot,
  })),
  ...['sha512', 'sha1', 'md5'].map((algorithm) => ({
    group: 'hash',
    algorithm,
    output: 'buffer',
    waits: sync,
    sizes: [64, 1048576],
  })),
  ...['sha256', 'keccak256'].map((algorithm) => ({
    group: 'hash',
    algorithm,
    output: 'hex',
    waits: promise,
    sizes: [64, 65536],
  })),

  ...['sha256', 'keccak256', 'md5'].map((algorithm) => ({
    group: 'text',
    algorithm,
    output: 'hex',
    waits: sync,
    sizes: short,
  })),
  { group: 'text', algorithm: 'xxh64', output: 'bigint', waits: sync, sizes: short },

  ...['sha256', 'sha512', 'keccak256', 'blake3', 'xxh64'].map((algorithm) => ({
    group: 'hasher',
    algorithm,
    operation: 'new',
    output: 'hex',
    waits: sync,
    sizes: [64],
  })),
  ...['sha256', 'keccak256'].map((algorithm) => ({
    group: 'hasher',
    algorithm,
    operation: 'reused',
    output: 'hex',
    waits: sync,
    sizes: [64],
  })),

  ...['sha256', 'keccak256', 'sha512', 'sha1', 'md5'].map((algorithm) => ({
    group: 'many',
    algorithm,
    operation: 'array',
    messages: 10000,
    output: 'buffer',
    waits: ['sync', 'promise'],
    sizes: [64],
    inFlight: 1,
  })),
  ...['sha256', 'keccak256', 'sha512'].map((algorithm) => ({
    group: 'many',
    algorithm,
    operation: 'array',
    messages: 1000,
    output: 'buffer',
    waits: ['sync', 'promise'],
    sizes: [4096],
    inFlight: 1,
  })),
  ...['sha256', 'keccak256'].map((algorithm) => ({
    group: 'many',
    algorithm,
    operation: 'packed',
    messages: 10000,
    output: 'buffer',
    waits: ['sync', 'promise'],
    sizes: [64],
    inFlight: 1,
  })),
  {
    group: 'many',
    algorithm: 'sha256',
    operation: 'array',
    messages: 10000,
    output: 'hex',
    waits: sync,
    sizes: [64],
  },

  ...['sha256', 'keccak256', 'xxh64'].flatMap((algorithm) =>
    ['hashAsBigInt', 'getHasher'].map((operation) => ({
      group: 'bigint-hash',
      algorithm,
      operation,
      output: 'bigint',
      waits: sync,
      sizes: [64],
    })),
  ),
  ...['toBigIntBE', 'toBigIntLE'].map((algorithm) => ({
    group: 'convert',
    algorithm,
    output: 'bigint',
    waits: sync,
    sizes: [32],
  })),
  ...['toBufferBE', 'toBufferLE'].map((algorithm) => ({
    group: 'convert',
    algorithm,
    output: 'buffer',
    waits: sync,
    sizes: [32],
  })),
].map((definition) => ({ table: 'digest', ...definition }));

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
  {
    algorithm: 'scrypt',
    operation: 'N=16384 r=8 p=1',
    parameters: { N: 16384, r: 8, p: 1, maxmem: 64 * MiB },
    costs: 0.04,
  },
  {
    algorithm: 'scrypt',
    operation: 'N=131072 r=8 p=1',
    parameters: { N: 131072, r: 8, p: 1, maxmem: 256 * MiB },
    waits: sync,
    costs: 0.4,
  },
  {
    algorithm: 'argon2id',
    operation: 'm=19 MiB t=2 p=1',
    parameters: { memory: 19456, passes: 2, parallelism: 1 },
    costs: 0.02,
  },
  {
    algorithm: 'pbkdf2',
    operation: 'sha256, 100000 iterations',
    parameters: { digest: 'sha256', iterations: 100000 },
    costs: 0.03,
  },
  {
    algorithm: 'pbkdf2',
    operation: 'sha512, 100000 iterations',
    parameters: { digest: 'sha512', iterations: 100000 },
    costs: 0.08,
  },
  { algorithm: 'hkdf', operation: 'sha256', parameters: { digest: 'sha256' } },
].map((definition) => ({
  group: 'kdf',
  output: 'buffer',
  waits: ['sync', 'callback'],
  sizes: [32],
  ...definition,
}));

export const definitions = [
  { group: 'hash', algorithm: 'sha256', output: 'hex', waits: sync },
  { group: 'hash', algorithm: 'sha256', output: 'buffer', waits: all },
  { group: 'hash', algorithm: 'sha256', output: 'into', waits: both },
  { group: 'hash', algorithm: 'sha512', output: 'buffer', waits: sync },
  { group: 'hash', algorithm: 'sha3-256', output: 'buffer', waits: sync },
  { group: 'hash', algorithm: 'blake2b512', output: 'buffer', waits: sync },
  { group: 'hash', algorithm: 'sha1', output: 'buffer', waits: sync },
  { group: 'hash', algorithm: 'md5', output: 'buffer', waits: sync },
  { group: 'hash', algorithm: 'blake3', output: 'buffer', waits: both },
  { group: 'hash', algorithm: 'xxh3-64', output: 'hex', waits: sync },

  { group: 'hmac', algorithm: 'hmac-sha256', key: 'raw', output: 'buffer', waits: all },
  { group: 'hmac', algorithm: 'hmac-sha256', key: 'prepared', output: 'buffer', waits: both },
  { group: 'hmac', algorithm: 'hmac-sha256', key: 'raw', output: 'into', waits: sync },

  { group: 'cipher', algorithm: 'aes-256-ctr', key: 'raw', output: 'buffer', waits: all },
  { group: 'cipher', algorithm: 'aes-256-ctr', key: 'raw', output: 'into', waits: both },
  { group: 'cipher', algorithm: 'aes-256-ctr', key: 'prepared', output: 'into', waits: sync },
  { group: 'cipher', algorithm: 'chacha20', key: 'raw', output: 'buffer', waits: sync },
  { group: 'cipher', algorithm: 'chacha20', key: 'raw', output: 'into', waits: both },

  {
    group: 'aead',
    algorithm: 'aes-256-gcm',
    operation: 'seal',
    key: 'raw',
    output: 'buffer',
    waits: all,
  },
  {
    group: 'aead',
    algorithm: 'aes-256-gcm',
    operation: 'seal',
    key: 'prepared',
    output: 'buffer',
    waits: sync,
  },
  {
    group: 'aead',
    algorithm: 'aes-256-gcm',
    operation: 'seal',
    key: 'raw',
    output: 'into',
    waits: both,
  },
  {
    group: 'aead',
    algorithm: 'aes-256-gcm',
    operation: 'seal',
    key: 'prepared',
    output: 'into',
    waits: both,
  },
  {
    group: 'aead',
    algorithm: 'aes-256-gcm',
    operation: 'open',
    key: 'raw',
    output: 'buffer',
    waits: both,
  },
  {
    group: 'aead',
    algorithm: 'chacha20-poly1305',
    operation: 'seal',
    key: 'raw',
    output: 'buffer',
    waits: sync,
  },
  {
    group: 'aead',
    algorithm: 'chacha20-poly1305',
    operation: 'seal',
    key: 'raw',
    output: 'into',
    waits: both,
  },

  ...digests,
  ...asynchronous,
  ...derivation,
  ...perfDefinitions,
];

/** One line that names a definition: "aes-256-gcm seal, prepared key, into". */
export function describe(definition) {
  const { table, key, output, inFlight, engines } = definition;
  if (engines) return what(definition);
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
