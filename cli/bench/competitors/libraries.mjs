// Packages from npm, by their names. A package without its addon is missing: its fallback in
// JavaScript would be another competitor.

import { load as read, needsAddon, requirePackage, version } from '../packages.mjs';
import { forms } from './forms.mjs';

/** Names of bigint-hash that differ from Millrace's. */
export const hashTypes = { xxh32: 'xxHash32', xxh64: 'xxHash64' };

/**
 * Completes a competitor. `load` returns its tools, by default the package as `library`; `uses`
 * returns what a job needs by name (a hash of the job's algorithm).
 *
 * @param {{ name: string, packageName?: string, addon?: string, load?: (name: string) => any,
 *   uses?: (library: any, inputs: any) => object, texts?: boolean, about?: string,
 *   forms: any[][] }} description
 * @returns {import('./all.mjs').Competitor}
 */
function library({ name, packageName = name, addon, load, uses, texts, about = '', forms: lists }) {
  return {
    name,
    packageName,
    texts,
    async load() {
      if (addon !== undefined) needsAddon(packageName, addon);
      const library = await (load ?? requirePackage)(packageName);
      return { library, version: `${version(packageName)}${about}` };
    },
    prepare: ({ library }, inputs) => void Object.assign(inputs, uses?.(library, inputs)),
    forms: lists.flat(),
  };
}

const blake3 = { algorithm: 'blake3' };
const xxh32 = { group: 'hash', algorithm: 'xxh32' };
const xxh64 = { algorithm: 'xxh64' };
const seal = { group: 'aead', operation: 'seal' };

export const libraries = [
  // The original package of the asynchronous calls: friendly calls (a new Buffer) and zero-copy
  // windows. An empty AAD must be a slice of something: an empty Buffer alone aborts the process.
  library({
    name: 'crypto-async',
    packageName: '@ronomon/crypto-async',
    uses: () => ({ noAad: Buffer.alloc(16).subarray(0, 0) }),
    forms: [
      forms({ group: 'hash', alone: true }, ({ library }, { algorithm, source, size, target }) => ({
        'sync hex: hash': () => library.hash(algorithm, source).toString('hex'),
        'sync buffer: hash': () => library.hash(algorithm, source),
        'callback buffer: hash': (done) => library.hash(algorithm, source, done),
        'sync into: hash zero-copy': () => library.hash(algorithm, source, 0, size, target, 0),
        'callback into: hash zero-copy': (done) =>
          library.hash(algorithm, source, 0, size, target, 0, done),
      })),
      forms({ group: 'hmac' }, ({ library }, { hash, rawKey, source, size, target }) => ({
        'sync buffer: hmac': () => library.hmac(hash, rawKey, source),
        'callback buffer: hmac': (done) => library.hmac(hash, rawKey, source, done),
        'sync into: hmac zero-copy': () =>
          library.hmac(hash, rawKey, 0, 32, source, 0, size, target, 0),
      })),
      forms(
        { group: 'cipher' },
        ({ library }, { algorithm: name, rawKey: key, iv, source, size, target }) => ({
          'sync buffer: cipher': () => library.cipher(name, 1, key, iv, source),
          'callback buffer: cipher': (done) => library.cipher(name, 1, key, iv, source, done),
          'sync into: cipher zero-copy': () =>
            library.cipher(name, 1, key, 0, 32, iv, 0, 16, source, 0, size, target, 0),
          'callback into: cipher zero-copy': (f) =>
            library.cipher(name, 1, key, 0, 32, iv, 0, 16, source, 0, size, target, 0, f),
        }),
      ),
      forms(
        seal,
        ({ library }, { algorithm: name, rawKey: key, iv, source, size, target, noAad, tag }) => ({
          'sync buffer: cipher': () => library.cipher(name, 1, key, iv, source, noAad, tag),
          'callback buffer: cipher': (done) =>
            library.cipher(name, 1, key, iv, source, noAad, tag, done),
          'sync into: cipher zero-copy': () =>
            library.cipher(
              name,
              1,
              key,
              0,
              32,
              iv,
              0,
              12,
              source,
              0,
              size,
              target,
              0,
              source,
              0,
              0,
              tag,
              0,
              16,
            ),
          'callback into: cipher zero-copy': (done) =>
            library.cipher(
              name,
              1,
              key,
              0,
              32,
              iv,
              0,
              12,
              source,
              0,
              size,
              target,
              0,
              source,
              0,
              0,
              tag,
              0,
              16,
              done,
            ),
        }),
      ),
      forms(
        { ...seal, operation: 'open' },
        ({ library }, { algorithm: name, rawKey: key, iv, ciphertext: text, noAad, tag }) => ({
          'sync buffer: cipher': () => library.cipher(name, 0, key, iv, text, noAad, tag),
          'callback buffer: cipher': (done) =>
            library.cipher(name, 0, key, iv, text, noAad, tag, done),
        }),
      ),
    ],
  }),

  // libsodium, native: writes to buffers of the caller.
  library({
    name: 'sodium-native',
    forms: [
      forms({ group: 'hash', algorithm: 'sha256' }, ({ library }, { source }) => ({
        'sync buffer: crypto_hash_sha256': () => {
          const digest = Buffer.allocUnsafe(32);
          library.crypto_hash_sha256(digest, source);
          return digest;
        },
      })),
      forms(
        { ...seal, operation: 'open', algorithm: 'chacha20-poly1305' },
        ({ library }, { rawKey, iv, sealed, size }) => ({
          'sync buffer: crypto_aead_chacha20poly1305_ietf_decrypt': () => {
            const text = Buffer.allocUnsafe(size);
            library.crypto_aead_chacha20poly1305_ietf_decrypt(text, null, sealed, null, iv, rawKey);
            return text;
          },
        }),
      ),
    ],
  }),

  // bigint-hash 0.2, the original package of the digests: one-shots, a hasher, no hex.
  library({
    name: 'bigint-hash',
    addon: 'build/Release/openssl.node',
    uses: (_, { algorithm }) => ({ type: hashTypes[algorithm] ?? algorithm }),
    forms: [
      forms({ group: 'hash' }, ({ library }, { type, source }) => ({
        'sync bigint: hashAsBigInt': () => library.hashAsBigInt(type, source),
        'sync buffer: hashAsBuffer': () => library.hashAsBuffer(type, source),
        'sync hex: hashAsBuffer': () => library.hashAsBuffer(type, source).toString('hex'),
      })),
      forms(
        { group: 'bigint-hash', operation: 'hashAsBigInt' },
        ({ library }, { type, source }) => ({
          'sync bigint: hashAsBigInt': () => library.hashAsBigInt(type, source),
        }),
      ),
      forms({ group: 'bigint-hash', operation: 'getHasher' }, ({ library }, { type, source }) => ({
        'sync bigint: getHasher': () => library.getHasher(type).update(source).digestBigInt(),
      })),
      forms({ group: 'text' }, ({ library }, { type, text }) => ({
        'sync bigint: getHasher': () => library.getHasher(type).update(text).digestBigInt(),
        'sync hex: getHasher': () => library.getHasher(type).update(text).digest().toString('hex'),
      })),
      forms({ group: 'hasher' }, ({ library }, { type, parts: [a, b, c] }) => ({
        'sync hex: getHasher': () =>
          library.getHasher(type).update(a).update(b).update(c).digest().toString('hex'),
      })),
    ],
  }),

  // bigint-buffer 1.1, which users of bigint-hash import beside it.
  library({
    name: 'bigint-buffer',
    addon: 'build/Release/bigint_buffer.node',
    forms: [
      forms({ group: 'convert' }, ({ library }, { algorithm, source, number, size }) => ({
        'sync bigint: convert': () => library[algorithm](source),
        'sync buffer: convert': () => library[algorithm](number, size),
      })),
    ],
  }),

  // WebAssembly. Its one-shots are promises; its hashers are made before the clock starts, and
  // start anew with init().
  library({
    name: 'hash-wasm',
    texts: true,
    load: async (name) => {
      const wasm = requirePackage(name);
      return {
        hashers: {
          blake3: await wasm.createBLAKE3(),
          keccak256: await wasm.createKeccak(256),
          md5: await wasm.createMD5(),
          sha1: await wasm.createSHA1(),
          sha256: await wasm.createSHA256(),
          'sha3-256': await wasm.createSHA3(256),
          sha512: await wasm.createSHA512(),
          'xxh3-64': await wasm.createXXHash3(),
          xxh32: await wasm.createXXHash32(),
          xxh64: await wasm.createXXHash64(),
        },
        oneShots: {
          blake3: wasm.blake3,
          keccak256: (data) => wasm.keccak(data, 256),
          sha256: wasm.sha256,
          'sha3-256': (data) => wasm.sha3(data, 256),
          xxh64: wasm.xxhash64,
        },
      };
    },
    uses: ({ hashers, oneShots }, { algorithm }) => ({
      hasher: hashers[algorithm],
      oneShot: oneShots[algorithm],
    }),
    forms: [
      forms({ group: 'hash' }, (_, { hasher, oneShot, source }) => ({
        'sync bigint: hasher': () => BigInt('0x' + hasher.init().update(source).digest('hex')),
        'sync hex: hasher': () => hasher.init().update(source).digest('hex'),
        'sync buffer: hasher': () => hasher.init().update(source).digest('binary'),
        'promise hex: one-shot': () => oneShot(source),
      })),
      forms({ group: 'hasher' }, (_, { hasher, parts: [a, b, c] }) => ({
        'sync hex: hasher': () => hasher.init().update(a).update(b).update(c).digest('hex'),
      })),
    ],
  }),

  // JavaScript, Uint8Arrays in and out. ethereum-cryptography exports the same functions.
  library({
    name: '@noble/hashes',
    load: async () => {
      const { sha256, sha512 } = await read('@noble/hashes/sha2.js');
      const { keccak_256: keccak256, sha3_256 } = await read('@noble/hashes/sha3.js');
      const { blake3 } = await read('@noble/hashes/blake3.js');
      const { md5, sha1 } = await read('@noble/hashes/legacy.js');
      const { bytesToHex, utf8ToBytes } = await read('@noble/hashes/utils.js');
      const hashes = { blake3, keccak256, md5, sha1, sha256, 'sha3-256': sha3_256, sha512 };
      return { hashes, bytesToHex, utf8ToBytes };
    },
    uses: ({ hashes, bytesToHex, utf8ToBytes }, { algorithm }) => ({
      noble: hashes[algorithm],
      toHex: bytesToHex,
      utf8ToBytes,
    }),
    forms: [
      forms({ group: 'hash' }, (_, { noble, toHex, source }) => ({
        'sync bigint: hash': () => BigInt('0x' + toHex(noble(source))),
        'sync hex: hash': () => toHex(noble(source)),
        'sync buffer: hash': () => noble(source),
      })),
      forms({ group: 'text' }, (_, { noble, toHex, utf8ToBytes, text }) => ({
        'sync hex: hash': () => toHex(noble(utf8ToBytes(text))),
      })),
      forms({ group: 'hasher' }, (_, { noble, toHex, parts: [a, b, c] }) => ({
        'sync hex: create': () => toHex(noble.create().update(a).update(b).update(c).digest()),
      })),
    ],
  }),

  // RustCrypto's argon2 through Node-API; asynchronous calls run on libuv's threads.
  library({
    name: '@node-rs/argon2',
    uses: (_, { parameters: { memory, passes, parallelism }, size, salt }) => ({
      argon: {
        // its number of argon2id
        algorithm: 2,
        memoryCost: memory,
        timeCost: passes,
        parallelism,
        outputLen: size,
        salt,
      },
    }),
    forms: [
      forms({ group: 'kdf', algorithm: 'argon2id' }, ({ library }, { password, argon }) => ({
        'sync buffer: hashRawSync': () => library.hashRawSync(password, argon),
        'promise buffer: hashRaw': () => library.hashRaw(password, argon),
      })),
    ],
  }),

  // Native, in Rust: BigInts, for xxh32 numbers.
  library({
    name: '@node-rs/xxhash',
    texts: true,
    uses: ({ xxh32, xxh64, xxh3, Xxh64 }, { algorithm }) => ({
      xxhash: { xxh32, xxh64, 'xxh3-64': xxh3.xxh64 }[algorithm],
      Hasher: { xxh64: Xxh64, 'xxh3-64': xxh3.Xxh3 }[algorithm],
    }),
    forms: [
      forms({ group: 'hash' }, (_, { xxhash, source }) => ({
        'sync bigint: one-shot': () => xxhash(source),
        'sync hex: one-shot': () => xxhash(source).toString(16).padStart(16, '0'),
      })),
      forms({ group: 'hasher' }, (_, { Hasher, parts: [a, b, c] }) => ({
        'sync hex: class': () =>
          new Hasher().update(a).update(b).update(c).digest().toString(16).padStart(16, '0'),
      })),
    ],
  }),

  // WebAssembly: BigInts, for xxh32 numbers. No XXH3.
  library({
    name: 'xxhash-wasm',
    load: (name) => requirePackage(name)(),
    forms: [
      forms(xxh32, ({ library }, { source }) => ({
        'sync bigint: h32Raw': () => library.h32Raw(source),
      })),
      forms({ group: 'hash', ...xxh64 }, ({ library }, { source }) => ({
        'sync bigint: h64Raw': () => library.h64Raw(source),
        'sync hex: h64Raw': () => library.h64Raw(source).toString(16).padStart(16, '0'),
      })),
      forms({ group: 'text', ...xxh64 }, ({ library }, { text }) => ({
        'sync bigint: h64': () => library.h64(text),
      })),
      forms({ group: 'hasher', ...xxh64 }, ({ library }, { parts: [a, b, c] }) => ({
        'sync hex: create64': () => {
          const digest = library.create64().update(a).update(b).update(c).digest();
          return digest.toString(16).padStart(16, '0');
        },
      })),
    ],
  }),

  // Native: the C library, with Buffers.
  library({
    name: 'xxhash-addon',
    uses: ({ XXHash32: xxh32, XXHash64: xxh64, XXHash3 }, { algorithm }) => ({
      XXHash: { xxh32, xxh64, 'xxh3-64': XXHash3 }[algorithm],
    }),
    forms: [
      forms(xxh32, (_, { XXHash, source }) => ({
        'sync bigint: hash': () => XXHash.hash(source).readUInt32BE(),
      })),
      ...['xxh64', 'xxh3-64'].map((algorithm) =>
        forms({ group: 'hash', algorithm }, (_, { XXHash, source }) => ({
          'sync bigint: hash': () => XXHash.hash(source).readBigUInt64BE(),
        })),
      ),
      forms({ group: 'hash' }, (_, { XXHash, source }) => ({
        'sync hex: hash': () => XXHash.hash(source).toString('hex'),
      })),
    ],
  }),

  // keccak 3 (native, with the interface of node:crypto's Hash): Keccak and SHA-3 only.
  library({
    name: 'keccak',
    texts: true,
    forms: [
      forms({ group: 'hash' }, ({ library: keccak }, { algorithm, source }) => ({
        'sync bigint: update': () => BigInt('0x' + keccak(algorithm).update(source).digest('hex')),
        'sync hex: update': () => keccak(algorithm).update(source).digest('hex'),
        'sync buffer: update': () => keccak(algorithm).update(source).digest(),
      })),
      forms({ group: 'hasher' }, ({ library: keccak }, { algorithm, parts: [a, b, c] }) => ({
        'sync hex: update': () => keccak(algorithm).update(a).update(b).update(c).digest('hex'),
      })),
    ],
  }),

  // JavaScript, hex strings: the Keccak of many Ethereum libraries.
  library({
    name: 'js-sha3',
    texts: true,
    uses: ({ keccak256, sha3_256 }, { algorithm }) => ({
      sha3: { keccak256, 'sha3-256': sha3_256 }[algorithm],
    }),
    forms: [
      forms({ group: 'hash' }, (_, { sha3, source }) => ({
        'sync bigint: hash': () => BigInt('0x' + sha3(source)),
        'sync hex: hash': () => sha3(source),
        'sync buffer: hash': () => sha3.arrayBuffer(source),
      })),
      forms({ group: 'hasher' }, (_, { sha3, parts: [a, b, c] }) => ({
        'sync hex: update': () => sha3.update(a).update(b).update(c).hex(),
      })),
    ],
  }),

  // blake3 2.1 as its tarball is: WebAssembly. Its install script downloads an addon for releases
  // up to Node 17 only; version 3.0.0 depends on a blake3-wasm 2.1.7 that was never published.
  library({
    name: 'blake3',
    about: ' (wasm)',
    forms: [
      forms({ group: 'hash', ...blake3 }, ({ library }, { source }) => ({
        'sync bigint: hash': () => BigInt('0x' + library.hash(source).toString('hex')),
        'sync hex: hash': () => library.hash(source).toString('hex'),
        'sync buffer: hash': () => library.hash(source),
      })),
      forms({ group: 'hasher', ...blake3 }, ({ library }, { parts: [a, b, c] }) => ({
        'sync hex: createHash': () =>
          library.createHash().update(a).update(b).update(c).digest('hex'),
      })),
    ],
  }),

  // Native: the same Rust crate as ours with another binding.
  library({
    name: '@napi-rs/blake-hash',
    forms: [
      forms({ group: 'hash', ...blake3 }, ({ library }, { source }) => ({
        'sync bigint: blake3': () => BigInt('0x' + library.blake3(source).toString('hex')),
        'sync hex: blake3': () => library.blake3(source).toString('hex'),
        'sync buffer: blake3': () => library.blake3(source),
      })),
      forms({ group: 'hasher', ...blake3 }, ({ library }, { parts: [a, b, c] }) => ({
        'sync hex: Blake3Hasher': () =>
          new library.Blake3Hasher().update(a).update(b).update(c).digest('hex'),
      })),
    ],
  }),
];
