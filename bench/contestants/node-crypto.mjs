// node:crypto. Everything here is synchronous: its asynchronous hashes, ciphers and MACs are WebCrypto's.
// Keys both ways: raw bytes are the slower form on some versions (Node 24 most of all), a KeyObject on others.

import crypto from 'node:crypto';

export const name = 'node:crypto';

export function load() {
  return { crypto, version: `OpenSSL ${process.versions.openssl}` };
}

export function prepare({ crypto }, inputs) {
  inputs.keyObject = crypto.createSecretKey(inputs.rawKey);
}

const hash = { group: 'hash', wait: 'sync' };
const hmac = { group: 'hmac', wait: 'sync', output: 'buffer' };
const cipher = { group: 'cipher', wait: 'sync', output: 'buffer' };
const seal = { group: 'aead', operation: 'seal', wait: 'sync', output: 'buffer' };
const open = { group: 'aead', operation: 'open', wait: 'sync', output: 'buffer' };

export const forms = [
  { name: 'createHash', ...hash, output: 'hex', make: ({ crypto }, { algorithm, source }) => () => crypto.createHash(algorithm).update(source).digest('hex') },
  { name: 'createHash', ...hash, output: 'buffer', make: ({ crypto }, { algorithm, source }) => () => crypto.createHash(algorithm).update(source).digest() },
  { name: 'crypto.hash', ...hash, output: 'hex', make: ({ crypto }, { algorithm, source }) => () => crypto.hash(algorithm, source, 'hex') },
  { name: 'crypto.hash', ...hash, output: 'buffer', make: ({ crypto }, { algorithm, source }) => () => crypto.hash(algorithm, source, 'buffer') },

  { name: 'createHmac raw', ...hmac, make: ({ crypto }, { hash, rawKey, source }) => () => crypto.createHmac(hash, rawKey).update(source).digest() },
  { name: 'createHmac KeyObject', ...hmac, make: ({ crypto }, { hash, keyObject, source }) => () => crypto.createHmac(hash, keyObject).update(source).digest() },

  { name: 'createCipheriv raw', ...cipher, make: ({ crypto }, { algorithm, rawKey, iv, source }) => () => {
    const cipher = crypto.createCipheriv(algorithm, rawKey, iv);
    const result = cipher.update(source);
    cipher.final(); // empty for a stream cipher
    return result;
  } },
  { name: 'createCipheriv KeyObject', ...cipher, make: ({ crypto }, { algorithm, keyObject, iv, source }) => () => {
    const cipher = crypto.createCipheriv(algorithm, keyObject, iv);
    const result = cipher.update(source);
    cipher.final();
    return result;
  } },

  // Ciphertext and tag stay apart: putting them together is not Node's way and would cost it a copy.
  { name: 'createCipheriv raw', ...seal, make: ({ crypto }, inputs) => {
    const { algorithm, rawKey, iv, source } = inputs;
    const options = { authTagLength: 16 };
    return () => {
      const cipher = crypto.createCipheriv(algorithm, rawKey, iv, options);
      const result = cipher.update(source);
      cipher.final();
      inputs.tag = cipher.getAuthTag();
      return result;
    };
  } },
  { name: 'createCipheriv KeyObject', ...seal, make: ({ crypto }, inputs) => {
    const { algorithm, keyObject, iv, source } = inputs;
    const options = { authTagLength: 16 };
    return () => {
      const cipher = crypto.createCipheriv(algorithm, keyObject, iv, options);
      const result = cipher.update(source);
      cipher.final();
      inputs.tag = cipher.getAuthTag();
      return result;
    };
  } },
  { name: 'createDecipheriv raw', ...open, make: ({ crypto }, { algorithm, rawKey, iv, ciphertext, tag }) => {
    const options = { authTagLength: 16 };
    return () => {
      const decipher = crypto.createDecipheriv(algorithm, rawKey, iv, options);
      decipher.setAuthTag(tag);
      const result = decipher.update(ciphertext);
      decipher.final();
      return result;
    };
  } },
  { name: 'createDecipheriv KeyObject', ...open, make: ({ crypto }, { algorithm, keyObject, iv, ciphertext, tag }) => {
    const options = { authTagLength: 16 };
    return () => {
      const decipher = crypto.createDecipheriv(algorithm, keyObject, iv, options);
      decipher.setAuthTag(tag);
      const result = decipher.update(ciphertext);
      decipher.final();
      return result;
    };
  } },
];
