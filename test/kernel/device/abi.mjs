// The numbers and structures of /dev/crypto on 64-bit little-endian Linux, as seen with the real
// module.

export const Command = {
  createSession: 0xc0306366, // CIOCGSESSION
  freeSession: 0x40046367, // CIOCFSESSION
  crypt: 0xc0306368, // CIOCCRYPT
  sessionInfo: 0xc10c636b, // CIOCGSESSINFO
  authenticatedCrypt: 0xc048636d, // CIOCAUTHCRYPT
  copyHash: 0x40086370, // CIOCCPHASH
};

export const Flag = { update: 1, final: 2, reset: 64 };

const keySizes = [16, 24, 32];

/** The ciphers that the tests' kernel has, by the module's numbers; `make` is node:crypto's name. */
export const ciphers = new Map([
  [21, { name: 'ctr(aes)', keySizes, ivSize: 16, make: (bits) => `aes-${bits}-ctr` }],
  [50, { name: 'gcm(aes)', keySizes, ivSize: 12, tagSize: 16, make: (bits) => `aes-${bits}-gcm` }],
]);

/** Ciphers that the module has a number for, and the tests' kernel lacks. */
export const lacking = new Set([1, 2, 3, 11, 16, 22, 23, 24, 25, 51, 101]);

const digest = (name, make, size) => ({ name, make, size, keyed: false });
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

/** The structures of the ioctls: their sizes, and the offsets of their fields by type. */
export const layouts = {
  session: {
    size: 48,
    u32: { cipher: 0, mac: 4, keySize: 8, macKeySize: 24 },
    u64: { key: 16, macKey: 32 },
  },
  crypt: {
    size: 48,
    u16: { decrypts: 4, flags: 6 },
    u32: { session: 0, size: 8 },
    u64: { source: 16, target: 24, mac: 32, iv: 40 },
  },
  authenticated: {
    size: 72,
    u16: { decrypts: 4, flags: 6 },
    u32: { session: 0, size: 8, aadSize: 12, tagSize: 48, ivSize: 64 },
    u64: { aad: 16, source: 24, target: 32, iv: 56 },
  },
  number: { size: 4, u32: { session: 0 } },
  info: { size: 268, u32: { session: 0 } },
  copy: { size: 8, u32: { session: 0, from: 4 } },
};

/** Returns the fields of a structure: addresses as bigints, other fields as numbers. */
export function parse({ u16 = {}, u32 = {}, u64 = {} }, bytes) {
  const read = (fields, value) => Object.entries(fields).map(([name, at]) => [name, value(at)]);
  return Object.fromEntries([
    ...read(u16, (at) => bytes.readUInt16LE(at)),
    ...read(u32, (at) => bytes.readUInt32LE(at)),
    ...read(u64, (at) => bytes.readBigUInt64LE(at)),
  ]);
}

/** Returns the caller's structure with another number in one of its places. */
export function withNumber(bytes, offset, number) {
  const out = Buffer.from(bytes);
  out.writeUInt32LE(number, offset);
  return out;
}

/**
 * Returns the answer to CIOCGSESSINFO: the algorithm, its driver, and whether only the kernel can
 * reach the driver (an accelerator).
 */
export function sessionInfo(number, { facts, accelerated }) {
  const out = Buffer.alloc(layouts.info.size);
  const { name } = facts.cipher ?? facts.mac;
  const offset = facts.cipher ? 4 : 132;
  const driver = name.replace(/\W+/g, '-').replace(/-$/, '');
  out.writeUInt32LE(number, 0);
  out.write(name, offset, 63);
  out.write(`${driver}-${accelerated ? 'accelerator' : 'generic'}`, offset + 64, 63);
  out.writeUInt32LE(accelerated ? 1 : 0, 264);
  return out;
}
