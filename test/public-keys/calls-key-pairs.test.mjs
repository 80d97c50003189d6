// generateKeyPair: every type and option, encodings, call styles and cancellation.

import assert from 'node:assert/strict';
import * as node from 'node:crypto';
import { test } from 'node:test';

import millrace from 'millrace';
import promises from 'millrace/promises';

import { expectError } from '../support/refusals.mjs';

const { PrivateKey, PublicKey } = millrace;

/** Each way to call, as a function that resolves to the pair. */
const styles = {
  sync: async (...given) => millrace.generateKeyPair(...given),
  callback: (...given) =>
    new Promise((resolve, reject) => {
      let returned = false;
      millrace.generateKeyPair(...given, (error, publicKey, privateKey) => {
        assert.ok(returned);
        if (error) reject(error);
        else resolve({ publicKey, privateKey });
      });
      returned = true;
    }),
  promise: (...given) => promises.generateKeyPair(...given),
};
const each = (run) =>
  Promise.all(Object.entries(styles).map(([style, generate]) => run(generate, style)));

const types = [
  ['ed25519'],
  ['x25519'],
  ...['P-256', 'prime256v1', 'secp384r1', 'P-521'].map((namedCurve) => ['ec', { namedCurve }]),
  ...['p-256', 'p-384', 'p-521'].map((type) => [type]),
  ['rsa', { modulusLength: 2048 }],
  ['rsa', { modulusLength: 2176, publicExponent: 3 }],
  ['rsa-pss', { modulusLength: 2048 }],
  ['rsa-pss', { modulusLength: 2048, hashAlgorithm: 'sha256' }],
  [
    'rsa-pss',
    { modulusLength: 2048, hashAlgorithm: 'sha512', mgf1HashAlgorithm: 'sha1', saltLength: 20 },
  ],
  ...['ml-kem-512', 'ml-kem-768', 'ml-kem-1024'].map((type) => [type]),
  ...['ml-dsa-44', 'ml-dsa-65', 'ml-dsa-87'].map((type) => [type]),
];

/** Checks that the two keys belong together. */
function checkPair({ publicKey, privateKey }) {
  assert.ok(publicKey instanceof PublicKey && privateKey instanceof PrivateKey);
  assert.ok(privateKey.publicKey().equals(publicKey));
  if (/ed25519|dsa/.test(privateKey.algorithm)) {
    const signature = millrace.sign(null, 'x', privateKey);
    assert.ok(millrace.verify(null, 'x', publicKey, signature));
  }
  if (/kem/.test(privateKey.algorithm)) {
    const { sharedKey, ciphertext } = millrace.encapsulate(publicKey);
    assert.deepEqual(millrace.decapsulate(privateKey, ciphertext), sharedKey);
  }
}

for (const [type, options] of types)
  test(`${type} ${JSON.stringify(options ?? {})}`, async () => {
    await each(async (generate, style) => {
      const given = options === undefined ? [type] : [type, options];
      const pair = await generate(...given);
      const { publicKey, privateKey } = pair;
      checkPair(pair);
      if (type === 'ec' || type.startsWith('p-')) {
        const bits = /\d{3}/.exec(options?.namedCurve ?? type)[0];
        assert.equal(privateKey.algorithm, `p-${bits}`, style);
      } else assert.equal(privateKey.algorithm, type, style);
      if (type.startsWith('ml-')) return;
      // node:crypto takes both, and tells the same of them.
      const theirs = node.createPrivateKey(privateKey.export({ format: 'pem' }));
      const own = node.createPublicKey(publicKey.export({ format: 'pem' }));
      assert.ok(node.createPublicKey(theirs).equals(own));
      for (const key of [theirs, own])
        assert.deepEqual({ ...key.asymmetricKeyDetails }, { ...publicKey.asymmetricKeyDetails });
      const { modulusLength, publicExponent = 65537, hashAlgorithm } = options ?? {};
      assert.equal(theirs.asymmetricKeyDetails.modulusLength, modulusLength);
      if (modulusLength !== undefined)
        assert.equal(theirs.asymmetricKeyDetails.publicExponent, BigInt(publicExponent));
      assert.equal(theirs.asymmetricKeyDetails.hashAlgorithm, hashAlgorithm);
      const again = await generate(...given);
      assert.ok(!again.publicKey.equals(publicKey));
    });
  });

test('encodings', async () => {
  const publicKeyEncoding = { type: 'spki', format: 'pem' };
  for (const [type, options] of [types[0], types[2], types[9], types.at(-1)])
    await each(async (generate) => {
      const privateKeyEncoding = { type: 'pkcs8', format: 'der' };
      const both = await generate(type, { ...options, publicKeyEncoding, privateKeyEncoding });
      assert.match(both.publicKey, /^-----BEGIN PUBLIC KEY-----/);
      const privateKey = millrace.createPrivateKey(both.privateKey);
      assert.ok(millrace.createPublicKey(both.publicKey).equals(privateKey.publicKey()));
      const one = await generate(type, { ...options, publicKeyEncoding: { format: 'jwk' } });
      assert.ok(millrace.createPublicKey(one.publicKey).equals(one.privateKey.publicKey()));
      const other = await generate(type, { ...options, privateKeyEncoding: { format: 'jwk' } });
      const back = millrace.createPrivateKey({ key: other.privateKey, format: 'jwk' });
      assert.ok(back.publicKey().equals(other.publicKey));
    });
});

test('a signal cancels the generation of an RSA key', async () => {
  const controller = new AbortController();
  const { signal } = controller;
  const reason = new Error('enough');
  const started = promises.generateKeyPair('rsa', { modulusLength: 8192, signal });
  setTimeout(() => controller.abort(reason), 20);
  await assert.rejects(started, reason);
  const late = promises.generateKeyPair('rsa', { modulusLength: 8192, signal });
  await assert.rejects(late, reason);
  await assert.rejects(promises.generateKeyPair('ed25519', {}, { signal }), reason);
  // The pool still serves.
  checkPair(await promises.generateKeyPair('ed25519'));
});

test('the event loop runs while a key is generated', async () => {
  let turns = 0;
  const timer = setInterval(() => (turns += 1), 1);
  await promises.generateKeyPair('rsa', { modulusLength: 3072, route: 'pool' });
  clearInterval(timer);
  assert.ok(turns > 2, `${turns} turns`);
});

test('what does not fit is refused', async () => {
  for (const [given, code, message] of [
    [['dsa'], 'ERR_UNKNOWN_ALGORITHM', /type must be 'ec'/],
    [['ed2551'], 'ERR_UNKNOWN_ALGORITHM', /"ed2551"/],
    [[5], 'ERR_ARGUMENT_TYPE', /type/],
    [[], 'ERR_MISSING_ARGUMENT', /generateKeyPair takes \(type/],
    [['ec'], 'ERR_MISSING_ARGUMENT', /options\.namedCurve/],
    [['ec', { namedCurve: 'secp256k1' }], 'ERR_ARGUMENT_VALUE', /options\.namedCurve/],
    [['ec', { namedCurve: 5 }], 'ERR_ARGUMENT_TYPE', /options\.namedCurve/],
    [['rsa'], 'ERR_MISSING_ARGUMENT', /options\.modulusLength/],
    [['rsa', { modulusLength: 1024 }], 'ERR_ARGUMENT_VALUE', /options\.modulusLength/],
    [['rsa', { modulusLength: 2049 }], 'ERR_KEY_SIZE', /steps of 128/],
    [
      ['rsa', { modulusLength: 2048, publicExponent: 4 }],
      'ERR_ARGUMENT_VALUE',
      /publicExponent must be odd/,
    ],
    [
      ['rsa', { modulusLength: 2048, hashAlgorithm: 'sha1' }],
      'ERR_ARGUMENT_VALUE',
      /hashAlgorithm/,
    ],
    [['ed25519', { modulusLength: 2048 }], 'ERR_ARGUMENT_VALUE', /modulusLength/],
    [['p-256', { namedCurve: 'P-256' }], 'ERR_ARGUMENT_VALUE', /namedCurve/],
    [['rsa-pss', { modulusLength: 2048, saltLength: 20 }], 'ERR_MISSING_ARGUMENT', /hashAlgorithm/],
    [
      ['rsa-pss', { modulusLength: 2048, hashAlgorithm: 'md5' }],
      'ERR_ARGUMENT_VALUE',
      /does not take this hash/,
    ],
    [
      ['ed25519', { publicKeyEncoding: { format: 'text' } }],
      'ERR_ARGUMENT_VALUE',
      /options\.publicKeyEncoding\.format/,
    ],
    [
      ['ed25519', { privateKeyEncoding: { format: 'pem', type: 'spki' } }],
      'ERR_ARGUMENT_VALUE',
      /options\.privateKeyEncoding\.type/,
    ],
    [['ed25519', { privateKeyEncoding: 5 }], 'ERR_ARGUMENT_TYPE', /options\.privateKeyEncoding/],
    [['ed25519', { engine: 'portable' }], 'ERR_ENGINE_UNAVAILABLE', /./],
  ])
    await each(async (generate, style) => {
      const taken = () => assert.fail(`${style}: ${message} was taken`);
      const error = await (async () => generate(...given))().then(taken, (reason) => reason);
      expectError(error, code, message, style);
    });
});

test('a private key that is encrypted', async () => {
  const encoding = { format: 'pem', type: 'pkcs8', cipher: 'aes-256-cbc', passphrase: 'päss' };
  await each(async (generate, style) => {
    const privateKeyEncoding = { ...encoding, passphrase: Buffer.from(encoding.passphrase) };
    const generating = generate('p-256', { privateKeyEncoding });
    privateKeyEncoding.passphrase.fill(0);
    const { publicKey, privateKey } = await generating;
    const own = millrace.createPrivateKey({ key: privateKey, passphrase: encoding.passphrase });
    assert.ok(own.publicKey().equals(publicKey), style);
    const wrong = { privateKeyEncoding: { ...encoding, type: 'sec1' } };
    const error = await generate('p-256', wrong).catch((reason) => reason);
    expectError(error, 'ERR_NOT_SUPPORTED', /options\.privateKeyEncoding\.cipher/, style);
  });
});
