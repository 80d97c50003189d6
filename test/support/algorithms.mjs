// The facts of each algorithm that the tests expect, taken from the standards and not from the
// library's own catalog (test/architecture.test.mjs compares the two).

const hash = (digest, block, facts = {}) => ({ digest, block, hmac: true, ...facts });
const xof = (digest, block) => hash(digest, block, { hmac: false, xof: true });
// Key and digest have up to a number of bytes, salt and personalization a quarter of it.
const blake2 = (most) => ({
  key: [1, most],
  salt: [most / 4, most / 4],
  personalization: [most / 4, most / 4],
  outputLength: [1, most],
});
const long = [0, 2 ** 30];
const customization = long;
const outputLength = [1, 2 ** 30];
const blockSize = [1, 2 ** 30];
// The hashes of SP 800-185 and RFC 9861: operations/keccak-family.test.mjs tests them.
const family = (name, digest, parameters) => {
  const facts = { hmac: false, keccakFamily: true, parameters };
  if (parameters.outputLength === undefined) facts.xof = true;
  return {
    [`${name}128`]: hash(digest, 168, facts),
    [`${name}256`]: hash(2 * digest, 136, facts),
  };
};
const checksum = (digest, seedBits) => hash(digest, 64, { hmac: false, seedBits });
const crc = (digest) => hash(digest, 16, { hmac: false });

/** Sizes in bytes; `digest` is the default of an output of any length. */
export const hashes = {
  md5: hash(16, 64),
  sha1: hash(20, 64),
  sha224: hash(28, 64),
  sha256: hash(32, 64),
  sha384: hash(48, 128),
  sha512: hash(64, 128),
  'sha512-224': hash(28, 128),
  'sha512-256': hash(32, 128),
  'sha3-224': hash(28, 144),
  'sha3-256': hash(32, 136),
  'sha3-384': hash(48, 104),
  'sha3-512': hash(64, 72),
  keccak224: hash(28, 144),
  keccak256: hash(32, 136),
  keccak384: hash(48, 104),
  keccak512: hash(64, 72),
  shake128: xof(16, 168),
  shake256: xof(32, 136),
  blake2b512: hash(64, 128, { parameters: blake2(64) }),
  blake2s256: hash(32, 64, { parameters: blake2(32) }),
  blake3: hash(32, 64, {
    xof: true,
    key: 32,
    parameters: { key: [32, 32], context: [0, 2 ** 30] },
  }),
  ripemd160: hash(20, 64),
  'md5-sha1': hash(36, 64),
  xxh32: checksum(4, 32),
  xxh64: checksum(8, 64),
  'xxh3-64': checksum(8, 64),
  'xxh3-128': checksum(16, 64),
  crc32: crc(4),
  crc32c: crc(4),
  crc64nvme: crc(8),
  ...family('cshake', 16, { customization, functionName: long }),
  ...family('kmac', 32, { key: long, customization, outputLength }),
  ...family('kmacxof', 32, { key: long, customization }),
  ...family('tuplehash', 32, { customization, outputLength }),
  ...family('tuplehashxof', 32, { customization }),
  ...family('parallelhash', 32, { customization, blockSize, outputLength }),
  ...family('parallelhashxof', 32, { customization, blockSize }),
  ...family('turboshake', 32, { domain: [1, 127] }),
  ...family('kt', 32, { customization }),
};

const stream = (key) => ({ key, iv: 16, aead: false, tag: 0 });
const gcm = (key) => ({ key, iv: 12, aead: true, tag: 16, tagSizes: [12, 13, 14, 15, 16] });
const aead = (iv, key = 32) => ({ key, iv, aead: true, tag: 16, tagSizes: [16] });

/** Sizes in bytes; `tagSizes` are those of the modern entry points. */
export const ciphers = {
  'aes-128-ctr': stream(16),
  'aes-192-ctr': stream(24),
  'aes-256-ctr': stream(32),
  chacha20: stream(32),
  'aes-128-gcm': gcm(16),
  'aes-192-gcm': gcm(24),
  'aes-256-gcm': gcm(32),
  'chacha20-poly1305': aead(12),
  'xchacha20-poly1305': aead(24),
  'aes-256-gcm-siv': aead(12),
  'aes-128-gcm-siv': aead(12, 16),
  'xaes-256-gcm': aead(24),
};

export const hashNames = Object.keys(hashes).filter((name) => !hashes[name].keccakFamily);
export const hmacNames = hashNames.filter((name) => hashes[name].hmac);
export const cipherNames = Object.keys(ciphers);
export const aeadNames = cipherNames.filter((name) => ciphers[name].aead);
/** Those with nonces and tags of several sizes. */
export const gcmNames = aeadNames.filter((name) => ciphers[name].tagSizes.length > 1);
export const streamNames = cipherNames.filter((name) => !ciphers[name].aead);

/** The algorithms of the original package, which the drop-in entry point must have. */
export const original = {
  hashes: ['md5', 'sha1', 'sha224', 'sha256', 'sha384', 'sha512', 'sha512-224', 'sha512-256']
    .concat(['sha3-224', 'sha3-256', 'sha3-384', 'sha3-512', 'blake2b512', 'blake2s256'])
    .concat(['ripemd160', 'md5-sha1']),
  ciphers: ['aes-128-ctr', 'aes-192-ctr', 'aes-256-ctr', 'chacha20'].concat([
    'aes-128-gcm',
    'aes-192-gcm',
    'aes-256-gcm',
    'chacha20-poly1305',
  ]),
  /** Tags may be shorter there. */
  tagSizes: (name) =>
    name === 'chacha20-poly1305'
      ? Array.from({ length: 16 }, (_, index) => index + 1)
      : [4, 8, 12, 13, 14, 15, 16],
};
