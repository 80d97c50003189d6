// Node.js: node:crypto and WebCrypto.

import crypto, { webcrypto } from 'node:crypto';

import { argon2Arguments, derivations, forms } from './forms.mjs';

const convert = { group: 'convert' };

/**
 * node:crypto. All but key derivation is synchronous: its asynchronous hashes, ciphers and MACs are
 * WebCrypto's. `convert` is plain JavaScript on Buffers. Keys in both forms: raw bytes are slower
 * in some versions (most in Node.js 24), a KeyObject in others.
 *
 * @type {import('./all.mjs').Competitor}
 */
export const nodeCrypto = {
  name: 'node:crypto',
  load() {
    const { scryptSync: scrypt, pbkdf2Sync: pbkdf2, hkdfSync: hkdf } = crypto;
    // Argon2 since Node.js 24.7.
    const { argon2Sync: argon2 } = /** @type {any} */ (crypto);
    return {
      crypto,
      derive: { scrypt, pbkdf2, hkdf, argon2 },
      later: crypto,
      version: `OpenSSL ${process.versions.openssl}`,
    };
  },
  prepare({ crypto }, inputs) {
    inputs.keyObject = crypto.createSecretKey(inputs.rawKey);
    inputs.argon2 = argon2Arguments(inputs);
  },
  forms: [
    ...forms({ group: 'hash' }, ({ crypto }, { algorithm, source }) => [
      ['createHash', 'sync hex', () => crypto.createHash(algorithm).update(source).digest('hex')],
      ['createHash', 'sync buffer', () => crypto.createHash(algorithm).update(source).digest()],
      ['crypto.hash', 'sync hex', () => crypto.hash(algorithm, source, 'hex')],
      ['crypto.hash', 'sync buffer', () => crypto.hash(algorithm, source, 'buffer')],
      [
        'crypto.hash hex',
        'sync bigint',
        () => BigInt('0x' + crypto.hash(algorithm, source, 'hex')),
      ],
      [
        'createHash hex',
        'sync bigint',
        () => BigInt('0x' + crypto.createHash(algorithm).update(source).digest('hex')),
      ],
    ]),
    ...forms({ group: 'text' }, ({ crypto }, { algorithm, text }) => [
      ['crypto.hash', 'sync hex', () => crypto.hash(algorithm, text, 'hex')],
      ['createHash', 'sync hex', () => crypto.createHash(algorithm).update(text).digest('hex')],
    ]),
    ...forms({ group: 'hasher' }, ({ crypto }, { algorithm, parts: [a, b, c] }) => [
      [
        'createHash',
        'sync hex',
        () => crypto.createHash(algorithm).update(a).update(b).update(c).digest('hex'),
      ],
    ]),
    // Hex strings are its fastest digests. Its asynchronous batch is a loop that blocks; WebCrypto
    // has another.
    ...forms({ group: 'many' }, ({ crypto }, { algorithm, sources }) => [
      [
        'loop of crypto.hash',
        'sync buffer',
        () => sources.map((source) => crypto.hash(algorithm, source, 'buffer')),
      ],
      [
        'loop of crypto.hash hex',
        'sync buffer',
        () => sources.map((source) => crypto.hash(algorithm, source, 'hex')),
      ],
      [
        'loop of crypto.hash hex',
        'sync hex',
        () => sources.map((source) => crypto.hash(algorithm, source, 'hex')),
      ],
      [
        'loop of crypto.hash hex',
        'promise buffer',
        async () => sources.map((source) => crypto.hash(algorithm, source, 'hex')),
      ],
    ]),

    ...forms({ ...convert, algorithm: 'toBigIntBE' }, (_, { source }) => [
      ['BigInt of hex', 'sync bigint', () => BigInt('0x' + source.toString('hex'))],
    ]),
    ...forms({ ...convert, algorithm: 'toBigIntLE' }, (_, { source }) => [
      [
        'BigInt of hex',
        'sync bigint',
        () => BigInt('0x' + Buffer.from(source).reverse().toString('hex')),
      ],
    ]),
    ...forms({ ...convert, algorithm: 'toBufferBE' }, (_, { number, size }) => [
      [
        'Buffer of hex',
        'sync buffer',
        () => Buffer.from(number.toString(16).padStart(size * 2, '0'), 'hex'),
      ],
    ]),
    ...forms({ ...convert, algorithm: 'toBufferLE' }, (_, { number, size }) => [
      [
        'Buffer of hex',
        'sync buffer',
        () => Buffer.from(number.toString(16).padStart(size * 2, '0'), 'hex').reverse(),
      ],
    ]),

    ...forms({ group: 'hmac' }, ({ crypto }, { hash, rawKey, keyObject, source }) => {
      const call = (key) => () => crypto.createHmac(hash, key).update(source).digest();
      return [
        ['createHmac raw', 'sync buffer', call(rawKey)],
        ['createHmac KeyObject', 'sync buffer', call(keyObject)],
      ];
    }),
    ...forms({ group: 'cipher' }, ({ crypto }, { algorithm, rawKey, keyObject, iv, source }) => {
      const call = (key) => () => {
        const cipher = crypto.createCipheriv(algorithm, key, iv);
        const result = cipher.update(source);
        cipher.final(); // empty for a stream cipher
        return result;
      };
      return [
        ['createCipheriv raw', 'sync buffer', call(rawKey)],
        ['createCipheriv KeyObject', 'sync buffer', call(keyObject)],
      ];
    }),
    // Ciphertext and tag stay apart: joining them would cost a copy that Node.js does not make.
    ...forms({ group: 'aead', operation: 'seal' }, ({ crypto }, inputs) => {
      const { algorithm, rawKey, keyObject, iv, source } = inputs;
      const options = { authTagLength: 16 };
      const call = (key) => () => {
        const cipher = crypto.createCipheriv(algorithm, key, iv, options);
        const result = cipher.update(source);
        cipher.final();
        inputs.tag = cipher.getAuthTag();
        return result;
      };
      return [
        ['createCipheriv raw', 'sync buffer', call(rawKey)],
        ['createCipheriv KeyObject', 'sync buffer', call(keyObject)],
      ];
    }),
    ...forms({ group: 'aead', operation: 'open' }, ({ crypto }, inputs) => {
      const { algorithm, rawKey, keyObject, iv, ciphertext, tag } = inputs;
      const options = { authTagLength: 16 };
      const call = (key) => () => {
        const decipher = crypto.createDecipheriv(algorithm, key, iv, options);
        decipher.setAuthTag(tag);
        const result = decipher.update(ciphertext);
        decipher.final();
        return result;
      };
      return [
        ['createDecipheriv raw', 'sync buffer', call(rawKey)],
        ['createDecipheriv KeyObject', 'sync buffer', call(keyObject)],
      ];
    }),
    ...derivations,
  ],
};

const webNames = {
  sha1: 'SHA-1',
  sha256: 'SHA-256',
  sha384: 'SHA-384',
  sha512: 'SHA-512',
  'sha3-256': 'SHA3-256',
  'aes-256-ctr': 'AES-CTR',
  'aes-256-gcm': 'AES-GCM',
  'chacha20-poly1305': 'ChaCha20-Poly1305',
};

/**
 * WebCrypto (node:crypto's webcrypto.subtle): promises only, results are new ArrayBuffers, keys are
 * imported once before the clock starts.
 *
 * @type {import('./all.mjs').Competitor}
 */
export const webCrypto = {
  name: 'WebCrypto',
  load: () => ({ subtle: webcrypto.subtle, version: '' }),
  /** Rejects, or leaves the name undefined, if this Node's WebCrypto lacks the algorithm. */
  async prepare({ subtle }, inputs) {
    const { group, rawKey, hash } = inputs;
    const name = webNames[hash];
    if (name === undefined) throw new Error(`not in WebCrypto: ${inputs.algorithm}`);
    inputs.webName = name;
    if (group === 'hash' || group === 'many') return;
    const [format, algorithm, usages] =
      group === 'hmac'
        ? ['raw', { name: 'HMAC', hash: name }, ['sign']]
        : [name.startsWith('ChaCha') ? 'raw-secret' : 'raw', name, ['encrypt', 'decrypt']];
    inputs.webKey = await subtle.importKey(format, rawKey, algorithm, false, usages);
  },
  forms: [
    ...forms({ group: 'hash' }, ({ subtle }, { webName, source }) => [
      ['digest', 'promise buffer', () => subtle.digest(webName, source)],
    ]),
    ...forms({ group: 'many' }, ({ subtle }, { webName, sources }) => [
      [
        'digests',
        'promise buffer',
        () => Promise.all(sources.map((source) => subtle.digest(webName, source))),
      ],
    ]),
    ...forms({ group: 'hmac' }, ({ subtle }, { webKey, source }) => [
      ['sign', 'promise buffer', () => subtle.sign('HMAC', webKey, source)],
    ]),
    ...forms({ group: 'cipher' }, ({ subtle }, { webName: name, webKey, iv, source }) => [
      [
        'encrypt',
        'promise buffer',
        () => subtle.encrypt({ name, counter: iv, length: 128 }, webKey, source),
      ],
    ]),
    ...forms(
      { group: 'aead', operation: 'seal' },
      ({ subtle }, { webName: name, webKey, iv, source }) => [
        [
          'encrypt',
          'promise buffer',
          () => subtle.encrypt({ name, iv, tagLength: 128 }, webKey, source),
        ],
      ],
    ),
    ...forms(
      { group: 'aead', operation: 'open' },
      ({ subtle }, { webName: name, webKey, iv, sealed }) => [
        [
          'decrypt',
          'promise buffer',
          () => subtle.decrypt({ name, iv, tagLength: 128 }, webKey, sealed),
        ],
      ],
    ),
  ],
};
