// Incremental ciphers: any division of a message gives the bytes of node:crypto; what a cipher
// allows when; asynchronous operations; streams.

import assert from 'node:assert/strict';
import crypto from 'node:crypto';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { inspect, promisify } from 'node:util';

import millrace from 'millrace';
import promises from 'millrace/promises';

import { ciphers as algorithms, gcmNames } from '../support/algorithms.mjs';
import { collectGarbage } from '../support/garbage.mjs';
import { random } from '../support/random.mjs';

const engines = ['native', 'portable'];
const gcmNonces = [12, 1, 7, 8, 13, 16, 60, 128];
const ciphers = Object.entries(algorithms)
  .filter(([name]) => !name.endsWith('siv'))
  .map(([name, { key, iv, aead }]) => {
    return { name, key, nonces: gcmNames.includes(name) ? gcmNonces : [iv], aead };
  });
const pieceSizes = [1, 15, 16, 17, 64, 100, 1000, 1024, 1500, 20_000, 70_000];
const [key, nonce] = [Buffer.alloc(32, 1), Buffer.alloc(12, 2)];
const code = (name) => ({ code: name });
const createGcm = (options) => millrace.createCipher('aes-256-gcm', options);
const openGcm = (options) => millrace.createDecipher('aes-256-gcm', options);
const sealedAbc = millrace.seal('aes-256-gcm', { key, nonce, source: 'abc' });

/** Ends a cipher after `abc`; returns the text and the tag. */
function endAbc(running) {
  return Buffer.concat([running.update('abc'), running.final(), running.authTag]);
}

function detach({ buffer }) {
  structuredClone(buffer, { transfer: [buffer] });
}

/** Returns the result of one call of node:crypto, or of seal for a cipher that it lacks. */
function oracle({ name, aead }, options, message) {
  const { key, nonce, aad, authTagLength } = options;
  if (name.startsWith('x')) {
    const sealed = millrace.seal(name, { key, nonce, aad, source: message });
    return [sealed.subarray(0, message.length), sealed.subarray(message.length)];
  }
  const cipher = crypto.createCipheriv(name, key, nonce, aead ? { authTagLength } : undefined);
  if (aead) cipher.setAAD(aad);
  const text = Buffer.concat([cipher.update(message), cipher.final()]);
  return [text, aead ? cipher.getAuthTag() : Buffer.alloc(0)];
}

/** Yields chunks of the message, of random sizes. */
function* divided(draw, message) {
  for (let at = 0; at < message.length;) {
    const size = 1 + draw.below(draw.pick(pieceSizes));
    yield message.subarray(at, at + size);
    at += size;
  }
}

/** Returns a random message, options and expected result. */
function sample(draw, cipher, engine, round) {
  const options = {
    key: draw.bytes(cipher.key),
    nonce: draw.bytes(draw.pick(cipher.nonces)),
    engine,
  };
  if (cipher.aead) {
    options.aad = draw.bytes(draw.below(60));
    options.authTagLength = cipher.nonces === gcmNonces ? draw.pick([16, 14, 12]) : 16;
  }
  const message = draw.bytes(draw.below(round % 10 === 9 ? 150_000 : 3000));
  return { options, message, expected: oracle(cipher, options, message) };
}

for (const engine of engines) {
  test(`${engine}: any division gives the bytes of node:crypto`, () => {
    const draw = random(`pieces ${engine}`);
    for (const cipher of ciphers) {
      for (let round = 0; round < 30; round++) {
        const { options, message, expected } = sample(draw, cipher, engine, round);
        const [text, tag] = expected;
        const what = `${cipher.name} ${round}`;
        const sealing = millrace.createCipher(cipher.name, options);
        const sealed = [...divided(draw, message)].map((piece) => sealing.update(piece));
        assert.equal(sealing.final().length, 0);
        assert.deepEqual(Buffer.concat(sealed), text, what);
        assert.deepEqual(sealing.authTag, tag, what);

        for (const unverified of cipher.aead ? [false, true] : [undefined]) {
          const asked = cipher.aead ? { ...options, authTag: tag, unverified } : options;
          let opening = millrace.createDecipher(cipher.name, asked);
          const opened = [];
          for (const piece of divided(draw, text)) {
            const plain = opening.update(piece);
            assert.equal(plain.length, unverified === false ? 0 : piece.length);
            opened.push(plain);
            if (draw.below(8) > 0) continue;
            const original = opening;
            opening = original.copy();
            original.dispose();
          }
          opened.push(opening.final());
          assert.deepEqual(Buffer.concat(opened), message, `${what} ${unverified}`);
        }
      }
    }
  });

  test(`${engine}: seal and open take GCM's nonces of 1 to 128 bytes and short tags`, () => {
    const draw = random(`nonces ${engine}`);
    const cipher = ciphers.find(({ name }) => name === 'aes-256-gcm');
    for (let size = 1; size <= 128; size++) {
      const [aad, authTagLength] = [draw.bytes(size % 33), 12 + (size % 5)];
      const options = { key, nonce: draw.bytes(size), aad, authTagLength, engine };
      const message = draw.bytes(draw.below(3000));
      const expected = Buffer.concat(oracle(cipher, options, message));
      const sealed = millrace.seal(cipher.name, { ...options, source: message });
      assert.deepEqual(sealed, expected, `${size}`);
      assert.deepEqual(millrace.open(cipher.name, { ...options, source: sealed }), message);
    }
    for (const size of [0, 129]) {
      const options = { key, nonce: Buffer.alloc(size), source: '', engine };
      assert.throws(() => millrace.seal('aes-256-gcm', options), code('ERR_IV_SIZE'));
    }
  });

  test(`${engine}: the last 32 bits of GCM's counter begin again`, () => {
    // The hash of this nonce ends in ffffffe1: the counter overflows in block 31.
    const nonce = wrappingNonce();
    const message = random('wrap').bytes(200_000);
    const cipher = { name: 'aes-256-gcm', aead: true };
    const options = { key, nonce, aad: Buffer.alloc(5), authTagLength: 16, engine };
    const [text, tag] = oracle(cipher, options, message);
    const whole = millrace.seal(cipher.name, { ...options, source: message });
    assert.deepEqual(whole, Buffer.concat([text, tag]));
    assert.deepEqual(millrace.open(cipher.name, { ...options, source: whole }), message);
    const running = millrace.createCipher(cipher.name, options);
    const pieces = [...divided(random('wrap pieces'), message)].map((one) => running.update(one));
    pieces.push(running.final(), running.authTag);
    assert.deepEqual(Buffer.concat(pieces), whole);
  });

  test(`${engine}: asynchronous operations run in the order of their calls`, async () => {
    const draw = random(`asynchronous ${engine}`);
    for (const cipher of ciphers) {
      const { options, message, expected } = sample(draw, cipher, engine, 9);
      const running = promises.createCipher(cipher.name, options);
      const source = Buffer.from(message);
      const pieces = [...divided(draw, source)].map((piece) => running.updateAsync(piece));
      const end = running.finalAsync();
      // The data was copied at the calls.
      source.fill(0);
      assert.throws(() => running.update('x'), code('ERR_CIPHER_BUSY'));
      assert.throws(() => running.final(), code('ERR_CIPHER_BUSY'));
      const text = Buffer.concat([...(await Promise.all(pieces)), await end]);
      assert.deepEqual(text, expected[0], cipher.name);
      if (cipher.aead) assert.deepEqual(running.authTag, expected[1]);
      await assert.rejects(running.updateAsync('x'), code('ERR_CIPHER_SPENT'));

      const opening = millrace.createDecipher(cipher.name, options);
      if (cipher.aead) opening.setAuthTag(expected[1]);
      const target = Buffer.alloc(text.length + 3, 7);
      const called = (method, ...given) => promisify(opening[method]).call(opening, ...given);
      const calls = [called('updateInto', text, target, 3), called('final')];
      const results = [];
      await Promise.all(calls.map((call) => call.then((value) => results.push(value))));
      const held = cipher.aead;
      assert.equal(results[0], held ? 0 : text.length);
      assert.deepEqual(held ? results[1] : target.subarray(3), message, cipher.name);
      assert.deepEqual(target.subarray(0, 3), Buffer.alloc(3, 7));
    }
  });

  test(`${engine}: a wrong tag gives nothing away`, async () => {
    for (const { name, key: size, nonces, aead } of ciphers) {
      if (!aead) continue;
      const options = { key: Buffer.alloc(size), nonce: Buffer.alloc(nonces[0], 1), engine };
      const sealing = millrace.createCipher(name, options);
      const text = sealing.update('secret');
      sealing.final();
      const opening = millrace.createDecipher(name, options);
      assert.equal(opening.update(text).length, 0);
      // Without a tag final is refused, and can be repeated.
      assert.throws(() => opening.final(), code('ERR_MISSING_ARGUMENT'));
      await assert.rejects(opening.finalAsync(), code('ERR_MISSING_ARGUMENT'));
      assert.throws(() => opening.setAuthTag(Buffer.alloc(3)), code('ERR_TAG_SIZE'));
      opening.setAuthTag(Buffer.alloc(16));
      assert.throws(() => opening.final(), code('ERR_AUTHENTICATION'));
      assert.throws(() => opening.final(), code('ERR_AUTHENTICATION'));
      assert.throws(() => opening.update('x'), code('ERR_AUTHENTICATION'));
      assert.throws(() => opening.setAuthTag(sealing.authTag), code('ERR_AUTHENTICATION'));
    }
  });
}

/**
 * Returns a nonce of 16 bytes for `key` with a first counter block that ends in 0xffffff00 or more.
 */
function wrappingNonce() {
  const ecb = crypto.createCipheriv('aes-256-ecb', key, null);
  const h = BigInt(`0x${ecb.update(Buffer.alloc(16)).toString('hex')}`);
  // The hash is (nonce * H + length) * H: solved for the nonce by powers of H's inverse.
  const R = 0xe1n << 120n;
  const times = (x, y) => {
    let [sum, power] = [0n, y];
    for (let bit = 127n; bit >= 0n; bit--) {
      if ((x >> bit) & 1n) sum ^= power;
      power = power & 1n ? (power >> 1n) ^ R : power >> 1n;
    }
    return sum;
  };
  // The inverse is the power 2^128 - 2.
  let [inverse, square] = [1n << 127n, h];
  for (let bit = 1; bit < 128; bit++) inverse = times(inverse, (square = times(square, square)));
  const wanted = (0x0123456789abcdefn << 64n) | 0x01234567ffffffe1n;
  const hash = times(times(wanted, inverse) ^ 128n, inverse);
  return Buffer.from(hash.toString(16).padStart(32, '0'), 'hex');
}

test('pieces may be strings in an encoding, and results may go to a target', () => {
  const iv = Buffer.alloc(16);
  const options = { encrypt: true, key, iv, source: 'aé€ff00' };
  const running = millrace.createCipher('aes-256-ctr', { key, iv });
  const pieces = [running.update('aé'), running.update('4oKs', 'base64')];
  pieces.push(running.update(new DataView(new Uint8Array([102, 102]).buffer)));
  const place = Buffer.from('..00');
  assert.equal(running.updateInto(place.subarray(2), place, 1), 2);
  pieces.push(place.subarray(1, 3), running.final());
  assert.deepEqual(Buffer.concat(pieces), millrace.cipher('aes-256-ctr', options));
  assert.equal(place[0], 46);
  assert.equal(place[3], 48);
});

/** Options of createCipher that are refused, by code. */
const refused = {
  ERR_MISSING_ARGUMENT: [{ key }],
  ERR_ARGUMENT_VALUE: [
    { key, nonce, iv: nonce },
    { key, nonce, authTag: nonce },
  ],
  ERR_KEY_SIZE: [{ key: key.subarray(1), nonce }],
  ERR_IV_SIZE: [{ key, nonce: Buffer.alloc(0) }],
  ERR_TAG_SIZE: [0, 4, 5, 8, 11, 17].map((authTagLength) => ({ key, nonce, authTagLength })),
};

for (const [name, all] of Object.entries(refused))
  test(`options are refused: ${name}`, () => {
    for (const options of all) {
      assert.throws(() => createGcm(options), code(name));
      if (name === 'ERR_TAG_SIZE') assert.throws(() => openGcm(options), code(name));
    }
  });

test('options of another cipher are refused', () => {
  const options = { key, nonce, tagLength: 16 };
  assert.throws(() => createGcm(options), /did you mean options.authTagLength/);
  const siv = { key, nonce };
  assert.throws(() => millrace.createCipher('aes-256-gcm-siv', siv), /use seal and open/);
  for (const extra of [{ aad: 'x' }, { authTagLength: 16 }]) {
    const ctr = { key, nonce: Buffer.alloc(16), ...extra };
    assert.throws(() => millrace.createCipher('aes-256-ctr', ctr), code('ERR_ARGUMENT_VALUE'));
  }
  assert.throws(() => millrace.createCipher('aes-256-gcm'), code('ERR_MISSING_ARGUMENT'));
  assert.throws(() => new millrace.Cipher(), code('ERR_ARGUMENT_TYPE'));
});

test('arguments are checked, and leave the cipher as it was', () => {
  const running = createGcm({ key, nonce });
  for (const [call, name] of [
    [() => running.update(), 'ERR_MISSING_ARGUMENT'],
    [() => running.update(5), 'ERR_ARGUMENT_TYPE'],
    [() => running.update('abc', 'hex'), 'ERR_ARGUMENT_VALUE'],
    [() => running.updateInto('x', key), 'ERR_ARGUMENT_TYPE'],
    [() => running.updateInto(key, nonce), 'ERR_ARGUMENT_VALUE'],
    [() => running.authTag, 'ERR_CIPHER_OPEN'],
  ])
    assert.throws(call, code(name), String(call));
  assert.match(inspect(running), /Cipher \{ algorithm: 'aes-256-gcm'.*state: 'open' \}/);
  assert.deepEqual(endAbc(running), sealedAbc);
  for (const call of [() => running.update('x'), () => running.final()])
    assert.throws(call, code('ERR_CIPHER_SPENT'));
});

test('a prepared key serves a cipher that began before its disposal', () => {
  const prepared = millrace.createKey('aes-256-gcm', key);
  const running = createGcm({ key: prepared, nonce });
  prepared.dispose();
  assert.deepEqual(endAbc(running), sealedAbc);
  assert.throws(() => createGcm({ key: prepared, nonce }), code('ERR_KEY_DISPOSED'));
  const other = millrace.createKey('aes-128-gcm', key.subarray(16));
  assert.throws(() => createGcm({ key: other, nonce }), code('ERR_KEY_ALGORITHM'));
});

test('held plaintext is bounded', () => {
  const running = openGcm({ key, nonce });
  const mebibyte = Buffer.alloc(2 ** 20);
  for (let count = 0; count < 64; count++) running.update(mebibyte);
  const tooLong = { code: 'ERR_HELD_LIMIT', message: /openStream/ };
  assert.throws(() => running.update('x'), tooLong);
  assert.throws(() => running.final(), tooLong);
});

test('disposal ends calls in flight and refuses later ones', async () => {
  const running = createGcm({ key, nonce });
  const large = Buffer.alloc(1_000_000);
  const first = running.updateAsync(large);
  const second = running.updateAsync(large);
  running.dispose();
  for (const { reason } of await Promise.allSettled([first, second]))
    assert.equal(reason?.code, 'ERR_CIPHER_SPENT');
  assert.throws(() => running.update('x'), code('ERR_CIPHER_SPENT'));
  running.dispose();
  const decipher = openGcm({ key, nonce, unverified: true });
  const target = Buffer.alloc(large.length, 1);
  const into = decipher.updateIntoAsync(large, target);
  decipher.dispose();
  await assert.rejects(into, code('ERR_CIPHER_SPENT'));
  assert.ok(target.equals(Buffer.alloc(large.length)), 'the target is zero');
});

test('lent memory that is detached before its turn is an error', async () => {
  for (const engine of ['native', 'portable']) {
    for (const part of ['source', 'target']) {
      const running = createGcm({ key, nonce, engine });
      const lent = { source: new Uint8Array(100_000), target: new Uint8Array(100_000) };
      const calls = [
        running.updateAsync(Buffer.alloc(1_000_000)),
        running.updateIntoAsync(lent.source, lent.target),
        running.finalAsync(),
      ];
      detach(lent[part]);
      const [first, second, end] = await Promise.allSettled(calls);
      assert.equal(first.status, 'fulfilled');
      assert.equal(second.reason?.code, 'ERR_ARGUMENT_VALUE', `${engine}, ${part}`);
      assert.equal(end.reason, second.reason);
    }
    // Between two slices of the portable engine.
    if (engine === 'native') continue;
    const running = createGcm({ key, nonce, engine });
    const source = new Uint8Array(1_000_000);
    const update = running.updateIntoAsync(source, new Uint8Array(1_000_000));
    await setImmediate();
    detach(source);
    await assert.rejects(update, code('ERR_ARGUMENT_VALUE'));
  }
  const hasher = millrace.createHash('sha256');
  const source = new Uint8Array(100_000);
  const calls = [
    hasher.updateAsync(Buffer.alloc(1_000_000)),
    hasher.updateAsync(source, 0, source.length),
    hasher.digestAsync(),
  ];
  detach(source);
  const [, second, end] = await Promise.allSettled(calls);
  assert.equal(second.reason?.code, 'ERR_ARGUMENT_VALUE');
  assert.equal(end.reason, second.reason);
});

test('ciphers that are collected before their end return their memory', async () => {
  const options = { key, nonce };
  const before = process.memoryUsage.rss();
  // Each has 2.5 KiB in native memory.
  for (let round = 0; round < 40; round++) {
    for (let count = 0; count < 1000; count++)
      millrace.createCipher('chacha20-poly1305', options).update('x');
    collectGarbage();
    await setImmediate();
  }
  assert.ok(process.memoryUsage.rss() - before < 50 * 2 ** 20);
});

test('a cipher and a decipher work as streams', async () => {
  const message = random('streams').bytes(300_000);
  const chunks = [...divided(random('chunks'), message)];
  const read = async (...streams) => {
    const parts = [];
    await pipeline(...streams, async (source) => {
      for await (const part of source) parts.push(part);
    });
    return Buffer.concat(parts);
  };
  const cipher = createGcm({ key, nonce });
  const text = await read(Readable.from(chunks), cipher);
  const { authTag } = cipher;
  const whole = millrace.seal('aes-256-gcm', { key, nonce, source: message });
  assert.deepEqual(Buffer.concat([text, authTag]), whole);
  for (const unverified of [false, true]) {
    const options = { key, nonce, authTag, unverified };
    assert.deepEqual(await read(Readable.from([text]), openGcm(options)), message);
    const failing = openGcm({ ...options, authTag: Buffer.alloc(16) });
    await assert.rejects(read(Readable.from([text]), failing), code('ERR_AUTHENTICATION'));
  }
  const dropped = createGcm({ key, nonce });
  dropped.destroy();
  await setImmediate();
  assert.throws(() => dropped.update('x'), code('ERR_CIPHER_SPENT'));
});
