// The hashes of SP 800-185 and RFC 9861: the standards' vectors in every call style and on both
// engines, random messages against @noble/hashes, running hashes, batches, files, wrong options.

import assert from 'node:assert/strict';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { Readable } from 'node:stream';
import { test } from 'node:test';

import * as noble from '@noble/hashes/sha3-addons.js';
import millrace from 'millrace';
import promises from 'millrace/promises';
import * as portable from 'millrace/portable';

import { random as randomOf } from '../support/random.mjs';

const engines = ['native', 'portable'];
const vectors = JSON.parse(
  readFileSync(new URL('../vectors/keccak-family.json', import.meta.url), 'utf8'),
).map(({ data, options, ...rest }) => ({
  ...rest,
  data: Array.isArray(data) ? data.map(bytesOf) : bytesOf(data),
  options: Object.fromEntries(
    Object.entries(options).map(([name, value]) => [name, bytesOf(value)]),
  ),
}));
const algorithms = [...new Set(vectors.map(({ algorithm }) => algorithm))];

/**
 * Returns a value of the vectors: text and numbers as they are, hex digits, or RFC 9861's pattern.
 */
function bytesOf(value) {
  if (typeof value !== 'object') return value;
  if (value.hex !== undefined) return Buffer.from(value.hex, 'hex');
  return Buffer.from(Uint8Array.from({ length: value.pattern }, (_, index) => index % 251));
}

const callback = (name, ...given) =>
  new Promise((resolve, reject) =>
    millrace[name](...given, (error, value) => (error ? reject(error) : resolve(value))),
  );

test('there are vectors of all eighteen', () => {
  assert.equal(algorithms.length, 18);
  const known = millrace.getHashes();
  assert.deepEqual(
    algorithms.filter((name) => !known.includes(name)),
    [],
  );
});

for (const engine of engines) {
  for (const algorithm of algorithms) {
    test(`${algorithm}: vectors, ${engine}`, async () => {
      const chosen = vectors.filter((vector) => vector.algorithm === algorithm);
      for (const { data, options, digest, last = digest.length / 2 } of chosen) {
        const given = { ...options, engine };
        const check = (output) =>
          assert.equal(Buffer.from(output).subarray(-last).toString('hex'), digest);
        check(millrace.hash(algorithm, data, given));
        check(await callback('hash', algorithm, data, given));
        check(await promises.hash(algorithm, data, given));
        check(running(algorithm, data, given).digest());
        check(await running(algorithm, data, given).digestAsync());
        const size = options.outputLength ?? digest.length / 2;
        assert.equal(
          millrace.hash(algorithm, data, { ...given, encoding: 'bigint' }),
          BigInt(`0x${millrace.hash(algorithm, data, { ...given, encoding: 'hex' })}`),
        );
        const target = Buffer.alloc(size + 2, 0xa5);
        assert.equal(millrace.hash(algorithm, data, { ...given, target, targetOffset: 1 }), size);
        check(target.subarray(1, -1));
        assert.equal(target[0] + target.at(-1), 2 * 0xa5);
      }
    });
  }
}

/** Returns a hasher that has absorbed the whole message incrementally; of a tuple, item by item. */
function running(algorithm, data, options) {
  const hasher = millrace.createHash(algorithm, options);
  if (Array.isArray(data)) for (const item of data) hasher.update(item);
  else for (let at = 0; at < data.length; at += 7001) hasher.update(data.subarray(at, at + 7001));
  return hasher;
}

test('millrace/portable has them too', () => {
  for (const { algorithm, data, options, digest, last = digest.length / 2 } of vectors) {
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
        if (!/^(kmac|tuplehash|parallelhash)\d/.test(algorithm)) {
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
      assert.equal(
        whole.subarray(0, 10).equals(short),
        !['kmac128', 'kmac256', 'tuplehash128', 'tuplehash256'].includes(algorithm) &&
          !['parallelhash128', 'parallelhash256'].includes(algorithm),
        algorithm,
      );
    }
  }
  for (const bits of [128, 256]) {
    const digest = millrace.hash(`shake${bits}`, 'abc', 'hex');
    assert.equal(digest.length, bits / 4);
    assert.equal(millrace.hash(`cshake${bits}`, 'abc', 'hex'), digest);
    assert.equal(
      millrace.hash(`cshake${bits}`, 'abc', { customization: '', encoding: 'hex' }),
      digest,
    );
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

test('hashMany, streams and files', async () => {
  const random = randomOf('keccak family');
  const messages = Array.from({ length: 40 }, () => random.bytes(random.below(600)));
  const path = join(tmpdir(), `millrace-keccak-${process.pid}`);
  writeFileSync(path, messages[0]);
  try {
    for (const algorithm of algorithms) {
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
    }
  } finally {
    rmSync(path);
  }
});

test('the parameters count in streams and files too', async () => {
  const path = join(tmpdir(), `millrace-keccak-parameters-${process.pid}`);
  writeFileSync(path, 'abc');
  try {
    for (const [algorithm, options] of [
      ['cshake128', { customization: 'c' }],
      ['cshake256', { functionName: 'KMAC' }],
      ['kmac128', { key: Buffer.from('k'), customization: 'c' }],
      ['kt128', { customization: 'c' }],
      ['turboshake256', { domain: 7 }],
      ['parallelhash128', { blockSize: 2, customization: 'c' }],
    ]) {
      const expected = millrace.hash(algorithm, 'abc', options);
      assert.deepEqual(millrace.hashFile(algorithm, path, options), expected, algorithm);
      assert.deepEqual(await promises.hashFile(algorithm, path, options), expected, algorithm);
      const stream = Readable.from(['a', 'bc']);
      assert.deepEqual(await promises.hash(algorithm, stream, options), expected, algorithm);
    }
  } finally {
    rmSync(path);
  }
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
  await assert.rejects(millrace.createHash('tuplehash128').updateAsync(5), {
    code: 'ERR_ARGUMENT_TYPE',
  });
});

test('wrong options and sources are refused by every engine', async () => {
  const value = (algorithm, data, options, code, message) => {
    for (const engine of engines) {
      const given = { ...options, engine };
      const expected = { code, ...(message && { message }) };
      assert.throws(() => millrace.hash(algorithm, data, given), expected);
      if (!Array.isArray(data) && data !== undefined)
        assert.throws(() => millrace.createHash(algorithm, given), expected);
    }
  };
  value('sha256', 'x', { customization: 'c' }, 'ERR_ARGUMENT_VALUE', /takes no customization/);
  value('kt128', 'x', { domain: 7 }, 'ERR_ARGUMENT_VALUE', /kt128 takes no domain/);
  value('kt128', 'x', { key: Buffer.alloc(32) }, 'ERR_ARGUMENT_VALUE', /kt128 takes no key/);
  value('shake128', 'x', { functionName: 'KMAC' }, 'ERR_ARGUMENT_VALUE', /takes no functionName/);
  value(
    'kmac128',
    'x',
    { key: Buffer.from('k'), blockSize: 8 },
    'ERR_ARGUMENT_VALUE',
    /takes no blockSize/,
  );
  value('kt128', 'x', { customisation: 'c' }, 'ERR_ARGUMENT_VALUE', /customization/);
  value('kt128', 'x', { customization: 5 }, 'ERR_ARGUMENT_TYPE', /options.customization/);
  value('turboshake128', 'x', { domain: 0 }, 'ERR_ARGUMENT_VALUE', /1 to 127/);
  value('turboshake128', 'x', { domain: 128 }, 'ERR_ARGUMENT_VALUE', /1 to 127/);
  value('parallelhash128', 'x', { blockSize: 0 }, 'ERR_ARGUMENT_VALUE', /blockSize/);
  value('parallelhash128', 'x', { blockSize: '8' }, 'ERR_ARGUMENT_TYPE', /blockSize/);
  value('kmac128', 'x', { outputLength: 0, key: Buffer.from('k') }, 'ERR_OUTPUT_SIZE');
  value('kmac256', 'x', {}, 'ERR_MISSING_ARGUMENT', /options.key must be given/);
  value('kmac256', 'x', { customization: 'c' }, 'ERR_MISSING_ARGUMENT');
  for (const call of [
    () => millrace.hash('kmac256', 'x'),
    () => millrace.hash('kmac256', 'x', 'hex'),
    () => millrace.createHash('kmac256'),
    () => millrace.hashMany('kmac256', ['x']),
    () => portable.kmac256('x'),
    () => portable.kmac256.create(),
  ])
    assert.throws(call, { code: 'ERR_MISSING_ARGUMENT', message: /kmac256 is a MAC/ });
  await assert.rejects(promises.hash('kmac256', 'x'), { code: 'ERR_MISSING_ARGUMENT' });
  for (const data of ['abc', Buffer.from('abc'), {}, undefined]) {
    const wrong = { code: 'ERR_ARGUMENT_TYPE', message: /data must be an array/ };
    assert.throws(() => millrace.hash('tuplehash128', data), wrong);
    assert.throws(() => portable.tuplehash128(data), wrong);
    await assert.rejects(promises.hash('tuplehash128', data), wrong);
  }
  assert.throws(() => millrace.hash('tuplehash128', ['a', 5]), {
    code: 'ERR_ARGUMENT_TYPE',
    message: /data\[1\]/,
  });
  assert.throws(() => millrace.hash('sha256', ['a']), { code: 'ERR_ARGUMENT_TYPE' });
  assert.throws(() => millrace.hmac('kt128', 'key', 'x'), { code: 'ERR_ARGUMENT_VALUE' });
  const state = millrace.createHash('kt128').update('abc').exportState();
  for (const algorithm of ['kt256', 'turboshake128'])
    assert.throws(() => millrace.createHash(algorithm, { state }), { code: 'ERR_STATE' });
  assert.throws(() => millrace.createHash('kt128', { state, customization: 'c' }), {
    code: 'ERR_STATE',
  });
});
