// The numbers and structures of /dev/crypto on 64-bit little-endian Linux, as seen with the real
// module.

export const Command = {
  openAgain: 0xc0046365, // CRIOGET
  createSession: 0xc0306366, // CIOCGSESSION
  freeSession: 0x40046367, // CIOCFSESSION
  crypt: 0xc0306368, // CIOCCRYPT
  asymmetricFeatures: 0x8004636a, // CIOCASYMFEAT
  sessionInfo: 0xc10c636b, // CIOCGSESSINFO
  authenticatedCrypt: 0xc048636d, // CIOCAUTHCRYPT
  copyHash: 0x40086370, // CIOCCPHASH
};

export const Flag = { update: 1, final: 2, writeIv: 4, reset: 64 };

/**
 * Every cipher that the module has a number for. `make` is node:crypto's name; the tests' kernel
 * does not have the others.
 */
export const ciphers = new Map([
  [1, { name: 'cbc(des)' }],
  [2, { name: 'cbc(des3_ede)', keySizes: [24], block: 8, ivSize: 8, make: () => 'des-ede3-cbc' }],
  [3, { name: 'cbc(blowfish)' }],
  [
    11,
    {
      name: 'cbc(aes)',
      keySizes: [16, 24, 32],
      block: 16,
      ivSize: 16,
      make: (bits) => `aes-${bits}-cbc`,
    },
  ],
  [16, { name: 'ecb(cipher_null)' }],
  [
    21,
    {
      name: 'ctr(aes)',
      keySizes: [16, 24, 32],
      block: 1,
      ivSize: 16,
      counter: true,
      make: (bits) => `aes-${bits}-ctr`,
    },
  ],
  [22, { name: 'xts(aes)' }],
  [
    23,
    {
      name: 'ecb(aes)',
      keySizes: [16, 24, 32],
      block: 16,
      ivSize: 0,
      make: (bits) => `aes-${bits}-ecb`,
    },
  ],
  [24, { name: 'cfb(aes)' }],
  [25, { name: 'ofb(aes)' }],
  [
    50,
    {
      name: 'gcm(aes)',
      keySizes: [16, 24, 32],
      block: 1,
      ivSize: 12,
      aead: true,
      tagSize: 16,
      make: (bits) => `aes-${bits}-gcm`,
    },
  ],
  [51, { name: 'ccm(aes)' }],
  [101, { name: 'cbc(camellia)' }],
]);

const digest = (name, make, size, block) => ({ name, make, size, block, keyed: false });
const hmac = (name, make, size, block) => ({
  name: `hmac(${name})`,
  make,
  size,
  block,
  keyed: true,
});

/** Every hash and HMAC that the module has a number for; `block` is the block size for HMAC. */
export const macs = new Map([
  [6, hmac('md5', 'md5', 16, 64)],
  [7, hmac('sha1', 'sha1', 20, 64)],
  [8, hmac('rmd160', 'ripemd160', 20, 64)],
  [13, digest('md5', 'md5', 16)],
  [14, digest('sha1', 'sha1', 20)],
  [18, hmac('sha256', 'sha256', 32, 64)],
  [19, hmac('sha384', 'sha384', 48, 128)],
  [20, hmac('sha512', 'sha512', 64, 128)],
  [102, digest('rmd160', 'ripemd160', 20)],
  [103, digest('sha224', 'sha224', 28)],
  [104, digest('sha256', 'sha256', 32)],
  [105, digest('sha384', 'sha384', 48)],
  [106, digest('sha512', 'sha512', 64)],
  [107, hmac('sha224', 'sha224', 28, 64)],
]);

export const sessionSize = 48;
export const cryptSize = 48;
export const authenticatedSize = 72;
export const infoSize = 268;
export const copySize = 8;

export const parseSession = (b) => ({
  cipher: b.readUInt32LE(0),
  mac: b.readUInt32LE(4),
  key: memory(b, 16, b.readUInt32LE(8)),
  macKey: memory(b, 32, b.readUInt32LE(24)),
});

export const parseCrypt = (b) => ({
  session: b.readUInt32LE(0),
  decrypts: b.readUInt16LE(4) === 1,
  flags: b.readUInt16LE(6),
  size: b.readUInt32LE(8),
  source: b.readBigUInt64LE(16),
  target: b.readBigUInt64LE(24),
  mac: b.readBigUInt64LE(32),
  iv: b.readBigUInt64LE(40),
});

export const parseAuthenticated = (b) => ({
  session: b.readUInt32LE(0),
  decrypts: b.readUInt16LE(4) === 1,
  flags: b.readUInt16LE(6),
  size: b.readUInt32LE(8),
  aadSize: b.readUInt32LE(12),
  aad: b.readBigUInt64LE(16),
  source: b.readBigUInt64LE(24),
  target: b.readBigUInt64LE(32),
  tagSize: b.readUInt32LE(48),
  iv: b.readBigUInt64LE(56),
  ivSize: b.readUInt32LE(64),
});

/** Returns the caller's structure with the session's number. */
export function withSession(bytes, number) {
  const out = Buffer.from(bytes);
  out.writeUInt32LE(number, 40);
  return out;
}

/** Returns the caller's structure with the size of the output. */
export function withSize(bytes, size) {
  const out = Buffer.from(bytes);
  out.writeUInt32LE(size, 8);
  return out;
}

/**
 * Returns the answer to CIOCGSESSINFO: the algorithms, their drivers, and whether only the kernel
 * can reach the driver (an accelerator).
 */
export function sessionInfo(number, { cipher, hash, accelerated }) {
  const out = Buffer.alloc(infoSize);
  const driver = (name) =>
    `${name.replace(/\W+/g, '-').replace(/-$/, '')}-${accelerated ? 'accelerator' : 'generic'}`;
  out.writeUInt32LE(number, 0);
  for (const [name, offset] of [
    [cipher, 4],
    [hash, 132],
  ]) {
    if (name === undefined) continue;
    out.write(name, offset, 63);
    out.write(driver(name), offset + 64, 63);
  }
  out.writeUInt32LE(accelerated ? 1 : 0, 264);
  return out;
}

/** Returns a range of the caller's memory. */
function memory(bytes, offset, size) {
  return { address: bytes.readBigUInt64LE(offset), size };
}
