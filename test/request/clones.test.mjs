// Objects that name a key or a state of this thread cannot be cloned: not by structuredClone, nor
// to another thread. Every exported class is covered.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inspect } from 'node:util';
import { MessageChannel, Worker } from 'node:worker_threads';

import millrace from 'millrace';
import * as portable from 'millrace/portable';
import promises from 'millrace/promises';

const [key, iv] = [Buffer.alloc(32, 1), Buffer.alloc(16, 2)];

const raw = { key, format: 'raw', algorithm: 'x25519' };

/** Objects of each class, by its name. */
const objects = {
  Key: [
    () => millrace.createKey('aes-256-gcm', key),
    () => millrace.createKey('hmac-sha256', key),
    () => millrace.createKey('blake3', key, { engine: 'portable' }),
  ],
  PrivateKey: [() => millrace.createPrivateKey(raw)],
  PublicKey: [() => millrace.createPublicKey(raw)],
  Hash: [() => millrace.createHash('sha256'), () => millrace.createHash('blake3', { key })],
  Hmac: [() => millrace.createHmac('sha256', key)],
  TupleHash: [() => millrace.createHash('tuplehash128')],
  Cipher: [() => millrace.createCipher('aes-256-ctr', { key, iv })],
  Decipher: [() => millrace.createDecipher('aes-256-gcm', { key, nonce: iv })],
  RunningHash: [() => portable.sha256.create()],
  RunningHmac: [() => portable.createHmac(portable.sha256, key)],
  Duplex: [() => promises.sealStream({ algorithm: 'aes-256-gcm', key })],
};

test('every exported class is here', () => {
  const isClass = (value) => typeof value === 'function' && /^class\b/.test(String(value));
  const classes = [millrace, promises, portable]
    .flatMap(Object.values)
    .filter(isClass)
    .map(({ name }) => name)
    .filter((name) => name !== 'MillraceError');
  assert.ok(classes.includes('Key'));
  assert.deepEqual(
    classes.filter((name) => !(name in objects)),
    [],
  );
});

for (const [name, makers] of Object.entries(objects)) {
  test(`${name}: a clone is refused`, () => {
    const { port1, port2 } = new MessageChannel();
    const worker = new Worker('', { eval: true });
    const refused = { name: 'DataCloneError' };
    try {
      for (const make of makers) {
        const object = make();
        assert.throws(() => structuredClone(object), refused);
        assert.throws(() => structuredClone([{ object }]), refused);
        assert.throws(() => port1.postMessage(object), refused);
        assert.throws(() => worker.postMessage({ object }), refused);
        assert.throws(() => new Worker('', { eval: true, workerData: { object } }), refused);
        object.destroy?.();
      }
    } finally {
      port1.close();
      port2.close();
      void worker.terminate();
    }
  });
}

test('a Key has its two properties, and no more is printed', () => {
  const made = millrace.createKey('aes-256-gcm', key);
  const shown = { algorithm: 'aes-256-gcm', size: 32 };
  assert.deepEqual({ ...made }, shown);
  assert.equal(JSON.stringify(made), JSON.stringify(shown));
  assert.equal(inspect(made), `Key ${inspect(shown)}`);
  assert.ok(!(made instanceof WeakRef));
  assert.equal(made.deref, undefined);
});
