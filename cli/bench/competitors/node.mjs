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
  texts: true,
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
    ...forms({ group: 'hash' }, ({ crypto }, { algorithm, source }) => ({
      'sync hex: createHash': () => crypto.createHash(algorithm).update(source).digest('hex'),
      'sync buffer: createHash': () => crypto.createHash(algorithm).update(source).digest(),
      'sync hex: crypto.hash': () => crypto.hash(algorithm, source, 'hex'),
      'sync buffer: crypto.hash': () => crypto.hash(algorithm, source, 'buffer'),
      'sync bigint: crypto.hash hex': () => BigInt('0x' + crypto.hash(algorithm, source, 'hex')),
      'sync bigint: createHash hex': () =>
        BigInt('0x' + crypto.createHash(algorithm).update(source).digest('hex')),
    })),
    ...forms({ group: 'hasher' }, ({ crypto }, { algorithm, parts: [a, b, c] }) => ({
      'sync hex: createHash': () =>
        crypto.createHash(algorithm).update(a).update(b).update(c).digest('hex'),
    })),

    ...forms({ ...convert, algorithm: 'toBigIntBE' }, (_, { source }) => ({
      'sync bigint: BigInt of hex': () => BigInt('0x' + source.toString('hex')),
    })),
    ...forms({ ...convert, algorithm: 'toBigIntLE' }, (_, { source }) => ({
      'sync bigint: BigInt of hex': () =>
        BigInt('0x' + Buffer.from(source).reverse().toString('hex')),
    })),
    ...forms({ ...convert, algorithm: 'toBufferBE' }, (_, { number, size }) => ({
      'sync buffer: Buffer of hex': () =>
        Buffer.from(number.toString(16).padStart(size * 2, '0'), 'hex'),
    })),
    ...forms({ ...convert, algorithm: 'toBufferLE' }, (_, { number, size }) => ({
      'sync buffer: Buffer of hex': () =>
        Buffer.from(number.toString(16).padStart(size * 2, '0'), 'hex').reverse(),
    })),

    ...forms({ group: 'hmac' }, ({ crypto }, { hash, rawKey, keyObject, source }) => {
      const call = (key) => () => crypto.createHmac(hash, key).update(source).digest();
      return {
        'sync buffer: createHmac raw': call(rawKey),
        'sync buffer: createHmac KeyObject': call(keyObject),
      };
    }),
    ...forms({ group: 'cipher' }, ({ crypto }, { algorithm, rawKey, keyObject, iv, source }) => {
      const call = (key) => () => {
        const cipher = crypto.createCipheriv(algorithm, key, iv);
        const result = cipher.update(source);
        cipher.final(); // empty for a stream cipher
        return result;
      };
      return {
        'sync buffer: createCipheriv raw': call(rawKey),
        'sync buffer: createCipheriv KeyObject': call(keyObject),
      };
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
      return {
        'sync buffer: createCipheriv raw': call(rawKey),
        'sync buffer: createCipheriv KeyObject': call(keyObject),
      };
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
      return {
        'sync buffer: createDecipheriv raw': call(rawKey),
        'sync buffer: createDecipheriv KeyObject': call(keyObject),
      };
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
    ...forms({ group: 'hash' }, ({ subtle }, { webName, source }) => ({
      'promise buffer: digest': () => subtle.digest(webName, source),
    })),
    ...forms({ group: 'hmac' }, ({ subtle }, { webKey, source }) => ({
      'promise buffer: sign': () => subtle.sign('HMAC', webKey, source),
    })),
    ...forms({ group: 'cipher' }, ({ subtle }, { webName: name, webKey, iv, source }) => ({
      'promise buffer: encrypt': () =>
        subtle.encrypt({ name, counter: iv, length: 128 }, webKey, source),
    })),
    ...forms(
      { group: 'aead', operation: 'seal' },
      ({ subtle }, { webName: name, webKey, iv, source }) => ({
        'promise buffer: encrypt': () =>
          subtle.encrypt({ name, iv, tagLength: 128 }, webKey, source),
      }),
    ),
    ...forms(
      { group: 'aead', operation: 'open' },
      ({ subtle }, { webName: name, webKey, iv, sealed }) => ({
        'promise buffer: decrypt': () =>
          subtle.decrypt({ name, iv, tagLength: 128 }, webKey, sealed),
      }),
    ),
  ],
};
