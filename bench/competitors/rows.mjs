// The rows of `npm run bench -- competitors`: calls for which another library, another route or the
// plain loop was as fast as Millrace, or is close to it.
//
//   goal      least ratio of Millrace's rate to the best competitor's
//   forms     a function for each competitor that returns the call; the first is Millrace's.
//             Undefined if the competitor is not installed
//   wait      `sync` returns the result, `promise` a promise of it
//   inFlight  calls in flight (promise only)
//   per       operations in one call
//   bytes     of one operation: the table shows GB/s
//   measure   `call` instead of the rate: the time until the call returns, after a pause in which
//             the workers have fallen asleep; `returned`: the calls return seconds
//   tail      the table also shows p99/p50
//   programs  true if the calls start programs

import { spawn } from 'node:child_process';
import crypto from 'node:crypto';
import {
  closeSync,
  createReadStream,
  existsSync,
  mkdtempSync,
  openSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { Readable } from 'node:stream';
import zlib from 'node:zlib';

import { root } from '../../tools/steps.mjs';

const KiB = 1024;
const MiB = 1024 * KiB;
const GiB = 1024 * MiB;
const key = crypto.randomBytes(32);
const nonce = crypto.randomBytes(12);
/** What OpenSSL needs to know for ChaCha20-Poly1305. */
const tagged = /** @type {any} */ ({ authTagLength: 16 });
const aeads = ['aes-256-gcm', 'chacha20-poly1305'];

/**
 * @typedef {object} Row
 * @property {string} name
 * @property {string} wait `sync` or `promise`
 * @property {number} goal
 * @property {number} [inFlight]
 * @property {number} [per]
 * @property {number} [bytes]
 * @property {string} [measure]
 * @property {boolean} [tail]
 * @property {boolean} [programs]
 * @property {(libraries: any) => Record<string, any>} forms
 */

/** @returns {Row} */
const sync = (name, goal, forms, more = {}) => ({ name, wait: 'sync', goal, forms, ...more });
/** @returns {Row} */
const waits = (name, goal, forms, more = {}) => ({
  name,
  wait: 'promise',
  inFlight: 1,
  goal,
  forms,
  ...more,
});

const digests = [
  ...['sha256', 'sha512'].flatMap((name) => [16 * KiB, MiB].map((size) => digestRow(name, size))),
  ...[256, KiB].map((size) =>
    sync(`blake3 ${label(size)}`, 1.1, ({ millrace, napiBlake, wasmBlake3 }) => {
      const source = crypto.randomBytes(size);
      return {
        millrace: () => millrace.hash('blake3', source),
        'hash-wasm': wasmBlake3 && (() => wasmBlake3.init().update(source).digest('binary')),
        '@napi-rs/blake-hash': napiBlake && (() => napiBlake.blake3(source)),
      };
    }),
  ),
  sync('blake3 keyed, 32 B', 1, ({ millrace, nobleBlake3, napiBlake }) => {
    const source = crypto.randomBytes(32);
    return {
      millrace: () => millrace.hash('blake3', source, { key }),
      'noble-hashes': nobleBlake3 && (() => Buffer.from(nobleBlake3.blake3(source, { key }))),
      '@napi-rs/blake-hash':
        napiBlake && (() => napiBlake.Blake3Hasher.newKeyed(key).update(source).digestBuffer()),
    };
  }),
  ...['crc32', 'crc32c'].map((name) =>
    sync(
      `${name} 16 KiB`,
      1,
      ({ millrace, nodeRsCrc32, wasmCrc32 }) => {
        const source = crypto.randomBytes(16 * KiB);
        const plain = name === 'crc32' ? /** @type {any} */ (zlib).crc32 : undefined;
        return {
          millrace: () => millrace.hash(name, source, 'bigint'),
          'node:zlib': plain && (() => plain(source)),
          '@node-rs/crc32': nodeRsCrc32 && (() => nodeRsCrc32[name](source)),
          'hash-wasm':
            plain && wasmCrc32 && (() => Number(`0x${wasmCrc32.init().update(source).digest()}`)),
        };
      },
      { bytes: 16 * KiB },
    ),
  ),
  sync(
    'xxh3-64 1 MiB',
    1,
    ({ millrace, xxhashAddon }) => {
      const source = crypto.randomBytes(MiB);
      return {
        millrace: () => millrace.hash('xxh3-64', source),
        'xxhash-addon': xxhashAddon && (() => xxhashAddon.XXHash3.hash(source)),
      };
    },
    { bytes: MiB },
  ),
  sync('xxh64 64 B, BigInt', 1, (given) => xxh(given, 'xxh64', 'xxHash64', 'h64Raw')),
  sync('xxh32 64 B, BigInt', 1, (given) => xxh(given, 'xxh32', 'xxHash32', 'h32Raw')),
  sync('keccak256 64 B, BigInt', 2, ({ millrace, bigintHash, jsSha3 }) => {
    const source = crypto.randomBytes(64);
    return {
      millrace: () => millrace.hash('keccak256', source, 'bigint'),
      'bigint-hash':
        bigintHash && (() => bigintHash.hashAsBigInt(bigintHash.HashType.KECCAK256, source)),
      'js-sha3': jsSha3 && (() => BigInt(`0x${jsSha3.keccak256(source)}`)),
    };
  }),
  sync('sha256 64 B, hex', 2, ({ millrace, cryptoAsync }) => {
    const source = crypto.randomBytes(64);
    return {
      millrace: () => millrace.hash('sha256', source, 'hex'),
      'node:crypto': () => crypto.hash('sha256', source),
      'crypto-async': cryptoAsync && (() => cryptoAsync.hash('sha256', source).toString('hex')),
    };
  }),
  sync('sha256 64 B, Buffer', 4, ({ millrace, sodium }) => {
    const source = crypto.randomBytes(64);
    return {
      millrace: () => millrace.hash('sha256', source),
      'node:crypto': () => crypto.hash('sha256', source, 'buffer'),
      'sodium-native':
        sodium &&
        (() => {
          const digest = Buffer.allocUnsafe(32);
          sodium.crypto_hash_sha256(digest, source);
          return digest;
        }),
    };
  }),
  sync('sha256 64 B into a target, beside a new Buffer', 1, ({ millrace }) => {
    const source = crypto.randomBytes(64);
    const options = { target: Buffer.alloc(32) };
    return {
      millrace: () => (millrace.hash('sha256', source, options), options.target),
      'millrace, new Buffer': () => millrace.hash('sha256', source),
    };
  }),
  ...[1, 4, 16, 64].map((count) =>
    sync(
      `hashPairs: ${count} pairs of sha256 nodes`,
      1.05,
      ({ millrace, hashtree }) => {
        const nodes = crypto.randomBytes(count * 64);
        const [ours, theirs] = [Buffer.alloc(count * 32), Buffer.alloc(count * 32)];
        return {
          millrace: () => (millrace.hashPairs('sha256', nodes, ours), ours),
          hashtree: hashtree && (() => (hashtree.hashInto(nodes, theirs), theirs)),
        };
      },
      { per: count },
    ),
  ),
  ...['array', 'packed'].map((form) =>
    sync(
      `hashMany: 10,000 messages of 64 B, ${form}`,
      1,
      ({ millrace, hashtree }) => {
        const data = crypto.randomBytes(10_000 * 64);
        const messages = Array.from({ length: 10_000 }, (_, at) =>
          data.subarray(at * 64, at * 64 + 64),
        );
        const source = form === 'array' ? messages : { data, size: 64 };
        const sha256 = (message) => crypto.createHash('sha256').update(message).digest();
        return {
          millrace: () => millrace.hashMany('sha256', source),
          hashtree: form === 'packed' && hashtree && (() => hashtree.hash(data)),
          'node:crypto': () => Buffer.concat(messages.map(sha256)),
        };
      },
      { per: 10_000 },
    ),
  ),
  ...[64, KiB, 16 * KiB].map((size) => {
    const count = size > KiB ? 64 : 1000;
    return sync(
      `hasher.update ${label(size)}`,
      1.1,
      ({ millrace }) => {
        const source = crypto.randomBytes(size);
        const run = (createHash) => () => {
          const hasher = createHash('sha256');
          for (let index = 0; index < count; index++) hasher.update(source);
          return hasher.digest('hex');
        };
        return { millrace: run(millrace.createHash), 'node:crypto': run(crypto.createHash) };
      },
      { per: count },
    );
  }),
];

const keysAndCiphers = [
  sync('hmac-sha256 64 B, prepared key', 1, ({ millrace, cryptoAsync }) => {
    const source = crypto.randomBytes(64);
    const prepared = millrace.createKey('hmac-sha256', key);
    const object = crypto.createSecretKey(key);
    return {
      millrace: () => millrace.hmac('sha256', prepared, source),
      'node:crypto': () => crypto.createHmac('sha256', object).update(source).digest(),
      'crypto-async': cryptoAsync && (() => cryptoAsync.hmac('sha256', key, source)),
    };
  }),
  sync('verifyHmac 64 B, prepared key, beside its parts', 1, ({ millrace }) => {
    const source = crypto.randomBytes(64);
    const prepared = millrace.createKey('hmac-sha256', key);
    const mac = millrace.hmac('sha256', prepared, source);
    return {
      millrace: () => millrace.verifyHmac('sha256', { key: prepared, source, mac }),
      'hmac and timingSafeEqual': () =>
        millrace.timingSafeEqual(millrace.hmac('sha256', prepared, source), mac),
    };
  }),
  sync('timingSafeEqual 32 B', 1, ({ millrace }) => {
    const [left, right] = [Buffer.from(key), Buffer.from(key)];
    return {
      millrace: () => millrace.timingSafeEqual(left, right),
      'node:crypto': () => crypto.timingSafeEqual(left, right),
    };
  }),
  ...['aes-256-gcm', 'hmac-sha256'].map((name) =>
    sync(`createKey ${name}`, 1, ({ millrace }) => ({
      millrace: () => millrace.createKey(name, key).size,
      'node:crypto': () => crypto.createSecretKey(key).symmetricKeySize,
    })),
  ),
  ...[64, KiB, 16 * KiB, MiB].map((size) => sealRow('aes-256-gcm', 1, size)),
  sealRow('chacha20-poly1305', 1.2, MiB),
  ...[64, KiB].map((size) =>
    sync(`aes-256-gcm open ${label(size)} into a new Buffer, beside seal`, 0.91, ({ millrace }) => {
      const prepared = millrace.createKey('aes-256-gcm', key);
      const text = crypto.randomBytes(size);
      const options = { key: prepared, nonce, source: text };
      const sealed = millrace.seal('aes-256-gcm', options);
      const opening = { ...options, source: sealed };
      return {
        millrace: () => millrace.open('aes-256-gcm', opening).length,
        'millrace, seal': () => millrace.seal('aes-256-gcm', options).length - 16,
      };
    }),
  ),
  sync('chacha20-poly1305 open 256 B', 1, ({ millrace, sodium }) => {
    const text = crypto.randomBytes(256);
    const source = millrace.seal('chacha20-poly1305', { key, nonce, source: text });
    return {
      millrace: () => millrace.open('chacha20-poly1305', { key, nonce, source }),
      'sodium-native':
        sodium &&
        (() => {
          const target = Buffer.allocUnsafe(256);
          sodium.crypto_aead_chacha20poly1305_ietf_decrypt(target, null, source, null, nonce, key);
          return target;
        }),
    };
  }),
  ...['aes-256-ctr', 'aes-256-gcm'].flatMap((name) =>
    [64, 16 * KiB].map((size) =>
      sync(`createCipher, update and final: ${name} ${label(size)}`, 1.2, ({ millrace }) => {
        const source = crypto.randomBytes(size);
        const iv = name === 'aes-256-ctr' ? crypto.randomBytes(16) : nonce;
        const whole = (cipher) => {
          const text = cipher.update(source);
          cipher.final();
          return text;
        };
        return {
          millrace: () => whole(millrace.createCipher(name, { key, iv })),
          'node:crypto': () => whole(crypto.createCipheriv(name, key, iv)),
        };
      }),
    ),
  ),
];

const jobs = [
  ...[
    ['sha256', 256, 16, 'copied'],
    ['sha256', 4 * KiB, 16, 'copied'],
    ['sha256', 8 * KiB, 16, 'copied'],
    ['aes-256-gcm', 256, 16, 'copied'],
    ['aes-256-gcm', 16 * KiB, 16, 'lent'],
    ['aes-256-gcm', 64 * KiB, 4, 'copied'],
    ['aes-256-gcm', MiB, 1, 'copied'],
    ['chacha20-poly1305', 4 * KiB, 16, 'copied'],
    ['chacha20-poly1305', 16 * KiB, 16, 'copied'],
    ['chacha20-poly1305', 64 * KiB, 1, 'copied'],
  ].map(routesRow),
  ...[
    [4 * KiB, 2],
    [16 * KiB, 1.6],
  ].map(([size, goal]) =>
    waits(
      `sha256 ${label(size)} by promise, 16 in flight`,
      goal,
      ({ promises, cryptoAsync }) => {
        const source = crypto.randomBytes(size);
        return {
          millrace: () => promises.hash('sha256', source),
          'node:crypto in a loop': async () => crypto.createHash('sha256').update(source).digest(),
          'crypto-async': promised(cryptoAsync, 'hash', 'sha256', source),
          WebCrypto: () => crypto.subtle.digest('SHA-256', source),
        };
      },
      { inFlight: 16 },
    ),
  ),
  ...[16 * KiB, 64 * KiB, MiB].map((size) =>
    waits(
      `sha256 ${label(size)} by promise, one at a time, beside the synchronous call`,
      0.97,
      ({ millrace, promises }) => {
        const source = crypto.randomBytes(size);
        return {
          millrace: () => promises.hash('sha256', source),
          synchronous: async () => millrace.hash('sha256', source),
        };
      },
      { bytes: size },
    ),
  ),
  ...aeads.flatMap((name) =>
    [16, 64, 256].flatMap((inFlight) => [
      sealedJobs(name, inFlight, 'copied', inFlight === 16 ? 1.3 : 0.9),
      sealedJobs(name, inFlight, 'lent', 1.6),
    ]),
  ),
  ...[MiB, 64 * MiB].map((size) =>
    waits(
      `one blake3 of ${label(size)} by promise, copied`,
      1,
      ({ promises, napiBlake }) => {
        const source = Buffer.alloc(size, 1);
        return {
          millrace: () => promises.hash('blake3', source),
          '@napi-rs/blake-hash': napiBlake && (async () => napiBlake.blake3(source)),
        };
      },
      { bytes: size },
    ),
  ),
  waits(
    'one sha256 of 64 MiB by promise, copied',
    1,
    ({ promises, cryptoAsync }) => {
      const source = Buffer.alloc(64 * MiB, 1);
      return {
        millrace: () => promises.hash('sha256', source),
        WebCrypto: () => crypto.subtle.digest('SHA-256', source),
        'crypto-async': promised(cryptoAsync, 'hash', 'sha256', source),
      };
    },
    { bytes: 64 * MiB },
  ),
  ...['aes-256-gcm', 'aes-256-ctr'].map((name) =>
    waits(
      `one ${name} of 64 MiB by promise, lent, beside one core`,
      1.3,
      ({ millrace, promises }) => {
        const [source, target] = [Buffer.alloc(64 * MiB, 1), Buffer.alloc(64 * MiB + 16)];
        const run = ({ cipher, seal }) =>
          name === 'aes-256-gcm'
            ? seal(name, { key, nonce, source, target })
            : cipher(name, { encrypt: true, key, iv: key.subarray(16), source, target });
        return {
          millrace: () => run(promises).then(() => target.subarray(0, 64)),
          'one core': async () => (run(millrace), target.subarray(0, 64)),
        };
      },
      { bytes: 64 * MiB },
    ),
  ),
  ...[64 * KiB, MiB, GiB].map((size) =>
    waits(
      `main thread held by one lent sha256 of ${label(size)}, workers asleep`,
      1,
      ({ promises, cryptoAsync }) => {
        const source = Buffer.alloc(size, 1);
        const [ours, theirs] = [Buffer.alloc(32), Buffer.alloc(32)];
        const hash = promised(cryptoAsync, 'hash', 'sha256', source, 0, size, theirs, 0);
        return {
          millrace: () => promises.hash('sha256', source, { target: ours }).then(() => ours),
          'crypto-async': hash && (() => hash().then(() => theirs)),
        };
      },
      { measure: 'call' },
    ),
  ),
];

const derivations = [
  ...[1024, 4096, 16384].map((N) =>
    waits(`scrypt ${N}/8/1 by promise, one at a time`, 1.1, (given) => scrypt(given, N)),
  ),
  waits('scrypt 16384/8/1 by promise, 16 in flight', 4, (given) => scrypt(given, 16384), {
    inFlight: 16,
    tail: true,
  }),
  sync('verifyPassword of bcrypt, cost 10', 1, ({ millrace, bcrypt }) => {
    const stored = millrace.hashPassword('a password', { algorithm: 'bcrypt', cost: 10 });
    return {
      millrace: () => millrace.verifyPassword('a password', stored),
      bcrypt: bcrypt && (() => bcrypt.compareSync('a password', stored)),
    };
  }),
];

const streamsAndFiles = [
  ...['seal', 'open'].map((direction) =>
    waits(
      `${direction}Stream aes-256-gcm, 256 MiB in writes of 1 MiB`,
      2,
      async ({ promises }) => {
        const count = 256;
        const options = { algorithm: 'aes-256-gcm', key };
        const part = crypto.randomBytes(MiB);
        const parts = Array.from({ length: count }, () => part);
        const sealing = () => crypto.createCipheriv('aes-256-gcm', key, nonce);
        if (direction === 'seal')
          return {
            millrace: async () => (await drained(parts, promises.sealStream(options))) >= count,
            'node:crypto': async () => (await drained(parts, sealing())) >= count,
          };
        const sealed = await Readable.from(parts).pipe(promises.sealStream(options)).toArray();
        const cipher = sealing();
        const text = parts.map((each) => cipher.update(each));
        cipher.final();
        const opening = () =>
          crypto.createDecipheriv('aes-256-gcm', key, nonce).setAuthTag(cipher.getAuthTag());
        return {
          millrace: () => drained(sealed, promises.openStream(options)),
          'node:crypto': () => drained(text, opening()),
        };
      },
      { bytes: 256 * MiB },
    ),
  ),
  waits(
    "hashFile('blake3') of 1 GiB, beside hashFiles",
    1,
    ({ promises }) => ({
      millrace: () => promises.hashFile('blake3', file(), 'hex'),
      hashFiles: async () => (await promises.hashFiles('blake3', [file()], 'hex'))[0],
    }),
    { bytes: GiB },
  ),
  waits(
    "hashFile('sha256') of 1 GiB",
    1.2,
    ({ promises }) => ({
      millrace: () => promises.hashFile('sha256', file(), 'hex'),
      'node:crypto of createReadStream': async () => {
        const hasher = crypto.createHash('sha256');
        for await (const part of createReadStream(file(), { highWaterMark: MiB }))
          hasher.update(part);
        return hasher.digest('hex');
      },
    }),
    { bytes: GiB },
  ),
  waits(
    'millrace sum of 1 GiB, blake3',
    1,
    () => ({
      millrace: () => run(process.execPath, [command, 'sum', '-a', 'blake3', file()]),
      b3sum: installed('b3sum') && (() => run('b3sum', [file()])),
    }),
    { bytes: GiB, programs: true },
  ),
  ...['standard output', 'a file'].map((to) =>
    waits(
      `millrace seal of 1 GiB to ${to}, key file`,
      1.2,
      () => {
        const output = (name) => ['-o', to === 'a file' ? file(name) : '-'];
        const keyFile = file('key', 32);
        const sealing = [command, 'seal', '-f', '-a', 'chacha20-poly1305', '-k', keyFile];
        return {
          millrace: () => run(process.execPath, [...sealing, ...output('sealed'), file()], 'none'),
          age:
            installed('age') &&
            (() => run('age', ['-r', RECIPIENT, ...output('age'), file()], 'none')),
        };
      },
      { bytes: GiB, programs: true },
    ),
  ),
  waits(
    'millrace sum of a file of 3 bytes, beside an empty program',
    0.86,
    () => ({
      millrace: () => run(process.execPath, [command, 'sum', file('short', 3)], 'none'),
      'an empty program': () => run(process.execPath, ['-e', ''], 'none'),
    }),
    { programs: true },
  ),
];

const loads = [
  ['millrace', 'index.js', 0.8],
  ['millrace/promises', 'promises.js', 0.8],
  ['millrace/portable', 'portable/entry.js', 1],
  ['millrace/node-crypto', 'compat/node-crypto.js', 1],
  ['millrace/register', 'compat/register.js', 1],
].map(([name, path, goal]) =>
  waits(
    `require('${name}'), CPU time`,
    Number(goal),
    () => ({
      millrace: loading(join(root, 'dist', String(path))),
      'sodium-native': loading(join(root, 'bench', 'node_modules', 'sodium-native')),
    }),
    { measure: 'returned', programs: true },
  ),
);

/** @type {Row[]} */
export const rows = [
  ...digests,
  ...keysAndCiphers,
  ...jobs,
  ...derivations,
  ...streamsAndFiles,
  ...loads,
];

function digestRow(algorithm, size) {
  return sync(
    `${algorithm} ${label(size)}`,
    1,
    ({ millrace, cryptoAsync }) => {
      const source = crypto.randomBytes(size);
      return {
        millrace: () => millrace.hash(algorithm, source),
        'node:crypto': () => crypto.createHash(algorithm).update(source).digest(),
        'crypto-async': cryptoAsync && (() => cryptoAsync.hash(algorithm, source)),
      };
    },
    { bytes: size },
  );
}

function xxh({ millrace, bigintHash, xxhashWasm, xxhashAddon }, algorithm, type, method) {
  const source = crypto.randomBytes(64);
  const addon = xxhashAddon?.[algorithm === 'xxh64' ? 'XXHash64' : 'XXHash32'];
  return {
    millrace: () => millrace.hash(algorithm, source, 'bigint'),
    'bigint-hash': bigintHash && (() => bigintHash.hashAsBigInt(bigintHash.HashType[type], source)),
    'xxhash-wasm': xxhashWasm && (() => BigInt(xxhashWasm[method](source))),
    'xxhash-addon': addon && (() => BigInt(`0x${addon.hash(source).toString('hex')}`)),
  };
}

/** On one core, as options with a target. */
function sealRow(algorithm, goal, size) {
  return sync(
    `${algorithm} seal ${label(size)}, prepared key and target`,
    goal,
    ({ millrace, cryptoAsync }) => {
      const source = crypto.randomBytes(size);
      const [target, theirs] = [Buffer.alloc(size + 16), Buffer.alloc(size + 16)];
      const options = { key: millrace.createKey(algorithm, key), nonce, source, target };
      const raw = { ...options, key };
      const object = crypto.createSecretKey(key);
      return {
        millrace: () => (millrace.seal(algorithm, options), target),
        'millrace, raw key': () => (millrace.seal(algorithm, raw), target),
        'node:crypto': () => {
          const cipher = crypto.createCipheriv(algorithm, object, nonce, tagged);
          return Buffer.concat([cipher.update(source), cipher.final(), cipher.getAuthTag()]);
        },
        'crypto-async':
          cryptoAsync &&
          (() => (cryptoAsync.cipher(algorithm, 1, ...windows(source, theirs)), theirs)),
      };
    },
    size >= KiB ? { bytes: size } : {},
  );
}

/** The arguments of crypto-async for a call that writes the ciphertext and its tag to `target`. */
function windows(source, target) {
  const { length } = source;
  // An empty Buffer as target aborts the process.
  return [key, 0, 32, nonce, 0, 12, source, 0, length, target, 0, key, 0, 0, target, length, 16];
}

/** The automatic route beside the fixed ones. */
function routesRow(/** @type {any[]} */ [operation, size, inFlight, memory]) {
  const lent = memory === 'lent';
  return waits(
    `${operation} ${label(size)} by promise, ${inFlight} in flight, ${memory}: automatic route`,
    0.95,
    ({ promises }) => {
      const source = crypto.randomBytes(size);
      const call = (route) =>
        inTurns(inFlight, lent ? size + 16 : 0, (target) => {
          const given = { ...(route && { route }), ...(lent && { target }) };
          return operation === 'sha256'
            ? promises.hash('sha256', source, given)
            : promises.seal(operation, { key, nonce, source, ...given });
        });
      return {
        millrace: call(),
        'route inline': call('inline'),
        'route pool': call('pool'),
        'route split': operation !== 'sha256' && call('split'),
      };
    },
    { inFlight },
  );
}

function sealedJobs(algorithm, inFlight, memory, goal) {
  return waits(
    `${algorithm} seal 1 MiB by promise, ${inFlight} in flight, ${memory}`,
    goal,
    ({ promises, millrace, cryptoAsync }) => {
      const source = crypto.randomBytes(MiB);
      const options = { key: millrace.createKey(algorithm, key), nonce, source };
      if (memory === 'lent') {
        const lent = (call) => inTurns(inFlight, MiB + 16, call);
        const seal = (target) => promises.seal(algorithm, { ...options, target });
        const cipher = (target) =>
          promised(cryptoAsync, 'cipher', algorithm, 1, ...windows(source, target))();
        return {
          millrace: lent((target) => seal(target).then(() => target)),
          'crypto-async': cryptoAsync && lent((target) => cipher(target).then(() => target)),
        };
      }
      const noAad = Buffer.alloc(16).subarray(0, 0);
      const web = crypto.subtle.importKey('raw', key, 'AES-GCM', false, ['encrypt']);
      return {
        millrace: () => promises.seal(algorithm, options),
        'crypto-async':
          cryptoAsync &&
          (async () => {
            const tag = Buffer.alloc(16);
            const given = [algorithm, 1, key, nonce, source, noAad, tag];
            // Not joined: that copy is none of the library's work.
            return [await promised(cryptoAsync, 'cipher', ...given)(), tag];
          }),
        WebCrypto:
          algorithm === 'aes-256-gcm' &&
          (async () => crypto.subtle.encrypt({ name: 'AES-GCM', iv: nonce }, await web, source)),
      };
    },
    { inFlight, bytes: MiB },
  );
}

/** Calls with targets of their own in turn, one for each call in flight. */
function inTurns(inFlight, size, call) {
  const targets = Array.from({ length: inFlight }, () => Buffer.alloc(size));
  let next = 0;
  return () => call(targets[next++ % inFlight]);
}

function scrypt({ promises }, N) {
  const options = { N, r: 8, p: 1 };
  return {
    millrace: () => promises.scrypt('secret', 'salt', 32, options),
    'node:crypto': promised(crypto, 'scrypt', 'secret', 'salt', 32, options),
  };
}

function promised(library, method, ...given) {
  if (!library) return undefined;
  return () =>
    new Promise((resolve, reject) =>
      library[method](...given, (error, result) => (error ? reject(error) : resolve(result))),
    );
}

/** Writes the parts to a stream, and counts what comes out of it in MiB. */
async function drained(parts, stream) {
  let size = 0;
  for await (const part of Readable.from(parts).pipe(stream)) size += part.length;
  return Math.floor(size / MiB);
}

// Programs and files.

const command = join(root, 'cli', 'main.js');
/** A recipient of age, to which nothing is sent. */
const RECIPIENT = 'age1glluudm7e0qss3cs9mralf0lawps4q4pk0gvle7xaew759gl4y3swyelpu';
let files;

/** Returns the path of a file that is removed at the end; of random bytes if it has a size. */
function file(name = 'large', size = name === 'large' ? GiB : 0) {
  if (files === undefined) {
    files = mkdtempSync(join(tmpdir(), 'millrace-bench-'));
    process.on('exit', () => rmSync(files, { recursive: true, force: true }));
  }
  const path = join(files, name);
  if (size === 0 || existsSync(path)) return path;
  const block = crypto.randomBytes(Math.min(size, 64 * MiB));
  const out = openSync(path, 'wx', 0o600);
  for (let at = 0; at < size; at += block.length) writeSync(out, block);
  closeSync(out);
  return path;
}

function installed(program) {
  return process.env.PATH?.split(delimiter).some((folder) => existsSync(join(folder, program)));
}

/** Runs a program to its end, and returns what it wrote; with `none` it writes to no one. */
function run(program, args, output = 'pipe') {
  return new Promise((resolve, reject) => {
    // Not `ignore`: millrace takes that /dev/null for a closed output.
    const stdout = output === 'pipe' ? 'pipe' : openSync('/dev/null', 'w');
    const child = spawn(program, args, { stdio: ['ignore', stdout, 'inherit'] });
    let text = '';
    child.stdout?.on('data', (part) => (text += part));
    child.on('error', reject);
    child.on('close', (code) => {
      if (typeof stdout === 'number') closeSync(stdout);
      if (code === 0) resolve(text);
      else reject(new Error(`${program} ended with ${code}`));
    });
  });
}

/** Returns the seconds of CPU time that a process takes to load a module after its start. */
function loading(path) {
  const program =
    `const begin = process.cpuUsage(); require(${JSON.stringify(path)}); ` +
    'const { user, system } = process.cpuUsage(begin); console.log((user + system) / 1e6);';
  return () => run(process.execPath, ['-e', program]).then(Number);
}

function label(size) {
  if (size >= GiB) return `${size / GiB} GiB`;
  if (size >= MiB) return `${size / MiB} MiB`;
  return size >= KiB ? `${size / KiB} KiB` : `${size} B`;
}
