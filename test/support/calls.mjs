// Calls of every export with valid arguments, of which properties replace some. A template is the
// name of an export and a function that makes its arguments.

import crypto, { createSecretKey, generateKeyPairSync } from 'node:crypto';
import { fileURLToPath } from 'node:url';

import { callStylesFor } from './entry-points.mjs';
import { ciphers } from './algorithms.mjs';
import { hex, vectors } from './vectors.mjs';

const key = () => Buffer.alloc(32, 7);
const salt = () => Buffer.alloc(16, 5);
const source = () => Buffer.alloc(96, 1);
const keyObject = () => createSecretKey(key());
const cost = { memory: 64, passes: 1 };
const pair = generateKeyPairSync('ed25519');
const pkcs8 = { format: 'der', type: 'pkcs8' };
const pem = { format: 'pem', type: 'pkcs8' };
const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
const agreeing = ['x25519', 'x25519'].map((type) => generateKeyPairSync(type));
const ed25519 = pair.privateKey.export(pem);
const signature = crypto.sign(null, source(), pair.privateKey);
const signed = () => Buffer.from(signature);
const rawEd25519 = pair.publicKey.export({ format: 'der', type: 'spki' }).subarray(-32);
export const rsaKey = rsa.privateKey.export(pem);
const encrypted = crypto.publicEncrypt({ key: rsa.publicKey, oaepLabel: salt() }, Buffer.of(1, 2));
const [kem, dsa] = ['ml-kem-768', 'ml-dsa-44'].map((algorithm) => {
  const found = vectors('public-keys').find((each) => each.algorithm === algorithm);
  return { ...found, seed: { key: hex(found.seed), format: 'seed', algorithm } };
});

const hpke = vectors('hpke').find(({ mode }) => mode === 3);
const hpkeKey = { key: hex(`302e020100300506032b656e04220420${hpke.skRm}`), ...pkcs8 };
const hpkeOptions = () => ({ info: hex(hpke.info), psk: hex(hpke.psk), pskId: hex(hpke.psk_id) });
const hpkeSender = () => ({ key: hex(hpke.pkSm), format: 'raw', algorithm: 'x25519' });
const [{ aad: hpkeAad, ct: hpkeText }] = hpke.encryptions;

/** A slice of `abc`, and its digest. */
const slice = () => hex('0300000000000000616263');
const blake3Digest = '6437b3ac38465133ffb63b75273a8db548c558465d79db03fd359c6cd5bd9d85';

/** The results of hashPart for {@link source}. */
const parts = [
  ['blake3', 'plain', 'fM9AEabDps1Co_ARCE2pq7veABVmnY00m5qB81wSGN0B', '92587f009372eb9a'],
  ['blake3', 'keyed', 'sAYJm-h-HEA5s8xURMuRido21U9p0cFXJkAE98ecaCcB', '8af6ec21a7097f03'],
  [
    'kt256',
    'plain',
    'tNTjWFQa0K6k-uH5te1EOcK4Xisz4p1MdXZkVuQkDENnNjgFFE5ztgGEGbk_oQyMRd9z0RD0MByCa7r54t1uWAEB',
    '09eb127bae48d96a',
  ],
].map(([algorithm, mode, start, check]) => {
  const size = algorithm === 'kt256' ? 160 : 128;
  const values = Buffer.concat([Buffer.from(start, 'base64url'), source()]).subarray(0, size);
  const place = { offset: 0, length: 96, size: 96 };
  return { version: 1, algorithm, mode, ...place, values: values.toString('base64url'), check };
});
const sealedRange = {
  version: 1,
  offset: 0,
  length: 96,
  size: 96,
  at: 56,
  header: 'MGHjlPM-4VyDJqi1qD_GcgYa7p1AgX71E5sUTWiKqID-zarmJz4bGGs6V03zHvYlrk11ZSrzhH0',
  check: '69BBVMW1eU_u5I1PKgYJS896slskJ4ARVT7YR_MlrT0',
};

/** Returns the forms of hash, hmac, cipher, seal and open, with and without a target. */
function forms(millrace) {
  const jobs = [
    ...['sha256', 'blake3', 'xxh3-64', 'sha3-256'].map((algorithm) => ({
      kind: 'hash',
      algorithm,
      source: source(),
    })),
    { kind: 'hash', algorithm: 'blake3', source: source(), key: key(), outputLength: 40 },
    ...['sha256', 'sha512'].map((algorithm) => ({
      kind: 'hmac',
      algorithm,
      key: key(),
      source: source(),
    })),
    ...['aes-256-gcm', 'chacha20-poly1305', 'aes-256-gcm-siv', 'aes-256-ctr'].flatMap((algorithm) =>
      [true, false].map((encrypt) => cipherJob(millrace, algorithm, encrypt)),
    ),
  ];
  return jobs.flatMap((job) =>
    callStylesFor(job)
      .filter(({ entryPoint, waiting }) => entryPoint.name === 'millrace' && waiting === 'sync')
      .map((style) => {
        // Once: each time the target has another offset.
        const { method: name, args } = style.form.prepare(job, style.entryPoint);
        return { name, args: () => args };
      }),
  );
}

function cipherJob(millrace, algorithm, encrypt) {
  const { aead, iv: ivSize } = ciphers[algorithm];
  const iv = Buffer.alloc(ivSize, 3);
  const job = { kind: 'cipher', algorithm, encrypt, key: key(), iv, source: source() };
  if (!aead) return job;
  if (encrypt) return { ...job, aad: Buffer.alloc(5, 2), tagSize: 16 };
  const aad = Buffer.alloc(5, 2);
  const sealed = millrace.seal(algorithm, { key: key(), nonce: iv, source: source(), aad });
  return { ...job, aad, source: sealed.subarray(0, 96), tag: sealed.subarray(96) };
}

/** Templates of `millrace`, and of `millrace/promises` where it has more. */
export function templates(millrace) {
  const nonce = () => Buffer.alloc(12, 3);
  const gcm = { key: key(), nonce: nonce(), source: source() };
  const sealed = millrace.seal('aes-256-gcm', gcm);
  const wrapped = millrace.wrapKey('aes-256-kw', { key: key(), source: salt() });
  const password = millrace.hashPassword('x', cost);
  const peppered = millrace.hashPassword(key(), { ...cost, secret: salt() });
  const keyed = millrace.hash('blake3', source(), { key: key() });
  const mac = millrace.hmac('sha256', key(), source());
  const target = () => Buffer.alloc(64, 9);
  const stream = { algorithm: 'aes-256-gcm', key: key() };
  const file = fileURLToPath(import.meta.url);
  const all = {
    argon2: [
      () => ['argon2id', { message: 'x', nonce: salt(), ...cost, tagLength: 32 }],
      () => [
        'argon2id',
        { message: key(), nonce: salt(), secret: 'x', associatedData: salt(), ...cost },
      ],
      () => [
        'argon2d',
        { message: keyObject(), nonce: 'a long salt', secret: keyObject(), ...cost },
      ],
      () => [
        'argon2i',
        {
          message: key(),
          nonce: salt(),
          secret: key(),
          associatedData: salt(),
          parallelism: 1,
          tagLength: 32,
          ...cost,
        },
      ],
    ],
    combineChecksums: [() => ['crc64nvme', [{ checksum: 'rosUhgp5mIg=', size: 9 }], 'hex']],
    configure: [() => [{}]],
    createCipher: [
      () => ['aes-256-gcm', { key: key(), nonce: nonce(), aad: salt() }],
      () => ['chacha20', { key: key(), iv: salt() }],
    ],
    createDecipher: [
      () => [
        'aes-256-gcm',
        { key: key(), nonce: nonce(), authTag: sealed.subarray(96), unverified: true },
      ],
    ],
    createHash: [() => ['blake3', { key: key() }], () => ['shake128', { outputLength: 40 }]],
    createHmac: [() => ['sha256', key()], () => ['sha3-256', key()]],
    createHpkeRecipient: [
      () => [hpkeKey, hex(hpke.enc)],
      () => [hpkeKey, hex(hpke.enc), { ...hpkeOptions(), senderPublicKey: hpkeSender() }],
    ],
    createHpkeSender: [
      () => [hpkeKey, {}],
      () => [hpkeKey, { ...hpkeOptions(), kdf: 'hkdf-sha512', senderKey: agreeing[0].privateKey }],
    ],
    createKey: [() => ['aes-256-gcm', key()], () => ['hmac-sha256', key()]],
    createPrivateKey: [
      () => [pair.privateKey.export({ ...pkcs8, format: 'pem' })],
      () => [{ key: pair.privateKey.export(pkcs8), ...pkcs8, passphrase: 'unused' }],
      () => [pair.privateKey.export({ format: 'jwk' })],
      () => [{ key: key(), format: 'raw', algorithm: 'x25519' }],
    ],
    createPublicKey: [
      () => [pair.publicKey.export({ format: 'pem', type: 'spki' })],
      () => [{ key: pair.publicKey.export({ format: 'jwk' }), format: 'jwk' }],
      () => [{ key: key().toString('hex'), encoding: 'hex', format: 'raw', algorithm: 'x25519' }],
    ],
    createSign: [() => ['sha256']],
    createVerify: [() => ['sha384']],
    decapsulate: [
      () => [kem.seed, hex(kem.ciphertext)],
      () => [kem.seed, hex(kem.ciphertext), { target: target(), targetOffset: 9 }],
    ],
    diffieHellman: [
      () => [{ privateKey: agreeing[0].privateKey, publicKey: agreeing[1].publicKey }],
      () => [
        {
          privateKey: agreeing[0].privateKey.export(pkcs8),
          publicKey: agreeing[1].publicKey.export({ format: 'jwk' }),
          target: target(),
        },
      ],
    ],
    encapsulate: [() => [kem.seed, {}]],
    engines: [() => []],
    generateKey: [() => ['aes-256-gcm']],
    generateKeyPair: [
      () => ['x25519'],
      () => ['ec', { namedCurve: 'P-256', publicKeyEncoding: { format: 'pem', type: 'spki' } }],
    ],
    getCiphers: [() => []],
    getHashes: [() => []],
    hash: [
      () => ['shake256', 'text', { outputLength: 9, encoding: 'hex' }],
      () => ['kmac128', source(), { key: key(), customization: 'x', outputLength: 9 }],
      () => ['cshake256', source(), { customization: salt(), functionName: salt() }],
      () => ['parallelhash128', source(), { blockSize: 8 }],
      () => ['tuplehash256', ['a', source()]],
      () => ['crc32', source(), { encoding: 'bigint' }],
      () => ['xxh64', source(), { seed: 5n }],
      () => ['blake2b512', source(), { salt: salt(), personalization: salt(), target: target() }],
    ],
    hashFile: [() => ['sha256', file], () => ['blake3', file, { key: key() }]],
    hashFiles: [() => ['sha256', [file]], () => ['blake3', [file], { key: key() }]],
    hashPart: [
      () => ['blake3', source(), { size: 96 }],
      () => ['blake3', Buffer.alloc(1024, 5), { offset: 1024, size: 4096, key: key() }],
      () => ['kt128', source(), { size: 96 }],
    ],
    hashMany: [
      () => ['sha256', ['a', source(), 'b'], { encoding: 'hex' }],
      () => ['blake3', [source(), source()], { key: key(), target: target() }],
      () => ['sha1', { data: source(), size: 12 }],
    ],
    hashPairs: [() => ['sha256', Buffer.alloc(128, 1)]],
    hashPassword: [
      () => ['x', cost],
      () => [key(), { ...cost, salt: salt(), secret: salt() }],
      () => ['x', { algorithm: 'scrypt', N: 16 }],
      () => ['x', { algorithm: 'bcrypt', cost: 4 }],
    ],
    hkdf: [() => ['sha256', key(), salt(), 'info', 32], () => ['sha256', 'x', salt(), key(), 50]],
    hpkeOpen: [
      () => [
        hpkeKey,
        hex(hpke.enc),
        hex(hpkeText),
        { ...hpkeOptions(), aad: hex(hpkeAad), senderPublicKey: hpkeSender(), target: target() },
      ],
    ],
    hpkeSeal: [
      () => [
        hpkeKey,
        source(),
        { ...hpkeOptions(), aad: salt(), senderKey: agreeing[0].privateKey },
      ],
      () => [agreeing[1].privateKey, 'text', { psk: keyObject(), pskId: 'x' }],
      () => [agreeing[1].privateKey, key(), { target: target(), targetOffset: 9 }],
    ],
    hmac: [
      () => ['sha256', key(), source(), { target: target(), targetOffset: 9 }],
      () => ['sha256', 'x', source()],
      () => ['sha256', 'long'.repeat(3000), source(), 'hex'],
      () => ['sha256', key(), 'text', 'base64'],
      () => ['sha256', keyObject(), source()],
    ],
    hmacMany: [
      () => ['sha256', key(), ['a', source()], { target: target() }],
      () => ['sha512', key(), new Set(['a', 'b'])],
      () => ['sha256', 'x', ['a', source()], 'hex'],
    ],
    joinParts: [
      () => ['blake3', [{ ...parts[0] }], 'hex'],
      () => ['blake3', [{ ...parts[1] }], { key: key(), target: target() }],
      () => ['kt256', [{ ...parts[2] }], { customization: salt(), outputLength: 9 }],
    ],
    multipartChecksum: [
      () => ['md5', { data: source(), size: 40 }, 'etag'],
      () => ['sha256', [key()], 'composite'],
    ],
    needsRehash: [() => [password, cost]],
    open: [() => ['aes-256-gcm', { key: key(), nonce: nonce(), source: sealed }]],
    openStream: [() => [stream], () => [{ ...stream, context: salt() }]],
    openTransformStream: [() => [stream], () => [{ ...stream, context: salt() }]],
    openWithPassphrase: [() => ['x', source()]],
    pbkdf2: [
      () => [key(), salt(), 2, 32, 'sha256'],
      () => ['x', salt(), 2, 20, 'sha512'],
      () => [keyObject(), 'salt', 2, 20, 'sha1'],
    ],
    privateDecrypt: [
      () => [rsaKey, encrypted, { oaepLabel: salt() }],
      () => [{ key: rsaKey, oaepLabel: salt() }, encrypted, { target: target() }],
    ],
    publicEncrypt: [
      () => [rsaKey, 'text', { oaepLabel: salt(), oaepHash: 'sha256' }],
      () => [{ key: rsa.publicKey, oaepHash: 'sha1' }, source(), { target: Buffer.alloc(300, 9) }],
    ],
    randomBytes: [() => [9]],
    scrypt: [() => [key(), salt(), 32, { N: 16, r: 1, p: 1 }]],
    seal: [
      () => ['aes-256-gcm', { key: key(), source: source() }],
      () => ['xchacha20-poly1305', { key: key(), source: 'x', aad: 'y', target: target() }],
      () => ['aes-256-gcm', { key: keyObject(), nonce: nonce(), source: '', aad: salt() }],
    ],
    sealStream: [() => [stream], () => [{ ...stream, context: salt() }]],
    sealTransformStream: [() => [stream], () => [{ ...stream, context: salt() }]],
    sealWithPassphrase: [() => ['x', source(), { N: 1024 }], () => [key(), source(), { N: 1024 }]],
    sign: [
      () => [null, source(), ed25519],
      () => [null, 'text', { key: ed25519 }, { encoding: 'base64url' }],
      () => ['sha256', source(), rsa.privateKey, { target: Buffer.alloc(300, 9), targetOffset: 9 }],
      () => ['sha256', key(), { key: rsaKey, padding: 'pss', saltLength: 0 }, { digest: true }],
    ],
    signMany: [
      () => [null, ['text', source()], ed25519],
      () => [
        'sha256',
        { data: source(), size: 48 },
        rsa.privateKey,
        { target: Buffer.alloc(600, 9), targetOffset: 9 },
      ],
      () => [null, [source()], [ed25519], { encoding: 'base64url' }],
    ],
    timingSafeEqual: [() => [key(), key()]],
    unwrapKey: [() => ['aes-256-kw', { key: key(), source: wrapped }]],
    verify: [
      () => [null, source(), pair.publicKey.export({ format: 'der', type: 'spki' }), signature],
      () => [
        null,
        hex(dsa.message),
        { ...dsa.seed, context: hex(dsa.context) },
        hex(dsa.signature),
        {},
      ],
    ],
    verifyMany: [
      () => [null, [source(), source()], pair.publicKey, [signed(), signed()]],
      () => [
        null,
        { data: source(), size: 96 },
        { data: rawEd25519, algorithm: 'ed25519' },
        { data: signature, size: 64 },
        {},
      ],
      () => [null, [source()], [pair.publicKey], [signed()]],
    ],
    verifyHmac: [() => ['sha256', { key: key(), source: source(), mac }]],
    verifyMac: [
      () => ['blake3', { key: key(), source: source(), mac: key() }],
      () => ['blake3', { key: key(), source: source(), mac: keyed }],
    ],
    verifyPassword: [
      () => ['x', password, { maxMemory: 2 ** 20, maxTime: 1000 }],
      () => [key(), peppered, { secret: salt(), maxTime: 1000 }],
    ],
    wrapKey: [() => ['aes-256-kwp', { key: key(), source: key() }]],
    // Of promises alone.
    hashFilesIterator: [() => ['sha256', [file]], () => ['blake3', [file], { key: key() }]],
    decodeSlice: [() => [slice(), { digest: hex(blake3Digest), end: 9 }]],
    extractSlice: [() => [() => Buffer.of(), { outboard: () => Buffer.alloc(8), end: 9 }]],
    hashOutboard: [() => [source(), { groupSize: 2048 }]],
    verifyRange: [
      () => [
        () => Buffer.from('abc'),
        { digest: hex(blake3Digest), outboard: () => slice().subarray(0, 8), end: 9 },
      ],
    ],
    hashTransformStream: [() => ['blake3', 'hex', { key: key() }]],
    openRange: [() => [() => source(), { algorithm: 'aes-256-gcm', key: key(), end: 9 }]],
    openWithKey: [() => [key(), source()]],
    planSealing: [
      () => [[{ ...parts[0] }], { algorithm: 'aes-256-gcm', key: key(), context: salt() }],
    ],
    sealRange: [() => [{ ...sealedRange }, source(), { algorithm: 'aes-256-gcm', key: key() }]],
    sealWithKey: [() => [key(), 'x', {}], () => [key(), source(), {}]],
    ...Object.fromEntries(
      ['Passphrase', 'Key'].flatMap((by) =>
        ['sealStream', 'openStream', 'sealTransformStream', 'openTransformStream'].map((name) => [
          `${name}With${by}`,
          by === 'Key'
            ? [() => [key(), {}]]
            : [() => ['x', {}], () => [key(), name.startsWith('seal') ? { N: 1024 } : {}]],
        ]),
      ),
    ),
  };
  const others = Object.entries(all).flatMap(([name, each]) =>
    each.map((args) => ({ name, args })),
  );
  return [...forms(millrace), ...others].map(({ name, args }) => ({
    name,
    args: () => args().map(apart),
  }));
}

/** Copies buffers, also those of options: a call may detach them. */
function apart(value) {
  if (Buffer.isBuffer(value)) return Buffer.from(Uint8Array.from(value).buffer);
  if (!isOptions(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, apart(each)]));
}

/** Returns a function with a callback as one that returns a promise. */
export const waited =
  (call) =>
  (...given) =>
    new Promise((resolve, reject) =>
      call(...given, (error, value) => (error ? reject(error) : resolve(value))),
    );

export const isOptions = (value) => Object.getPrototypeOf(value ?? '') === Object.prototype;

/** Functions of `millrace` that need a callback. */
const called = /Passphrase$/;

/**
 * The ways to call an export, by their names: of each entry point, and with a callback where both
 * entry points have functions of their own.
 */
export function waysOf(name, { millrace, promises }) {
  const [plain, promised] = [millrace[name], promises[name]];
  const both = plain && promised && plain !== promised && !/Stream/.test(name);
  return {
    ...(plain && !called.test(name) && { millrace: plain }),
    ...(promised && { promises: promised }),
    ...(both && {
      callback: waited(plain),
    }),
  };
}

/** Exports with results that differ from call to call, or that are objects. */
export const unequal = new Set(
  ['configure', 'engines', 'generateKey', 'hashPassword', 'randomBytes', 'sealWithKey']
    .concat(['seal', 'sealWithPassphrase', 'openRange', 'hashFile', 'hashFiles'])
    .concat(['createCipher', 'createDecipher', 'createHash', 'createHmac', 'createKey'])
    .concat(['createPrivateKey', 'createPublicKey', 'createSign', 'createVerify'])
    .concat(['encapsulate', 'generateKeyPair', 'publicEncrypt'])
    .concat(['createHpkeRecipient', 'createHpkeSender', 'hpkeSeal']),
);

/**
 * Exports that the portable engine refuses: HPKE, many signatures, and RSA in synchronous calls,
 * which some templates have.
 */
export const nativeOnly = /^(\w*[hH]pke\w+|privateDecrypt|publicEncrypt|sign|signMany|verifyMany)$/;

/** Classes; their constructors are private. */
export const classes = ['Cipher', 'Decipher', 'Hash', 'Hmac', 'Key', 'MillraceError'].concat([
  'PrivateKey',
  'PublicKey',
]);

/** Returns the functions that `register` of millrace/ethers gives to ethers, by their names. */
export function hooksOf({ register }) {
  const hooks = {};
  const names = 'keccak256 ripemd160 sha256 sha512 computeHmac pbkdf2 scrypt scryptSync'.split(' ');
  const hook = (name) => ({ register: (own) => (hooks[name] = own) });
  register(Object.fromEntries(names.map((name) => [name, hook(name)])));
  return hooks;
}
