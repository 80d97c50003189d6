// Arguments of a wrong size or that do not go together, for each algorithm and in every call style.
// refusals.test.mjs has wrong types and wrong numbers.

import assert from 'node:assert/strict';
import { createReadStream } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

import millrace from 'millrace';
import * as portable from 'millrace/portable';

import {
  aeadNames,
  cipherNames,
  ciphers,
  gcmNames,
  hashNames,
  hashes,
  streamNames,
} from '../support/algorithms.mjs';
import { expectError, refuses, thrown } from '../support/refusals.mjs';

const bytes = (size) => Buffer.alloc(size, 7);
const source = bytes(3);
const [VALUE, MISSING] = ['ERR_ARGUMENT_VALUE', 'ERR_MISSING_ARGUMENT'];

/** Calls of each function with all options. */
const gcm = { key: bytes(32), aad: source, target: bytes(40), targetOffset: 4 };
const full = {
  hash: ['blake3', source, { key: bytes(32), target: bytes(40), targetOffset: 4 }],
  hmac: ['sha1', source, source, { target: bytes(40), targetOffset: 4 }],
  cipher: ['aes-256-gcm', { ...gcm, encrypt: true, iv: bytes(12), source, tag: bytes(16) }],
  seal: ['aes-256-gcm', { ...gcm, nonce: bytes(12), source, authTagLength: 16 }],
  open: ['aes-256-gcm', { ...gcm, nonce: bytes(12), source: bytes(26), authTagLength: 16 }],
};

for (const [method, args] of Object.entries(full)) {
  const withOption = (name, value) => [...args.slice(0, -1), { ...args.at(-1), [name]: value }];

  test(`${method}: a target that is too small, an offset past its end or without a target`, async () => {
    for (const offset of [41, 40, 2 ** 31, 2 ** 32, Number.MAX_SAFE_INTEGER])
      await refuses(method, withOption('targetOffset', offset), VALUE, /target/);
    for (const size of [0, 1])
      await refuses(method, withOption('target', bytes(size)), VALUE, /target/);
    await refuses(method, withOption('target', undefined), [MISSING, VALUE], /target/);
  });

  test(`${method}: unknown algorithms`, async () => {
    const names = ['', 'unknown', 'sha256 ', ' sha256', 'aes-128-ctr\0', 'sha256\0junk', 'ſha256'];
    for (const name of [...names, 'aes-256-cbc', '__proto__', 'constructor', 'x'.repeat(100_000)])
      await refuses(method, args.with(0, name), 'ERR_UNKNOWN_ALGORITHM');
  });
}

/** Numbers of arguments that functions take; with offsets, millrace/crypto-async takes more. */
const counts = { hash: [2, 3, 6], hmac: [3, 4, 9], cipher: [2, 5, 7, 13, 19] };

for (const [method, taken] of Object.entries(counts))
  test(`${method}: any other number of arguments`, async () => {
    const all = method === 'cipher' ? ['aes-128-ctr', true] : ['sha256', source];
    for (let count = 0; count <= 25; count++) {
      const given = Array.from({ length: count }, (_, index) => all[index] ?? bytes(16));
      if (!taken.includes(count)) await refuses(method, given, [MISSING, 'ERR_ARGUMENT_TYPE']);
    }
  });

test('encrypt takes true, false, 0 and 1', () => {
  const [key, iv] = [bytes(16), bytes(16)];
  const expected = millrace.cipher('aes-128-ctr', true, key, iv, source);
  for (const encrypt of [true, false, 0, 1, -0]) {
    assert.deepEqual(millrace.cipher('aes-128-ctr', encrypt, key, iv, source), expected);
    assert.deepEqual(millrace.cipher('aes-128-ctr', { encrypt, key, iv, source }), expected);
  }
});

/** Checks that a cipher is refused with options, and by position; also seal and open of an AEAD. */
async function refusesCipher(algorithm, { key, iv, tag, aad }, code, names, open = true) {
  const { aead } = ciphers[algorithm];
  const tagged = aead ? { aad, tag } : {};
  const positional = [algorithm, true, key, iv, source, ...Object.values(tagged)];
  const options = { key, iv, source, ...tagged };
  await refuses('cipher', [algorithm, { ...options, encrypt: true }], code, names);
  await refuses('cipher', [algorithm, { ...options, encrypt: false }], code, names);
  await refuses('cipher', positional, code, names);
  if (!aead) return;
  const authTagLength = tag.length;
  const sealing = { key, nonce: iv, source, authTagLength };
  await refuses('seal', [algorithm, sealing], code, names);
  if (open) await refuses('open', [algorithm, { ...sealing, source: bytes(30) }], code, names);
}

for (const algorithm of cipherNames) {
  const { key, iv, aead, tagSizes } = ciphers[algorithm];
  const right = { key: bytes(key), iv: bytes(iv), aad: bytes(2), tag: bytes(16) };

  test(`${algorithm}: key, iv and tag of the wrong size`, async () => {
    for (const size of [0, 1, key - 1, key + 1, key * 2, 1000])
      await refusesCipher(algorithm, { ...right, key: bytes(size) }, 'ERR_KEY_SIZE', /key/);
    const ivSizes = gcmNames.includes(algorithm)
      ? [0, 129]
      : [0, 1, 8, iv - 1, iv + 1, 24, 32, 129];
    for (const size of ivSizes.filter((each) => each !== iv))
      await refusesCipher(algorithm, { ...right, iv: bytes(size) }, 'ERR_IV_SIZE', /nonce|iv/);
    for (let size = 0; aead && size <= 20; size++)
      if (!tagSizes.includes(size))
        await refusesCipher(algorithm, { ...right, tag: bytes(size) }, 'ERR_TAG_SIZE', /tag/i);
  });
}

for (const algorithm of aeadNames)
  test(`${algorithm}: no tag, and a source shorter than the tag`, async () => {
    const [key, iv] = [bytes(ciphers[algorithm].key), bytes(ciphers[algorithm].iv)];
    for (const encrypt of [true, false])
      await refuses('cipher', [algorithm, { encrypt, key, iv, source }], MISSING, /tag/);
    await refuses('cipher', [algorithm, true, key, iv, source], MISSING, /tag/);
    for (const size of [0, 1, 15]) {
      const options = { key, nonce: iv, source: bytes(size) };
      await refuses('open', [algorithm, options], 'ERR_SOURCE_SIZE', /source/);
    }
  });

for (const algorithm of streamNames)
  test(`${algorithm}: no aad and no tag, no seal and no open`, async () => {
    const [key, iv] = [bytes(ciphers[algorithm].key), bytes(16)];
    const codes = [VALUE, 'ERR_TAG_SIZE'];
    const options = { encrypt: true, key, iv, source };
    await refuses('cipher', [algorithm, { ...options, aad: bytes(1) }], codes, /aad/);
    await refuses('cipher', [algorithm, { ...options, tag: bytes(16) }], codes, /tag/);
    const positional = [algorithm, true, key, iv, source];
    await refuses('cipher', [...positional, bytes(1), bytes(0)], codes, /aad/);
    await refuses('cipher', [...positional, bytes(0), bytes(16)], codes, /tag/);
    // As in the original package: empty ones are none.
    const expected = millrace.cipher(...positional);
    assert.deepEqual(millrace.cipher(...positional, bytes(0), bytes(0)), expected);
    for (const method of ['seal', 'open'])
      await refuses(
        method,
        [algorithm, { key, nonce: iv, source: bytes(30) }],
        [VALUE, 'ERR_UNKNOWN_ALGORITHM'],
        /algorithm|authenticat|AEAD/i,
      );
  });

test('an unknown encoding is refused, and the absence of one is a Buffer', async () => {
  const unknown = ['HEX', 'utf8', 'latin1', 'binary', '', 'hex ', '__proto__', 'toString'];
  for (const encoding of [...unknown, '0x', '0xHEX', 'hex0x']) {
    for (const given of [encoding, { encoding }]) {
      await refuses('hash', ['sha256', source, given], VALUE, /encoding.*'0xhex'/);
      await refuses('hmac', ['sha256', source, source, given], VALUE, /encoding.*'0xhex'/);
    }
  }
  const hex = { encoding: 'hex' };
  await refuses('hash', ['sha256', source, { ...hex, target: bytes(32) }], VALUE, /target/);
  const digest = millrace.hash('sha256', source);
  assert.equal(millrace.hash('sha256', source, hex), digest.toString('hex'));
  const names = ['encoding', 'target', 'targetOffset', 'seed', 'outputLength'];
  for (const options of [undefined, {}, Object.fromEntries(names.map((name) => [name, undefined]))])
    assert.deepEqual(millrace.hash('sha256', source, options), digest);
});

for (const algorithm of hashNames) {
  const { digest, xof, seedBits, key, parameters } = hashes[algorithm];
  const hash = (options) => millrace.hash(algorithm, source, options);

  test(`${algorithm}: output length, seed and key`, async () => {
    const wrong = async (options, code, names) => {
      await refuses('hash', [algorithm, source, options], code, names);
      const creating = () => millrace.createHash(algorithm, options);
      expectError(thrown(creating, 'createHash'), code, names, 'createHash');
    };
    const [least, most] = parameters?.outputLength ?? (xof ? [1, 2 ** 30] : [digest, digest]);
    for (const outputLength of [0, 1, digest - 1, digest + 1, 2 ** 31, 2 ** 40])
      if (outputLength < least || outputLength > most)
        await wrong({ outputLength }, ['ERR_OUTPUT_SIZE', VALUE], /outputLength/);
    assert.deepEqual(hash({ outputLength: digest }), hash());

    const range = 2n ** BigInt(seedBits ?? 0);
    const seeds = seedBits ? [-1, -1n, 0.5, NaN, Infinity, 2 ** 53, range, 2n ** 200n] : [0, 1, 1n];
    for (const seed of seeds) await wrong({ seed }, VALUE, /seed/);
    if (seedBits) {
      assert.deepEqual(hash({ seed: 5 }), hash({ seed: 5n }));
      assert.deepEqual(hash({ seed: 0 }), hash());
      assert.notDeepEqual(hash({ seed: range - 1n }), hash());
    }

    const keySizes = key ? [0, 1, key - 1, key + 1, 64] : [0, 32];
    const [shortest, longest] = parameters?.key ?? [];
    const isKeyed = key || shortest !== undefined;
    for (const size of !key && isKeyed ? [shortest - 1, longest + 1] : keySizes)
      await wrong({ key: bytes(size) }, isKeyed ? 'ERR_KEY_SIZE' : VALUE, /key/);
  });

  if (!hashes[algorithm].hmac)
    test(`${algorithm}: no HMAC`, async () => {
      for (const options of [{}, { target: bytes(64) }])
        await refuses('hmac', [algorithm, bytes(32), source, options], VALUE, RegExp(algorithm));
    });
}

const unread = () => {
  const stream = createReadStream(fileURLToPath(import.meta.url));
  return stream.on('error', () => {}).destroy();
};
const { hash, hmac, open, seal, sign, createCipher, createKey, verifyHmac } = millrace;
const key = bytes(32);
const sealed = { key, nonce: bytes(12), source: bytes(16) };
const { privateKey, publicKey } = millrace.generateKeyPair('x25519');
const tagOfSource = /the tag is the end of source: Buffer\.concat\(\[ciphertext, tag\]\)$/;
const tagOfResult = /; the tag is the end of the result$/;
const lastIsCallback = /not 3 arguments: the last is a callback, not a string$/;
const awaited = /not an object of class Promise: await it$/;

for (const [mistake, message, call] of [
  ['sha265', /sha256/, () => hash('sha265', '')],
  ['SHA3256', /sha3-256/, () => hash('SHA3256', '')],
  ['aes-256-gmc', /aes-256-gcm/, () => seal('aes-256-gmc', {})],
  ['blake2b521', /blake2b512/, () => hmac('blake2b521', '', '')],
  ['a size in the name', /outputLength/, () => hash('blake2b-256', 'x')],
  ['hmac without a hash', /hmac-sha256/, () => createKey('hmac', key)],
  ['a mode of node:crypto', /node:crypto/, () => seal('aes-256-cbc', { key, source: 'x' })],
  ['a Response', /takes a stream/, () => hash('sha256', new Response('x'))],
  ['a stream', /millrace\/promises takes a stream/, () => hash('sha256', unread())],
  [
    'a small target',
    /target must have 36 bytes or more, targetOffset \(4\) included, not 16/,
    () => hash('sha256', 'x', { target: bytes(16), targetOffset: 4 }),
  ],
  [
    'verifyHmac by position',
    /verifyHmac\(algorithm, \{ key, source, mac \}\)/,
    () => verifyHmac('sha256', key, 'x', key),
  ],
  ['open with tag', tagOfSource, () => open('aes-256-gcm', { ...sealed, tag: key })],
  ['open with authTag', tagOfSource, () => open('aes-256-gcm', { ...sealed, authTag: key })],
  ['seal with authTag', tagOfResult, () => seal('aes-256-gcm', { ...sealed, authTag: key })],
  ['portable open', tagOfSource, () => portable.aes_256_gcm.open({ ...sealed, tag: key })],
  ['portable seal', tagOfResult, () => portable.aes_256_gcm.seal({ ...sealed, tag: key })],
  [
    'hpkeOpen with tag',
    /end of ciphertext: Buffer\.concat/,
    () => millrace.hpkeOpen(privateKey, key, bytes(16), { tag: key }),
  ],
  [
    'createCipher with authTag',
    /; cipher\.authTag has the tag after final$/,
    () => createCipher('aes-256-gcm', { key, nonce: bytes(12), authTag: key }),
  ],
  [
    'createDecipher with tag',
    /did you mean options\.authTag\?$/,
    () => millrace.createDecipher('aes-256-gcm', { key, nonce: bytes(12), tag: key }),
  ],
  ['seal with an encoding', lastIsCallback, () => seal('aes-256-gcm', sealed, 'hex')],
  ['open with an encoding', lastIsCallback, () => open('aes-256-gcm', sealed, 'hex')],
  [
    'cipher with an encoding',
    lastIsCallback,
    () => millrace.cipher('aes-256-gcm', { ...sealed, encrypt: true }, 'hex'),
  ],
  [
    'diffieHellman by position',
    /^diffieHellman takes \(\{ privateKey, publicKey \}\[, callback\]\), not 2 arguments$/,
    () => millrace.diffieHellman(privateKey, publicKey),
  ],
  [
    'createCipher by position',
    /at most 2 arguments, not 3: createCipher\(algorithm, \{ key, nonce \}\)$/,
    () => createCipher('aes-256-gcm', key, bytes(12)),
  ],
  [
    'sealStream by position',
    /at most 1 argument, not 2: sealStream\(\{ algorithm, key \}\)$/,
    () => millrace.sealStream('aes-256-gcm', { key }),
  ],
  [
    'randomBytes with a callback',
    /at most 1 argument, not 2: randomBytes\(size\), which returns the bytes$/,
    () => millrace.randomBytes(16, () => {}),
  ],
  [
    'generateKey of node:crypto',
    /at most 1 argument, not 2: generateKey\(algorithm\), which returns the key$/,
    () => millrace.generateKey('aes', { length: 256 }),
  ],
  ...[256, 384, 512].flatMap((bits) =>
    [
      [`RS${bits}`, `pass 'sha${bits}'`],
      [`PS${bits}`, `pass 'sha${bits}' and padding: 'pss'`],
      [`ES${bits}`, `pass 'sha${bits}' and dsaEncoding: 'ieee-p1363'`],
      [`HS${bits}`, `that is hmac('sha${bits}', key, data)`],
    ].flatMap(([name, hint]) => {
      const message = new RegExp(`; ${hint.replace(/[()]/g, '\\$&')}$`);
      return [
        [`sign ${name}`, message, () => sign(name, 'x', privateKey)],
        [`verify ${name}`, message, () => millrace.verify(name, 'x', publicKey, key)],
        [`hmac ${name}`, message, () => hmac(name, key, 'x')],
      ];
    }),
  ),
  ...['EdDSA', 'ed25519', 'Ed25519'].map((name) => [
    `sign ${name}`,
    /; pass null for Ed25519$/,
    () => sign(name, 'x', privateKey),
  ]),
  ['a promise of a name', awaited, () => hash(Promise.resolve('sha256'), 'x')],
  ['a promise of a hash', awaited, () => millrace.verifyPassword('x', Promise.resolve('x'))],
  ['a promise of a private key', awaited, () => sign(null, 'x', Promise.resolve(privateKey))],
  ['a promise of a public key', awaited, () => millrace.createPublicKey(Promise.resolve('x'))],
  ['a promise of options', awaited, () => millrace.hashPassword('x', Promise.resolve({}))],
  [
    'a hash before its password',
    /^hash is not a PHC or bcrypt string: the password comes first, verifyPassword\(password, hash\)$/,
    () => millrace.verifyPassword('$2b$04$SQe9knOzepOVKoYXo9xTte', 'a password'),
  ],
])
  test(`the message for a usual mistake names the remedy: ${mistake}`, () => {
    assert.throws(call, { message });
  });

// The sources are modules. A bundle that is not strict would show the arguments of a running call,
// such as keys, to the functions it calls, and its calls would take longer.
test('the functions are strict', () => {
  for (const name of ['hash', 'hmac', 'seal', 'open', 'cipher'])
    assert.ok(!Object.hasOwn(millrace[name], 'arguments'), name);
});
