// seal and open with `commit`: the format is recomputed with node:crypto, and a message opens under
// its key, algorithm and aad only.

import assert from 'node:assert/strict';
import crypto from 'node:crypto';
import { test } from 'node:test';

import millrace from 'millrace';
import promises from 'millrace/promises';

import { aeadNames, ciphers } from '../support/algorithms.mjs';

const sizes = [0, 1, 15, 16, 100, 2048, 2049, 65_536, 1_000_000];
const HEADER = 56;

const keyOf = (algorithm) => millrace.randomBytes(ciphers[algorithm].key);

/** Computes HKDF-Expand with SHA-512. */
function expand(key, info, size) {
  const blocks = [];
  for (let round = 1, last = Buffer.alloc(0); blocks.length * 64 < size; round++) {
    const mac = crypto.createHmac('sha512', key);
    last = mac.update(last).update(info).update(Buffer.of(round)).digest();
    blocks.push(last);
  }
  return Buffer.concat(blocks).subarray(0, size);
}

/** Opens a committed message as the format says, with node:crypto. */
function openByFormat(algorithm, key, aad, sealed) {
  const { key: keySize, iv: ivSize } = ciphers[algorithm];
  const label = Buffer.from(`millrace.commit@v1+${algorithm}\0`);
  const info = Buffer.concat([label, sealed.subarray(0, 24), aad]);
  const material = expand(key, info, keySize + ivSize + 32);
  assert.deepEqual(sealed.subarray(24, HEADER), material.subarray(keySize + ivSize));
  const nonce = material.subarray(keySize, keySize + ivSize);
  const options = { authTagLength: 16 };
  const decipher = crypto.createDecipheriv(
    algorithm,
    material.subarray(0, keySize),
    nonce,
    options,
  );
  decipher.setAuthTag(sealed.subarray(-16));
  return Buffer.concat([decipher.update(sealed.subarray(HEADER, -16)), decipher.final()]);
}

test('node:crypto opens the format', () => {
  for (const algorithm of ['aes-128-gcm', 'aes-192-gcm', 'aes-256-gcm', 'chacha20-poly1305'])
    for (const aad of [Buffer.alloc(0), Buffer.from('context'), Buffer.alloc(1000, 7)])
      for (const size of sizes) {
        const [key, source] = [keyOf(algorithm), millrace.randomBytes(size)];
        const sealed = millrace.seal(algorithm, { key, source, aad, commit: true });
        assert.equal(sealed.length, HEADER + size + 16);
        assert.deepEqual(openByFormat(algorithm, key, aad, sealed), source);
      }
});

/** Calls in each form; each returns a promise. */
const forms = {
  synchronous: async (name, ...given) => millrace[name](...given),
  callback: (name, ...given) =>
    new Promise((resolve, reject) => {
      millrace[name](...given, (error, value) => (error ? reject(error) : resolve(value)));
    }),
  promise: (name, ...given) => promises[name](...given),
  portable: (name, algorithm, given) => promises[name](algorithm, { ...given, engine: 'portable' }),
};

test('each algorithm, size and form opens what another sealed', async () => {
  const names = Object.keys(forms);
  let turn = 0;
  for (const algorithm of aeadNames)
    for (const size of sizes) {
      const bytes = keyOf(algorithm);
      const prepared = millrace.createKey(algorithm, bytes);
      const source = millrace.randomBytes(size);
      const aad = size % 2 === 0 ? 'even' : '';
      for (const sealing of names) {
        const opening = names[turn++ % names.length];
        const of = (form) => (form === 'portable' || turn % 3 === 0 ? bytes : prepared);
        const sealed = await forms[sealing]('seal', algorithm, {
          key: of(sealing),
          source,
          aad,
          commit: true,
        });
        const given = { key: of(opening), source: sealed, aad, commit: true };
        const what = `${algorithm}, ${size} bytes, ${sealing}, ${opening}`;
        assert.deepEqual(await forms[opening]('open', algorithm, given), source, what);
      }
      prepared.dispose();
    }
});

test('many in flight, with targets and without', async () => {
  const key = millrace.createKey('aes-256-gcm', keyOf('aes-256-gcm'));
  await Promise.all(
    Array.from({ length: 100 }, async (_, index) => {
      const source = millrace.randomBytes(index * 3001);
      const target = index % 2 === 0 ? Buffer.alloc(source.length + HEADER + 16 + 5) : undefined;
      const place = target && { target, targetOffset: 5 };
      const made = await promises.seal('aes-256-gcm', { key, source, commit: true, ...place });
      const sealed = target?.subarray(5, 5 + made) ?? made;
      assert.deepEqual(target?.subarray(0, 5) ?? Buffer.alloc(5), Buffer.alloc(5));
      const message = Buffer.alloc(source.length);
      const opened = await promises.open('aes-256-gcm', {
        key,
        source: sealed,
        commit: true,
        ...(target && { target: message }),
      });
      assert.deepEqual(target ? message.subarray(0, opened) : opened, source);
    }),
  );
  key.dispose();
});

test('another key, aad, algorithm or byte does not open, and leaves nothing', async () => {
  const refusal = { code: 'ERR_AUTHENTICATION' };
  const [algorithm, key] = ['aes-256-gcm', keyOf('aes-256-gcm')];
  const given = { key, source: millrace.randomBytes(100), aad: 'right', commit: true };
  const sealed = millrace.seal(algorithm, given);
  const open = (change, name = algorithm) =>
    millrace.open(name, { key, source: sealed, aad: 'right', commit: true, ...change });
  assert.deepEqual(open({}), given.source);
  assert.throws(() => open({ key: keyOf(algorithm) }), refusal);
  assert.throws(() => open({ aad: 'wrong' }), refusal);
  assert.throws(() => open({ aad: '' }), refusal);
  assert.throws(() => open({}, 'chacha20-poly1305'), refusal);
  assert.throws(() => open({ commit: false }), refusal);
  for (let index = 0; index < sealed.length; index++) {
    const changed = Buffer.from(sealed);
    changed[index] ^= 1 << (index % 8);
    const target = Buffer.alloc(100, 1);
    assert.throws(() => open({ source: changed, target }), refusal, `byte ${index}`);
    assert.deepEqual(target, Buffer.alloc(100), `byte ${index}`);
    const promised = promises.open(algorithm, { ...given, source: changed });
    await assert.rejects(promised, refusal, `byte ${index}`);
  }
});

test('a commitment to another key does not open a message that the cipher would open', () => {
  // Ciphertext and tag are right for the first key, the commitment is that of the second.
  const [algorithm, source] = ['aes-256-gcm', Buffer.from('attack at dawn')];
  const [first, second] = [keyOf(algorithm), keyOf(algorithm)];
  const one = millrace.seal(algorithm, { key: first, source, commit: true });
  const info = Buffer.concat([
    Buffer.from(`millrace.commit@v1+${algorithm}\0`),
    one.subarray(0, 24),
  ]);
  const commitment = expand(second, info, 32 + 12 + 32).subarray(44);
  const mixed = Buffer.concat([one.subarray(0, 24), commitment, one.subarray(HEADER)]);
  for (const key of [first, second])
    assert.throws(() => millrace.open(algorithm, { key, source: mixed, commit: true }), {
      code: 'ERR_AUTHENTICATION',
    });
});

test('each message has its own salt', () => {
  const given = { key: keyOf('aes-128-gcm'), source: 'x', commit: true };
  const salts = Array.from({ length: 500 }, () =>
    millrace.seal('aes-128-gcm', given).toString('hex', 0, 24),
  );
  assert.equal(new Set(salts).size, salts.length);
});

test('arguments that do not go with commit are refused', () => {
  const key = keyOf('aes-256-gcm');
  const call = (change, name = 'seal') =>
    millrace[name]('aes-256-gcm', { key, source: Buffer.alloc(100), commit: true, ...change });
  assert.throws(() => call({ nonce: Buffer.alloc(12) }), {
    code: 'ERR_ARGUMENT_VALUE',
    message: /nonce cannot be given with commit/,
  });
  assert.throws(() => call({ authTagLength: 12 }), { code: 'ERR_TAG_SIZE' });
  assert.throws(() => call({ commit: undefined }), {
    code: 'ERR_ARGUMENT_TYPE',
    message: /commit/,
  });
  for (const commit of [null, 1, 'true', {}])
    for (const name of ['seal', 'open'])
      assert.throws(() => call({ commit }, name), { code: 'ERR_ARGUMENT_TYPE', message: /commit/ });
  for (const size of [0, 71])
    assert.throws(() => call({ source: Buffer.alloc(size) }, 'open'), {
      code: 'ERR_SOURCE_SIZE',
      message: /72 bytes/,
    });
  assert.throws(() => call({ key: Buffer.alloc(31) }), { code: 'ERR_KEY_SIZE' });
  assert.throws(() => call({ target: Buffer.alloc(171) }), { code: 'ERR_ARGUMENT_VALUE' });
  const other = millrace.createKey('aes-128-gcm', millrace.randomBytes(16));
  assert.throws(() => call({ key: other }), { code: 'ERR_KEY_ALGORITHM' });
  other.dispose();
  assert.throws(() => call({ key: other }), { code: /ERR_KEY_(DISPOSED|ALGORITHM)/ });
});
