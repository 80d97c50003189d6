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
import ethersModule from 'millrace/ethers';
import nodeCryptoModule from 'millrace/node-crypto';
import promises from 'millrace/promises';

import { entryPaths } from '../support/child.mjs';
import { derive } from '../support/chunked-oracle.mjs';
import { keepingMemory, keyMaker, look, mark, markedSecret } from '../support/memory-search.mjs';

const require = createRequire(import.meta.url);
const portable = require('millrace/portable');
const skip = process.platform !== 'linux' && 'reads /proc/<pid>/mem';

const uses = {
  'aes-256-gcm': (key) => `millrace.seal('aes-256-gcm', { key: ${key}, nonce, source })`,
  'aes-256-ctr': (key) => `millrace.cipher('aes-256-ctr', true, ${key}, iv, source)`,
  chacha20: (key) => `millrace.cipher('chacha20', true, ${key}, iv, source)`,
  'chacha20-poly1305': (key) =>
    `millrace.seal('chacha20-poly1305', { key: ${key}, nonce, source })`,
  'xchacha20-poly1305': (key) =>
    `millrace.seal('xchacha20-poly1305', { key: ${key}, nonce: Buffer.alloc(24), source })`,
  'aes-256-gcm-siv': (key) => `millrace.seal('aes-256-gcm-siv', { key: ${key}, nonce, source })`,
  'hmac-sha256': (key) => `millrace.hmac('sha256', ${key}, source)`,
  blake3: (key) => `millrace.hash('blake3', source, { key: ${key} })`,
};

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

for (const [algorithm, use] of Object.entries(uses)) {
  test(`${algorithm}: nothing left of keys used synchronously`, { skip }, async (t) => {
    const found = await look(
      `
      for (let seed = 10; seed < 15; seed++)
        for (let round = 0; round < 20; round++) using(seed, (key) => ${use('key')});
      await report();
    `,
      [10, 11, 12, 13, 14],
      { main: false },
    );
    if (typeof found === 'string') return t.skip(found);
    assert.deepEqual(found, [[], [], [], [], []]);
  });

  test(`${algorithm}: nothing left of keys used asynchronously`, { skip }, async (t) => {
    const found = await look(
      `
        const flying = [];
        for (let seed = 20; seed < 25; seed++)
          for (let round = 0; round < 20; round++)
            flying.push(using(seed, (key) => ${use('key').replace('millrace.', 'promises.')}));
        await Promise.all(flying);
        await report();
    `,
      [20, 21, 22, 23, 24],
      { main: false },
    );
    if (typeof found === 'string') return t.skip(found);
    assert.deepEqual(found, [[], [], [], [], []]);
  });

  test(`${algorithm}: nothing left of prepared keys that were disposed`, { skip }, async (t) => {
    const found = await look(
      `
        for (let seed = 30; seed < 35; seed++) {
          const prepared = using(seed, (key) => millrace.createKey('${algorithm}', key));
          for (let round = 0; round < 5; round++) ${use('prepared')};
          const flying = Array.from(
            { length: 5 },
            () => ${use('prepared').replace('millrace.', 'promises.')},
          );
          prepared.dispose();
          await Promise.all(flying);
        }
        await report();
    `,
      [30, 31, 32, 33, 34],
      { main: false },
    );
    if (typeof found === 'string') return t.skip(found);
    assert.deepEqual(found, [[], [], [], [], []]);
  });
}

/** Long messages: what one worker does in slices, and what all do in parts. */
const long = {
  'aes-256-gcm': (key, route) =>
    `promises.seal('aes-256-gcm', { key: ${key}, nonce, source: large, route: '${route}' })`,
  'aes-256-ctr': (key, route) =>
    `promises.cipher('aes-256-ctr', true, ${key}, iv, large, { route: '${route}' })`,
  chacha20: (key, route) =>
    `promises.cipher('chacha20', true, ${key}, iv, large, { route: '${route}' })`,
  'chacha20-poly1305': (key, route) =>
    `promises.seal('chacha20-poly1305', { key: ${key}, nonce, source: large, route: '${route}' })`,
  'xchacha20-poly1305': (key, route) =>
    `promises.seal('xchacha20-poly1305', { key: ${key}, nonce: Buffer.alloc(24), source: ` +
    `large, route: '${route}' })`,
  'aes-256-gcm-siv': (key, route) =>
    `promises.seal('aes-256-gcm-siv', { key: ${key}, nonce, source: large, route: '${route}' })`,
  'hmac-sha256': (key, route) => `promises.hmac('sha256', ${key}, large, { route: '${route}' })`,
  blake3: (key, route) => `promises.hash('blake3', large, { key: ${key}, route: '${route}' })`,
};

for (const route of ['pool', 'split']) {
  for (const [algorithm, use] of Object.entries(long)) {
    test(
      `${algorithm}, a long message by route ${route}: nothing left of raw and disposed keys`,
      { skip },
      async (t) => {
        const found = await look(
          `
        const flying = [];
        for (const seed of [70, 71]) flying.push(using(seed, (key) => ${use('key', route)}));
        await Promise.all(flying);
        const prepared = using(72, (key) => millrace.createKey('${algorithm}', key));
        const last = ${use('prepared', route)};
        prepared.dispose();
        await last;
        await report();
      `,
          [70, 71, 72],
        );
        if (typeof found === 'string') return t.skip(found);
        assert.deepEqual(found, [[], [], []]);
      },
    );
  }
}

/** Incremental ciphers. */
const pieces = Object.fromEntries(
  Object.entries({
    'aes-256-ctr': 'iv',
    chacha20: 'iv',
    'aes-256-gcm': 'nonce',
    'chacha20-poly1305': 'nonce',
  }).map(([algorithm, nonce]) => [
    algorithm,
    (key) => `millrace.createCipher('${algorithm}', { key: ${key}, nonce: ${nonce} })`,
  ]),
);

/** Hashers and batches: how they use a key, and the algorithm that a key is prepared for. */
const running = {
  'createHmac, a short message': [
    'hmac-sha256',
    (key) => `millrace.createHmac('sha256', ${key}).update('short').digest()`,
  ],
  'createHmac, a long message': [
    'hmac-sha512',
    (key) =>
      `millrace.createHmac('sha512', ` +
      `${key}).update(source).update('more').update(source).digest('hex')`,
  ],
  'createHmac, copied, exported, reset': [
    'hmac-sha384',
    (key) =>
      '((hmac) => { hmac.copy().digest(); hmac.exportState(); ' +
      `hmac.reset().update('x').digest(); })(millrace.createHmac('sha384', ` +
      `${key}).update(source))`,
  ],
  // Their inner midstate is the key with a pad; here the pad makes it the secret that is sought.
  ...Object.fromEntries(
    ['blake2b512', 'blake3'].map((hash) => [
      `createHmac ${hash}, copied, reset`,
      [
        `hmac-${hash}`,
        (key) =>
          `((hmac) => { hmac.copy().digest(); hmac.reset().update('x').digest(); })` +
          `(millrace.createHmac('${hash}', ArrayBuffer.isView(${key}) ` +
          `? ${key}.map((byte) => byte ^ 0x36) : ${key}).update(source))`,
      ],
    ]),
  ),
  'createHmac without a digest': [
    'hmac-sha256',
    (key) => `millrace.createHmac('sha256', ${key}).update('short')`,
  ],
  'createHmac, asynchronously': [
    'hmac-sha256',
    (key) =>
      '((hmac) => { hmac.updateAsync(source); return hmac.digestAsync(); ' +
      `})(millrace.createHmac('sha256', ${key}))`,
  ],
  'createHmac as a stream': [
    'hmac-sha256',
    (key) => `millrace.createHmac('sha256', ${key}).end(source).toArray()`,
  ],
  'createHash with a key': [
    'blake3',
    (key) => `millrace.createHash('blake3', { key: ${key} }).update(source).update('x').digest()`,
  ],
  'createHash with a key, squeezed': [
    'blake3',
    (key) => `millrace.createHash('blake3', { key: ${key} }).update('x').squeeze(100)`,
  ],
  hmacMany: ['hmac-sha256', (key) => `millrace.hmacMany('sha256', ${key}, ['a', source, 'b'])`],
  'hmacMany, asynchronously': [
    'hmac-sha512',
    (key) => `promises.hmacMany('sha512', ${key}, ['a', source, 'b'])`,
  ],
  'hashMany with a key': [
    'blake3',
    (key) => `millrace.hashMany('blake3', ['a', source, 'b'], { key: ${key} })`,
  ],
  'hashMany with a key, asynchronously': [
    'blake3',
    (key) => `promises.hashMany('blake3', ['a', source, 'b'], { key: ${key} })`,
  ],
  ...Object.fromEntries(
    Object.entries(pieces).map(([algorithm, create]) => [
      `createCipher ${algorithm}`,
      [
        algorithm,
        (key) => `((cipher) => { cipher.update(source); cipher.final(); })(${create(key)})`,
      ],
    ]),
  ),
};

for (const [name, [algorithm, use]] of Object.entries(running)) {
  test(
    `${name}: nothing left of its key once it is collected, or the prepared key disposed`,
    { skip },
    async (t) => {
      const found = await look(
        `
      const act = async () => {
        const flying = [];
        for (let seed = 40; seed < 43; seed++)
          for (let round = 0; round < 10; round++) flying.push(using(seed, (key) => ${use('key')}));
        for (let seed = 43; seed < 46; seed++) {
          const prepared = using(seed, (key) => millrace.createKey('${algorithm}', key));
          for (let round = 0; round < 5; round++) flying.push(${use('prepared')});
          await Promise.all(flying);
          prepared.dispose();
        }
      };
      await act();
      // Finalisers run between turns of the loop.
      for (let round = 0; round < 10; round++) {
        globalThis.gc();
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
      await report();
    `,
        [40, 41, 42, 43, 44, 45],
        { main: /Many/.test(name) },
      );
      if (typeof found === 'string') return t.skip(found);
      assert.deepEqual(found, [[], [], [], [], [], []]);
    },
  );
}

/** Derivations: the secret, and the key that comes of it, which its owner wipes. */
const derivations = {
  scrypt: (key) => `scrypt(${key}, 'salt', 32, { N: 64 })`,
  pbkdf2: (key) => `pbkdf2(${key}, 'salt', 100, 32, 'sha256')`,
  hkdf: (key) => `hkdf('sha256', ${key}, 'salt', 'info', 32)`,
  argon2: (key) =>
    `argon2('argon2id', { message: ${key}, nonce: '12345678', secret: ${key}, memory: 64 })`,
};

for (const [name, use] of Object.entries(derivations)) {
  for (const way of ['millrace', 'promises']) {
    test(
      `${name}, ${way}: nothing left of the secret, nor of the key its owner has wiped`,
      { skip },
      async (t) => {
        const seeds = [60, 61, 62, 63];
        const expected = seeds.map((seed) => {
          const key = keyMaker(seed, Buffer.alloc(32));
          return new Function('key', 'millrace', `return millrace.${use('key')}`)(key, millrace);
        });
        // HKDF's extracted key, from which all keys of the secret follow.
        if (name === 'hkdf')
          for (const seed of seeds)
            expected.push(millrace.hmac('sha256', 'salt', keyMaker(seed, Buffer.alloc(32))));
        const found = await look(
          `
            const flying = [];
            for (const seed of ${JSON.stringify(seeds)})
              for (let round = 0; round < 10; round++)
                flying.push(using(seed, (key) => ${way}.${use('key')}));
            for (const key of await Promise.all(flying)) key.fill(0);
            flying.length = 0;
            await report();
      `,
          seeds,
          { others: expected },
        );
        if (typeof found === 'string') return t.skip(found);
        assert.deepEqual(
          found,
          [...seeds, ...expected].map(() => []),
        );
      },
    );
  }
}

/** Synchronous calls after which the stack is wiped. */
const wiped = {
  ...Object.fromEntries(
    Object.entries(derivations).map(([name, use]) => [
      name,
      (key) => `millrace.${use(key)}.fill(0)`,
    ]),
  ),
  'createKey, aes-256-gcm': (key) => `millrace.createKey('aes-256-gcm', ${key}).dispose()`,
  'createKey, chacha20-poly1305': (key) =>
    `millrace.createKey('chacha20-poly1305', ${key}).dispose()`,
  'createKey, hmac-sha256': (key) => `millrace.createKey('hmac-sha256', ${key}).dispose()`,
  'createKey, blake3': (key) => `millrace.createKey('blake3', ${key}).dispose()`,
  ...Object.fromEntries(
    Object.entries(pieces).map(([algorithm, create]) => [
      `createCipher, ${algorithm}`,
      (key) => `${create(key)}.final()`,
    ]),
  ),
  hmacMany: (key) => `millrace.hmacMany('sha256', ${key}, ['a', source, 'b'])`,
  hashMany: (key) => `millrace.hashMany('blake3', ['a', source, 'b'], { key: ${key} })`,
};

for (const [name, use] of Object.entries(wiped)) {
  test(`${name}: nothing left on the stack right after a synchronous call`, { skip }, async (t) => {
    const key = keyMaker(80, Buffer.alloc(32));
    const others = name === 'hkdf' ? [millrace.hmac('sha256', 'salt', key)] : [];
    if (name in derivations)
      others.push(
        new Function('key', 'millrace', `return millrace.${derivations[name]('key')}`)(
          key,
          millrace,
        ),
      );
    const found = await look(
      `
      using(81, (key) => ${use('key')});
      using(80, (key) => ${use('key')});
      reportAtOnce();
    `,
      [80],
      { others },
    );
    if (typeof found === 'string') return t.skip(found);
    assert.deepEqual(
      found,
      [key, ...others].map(() => []),
    );
  });
}

test(
  'an HMAC that has given its code keeps nothing of the message it gathered',
  { skip },
  async (t) => {
    const found = await look(
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
    );
    if (typeof found === 'string') return t.skip(found);
    assert.deepEqual(found, [[], [], [], []]);
  },
);

test('streams: nothing left of keys, given or derived', { skip }, async (t) => {
  const [seeds, salt] = [[40, 41, 42, 43, 44], Buffer.alloc(24, 5)];
  const derived = seeds.map(
    (seed) => derive('aes-256-gcm', keyMaker(seed, Buffer.alloc(32)), salt, '').aeadKey,
  );
  const streams = JSON.stringify(join(dirname(entryPaths.millrace), 'streams/sealed-streams.js'));
  const found = await look(
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
  if (typeof found === 'string') return t.skip(found);
  assert.deepEqual(
    found,
    Array.from({ length: 10 }, () => []),
  );
});

// Every export that takes or makes a secret

/**
 * How each export is called with a secret of 32 bytes, in ASCII so that it is a passphrase too: the
 * source of a function, or of several. In it `api` is `millrace` or `millrace/promises`, `aead`
 * an algorithm with a nonce, and `refused(() => ...)` a call that must fail. The secret comes as
 * bytes and as a KeyObject; `bytesOnly` and `textOf` are for those that take no KeyObject.
 */
const cost = '{ memory: 64, passes: 1 }';
const either = {
  argon2: (key) =>
    `api.argon2('argon2id', { message: ${key}, nonce: iv, secret: ${key}, memory: 64 })`,
  cipher: (key) => [
    `api.cipher('aes-256-ctr', true, ${key}, iv, source)`,
    `refused(() => api.cipher('aes-128-ctr', true, ${key}, iv, source))`,
  ],
  createCipher: (key) => [
    `api.createCipher('chacha20-poly1305', { key: ${key}, nonce })`,
    `api.createCipher('aes-256-gcm', { key: ${key}, nonce }).update('x')`,
    `refused(() => api.createCipher('aes-128-gcm', { key: ${key}, nonce }))`,
  ],
  createDecipher: (key) => [
    `api.createDecipher('aes-256-gcm', { key: ${key}, nonce }).update('x')`,
    `refused(() => api.createDecipher('aes-256-gcm', ` +
      `{ key: ${key}, nonce, authTag: iv }).update('x').final())`,
  ],
  createHash: (key) => [
    ...keyedHashes.flatMap((name) => [
      `api.createHash('${name}', { key: ${key} })`,
      `api.createHash('${name}', { key: ${key} }).update('x')`,
      `api.createHash('${name}', { key: ${key} }).update(source)`,
      `api.createHash('${name}', { key: ${key} }).updateAsync(large)`,
      `api.createHash('${name}', { key: ${key} }).update('x').copy().digest()`,
    ]),
    `refused(() => api.createHash('blake2s256', { key: ${key}, outputLength: 33 }))`,
    `refused(() => api.createHash('sha256', { key: ${key} }))`,
  ],
  createHmac: (key) => [
    `api.createHmac('sha256', ${key}).update('x')`,
    `refused(() => api.createHmac('sha256', ${key}, { state: iv }))`,
  ],
  createKey: (key) => [
    `api.createKey('hmac-sha256', ${key})`,
    ...keyedHashes.map((name) => `api.createKey('${name}', ${key})`),
    `refused(() => api.createKey('aes-128-gcm', ${key}))`,
    `refused(() => api.createKey('blake2b512', ${key}, { engine: 'kernel' }))`,
  ],
  hash: (key) => [
    ...keyedHashes.map((name) => `api.hash('${name}', source, { key: ${key} })`),
    ...keyedHashes.map((name) => `api.hash('${name}', 'x', { key: ${key}, encoding: 'hex' })`),
    `refused(() => api.hash('blake2b512', 'x', { key: ${key}, salt: 'x' }))`,
    `refused(() => api.hash('kmac128', 'x', { key: ${key}, target: iv }))`,
  ],
  hashFile: (key) => [
    `api.hashFile('blake2b512', __filename, { key: ${key} })`,
    `refused(() => api.hashFile('kmac128', __filename + '-', { key: ${key} }))`,
  ],
  hashFiles: (key) => [
    `api.hashFiles('blake2b512', [__filename], { key: ${key} })`,
    `refused(() => api.hashFiles('kmac128', [__filename + '-'], { key: ${key} }))`,
  ],
  hashMany: (key) => [
    `api.hashMany('kmac128', ['a', source], { key: ${key} })`,
    `api.hashMany('blake2s256', new Set(['a', 'b']), { key: ${key}, encoding: 'hex' })`,
    `api.hashMany('blake3', ['a'], { key: ${key}, target: Buffer.alloc(32) })`,
  ],
  hashPassword: (key) => [
    `api.hashPassword(${key}, ${cost})`,
    `api.hashPassword('x', { ...${cost}, secret: ${key} })`,
    `api.hashPassword(${key}, { algorithm: 'bcrypt', cost: 4 })`,
    `api.hashPassword(${key}, { algorithm: 'scrypt', N: 16 })`,
  ],
  hkdf: (key) => [
    `api.hkdf('sha256', ${key}, 'salt', 'info', 32)`,
    `api.hkdf.extract('sha256', ${key}, 'salt')`,
    `api.hkdf.expand('sha256', ${key}, 'info', 32)`,
    `refused(() => api.hkdf.expand('sha512', ${key}, 'info', 32))`,
  ],
  hmac: (key) => [
    `api.hmac('sha256', ${key}, source)`,
    `api.hmac('sha512', ${key}, 'x', 'hex')`,
    `refused(() => api.hmac('sha256', ${key}, 'x', { target: iv }))`,
  ],
  hmacMany: (key) => [
    `api.hmacMany('sha256', ${key}, ['a', source, 'b'])`,
    `api.hmacMany('sha256', ${key}, new Set(['a', 'b']))`,
    `refused(() => api.hmacMany('sha256', ${key}, ['a', 'b'], { target: iv }))`,
  ],
  open: (key) => [
    `api.open('aes-256-gcm', { key: ${key}, source: sealedBy(${key}) })`,
    `refused(() => api.open('aes-256-gcm', { key: ${key}, source }))`,
    `refused(() => api.open('aes-128-gcm', { key: ${key}, source }))`,
  ],
  pbkdf2: (key) => `api.pbkdf2(${key}, 'salt', 10, 32, 'sha256')`,
  scrypt: (key) => [
    `api.scrypt(${key}, 'salt', 32, { N: 16 })`,
    `refused(() => api.scrypt(${key}, 'salt', 32, { N: 2 ** 20, maxmem: 1 }))`,
  ],
  seal: (key) => [
    `api.seal('aes-256-gcm', { key: ${key}, source })`,
    `refused(() => api.seal('aes-256-gcm', { key: ${key}, nonce, source, target: iv }))`,
  ],
  unwrapKey: (key) => [
    `api.unwrapKey('aes-256-kw', { key: ${key}, source: wrappedBy(${key}) })`,
    `refused(() => api.unwrapKey('aes-256-kw', { key: ${key}, source: Buffer.alloc(24) }))`,
  ],
  verifyHmac: (key) => `api.verifyHmac('sha256', { key: ${key}, source, mac: Buffer.alloc(32) })`,
  verifyMac: (key) => [
    ...keyedHashes.map((name) => `api.verifyMac('${name}', { key: ${key}, source, mac: iv })`),
    `refused(() => api.verifyMac('kmac256', { key: ${key}, source, mac: iv, salt: 'x' }))`,
  ],
  verifyPassword: (key) => [
    `api.verifyPassword(${key}, passwordHash)`,
    `api.verifyPassword('x', passwordHash, { secret: ${key} })`,
    `refused(() => api.verifyPassword(${key}, '$2b$04$x'))`,
  ],
  wrapKey: (key) => [
    `api.wrapKey('aes-256-kw', { key: ${key}, source: ${key} })`,
    `refused(() => api.wrapKey('aes-128-kw', { key: ${key}, source: ${key} }))`,
  ],
};

const bytesOnly = {
  openWithPassphrase: (key) => [
    `calling(api, 'openWithPassphrase', ${key}, await sealedUnder(${key}))`,
    `refused(() => calling(api, 'openWithPassphrase', ${key}, source))`,
    `refused(() => calling(api, 'openWithPassphrase', ${key}, await sealedUnder('x')))`,
  ],
  sealWithPassphrase: (key) => [
    `calling(api, 'sealWithPassphrase', ${key}, 'x', { N: 1024 })`,
    `calling(api, 'sealWithPassphrase', notUtf8(${key}), 'x', { N: 1024 })`,
    `refused(() => calling(api, 'sealWithPassphrase', ${key}, 'x', { N: 1023 }))`,
  ],
  timingSafeEqual: (key) => `api.timingSafeEqual(${key}, Buffer.from(new ArrayBuffer(32)))`,
};

/** Of `millrace/promises` alone. Streams are left half way. */
const streams = {
  openRange: (key) => [
    `refused(() => api.openRange(() => source, { algorithm: 'aes-256-gcm', key: ${key}, end: 9 }))`,
  ],
  hashTransformStream: (key) => [
    `close(api.hashTransformStream('blake3', 'hex', { key: ${key} }))`,
  ],
  openWithKey: (key) => [
    `calling(api, 'openWithKey', ${key}, await promises.sealWithKey(${key}, 'x'))`,
    `refused(() => calling(api, 'openWithKey', ${key}, source))`,
    `refused(() => calling(api, 'openWithKey', ${key}, await sealedUnder('x')))`,
  ],
  sealWithKey: (key) => [
    `calling(api, 'sealWithKey', ${key}, 'x')`,
    `refused(() => calling(api, 'sealWithKey', ${key}, 'x', { algorithm: 'aes-128-gcm' }))`,
  ],
  ...Object.fromEntries(
    ['sealStream', 'openStream', 'sealTransformStream', 'openTransformStream'].map((name) => [
      name,
      (key) => [
        `close(api.${name}({ algorithm: 'aes-256-gcm', key: ${key} }))`,
        `refused(() => api.${name}({ algorithm: 'aes-128-gcm', key: ${key} }))`,
      ],
    ]),
  ),
  ...Object.fromEntries(
    [
      'sealStreamWithPassphrase',
      'openStreamWithPassphrase',
      'sealTransformStreamWithPassphrase',
      'openTransformStreamWithPassphrase',
      'sealStreamWithKey',
      'openStreamWithKey',
      'sealTransformStreamWithKey',
      'openTransformStreamWithKey',
    ].map((name) => [
      name,
      (key) => [
        `close(api.${name}(${key}))`,
        `refused(() => api.${name}(${key}, { highWaterMark: -1 }))`,
      ],
    ]),
  ),
};

/** Exports without a secret among their arguments. */
const secretless = [
  'Cipher',
  'Decipher',
  'Hash',
  'Hmac',
  'Key',
  'MillraceError',
  'configure',
  'engines',
  'getCiphers',
  'generateKey',
  'getHashes',
  'needsRehash',
  'randomBytes',
];

/** Of `millrace/node-crypto`; the last cipher is left without an end. */
const nodeCrypto = {
  createCipheriv: (key) => [
    `api.createCipheriv('aes-256-gcm', ${key}, nonce).update('x')`,
    `api.createCipheriv('aes-256-gcm', ${key}, nonce)`,
    `api.createCipheriv('chacha20', ${key}, iv).update('x')`,
    `api.createCipheriv('aes-256-ctr', ${key}, iv)`,
    `api.createCipheriv('aes-256-ctr', ${key}, iv).final()`,
  ],
  createDecipheriv: (key) => [
    `refused(() => api.createDecipheriv('aes-256-gcm', ${key}, nonce).setAuthTag(iv).final())`,
    `api.createDecipheriv('aes-256-gcm', ${key}, nonce)`,
  ],
  createHmac: (key) => `api.createHmac('sha256', ${key}).update('x')`,
  hkdf: (key) => `called((then) => api.hkdf('sha256', ${key}, 'salt', 'info', 32, then))`,
  hkdfSync: (key) => `api.hkdfSync('sha256', ${key}, 'salt', 'info', 32)`,
  pbkdf2: (key) => `called((then) => api.pbkdf2(${key}, 'salt', 10, 32, 'sha256', then))`,
  pbkdf2Sync: (key) => `api.pbkdf2Sync(${key}, 'salt', 10, 32, 'sha256')`,
  scrypt: (key) => `called((then) => api.scrypt(${key}, 'salt', 32, { N: 16 }, then))`,
  scryptSync: (key) => `api.scryptSync(${key}, 'salt', 32, { N: 16 })`,
  ...(crypto.argon2 && {
    argon2: (key) => `called((then) => api.argon2('argon2id', argon2Of(${key}), then))`,
    argon2Sync: (key) => `api.argon2Sync('argon2id', argon2Of(${key}))`,
  }),
};

const nodeCryptoSecretless = [
  'Cipheriv',
  'Decipheriv',
  'Hash',
  'Hmac',
  'createHash',
  'hash',
  'setFips',
];

/** Asynchronous calls that workers do, and long messages in windows and in parts. */
const longer = {
  long: (key) => [
    `api.hmac('sha256', ${key}, large)`,
    `api.hmac('sha3-256', ${key}, large)`,
    `api.pbkdf2(${key}, 'salt', 2000, 32, 'sha256')`,
    ...keyedHashes.map((name) => `api.hash('${name}', large, { key: ${key} })`),
    `api.cipher('aes-256-ctr', true, ${key}, iv, large)`,
    ...['aes-256-gcm', 'chacha20-poly1305', 'aes-256-gcm-siv'].map(
      (name) =>
        `api.seal('${name}', { key: ${key}, source: large })` +
        `.then((source) => api.open('${name}', { key: ${key}, source }))`,
    ),
    `((prepared) => api.hmac('sha256', prepared, large).finally(() => prepared.dispose()))` +
      `(millrace.createKey('hmac-sha256', ${key}))`,
  ],
};

/** Of `millrace/crypto-async`, which has no others that take a secret. */
const cryptoAsync = {
  hmac: (key) => [
    `api.hmac('sha256', ${key}, source)`,
    `called((then) => api.hmac('sha256', ${key}, source, then))`,
    `called((then) => api.hmac('sha256', ${key}, large, then))`,
  ],
  cipher: (key) => [
    `api.cipher('aes-256-ctr', 1, ${key}, iv, source)`,
    `called((then) => api.cipher('aes-256-ctr', 1, ${key}, iv, large, then))`,
  ],
};

/** Of the modules of `millrace/noble-hashes` and `millrace/noble-ciphers` that take a secret. */
const keyedNoble = (names) =>
  Object.fromEntries(
    names.map((name) => [
      name,
      (key) => [
        `api.${name}(source, { key: ${key} })`,
        `api.${name}.create({ key: ${key} }).update(source)`,
        `api.${name}.create({ key: ${key} }).update(source).clone().digest()`,
      ],
    ]),
  );
const noble = {
  'hashes/blake2': keyedNoble(['blake2b', 'blake2s']),
  'hashes/blake3': keyedNoble(['blake3']),
  'hashes/sha3-addons': {
    HopMAC128: (key) => `api.HopMAC128(${key}, source, iv)`,
    HopMAC256: (key) => `api.HopMAC256(${key}, source, iv)`,
    ...Object.fromEntries(
      ['kmac128', 'kmac256', 'kmac128xof', 'kmac256xof'].map((name) => [
        name,
        (key) => [
          `api.${name}(${key}, source)`,
          `api.${name}.create(${key}).update(source)`,
          `api.${name}.create(${key}).update(source).clone().digest()`,
        ],
      ]),
    ),
  },
  'hashes/hmac': {
    hmac: (key) => [
      `api.hmac(nobleHashes.sha256, ${key}, source)`,
      `api.hmac.create(nobleHashes.sha256, ${key}).update(source)`,
    ],
  },
  'hashes/hkdf': {
    hkdf: (key) => `api.hkdf(nobleHashes.sha256, ${key}, iv, iv, 32)`,
    extract: (key) => `api.extract(nobleHashes.sha256, ${key}, iv)`,
    expand: (key) => `api.expand(nobleHashes.sha256, ${key}, iv, 32)`,
  },
  'hashes/pbkdf2': {
    pbkdf2: (key) => `api.pbkdf2(nobleHashes.sha256, ${key}, iv, { c: 10, dkLen: 32 })`,
    pbkdf2Async: (key) => `api.pbkdf2Async(nobleHashes.sha256, ${key}, iv, { c: 10, dkLen: 32 })`,
  },
  'hashes/scrypt': {
    scrypt: (key) => `api.scrypt(${key}, iv, { N: 16, r: 1, p: 1, dkLen: 32 })`,
    scryptAsync: (key) => `api.scryptAsync(${key}, iv, { N: 16, r: 1, p: 1, dkLen: 32 })`,
  },
  'hashes/argon2': Object.fromEntries(
    ['argon2d', 'argon2i', 'argon2id', 'argon2dAsync', 'argon2iAsync', 'argon2idAsync'].map(
      (name) => [name, (key) => `api.${name}(${key}, iv, { t: 1, m: 64, p: 1, key: ${key} })`],
    ),
  ),
  'ciphers/aes': {
    gcm: (key) => `api.gcm(${key}, nonce).encrypt(source)`,
    gcmsiv: (key) => `api.gcmsiv(${key}, nonce).encrypt(source)`,
    ctr: (key) => `api.ctr(${key}, iv).encrypt(source)`,
    aeskw: (key) => `api.aeskw(${key}).decrypt(api.aeskw(${key}).encrypt(${key})).fill(0)`,
    aeskwp: (key) => `api.aeskwp(${key}).decrypt(api.aeskwp(${key}).encrypt(${key})).fill(0)`,
  },
  'ciphers/chacha': {
    chacha20: (key) => `api.chacha20(${key}, nonce, source)`,
    chacha20poly1305: (key) => `api.chacha20poly1305(${key}, nonce).encrypt(source)`,
    xchacha20poly1305: (key) => `api.xchacha20poly1305(${key}, Buffer.alloc(24)).encrypt(source)`,
  },
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
const ethers = {
  computeHmac: (key) => `ethersHooks(api).computeHmac('sha256', ${key}, iv)`,
  pbkdf2: (key) => `ethersHooks(api).pbkdf2(${key}, iv, 10, 32, 'sha256')`,
  scrypt: (key) => `ethersHooks(api).scrypt(${key}, iv, 16, 1, 1, 32)`,
  scryptSync: (key) => `ethersHooks(api).scryptSync(${key}, iv, 16, 1, 1, 32)`,
};

const ethersHooks = (api) => {
  const found = {};
  const hookOf = (_, name) => ({ register: (compute) => void (found[name] = compute) });
  api.register(new Proxy({}, { get: hookOf }));
  return found;
};

/** Of `millrace/portable`: what each of its values takes says which calls it has. */
const portableCalls = Object.fromEntries(
  Object.entries(portable).map(([name, value]) => [
    name,
    (key) => portableCallsOf(name, value, key),
  ]),
);

function portableCallsOf(name, value, key) {
  if (value.encrypt)
    return [
      `api.${name}.encrypt({ key: ${key}.subarray(0, ${value.keySize}), iv, source })`,
      `refused(() => api.${name}.decrypt({ key: ${key}, iv: nonce, source }))`,
    ];
  if (value.seal) {
    const options = `{ key: ${key}.subarray(0, ${value.keySize}), source`;
    return [
      `api.${name}.open(${options}: api.${name}.seal(${options} }) })`,
      `refused(() => api.${name}.open(${options} }))`,
    ];
  }
  if (value.create) return takesKey(value) ? keyedPortable(name, value, key) : [];
  return (
    {
      hmac: [
        `api.hmac(api.sha256, ${key}, source)`,
        `api.hmac(api.sha3_256, ${key}, large, 'hex')`,
      ],
      createHmac: [
        `api.createHmac(api.sha256, ${key}).update('x')`,
        `api.createHmac(api.blake2b512, ${key}).update('x').copy().digest()`,
      ],
      hkdf: [
        `api.hkdf(api.sha256, ${key}, 'salt', 'info', 32)`,
        `api.hkdf.extract(api.sha256, ${key}, 'salt')`,
        `api.hkdf.expand(api.sha256, ${key}, 'info', 32)`,
      ],
      pbkdf2: [`api.pbkdf2(${key}, 'salt', 10, 32, api.sha256)`],
      scrypt: [`api.scrypt(${key}, 'salt', 32, { N: 16 })`],
      argon2: [
        `api.argon2('argon2id', { message: ${key}, nonce: iv, secret: ${key}, memory: 64 })`,
      ],
      wrapKey: [`api.wrapKey('aes-256-kw', { key: ${key}, source: ${key} }).fill(0)`],
      unwrapKey: [
        `api.unwrapKey('aes-256-kw', { key: ${key}, source: wrappedBy(${key}) })`,
        `api.unwrapKey('aes-256-kw', { key: other, source: wrappedWithOther(${key}) }).fill(0)`,
      ],
      timingSafeEqual: [`api.timingSafeEqual(${key}, Buffer.from(new ArrayBuffer(32)))`],
      MillraceError: [],
    }[name] ?? assert.fail(`millrace/portable: ${name} is not called here`)
  );
}

function takesKey(hash) {
  try {
    hash('x', { key: new Uint8Array(32) });
    return true;
  } catch {
    return false;
  }
}

function keyedPortable(name, { outputLength }, key) {
  return [
    `api.${name}('x', { key: ${key} })`,
    `api.${name}(large, { key: ${key}, encoding: 'hex' })`,
    `api.${name}('x', { key: ${key}, outputLength: ${outputLength - 1} })`,
    `refused(() => api.${name}(5, { key: ${key} }))`,
    `refused(() => api.${name}('x', { key: ${key}, seed: 1 }))`,
    `api.${name}.create({ key: ${key} })`,
    `api.${name}.create({ key: ${key} }).update(source).copy().digest()`,
  ];
}

const keyedHashes = ['blake2b512', 'blake2s256', 'blake3', 'kmac128', 'kmacxof256'];

test('every export that takes a secret is called by these tests', () => {
  const both = [...Object.keys(either), ...Object.keys(bytesOnly), ...secretless];
  const sealed = Object.keys(streams).filter((name) =>
    /^(seal|open)(Transform)?Stream$/.test(name),
  );
  assert.deepEqual(Object.keys(millrace).sort(), [...both, ...sealed, 'hashPairs'].sort());
  const own = [...both, ...Object.keys(streams), 'hashFilesIterator'];
  assert.deepEqual(Object.keys(promises).sort(), own.sort());
  const functions = Object.keys(cryptoAsyncModule).filter(
    (name) => typeof cryptoAsyncModule[name] === 'function',
  );
  assert.deepEqual(functions.sort(), [...Object.keys(cryptoAsync), 'hash'].sort());
  const hashes = ['keccak256', 'sha256', 'sha512', 'ripemd160'];
  const registered = Object.keys(ethersHooks(ethersModule));
  assert.deepEqual(registered.sort(), [...hashes, ...Object.keys(ethers)].sort());
  assert.deepEqual(
    nobleOwn(),
    Object.entries(noble)
      .flatMap(([path, calls]) => Object.keys(calls).map((name) => `${path}/${name}`))
      .sort(),
  );
  const served = Object.keys(nodeCryptoModule).filter(
    (name) => nodeCryptoModule[name] !== crypto[name],
  );
  assert.deepEqual(
    served.filter((name) => !(name in nodeCrypto) && !nodeCryptoSecretless.includes(name)),
    [],
  );
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
const { createSecretKey } = require('node:crypto');
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
const sealedBy = (key) => millrace.seal('aes-256-gcm', { key, source: 'x' });
const wrappedBy = (key) => millrace.wrapKey('aes-256-kw', { key, source: iv });
const ethersHooks = ${ethersHooks};
const other = Buffer.alloc(32, 5);
const wrappedWithOther = (source) => millrace.wrapKey('aes-256-kw', { key: other, source });
const argon2Of = (message) =>
  ({ message, nonce: iv, parallelism: 1, tagLength: 32, memory: 64, passes: 1 });
// The caller's copies are the caller's.
const copies = [];
const notUtf8 = (key) => {
  const copy = Buffer.from(new ArrayBuffer(33));
  copy.set(key, 1);
  copy[0] = 255;
  copies.push(copy);
  return copy;
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
const collect = async () => {
  for (let round = 0; round < 10; round++) {
    globalThis.gc();
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
};
`;

/** Entry point, its calls, whether the secret is a KeyObject, and the routes of all calls. */
const groups = [
  ['millrace', either, true],
  ['millrace', either, false],
  ['millrace', bytesOnly, false],
  ['millrace/promises', either, true],
  ['millrace/promises', either, false],
  ['millrace/promises', { ...bytesOnly, ...streams }, false],
  ...['inline', 'pool', 'split'].map((route) => [
    'millrace/promises',
    { ...either, ...bytesOnly, ...streams, ...longer },
    false,
    route,
  ]),
  ['millrace/node-crypto', nodeCrypto, false],
  ['millrace/crypto-async', cryptoAsync, false],
  ['millrace/ethers', ethers, false],
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
    ...Object.values(calls).flatMap((make) =>
      [make('key')].flat().map((call) => {
        const what = `${call} of ${entry}${asKeyObject ? ', KeyObject' : ''}, ${route}`;
        const id = names.push(what) - 1;
        const path = JSON.stringify(require.resolve(entry));
        const body = `{ const api = require(${path}); await (${call.replace('(() =>', '(async () =>')}); }`;
        return `await under(${id}, ${asKeyObject}, async (key) => ${body});`;
      }),
    ),
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

/** Calls of other entry points that return a derived or unwrapped key, or a MAC. */
const secretResults = Object.entries({
  ethers,
  ...Object.fromEntries(
    Object.entries(noble).filter(([path]) => path.startsWith('hashes/') || path === 'ciphers/aes'),
  ),
}).flatMap(([path, calls]) =>
  Object.entries(calls).flatMap(([name, make]) =>
    [make('key')]
      .flat()
      .filter(() => path !== 'ciphers/aes' || name.startsWith('aeskw'))
      .map((call) => ({
        path: path === 'ethers' ? 'millrace/ethers' : `millrace/noble-${path}.js`,
        call: call.replace('.fill(0)', '').replace(/(\.update\(source\))$/, '$1.digest()'),
      })),
  ),
);

for (const engine of ['native', 'portable'])
  test(
    `secret results: nothing left once their owner has wiped them, ${engine}`,
    { skip },
    async (t) => {
      const [iv, nonce, source] = [16, 12, 3000].map((size) =>
        Buffer.alloc(size, size === 3000 ? 1 : 0),
      );
      const nobleHashes = require('millrace/noble-hashes/sha2.js');
      const expected = await Promise.all(
        secretResults.map(({ path, call }, id) =>
          new Function(
            'key',
            'api',
            'ethersHooks',
            'nobleHashes',
            'iv',
            'nonce',
            'source',
            `return ${call}`,
          )(
            markedSecret(Buffer.alloc(32), id),
            require(path),
            ethersHooks,
            nobleHashes,
            iv,
            nonce,
            source,
          ),
        ),
      );
      const lines = secretResults.map(
        ({ path, call }, id) =>
          `await use(${id}, (key) => { const api = require(${JSON.stringify(require.resolve(path))}); return ${call}; });`,
      );
      const found = await look(
        `${callsPrelude}
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
      await report();`,
        [],
        { main: false, others: expected, env: { MILLRACE_ENGINE: engine } },
      );
      if (typeof found === 'string') return t.skip(found);
      assert.deepEqual(
        found.flatMap((places, id) =>
          places.map((place) => `${secretResults[id].call} of ${secretResults[id].path}: ${place}`),
        ),
        [],
      );
    },
  );

test('codes that are compared, or copied to a target, leave nothing', { skip }, async (t) => {
  const message = Buffer.alloc(100, 1);
  const algorithms = ['hmac-sha256', 'hmac-sha512', ...keyedHashes];
  const codes = algorithms.map((name, index) => {
    const key = keyMaker(90 + index, Buffer.alloc(32));
    return name.startsWith('hmac-')
      ? millrace.hmac(name.slice(5), key, message)
      : millrace.hash(name, message, { key });
  });
  const found = await look(
    `
    const message = Buffer.alloc(100, 1);
    const target = Buffer.from(new ArrayBuffer(64));
    const algorithms = ${JSON.stringify(algorithms)};
    for (let round = 0; round < 5; round++) {
      for (const [index, algorithm] of algorithms.entries()) {
        const hash = algorithm.replace('hmac-', '');
        const key = fresh(90 + index);
        const options = { key, source: message, mac: Buffer.alloc(${codes[0].length}) };
        const hmac = algorithm !== hash;
        for (const [name, named] of [['verifyMac', algorithm], ...(hmac ? [['verifyHmac', hash]] : [])]) {
          millrace[name](named, options);
          for (const route of ['auto', 'inline', 'pool']) {
            await promises[name](named, { ...options, route });
            await new Promise((then) => millrace[name](named, { ...options, route }, then));
          }
        }
        const many = hmac ? [hash, key, [message], { target }] : [hash, [message], { key, target }];
        for (const api of [millrace, promises]) {
          await api[hmac ? 'hmacMany' : 'hashMany'](...many);
          target.fill(0);
        }
        key.fill(0);
      }
    }
    await report();
  `,
    [],
    { main: false, others: codes },
  );
  if (typeof found === 'string') return t.skip(found);
  assert.deepEqual(
    found
      .map((places, index) => (places.length > 0 ? `${algorithms[index]}: ${places}` : ''))
      .filter(Boolean),
    [],
  );
});
