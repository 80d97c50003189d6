// Rows like those of noble's benchmark: millrace/noble-hashes and millrace/noble-ciphers beside the
// installed @noble packages.

export const settings = { rounds: 15, time: 5 };

const hashes = 'sha2 sha3 sha3-addons blake2 blake3 legacy hmac hkdf pbkdf2 scrypt argon2';

/** Returns the functions of both, without their modules. */
export async function load() {
  const functions = async (hashFolder, cipherFolder, end) => {
    const paths = [
      ...hashes.split(' ').map((name) => `${hashFolder}/${name}.${end}`),
      ...['aes', 'chacha'].map((name) => `${cipherFolder}/${name}.${end}`),
    ];
    return Object.assign({}, ...(await Promise.all(paths.map((path) => import(path)))));
  };
  const dist = (name) => new URL(`../../dist/${name}`, import.meta.url).href;
  const noble = await functions('@noble/hashes', '@noble/ciphers', 'js');
  const millrace = await functions(dist('noble-hashes'), dist('noble-ciphers'), 'mjs');
  const wrapped = noble.aeskwp(key).encrypt(short);
  return { noble: { ...noble, wrapped }, millrace: { ...millrace, wrapped } };
}

const bytes = (size) => new Uint8Array(size).fill(7);
const [short, long] = [bytes(32), bytes(2 ** 20)];
const [key, salt, nonce12, nonce24] = [bytes(32), bytes(16), bytes(12), bytes(24)];
/** @type {(name: string, run: (lib: any, data: any) => any) => [string, (lib: any) => any][]} */
const both = (name, run) => [
  [`${name} 32 B`, (lib) => run(lib, short)],
  [`${name} 1 MiB`, (lib) => run(lib, long)],
];
/** @type {[name: string, run: (lib: any) => any][]} */
const calls = [
  ...['sha256', 'sha512', 'sha3_256', 'keccak_256', 'blake2b', 'blake3', 'ripemd160'].flatMap(
    (name) => both(name, (lib, data) => lib[name](data)),
  ),
  ['sha256 create, update, digest 32 B', (lib) => lib.sha256.create().update(short).digest()],
  ['keccak_256 create, update, digest', (lib) => lib.keccak_256.create().update(short).digest()],
  ...both('hmac sha256', (lib, data) => lib.hmac(lib.sha256, key, data)),
  ...both('blake2b dkLen 32', (lib, data) => lib.blake2b(data, { dkLen: 32 })),
  ...both('blake2b with a key', (lib, data) => lib.blake2b(data, { key })),
  ...both('blake3 with a key', (lib, data) => lib.blake3(data, { key })),
  ...both('blake3 with a context', (lib, data) => lib.blake3(data, { context: salt })),
  ...both('cshake128', (lib, data) => lib.cshake128(data, { personalization: salt })),
  ...both('kmac128', (lib, data) => lib.kmac128(key, data)),
  ...both('tuplehash128', (lib, data) => lib.tuplehash128([data, salt])),
  ...both('parallelhash128', (lib, data) => lib.parallelhash128(data)),
  ...both('turboshake128', (lib, data) => lib.turboshake128(data)),
  ...both('kt128', (lib, data) => lib.kt128(data)),
  ['blake2b with a key, in parts', (lib) => lib.blake2b.create({ key }).update(short).digest()],
  ['kmac128 create, update, digest', (lib) => lib.kmac128.create(key).update(short).digest()],
  ['hmac.create sha256 32 B', (lib) => lib.hmac.create(lib.sha256, key).update(short).digest()],
  ['hkdf sha256 32 B', (lib) => lib.hkdf(lib.sha256, key, salt, undefined, 32)],
  ['pbkdf2 sha256 c=2^12', (lib) => lib.pbkdf2(lib.sha256, 'pass', salt, { c: 4096 })],
  ['scrypt N=2^14 r=8 p=1', (lib) => lib.scrypt('pass', salt, { N: 2 ** 14, r: 8, p: 1 })],
  ['argon2id t=1 m=8 MiB', (lib) => lib.argon2id('pass', salt, { t: 1, m: 8192, p: 1 })],
  ['hkdf expand sha256 64 B', (lib) => lib.expand(lib.sha256, key, salt, 64)],
  ['aeskw 32 B', (lib) => lib.aeskw(key).encrypt(short)],
  ['aeskwp 32 B, decrypt', (lib) => lib.aeskwp(key).decrypt(lib.wrapped)],
  ...both('gcm, nonce of 16 B', (lib, data) => lib.gcm(key, salt).encrypt(data)),
  ...both('gcmsiv, 128 bits', (lib, data) => lib.gcmsiv(salt, nonce12).encrypt(data)),
  ...['gcm', 'gcmsiv', 'chacha20poly1305', 'xchacha20poly1305'].flatMap((name) =>
    both(name, (lib, data) => {
      const nonce = name.startsWith('x') ? nonce24 : nonce12;
      return lib[name](key, nonce).encrypt(data);
    }),
  ),
];

export const rows = calls.map(([name, run]) => ({
  name,
  wait: 'sync',
  forms: ({ millrace, noble }) => ({ millrace: () => run(millrace), noble: () => run(noble) }),
}));
