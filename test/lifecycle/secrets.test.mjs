// No key stays in memory: another process looks through the whole memory of one that has used
// keys, disposed of them and wiped its own copies. Linux lets a parent read its child so.
//
// The stacks are searched too: compiled code and the libraries' routines spill there. `{ main:
// false }` leaves out the main thread's, after calls that do not wipe it (SECURITY.md, "Stacks and
// messages").

import assert from 'node:assert/strict';
import crypto from 'node:crypto';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { test } from 'node:test';

import millrace from 'millrace';
import cryptoAsyncModule from 'millrace/crypto-async';
import ageModule from 'millrace/age';
import ethersModule from 'millrace/ethers';
import nodeCryptoModule from 'millrace/node-crypto';
import promises from 'millrace/promises';

import * as descriptions from '../../tools/calls/derivations.mjs';
import { entryPaths } from '../support/child.mjs';
import { derive } from '../support/chunked-oracle.mjs';
import {
  keepingMemory,
  keyMaker,
  leavesNothing,
  look,
  mark,
  markedSecret,
} from '../support/memory-search.mjs';

const require = createRequire(import.meta.url);
const portable = require('millrace/portable');
const skip = process.platform !== 'linux' && 'reads /proc/<pid>/mem';

test('a live key is found, or looking would prove nothing', { skip }, async (t) => {
  const found = await look(
    `
    globalThis.kept = [millrace.createKey('chacha20-poly1305', fresh(1)), fresh(2)];
    await report();
  `,
    [1, 2, 3],
  );
  if (typeof found === 'string') return t.skip(found);
  assert.ok(found[0].length > 0 && found[1].length > 0);
  assert.deepEqual(found[2], [], 'a key that was never made');
});

// Calls with a secret, as source: `key` is the secret, 32 bytes of ASCII, so that it is a passphrase
// too, and `api` an entry point. `refused(() => ...)` is a call that must fail.

/** A call for each algorithm that a key can be prepared for. */
const uses = {
  'aes-256-gcm': "api.seal('aes-256-gcm', { key, nonce, source })",
  'aes-256-ctr': "api.cipher('aes-256-ctr', true, key, iv, source)",
  chacha20: "api.cipher('chacha20', true, key, iv, source)",
  'chacha20-poly1305': "api.seal('chacha20-poly1305', { key, nonce, source })",
  'xchacha20-poly1305': "api.seal('xchacha20-poly1305', { key, nonce: Buffer.alloc(24), source })",
  'aes-256-gcm-siv': "api.seal('aes-256-gcm-siv', { key, nonce, source })",
  'xaes-256-gcm': "api.seal('xaes-256-gcm', { key, nonce: Buffer.alloc(24), source })",
  'hmac-sha256': "api.hmac('sha256', key, source)",
  blake3: "api.hash('blake3', source, { key })",
};

/** Incremental ciphers. */
const pieces = Object.entries({
  'aes-256-ctr': 'iv',
  chacha20: 'iv',
  'aes-256-gcm': 'nonce',
  'chacha20-poly1305': 'nonce',
}).map(([algorithm, nonce]) => [
  algorithm,
  `api.createCipher('${algorithm}', { key, nonce: ${nonce} })`,
]);

/** Hashers, ciphers and batches, with the algorithm that a key is prepared for. */
const running = [
  ['hmac-sha256', "api.createHmac('sha256', key).update('short')"],
  ['hmac-sha256', "api.createHmac('sha256', key).update('short').digest()"],
  ['hmac-sha512', "api.createHmac('sha512', key).update(source).update('x').digest('hex')"],
  ['hmac-sha384', "copiedAndReset(api.createHmac('sha384', key).update(source)).exportState()"],
  [
    'hmac-sha256',
    "((hmac) => (hmac.updateAsync(source), hmac.digestAsync()))(api.createHmac('sha256', key))",
  ],
  ['hmac-sha256', "api.createHmac('sha256', key).end(source).toArray()"],
  // Their inner midstate is the key with a pad; here the pad makes it the secret that is sought.
  ['hmac-blake2b512', "copiedAndReset(api.createHmac('blake2b512', padded(key)).update(source))"],
  ['hmac-blake3', "copiedAndReset(api.createHmac('blake3', padded(key)).update(source))"],
  ['blake3', "api.createHash('blake3', { key }).update(source).update('x').digest()"],
  ['blake3', "api.createHash('blake3', { key }).update('x').squeeze(100)"],
  ['hmac-sha256', "api.hmacMany('sha256', key, ['a', source, 'b'])"],
  ['hmac-sha512', "api.hmacMany('sha512', key, ['a', source, 'b'])"],
  ['blake3', "api.hashMany('blake3', ['a', source, 'b'], { key })"],
  ...pieces.map(([algorithm, create]) => [
    algorithm,
    `((cipher) => (cipher.update(source), cipher.final()))(${create})`,
  ]),
];

const inLarge = (call) => `((source) => ${call})(large)`;
/** The same with a prepared key, which is disposed of during the call or after it. */
const prepared =
  (when) =>
  ([algorithm, call]) =>
    `underPrepared('${algorithm}', key, '${when}', (api, key) => ${call})`;

/** Returns calls of the derivations over a hash, by their names. */
function overHashes(HashAlgorithm) {
  const texts = { HashAlgorithm, SecretInput: 'key', Data: "'salt'", number: 32 };
  const rows = Object.entries(descriptions).filter(
    ([, { takes = {}, form }]) =>
      Object.values(takes).includes('HashAlgorithm') && form === 'derivation',
  );
  return Object.fromEntries(
    rows.map(([name, { takes }]) => [
      name,
      `api.${name}(${Object.values(takes).map((type) => texts[type])})`,
    ]),
  );
}

/** Derivations: the secret, and the key that comes of it, which its owner wipes. */
const derivations = {
  scrypt: "api.scrypt(key, 'salt', 32, { N: 64 })",
  ...overHashes("'sha256'"),
  hkdf: "api.hkdf('sha256', key, 'salt', 'info', 32)",
  argon2: "api.argon2('argon2id', { message: key, nonce: '12345678', secret: key, memory: 64 })",
};

/** Calls of an entry point, by title, after which no stack holds a secret. */
const wiped = [
  ...['millrace', 'promises'].flatMap((api) =>
    Object.entries(derivations).map(([name, call]) => [
      `${name} of ${api}`,
      api,
      api === 'millrace' ? `${call}.fill(0)` : `${call}.then((made) => made.fill(0))`,
    ]),
  ),
  ...['aes-256-gcm', 'chacha20-poly1305', 'hmac-sha256', 'blake3'].map((algorithm) => [
    `createKey, ${algorithm}`,
    'millrace',
    `api.createKey('${algorithm}', key).dispose()`,
  ]),
  ...pieces.map(([algorithm, create]) => [
    `createCipher, ${algorithm}`,
    'millrace',
    `${create}.final()`,
  ]),
  ...['millrace', 'promises'].flatMap((api) => [
    [`hmacMany of ${api}`, api, "api.hmacMany('sha256', key, ['a', source, 'b'])"],
    [`hashMany of ${api}`, api, "api.hashMany('blake3', ['a', source, 'b'], { key })"],
  ]),
  // What one worker does in slices, and what all do in parts.
  ...['pool', 'split'].flatMap((route) =>
    Object.entries(uses).map(([algorithm, call]) => [
      `${algorithm}, a long message by route ${route}`,
      'promises',
      `(millrace.configure({ route: '${route}' }), ${inLarge(call)})`,
    ]),
  ),
];

for (const [title, api, call] of wiped)
  test(`${title}: nothing left on a stack right after the call`, { skip }, async (t) => {
    const name = title.split(' ')[0];
    const key = keyMaker(80, Buffer.alloc(32));
    const others = [];
    if (name in derivations)
      others.push(new Function('key', 'api', `return ${derivations[name]}`)(key, millrace));
    // HKDF's extracted key, from which all keys of the secret follow.
    if (name === 'hkdf') others.push(millrace.hmac('sha256', 'salt', key));
    const [wait, report] =
      api === 'promises' ? ['await', 'await report()'] : ['', 'reportAtOnce()'];
    const program = `
      const api = ${api};
      ${wait} using(81, (key) => ${call});
      ${wait} using(80, (key) => ${call});
      ${report};`;
    await leavesNothing(t, program, [80, 81], { others });
  });

test('an HMAC that has given its code keeps nothing of the message it gathered', { skip }, (t) =>
  leavesNothing(
    t,
    `
    const hold = globalThis.held = [];
    const message = (seed, take) => using(seed, (secret) => take(secret));
    for (let seed = 50; seed < 54; seed++) {
      for (const other of [false, true]) {
        const hmac = millrace.createHmac('sha256', 'key');
        message(seed, (secret) => hmac.update(secret));
        // Another hasher has it move out of the shared place.
        if (other) millrace.createHash('sha1').update('x');
        if (seed % 3 === 0) hmac.reset();
        else if (seed % 3 === 1) hmac.digest();
        else hmac.update(source).digest('hex');
        hold.push(hmac);
      }
    }
    await report();
  `,
    [50, 51, 52, 53],
    { main: false },
  ),
);

test('streams: nothing left of keys, given or derived', { skip }, async (t) => {
  const [seeds, salt] = [[40, 41, 42, 43, 44], Buffer.alloc(24, 5)];
  const derived = seeds.map(
    (seed) => derive('aes-256-gcm', keyMaker(seed, Buffer.alloc(32)), salt, '').aeadKey,
  );
  const streams = JSON.stringify(join(dirname(entryPaths.millrace), 'streams/sealed-streams.js'));
  await leavesNothing(
    t,
    `
    const { SealingPump } = require(${streams});
    const { buffer } = require('node:stream/consumers');
    const salt = Buffer.alloc(24, 5);
    const ends = [];
    for (const seed of ${JSON.stringify(seeds)}) {
      const options = (key) => ({ algorithm: 'aes-256-gcm', key });
      const [sealing, opening, left] = using(seed, (key) =>
        ['sealStream', 'openStream', 'openStream'].map((make) => promises[make](options(key))),
      );
      ends.push(buffer(sealing.pipe(opening)));
      sealing.end(source);
      left.destroy();
      const pump = using(
        seed,
        (key) => new SealingPump({ put: () => true, fail() {} }, options(key), salt),
      );
      ends.push(new Promise((done) => pump.write(source, () => pump.end(done))));
    }
    await Promise.all(ends);
    await report();
  `,
    seeds,
    { others: derived, main: false },
  );
});

// Every export that takes or makes a secret

const cost = '{ memory: 64, passes: 1 }';
const keyedHashes = ['blake2b512', 'blake2s256', 'blake3', 'kmac128', 'kmacxof256'];

/** Of `millrace` and `millrace/promises`, where the secret is bytes or a KeyObject. */
const either = [
  ...Object.values(uses),
  ...running.map(([, call]) => call),
  "api.argon2('argon2id', { message: key, nonce: iv, secret: key, memory: 64 })",
  "refused(() => api.cipher('aes-128-ctr', true, key, iv, source))",
  "api.createCipher('chacha20-poly1305', { key, nonce })",
  "api.createCipher('aes-256-gcm', { key, nonce }).update('x')",
  "refused(() => api.createCipher('aes-128-gcm', { key, nonce }))",
  "api.createDecipher('aes-256-gcm', { key, nonce }).update('x')",
  "refused(() => api.createDecipher('aes-256-gcm', " +
    "{ key, nonce, authTag: iv }).update('x').final())",
  ...keyedHashes.flatMap((name) => [
    `api.createHash('${name}', { key })`,
    `api.createHash('${name}', { key }).update('x')`,
    `api.createHash('${name}', { key }).update(source)`,
    `api.createHash('${name}', { key }).updateAsync(large)`,
    `api.createHash('${name}', { key }).update('x').copy().digest()`,
  ]),
  "refused(() => api.createHash('blake2s256', { key, outputLength: 33 }))",
  "refused(() => api.createHash('sha256', { key }))",
  "refused(() => api.createHmac('sha256', key, { state: iv }))",
  "api.createKey('hmac-sha256', key)",
  ...keyedHashes.map((name) => `api.createKey('${name}', key)`),
  "refused(() => api.createKey('aes-128-gcm', key))",
  "refused(() => api.createKey('blake2b512', key, { engine: 'kernel' }))",
  ...keyedHashes.map((name) => `api.hash('${name}', source, { key })`),
  ...keyedHashes.map((name) => `api.hash('${name}', 'x', { key, encoding: 'hex' })`),
  "refused(() => api.hash('blake2b512', 'x', { key, salt: 'x' }))",
  "refused(() => api.hash('kmac128', 'x', { key, target: iv }))",
  "api.hashFile('blake2b512', __filename, { key })",
  "refused(() => api.hashFile('kmac128', __filename + '-', { key }))",
  "api.hashFiles('blake2b512', [__filename], { key })",
  "refused(() => api.hashFiles('kmac128', [__filename + '-'], { key }))",
  "api.hashMany('kmac128', ['a', source], { key })",
  "api.hashMany('blake2s256', new Set(['a', 'b']), { key, encoding: 'hex' })",
  "api.hashMany('blake3', ['a'], { key, target: Buffer.alloc(32) })",
  `api.hashPassword(key, ${cost})`,
  `api.hashPassword('x', { ...${cost}, secret: key })`,
  "api.hashPassword(key, { algorithm: 'bcrypt', cost: 4 })",
  "api.hashPassword(key, { algorithm: 'scrypt', N: 16 })",
  "api.hkdf('sha256', key, 'salt', 'info', 32)",
  "api.hkdf.extract('sha256', key, 'salt')",
  "api.hkdf.expand('sha256', key, 'info', 32)",
  "refused(() => api.hkdf.expand('sha512', key, 'info', 32))",
  "api.hmac('sha512', key, 'x', 'hex')",
  "refused(() => api.hmac('sha256', key, 'x', { target: iv }))",
  "api.hmacMany('sha256', key, new Set(['a', 'b']))",
  "refused(() => api.hmacMany('sha256', key, ['a', 'b'], { target: iv }))",
  "api.open('aes-256-gcm', { key, source: sealedBy(key) })",
  "refused(() => api.open('aes-256-gcm', { key, source }))",
  "refused(() => api.open('aes-128-gcm', { key, source }))",
  ...Object.values(overHashes("'sha256'")),
  "api.scrypt(key, 'salt', 32, { N: 16 })",
  "refused(() => api.scrypt(key, 'salt', 32, { N: 2 ** 20, maxmem: 1 }))",
  "api.seal('aes-256-gcm', { key, source })",
  "refused(() => api.seal('aes-256-gcm', { key, nonce, source, target: iv }))",
  "api.unwrapKey('aes-256-kw', { key, source: wrappedBy(key) })",
  "refused(() => api.unwrapKey('aes-256-kw', { key, source: Buffer.alloc(24) }))",
  "api.verifyHmac('sha256', { key, source, mac: Buffer.alloc(32) })",
  "served(() => api.hashPart('blake3', source, { size: source.length, key }))",
  "refused(() => api.hashPart('blake3', source, { size: 1, key }))",
  "served(() => api.joinParts('blake3', [partUnder(key)], { key }))",
  "refused(() => api.joinParts('blake3', [], { key }))",
  ...keyedHashes.map((name) => `api.verifyMac('${name}', { key, source, mac: iv })`),
  "refused(() => api.verifyMac('kmac256', { key, source, mac: iv, salt: 'x' }))",
  'api.verifyPassword(key, passwordHash)',
  "api.verifyPassword('x', passwordHash, { secret: key })",
  "refused(() => api.verifyPassword(key, '$2b$04$x'))",
  "api.wrapKey('aes-256-kw', { key, source: key })",
  "refused(() => api.wrapKey('aes-128-kw', { key, source: key }))",
];

/** Those that take no KeyObject. */
const bytesOnly = [
  "calling(api, 'openWithPassphrase', key, await sealedUnder(key))",
  "refused(() => calling(api, 'openWithPassphrase', key, source))",
  "refused(() => calling(api, 'openWithPassphrase', key, await sealedUnder('x')))",
  "calling(api, 'sealWithPassphrase', key, 'x', { N: 1024 })",
  ...[16, 17, 32].map((size) => `unwrapped(api, key.subarray(0, ${size}))`),
  "calling(api, 'sealWithPassphrase', notUtf8(key), 'x', { N: 1024 })",
  "refused(() => calling(api, 'sealWithPassphrase', key, 'x', { N: 1023 }))",
  'api.timingSafeEqual(key, Buffer.from(new ArrayBuffer(32)))',
  ...[
    'derOf(key)',
    'pemOf(key)',
    'Buffer.from(pemOf(key))',
    'jwkOf(api, key)',
    "{ key: jwkOf(api, key), format: 'jwk' }",
    "{ key: derOf(key).toString('hex'), format: 'der', encoding: 'hex' }",
  ].flatMap((value) => [
    `asymmetric(() => api.createPrivateKey(${value}))`,
    `asymmetric(() => api.createPublicKey(${value}))`,
  ]),
  'asymmetric(() => api.createPrivateKey({ ...raw(key.toString("base64")), encoding: "base64" }))',
  ...['der', 'raw', 'pem', 'jwk'].map(
    (format) =>
      `asymmetric(() => exporting(api.createPrivateKey(raw(key)), { format: '${format}' }))`,
  ),
  ...['pem', 'der'].map(
    (format) =>
      `asymmetric(() => exporting(api.createPrivateKey(raw(key)), ` +
      `{ format: '${format}', cipher: 'aes-256-cbc', passphrase: key }))`,
  ),
  "refused(() => api.generateKeyPair('ed25519', { privateKeyEncoding: " +
    "{ format: 'pem', cipher: 'aes-128-cbc', passphrase: key, iterations: 0 } }))",
  "withKeys(() => api.generateKeyPair('ed25519', { privateKeyEncoding: " +
    "{ format: 'der', cipher: 'aes-128-cbc', passphrase: key } }))",
  'asymmetric(() => api.createPrivateKey(api.createPrivateKey(raw(key))))',
  "refused(() => api.createPrivateKey({ ...raw(key), algorithm: 'ml-kem-768' }))",
  "refused(() => api.createPrivateKey({ ...jwkOf(api, key), x: 'AAAA' }))",
  "refused(() => api.createPrivateKey(pemOf(key).replace('MC4', 'MC5')))",
  'refused(() => api.createPrivateKey({ key: iv, passphrase: key }))',
  'withKeys(() => api.sign(null, source, raw(key)))',
  "withKeys(() => api.sign(null, source, derOf(key), { encoding: 'hex' }))",
  'withKeys(() => api.sign(null, source, { key: jwkOf(api, key) }))',
  "refused(() => api.sign('sha256', source, raw(key)))",
  "withKeys(() => api.signMany(null, ['a', source], [raw(key), derOf(key)]))",
  "refused(() => api.signMany(null, ['a', source], [raw(key), 'x']))",
  'withKeys(() => api.verify(null, source, derOf(key), Buffer.alloc(64)))',
  "withKeys(() => api.verifyMany(null, ['a', source], [derOf(key), derOf(key)], [iv, iv]))",
  'withKeys(() => api.diffieHellman({ privateKey: agreeing(key), publicKey: agreeing(other) }))',
  "refused(() => api.diffieHellman({ privateKey: agreeing(key), publicKey: 'x' }))",
  'withKeys(() => api.encapsulate(seed(key)))',
  'withKeys(() => api.decapsulate(seed(key), Buffer.alloc(1088)))',
  'refused(() => api.decapsulate(seed(key), iv))',
  "withKeys(() => api.createSign('sha256').update('x').sign({ ...raw(key), algorithm: 'p-256' }))",
  "refused(() => api.createVerify('sha256').update('x').verify(derOf(key), iv))",
  "withKeys(() => api.hpkeSeal(agreeing(other), source, { psk: key, pskId: 'x' }))",
  'withKeys(() => api.hpkeSeal(agreeing(other), source, { senderKey: agreeing(key) }))',
  "refused(() => api.hpkeSeal(agreeing(other), source, { psk: key, aead: 'x' }))",
  'refused(() => api.hpkeOpen(agreeing(key), other, source))',
  "disposing(() => api.createHpkeSender(agreeing(other), { psk: key, pskId: 'x' }))",
  'disposing(() => api.createHpkeRecipient(agreeing(key), other))',
  'refused(() => api.createHpkeRecipient(agreeing(key), iv))',
  'withKeys(() => api.publicEncrypt(rsa(), key))',
  'withKeys(() => api.privateDecrypt(rsa(), encrypted(key)))',
  'withKeys(() => api.privateDecrypt(rsa(), encrypted(key), { target: room() }))',
  "refused(() => api.privateDecrypt(rsa(), encrypted(key), { oaepLabel: 'x' }))",
];

/** Of `millrace/promises` alone. Streams are left half way. */
const streams = [
  "refused(() => api.openRange(() => source, { algorithm: 'aes-256-gcm', key, end: 9 }))",
  "refused(() => api.planSealing([], { algorithm: 'aes-256-gcm', key }))",
  "refused(() => api.sealRange(source, source, { algorithm: 'aes-256-gcm', key }))",
  'served(() => sealedInRanges(api, key, source))',
  "close(api.hashTransformStream('blake3', 'hex', { key }))",
  "calling(api, 'openWithKey', key, await promises.sealWithKey(key, 'x'))",
  "refused(() => calling(api, 'openWithKey', key, source))",
  "refused(() => calling(api, 'openWithKey', key, await sealedUnder('x')))",
  "calling(api, 'sealWithKey', key, 'x')",
  "refused(() => calling(api, 'sealWithKey', key, 'x', { algorithm: 'aes-128-gcm' }))",
  ...['sealStream', 'openStream', 'sealTransformStream', 'openTransformStream'].flatMap((name) => [
    `close(api.${name}({ algorithm: 'aes-256-gcm', key }))`,
    `refused(() => api.${name}({ algorithm: 'aes-128-gcm', key }))`,
    ...['Passphrase', 'Key'].flatMap((by) => [
      `close(api.${name}With${by}(key))`,
      `refused(() => api.${name}With${by}(key, { highWaterMark: -1 }))`,
    ]),
  ]),
];

/** Of `millrace/age`. Identities are texts, which cannot be wiped. */
const ageCalls = [
  "api.encrypt('x', { passphrase: key, workFactor: 1 })",
  "refused(() => api.encrypt('x', { passphrase: key, workFactor: 0 }))",
  "api.decrypt(await api.encrypt('x', { passphrase: key, workFactor: 1 }), { passphrase: key })",
  'refused(() => api.decrypt(source, { passphrase: key }))',
  "refused(async () => api.decrypt(await api.encrypt('x', { passphrase: 'y', workFactor: 1 }), " +
    '{ passphrase: key }))',
  'refused(() => api.decryptRange(() => source, { passphrase: key, end: 9 }))',
  ...['encryptStream', 'decryptStream', 'encryptTransformStream', 'decryptTransformStream'].flatMap(
    (name) => [
      `close(api.${name}({ passphrase: key }))`,
      `refused(() => api.${name}({ passphrase: key, highWaterMark: -1 }))`,
    ],
  ),
];

/** Exports without a secret among their arguments. */
const secretless = new RegExp(
  '^([A-Z]|(configure|engines|generateKey(Pair)?|get(Ciphers|Hashes)|needsRehash|randomBytes|' +
    'combineChecksums|decodeSlice|extractSlice|hashFilesIterator|hashOutboard|hashPairs|' +
    'multipartChecksum|verifyRange)$)',
);

/** Those of `millrace/node-crypto`. */
// Node.js reads keys itself, and makes them; which of it encapsulates, depends on its version.
const nodeCryptoSecretless = new RegExp(
  '^([A-Z]|(createHash|create(Private|Public)Key|(de|en)capsulate|generateKeyPair(Sync)?|hash|' +
    'setFips)$)',
);

/** Of `millrace/node-crypto`; the last cipher is left without an end. */
const nodeCrypto = [
  "api.createCipheriv('aes-256-gcm', key, nonce).update('x')",
  "api.createCipheriv('aes-256-gcm', key, nonce)",
  "api.createCipheriv('chacha20', key, iv).update('x')",
  "api.createCipheriv('aes-256-ctr', key, iv)",
  "api.createCipheriv('aes-256-ctr', key, iv).final()",
  "refused(() => api.createDecipheriv('aes-256-gcm', key, nonce).setAuthTag(iv).final())",
  "api.createDecipheriv('aes-256-gcm', key, nonce)",
  "api.createHmac('sha256', key).update('x')",
  "called((then) => api.hkdf('sha256', key, 'salt', 'info', 32, then))",
  "api.hkdfSync('sha256', key, 'salt', 'info', 32)",
  "called((then) => api.pbkdf2(key, 'salt', 10, 32, 'sha256', then))",
  "api.pbkdf2Sync(key, 'salt', 10, 32, 'sha256')",
  "called((then) => api.scrypt(key, 'salt', 32, { N: 16 }, then))",
  "api.scryptSync(key, 'salt', 32, { N: 16 })",
  "called((then) => api.argon2('argon2id', argon2Of(key), then))",
  "api.argon2Sync('argon2id', argon2Of(key))",
  'api.sign(null, source, nodeKey(key))',
  'called((then) => api.sign(null, source, nodeKey(key), then))',
  "refused(() => api.createSign('sha256').update('x').sign(nodeKey(key)))",
  'api.verify(null, source, nodeKey(key), Buffer.alloc(64))',
  "refused(() => api.createVerify('sha256').update('x').verify(nodeKey(key), iv))",
  'refused(() => api.publicEncrypt(nodeKey(key), source))',
  'refused(() => api.privateDecrypt(nodeKey(key), source))',
  "agreed(api.diffieHellman({ privateKey: nodeKey(key, 'x25519'), publicKey: nodePeer() }))",
].filter((call) => crypto.argon2 || !call.includes('argon2'));

/** Asynchronous calls that workers do, and long messages in windows and in parts. */
const longer = [
  "api.hmac('sha256', key, large)",
  "api.hmac('sha3-256', key, large)",
  "api.pbkdf2(key, 'salt', 2000, 32, 'sha256')",
  ...keyedHashes.map((name) => `api.hash('${name}', large, { key })`),
  "api.cipher('aes-256-ctr', true, key, iv, large)",
  ...['aes-256-gcm', 'chacha20-poly1305', 'aes-256-gcm-siv', 'xaes-256-gcm'].map(
    (name) =>
      `api.seal('${name}', { key, source: large })` +
      `.then((source) => api.open('${name}', { key, source }))`,
  ),
  ...Object.values(uses).map(inLarge),
  ...Object.entries(uses).map(([algorithm, call]) =>
    prepared('during')([algorithm, inLarge(call)]),
  ),
];

/** Of `millrace/crypto-async`, which has no others that take a secret. */
const cryptoAsync = [
  "api.hmac('sha256', key, source)",
  "called((then) => api.hmac('sha256', key, source, then))",
  "called((then) => api.hmac('sha256', key, large, then))",
  "api.cipher('aes-256-ctr', 1, key, iv, source)",
  "called((then) => api.cipher('aes-256-ctr', 1, key, iv, large, then))",
];

/** Of the modules of `millrace/noble-hashes` and `millrace/noble-ciphers` that take a secret. */
const keyedNoble = (name) => [
  `api.${name}(source, { key })`,
  `api.${name}.create({ key }).update(source)`,
  `api.${name}.create({ key }).update(source).clone().digest()`,
];
const noble = {
  'hashes/blake2': ['blake2b', 'blake2s'].flatMap(keyedNoble),
  'hashes/blake3': keyedNoble('blake3'),
  'hashes/sha3-addons': [
    'api.HopMAC128(key, source, iv)',
    'api.HopMAC256(key, source, iv)',
    ...['kmac128', 'kmac256', 'kmac128xof', 'kmac256xof'].flatMap((name) => [
      `api.${name}(key, source)`,
      `api.${name}.create(key).update(source)`,
      `api.${name}.create(key).update(source).clone().digest()`,
    ]),
  ],
  'hashes/hmac': [
    'api.hmac(nobleHashes.sha256, key, source)',
    'api.hmac.create(nobleHashes.sha256, key).update(source)',
  ],
  'hashes/hkdf': [
    'api.hkdf(nobleHashes.sha256, key, iv, iv, 32)',
    'api.extract(nobleHashes.sha256, key, iv)',
    'api.expand(nobleHashes.sha256, key, iv, 32)',
  ],
  'hashes/pbkdf2': ['pbkdf2', 'pbkdf2Async'].map(
    (name) => `api.${name}(nobleHashes.sha256, key, iv, { c: 10, dkLen: 32 })`,
  ),
  'hashes/scrypt': ['scrypt', 'scryptAsync'].map(
    (name) => `api.${name}(key, iv, { N: 16, r: 1, p: 1, dkLen: 32 })`,
  ),
  'hashes/argon2': ['argon2d', 'argon2i', 'argon2id'].flatMap((name) =>
    ['', 'Async'].map((way) => `api.${name}${way}(key, iv, { t: 1, m: 64, p: 1, key })`),
  ),
  'ciphers/aes': [
    'api.gcm(key, nonce).encrypt(source)',
    'api.gcmsiv(key, nonce).encrypt(source)',
    'api.ctr(key, iv).encrypt(source)',
    'api.aeskw(key).decrypt(api.aeskw(key).encrypt(key)).fill(0)',
    'api.aeskwp(key).decrypt(api.aeskwp(key).encrypt(key)).fill(0)',
  ],
  'ciphers/chacha': [
    'api.chacha20(key, nonce, source)',
    'api.chacha20poly1305(key, nonce).encrypt(source)',
    'api.xchacha20poly1305(key, Buffer.alloc(24)).encrypt(source)',
  ],
};

/** Modules and exports of these packages without a secret: helpers, and hashes without a key. */
const nobleSecretless = [
  /^(utils|_assert|crypto|legacy|sha2|sha3)\//,
  /^sha3-addons\/(cshake|turboshake|parallelhash|tuplehash|kt|k12)/,
  /^blake2s\/IV$/,
  // Stand-ins of what only noble has.
  /^aes\/expandKey/,
];

/** Functions that Millrace registers with ethers and that take a secret. */
const ethers = [
  "ethersHooks(api).computeHmac('sha256', key, iv)",
  "ethersHooks(api).pbkdf2(key, iv, 10, 32, 'sha256')",
  'ethersHooks(api).scrypt(key, iv, 16, 1, 1, 32)',
  'ethersHooks(api).scryptSync(key, iv, 16, 1, 1, 32)',
];

const ethersHooks = (api) => {
  const found = {};
  const hookOf = (_, name) => ({ register: (compute) => void (found[name] = compute) });
  api.register(new Proxy({}, { get: hookOf }));
  return found;
};

function takesKey(hash) {
  try {
    hash('x', { key: new Uint8Array(32) });
    return true;
  } catch {
    return false;
  }
}

/** Of `millrace/portable`: functions, ciphers, and hashes that take a key. */
const portableCalls = [
  'api.hmac(api.sha256, key, source)',
  "api.hmac(api.sha3_256, key, large, 'hex')",
  "api.createHmac(api.sha256, key).update('x')",
  "api.createHmac(api.blake2b512, key).update('x').copy().digest()",
  "api.hkdf(api.sha256, key, 'salt', 'info', 32)",
  "api.hkdf.extract(api.sha256, key, 'salt')",
  "api.hkdf.expand(api.sha256, key, 'info', 32)",
  ...Object.values(overHashes('api.sha256')),
  "api.scrypt(key, 'salt', 32, { N: 16 })",
  "api.argon2('argon2id', { message: key, nonce: iv, secret: key, memory: 64 })",
  "api.wrapKey('aes-256-kw', { key, source: key }).fill(0)",
  "api.unwrapKey('aes-256-kw', { key, source: wrappedBy(key) })",
  "api.unwrapKey('aes-256-kw', { key: other, source: wrappedWithOther(key) }).fill(0)",
  'api.timingSafeEqual(key, Buffer.from(new ArrayBuffer(32)))',
  ...Object.entries(portable).flatMap(([name, value]) => {
    const options = `{ key: key.subarray(0, ${value.keySize}), source`;
    if (value.encrypt)
      return [
        `api.${name}.encrypt(${options}, iv })`,
        `refused(() => api.${name}.decrypt({ key, iv: nonce, source }))`,
      ];
    if (value.seal)
      return [
        `api.${name}.open(${options}: api.${name}.seal(${options} }) })`,
        `refused(() => api.${name}.open(${options} }))`,
      ];
    if (!value.create || !takesKey(value)) return [];
    return [
      `api.${name}('x', { key })`,
      `api.${name}(large, { key, encoding: 'hex' })`,
      `api.${name}('x', { key, outputLength: ${value.outputLength - 1} })`,
      `refused(() => api.${name}(5, { key }))`,
      `refused(() => api.${name}('x', { key, seed: 1 }))`,
      `api.${name}.create({ key })`,
      `api.${name}.create({ key }).update(source).copy().digest()`,
    ];
  }),
];

/** Returns the names of functions of an entry point in calls. */
const namesIn = (calls) =>
  Array.from(calls.join('\n').matchAll(/\bapi(?:\)?\.|, ')(\w+)/g), ([, name]) => name);

test('every export that takes a secret is called by these tests', () => {
  const expectAll = (names, calls, excepted) => {
    const found = new Set(namesIn(calls));
    const missing = names.filter((name) => !found.has(name) && !excepted.test(name));
    assert.deepEqual(missing, []);
  };
  expectAll(Object.keys(millrace), [...either, ...bytesOnly, ...streams], secretless);
  expectAll(Object.keys(promises), [...either, ...bytesOnly, ...streams], secretless);
  expectAll(Object.keys(cryptoAsyncModule), cryptoAsync, /^(hash|default|[A-Z_]+)$/);
  expectAll(Object.keys(ageModule), ageCalls, /^(default|generateIdentity|identityToRecipient)$/);
  const registered = Object.keys(ethersHooks(ethersModule));
  expectAll(registered, ethers, /^(keccak256|sha256|sha512|ripemd160)$/);
  const nobleCalls = Object.entries(noble).flatMap(([path, calls]) =>
    namesIn(calls).map((name) => `${path}/${name}`),
  );
  assert.deepEqual(nobleOwn(), [...new Set(nobleCalls)].sort());
  const served = Object.keys(nodeCryptoModule).filter(
    (name) => nodeCryptoModule[name] !== crypto[name],
  );
  expectAll(served, nodeCrypto, nodeCryptoSecretless);
  const secret = Object.keys(portable).filter(
    (name) => !portable[name].create || takesKey(portable[name]),
  );
  expectAll(secret, portableCalls, /^MillraceError$/);
});

/** Returns the exports of Millrace's own in the modules of noble that take a secret. */
function nobleOwn() {
  const makers = new Map();
  for (const [name, file] of [
    ['hashes', 'hash-modules'],
    ['ciphers', 'cipher-modules'],
  ]) {
    const { tables } = require(join(dirname(entryPaths.millrace), 'compat/noble', `${file}.js`));
    for (const [path, module] of [tables.v2, tables.v1].flatMap(Object.entries))
      for (const [each, maker] of Object.entries(module)) {
        const isSecretless = nobleSecretless.some((pattern) => pattern.test(`${path}/${each}`));
        if (!makers.has(maker))
          makers.set(maker, maker.lent || isSecretless ? '' : `${name}/${path}/${each}`);
      }
  }
  return [...makers.values()].filter(Boolean).sort();
}

const callsPrelude = `
${keepingMemory}
const crypto = require('node:crypto');
const { createSecretKey } = crypto;
const nobleHashes = require(${JSON.stringify(require.resolve('millrace/noble-hashes/sha2.js'))});
const mark = ${mark};
const marked = ${markedSecret};
const refused = async (act) => {
  let failed = false;
  try { await act(); } catch { failed = true; }
  if (!failed) throw new Error('not refused: ' + act);
};
const called = (act) =>
  new Promise((resolve, reject) => act((error, value) => error ? reject(error) : resolve(value)));
/** Calls a function that \`millrace\` has with a callback only. */
const calling = (api, name, ...given) =>
  api === promises ? api[name](...given) : called((then) => api[name](...given, then));
const sealedUnder = (passphrase) =>
  promises.sealWithPassphrase(passphrase, 'x', { N: 1024 });
const passwordHash = millrace.hashPassword('x', ${cost});
/** Allows that the portable engine refuses. */
const served = async (act) => {
  try { await act(); } catch (error) {
    if (error.code !== 'ERR_ENGINE_UNAVAILABLE') throw error;
  }
};
const partUnder = (key) => millrace.hashPart('blake3', Buffer.of(1), { size: 1, key });
const sealedInRanges = async (api, key, source) => {
  const options = { algorithm: 'aes-256-gcm', key };
  const part = millrace.hashPart('blake3', source, { size: source.length });
  const { ranges } = await api.planSealing([part], options);
  await api.sealRange(ranges[0], source, options);
};
const sealedBy = (key) => millrace.seal('aes-256-gcm', { key, source: 'x' });
const wrappedBy = (key) => millrace.wrapKey('aes-256-kw', { key, source: iv });
const ethersHooks = ${ethersHooks};
const other = Buffer.alloc(32, 5);
const wrappedWithOther = (source) => millrace.wrapKey('aes-256-kw', { key: other, source });
/** Unwraps a key, which its owner wipes. */
const unwrapped = async (api, key) => {
  const source = millrace.wrapKey('aes-256-kwp', { key: other, source: key });
  (await api.unwrapKey('aes-256-kwp', { key: other, source })).fill(0);
};
const argon2Of = (message) =>
  ({ message, nonce: iv, parallelism: 1, tagLength: 32, memory: 64, passes: 1 });
const copiedAndReset = (hmac) => {
  hmac.copy().digest();
  hmac.reset().update('x').digest();
  return hmac.reset().update(source);
};
const padded = (key) => (ArrayBuffer.isView(key) ? key.map((byte) => byte ^ 0x36) : key);
const underPrepared = async (algorithm, key, when, use) => {
  const prepared = millrace.createKey(algorithm, key);
  const settled = Promise.all([use(millrace, prepared), use(promises, prepared)]);
  if (when === 'after') await settled;
  prepared.dispose();
  await settled;
};
// The caller's copies are the caller's.
const copies = [];
const notUtf8 = (key) => {
  const copy = Buffer.from(new ArrayBuffer(33));
  copy.set(key, 1);
  copy[0] = 255;
  copies.push(copy);
  return copy;
};
const raw = (key) => ({ key, format: 'raw', algorithm: 'ed25519' });
const derOf = (key) => {
  const der = Buffer.from(new ArrayBuffer(48));
  der.set(Buffer.from('302e020100300506032b657004220420', 'hex'));
  der.set(key, 16);
  copies.push(der);
  return der;
};
/**
 * A KeyObject of Node's, whose memory OpenSSL clears when it is collected. The bytes that it
 * decodes may stay behind: two other keys take memory of that size.
 */
const nodeKey = (key, type = 'ed25519') => {
  const [made] = [key, Buffer.alloc(32, 1), Buffer.alloc(32, 2)].map((each) => {
    const der = derOf(each);
    if (type === 'x25519') der[11] = 0x6e;
    return crypto.createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
  });
  return made;
};
const nodePeer = () => crypto.createPublicKey(crypto.generateKeyPairSync('x25519').privateKey);
const agreed = (secret) => secret.fill(0);
const pemOf = (key) =>
  '-----BEGIN PRIVATE KEY-----\\n' + derOf(key).toString('base64') + '\\n-----END PRIVATE KEY-----';
const jwkOf = (api, key) => ({
  ...api.createPublicKey(derOf(key)).export({ format: 'jwk' }),
  d: key.toString('base64url'),
});
/** Makes a key and disposes of it. The portable engine refuses, and must wipe too. */
const asymmetric = async (make) => {
  try {
    (await make()).dispose();
  } catch (error) {
    if (error.code !== 'ERR_ENGINE_UNAVAILABLE') throw error;
  }
};
/** Wipes what a call with a key returns. */
const withKeys = async (call) => {
  try {
    const made = await call();
    for (const each of [made, made.sharedKey]) if (ArrayBuffer.isView(each)) each.fill(0);
  } catch (error) {
    if (error.code !== 'ERR_ENGINE_UNAVAILABLE') throw error;
  }
};
const disposing = (call) =>
  withKeys(async () => {
    (await call()).dispose();
    return iv;
  });
const agreeing = (key) => ({ key, format: 'raw', algorithm: 'x25519' });
const seed = (key) => {
  const both = Buffer.concat([key, key]);
  copies.push(both);
  return { key: both, format: 'seed', algorithm: 'ml-kem-768' };
};
let rsaKey;
const rsa = () => {
  const { generateKeyPairSync } = require('node:crypto');
  return (rsaKey ??= generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey);
};
const encrypted = (key) =>
  require('node:crypto').publicEncrypt(rsa(), Buffer.isBuffer(key) ? key : Buffer.from(key));
const room = () => {
  const memory = Buffer.alloc(256);
  copies.push(memory);
  return memory;
};
const exporting = (key, options) => {
  const made = key.export(options);
  if (ArrayBuffer.isView(made)) made.fill(0);
  return key;
};
const close = async (stream) => {
  const { readable, writable } = stream;
  if (typeof readable === 'object') {
    await Promise.allSettled([readable.cancel(), writable.abort()]);
    return;
  }
  stream.on('error', () => {});
  stream.write('x');
  stream.destroy();
};
/** Calls under a new secret each, and wipes the caller's copy. */
const under = async (id, asKeyObject, act) => {
  const secret = marked(Buffer.from(new ArrayBuffer(32)), id);
  let key = asKeyObject ? createSecretKey(secret) : secret;
  if (asKeyObject) secret.fill(0);
  try {
    // A KeyObject is prepared when it is used again.
    for (let use = 0; use < (asKeyObject ? 3 : 1); use++) await act(key);
  } catch (error) {
    error.message += ' in ' + act;
    throw error;
  }
  key = undefined;
  secret.fill(0);
  while (copies.length > 0) copies.pop().fill(0);
};
`;

/** Entry point, its calls, whether the secret is a KeyObject, and the routes of all calls. */
const groups = [
  ['millrace', either, true],
  ['millrace', [...either, ...bytesOnly], false],
  [
    'millrace',
    [...Object.entries(uses).map(prepared('during')), ...running.map(prepared('after'))],
    false,
  ],
  ['millrace/promises', either, true],
  ...['auto', 'inline', 'pool', 'split'].map((route) => [
    'millrace/promises',
    [...either, ...bytesOnly, ...streams, ...(route === 'auto' ? [] : longer)],
    false,
    route,
  ]),
  ['millrace/node-crypto', nodeCrypto, false],
  ['millrace/crypto-async', cryptoAsync, false],
  ['millrace/ethers', ethers, false],
  ['millrace/age', ageCalls, false],
  ['millrace/portable', portableCalls, false],
  ...Object.entries(noble).map(([module, calls]) => [`millrace/noble-${module}.js`, calls, false]),
];

for (const engine of ['native', 'portable'])
  test(`every export: nothing left of its secret, ${engine}`, { skip }, (t) =>
    searchExports(t, engine),
  );

async function searchExports(t, engine) {
  const names = ['kept'];
  const lines = groups.flatMap(([entry, calls, asKeyObject, route = 'auto']) => [
    `millrace.configure({ route: '${route}' });`,
    ...calls.map((call) => {
      const what = `${call} of ${entry}${asKeyObject ? ', KeyObject' : ''}, ${route}`;
      const id = names.push(what) - 1;
      const path = JSON.stringify(require.resolve(entry));
      const body = `{ const api = require(${path}); await (${call.replace('(() =>', '(async () =>')}); }`;
      return `await under(${id}, ${asKeyObject}, async (key) => ${body});`;
    }),
  ]);
  const found = await look(
    `${callsPrelude}
    const kept = globalThis.kept = marked(Buffer.from(new ArrayBuffer(32)), 0);
    ${lines.join('\n')}
    await collect();
    await report();`,
    [],
    { main: false, marked: names.length, env: { MILLRACE_ENGINE: engine } },
  );
  if (typeof found === 'string') return t.skip(found);
  const places = found.map((each, id) => each.map((place) => `${names[id]}: ${place}`));
  assert.equal(places.shift().length, 2, 'looking proves nothing');
  assert.deepEqual(places.flat(), []);
}

/** Calls that return a derived or unwrapped key, or a code. */
const secretResults = [
  ['millrace', Object.values(derivations)],
  ['millrace/promises', Object.values(derivations)],
  ['millrace/ethers', ethers],
  ...Object.entries(noble)
    .filter(([path]) => path !== 'ciphers/chacha')
    .map(([path, calls]) => [
      `millrace/noble-${path}.js`,
      calls.filter((call) => path !== 'ciphers/aes' || call.includes('aeskw')),
    ]),
].flatMap(([path, calls]) =>
  calls.map((call) => ({
    path,
    call: call.replace('.fill(0)', '').replace(/(\.update\(source\))$/, '$1.digest()'),
  })),
);

for (const engine of ['native', 'portable'])
  test(
    `secret results: nothing left once their owner has wiped them, ${engine}`,
    { skip },
    async (t) => {
      const given = {
        ethersHooks,
        nobleHashes: require('millrace/noble-hashes/sha2.js'),
        iv: Buffer.alloc(16),
        nonce: Buffer.alloc(12),
        source: Buffer.alloc(3000, 1),
      };
      const others = await Promise.all(
        secretResults.map(({ path, call }, id) =>
          new Function('key', 'api', ...Object.keys(given), `return ${call}`)(
            markedSecret(Buffer.alloc(32), id),
            require(path),
            ...Object.values(given),
          ),
        ),
      );
      const lines = secretResults.map(
        ({ path, call }, id) =>
          `await use(${id}, (key) => { const api = require(${JSON.stringify(require.resolve(path))}); return ${call}; });`,
      );
      const program = `${callsPrelude}
      const use = async (id, act) => {
        const key = Buffer.from(new ArrayBuffer(32));
        for (let round = 0; round < 20; round++) {
          marked(key, id);
          const result = await act(key);
          if (round % 5 === 0) globalThis.gc();
          result.fill(0);
          key.fill(0);
        }
      };
      ${lines.join('\n')}
      await collect();
      await report();`;
      const names = secretResults.map(({ path, call }) => `${call} of ${path}`);
      const env = { MILLRACE_ENGINE: engine };
      await leavesNothing(t, program, [], { main: false, others, env, names });
    },
  );

test('codes that are compared, or copied to a target, leave nothing', { skip }, async (t) => {
  const algorithms = ['hmac-sha256', 'hmac-sha512', ...keyedHashes];
  // Long ones are hashed on other threads.
  const messages = [100, 300_000].map((size) => Buffer.alloc(size, 1));
  const others = algorithms.flatMap((name, index) => {
    const key = keyMaker(90 + index, Buffer.alloc(32));
    return messages.map((message) =>
      name.startsWith('hmac-')
        ? millrace.hmac(name.slice(5), key, message)
        : millrace.hash(name, message, { key }),
    );
  });
  const program = (last) => `
    const { subtle } = require(${JSON.stringify(entryPaths['millrace/webcrypto'])});
    const target = Buffer.from(new ArrayBuffer(64));
    const mac = Buffer.alloc(32);
    const refused = async (verdict) => {
      if (await verdict) throw new Error('a wrong code was accepted');
    };
    const verifyAll = async (name, algorithm, options) => {
      await refused(millrace[name](algorithm, options));
      for (const route of ['auto', 'inline', 'pool']) {
        const routed = { ...options, route };
        await refused(promises[name](algorithm, routed));
        await refused(new Promise((resolve, reject) =>
          millrace[name](algorithm, routed, (error, value) => error ? reject(error) : resolve(value))));
      }
    };
    const importing = {
      'hmac-sha256': ['raw', { name: 'HMAC', hash: 'SHA-256' }, 'HMAC'],
      kmac128: ['raw-secret', 'KMAC128', { name: 'KMAC128', outputLength: 256 }],
    };
    const act = async (algorithm, seed, message) => {
      const hash = algorithm.replace('hmac-', '');
      const isHmac = algorithm !== hash;
      const key = fresh(seed);
      const options = { key, source: message, mac };
      await verifyAll('verifyMac', algorithm, options);
      if (isHmac) await verifyAll('verifyHmac', hash, options);
      const many = isHmac ? [hash, key, [message], { target }] : [hash, [message], { key, target }];
      for (const api of [millrace, promises]) {
        await api[isHmac ? 'hmacMany' : 'hashMany'](...many);
        target.fill(0);
      }
      if (algorithm in importing) {
        const [format, of, by] = importing[algorithm];
        const imported = await subtle.importKey(format, key, of, false, ['verify']);
        // More than one iteration of the event loop computes at once.
        for (let round = 0; round < 20; round++) await refused(subtle.verify(by, imported, mac, message));
      }
      key.fill(0);
    };
    for (let round = 0; round < 5; round++)
      for (const [index, algorithm] of ${JSON.stringify(algorithms)}.entries())
        for (const size of [100, 300000]) await act(algorithm, 90 + index, Buffer.alloc(size, 1));
    ${last}
    await collect();
    await report();`;
  const control = `globalThis.kept = millrace.hmac('sha256', fresh(90), Buffer.alloc(100, 1));`;
  const names = algorithms.flatMap((name) => [name, `${name} of a long message`]);
  await leavesNothing(t, program, [], { main: false, others, names, control });
});
