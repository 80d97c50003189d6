// signMany and verifyMany: the answers of sign and verify, each form of arguments, every call style
// and route.

import assert from 'node:assert/strict';
import * as node from 'node:crypto';
import { test } from 'node:test';

import millrace from 'millrace';
import promises from 'millrace/promises';

import { random } from '../support/random.mjs';
import { refuses } from '../support/refusals.mjs';
import { eachWay as each } from '../support/ways.mjs';

const rng = random('many signatures');
const { signMany, verifyMany } = millrace;
const textOf = (size) => rng.bytes(size).toString('hex');

/** Key pairs, the hash, and the parameters, by a name. */
const schemes = {
  ed25519: ['ed25519', {}, null],
  'p-256, DER': ['p-256', {}, 'sha256'],
  'p-384, P1363': ['p-384', {}, 'sha384', { dsaEncoding: 'ieee-p1363' }],
  'rsa, PKCS#1': ['rsa', { modulusLength: 2048 }, 'sha256'],
  'rsa, PSS': ['rsa', { modulusLength: 2048 }, 'sha512', { padding: 'pss', saltLength: 20 }],
  'ml-dsa-44': ['ml-dsa-44', {}, null, { context: 'a context' }],
};

for (const [what, [type, own, hash, parameters = {}]] of Object.entries(schemes))
  test(`${what}: the answers of sign and verify`, async () => {
    const pairs = Array.from({ length: 3 }, () => millrace.generateKeyPair(type, own));
    const messages = ['', 'text', ...Array.from({ length: 10 }, () => rng.bytes(rng.below(200)))];
    const pick = (name) => messages.map((_, index) => pairs[index % 3][name]);
    const [secrets, keys] = [pick('privateKey'), pick('publicKey')];
    await each(async (call, way) => {
      const signatures = await call('signMany', hash, messages, secrets, parameters);
      assert.equal(signatures.length, messages.length);
      // A changed bit, another size, no byte, the signature and the key of another message.
      signatures[2] = Buffer.from(signatures[2]);
      signatures[2][rng.below(signatures[2].length)] ^= 1;
      signatures[3] = Buffer.concat([signatures[3], Buffer.of(0)]);
      signatures[4] = Buffer.alloc(0);
      signatures[5] = signatures[8];
      const verdicts = messages.map((message, index) =>
        millrace.verify(hash, message, keys[index], signatures[index], parameters),
      );
      const right = (_, index) => index < 2 || index > 5;
      assert.deepEqual(verdicts, messages.map(right), `${what}, ${way}`);
      const found = await call('verifyMany', hash, messages, keys, signatures, parameters);
      assert.deepEqual(found, verdicts, `${what}, ${way}`);
    });
    for (const route of ['auto', 'inline', 'pool', 'split']) {
      const options = { ...parameters, route };
      const signatures = await promises.signMany(hash, messages, secrets[0], options);
      const found = await promises.verifyMany(
        hash,
        new Set(messages),
        keys[0],
        signatures,
        options,
      );
      assert.deepEqual(
        found,
        messages.map(() => true),
        `${what}, ${route}`,
      );
    }
  });

test('keys in every form, one for all, and of node:crypto', async () => {
  const pair = node.generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const pem = pair.privateKey.export({ type: 'sec1', format: 'pem' });
  const jwk = pair.publicKey.export({ format: 'jwk' });
  const messages = ['a', 'b', 'c', 'd'];
  await each(async (call) => {
    const signatures = await call('signMany', 'sha256', messages, [pem, pair.privateKey, pem, pem]);
    messages.forEach((message, index) => {
      assert.ok(node.verify('sha256', Buffer.from(message), pair.publicKey, signatures[index]));
    });
    for (const keys of [jwk, pem, [jwk, pem, pair.publicKey, pair.privateKey]])
      assert.deepEqual(await call('verifyMany', 'sha256', messages, keys, signatures), [
        true,
        true,
        true,
        true,
      ]);
  });
});

test('packed messages, keys and signatures', async () => {
  for (const [algorithm, hash, options] of [
    ['ed25519', null, {}],
    ['p-256', 'sha256', { dsaEncoding: 'ieee-p1363' }],
    ['ml-dsa-44', null, {}],
  ]) {
    const count = 9;
    const pairs = Array.from({ length: count }, () => millrace.generateKeyPair(algorithm));
    const data = rng.bytes(count * 40);
    const messages = { data, size: 40 };
    const raw = pairs.map(({ publicKey }) => publicKey.export({ format: 'raw' }));
    await each(async (call, way) => {
      const secrets = pairs.map(({ privateKey }) => privateKey);
      const all = await call('signMany', hash, messages, secrets, options);
      const size = all[0].length;
      const target = Buffer.alloc(count * size + 5);
      const place = { ...options, target, targetOffset: 5 };
      assert.equal(await call('signMany', hash, messages, secrets, place), count * size);
      const signatures = { data: target.subarray(5), size };
      // Keys that no curve has, or that belong to another message.
      const keys = Buffer.concat(raw);
      raw[1].copy(keys, 0);
      keys.fill(0xff, 2 * raw[0].length + 1, 3 * raw[0].length);
      const packed = { data: keys, algorithm };
      const right = raw.map((_, index) => index !== 0 && index !== 2);
      const what = `${algorithm}, ${way}`;
      const found = await call('verifyMany', hash, messages, packed, signatures, options);
      assert.deepEqual(found, right, what);
      const list = Array.from({ length: count }, (_, at) => data.subarray(40 * at, 40 * at + 40));
      assert.deepEqual(await call('verifyMany', hash, list, packed, all, options), right, what);
    });
  }
});

test('no messages, encodings, and signatures as sign encodes them', async () => {
  const { privateKey, publicKey } = millrace.generateKeyPair('ed25519');
  await each(async (call) => {
    assert.deepEqual(await call('signMany', null, [], privateKey), []);
    assert.deepEqual(await call('verifyMany', null, [], [], []), []);
    assert.equal(await call('signMany', null, [], privateKey, { target: Buffer.alloc(0) }), 0);
    for (const encoding of ['hex', 'base64', 'base64url', 'buffer'])
      assert.deepEqual(
        await call('signMany', null, ['a', 'b'], privateKey, { encoding }),
        ['a', 'b'].map((message) => millrace.sign(null, message, privateKey, { encoding })),
      );
  });
  assert.deepEqual(verifyMany(null, ['a'], publicKey, signMany(null, ['a'], privateKey)), [true]);
});

test('wrong arguments name the element', async () => {
  const { privateKey, publicKey } = millrace.generateKeyPair('ed25519');
  const other = millrace.generateKeyPair('p-256');
  const agreeing = millrace.generateKeyPair('x25519');
  const two = ['a', 'b'];
  const signatures = signMany(null, two, privateKey);
  const raw = publicKey.export({ format: 'raw' });
  const [TYPE, VALUE, KEY] = ['ERR_ARGUMENT_TYPE', 'ERR_ARGUMENT_VALUE', 'ERR_KEY_ALGORITHM'];
  const wrong = [
    ['verifyMany', [null, ['a', 5], publicKey, signatures], TYPE, /messages\[1\]/],
    ['verifyMany', [null, 'ab', publicKey, signatures], TYPE, /messages/],
    ['verifyMany', [null, two, publicKey, [signatures[0], 'x']], TYPE, /signatures\[1\]/],
    ['verifyMany', [null, two, publicKey, signatures.slice(1)], VALUE, /signatures .* 2, not 1/],
    ['verifyMany', [null, two, [publicKey], signatures], VALUE, /keys .* 2, not 1/],
    ['verifyMany', [null, two, [publicKey, 5], signatures], TYPE, /keys\[1\]/],
    ['verifyMany', [null, two, [publicKey, 'x'], signatures], 'ERR_KEY_ENCODING', /keys\[1\]/],
    [
      'verifyMany',
      [null, two, [publicKey, other.publicKey], signatures],
      KEY,
      /keys\[1\].*ed25519/,
    ],
    ['verifyMany', [null, two, agreeing.publicKey, signatures], KEY, /keys/],
    [
      'verifyMany',
      [null, two, { data: raw, algorithm: 'ed25519' }, signatures],
      'ERR_KEY_SIZE',
      /2/,
    ],
    ['verifyMany', [null, two, { data: raw, algorithm: 'rsa' }, signatures], KEY, /keys.algorithm/],
    ['verifyMany', [null, two, { data: raw, algorithm: 'x' }, signatures], VALUE, /keys.algorithm/],
    ['verifyMany', [null, two, { data: raw, size: 32 }, signatures], VALUE, /keys.size/],
    ['verifyMany', ['sha256', two, publicKey, signatures], VALUE, /algorithm must be null/],
    ['verifyMany', [null, two, publicKey, { data: signatures[0], size: 60 }], VALUE, /signatures/],
    ['signMany', [null, two, [privateKey, publicKey]], TYPE, /keys\[1\] must be a private key/],
    ['signMany', [null, two, privateKey, { target: Buffer.alloc(127) }], VALUE, /target/],
    ['signMany', ['sha256', two, other.privateKey, { target: Buffer.alloc(300) }], VALUE, /DER/],
    ['signMany', [null], 'ERR_MISSING_ARGUMENT', /messages, keys/],
    // Neither a list nor a key is mistaken for options.
    ['signMany', [null, two], 'ERR_MISSING_ARGUMENT', /messages, keys/],
    ['signMany', [null, { key: 'x' }], 'ERR_MISSING_ARGUMENT', /messages, keys/],
    ['verifyMany', [null, two], 'ERR_MISSING_ARGUMENT', /keys, signatures/],
  ];
  for (const [name, given, code, names] of wrong) await refuses(name, given, code, names);
  const memory = Buffer.from(new Uint8Array(9).buffer);
  structuredClone(memory.buffer, { transfer: [memory.buffer] });
  await refuses('signMany', [null, ['a', memory], privateKey], 'ERR_DETACHED', /messages\[1\]/);
});

test('arguments are those at the call, whatever getters and the caller do', async () => {
  const pair = node.generateKeyPairSync('ed25519');
  const pem = (key) =>
    key.export({ format: 'pem', type: key.type === 'public' ? 'spki' : 'pkcs8' });
  const message = Buffer.from('a message');
  // A getter of a key signs and disposes of another one, and changes a message before it is read.
  const own = millrace.createPrivateKey(pair.privateKey);
  const keys = [
    own,
    { key: pair.privateKey.export({ format: 'jwk' }) },
    {
      get key() {
        own.dispose();
        millrace.sign(null, 'another', pem(pair.privateKey));
        return pem(pair.privateKey);
      },
    },
  ];
  const signatures = signMany(null, ['a', message, 'c'], keys);
  assert.deepEqual(verifyMany(null, ['a', message, 'c'], pair.publicKey, signatures), [
    true,
    true,
    true,
  ]);
  assert.throws(() => signMany(null, ['a'], own), { code: 'ERR_KEY_DISPOSED' });

  // The caller changes everything once an asynchronous call has returned.
  const copies = [
    Buffer.concat(Array(40).fill(message)),
    Buffer.concat(Array(40).fill(signatures[1])),
  ];
  const rawKey = pair.publicKey.export({ format: 'der', type: 'spki' }).subarray(-32);
  const rawKeys = Buffer.concat(Array(40).fill(rawKey));
  const list = Array.from({ length: 40 }, () => Buffer.from(message));
  const [packed, listed] = [
    promises.verifyMany(
      null,
      { data: copies[0], size: message.length },
      { data: rawKeys, algorithm: 'ed25519' },
      { data: copies[1], size: 64 },
      { route: 'split' },
    ),
    promises.verifyMany(null, list, pair.publicKey, Array(40).fill(signatures[1])),
  ];
  for (const each of [...copies, ...list, rawKeys, signatures[1]]) each.fill(0);
  list.length = 0;
  assert.deepEqual(await packed, Array(40).fill(true));
  assert.deepEqual(await listed, Array(40).fill(true));
});

test('an abort ends the call', async () => {
  const { privateKey } = millrace.generateKeyPair('rsa', { modulusLength: 2048 });
  const messages = Array.from({ length: 400 }, () => textOf(9));
  for (const route of ['auto', 'pool', 'split']) {
    const controller = new AbortController();
    const { signal } = controller;
    const signing = promises.signMany('sha256', messages, privateKey, { signal, route });
    controller.abort(new Error('mine'));
    await assert.rejects(signing, { message: 'mine' });
  }
  const aborted = { signal: AbortSignal.abort(new Error('before')) };
  await assert.rejects(promises.signMany('sha256', ['a'], privateKey, aborted), {
    message: 'before',
  });
});
