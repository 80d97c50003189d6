// diffieHellman, encapsulate, decapsulate, publicEncrypt and privateDecrypt: known answers,
// node:crypto in both directions, every parameter and call style.

import assert from 'node:assert/strict';
import * as node from 'node:crypto';
import { test } from 'node:test';

import millrace from 'millrace';
import promises from 'millrace/promises';

import { random } from '../support/random.mjs';
import { refusedLater as refused } from '../support/refusals.mjs';
import { hex, vectors } from '../support/vectors.mjs';
import { eachWay as each } from '../support/ways.mjs';
import { newPair } from './keys.mjs';

const of = (...kinds) => vectors('public-keys').filter(({ kind }) => kinds.includes(kind));
const rng = random('secrets of keys');
const hashName = (name) => name.toLowerCase().replace('sha-', 'sha');
const algorithms = { prime256v1: 'p-256', secp384r1: 'p-384', secp521r1: 'p-521' };

/** Checks that a secret is alone in its memory. */
function apart(secret) {
  assert.equal(secret.buffer.byteLength, secret.length);
  return secret;
}

/** Checks that a call with a target writes the result there, and nothing else. */
async function intoTarget(call, name, given, options, expected) {
  const target = Buffer.alloc(expected.length + 20, 0xaa);
  const all = { ...options, target, targetOffset: 7 };
  assert.equal(await call(name, ...given, all), expected.length);
  assert.deepEqual(target.subarray(7, 7 + expected.length), Buffer.from(expected));
  assert.ok(target.subarray(0, 7).every((byte) => byte === 0xaa));
  assert.ok(target.subarray(7 + expected.length).every((byte) => byte === 0xaa));
  const small = { ...options, target: Buffer.alloc(expected.length - 1) };
  await assert.rejects(async () => call(name, ...given, small), {
    code: 'ERR_ARGUMENT_VALUE',
    message: /target must have/,
  });
  assert.ok(small.target.every((byte) => byte === 0));
}

test('agreement: known answers', async () => {
  const seen = new Set();
  for (const { algorithm: curve, ...own } of of('x25519', 'ecdh')) {
    const algorithm = algorithms[curve] ?? 'x25519';
    const keyOf = (key) => ({ key: hex(key), format: 'raw', algorithm });
    const keys = { privateKey: keyOf(own.private), publicKey: keyOf(own.peer) };
    await each(async (call) => {
      const secret = apart(await call('diffieHellman', keys));
      assert.equal(secret.toString('hex'), own.secret);
      await intoTarget(call, 'diffieHellman', [], keys, secret);
    });
    seen.add(algorithm);
  }
  assert.deepEqual([...seen].sort(), ['p-256', 'p-384', 'p-521', 'x25519']);
});

test('agreement: with node:crypto', async () => {
  for (const [type, options] of [
    ['x25519', {}],
    ...['P-256', 'P-384', 'P-521'].map((namedCurve) => ['ec', { namedCurve }]),
  ])
    for (let turn = 0; turn < 5; turn++) {
      const theirs = node.generateKeyPairSync(type, options);
      const ours = millrace.generateKeyPair(type, options);
      const ourPublic = node.createPublicKey(ours.publicKey.export({ format: 'pem' }));
      const expected = node.diffieHellman({
        privateKey: theirs.privateKey,
        publicKey: ourPublic,
      });
      const { publicKey } = theirs;
      await each(async (call) => {
        const { privateKey } = ours;
        assert.deepEqual(await call('diffieHellman', { privateKey, publicKey }), expected);
        const pem = theirs.privateKey.export({ format: 'pem', type: 'pkcs8' });
        const back = { privateKey: pem, publicKey: ours.publicKey };
        assert.deepEqual(await call('diffieHellman', back), expected);
        // Two keys that are imported for the call.
        const der = [
          theirs.privateKey.export({ format: 'der', type: 'pkcs8' }),
          ours.publicKey.export({ format: 'der' }),
        ];
        const imported = { privateKey: der[0], publicKey: der[1] };
        assert.deepEqual(await call('diffieHellman', imported), expected);
      });
    }
});

test('agreement: getters of one key may make calls', () => {
  const [own, peer] = [0, 1].map(() => newPair('x25519'));
  const expected = node.diffieHellman({ privateKey: own.privateKey, publicKey: peer.publicKey });
  const jwk = peer.publicKey.export({ format: 'jwk' });
  const publicKey = {
    ...jwk,
    get x() {
      millrace.createPrivateKey(peer.privateKey.export({ format: 'der', type: 'pkcs8' }));
      millrace.diffieHellman({ privateKey: peer.privateKey, publicKey: own.publicKey });
      return jwk.x;
    },
  };
  const privateKey = own.privateKey.export({ format: 'der', type: 'pkcs8' });
  assert.deepEqual(millrace.diffieHellman({ privateKey, publicKey }), expected);
});

test('agreement: what does not fit is refused', async () => {
  const pair = (name) => millrace.generateKeyPair(name);
  const [x25519, p256, p384, ed25519] = ['x25519', 'p-256', 'p-384', 'ed25519'].map(pair);
  const agree = (own, peer) => [{ privateKey: own.privateKey, publicKey: peer.publicKey }];
  const name = 'diffieHellman';
  await refused(name, agree(x25519, p256), 'ERR_KEY_ALGORITHM', /options\.publicKey must be/);
  await refused(name, agree(p256, p384), 'ERR_KEY_ALGORITHM', /options\.publicKey must be/);
  await refused(name, agree(ed25519, ed25519), 'ERR_KEY_ALGORITHM', /options\.privateKey must be/);
  await refused(name, [{ privateKey: x25519.privateKey }], 'ERR_MISSING_ARGUMENT', /publicKey/);
  await refused(name, [{ publicKey: x25519.publicKey }], 'ERR_MISSING_ARGUMENT', /privateKey/);
  await refused(name, [{}], 'ERR_MISSING_ARGUMENT', /options\.privateKey/);
  // RFC 7748: the all-zero secret of a point of small order.
  const publicKey = { key: Buffer.alloc(32), format: 'raw', algorithm: 'x25519' };
  const zero = { privateKey: x25519.privateKey, publicKey };
  await refused(name, [zero], 'ERR_KEY_INVALID', /small order/);
});

test('ML-KEM and X-Wing: known answers, both directions, sizes, implicit rejection', async () => {
  const sizes = { 'ml-kem-512': 768, 'ml-kem-768': 1088, 'ml-kem-1024': 1568, 'x-wing': 1120 };
  for (const { algorithm = 'x-wing', seed, ciphertext, secret } of [
    ...of('ml-kem'),
    ...of('x-wing'),
  ]) {
    const key = { key: hex(seed), format: 'seed', algorithm };
    await each(async (call, way) => {
      const shared = apart(await call('decapsulate', key, hex(ciphertext)));
      assert.equal(shared.toString('hex'), secret, way);
      await intoTarget(call, 'decapsulate', [key, hex(ciphertext)], {}, shared);
      const made = await call('encapsulate', key);
      assert.equal(made.ciphertext.length, sizes[algorithm]);
      assert.equal(apart(made.sharedKey).length, 32);
      assert.deepEqual(await call('decapsulate', key, made.ciphertext), made.sharedKey);
      const again = await call('encapsulate', key);
      assert.notDeepEqual(again.sharedKey, made.sharedKey);
      const changed = Buffer.from(made.ciphertext);
      changed[rng.below(changed.length)] ^= 1;
      const rejected = await call('decapsulate', key, changed);
      assert.notDeepEqual(rejected, made.sharedKey);
      assert.deepEqual(await call('decapsulate', key, changed), rejected);
    });
    const short = Buffer.alloc(sizes[algorithm] - 1);
    await refused('decapsulate', [key, short], 'ERR_SOURCE_SIZE', /ciphertext/);
  }
  const { privateKey, publicKey } = millrace.generateKeyPair('x25519');
  await refused(
    'encapsulate',
    [publicKey],
    'ERR_KEY_ALGORITHM',
    /key must be a key of ML-KEM or X-Wing/,
  );
  await refused('decapsulate', [privateKey, 'x'], 'ERR_ARGUMENT_TYPE', /ciphertext/);
});

test('OAEP: known answer', async () => {
  const [{ private: key, hash, mgf1, label, message, ciphertext }] = of('rsa-oaep');
  const options = {
    oaepHash: hashName(hash),
    mgf1Hash: hashName(mgf1),
    oaepLabel: hex(label),
  };
  await each(async (call) => {
    const found = apart(await call('privateDecrypt', hex(key), hex(ciphertext), options));
    assert.equal(found.toString('hex'), message);
    await intoTarget(call, 'privateDecrypt', [hex(key), hex(ciphertext)], options, found);
  });
  for (const [name, value] of Object.entries({
    oaepHash: 'sha1',
    mgf1Hash: 'sha256',
    oaepLabel: 'x',
  })) {
    const given = [hex(key), hex(ciphertext), { ...options, [name]: value }];
    await refused('privateDecrypt', given, 'ERR_AUTHENTICATION', /does not decrypt/);
  }
});

test('RSA encryption: with node:crypto, every hash, label and padding', async () => {
  const { RSA_PKCS1_PADDING, RSA_PKCS1_OAEP_PADDING } = node.constants;
  for (const modulusLength of [2048, 3072]) {
    const { privateKey, publicKey } = node.generateKeyPairSync('rsa', { modulusLength });
    for (const oaepHash of [undefined, 'sha1', 'sha256', 'sha384', 'sha512'])
      for (const oaepLabel of [undefined, rng.bytes(9)]) {
        const beside = { oaepHash, oaepLabel, padding: RSA_PKCS1_OAEP_PADDING };
        const digest = oaepHash === undefined ? 20 : millrace.hash(oaepHash, '').length;
        const most = modulusLength / 8 - 2 * digest - 2;
        for (const size of [0, 1, 32, most]) {
          const message = rng.bytes(size);
          const [encrypting, decrypting] = [publicKey, privateKey].map((key) => ({
            key,
            ...beside,
          }));
          const theirs = node.publicEncrypt(encrypting, message);
          await each(async (call) => {
            const text = await call('publicEncrypt', encrypting, message);
            assert.equal(text.length, modulusLength / 8);
            assert.deepEqual(node.privateDecrypt(decrypting, text), message);
            assert.deepEqual(apart(await call('privateDecrypt', decrypting, theirs)), message);
            assert.deepEqual(
              await call('privateDecrypt', privateKey, theirs, { oaepHash, oaepLabel }),
              message,
            );
          });
        }
        const long = [publicKey, rng.bytes(most + 1), { oaepHash, oaepLabel }];
        await refused('publicEncrypt', long, 'ERR_SOURCE_SIZE', /longer than this key can encrypt/);
      }
    for (const padding of ['pkcs1', RSA_PKCS1_PADDING]) {
      const message = rng.bytes(20);
      await each(async (call) => {
        const text = await call('publicEncrypt', { key: publicKey, padding }, message);
        const target = Buffer.alloc(text.length);
        await call('publicEncrypt', publicKey, message, { padding, target });
        // Node.js 20.11 and later refuse to decrypt PKCS#1 v1.5 in some builds: without padding.
        for (const block of [text, target]) {
          const key = { key: privateKey, padding: node.constants.RSA_NO_PADDING };
          const plain = node.privateDecrypt(key, block);
          assert.deepEqual([...plain.subarray(0, 2)], [0, 2]);
          assert.deepEqual(plain.subarray(-21), Buffer.concat([Buffer.of(0), message]));
        }
      });
      const given = [{ key: privateKey, padding }, Buffer.alloc(modulusLength / 8)];
      await refused('privateDecrypt', given, 'ERR_NOT_SUPPORTED', /PKCS#1 v1\.5.*Bleichenbacher/);
      await refused(
        'publicEncrypt',
        [publicKey, 'x', { padding, oaepHash: 'sha256' }],
        'ERR_ARGUMENT_VALUE',
        /oaepHash/,
      );
    }
    await refused(
      'privateDecrypt',
      [privateKey, Buffer.alloc(modulusLength / 8)],
      'ERR_AUTHENTICATION',
      /does not decrypt/,
    );
    await refused('privateDecrypt', [privateKey, Buffer.alloc(9)], 'ERR_SOURCE_SIZE', /size/);
  }
});

test('RSA encryption: other keys are refused', async () => {
  const options = { modulusLength: 2048 };
  const pss = node.generateKeyPairSync('rsa-pss', options);
  const ec = node.generateKeyPairSync('ec', { namedCurve: 'P-256' });
  for (const { publicKey, privateKey } of [pss, ec]) {
    await refused(
      'publicEncrypt',
      [publicKey, 'x'],
      'ERR_KEY_ALGORITHM',
      /key must be a key of rsa/,
    );
    const given = [privateKey, Buffer.alloc(256)];
    await refused('privateDecrypt', given, 'ERR_KEY_ALGORITHM', /key must be a key of rsa/);
  }
});

test('arguments are copied at the call', async () => {
  const { privateKey, publicKey } = node.generateKeyPairSync('rsa', { modulusLength: 2048 });
  const oaepHash = 'sha256';
  const label = Buffer.from('label');
  const text = millrace.publicEncrypt(publicKey, 'text', { oaepHash, oaepLabel: label });
  for (const route of ['pool', 'inline']) {
    const [mine, own] = [Buffer.from(text), Buffer.from(label)];
    const options = { oaepHash, oaepLabel: own, route };
    const promise = promises.privateDecrypt(privateKey, mine, options);
    mine.fill(0);
    own.fill(0);
    assert.equal((await promise).toString(), 'text');
  }
});
