// Parameters of hashes: BLAKE2's digest size, key, salt and personalization, BLAKE3's context. The
// known answers are those of the BLAKE2 and BLAKE3 projects; @noble/hashes answers the rest.

import assert from 'node:assert/strict';
import { createHash as createNodeHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { promisify } from 'node:util';

import { blake2b, blake2s } from '@noble/hashes/blake2.js';
import { blake3 } from '@noble/hashes/blake3.js';
import millrace from 'millrace';
import promises from 'millrace/promises';
import * as portable from 'millrace/portable';

const engines = ['native', 'portable'];
const counting = (size, most = 256) => Uint8Array.from({ length: size }, (_, at) => at % most);
const hex = (bytes) => Buffer.from(bytes).toString('hex');
const sum = (digests) => createNodeHash('sha256').update(Buffer.concat(digests)).digest('hex');

// SHA-256 of the 256 keyed answers of blake2-kat.json, for messages of 0 to 255 bytes.
const keyedAnswers = {
  blake2b512: [64, '1ea7031a5a7e30868be784ec976e5b9677f27f22079303b158623d277187d4b0'],
  blake2s256: [32, '8ae17a963349019d1c56c0b7834abbbb1639980ef84b6a0438326402db47f02f'],
};

for (const engine of engines) {
  test(`${engine}: the keyed answers of BLAKE2's authors`, () => {
    for (const [name, [keySize, answer]] of Object.entries(keyedAnswers)) {
      const key = counting(keySize);
      const messages = Array.from({ length: 256 }, (_, size) => counting(size));
      const each = messages.map((message) => millrace.hash(name, message, { key, engine }));
      assert.equal(sum(each), answer, name);
      const prepared = millrace.createKey(name, key, { engine });
      assert.equal(sum([millrace.hashMany(name, messages, { key, engine })]), answer, name);
      assert.equal(sum([millrace.hashMany(name, messages, { key: prepared })]), answer, name);
    }
  });

  test(`${engine}: the derived keys of BLAKE3's test vectors`, () => {
    const sizes = [
      0, 1, 2, 3, 4, 5, 6, 7, 8, 63, 64, 65, 127, 128, 129, 1023, 1024, 1025, 2048, 2049, 3072,
      3073, 4096, 4097, 5120, 5121, 6144, 6145, 7168, 7169, 8192, 8193, 16384, 31744, 102400,
    ];
    const context = 'BLAKE3 2019-12-27 16:29:52 test vectors context';
    const options = { context, outputLength: 131, engine };
    const all = sizes.map((size) => millrace.hash('blake3', counting(size, 251), options));
    assert.equal(sum(all), '7605dee31106742b2a9b8d771a6da16e568e9e0407dcf1a67cf1a6159395275e');
    const short = millrace.hash('blake3', counting(2, 251), { context, encoding: 'hex', engine });
    assert.equal(short, '1f166565a7df0098ee65922d7fea425fb18b9943f19d6161e2d17939356168e6');
  });
}

test('a short BLAKE2b is not the start of a long one', () => {
  // crypto_generichash of libsodium with its default size.
  const answer = '0e5751c026e543b2e8ab2eb06099daa1d1e5df47778f7787faab45cdf12fe3a8';
  assert.equal(millrace.hash('blake2b', '', { outputLength: 32, encoding: 'hex' }), answer);
});

/** Parameters and what @noble/hashes says of them. */
const cases = [
  ['blake2b512', { outputLength: 1 }],
  ['blake2b512', { outputLength: 20, key: counting(1) }],
  ['blake2b512', { outputLength: 63, salt: counting(16), key: counting(64) }],
  ['blake2b512', { personalization: 'sixteen letters.' }],
  ['blake2b512', { salt: counting(16), personalization: counting(16).reverse() }],
  ['blake2s256', { outputLength: 5, key: counting(32), salt: counting(8) }],
  ['blake2s256', { outputLength: 31, personalization: counting(8) }],
  ['blake3', { context: 'Millrace 2026 test' }],
  ['blake3', { context: '', outputLength: 100 }],
];

function oracle(name, { outputLength, personalization, context, ...rest }, message) {
  const options = { ...rest };
  if (outputLength !== undefined) options.dkLen = outputLength;
  if (personalization !== undefined) options.personalization = Buffer.from(personalization);
  if (context !== undefined) options.context = Buffer.from(context);
  const hash = { blake2b512: blake2b, blake2s256: blake2s, blake3 }[name];
  return hex(hash(message, options));
}

test('every call style and engine gives the same digest', async () => {
  const called = promisify(millrace.hash);
  for (const [name, parameters] of cases) {
    for (const size of [3, 129, name === 'blake3' ? 100_000 : 5000]) {
      const message = counting(size);
      const expected = oracle(name, parameters, message);
      const label = `${name} ${JSON.stringify(parameters)} ${size}`;
      for (const engine of engines) {
        const options = { ...parameters, engine, encoding: 'hex' };
        const pair = ['a', message];
        for (const found of [
          millrace.hash(name, message, options),
          await promises.hash(name, message, options),
          await called(name, message, options),
          await called(name, message, { ...options, route: 'pool' }),
          await called(name, message, { ...options, route: 'split' }),
          millrace.hashMany(name, pair, options)[1],
          (await promises.hashMany(name, pair, options))[1],
        ])
          assert.equal(found, expected, label);
        const target = Buffer.alloc(expected.length / 2 + 1);
        millrace.hash(name, message, { ...parameters, engine, target, targetOffset: 1 });
        assert.equal(hex(target.subarray(1)), expected, label);
        const running = millrace.createHash(name, { ...parameters, engine });
        running.update(message.subarray(0, 100));
        const [copy, state] = [running.copy(), running.exportState()];
        const resumed = engines.map((other) =>
          millrace.createHash(name, { ...parameters, engine: other, state }),
        );
        for (const hasher of [running, copy, ...resumed])
          assert.equal(hasher.update(message.subarray(100)).digest('hex'), expected, label);
        if (size === 129) {
          const stream = Readable.from([message.subarray(0, 2), message.subarray(2)]);
          assert.equal(await promises.hash(name, stream, options), expected, label);
        }
      }
      const { [name]: portableHash } = portable;
      assert.equal(portableHash(message, { ...parameters, encoding: 'hex' }), expected, label);
      const begun = portableHash.create(parameters);
      assert.equal(begun.update(message).digest('hex'), expected, label);
    }
  }
});

test('a prepared key takes the other parameters too', () => {
  const [bytes, salt, message] = [counting(40), counting(16), counting(200)];
  for (const engine of engines) {
    const key = millrace.createKey('blake2b512', bytes, { engine });
    assert.equal(key.size, 40);
    for (const parameters of [{}, { salt }, { outputLength: 12 }, { salt, outputLength: 12 }]) {
      const expected = oracle('blake2b512', { ...parameters, key: bytes }, message);
      const options = { ...parameters, key, encoding: 'hex' };
      assert.equal(millrace.hash('blake2b512', message, options), expected);
      assert.deepEqual(millrace.hashMany('blake2b512', [message], options), [expected]);
      const running = millrace.createHash('blake2b512', { ...parameters, key });
      assert.equal(running.update(message).digest('hex'), expected);
    }
    key.dispose();
    const gone = () => millrace.hash('blake2b512', message, { key, salt });
    assert.throws(gone, { code: 'ERR_KEY_DISPOSED' });
  }
});

test('a state does not resume with other parameters', () => {
  const wrong = { code: 'ERR_STATE' };
  const state = millrace.createHash('blake2b512', { outputLength: 32 }).update('a').exportState();
  for (const parameters of [{}, { outputLength: 31 }, { outputLength: 32, salt: counting(16) }])
    assert.throws(() => millrace.createHash('blake2b512', { ...parameters, state }), wrong);
  const derived = millrace.createHash('blake3', { context: 'a' }).update('a').exportState();
  const other = { context: 'b', state: derived };
  assert.throws(() => millrace.createHash('blake3', other), wrong);
});

test('a copy of a BLAKE2 hasher keeps its digest size', () => {
  const hasher = millrace.createHash('blake2b512', { outputLength: 20 });
  assert.equal(hasher.copy({ outputLength: 20 }).outputLength, 20);
  for (const outputLength of [19, 32, 64])
    assert.throws(() => hasher.copy({ outputLength }), { code: 'ERR_OUTPUT_SIZE' });
});

test('parameters that a hash does not take are refused', async () => {
  const refused = [
    ['sha256', { salt: counting(16) }, 'ERR_ARGUMENT_VALUE', /salt.*blake2b512, blake2s256/],
    ['sha256', { context: 'a' }, 'ERR_ARGUMENT_VALUE', /context.*blake3/],
    ['sha256', { outputLength: 31 }, 'ERR_OUTPUT_SIZE', /32 bytes/],
    ['blake3', { salt: counting(16) }, 'ERR_ARGUMENT_VALUE', /blake3 takes no salt/],
    ['blake3', { context: 'a', key: counting(32) }, 'ERR_ARGUMENT_VALUE', /exclude/],
    ['blake3', { context: counting(3) }, 'ERR_ARGUMENT_TYPE', /a string/],
    ['blake3', { key: counting(31) }, 'ERR_KEY_SIZE', /32 bytes/],
    ['blake2b512', { context: 'a' }, 'ERR_ARGUMENT_VALUE', /takes no context/],
    ['blake2b512', { seed: 1 }, 'ERR_ARGUMENT_VALUE', /takes no seed/],
    ['blake2b512', { key: counting(0) }, 'ERR_KEY_SIZE', /1 to 64 bytes/],
    ['blake2b512', { key: counting(65) }, 'ERR_KEY_SIZE', /1 to 64 bytes/],
    ['blake2s256', { key: counting(33) }, 'ERR_KEY_SIZE', /1 to 32 bytes/],
    ['blake2b512', { salt: counting(15) }, 'ERR_ARGUMENT_VALUE', /salt must be 16 bytes/],
    ['blake2s256', { salt: counting(16) }, 'ERR_ARGUMENT_VALUE', /salt must be 8 bytes/],
    ['blake2s256', { personalization: 'seven..' }, 'ERR_ARGUMENT_VALUE', /must be 8 bytes/],
    ['blake2b512', { salt: 16 }, 'ERR_ARGUMENT_TYPE', /salt/],
    ['blake2b512', { outputLength: 65 }, 'ERR_OUTPUT_SIZE', /between 1 and 64/],
    ['blake2b512', { outputLength: 0 }, 'ERR_OUTPUT_SIZE', /between 1 and 64/],
    ['blake2b512', { slat: counting(16) }, 'ERR_ARGUMENT_VALUE', /did you mean options.salt/],
  ];
  for (const [name, parameters, code, message] of refused) {
    const error = { code, message };
    const calls = [
      () => millrace.hash(name, 'a', parameters),
      () => millrace.hashMany(name, ['a'], parameters),
      () => millrace.createHash(name, parameters),
      () => millrace.hashFile(name, 'none', parameters),
    ];
    for (const call of calls) assert.throws(call, error, `${name} ${call}`);
    await assert.rejects(promises.hash(name, 'a', parameters), error);
    await assert.rejects(promises.hash(name, Readable.from(['a']), parameters), error);
    if ('slat' in parameters) continue;
    assert.throws(() => portable[name]('a', parameters), { code });
    assert.throws(() => portable[name].create(parameters), { code });
  }
  assert.throws(() => millrace.createKey('blake2b512', counting(65)), { code: 'ERR_KEY_SIZE' });
});
