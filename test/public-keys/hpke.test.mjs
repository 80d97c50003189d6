// hpkeSeal, hpkeOpen and the contexts of HPKE: published answers, every mode and KEM in every call
// style, the numbers of messages, and wrong use. MILLRACE_HPKE names a folder with the whole files
// of vectors.

import assert from 'node:assert/strict';
import { createSecretKey } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { inspect } from 'node:util';

import millrace from 'millrace';

import { collectGarbage } from '../support/garbage.mjs';
import { random } from '../support/random.mjs';
import { expectError } from '../support/refusals.mjs';
import { hex, vectors } from '../support/vectors.mjs';
import { eachWay as each, ways } from '../support/ways.mjs';

const { createHpkeRecipient, createHpkeSender, generateKeyPair, hpkeOpen, hpkeSeal } = millrace;
const rng = random('hpke');
const kems = {
  0x10: ['p-256', 65],
  0x11: ['p-384', 97],
  0x12: ['p-521', 133],
  0x20: ['x25519', 32],
  0x40: ['ml-kem-512', 768],
  0x41: ['ml-kem-768', 1088],
  0x42: ['ml-kem-1024', 1568],
  0x647a: ['x-wing', 1120],
};
const kdfs = { 1: 'hkdf-sha256', 2: 'hkdf-sha384', 3: 'hkdf-sha512' };
const aeads = { 1: 'aes-128-gcm', 2: 'aes-256-gcm', 3: 'chacha20-poly1305', 65535: 'export-only' };
const authenticates = (algorithm) => /^(x2|p-)/.test(algorithm);

async function refused(run, code, message) {
  const error = await (async () => run())().then(
    () => assert.fail('taken'),
    (reason) => reason,
  );
  expectError(error, code, message);
}

/** Returns the arguments and options of a vector; undefined if the suite is not there. */
function callOf(vector) {
  const kem = kems[vector.kem_id];
  if (kem === undefined || kdfs[vector.kdf_id] === undefined) return undefined;
  const raw = (digits) => ({ key: hex(digits), format: 'raw', algorithm: kem[0] });
  const options = { kdf: kdfs[vector.kdf_id], aead: aeads[vector.aead_id], info: hex(vector.info) };
  if (vector.psk) Object.assign(options, { psk: hex(vector.psk), pskId: hex(vector.psk_id) });
  if (vector.pkSm) options.senderPublicKey = raw(vector.pkSm);
  const key = { ...raw(vector.skRm), format: kem[0].startsWith('ml-') ? 'seed' : 'raw' };
  return { key, enc: hex(vector.enc), options };
}

/** Checks the answers of a vector. Returns false if the suite is not there. */
async function check(vector) {
  const call = callOf(vector);
  if (call === undefined) return false;
  const { key, enc, options } = call;
  const recipient = createHpkeRecipient(key, enc, options);
  const messages = (vector.encryptions ?? []).map(({ aad, pt, ct }) => [
    hex(aad),
    hex(pt),
    hex(ct),
  ]);
  for (const [aad, plaintext, ciphertext] of messages) {
    assert.throws(() => recipient.open(ciphertext, 'other'), { code: 'ERR_AUTHENTICATION' });
    assert.deepEqual(recipient.open(ciphertext, aad), plaintext);
  }
  for (const { exporter_context: label, L, exported_value: expected } of vector.exports)
    assert.equal(recipient.export(hex(label), L).toString('hex'), expected);
  const [first] = messages;
  if (first === undefined) return true;
  const [aad, plaintext, ciphertext] = first;
  await each(async (call) => {
    const later = await call('createHpkeRecipient', key, enc, options);
    const opened = await Promise.all(
      messages.map(([aad, , sealed]) => later.openAsync(sealed, aad)),
    );
    assert.deepEqual(
      opened,
      messages.map(([, text]) => text),
    );
    const all = { ...options, aad };
    const made = await call('hpkeOpen', key, enc, ciphertext, all);
    assert.deepEqual(made, plaintext);
    assert.equal(made.buffer.byteLength, made.length);
    const target = Buffer.alloc(plaintext.length + 9, 7);
    const place = { ...all, target, targetOffset: 4 };
    assert.equal(await call('hpkeOpen', key, enc, ciphertext, place), plaintext.length);
    assert.deepEqual(target.subarray(4, -5), plaintext);
    const changed = Buffer.from(ciphertext);
    changed[3] ^= 1;
    target.fill(7);
    await refused(() => call('hpkeOpen', key, enc, changed, place), 'ERR_AUTHENTICATION');
    assert.ok(target.every((byte) => byte === 7));
  });
  return true;
}

test('gives the published answers', async () => {
  const all = await Promise.all(vectors('hpke').map(check));
  assert.deepEqual(all, Array(16).fill(true));
});

test(
  'gives all published answers',
  { skip: !process.env.MILLRACE_HPKE && 'needs MILLRACE_HPKE' },
  async () => {
    for (const [file, expected] of [
      ['test-vectors.json', 96],
      ['hpke-pq-test-vectors.json', 4],
    ]) {
      let right = 0;
      const text = readFileSync(join(process.env.MILLRACE_HPKE, file), 'utf8');
      for (const vector of JSON.parse(text)) if (await check(vector)) right += 1;
      assert.equal(right, expected);
    }
  },
);

test('opens what it seals, with every key, suite and mode', async () => {
  const psk = rng.bytes(40);
  for (const [algorithm, size] of Object.values(kems)) {
    const { privateKey, publicKey } = generateKeyPair(algorithm);
    const own = generateKeyPair(algorithm);
    for (const [number, kdf] of Object.entries(kdfs)) {
      const suite = { kdf, aead: aeads[number], info: 'info', aad: rng.bytes(20) };
      const modes = [
        [{}, {}],
        [
          { psk, pskId: 'a name' },
          { psk: createSecretKey(psk), pskId: Buffer.from('a name') },
        ],
        ...(authenticates(algorithm)
          ? [[{ senderKey: own.privateKey }, { senderPublicKey: own.publicKey }]]
          : []),
      ];
      for (const [sending, receiving] of modes)
        await each(async (call) => {
          const text = rng.bytes(rng.below(3000));
          const sealed = await call('hpkeSeal', publicKey, text, { ...suite, ...sending });
          const { encapsulatedKey, ciphertext } = sealed;
          assert.deepEqual(Object.keys(sealed), ['encapsulatedKey', 'ciphertext']);
          assert.deepEqual([encapsulatedKey.length, ciphertext.length], [size, text.length + 16]);
          const open = (options) =>
            call('hpkeOpen', privateKey, encapsulatedKey, ciphertext, options);
          assert.deepEqual(await open({ ...suite, ...receiving }), text);
          for (const other of [{ info: 'other' }, { aad: 'x' }, { psk: rng.bytes(32), pskId: 'a' }])
            await refused(() => open({ ...suite, ...receiving, ...other }), 'ERR_AUTHENTICATION');
        });
    }
  }
});

test('hpkeSeal writes the ciphertext to a target, at an offset', async () => {
  const { privateKey, publicKey } = generateKeyPair('x25519');
  const text = rng.bytes(5000);
  await each(async (call) => {
    const target = Buffer.alloc(text.length + 16 + 9, 7);
    const sealed = await call('hpkeSeal', publicKey, text, { target, targetOffset: 4 });
    const { encapsulatedKey, ciphertext } = sealed;
    assert.deepEqual([encapsulatedKey.length, ciphertext], [32, text.length + 16]);
    const written = target.subarray(4, -5);
    assert.deepEqual(hpkeOpen(privateKey, encapsulatedKey, written), text);
    assert.ok([0, 3, -1, -5].every((at) => target.at(at) === 7));
    const before = Buffer.from(target);
    for (const targetOffset of [10, 1e6]) {
      const place = { target, targetOffset };
      await refused(
        () => call('hpkeSeal', publicKey, text, place),
        'ERR_ARGUMENT_VALUE',
        /^target must have/,
      );
    }
    assert.deepEqual(target, before);
    // Plaintext and ciphertext in the same memory.
    const both = Buffer.concat([text, Buffer.alloc(16)]);
    const inPlace = { target: both };
    const own = await call('hpkeSeal', publicKey, both.subarray(0, text.length), inPlace);
    assert.deepEqual(hpkeOpen(privateKey, own.encapsulatedKey, both), text);
  });
});

test('a string is sealed as UTF-8, and a large message on the pool', async () => {
  const { privateKey, publicKey } = generateKeyPair('x25519');
  const { encapsulatedKey, ciphertext } = hpkeSeal(publicKey, 'ü€');
  assert.equal(hpkeOpen(privateKey, encapsulatedKey, ciphertext).toString(), 'ü€');
  const large = Buffer.alloc(5_000_000, 3);
  const sealed = await ways.promise('hpkeSeal', publicKey, large, { route: 'pool' });
  const given = [privateKey, sealed.encapsulatedKey, sealed.ciphertext];
  assert.ok((await ways.promise('hpkeOpen', ...given)).equals(large));
  const sender = createHpkeSender(publicKey);
  const recipient = createHpkeRecipient(privateKey, sender.encapsulatedKey);
  assert.ok((await recipient.openAsync(await sender.sealAsync(large))).equals(large));
});

/** Returns the two sides of a new context. */
function sides(options = {}) {
  const { privateKey, publicKey } = generateKeyPair('x25519');
  const sender = createHpkeSender(publicKey, options);
  return { sender, recipient: createHpkeRecipient(privateKey, sender.encapsulatedKey, options) };
}

test('messages are numbered at the call, without a gap or a repetition', async () => {
  const { sender, recipient } = sides();
  const texts = Array.from({ length: 600 }, (_, index) => `message ${index}`);
  const sealed = await Promise.all(
    texts.map((text, index) => (index % 3 === 0 ? sender.seal(text) : sender.sealAsync(text))),
  );
  // Refused arguments take no number.
  assert.throws(() => sender.seal(5), { code: 'ERR_ARGUMENT_TYPE' });
  await refused(() => sender.sealAsync('x', 5), 'ERR_ARGUMENT_TYPE', /^aad must/);
  sealed.push(sender.seal('last'));
  const opened = sealed.map((each) => recipient.open(each).toString());
  assert.deepEqual(opened, [...texts, 'last']);
});

test('asynchronous opens are served in order, and a failed one takes no number', async () => {
  const { sender, recipient } = sides();
  const [one, two, three] = ['one', 'two', 'three'].map((text) => sender.seal(text, 'aad'));
  const forged = Buffer.from(one).fill(9, 0, 2);
  const copy = Buffer.from(three);
  const calls = [
    recipient.openAsync(forged, 'aad'),
    recipient.openAsync(one, 'aad'),
    recipient.openAsync(three, 'aad'),
    recipient.openAsync(two, 'aad'),
    recipient.openAsync(copy, 'aad'),
  ];
  // Arguments were copied.
  copy.fill(0);
  assert.throws(() => recipient.open(one, 'aad'), { code: 'ERR_CIPHER_BUSY' });
  const results = await Promise.allSettled(calls);
  assert.deepEqual(
    results.map(({ value, reason }) => reason?.code ?? value.toString()),
    ['ERR_AUTHENTICATION', 'one', 'ERR_AUTHENTICATION', 'two', 'three'],
  );
  const next = sender.seal('four');
  assert.equal(recipient.open(next).toString(), 'four');
  assert.throws(() => recipient.open(next), { code: 'ERR_AUTHENTICATION' });
});

test('exports: the same on both sides, another for each label and size', () => {
  const { sender, recipient } = sides({ aead: 'export-only', kdf: 'hkdf-sha512' });
  const sizes = [1, 63, 64, 65, 1000, 255 * 64];
  const seen = new Set();
  for (const size of sizes)
    for (const label of ['', 'a', Buffer.from('b')]) {
      const secret = sender.export(label, size);
      assert.deepEqual(recipient.export(label, size), secret);
      assert.equal(secret.buffer.byteLength, size);
      seen.add(secret.toString('hex'));
    }
  assert.ok(seen.size > 3 * (sizes.length - 1));
  for (const size of [0, 255 * 64 + 1, 0.5])
    assert.throws(() => sender.export('a', size), { code: 'ERR_ARGUMENT_VALUE' });
  assert.throws(() => sender.seal('x'), { code: 'ERR_ARGUMENT_VALUE', message: /export-only/ });
});

test('a context that was disposed of refuses, does not print and is not cloned', async () => {
  const { sender, recipient } = sides();
  const [first, second] = [sender.seal('one'), sender.seal('two')];
  const waiting = [recipient.openAsync(first), recipient.openAsync(second)];
  for (const context of [sender, recipient]) {
    assert.match(inspect(context, { depth: 9 }), /^Hpke\w+ \{(\s+encapsulatedKey: <[^>]*>\s+)?\}$/);
    assert.throws(() => structuredClone(context), { name: 'DataCloneError' });
    assert.equal(context.disposed, false);
    context.dispose();
    context[Symbol.dispose]();
    assert.equal(context.disposed, true);
    assert.throws(() => context.export('a', 9), { code: 'ERR_KEY_DISPOSED' });
  }
  const [done, late] = await Promise.allSettled(waiting);
  assert.equal(done.value.toString(), 'one');
  assert.equal(late.reason.code, 'ERR_KEY_DISPOSED');
  assert.throws(() => sender.seal('x'), { code: 'ERR_KEY_DISPOSED' });
  await refused(() => sender.sealAsync('x'), 'ERR_KEY_DISPOSED');
  await refused(() => recipient.openAsync(first), 'ERR_KEY_DISPOSED');
});

test('wrong arguments name themselves', async () => {
  const [x25519, other, kem, signing] = ['x25519', 'p-256', 'ml-kem-512', 'ed25519'].map((type) =>
    generateKeyPair(type),
  );
  const { publicKey, privateKey } = x25519;
  const psk = Buffer.alloc(32);
  for (const [options, code, message] of [
    [{ kdf: 'sha256' }, 'ERR_ARGUMENT_VALUE', /^options\.kdf must be 'hkdf-sha256' or/],
    [{ aead: 'aes-256-ctr' }, 'ERR_ARGUMENT_VALUE', /^options\.aead must be/],
    [{ aead: 'export-only' }, 'ERR_ARGUMENT_VALUE', /^options\.aead is export-only/],
    [{ psk }, 'ERR_MISSING_ARGUMENT', /psk and options\.pskId need each other/],
    [{ pskId: 'x' }, 'ERR_MISSING_ARGUMENT', /need each other/],
    [{ psk, pskId: '' }, 'ERR_ARGUMENT_VALUE', /^options\.pskId must not be empty/],
    [{ psk: psk.subarray(1), pskId: 'x' }, 'ERR_KEY_SIZE', /^options\.psk must be at least 32/],
    [
      { senderKey: other.privateKey },
      'ERR_KEY_ALGORITHM',
      /^options\.senderKey must be a key of x/,
    ],
    [{ senderKey: publicKey }, 'ERR_ARGUMENT_TYPE', /^options\.senderKey/],
    [{ info: 5 }, 'ERR_ARGUMENT_TYPE', /^options\.info must be/],
  ])
    await each((call) => refused(() => call('hpkeSeal', publicKey, 'x', options), code, message));
  await each(async (call) => {
    const open = (...given) => call('hpkeOpen', privateKey, ...given);
    await refused(
      () => open(psk.subarray(1), psk),
      'ERR_SOURCE_SIZE',
      /^encapsulatedKey must be 32/,
    );
    await refused(() => open(psk, Buffer.alloc(15)), 'ERR_SOURCE_SIZE', /^ciphertext must hold/);
    // A point of small order, and one that is not on the curve.
    await refused(() => open(psk, psk), 'ERR_KEY_INVALID', /^encapsulatedKey is not valid/);
    const point = Buffer.alloc(65, 4);
    const onCurve = () => call('createHpkeRecipient', other.privateKey, point);
    await refused(onCurve, 'ERR_KEY_INVALID', /^encapsulatedKey is not valid/);
    await refused(
      () => call('hpkeSeal', signing.publicKey, 'x'),
      'ERR_KEY_ALGORITHM',
      /^publicKey/,
    );
    const senderKey = kem.privateKey;
    const sealing = () => call('createHpkeSender', kem.publicKey, { senderKey });
    await refused(sealing, 'ERR_KEY_ALGORITHM', /ml-kem-512 does not authenticate the sender/);
  });
  const { sender, recipient } = sides();
  assert.throws(() => recipient.open(Buffer.alloc(3)), { code: 'ERR_SOURCE_SIZE' });
  assert.throws(() => recipient.open(), { code: 'ERR_MISSING_ARGUMENT' });
  assert.throws(() => sender.seal('x', 'y', 'z'), { code: 'ERR_MISSING_ARGUMENT' });
  assert.throws(() => sender.export('x'), { code: 'ERR_MISSING_ARGUMENT' });
});

test('opens that wait keep their recipient until the last has ended', async () => {
  const { privateKey, publicKey } = generateKeyPair('x25519');
  const sender = createHpkeSender(publicKey);
  const messages = Array.from({ length: 6 }, (_, index) => Buffer.alloc(300_000, index));
  const sealed = messages.map((each) => sender.seal(each));
  const open = () => {
    const recipient = createHpkeRecipient(privateKey, sender.encapsulatedKey);
    return sealed.map((each) => recipient.openAsync(each));
  };
  const opened = open();
  for (const [index, each] of opened.entries()) {
    collectGarbage();
    await new Promise(setImmediate);
    assert.deepEqual(await each, messages[index]);
  }
});
