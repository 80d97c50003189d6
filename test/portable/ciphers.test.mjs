// The portable ciphers by themselves, against the native engine and Wycheproof: sizes, alignments,
// overlaps, tags, counters.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

import millrace from 'millrace';

import { aeadNames, original, cipherNames, ciphers, streamNames } from '../support/algorithms.mjs';
import { portable } from '../support/portable-bundle.mjs';
import { random } from '../support/random.mjs';

const { prepareCipher } = await portable('src/portable/ciphers/index.ts');

/** The list of the tests has the order of the catalog. */
const prepare = (algorithm, key) => prepareCipher(cipherNames.indexOf(algorithm), key);

/** What the native engine makes of a text: `{ output, tag }`. */
function native(algorithm, { key, iv, aad, source }) {
  if (!ciphers[algorithm].aead)
    return { output: millrace.cipher(algorithm, { encrypt: true, key, iv, source }) };
  const tag = Buffer.alloc(16);
  return { output: millrace.cipher(algorithm, { encrypt: true, key, iv, source, aad, tag }), tag };
}

function inputs(algorithm, rng, size, aadSize) {
  const { key, iv } = ciphers[algorithm];
  return {
    key: rng.bytes(key),
    iv: rng.bytes(iv),
    aad: rng.bytes(aadSize),
    source: rng.bytes(size),
  };
}

/**
 * Runs `work` over copies of the bytes that stand `offset` bytes past alignment, and checks that
 * nothing was written around them.
 */
function within(offsets, sizes, work) {
  const frame = 24;
  const wholes = sizes.map((size, index) =>
    Buffer.from(new ArrayBuffer(frame + offsets[index] + size + frame)).fill(0xa5),
  );
  const places = wholes.map(
    (whole, index) => new Uint8Array(whole.buffer, frame + offsets[index], sizes[index]),
  );
  const result = work(...places);
  for (const [index, whole] of wholes.entries()) {
    const [start, end] = [frame + offsets[index], frame + offsets[index] + sizes[index]];
    assert.ok(
      whole.subarray(0, start).every((byte) => byte === 0xa5) &&
        whole.subarray(end).every((byte) => byte === 0xa5),
      'written beside a place',
    );
  }
  return result;
}

/** Seals or applies between places at these offsets. */
function encrypt(algorithm, cipher, { iv, aad, source }, offsets = [0, 0], tagSize = 16) {
  return within(offsets, [source.length, source.length], (from, to) => {
    from.set(source);
    const tag = Buffer.alloc(tagSize);
    if (ciphers[algorithm].aead) cipher.seal(iv, aad, from, to, tag);
    else cipher.apply(iv, from, to);
    assert.deepEqual(Buffer.from(from), source, 'the source was written');
    return { output: Buffer.from(to), tag };
  });
}

function check(algorithm, cipher, given, offsets) {
  const expected = native(algorithm, given);
  const made = encrypt(algorithm, cipher, given, offsets);
  const note = `${algorithm} ${given.source.length} ${given.aad.length} ${offsets}`;
  assert.deepEqual(made.output, expected.output, note);
  if (!ciphers[algorithm].aead) return;
  assert.deepEqual(made.tag, expected.tag, note);
  within(offsets ?? [0, 0], [given.source.length, given.source.length], (from, to) => {
    from.set(made.output);
    assert.equal(cipher.open(given.iv, given.aad, from, to, made.tag), true, note);
    assert.deepEqual(Buffer.from(to), given.source, note);
  });
}

const sizesAroundBlocks = [
  ...Array.from({ length: 150 }, (_, index) => index),
  255,
  256,
  257,
  4079,
  4080,
  4095,
  4096,
  4097,
  4112,
  8191,
  8192,
  8193,
  16_384,
  20_001,
  65_537,
  70_000,
];

for (const algorithm of cipherNames) {
  test(`every size and alignment: ${algorithm}`, () => {
    const rng = random(`portable ${algorithm}`);
    const { key } = inputs(algorithm, rng, 0, 0);
    const cipher = prepare(algorithm, key);
    for (const size of sizesAroundBlocks) {
      check(algorithm, cipher, { ...inputs(algorithm, rng, size, size % 37), key }, [
        rng.below(8),
        rng.below(8),
      ]);
    }
    cipher.dispose();
  });

  test(`random keys and sizes: ${algorithm}`, () => {
    const rng = random(`portable random ${algorithm}`);
    for (let round = 0; round < 100; round++) {
      const given = inputs(
        algorithm,
        rng,
        rng.below(rng.pick([40, 400, 9000])),
        rng.below(rng.pick([1, 20, 300, 9000])),
      );
      const cipher = prepare(algorithm, given.key);
      check(algorithm, cipher, given, [rng.below(4), rng.below(4)]);
      cipher.dispose();
    }
  });

  test(`in place and overlapping from either side: ${algorithm}`, () => {
    const rng = random(`portable overlap ${algorithm}`);
    for (const distance of [0, 1, 4, 15, 16, 17, 63, 64, 100, 4096, -1, -4, -16, -63, -64, -4097]) {
      const given = inputs(algorithm, rng, 5000 + rng.below(100), 20);
      const cipher = prepare(algorithm, given.key);
      const expected = native(algorithm, given);
      const whole = new Uint8Array(20_000);
      const place = (at) => whole.subarray(7000 + at, 7000 + at + given.source.length);
      const [from, to] = [place(0), place(distance)];
      from.set(given.source);
      const tag = new Uint8Array(16);
      if (ciphers[algorithm].aead) cipher.seal(given.iv, given.aad, from, to, tag);
      else cipher.apply(given.iv, from, to);
      assert.deepEqual(Buffer.from(to), expected.output, `distance ${distance}`);
      if (!ciphers[algorithm].aead) continue;
      assert.deepEqual(Buffer.from(tag), expected.tag, `distance ${distance}`);
      from.set(expected.output);
      assert.equal(cipher.open(given.iv, given.aad, from, to, tag), true);
      assert.deepEqual(Buffer.from(to), given.source, `distance ${distance}`);
    }
  });

  test(`iv and tag may lie in the target: ${algorithm}`, () => {
    const rng = random(`portable within ${algorithm}`);
    const given = inputs(algorithm, rng, 200, 0);
    const cipher = prepare(algorithm, given.key);
    const expected = native(algorithm, given);
    const whole = new Uint8Array(200);
    const iv = whole.subarray(50, 50 + given.iv.length);
    const tag = whole.subarray(100, 116);
    iv.set(given.iv);
    if (!ciphers[algorithm].aead) {
      cipher.apply(iv, given.source, whole);
      assert.deepEqual(Buffer.from(whole), expected.output);
      return;
    }
    tag.set(expected.tag);
    assert.equal(cipher.open(iv, given.aad, expected.output, whole, tag), true);
    assert.deepEqual(Buffer.from(whole), given.source);
  });

  test(`in shared memory: ${algorithm}`, () => {
    const rng = random(`portable shared ${algorithm}`);
    const given = inputs(algorithm, rng, 5001, 30);
    const shared = (bytes) => {
      const copy = new Uint8Array(new SharedArrayBuffer(bytes.length + 1), 1);
      copy.set(bytes);
      return copy;
    };
    const cipher = prepare(algorithm, shared(given.key));
    const expected = native(algorithm, given);
    const [iv, aad, source, target, tag] = [
      given.iv,
      given.aad,
      given.source,
      Buffer.alloc(5001),
      Buffer.alloc(16),
    ].map(shared);
    if (!ciphers[algorithm].aead) {
      cipher.apply(iv, source, target);
      assert.deepEqual(Buffer.from(target), expected.output);
      return;
    }
    cipher.seal(iv, aad, source, target, tag);
    assert.deepEqual([Buffer.from(target), Buffer.from(tag)], [expected.output, expected.tag]);
    assert.equal(cipher.open(iv, aad, target, source.fill(0), tag), true);
    assert.deepEqual(Buffer.from(source), given.source);
  });

  test(`the key may be wiped when it was prepared: ${algorithm}`, () => {
    const rng = random(`portable key ${algorithm}`);
    const given = inputs(algorithm, rng, 100, 10);
    const expected = native(algorithm, given);
    const cipher = prepare(algorithm, given.key);
    given.key.fill(0);
    assert.deepEqual(encrypt(algorithm, cipher, given).output, expected.output);
    cipher.dispose();
    assert.notDeepEqual(
      encrypt(algorithm, cipher, given).output,
      expected.output,
      'the key is gone when it is disposed',
    );
  });
}

for (const algorithm of aeadNames) {
  test(`a forged message is not opened, and the target is zero: ${algorithm}`, () => {
    const rng = random(`portable forged ${algorithm}`);
    for (const size of [0, 1, 16, 100, 5000]) {
      const given = inputs(algorithm, rng, size, 13);
      const cipher = prepare(algorithm, given.key);
      const { output, tag } = encrypt(algorithm, cipher, given);
      const flipped = (bytes) => {
        const copy = Buffer.from(bytes);
        copy[rng.below(copy.length)] ^= 1 << rng.below(8);
        return copy;
      };
      const forgeries = [
        [given.iv, given.aad, output, flipped(tag)],
        [given.iv, flipped(given.aad), output, tag],
        [flipped(given.iv), given.aad, output, tag],
        [given.iv, given.aad.subarray(1), output, tag],
      ];
      if (size > 0) forgeries.push([given.iv, given.aad, flipped(output), tag]);
      for (const [iv, aad, source, wrongTag] of forgeries) {
        const target = Buffer.alloc(size, 0x77);
        assert.equal(cipher.open(iv, aad, source, target, wrongTag), false);
        assert.deepEqual(target, Buffer.alloc(size));
        const inPlace = Buffer.from(source);
        assert.equal(cipher.open(iv, aad, inPlace, inPlace, wrongTag), false);
        assert.deepEqual(inPlace, Buffer.alloc(size));
      }
    }
  });

  test(`additional data of every size: ${algorithm}`, () => {
    const rng = random(`portable aad ${algorithm}`);
    const { key } = inputs(algorithm, rng, 0, 0);
    const cipher = prepare(algorithm, key);
    for (const size of [...sizesAroundBlocks, 100_000])
      check(algorithm, cipher, { ...inputs(algorithm, rng, size % 70, size), key });
  });

  test(`tags cut short: ${algorithm}`, () => {
    const rng = random(`portable tags ${algorithm}`);
    const given = inputs(algorithm, rng, 77, 5);
    const cipher = prepare(algorithm, given.key);
    const { output, tag } = native(algorithm, given);
    for (const size of original.ciphers.includes(algorithm) ? original.tagSizes(algorithm) : [16]) {
      assert.deepEqual(encrypt(algorithm, cipher, given, [0, 0], size).tag, tag.subarray(0, size));
      const target = Buffer.alloc(77);
      assert.equal(cipher.open(given.iv, given.aad, output, target, tag.subarray(0, size)), true);
      assert.deepEqual(target, given.source);
      const wrong = Buffer.from(tag.subarray(0, size));
      wrong[size - 1] ^= 0x80;
      assert.equal(cipher.open(given.iv, given.aad, output, target, wrong), false);
    }
  });
}

test('counters carry as natively', () => {
  const rng = random('portable counters');
  for (const algorithm of streamNames) {
    for (let round = 0; round < 120; round++) {
      const given = inputs(algorithm, rng, rng.below(2000), 0);
      // Some bytes of ones from either end, then a little less than that.
      given.iv.fill(0xff, 16 - rng.below(17));
      if (algorithm === 'chacha20') given.iv.fill(0xff, 0, rng.below(9));
      given.iv[algorithm === 'chacha20' ? 0 : 15] -= rng.below(20);
      check(algorithm, prepare(algorithm, given.key), given, [rng.below(4), rng.below(4)]);
    }
  }
});

test('Wycheproof', () => {
  const { fields, groups } = JSON.parse(
    readFileSync(new URL('../vectors/wycheproof-aead.json', import.meta.url), 'utf8'),
  );
  const counts = new Map();
  for (const { algorithm, ivSize, tests } of groups) {
    if (ivSize !== ciphers[algorithm].iv) continue;
    for (const row of tests) {
      const { id, result, ...hex } = Object.fromEntries(
        fields.map((field, index) => [field, row[index]]),
      );
      const [key, iv, aad, msg, ct, tag] = ['key', 'iv', 'aad', 'msg', 'ct', 'tag'].map((field) =>
        Buffer.from(hex[field], 'hex'),
      );
      const cipher = prepare(algorithm, key);
      const target = Buffer.alloc(ct.length, 1);
      const note = `${algorithm} ${id} ${hex.comment}`;
      const opened = cipher.open(iv, aad, ct, target, tag.length > 0 ? tag : Buffer.alloc(16));
      assert.equal(opened, result === 'valid', note);
      assert.deepEqual(target, opened ? msg : Buffer.alloc(ct.length), note);
      if (opened) {
        const made = encrypt(algorithm, cipher, { iv, aad, source: msg }, [0, 0], tag.length);
        assert.deepEqual(made, { output: ct, tag }, note);
      }
      counts.set(algorithm, (counts.get(algorithm) ?? 0) + 1);
    }
  }
  assert.deepEqual([...counts.keys()].sort(), [...aeadNames].sort());
  assert.ok(
    [...counts.values()].every((count) => count > 60),
    String([...counts]),
  );
});
