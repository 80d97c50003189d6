// The keys that calls read from their arguments: which are kept, and that the others are released.
// readPrivateKey and readPublicKey are inside of Millrace; a call is what ends with clearRequest.

import assert from 'node:assert/strict';
import crypto from 'node:crypto';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { test } from 'node:test';

import millrace from 'millrace';

import { entryPaths } from '../support/child.mjs';
import { collectGarbage } from '../support/garbage.mjs';
import { newPair } from './keys.mjs';

const require = createRequire(import.meta.url);
const dist = dirname(entryPaths.millrace);
const { readPrivateKey, readPublicKey } = require(join(dist, 'public-keys/keys.js'))[
  'public-keys/keys'
];
const core = require(join(dist, 'core.js'));
const { clearRequest } = core['request/request'];

/** Reads keys as one call does; returns them after the call. */
function call(...reads) {
  try {
    return reads.map(([read, value]) => read(value, 'key'));
  } finally {
    clearRequest();
  }
}

const { privateKey, publicKey } = newPair('ed25519');
const pem = privateKey.export({ format: 'pem', type: 'pkcs8' });
const der = privateKey.export({ format: 'der', type: 'pkcs8' });
const jwk = privateKey.export({ format: 'jwk' });
const spki = publicKey.export({ format: 'pem', type: 'spki' });
/** Returns PEM of the same key in other words. */
const other = (number) => `number ${number}\n${pem}`;
const isLive = (key) => !key.uses.wiped;

test('a key of the caller is used as it is, and lives on', () => {
  const own = millrace.createPrivateKey(pem);
  const [first, second] = call([readPrivateKey, own], [readPrivateKey, { key: own }]);
  assert.equal(first, second);
  assert.ok(isLive(first));
  const [derived] = call([readPublicKey, own]);
  assert.ok(!derived.isPrivate && !isLive(derived));
  own.dispose();
  assert.ok(!isLive(first));
  assert.throws(() => call([readPrivateKey, own]), { code: 'ERR_KEY_DISPOSED' });
});

test('bytes and JWKs are imported for one call', () => {
  for (const value of [der, Buffer.from(pem), jwk, { key: der, format: 'der', type: 'pkcs8' }])
    for (const read of [readPrivateKey, readPublicKey]) {
      const [key] = call([read, value]);
      assert.equal(key.algorithm, 'ed25519');
      assert.ok(!isLive(key));
    }
});

test('the same PEM is imported once for each kind of key', () => {
  const text = other('same');
  const [first, again, wrapped] = call(
    [readPrivateKey, text],
    [readPrivateKey, `${text.slice(0, 9)}${text.slice(9)}`],
    [readPrivateKey, { key: text, format: 'pem' }],
  );
  assert.equal(first, again);
  assert.equal(first, wrapped);
  const [asPublic, asPublicAgain] = call([readPublicKey, text], [readPublicKey, text]);
  assert.equal(asPublic, asPublicAgain);
  assert.ok(first.isPrivate && !asPublic.isPrivate);
  assert.ok(isLive(first) && isLive(asPublic));
  assert.equal(call([readPrivateKey, text])[0], first);
  // Not what createPrivateKey makes: the caller disposes of that.
  millrace.createPrivateKey(text).dispose();
  assert.ok(isLive(first));
  assert.notEqual(call([readPrivateKey, `${text} `])[0], first);
});

test('64 texts are kept, and of more the one that was used last', () => {
  const keys = Array.from({ length: 64 }, (_, number) => call([readPrivateKey, other(number)])[0]);
  assert.ok(keys.every(isLive));
  // The first one is used again: the second one makes place.
  assert.equal(call([readPrivateKey, other(0)])[0], keys[0]);
  call([readPublicKey, other(64)]);
  assert.ok(isLive(keys[0]) && !isLive(keys[1]) && keys.slice(2).every(isLive));
  const [back] = call([readPrivateKey, other(1)]);
  assert.notEqual(back, keys[1]);
  assert.ok(isLive(back) && !isLive(keys[2]));
});

test('a call with many texts keeps all its keys until it ends', () => {
  const reads = Array.from({ length: 200 }, (_, number) => [
    number % 2 ? readPublicKey : readPrivateKey,
    other(`many ${number}`),
  ]);
  const during = reads.map(([read, text]) => read(text, 'key'));
  assert.ok(during.every(isLive));
  clearRequest();
  assert.equal(during.filter(isLive).length, 64);
});

test('long texts, and keys with a passphrase, are not kept', () => {
  const passphrase = 'secret';
  const encrypted = privateKey.export({
    format: 'pem',
    type: 'pkcs8',
    cipher: 'aes-128-cbc',
    passphrase,
  });
  for (const value of [`${'x'.repeat(20_000)}\n${pem}`, { key: encrypted, passphrase }])
    assert.ok(!isLive(call([readPrivateKey, value])[0]));
});

test('text that is refused is not kept', () => {
  for (let round = 0; round < 2; round++) {
    assert.throws(() => call([readPrivateKey, spki]), { code: 'ERR_ARGUMENT_TYPE' });
    assert.throws(() => call([readPrivateKey, pem.slice(0, -9)]), { code: 'ERR_KEY_ENCODING' });
  }
});

test('KeyObjects are imported once, and released after they were collected', async () => {
  const fresh = () => crypto.createPrivateKey(pem);
  let object = fresh();
  const [first, again, wrapped] = call(
    [readPrivateKey, object],
    [readPrivateKey, object],
    [readPrivateKey, { key: object }],
  );
  assert.ok(first === again && first === wrapped && isLive(first));
  const [asPublic] = call([readPublicKey, object]);
  assert.ok(!asPublic.isPrivate && isLive(asPublic));
  assert.equal(call([readPublicKey, object])[0], asPublic);
  const kept = fresh();
  const [second] = call([readPrivateKey, kept]);
  assert.notEqual(first, second);
  object = undefined;
  for (let round = 0; round < 50 && (isLive(first) || isLive(asPublic)); round++) {
    collectGarbage();
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  assert.ok(!isLive(first) && !isLive(asPublic) && isLive(second));
  assert.equal(call([readPrivateKey, kept])[0], second);
});

test('CryptoKeys are imported once', async () => {
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256' };
  const { subtle } = crypto.webcrypto;
  const pair = await subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const [first, again] = call([readPrivateKey, pair.privateKey], [readPrivateKey, pair.privateKey]);
  assert.ok(first === again && isLive(first));
  const [verifying] = call([readPublicKey, pair.publicKey]);
  assert.ok(!verifying.isPrivate && isLive(verifying));
});

test('kept keys are imported again for another default engine', () => {
  const text = other('engines');
  const [first] = call([readPrivateKey, text]);
  const { engine } = millrace.configure();
  millrace.configure({ engine: ['native', 'portable'] });
  try {
    const [second] = call([readPrivateKey, text]);
    assert.notEqual(first, second);
    assert.ok(!isLive(first) && isLive(second));
    assert.equal(call([readPrivateKey, text])[0], second);
  } finally {
    millrace.configure({ engine });
  }
});
