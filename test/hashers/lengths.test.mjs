// Hashers against other implementations (support/oracles.mjs): every short length and 1 MiB + 1 of
// every algorithm, seed, key and HMAC, in random pieces, taken out in every way a digest comes.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import millrace from 'millrace';

import { hashes, hmacNames } from '../support/algorithms.mjs';
import { oracle } from '../support/oracles.mjs';
import { pieces, subjects } from '../support/hashers.mjs';
import { random } from '../support/random.mjs';

const everyLength = 2100;

/** Ways of taking a message in and its digest out, as bytes. All must come to the same. */
const ways = {
  'update, digest': (hasher, cuts) => fed(hasher, cuts).digest(),
  'digest as hex': (hasher, cuts) => Buffer.from(fed(hasher, cuts).digest('hex'), 'hex'),
  'digest as bigint': (hasher, cuts) =>
    Buffer.from(
      fed(hasher, cuts)
        .digest('bigint')
        .toString(16)
        .padStart(hasher.outputLength * 2, '0'),
      'hex',
    ),
  digestInto: (hasher, cuts) => {
    const target = Buffer.alloc(hasher.outputLength + 9, 0xa5);
    assert.equal(fed(hasher, cuts).digestInto(target, 4), hasher.outputLength);
    assert.deepEqual([...target.subarray(0, 4), ...target.subarray(-5)], Array(9).fill(0xa5));
    return target.subarray(4, -5);
  },
  'windows of a larger buffer': (hasher, cuts) => {
    const whole = Buffer.concat([Buffer.alloc(3), ...cuts, Buffer.alloc(5)]);
    let at = 3;
    for (const { length } of cuts) {
      hasher.update(whole, at, length);
      at += length;
    }
    return hasher.digest();
  },
  'reset midway': (hasher, cuts) =>
    fed(fed(hasher, cuts.slice(0, cuts.length >> 1)).reset(), cuts).digest(),
  'reset after the digest': (hasher, cuts) => {
    fed(hasher, cuts).digest();
    return fed(hasher.reset(), cuts).digest();
  },
  'a copy midway': (hasher, cuts) => {
    const middle = cuts.length >> 1;
    const copy = fed(hasher, cuts.slice(0, middle)).copy();
    hasher.update('something else').digest();
    return fed(copy, cuts.slice(middle)).digest();
  },
  'the original of a copy': (hasher, cuts) => {
    const middle = cuts.length >> 1;
    const copy = fed(hasher, cuts.slice(0, middle)).copy();
    fed(hasher, cuts.slice(middle));
    copy.update('something else').digest();
    return hasher.digest();
  },
  'strings of latin1': (hasher, cuts) => {
    for (const cut of cuts) hasher.update(cut.toString('latin1'), 'latin1');
    return hasher.digest();
  },
};
const styleNames = Object.keys(ways);

function fed(hasher, cuts) {
  for (const cut of cuts) hasher.update(cut);
  return hasher;
}

function agrees(subject, message, way, rng) {
  const cuts = pieces(message, rng);
  const what = `${subject.name}, ${way}, updates of ${cuts.map(({ length }) => length)}`;
  assert.deepEqual(ways[way](subject.make(), cuts), subject.expected(message), what);
}

for (const subject of subjects) {
  test(`every length in chunks: ${subject.name}`, () => {
    const rng = random(`pieces ${subject.name}`);
    const data = rng.bytes(everyLength + 16);
    for (let size = 0; size <= everyLength; size++) {
      const start = rng.below(16);
      const way = styleNames[(size * 7 + (size >> 4)) % styleNames.length];
      agrees(subject, data.subarray(start, start + size), way, rng);
    }
  });
}

test('1 MiB + 1 in chunks has the digest of one piece: every algorithm', () => {
  const rng = random('large');
  const message = rng.bytes(2 ** 20 + 1);
  for (const subject of subjects)
    for (let round = 0; round < 2; round++) agrees(subject, message, rng.pick(styleNames), rng);
});

test('chunks around the size of the buffer have the digest of one piece', () => {
  const rng = random('buffered');
  const data = rng.bytes(3 * 4096 + 10);
  for (const subject of subjects) {
    for (const size of [1023, 1024, 1025, 4095, 4096, 4097, 5119, 5120, 8191, 8192, 8193, 12_289]) {
      agrees(subject, data.subarray(0, size), rng.pick(styleNames), rng);
    }
  }
});

// Hashers share one input buffer: the next hasher evicts the current one.
test('many hashers in turn keep their own messages', () => {
  const rng = random('turns');
  const data = rng.bytes(5000);
  for (let round = 0; round < 12; round++) {
    const running = Array.from({ length: rng.between(2, 40) }, () => ({
      subject: rng.pick(subjects),
      parts: [],
    }));
    for (const each of running) each.hasher = each.subject.make();
    for (let turn = 0; turn < 400; turn++) {
      const each = rng.pick(running);
      const size = rng.chance(0.9) ? rng.below(200) : rng.below(5000);
      const part = data.subarray(rng.below(data.length - size), data.length).subarray(0, size);
      each.hasher.update(part);
      each.parts.push(part);
      // Other calls that use the same memory.
      if (turn % 9 === 0) millrace.hash('sha256', 'a string of some length '.repeat(turn % 40));
      if (turn % 31 === 0) millrace.hashMany('sha1', ['one', 'two']);
      if (turn % 17 === 0) each.hasher = each.hasher.copy();
      if (turn % 29 === 0 && each.subject.exports) each.hasher.exportState();
    }
    for (const { subject, hasher, parts } of running)
      assert.deepEqual(hasher.digest(), subject.expected(Buffer.concat(parts)), subject.name);
  }
});

test('an HMAC takes keys of every size, which may be changed after the call', () => {
  const rng = random('keys');
  const bytes = rng.bytes(300);
  const message = rng.bytes(700);
  for (const algorithm of hmacNames) {
    for (let size = 0; size <= 300; size++) {
      const [key, source] = [bytes.subarray(0, size), message.subarray(0, size * 2)];
      const expected = oracle({ kind: 'hmac', algorithm, key, source }).output;
      const own = Buffer.from(key);
      const hmac = millrace.createHmac(algorithm, own);
      own.fill(9);
      const what = `hmac-${algorithm} with a key of ${size} bytes`;
      assert.deepEqual(fed(hmac, pieces(source, rng)).digest(), expected, what);
      assert.deepEqual(hmac.reset().update(source).digest(), expected, `${what}, after reset()`);
    }
  }
});

for (const subject of subjects.filter(({ xof }) => xof)) {
  test(`squeezed in random sizes: ${subject.name}`, () => {
    const rng = random(`squeeze ${subject.name}`);
    const { algorithm, options } = subject;
    const total = 6000;
    for (const size of [0, 1, 135, 136, 137, 167, 168, 169, 1000, 1024, 1025, 5000]) {
      const message = rng.bytes(size);
      const job = { kind: 'hash', algorithm, source: message, ...options, outputLength: total };
      const expected = oracle(job).output;
      let hasher = fed(subject.make(), pieces(message, rng));
      const found = [];
      const largest = rng.pick([3, 70, 400, 3000]);
      const squeezes = [
        (count) => hasher.squeeze(count),
        (count) => Buffer.from(hasher.squeeze(count, 'hex'), 'hex'),
        (count) => {
          const target = Buffer.alloc(count + 7, 0x5a);
          assert.equal(hasher.squeezeInto(target, 3, count), count);
          const beside = [...target.subarray(0, 3), ...target.subarray(count + 3)];
          assert.deepEqual(beside, Array(7).fill(0x5a));
          return target.subarray(3, count + 3);
        },
        (count) => {
          // From here on a copy; the original goes elsewhere.
          const original = hasher;
          hasher = original.copy();
          original.squeeze(11);
          return hasher.squeeze(count);
        },
        (count) => {
          hasher = subject.make({ state: hasher.exportState() });
          return hasher.squeeze(count);
        },
      ];
      for (let at = 0; at < total;) {
        const count = Math.min(total - at, Math.max(rng.between(1, largest), 10));
        found.push(rng.pick(squeezes)(count));
        at += count;
      }
      assert.ok(Buffer.concat(found).equals(expected), `${size} bytes`);
      hasher.reset().update(message);
      assert.ok(hasher.squeeze(total).equals(expected), `${size} bytes, after reset()`);
    }
  });
}

test('a hasher has the name and sizes of its algorithm', () => {
  for (const { name, algorithm, kind, options, make } of subjects) {
    const hasher = make();
    const { digest, block } = hashes[algorithm];
    assert.equal(hasher.algorithm, algorithm, name);
    assert.equal(hasher.outputLength, options?.outputLength ?? digest, name);
    // xxHash takes 16 to 1,024 bytes at once, depending on how one sees it.
    if (hashes[algorithm].hmac || hashes[algorithm].xof)
      assert.equal(hasher.blockSize, block, name);
    else assert.ok(Number.isInteger(hasher.blockSize) && hasher.blockSize > 0, name);
    assert.ok(hasher instanceof (kind === 'hmac' ? millrace.Hmac : millrace.Hash), name);
    assert.equal(hasher.constructor.name, kind === 'hmac' ? 'Hmac' : 'Hash');
    for (const property of ['algorithm', 'outputLength', 'blockSize'])
      assert.throws(() => Object.assign(hasher, { [property]: 5 }), TypeError, property);
    assert.equal(hasher.digest().length, hasher.outputLength, name);
  }
  for (const [algorithm, size] of Object.entries({ shake128: 16, shake256: 32 }))
    assert.equal(millrace.createHash(algorithm).outputLength, size);
});

test('names are taken in any case, and aliases too', () => {
  for (const [alias, name] of [
    ['SHA256', 'sha256'],
    ['SHA-256', 'sha256'],
    ['sha512/256', 'sha512-256'],
    ['RSA-SHA1', 'sha1'],
    ['sha3_256', 'sha3-256'],
  ]) {
    const hash = millrace.createHash(alias);
    assert.equal(hash.algorithm, name);
    const { output } = oracle({ kind: 'hash', algorithm: name, source: Buffer.from('abc') });
    assert.deepEqual(hash.update('abc').digest(), output);
    assert.equal(millrace.createHmac(alias, 'key').algorithm, name);
  }
});

test('a seed may be a number or a bigint of every width', () => {
  for (const [algorithm, { seedBits }] of Object.entries(hashes)) {
    if (!seedBits) continue;
    const wide = seedBits === 64 ? [2n ** 32n, 2n ** 53n + 1n, 2n ** 64n - 1n] : [];
    for (const seed of [0, 1, 2 ** 31, 2 ** 32 - 1, ...wide]) {
      const message = Buffer.alloc(3000, 'seeded');
      const expected = millrace.hash(algorithm, message, { seed });
      const hash = millrace.createHash(algorithm, { seed });
      hash.update(message.subarray(0, 1700)).update(message.subarray(1700));
      assert.deepEqual(hash.digest(), expected, `${algorithm} ${seed}`);
      const again = hash.reset().update(message).digest();
      assert.deepEqual(again, expected, `${algorithm} ${seed} after reset()`);
    }
    assert.notDeepEqual(
      millrace.createHash(algorithm, { seed: 1 }).digest(),
      millrace.createHash(algorithm).digest(),
    );
  }
});

test('every outputLength gives the start of the output', () => {
  const rng = random('lengths of output');
  for (const algorithm of ['shake128', 'shake256', 'blake3']) {
    const message = rng.bytes(777);
    const whole = oracle({ kind: 'hash', algorithm, source: message, outputLength: 1500 }).output;
    for (let outputLength = 1; outputLength <= 1500; outputLength++) {
      const hash = millrace.createHash(algorithm, { outputLength }).update(message);
      const other = 1501 - outputLength;
      if (outputLength % 5 === 0)
        assert.deepEqual(
          hash.copy({ outputLength: other }).digest(),
          whole.subarray(0, other),
          `${algorithm}, a copy of ${other}`,
        );
      const expected = whole.subarray(0, outputLength);
      assert.deepEqual(hash.digest(), expected, `${algorithm}, ${outputLength}`);
    }
    assert.deepEqual(
      millrace.createHash(algorithm).update(message).digest(),
      whole.subarray(0, algorithm === 'shake128' ? 16 : 32),
    );
  }
});
