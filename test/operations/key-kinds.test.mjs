// Each kind of key in each function that takes one: bytes in every form, a KeyObject, a CryptoKey,
// a prepared key. The result is that of the bytes. Copies of ours are wiped. The values that are no
// keys are in test/request/refusals.test.mjs.

import assert from 'node:assert/strict';
import { createSecretKey, webcrypto } from 'node:crypto';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { promisify } from 'node:util';

import millrace from 'millrace';
import nodeCrypto from 'millrace/node-crypto';
import * as portable from 'millrace/portable';
import promises from 'millrace/promises';

import { collectGarbage } from '../support/garbage.mjs';
import { random } from '../support/random.mjs';

/** The copies of bytes that Node.js has exported from the handles of KeyObjects. */
const copies = [];
const handle = handleOf(createSecretKey(Buffer.alloc(1)));
const handles = Object.getPrototypeOf(handle);
const exported = handles.export;
// Before the first KeyObject is used: Millrace remembers the function.
handles.export = function (...given) {
  const copy = exported.apply(this, given);
  copies.push(copy);
  return copy;
};

/** Returns the handle of a KeyObject; the KeyObject, where Node.js keeps it in a private place. */
function handleOf(key) {
  const symbol = handleSymbol(key);
  return symbol === undefined ? key : key[symbol];
}

function handleSymbol(key) {
  return Object.getOwnPropertySymbols(key).find((each) => typeof key[each] === 'object');
}

const rng = random('kinds of keys');
const [bytes, message, nonce, iv, salt] = [32, 100, 12, 16, 16].map((size) => rng.bytes(size));
const { subtle } = webcrypto;
const cost = { N: 2, r: 1, p: 1 };
const light = { memory: 8, passes: 1 };
const stored = millrace.hashPassword(bytes, { ...light, secret: bytes });

const kinds = {
  Uint8Array: () => new Uint8Array(bytes),
  ArrayBuffer: () => new Uint8Array(bytes).buffer,
  DataView: () => new DataView(new Uint8Array(bytes).buffer),
  KeyObject: () => createSecretKey(bytes),
  'CryptoKey for AES': () => subtle.importKey('raw', bytes, 'AES-GCM', true, ['encrypt']),
  'CryptoKey for HMAC': () =>
    subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, true, ['sign']),
};

const sealed = millrace.seal('aes-256-gcm', { key: bytes, nonce, source: message });
const inPieces = async function* () {
  yield message;
};
const inAll = (method) => ({
  [method]: millrace[method],
  [`${method}, called back`]: promisify(millrace[method]),
  [`${method}, promised`]: promises[method],
});
const each = (forms, use) =>
  Object.fromEntries(Object.entries(forms).map(([name, call]) => [name, (key) => use(call, key)]));

/**
 * Functions that take keys: the prepared key that is taken too, where there is one, and the
 * function.
 */
const functions = {
  'aes-256-gcm': {
    ...each(inAll('seal'), (call, key) => call('aes-256-gcm', { key, nonce, source: message })),
    ...each(inAll('open'), (call, key) => call('aes-256-gcm', { key, nonce, source: sealed })),
    sealStream: (key) => streamed(key, bytes),
    openStream: (key) => streamed(bytes, key),
    sealTransformStream: (key) => transformed(key, bytes),
    openTransformStream: (key) => transformed(bytes, key),
  },
  'aes-256-ctr': {
    ...each(inAll('cipher'), (call, key) => call('aes-256-ctr', true, key, iv, message)),
    'cipher with options': (key) =>
      millrace.cipher('aes-256-ctr', { encrypt: true, key, iv, source: message }),
    'cipher of a window': (key) => {
      const target = Buffer.alloc(100);
      millrace.cipher('aes-256-ctr', { encrypt: 1, key, iv, source: message, target });
      return target;
    },
  },
  'hmac-sha256': {
    ...each(inAll('hmac'), (call, key) => call('sha256', key, message)),
    ...each(inAll('hmacMany'), (call, key) => call('sha256', key, [message, 'text'])),
    'hmac of a window': (key) => {
      const target = Buffer.alloc(32);
      millrace.hmac('sha256', key, message, { target });
      return target;
    },
    'hmac of pieces': (key) => promises.hmac('sha256', key, inPieces()),
    createHmac: (key) => millrace.createHmac('sha256', key).update(message).digest(),
  },
  blake3: {
    ...each(inAll('hash'), (call, key) => call('blake3', message, { key })),
    ...each(inAll('hashMany'), (call, key) => call('blake3', [message, 'text'], { key })),
    ...each(inAll('hashFile'), (call, key) => call('blake3', new URL(import.meta.url), { key })),
    'hash of pieces': (key) => promises.hash('blake3', inPieces(), { key }),
    createHash: (key) => millrace.createHash('blake3', { key }).update(message).digest(),
  },
  none: {
    createKey: (key) => {
      const prepared = millrace.createKey('aes-256-gcm', key);
      return millrace.seal('aes-256-gcm', { key: prepared, nonce, source: message });
    },
    'createKey for HMAC': (key) =>
      millrace.hmac('sha256', millrace.createKey('hmac-sha256', key), message),
    'createKey for BLAKE3': (key) =>
      millrace.hash('blake3', message, { key: millrace.createKey('blake3', key) }),
    ...each(inAll('pbkdf2'), (call, key) => call(key, salt, 2, 20, 'sha256')),
    ...each(inAll('hkdf'), (call, key) => call('sha256', key, salt, 'info', 20)),
    ...each(inAll('scrypt'), (call, key) => call(key, salt, 20, cost)),
    ...each(inAll('argon2'), (call, key) =>
      call('argon2id', { message: key, nonce: salt, ...light }),
    ),
    'argon2 with a secret': (key) =>
      millrace.argon2('argon2id', { message: 'text', nonce: salt, secret: key, ...light }),
    'argon2 of two': (key) =>
      millrace.argon2('argon2id', { message: key, nonce: salt, secret: key, ...light }),
    ...each(inAll('hashPassword'), (call, key) => call(key, { ...light, salt, secret: key })),
    ...each(inAll('verifyPassword'), async (call, key) => {
      assert.equal(await call(key, stored, { secret: key }), true);
      return '';
    }),
  },
};

async function streamed(sealing, opening) {
  const pipe = (stream, piece) => Readable.from([piece]).pipe(stream).toArray();
  const algorithm = 'aes-256-gcm';
  const parts = await pipe(promises.sealStream({ algorithm, key: sealing }), message);
  const opened = pipe(promises.openStream({ algorithm, key: opening }), Buffer.concat(parts));
  return Buffer.concat(await opened);
}

async function transformed(sealing, opening) {
  const algorithm = 'aes-256-gcm';
  const through = new Blob([message])
    .stream()
    .pipeThrough(promises.sealTransformStream({ algorithm, key: sealing }))
    .pipeThrough(promises.openTransformStream({ algorithm, key: opening }));
  return new Uint8Array(await new Response(through).arrayBuffer());
}

const plain = (value) =>
  Array.isArray(value)
    ? value.map(plain)
    : ArrayBuffer.isView(value)
      ? Buffer.from(value).toString('hex')
      : value;

for (const [prepared, uses] of Object.entries(functions))
  for (const [name, use] of Object.entries(uses))
    test(`${name}: every kind of key`, async () => {
      const expected = plain(await use(bytes));
      for (const [kind, make] of Object.entries(kinds)) {
        const key = await make();
        // A KeyObject is prepared when it is used again.
        for (let uses = 1; uses <= 3; uses++)
          assert.deepEqual(plain(await use(key)), expected, `${kind}, use ${uses}`);
      }
      if (prepared === 'none') return;
      const key = millrace.createKey(prepared, createSecretKey(bytes));
      assert.deepEqual(plain(await use(key)), expected, 'Key');
    });

test('an own property does not make a CryptoKey extractable', async () => {
  const key = await subtle.importKey('raw', bytes, 'AES-GCM', false, ['encrypt']);
  Object.defineProperty(key, 'extractable', { value: true });
  assert.throws(() => millrace.hmac('sha256', key, message), {
    code: 'ERR_ARGUMENT_TYPE',
    message: /extractable/,
  });
});

test('bytes of KeyObjects are wiped after use, also when the call is refused', async () => {
  copies.length = 0;
  for (const uses of Object.values(functions))
    for (const use of Object.values(uses)) {
      const key = createSecretKey(bytes);
      for (let count = 1; count <= 3; count++) await use(key);
    }
  const target = Buffer.alloc(100);
  const refused = [
    (key) => millrace.seal('aes-256-gcm', { key, nonce, source: message }),
    (key) => millrace.hash('blake3', message, { key }),
    (key) => millrace.createHash('blake3', { key }),
    (key) => millrace.createKey('aes-256-gcm', key),
    (key) => millrace.cipher('aes-256-ctr', { encrypt: 1, key, iv, source: message, target }),
    (key) => millrace.hmacMany('sha256', key, [message], { route: 'pool' }),
    (key) => millrace.argon2('argon2id', { message: 5, nonce: salt, secret: key, ...light }),
    (key) => promises.sealStream({ algorithm: 'aes-256-gcm', key }),
  ];
  for (const call of refused) {
    const short = createSecretKey(bytes.subarray(1));
    for (let count = 1; count <= 3; count++)
      assert.throws(() => call(short), millrace.MillraceError, String(call));
  }
  assert.ok(copies.length > 50, String(copies.length));
  const left = copies.filter((copy) => copy.some((byte) => byte !== 0));
  assert.equal(left.length, 0, `of ${copies.length} copies`);
});

test('millrace/portable takes bytes', () => {
  const { hkdf, hmac, aes_256_gcm: gcm, aes_256_ctr: ctr, blake3, sha256 } = portable;
  for (const use of [
    (key) => gcm.seal({ key, nonce, source: message }),
    (key) => ctr.encrypt({ key, iv, source: message }),
    (key) => blake3(message, { key }),
    (key) => hmac(sha256, key, message),
    (key) => hkdf(sha256, key, salt, '', 20),
  ])
    for (const kind of ['Uint8Array', 'ArrayBuffer', 'DataView'])
      assert.deepEqual(plain(use(kinds[kind]())), plain(use(bytes)), `${use} ${kind}`);
});

/** Calls that keep what they have prepared from a KeyObject. */
const { none: _, ...preparing } = functions;
const kept = Object.values(preparing).flatMap((uses) => Object.entries(uses));
const keeping = {
  ...Object.fromEntries(kept.filter(([name]) => !/Stream|pieces|File/.test(name))),
  'hmac of a text': (key) => millrace.hmac('sha256', key, 'text', { encoding: 'hex' }),
  verifyHmac: (key) => millrace.verifyHmac('sha256', { key, source: message, mac: iv }),
  'createHmac of millrace/node-crypto': (key) =>
    nodeCrypto.createHmac('sha256', key).update(message).digest(),
  createCipher: (key) => millrace.createCipher('aes-256-ctr', { key, iv }).update(message),
  'hash with more parameters': (key) =>
    millrace.hash('blake2b512', message, { key, personalization: iv }),
};

test('a KeyObject is exported by its first use, and by the first one that prepares it', async () => {
  for (const [name, use] of Object.entries(keeping)) {
    for (const kind of ['KeyObject', 'CryptoKey for AES']) {
      const key = await kinds[kind]();
      if (kind !== 'KeyObject' && name.includes('node-crypto')) continue;
      copies.length = 0;
      const first = plain(await use(key));
      for (let uses = 2; uses <= 10; uses++) assert.deepEqual(plain(await use(key)), first, name);
      // The portable engine leaves millrace/node-crypto to Node.js.
      assert.ok(copies.length <= 2, `${name}: ${kind}: ${copies.length} copies`);
    }
  }
  // All share the prepared key of an algorithm.
  const key = createSecretKey(bytes);
  copies.length = 0;
  for (const use of Object.values(keeping)) await use(key);
  assert.ok(copies.length <= 1 + 5, `${copies.length} copies`);
});

test('a call that names engines exports the KeyObject', async () => {
  const key = createSecretKey(bytes);
  const expected = millrace.hmac('sha256', bytes, message);
  const positional = ['aes-256-ctr', 1, key, iv, message];
  for (let uses = 1; uses <= 3; uses++) {
    assert.deepEqual(millrace.hmac('sha256', key, message), expected);
    for (const engine of ['portable', 'native', ['portable', 'native']])
      for (const found of [
        millrace.hmac('sha256', key, message, { engine }),
        await promises.hmac('sha256', key, message, { engine }),
        await promises.hmac('sha256', key, message, undefined, { engine }),
      ])
        assert.deepEqual(found, expected);
    assert.deepEqual(
      await promises.cipher(...positional, { engine: 'portable' }),
      millrace.cipher(...positional.with(2, bytes)),
    );
  }
});

test('keys of KeyObjects follow the default engine', () => {
  const key = createSecretKey(bytes);
  const expected = millrace.hmac('sha256', bytes, message);
  try {
    for (const engine of ['portable', 'auto', ['portable', 'native'], 'auto']) {
      millrace.configure({ engine });
      for (let uses = 1; uses <= 3; uses++)
        assert.deepEqual(millrace.hmac('sha256', key, message), expected);
    }
  } finally {
    millrace.configure({ engine: 'auto' });
  }
});

test('more KeyObjects than are kept', () => {
  const secrets = Array.from({ length: 5000 }, (_, index) =>
    Buffer.from(String(index).padStart(32)),
  );
  const keys = secrets.map((secret) => createSecretKey(secret));
  const macs = secrets.map((secret) => millrace.hmac('sha256', secret, message));
  for (let uses = 1; uses <= 3; uses++)
    for (const [index, key] of keys.entries())
      assert.deepEqual(millrace.hmac('sha256', key, message), macs[index]);
});

test('a forged KeyObject has its own bytes, or those of the KeyObject in it', async () => {
  const [one, other] = [createSecretKey(bytes), createSecretKey(rng.bytes(32))];
  const symbol = handleSymbol(one);
  const macs = (key) =>
    [1, 2, 3].map(() => {
      try {
        return millrace.hmac('sha256', key, message, 'hex');
      } catch (error) {
        return error.code;
      }
    });
  const [macOfOne, macOfOther] = [macs(one)[0], macs(other)[0]];
  const proto = Object.getPrototypeOf(one);

  const overridden = createSecretKey(bytes);
  overridden.export = () => Buffer.alloc(32);
  assert.deepEqual(macs(overridden), Array(3).fill(macOfOne), 'its own export is not called');

  const fakes = [
    Object.create(proto),
    Object.create(proto, { export: { value: () => Buffer.alloc(32) } }),
    new Proxy(one, {}),
  ];
  if (symbol !== undefined) {
    const changing = Object.create(proto);
    changing[symbol] = handleOf(one);
    assert.deepEqual(macs(changing), Array(3).fill(macOfOne));
    changing[symbol] = handleOf(other);
    assert.deepEqual(macs(changing), Array(3).fill(macOfOther), 'the handle decides');
    const values = [
      {},
      { export: () => Buffer.alloc(32) },
      Object.create(handles),
      new Proxy(handleOf(one), {}),
    ];
    fakes.push(...values.map((value) => Object.create(proto, { [symbol]: { value } })));
  }
  const heir = macs(Object.create(one));
  assert.ok(
    heir.every((mac) => mac === macOfOne || mac === 'ERR_ARGUMENT_TYPE'),
    String(heir),
  );
  for (const fake of fakes) assert.deepEqual(macs(fake), Array(3).fill('ERR_ARGUMENT_TYPE'));
  assert.deepEqual([macs(one)[0], macs(other)[0]], [macOfOne, macOfOther], 'no other key changed');
});

test('kept keys are wiped after their KeyObjects were collected', async () => {
  const turn = () => new Promise((done) => setImmediate(done));
  // More than are kept at a time: the later ones are prepared only if the earlier ones are gone.
  for (let round = 0; round < 4; round++) {
    for (let index = 0; index < 3000; index++) {
      const key = createSecretKey(bytes);
      for (let uses = 1; uses <= 2; uses++) millrace.hmac('sha256', key, message);
    }
    for (let turns = 0; turns < 5; turns++) {
      await turn();
      collectGarbage();
    }
  }
  const key = createSecretKey(bytes);
  millrace.hmac('sha256', key, message);
  millrace.hmac('sha256', key, message);
  copies.length = 0;
  millrace.hmac('sha256', key, message);
  assert.equal(copies.length, 0);
});
