// The hashes of SP 800-185 and RFC 9861: the standards' vectors in every call style and on both
// engines, random messages against @noble/hashes, running hashes, batches, files, wrong options.

import assert from 'node:assert/strict';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { Readable } from 'node:stream';
import { after, test } from 'node:test';

import * as noble from '@noble/hashes/sha3-addons.js';
import millrace from 'millrace';
import promises from 'millrace/promises';
import * as portable from 'millrace/portable';

import { temporary } from '../support/child.mjs';
import { random as randomOf } from '../support/random.mjs';
import { vectors } from '../support/vectors.mjs';
import { ways } from '../support/ways.mjs';

const engines = ['native', 'portable'];
const known = vectors('keccak-family');
const algorithms = [...new Set(known.map(({ algorithm }) => algorithm))];

test('there are vectors of all eighteen', () => {
  assert.equal(algorithms.length, 18);
  const hashes = millrace.getHashes();
  for (const name of algorithms) assert.ok(hashes.includes(name), name);
});

for (const engine of engines) {
  for (const algorithm of algorithms) {
    test(`${algorithm}: vectors, ${engine}`, async () => {
      const chosen = known.filter((vector) => vector.algorithm === algorithm);
      for (const { data, options, digest, last = digest.length / 2 } of chosen) {
        const given = { ...options, engine };
        const check = (output) =>
          assert.equal(Buffer.from(output).subarray(-last).toString('hex'), digest);
        for (const way of Object.values(ways)) check(await way('hash', algorithm, data, given));
        check(running(algorithm, data, given).digest());
        check(await running(algorithm, data, given).digestAsync());
        const size = options.outputLength ?? digest.length / 2;
        const [number, digits] = ['bigint', 'hex'].map((encoding) =>
          millrace.hash(algorithm, data, { ...given, encoding }),
        );
        assert.equal(number, BigInt(`0x${digits}`));
        const target = Buffer.alloc(size + 2, 0xa5);
        assert.equal(millrace.hash(algorithm, data, { ...given, target, targetOffset: 1 }), size);
        check(target.subarray(1, -1));
        assert.equal(target[0] + target.at(-1), 2 * 0xa5);
      }
    });
  }
}

const hashesItsLength = (algorithm) => /^(kmac|tuplehash|parallelhash)\d/.test(algorithm);

/** Returns a hasher that has absorbed the whole message incrementally; of a tuple, item by item. */
function running(algorithm, data, options) {
  const hasher = millrace.createHash(algorithm, options);
  if (Array.isArray(data)) for (const item of data) hasher.update(item);
  else for (let at = 0; at < data.length; at += 7001) hasher.update(data.subarray(at, at + 7001));
  return hasher;
}

test('millrace/portable has them too', () => {
  for (const { algorithm, data, options, digest, last = digest.length / 2 } of known) {
    const output = portable[algorithm](data, options);
    assert.equal(Buffer.from(output).subarray(-last).toString('hex'), digest);
  }
});

/** Returns the digest of @noble/hashes, which has other names for the options. */
function nobleDigest(algorithm, data, options) {
  const { outputLength, customization, functionName, key, domain, blockSize = 8192 } = options;
  const named = algorithm.replace(/xof(\d+)/, '$1xof');
  const given = { dkLen: outputLength, personalization: customization, NISTfn: functionName };
  if (domain !== undefined) given.D = domain;
  if (algorithm.startsWith('parallelhash')) given.blockLen = blockSize;
  const digest = key === undefined ? noble[named](data, given) : noble[named](key, data, given);
  return Buffer.from(digest);
}

test('random messages and options: @noble/hashes, both engines, any pieces, squeeze', () => {
  const random = randomOf('keccak family');
  for (const algorithm of algorithms) {
    const tuple = algorithm.startsWith('tuplehash');
    const exports = !algorithm.startsWith('kmac');
    const sizes = [0, 1, 135, 136, 167, 168, 8191, 8192, 8193, 16384, 20_000, 70_000];
    for (const size of sizes) {
      const options = { outputLength: 1 + random.below(300) };
      if (!algorithm.startsWith('turboshake') && random.below(2) > 0)
        options.customization = random.bytes(random.below(3) > 0 ? random.below(200) : 9000);
      if (algorithm.startsWith('cshake')) options.functionName = random.bytes(random.below(9));
      if (algorithm.startsWith('kmac')) options.key = random.bytes(random.below(200));
      if (algorithm.startsWith('turboshake')) options.domain = 1 + random.below(127);
      if (algorithm.startsWith('parallelhash')) options.blockSize = 100 + random.below(9000);
      const message = random.bytes(size);
      const cut = random.below(size + 1);
      const pieces = [message.subarray(0, cut), message.subarray(cut)];
      const data = tuple ? pieces : message;
      const expected = nobleDigest(algorithm, data, options).toString('hex');
      const what = `${algorithm} of ${size} bytes, cut at ${cut}`;
      for (const [index, engine] of engines.entries()) {
        const given = { ...options, engine };
        assert.equal(millrace.hash(algorithm, data, { ...given, encoding: 'hex' }), expected, what);
        const first = millrace.createHash(algorithm, given).update(pieces[0]);
        const copy = first.copy().update(pieces[1]);
        const resume = (hasher, other) =>
          exports
            ? millrace.createHash(algorithm, { ...given, ...other, state: hasher.exportState() })
            : hasher.copy();
        const resumed = resume(first, { engine: engines[1 - index] }).update(pieces[1]);
        assert.equal(copy.digest('hex'), expected, what);
        if (!hashesItsLength(algorithm)) {
          const half = options.outputLength >> 1;
          const parts = half > 0 ? [resumed.squeeze(half)] : [];
          const rest = resume(resumed);
          parts.push(rest.squeeze(options.outputLength - half));
          assert.equal(Buffer.concat(parts).toString('hex'), expected, what);
        } else {
          assert.throws(() => resumed.squeeze(10), { code: 'ERR_ARGUMENT_VALUE' });
          assert.equal(resumed.digest('hex'), expected, what);
        }
      }
    }
  }
});

test('default sizes; cSHAKE without names is SHAKE; the length is hashed but for an XOF', () => {
  const sizes = { cshake: [16, 32] };
  for (const algorithm of algorithms) {
    const [, family, bits] = /^([a-z]+?)(?:xof)?(128|256)$/.exec(algorithm);
    const wide = bits === '256' ? 1 : 0;
    const options = family === 'kmac' ? { key: Buffer.from('key') } : {};
    const data = family === 'tuplehash' ? ['abc'] : 'abc';
    const size = (sizes[family] ?? [32, 64])[wide];
    for (const engine of engines) {
      const whole = millrace.hash(algorithm, data, { ...options, engine });
      assert.equal(whole.length, size, algorithm);
      assert.equal(millrace.createHash(algorithm, { ...options, engine }).outputLength, size);
      const short = millrace.hash(algorithm, data, { ...options, engine, outputLength: 10 });
      assert.equal(whole.subarray(0, 10).equals(short), !hashesItsLength(algorithm), algorithm);
    }
  }
  for (const bits of [128, 256]) {
    const digest = millrace.hash(`shake${bits}`, 'abc', 'hex');
    assert.equal(digest.length, bits / 4);
    for (const options of [{}, { customization: '' }])
      assert.equal(millrace.hash(`cshake${bits}`, 'abc', { ...options, encoding: 'hex' }), digest);
  }
});

test('KangarooTwelve and ParallelHash on all cores', async () => {
  const random = randomOf('keccak family');
  const message = Buffer.concat(Array(40).fill(random.bytes(100_003)));
  for (const algorithm of ['kt128', 'kt256', 'parallelhash128', 'parallelhashxof256']) {
    for (const options of [{}, { customization: 'c' }, { customization: random.bytes(20_000) }]) {
      const expected = millrace.hash(algorithm, message, { ...options, encoding: 'hex' });
      const given = { ...options, encoding: 'hex', route: 'split' };
      assert.equal(await promises.hash(algorithm, message, given), expected);
    }
  }
});

const folder = temporary();
after(() => rmSync(folder, { recursive: true, force: true }));
const path = join(folder, 'file');

for (const algorithm of algorithms) {
  test(`${algorithm}: hashMany, streams and files`, async () => {
    const random = randomOf('keccak family');
    const messages = Array.from({ length: 40 }, () => random.bytes(random.below(600)));
    writeFileSync(path, messages[0]);
    const options = algorithm.startsWith('kmac') ? { key: Buffer.from('some key') } : {};
    const tuple = algorithm.startsWith('tuplehash');
    const sources = tuple ? messages.map((message) => [message, 'x']) : messages;
    const one = (source) => millrace.hash(algorithm, source, { ...options, encoding: 'hex' });
    const expected = sources.map(one);
    for (const engine of engines) {
      const given = { ...options, engine, encoding: 'hex' };
      assert.deepEqual(millrace.hashMany(algorithm, sources, given), expected, algorithm);
      assert.deepEqual(await promises.hashMany(algorithm, sources, given), expected, algorithm);
      if (tuple) {
        const refusal = { code: 'ERR_ARGUMENT_VALUE', message: /a file or stream has no items/ };
        assert.throws(() => millrace.hashFile(algorithm, path, { engine }), refusal);
        await assert.rejects(promises.hash(algorithm, Readable.from(messages), given), refusal);
        const hasher = millrace.createHash(algorithm, { engine });
        await assert.rejects(pipeline(Readable.from(messages), hasher), refusal);
        continue;
      }
      const whole = one(Buffer.concat(messages));
      assert.equal(await promises.hash(algorithm, Readable.from(messages), given), whole);
      const hasher = millrace.createHash(algorithm, { ...options, engine });
      await pipeline(Readable.from(messages), hasher);
      assert.equal(hasher.digest('hex'), whole, algorithm);
      assert.equal(millrace.hashFile(algorithm, path, given), expected[0]);
      assert.equal(await promises.hashFile(algorithm, path, given), expected[0]);
    }
  });
}

for (const [algorithm, options] of [
  ['cshake128', { customization: 'c' }],
  ['cshake256', { functionName: 'KMAC' }],
  ['kmac128', { key: Buffer.from('k'), customization: 'c' }],
  ['kt128', { customization: 'c' }],
  ['turboshake256', { domain: 7 }],
  ['parallelhash128', { blockSize: 2, customization: 'c' }],
])
  test(`${algorithm}: ${Object.keys(options)} count in streams and files too`, async () => {
    writeFileSync(path, 'abc');
    const expected = millrace.hash(algorithm, 'abc', options);
    assert.deepEqual(millrace.hashFile(algorithm, path, options), expected);
    assert.deepEqual(await promises.hashFile(algorithm, path, options), expected);
    const stream = Readable.from(['a', 'bc']);
    assert.deepEqual(await promises.hash(algorithm, stream, options), expected);
  });

test('KMAC takes a prepared key', async () => {
  const key = millrace.createKey('kmac256', Buffer.from('some key'));
  for (const options of [{}, { customization: 'c', outputLength: 20 }]) {
    const expected = millrace.hash('kmac256', 'abc', { ...options, key: Buffer.from('some key') });
    assert.deepEqual(millrace.hash('kmac256', 'abc', { ...options, key }), expected);
    assert.deepEqual(await promises.hash('kmac256', 'abc', { ...options, key }), expected);
    const hasher = millrace.createHash('kmac256', { ...options, key });
    assert.deepEqual(hasher.update('abc').digest(), expected);
  }
  key.dispose();
});

test('a TupleHash tells items apart, in arrays and in updates', async () => {
  const hash = (items) => millrace.hash('tuplehash128', items, 'hex');
  assert.notEqual(hash(['ab', 'c']), hash(['a', 'bc']));
  assert.notEqual(hash(['abc', '']), hash(['abc']));
  const long = Buffer.alloc(100_000, 'x');
  const hasher = millrace.createHash('tuplehash128').update('a').update('6263', 'hex');
  hasher.update(long, 10, 50_000).update(Buffer.alloc(0));
  await hasher.updateAsync(long);
  await new Promise((resolve) => void hasher.update('last', resolve));
  const items = ['a', 'bc', long.subarray(10, 50_010), '', long, 'last'];
  assert.equal(hasher.copy().digest('hex'), hash(items));
  assert.equal(hasher.copy().update('x').digest('hex'), hash([...items, 'x']));
  assert.equal(await hasher.digestAsync('hex'), hash(items));
  const wrong = millrace.createHash('tuplehash128').updateAsync(5);
  await assert.rejects(wrong, { code: 'ERR_ARGUMENT_TYPE' });
});

test('wrong options and sources are refused by every engine', async () => {
  const key = Buffer.from('k');
  const [VALUE, TYPE] = ['ERR_ARGUMENT_VALUE', 'ERR_ARGUMENT_TYPE'];
  const MISSING = 'ERR_MISSING_ARGUMENT';
  for (const [algorithm, options, code, message] of [
    ['sha256', { customization: 'c' }, VALUE, /takes no customization/],
    ['kt128', { domain: 7 }, VALUE, /kt128 takes no domain/],
    ['kt128', { key: Buffer.alloc(32) }, VALUE, /kt128 takes no key/],
    ['shake128', { functionName: 'KMAC' }, VALUE, /takes no functionName/],
    ['kmac128', { key, blockSize: 8 }, VALUE, /takes no blockSize/],
    ['kt128', { customisation: 'c' }, VALUE, /customization/],
    ['kt128', { customization: 5 }, TYPE, /options.customization/],
    ['turboshake128', { domain: 0 }, VALUE, /1 to 127/],
    ['turboshake128', { domain: 128 }, VALUE, /1 to 127/],
    ['parallelhash128', { blockSize: 0 }, VALUE, /blockSize/],
    ['parallelhash128', { blockSize: '8' }, TYPE, /blockSize/],
    ['kmac128', { outputLength: 0, key }, 'ERR_OUTPUT_SIZE', /outputLength/],
    ['kmac256', {}, MISSING, /options.key must be given/],
    ['kmac256', { customization: 'c' }, MISSING, /key/],
  ])
    for (const engine of engines) {
      const expected = { code, message };
      const given = { ...options, engine };
      assert.throws(() => millrace.hash(algorithm, 'x', given), expected);
      assert.throws(() => millrace.createHash(algorithm, given), expected);
    }
  for (const call of [
    () => millrace.hash('kmac256', 'x'),
    () => millrace.hash('kmac256', 'x', 'hex'),
    () => millrace.createHash('kmac256'),
    () => millrace.hashMany('kmac256', ['x']),
    () => portable.kmac256('x'),
    () => portable.kmac256.create(),
  ])
    assert.throws(call, { code: MISSING, message: /kmac256 is a MAC/ });
  await assert.rejects(promises.hash('kmac256', 'x'), { code: MISSING });
  for (const data of ['abc', Buffer.from('abc'), {}, undefined]) {
    const wrong = { code: TYPE, message: /data must be an array/ };
    assert.throws(() => millrace.hash('tuplehash128', data), wrong);
    assert.throws(() => portable.tuplehash128(data), wrong);
    await assert.rejects(promises.hash('tuplehash128', data), wrong);
  }
  const state = millrace.createHash('kt128').update('abc').exportState();
  for (const [name, args, code, message = /./] of [
    ['hash', ['tuplehash128', ['a', 5]], TYPE, /data\[1\]/],
    ['hash', ['sha256', ['a']], TYPE],
    ['hmac', ['kt128', 'key', 'x'], VALUE],
    ['createHash', ['kt256', { state }], 'ERR_STATE'],
    ['createHash', ['turboshake128', { state }], 'ERR_STATE'],
    ['createHash', ['kt128', { state, customization: 'c' }], 'ERR_STATE'],
  ])
    assert.throws(() => millrace[name](...args), { code, message });
});
