// node:crypto. All but key derivation is synchronous: its asynchronous hashes, ciphers and MACs are
// WebCrypto's. `convert` is plain JavaScript on Buffers. Keys both ways: raw bytes are the slower
// form on some versions (Node 24 most of all), a KeyObject on others.

import crypto from 'node:crypto';

export const name = 'node:crypto';

export function load() {
  return { crypto, version: `OpenSSL ${process.versions.openssl}` };
}

export function prepare({ crypto }, inputs) {
  inputs.keyObject = crypto.createSecretKey(inputs.rawKey);
}

const hash = { group: 'hash', wait: 'sync' };
const text = { group: 'text', wait: 'sync' };
const hasher = { group: 'hasher', wait: 'sync' };
const many = { group: 'many', wait: 'sync' };
const convert = { group: 'convert', wait: 'sync' };
const hmac = { group: 'hmac', wait: 'sync', output: 'buffer' };
const kdf = { group: 'kdf', output: 'buffer' };
const derive = { ...kdf, wait: 'sync' };
const deriveLater = { ...kdf, wait: 'callback' };
const cipher = { group: 'cipher', wait: 'sync', output: 'buffer' };
const seal = { group: 'aead', operation: 'seal', wait: 'sync', output: 'buffer' };
const open = { group: 'aead', operation: 'open', wait: 'sync', output: 'buffer' };

export const forms = [
  {
    name: 'createHash',
    ...hash,
    output: 'hex',
    make:
      ({ crypto }, { algorithm, source }) =>
      () =>
        crypto.createHash(algorithm).update(source).digest('hex'),
  },
  {
    name: 'createHash',
    ...hash,
    output: 'buffer',
    make:
      ({ crypto }, { algorithm, source }) =>
      () =>
        crypto.createHash(algorithm).update(source).digest(),
  },
  {
    name: 'crypto.hash',
    ...hash,
    output: 'hex',
    make:
      ({ crypto }, { algorithm, source }) =>
      () =>
        crypto.hash(algorithm, source, 'hex'),
  },
  {
    name: 'crypto.hash',
    ...hash,
    output: 'buffer',
    make:
      ({ crypto }, { algorithm, source }) =>
      () =>
        crypto.hash(algorithm, source, 'buffer'),
  },

  {
    name: 'crypto.hash hex',
    ...hash,
    output: 'bigint',
    make:
      ({ crypto }, { algorithm, source }) =>
      () =>
        BigInt('0x' + crypto.hash(algorithm, source, 'hex')),
  },
  {
    name: 'createHash hex',
    ...hash,
    output: 'bigint',
    make:
      ({ crypto }, { algorithm, source }) =>
      () =>
        BigInt('0x' + crypto.createHash(algorithm).update(source).digest('hex')),
  },

  {
    name: 'crypto.hash',
    ...text,
    output: 'hex',
    make:
      ({ crypto }, { algorithm, text }) =>
      () =>
        crypto.hash(algorithm, text, 'hex'),
  },
  {
    name: 'createHash',
    ...text,
    output: 'hex',
    make:
      ({ crypto }, { algorithm, text }) =>
      () =>
        crypto.createHash(algorithm).update(text).digest('hex'),
  },

  {
    name: 'createHash',
    ...hasher,
    output: 'hex',
    make:
      ({ crypto }, { algorithm, parts: [a, b, c] }) =>
      () =>
        crypto.createHash(algorithm).update(a).update(b).update(c).digest('hex'),
  },

  // Hex strings are its fastest digests; there is no asynchronous batch but this loop, which
  // blocks, and WebCrypto's.
  {
    name: 'loop of crypto.hash',
    ...many,
    output: 'buffer',
    make:
      ({ crypto }, { algorithm, sources }) =>
      () =>
        sources.map((source) => crypto.hash(algorithm, source, 'buffer')),
  },
  {
    name: 'loop of crypto.hash hex',
    ...many,
    output: 'buffer',
    make:
      ({ crypto }, { algorithm, sources }) =>
      () =>
        sources.map((source) => crypto.hash(algorithm, source, 'hex')),
  },
  {
    name: 'loop of crypto.hash hex',
    ...many,
    output: 'hex',
    make:
      ({ crypto }, { algorithm, sources }) =>
      () =>
        sources.map((source) => crypto.hash(algorithm, source, 'hex')),
  },
  {
    name: 'loop of crypto.hash hex',
    ...many,
    wait: 'promise',
    output: 'buffer',
    make:
      ({ crypto }, { algorithm, sources }) =>
      async () =>
        sources.map((source) => crypto.hash(algorithm, source, 'hex')),
  },

  {
    name: 'BigInt of hex',
    ...convert,
    algorithm: 'toBigIntBE',
    output: 'bigint',
    make:
      (_tools, { source }) =>
      () =>
        BigInt('0x' + source.toString('hex')),
  },
  {
    name: 'BigInt of hex',
    ...convert,
    algorithm: 'toBigIntLE',
    output: 'bigint',
    make:
      (_tools, { source }) =>
      () =>
        BigInt('0x' + Buffer.from(source).reverse().toString('hex')),
  },
  {
    name: 'Buffer of hex',
    ...convert,
    algorithm: 'toBufferBE',
    output: 'buffer',
    make:
      (_tools, { number, size }) =>
      () =>
        Buffer.from(number.toString(16).padStart(size * 2, '0'), 'hex'),
  },
  {
    name: 'Buffer of hex',
    ...convert,
    algorithm: 'toBufferLE',
    output: 'buffer',
    make:
      (_tools, { number, size }) =>
      () =>
        Buffer.from(number.toString(16).padStart(size * 2, '0'), 'hex').reverse(),
  },

  {
    name: 'createHmac raw',
    ...hmac,
    make:
      ({ crypto }, { hash, rawKey, source }) =>
      () =>
        crypto.createHmac(hash, rawKey).update(source).digest(),
  },
  {
    name: 'createHmac KeyObject',
    ...hmac,
    make:
      ({ crypto }, { hash, keyObject, source }) =>
      () =>
        crypto.createHmac(hash, keyObject).update(source).digest(),
  },

  {
    name: 'createCipheriv raw',
    ...cipher,
    make:
      ({ crypto }, { algorithm, rawKey, iv, source }) =>
      () => {
        const cipher = crypto.createCipheriv(algorithm, rawKey, iv);
        const result = cipher.update(source);
        cipher.final(); // empty for a stream cipher
        return result;
      },
  },
  {
    name: 'createCipheriv KeyObject',
    ...cipher,
    make:
      ({ crypto }, { algorithm, keyObject, iv, source }) =>
      () => {
        const cipher = crypto.createCipheriv(algorithm, keyObject, iv);
        const result = cipher.update(source);
        cipher.final();
        return result;
      },
  },

  // Ciphertext and tag stay apart: putting them together is not Node's way and would cost it a
  // copy.
  {
    name: 'createCipheriv raw',
    ...seal,
    make: ({ crypto }, inputs) => {
      const { algorithm, rawKey, iv, source } = inputs;
      const options = { authTagLength: 16 };
      return () => {
        const cipher = crypto.createCipheriv(algorithm, rawKey, iv, options);
        const result = cipher.update(source);
        cipher.final();
        inputs.tag = cipher.getAuthTag();
        return result;
      };
    },
  },
  {
    name: 'createCipheriv KeyObject',
    ...seal,
    make: ({ crypto }, inputs) => {
      const { algorithm, keyObject, iv, source } = inputs;
      const options = { authTagLength: 16 };
      return () => {
        const cipher = crypto.createCipheriv(algorithm, keyObject, iv, options);
        const result = cipher.update(source);
        cipher.final();
        inputs.tag = cipher.getAuthTag();
        return result;
      };
    },
  },
  {
    name: 'createDecipheriv raw',
    ...open,
    make: ({ crypto }, { algorithm, rawKey, iv, ciphertext, tag }) => {
      const options = { authTagLength: 16 };
      return () => {
        const decipher = crypto.createDecipheriv(algorithm, rawKey, iv, options);
        decipher.setAuthTag(tag);
        const result = decipher.update(ciphertext);
        decipher.final();
        return result;
      };
    },
  },
  {
    name: 'createDecipheriv KeyObject',
    ...open,
    make: ({ crypto }, { algorithm, keyObject, iv, ciphertext, tag }) => {
      const options = { authTagLength: 16 };
      return () => {
        const decipher = crypto.createDecipheriv(algorithm, keyObject, iv, options);
        decipher.setAuthTag(tag);
        const result = decipher.update(ciphertext);
        decipher.final();
        return result;
      };
    },
  },

  // Argon2 since Node 24.7; it is not a function before.
  {
    name: 'scryptSync',
    ...derive,
    algorithm: 'scrypt',
    make:
      ({ crypto }, { password, salt, size, parameters }) =>
      () =>
        crypto.scryptSync(password, salt, size, parameters),
  },
  {
    name: 'scrypt',
    ...deriveLater,
    algorithm: 'scrypt',
    make:
      ({ crypto }, { password, salt, size, parameters }) =>
      (done) =>
        crypto.scrypt(password, salt, size, parameters, done),
  },
  {
    name: 'pbkdf2Sync',
    ...derive,
    algorithm: 'pbkdf2',
    make:
      ({ crypto }, { password, salt, size, parameters: { iterations, digest } }) =>
      () =>
        crypto.pbkdf2Sync(password, salt, iterations, size, digest),
  },
  {
    name: 'pbkdf2',
    ...deriveLater,
    algorithm: 'pbkdf2',
    make:
      ({ crypto }, { password, salt, size, parameters: { iterations, digest } }) =>
      (done) =>
        crypto.pbkdf2(password, salt, iterations, size, digest, done),
  },
  {
    name: 'hkdfSync',
    ...derive,
    algorithm: 'hkdf',
    make:
      ({ crypto }, { password, salt, size, parameters: { digest } }) =>
      () =>
        crypto.hkdfSync(digest, password, salt, '', size),
  },
  {
    name: 'hkdf',
    ...deriveLater,
    algorithm: 'hkdf',
    make:
      ({ crypto }, { password, salt, size, parameters: { digest } }) =>
      (done) =>
        crypto.hkdf(digest, password, salt, '', size, done),
  },
  {
    name: 'argon2Sync',
    ...derive,
    algorithm: 'argon2id',
    make:
      ({ crypto }, { password, salt, size, parameters }) =>
      () =>
        crypto.argon2Sync('argon2id', {
          message: password,
          nonce: salt,
          tagLength: size,
          ...parameters,
        }),
  },
  {
    name: 'argon2',
    ...deriveLater,
    algorithm: 'argon2id',
    make:
      ({ crypto }, { password, salt, size, parameters }) =>
      (done) =>
        crypto.argon2(
          'argon2id',
          { message: password, nonce: salt, tagLength: size, ...parameters },
          done,
        ),
  },
];
