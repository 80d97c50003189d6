// The rows of `npm run bench -- competitors`: calls for which another library, another route or the
// plain loop was as fast as Millrace, or is close to it.
//
//   goal      least ratio of Millrace's rate to the best competitor's
//   forms     a function for each competitor that returns the call; the first is Millrace's.
//             `null` if the competitor's package is not installed
//   wait      `sync` returns the result, `promise` a promise of it
//   inFlight  calls in flight (promise only)
//   per       operations in one call
//   measure   `call` instead of the rate: the time until the call returns, after a pause in which
//             the workers have fallen asleep

import crypto from 'node:crypto';

const KiB = 1024;
const MiB = 1024 * KiB;
const key = crypto.randomBytes(32);
const nonce = crypto.randomBytes(12);

/**
 * @typedef {(() => any) | null} Form
 * @typedef {object} Row
 * @property {string} name
 * @property {string} wait `sync` or `promise`
 * @property {number} [goal]
 * @property {number} [inFlight]
 * @property {number} [per]
 * @property {number} [bytes] of one operation: the table shows GB/s
 * @property {string} [measure]
 * @property {(libraries: any) => Record<string, Form>} forms
 */

/** @returns {Row} */
const sync = (name, more, forms) => ({ name, wait: 'sync', goal: 1, ...more, forms });
/** @returns {Row} */
const promise = (name, more, forms) => ({ name, wait: 'promise', ...more, forms });

/** @type {Row[]} */
export const rows = [
  ...[
    ['sha256', 256, 16],
    ['sha256', 4 * KiB, 16],
    ['sha256', 8 * KiB, 16],
    ['aes-256-gcm', 256, 16],
    ['aes-256-gcm', 64 * KiB, 4],
  ].map(([operation, size, inFlight]) => routesRow(operation, size, inFlight)),
  promise(
    'sha256 4 KiB by promise, 16 in flight',
    { inFlight: 16, goal: 2 },
    ({ promises, cryptoAsync }) => {
      const source = crypto.randomBytes(4 * KiB);
      return {
        millrace: () => promises.hash('sha256', source),
        'crypto-async': promised(cryptoAsync, 'hash', 'sha256', source),
        WebCrypto: () => crypto.subtle.digest('SHA-256', source),
      };
    },
  ),
  promise(
    'sha256 16 KiB by promise, 16 in flight',
    { inFlight: 16, goal: 1.6 },
    ({ promises, cryptoAsync }) => {
      const source = crypto.randomBytes(16 * KiB);
      return {
        millrace: () => promises.hash('sha256', source),
        'synchronous loop': async () => crypto.createHash('sha256').update(source).digest(),
        'crypto-async': promised(cryptoAsync, 'hash', 'sha256', source),
        WebCrypto: () => crypto.subtle.digest('SHA-256', source),
      };
    },
  ),
  ...['copied', 'lent'].map((memory) =>
    promise(
      `aes-256-gcm seal 1 MiB by promise, 16 in flight, ${memory}`,
      { inFlight: 16, goal: memory === 'lent' ? 1.8 : 1.3, bytes: MiB },
      ({ promises, millrace, cryptoAsync }) => {
        const source = crypto.randomBytes(MiB);
        const prepared = millrace.createKey('aes-256-gcm', key);
        const options = { key: prepared, nonce, source };
        const seal = (given) => promises.seal('aes-256-gcm', given);
        return {
          millrace:
            memory === 'copied'
              ? () => seal(options)
              : inTurns((target) => seal({ ...options, target }).then(() => target)),
          'crypto-async': sealedByCryptoAsync(cryptoAsync, source, memory),
          WebCrypto: webCryptoSeal(source),
        };
      },
    ),
  ),
  ...[64, KiB, 16 * KiB, MiB].map((size) => sealRow('aes-256-gcm', size)),
  sealRow('chacha20-poly1305', MiB),
  ...[16 * KiB, MiB].map((size) => hashRow('sha512', size)),
  sync('xxh64 64 B, BigInt', {}, (libraries) => xxh(libraries, 'xxh64', 'xxHash64', 'h64Raw')),
  sync('xxh32 64 B, BigInt', {}, (libraries) => xxh(libraries, 'xxh32', 'xxHash32', 'h32Raw')),
  sync('keccak256 64 B, BigInt', { goal: 2 }, ({ millrace, bigintHash, jsSha3 }) => {
    const source = crypto.randomBytes(64);
    return {
      millrace: () => millrace.hash('keccak256', source, 'bigint'),
      'bigint-hash':
        bigintHash && (() => bigintHash.hashAsBigInt(bigintHash.HashType.KECCAK256, source)),
      'js-sha3': jsSha3 && (() => BigInt(`0x${jsSha3.keccak256(source)}`)),
    };
  }),
  sync('sha256 64 B, Buffer', {}, ({ millrace, sodium }) => {
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
  sync('sha256 64 B into a target, beside a new Buffer', {}, ({ millrace }) => {
    const source = crypto.randomBytes(64);
    const options = { target: Buffer.alloc(32) };
    return {
      millrace: () => (millrace.hash('sha256', source, options), options.target),
      'millrace, new Buffer': () => millrace.hash('sha256', source),
    };
  }),
  sync(
    'hashMany: 16 packed messages of 64 B into a target',
    { per: 16 },
    ({ millrace, hashtree }) => {
      const data = crypto.randomBytes(16 * 64);
      const options = { target: Buffer.alloc(16 * 32) };
      const target = Buffer.alloc(16 * 32);
      const messages = { data, size: 64 };
      return {
        millrace: () => (millrace.hashMany('sha256', messages, options), options.target),
        hashtree: hashtree && (() => (hashtree.hashInto(data, target), target)),
        'node:crypto': () => loopOf(messagesOf(data, 64), target),
      };
    },
  ),
  ...['array', 'packed'].map((form) =>
    sync(
      `hashMany: 10,000 messages of 64 B, ${form}`,
      { per: 10_000 },
      ({ millrace, hashtree }) => {
        const data = crypto.randomBytes(10_000 * 64);
        const messages = messagesOf(data, 64);
        const source = form === 'array' ? messages : { data, size: 64 };
        const target = Buffer.alloc(10_000 * 32);
        return {
          millrace: () => millrace.hashMany('sha256', source),
          ...(form === 'packed' && { hashtree: hashtree && (() => hashtree.hash(data)) }),
          'node:crypto': () => loopOf(messages, target),
        };
      },
    ),
  ),
  sync('blake3 keyed, 32 B', {}, ({ millrace, nobleBlake3, napiBlake }) => {
    const source = crypto.randomBytes(32);
    return {
      millrace: () => millrace.hash('blake3', source, { key }),
      'noble-hashes': nobleBlake3 && (() => Buffer.from(nobleBlake3.blake3(source, { key }))),
      '@napi-rs/blake-hash':
        napiBlake && (() => napiBlake.Blake3Hasher.newKeyed(key).update(source).digestBuffer()),
    };
  }),
  sync('hmac-sha256 64 B, prepared key', {}, ({ millrace, cryptoAsync }) => {
    const source = crypto.randomBytes(64);
    const prepared = millrace.createKey('hmac-sha256', key);
    const object = crypto.createSecretKey(key);
    return {
      millrace: () => millrace.hmac('sha256', prepared, source),
      'node:crypto': () => crypto.createHmac('sha256', object).update(source).digest(),
      'crypto-async': cryptoAsync && (() => cryptoAsync.hmac('sha256', key, source)),
    };
  }),
  promise('scrypt 16384/8/1 by promise, 16 in flight', { inFlight: 16, goal: 4 }, ({ promises }) =>
    scryptForms((options) => promises.scrypt('secret', 'salt', 32, options)),
  ),
  promise('scrypt 16384/8/1 by callback, 16 in flight', { inFlight: 16, goal: 4 }, ({ millrace }) =>
    scryptForms(
      (options) =>
        new Promise((resolve, reject) =>
          millrace.scrypt('secret', 'salt', 32, options, (error, result) =>
            error ? reject(error) : resolve(result),
          ),
        ),
    ),
  ),
  ...[64 * KiB, MiB, 1024 * MiB].map((size) =>
    promise(
      `main thread held by one lent sha256 of ${label(size)}, workers asleep`,
      { goal: 1, measure: 'call' },
      ({ promises, cryptoAsync }) => {
        const source = Buffer.alloc(size, 1);
        const [ours, theirs] = [Buffer.alloc(32), Buffer.alloc(32)];
        return {
          millrace: () => promises.hash('sha256', source, { target: ours }).then(() => ours),
          'crypto-async':
            cryptoAsync &&
            (() =>
              new Promise((resolve, reject) =>
                cryptoAsync.hash('sha256', source, 0, size, theirs, 0, (error) =>
                  error ? reject(error) : resolve(theirs),
                ),
              )),
        };
      },
    ),
  ),
  promise(
    'one sha256 of 64 MiB by promise, copied',
    { inFlight: 1, goal: 1, bytes: 64 * MiB },
    ({ promises, cryptoAsync }) => {
      const source = Buffer.alloc(64 * MiB, 1);
      return {
        millrace: () => promises.hash('sha256', source),
        WebCrypto: () => crypto.subtle.digest('SHA-256', source),
        'crypto-async': promised(cryptoAsync, 'hash', 'sha256', source),
      };
    },
  ),
];

/** Returns a row of the automatic route beside the fixed ones. */
function routesRow(operation, size, inFlight) {
  return {
    name: `${operation} ${label(size)} by promise, ${inFlight} in flight: automatic route`,
    wait: 'promise',
    inFlight,
    goal: 0.95,
    forms: ({ promises }) => {
      const source = crypto.randomBytes(size);
      const call = (given) =>
        operation === 'sha256'
          ? promises.hash('sha256', source, given)
          : promises.seal(operation, { key, nonce, source, ...given });
      return {
        millrace: () => call({}),
        'route inline': () => call({ route: 'inline' }),
        'route pool': () => call({ route: 'pool' }),
      };
    },
  };
}

/** Returns a row on one core, as options with a target. */
function sealRow(algorithm, size) {
  return sync(
    `${algorithm} seal ${label(size)}, prepared key and target`,
    { ...(size >= KiB && { bytes: size }) },
    ({ millrace, cryptoAsync }) => {
      const source = crypto.randomBytes(size);
      const prepared = millrace.createKey(algorithm, key);
      const target = Buffer.alloc(size + 16);
      const options = { key: prepared, nonce, source, target };
      const raw = { ...options, key };
      const object = crypto.createSecretKey(key);
      const theirs = Buffer.alloc(size + 16);
      const forms = {
        millrace: () => (millrace.seal(algorithm, options), target),
        'millrace, raw key': () => (millrace.seal(algorithm, raw), target),
        'node:crypto': () => {
          const cipher = crypto.createCipheriv(
            /** @type {any} */ (algorithm),
            object,
            nonce,
            /** @type {any} */ ({ authTagLength: 16 }),
          );
          return Buffer.concat([cipher.update(source), cipher.final(), cipher.getAuthTag()]);
        },
      };
      if (algorithm !== 'aes-256-gcm' || !cryptoAsync) return forms;
      const noAad = Buffer.alloc(16);
      return {
        ...forms,
        'crypto-async': () => {
          cryptoAsync.cipher(
            algorithm, 1, key, 0, 32, nonce, 0, 12, source, 0, size, theirs, 0,
            noAad, 0, 0, theirs, size, 16,
          ); // prettier-ignore
          return theirs;
        },
      };
    },
  );
}

function hashRow(algorithm, size) {
  return sync(`${algorithm} ${label(size)}`, { bytes: size }, ({ millrace }) => {
    const source = crypto.randomBytes(size);
    return {
      millrace: () => millrace.hash(algorithm, source),
      'node:crypto': () => crypto.createHash(algorithm).update(source).digest(),
    };
  });
}

function xxh({ millrace, bigintHash, xxhashWasm, xxhashAddon }, algorithm, type, method) {
  const source = crypto.randomBytes(64);
  const wide = algorithm === 'xxh64';
  const addon = wide ? xxhashAddon?.XXHash64 : xxhashAddon?.XXHash32;
  return {
    millrace: () => millrace.hash(algorithm, source, 'bigint'),
    'bigint-hash': bigintHash && (() => bigintHash.hashAsBigInt(bigintHash.HashType[type], source)),
    'xxhash-wasm': xxhashWasm && (() => BigInt(xxhashWasm[method](source))),
    'xxhash-addon': addon && (() => BigInt(`0x${addon.hash(source).toString('hex')}`)),
  };
}

function scryptForms(ours) {
  const options = { N: 16384, r: 8, p: 1 };
  return {
    millrace: () => ours(options),
    'node:crypto': () =>
      new Promise((resolve, reject) =>
        crypto.scrypt('secret', 'salt', 32, options, (error, result) =>
          error ? reject(error) : resolve(result),
        ),
      ),
  };
}

function promised(cryptoAsync, method, ...args) {
  if (!cryptoAsync) return null;
  return () =>
    new Promise((resolve, reject) =>
      cryptoAsync[method](...args, (error, result) => (error ? reject(error) : resolve(result))),
    );
}

function sealedByCryptoAsync(cryptoAsync, source, memory) {
  if (!cryptoAsync) return null;
  // An empty Buffer without a larger ArrayBuffer aborts the process.
  const noAad = Buffer.alloc(16).subarray(0, 0);
  if (memory === 'copied') {
    return async () => {
      const tag = Buffer.alloc(16);
      const call = promised(
        cryptoAsync,
        'cipher',
        'aes-256-gcm',
        1,
        key,
        nonce,
        source,
        noAad,
        tag,
      );
      // Not joined: that copy is none of the library's work.
      return [await call(), tag];
    };
  }
  const { length } = source;
  return inTurns(async (target) => {
    const windows = [key, 0, 32, nonce, 0, 12, source, 0, length, target, 0, noAad, 0, 0];
    await promised(cryptoAsync, 'cipher', 'aes-256-gcm', 1, ...windows, target, length, 16)();
    return target;
  });
}

/** Calls with targets of 1 MiB and a tag in turn, one for each call in flight. */
function inTurns(call) {
  const targets = Array.from({ length: 16 }, () => Buffer.alloc(MiB + 16));
  let next = 0;
  return () => call(targets[next++ % 16]);
}

function webCryptoSeal(source) {
  const imported = crypto.subtle.importKey('raw', key, 'AES-GCM', false, ['encrypt']);
  return async () => crypto.subtle.encrypt({ name: 'AES-GCM', iv: nonce }, await imported, source);
}

function messagesOf(data, size) {
  return Array.from({ length: data.length / size }, (_, index) =>
    data.subarray(index * size, (index + 1) * size),
  );
}

function loopOf(messages, target) {
  for (const [index, message] of messages.entries())
    crypto
      .createHash('sha256')
      .update(message)
      .digest()
      .copy(target, index * 32);
  return target;
}

function label(size) {
  if (size >= 1024 * MiB) return `${size / (1024 * MiB)} GiB`;
  if (size >= MiB) return `${size / MiB} MiB`;
  return size >= KiB ? `${size / KiB} KiB` : `${size} B`;
}
