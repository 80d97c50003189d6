// Source, target and the small arguments in one buffer, lying over each other in every way: the
// result is that of separate buffers, and nothing else in the buffer changes.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import millrace from 'millrace';
import cryptoAsync from 'millrace/crypto-async';
import promises from 'millrace/promises';

import {
  aeadNames,
  original,
  cipherNames,
  ciphers,
  hashNames,
  hashes,
  hmacNames,
  streamNames,
} from '../support/algorithms.mjs';
import { oracle } from '../support/oracles.mjs';
import { random } from '../support/random.mjs';
import { refuses } from '../support/refusals.mjs';
import { withOptions } from '../support/offsets.mjs';

const sizes = [
  0, 1, 15, 16, 17, 31, 63, 64, 65, 127, 128, 129, 255, 256, 300, 511, 1000, 1024, 2049, 4096,
  10_000, 70_000,
];
const distances = [
  0, 1, 2, 3, 4, 7, 8, 12, 15, 16, 17, 24, 31, 32, 33, 48, 63, 64, 65, 96, 127, 128, 129, 255, 256,
  257, 511, 512, 513, 1000, 1023, 1024, 2048, 4095, 4096, 4097, 69_999, 70_000, 70_001,
];

const notOffered = Symbol('not offered');

/**
 * The ways that lend: each takes the window arguments, all in one buffer, and may be asynchronous.
 */
const lending = {
  'options, sync': (algorithm, method, args) => millrace[method](...withOptions(method, args)),
  'options, callback': (algorithm, method, args) =>
    called(millrace, method, withOptions(method, args)),
  'options, promise': (algorithm, method, args) => promises[method](...withOptions(method, args)),
  'drop-in window, sync': (algorithm, method, args) =>
    ifOffered(algorithm, () => cryptoAsync[method](...args)),
  'drop-in window, callback': (algorithm, method, args) =>
    ifOffered(algorithm, () => called(cryptoAsync, method, args)),
};

for (const algorithm of cipherNames) {
  for (const encrypt of [true, false]) {
    test(`${algorithm} ${encrypt ? 'encrypts' : 'decrypts'} overlapping memory`, async () => {
      const rng = random(`overlap ${algorithm} ${encrypt}`);
      const ways = Object.entries(lending);
      let turn = 0;
      for (const size of sizes) {
        for (const distance of distances.filter((each) => each <= size + 1)) {
          for (const signed of distance === 0 ? [0] : [distance, -distance]) {
            const layout = cipherLayout(algorithm, encrypt, size, signed, rng);
            // Synchronously every time, and one of the other ways in turn.
            for (const [way, call] of [ways[0], ways[1 + (turn++ % (ways.length - 1))]]) {
              await layout.check(call, way);
            }
          }
        }
      }
    });
  }
}

for (const algorithm of aeadNames) {
  test(`seal and open of ${algorithm} over themselves from both sides`, async () => {
    const rng = random(`seal ${algorithm}`);
    const { key: keySize, iv: ivSize } = ciphers[algorithm];
    for (const size of sizes.filter((each) => each <= 10_000)) {
      for (const distance of distances.filter((each) => each <= size + 17)) {
        for (const signed of distance === 0 ? [0] : [distance, -distance]) {
          const [key, nonce, source, aad] = [
            rng.bytes(keySize),
            rng.bytes(ivSize),
            rng.bytes(size),
            rng.bytes(size % 21),
          ];
          const { output, tag } = oracle({
            kind: 'cipher',
            algorithm,
            encrypt: true,
            key,
            iv: nonce,
            source,
            aad,
          });
          const sealed = Buffer.concat([output, tag]);
          const entryPoints = [millrace, promises];
          for (const entryPoint of entryPoints) {
            for (const [method, from, to] of [
              ['seal', source, sealed],
              ['open', sealed, source],
            ]) {
              const start = 8 + Math.max(0, -signed);
              const memory = rng.bytes(start + Math.abs(signed) + size + 40);
              from.copy(memory, start);
              const expected = Buffer.from(memory);
              to.copy(expected, start + signed);
              const options = {
                key,
                nonce,
                aad,
                source: memory.subarray(start, start + from.length),
                target: memory,
                targetOffset: start + signed,
              };
              assert.equal(await entryPoint[method](algorithm, options), to.length);
              same(memory, expected, `${method} size ${size} distance ${signed}`);
            }
          }
        }
      }
    }
  });

  test(`a failed open of ${algorithm} over its source leaves no plaintext`, async () => {
    const rng = random(`wipe ${algorithm}`);
    for (const size of [1, 16, 100, 5000]) {
      for (const distance of [0, 1, -1, 16, -16, 64, -64]) {
        const { key: keySize, iv: ivSize } = ciphers[algorithm];
        const [key, nonce, source] = [rng.bytes(keySize), rng.bytes(ivSize), rng.bytes(size)];
        const { output, tag } = oracle({
          kind: 'cipher',
          algorithm,
          encrypt: true,
          key,
          iv: nonce,
          source,
          aad: Buffer.alloc(0),
        });
        tag[5] ^= 4;
        for (const entryPoint of [millrace, promises]) {
          const memory = rng.bytes(size + 200);
          output.copy(memory, 64);
          tag.copy(memory, 64 + size);
          const expected = Buffer.from(memory);
          expected.fill(0, 64 + distance, 64 + distance + size);
          const options = {
            key,
            nonce,
            source: memory.subarray(64, 64 + size + 16),
            target: memory,
            targetOffset: 64 + distance,
          };
          await assert.rejects(async () => entryPoint.open(algorithm, options), {
            code: 'ERR_AUTHENTICATION',
          });
          same(memory, expected, `open size ${size} distance ${distance}`);
        }
      }
    }
  });

  test(`[iv | data | tag] in one buffer: ${algorithm}`, async () => {
    const rng = random(`packed ${algorithm}`);
    const { key: keySize, iv: ivSize } = ciphers[algorithm];
    for (const size of sizes) {
      for (const [way, call] of Object.entries(lending)) {
        const [key, iv, source] = [rng.bytes(keySize), rng.bytes(ivSize), rng.bytes(size)];
        const { output, tag } = oracle({
          kind: 'cipher',
          algorithm,
          encrypt: true,
          key,
          iv,
          source,
          aad: iv,
        });
        const memory = Buffer.concat([iv, source, Buffer.alloc(16, 1), Buffer.from([1, 2, 3])]);
        const args = (encrypt) => [
          algorithm,
          encrypt,
          key,
          0,
          keySize,
          memory,
          0,
          ivSize,
          memory,
          ivSize,
          size,
          memory,
          ivSize,
          memory,
          0,
          ivSize,
          memory,
          ivSize + size,
          16,
        ];
        // The same message is authenticated along with its own iv.
        const done = await call(algorithm, 'cipher', args(1));
        if (done === notOffered) continue;
        assert.equal(done, size);
        same(memory, Buffer.concat([iv, output, tag, Buffer.from([1, 2, 3])]), `${way}: sealed`);
        assert.equal(await call(algorithm, 'cipher', args(0)), size);
        same(memory, Buffer.concat([iv, source, tag, Buffer.from([1, 2, 3])]), `${way}: opened`);
      }
    }
  });

  test(`the tag must not overlap the target: ${algorithm}`, async () => {
    const { key, iv } = ciphers[algorithm];
    for (const tagOffset of [0, 1, 50, 99, 85]) {
      const memory = Buffer.alloc(200, 9);
      await refuses(
        'cipher',
        [
          algorithm,
          {
            encrypt: true,
            key: Buffer.alloc(key),
            iv: Buffer.alloc(iv),
            source: Buffer.alloc(100),
            target: memory,
            tag: memory.subarray(tagOffset, tagOffset + 16),
          },
        ],
        'ERR_OVERLAP',
        /tag/,
      );
      assert.ok(
        memory.every((byte) => byte === 9),
        'a refused call wrote to the target',
      );
    }
    // Adjacent ranges do not overlap.
    const memory = Buffer.alloc(200, 9);
    millrace.cipher(algorithm, {
      encrypt: true,
      key: Buffer.alloc(key),
      iv: Buffer.alloc(iv),
      source: Buffer.alloc(100),
      target: memory,
      targetOffset: 16,
      tag: memory.subarray(0, 16),
    });
    millrace.cipher(algorithm, {
      encrypt: true,
      key: Buffer.alloc(key),
      iv: Buffer.alloc(iv),
      source: Buffer.alloc(100),
      target: memory,
      tag: memory.subarray(100, 116),
    });
  });
}

// The small arguments are read before anything is written, wherever they lie.
for (const algorithm of cipherNames) {
  test(`key, iv, aad and tag inside the target: ${algorithm}`, async () => {
    const rng = random(`inside ${algorithm}`);
    const { key: keySize, iv: ivSize, aead } = ciphers[algorithm];
    for (const size of [200, 1000, 5000]) {
      for (const sourceOffset of [0, 1, 300, 6000]) {
        for (const encrypt of aead ? [1, 0] : [1]) {
          for (const [way, call] of Object.entries(lending)) {
            const memory = rng.bytes(12_000);
            // Key, iv, aad and tag stand one after the other within the target.
            const targetOffset = 300;
            const [keyAt, ivAt, aadAt, tagAt] = [310, 350, 380, 400];
            const key = Buffer.from(memory.subarray(keyAt, keyAt + keySize));
            const iv = Buffer.from(memory.subarray(ivAt, ivAt + ivSize));
            const aad = aead ? Buffer.from(memory.subarray(aadAt, aadAt + 19)) : undefined;
            let source = Buffer.from(memory.subarray(sourceOffset, sourceOffset + size));
            let outside = Buffer.alloc(16);
            let expected = oracle({
              kind: 'cipher',
              algorithm,
              encrypt: true,
              key,
              iv,
              source,
              aad,
            });
            if (!encrypt) {
              // A ciphertext cannot contain its own tag.
              if (sourceOffset !== 6000) continue;
              expected.output.copy(memory, sourceOffset);
              expected.tag.copy(memory, tagAt);
              [source, expected] = [expected.output, { output: source, tag: expected.tag }];
              outside = memory;
            }
            const wanted = Buffer.from(memory);
            expected.output.copy(wanted, targetOffset);
            const args = [
              algorithm,
              encrypt,
              memory,
              keyAt,
              keySize,
              memory,
              ivAt,
              ivSize,
              memory,
              sourceOffset,
              size,
              memory,
              targetOffset,
            ];
            if (aead) args.push(memory, aadAt, 19, outside, encrypt ? 0 : tagAt, 16);
            const done = await call(algorithm, 'cipher', args);
            if (done === notOffered) continue;
            same(memory, wanted, `${way}: size ${size}, source at ${sourceOffset}`);
            if (aead && encrypt) same(outside, expected.tag, `${way}: tag`);
          }
        }
      }
    }
  });
}

test('key, iv and aad may be one range', async () => {
  const shared = Buffer.alloc(32, 3);
  for (const algorithm of ['aes-256-gcm', 'chacha20-poly1305']) {
    const source = Buffer.alloc(100, 5);
    const expected = oracle({
      kind: 'cipher',
      algorithm,
      encrypt: true,
      key: shared,
      iv: shared.subarray(0, 12),
      source,
      aad: shared,
    });
    const tag = Buffer.alloc(16);
    const target = Buffer.alloc(100);
    assert.equal(
      await promises.cipher(algorithm, {
        encrypt: 1,
        key: shared,
        iv: shared.subarray(0, 12),
        source,
        aad: shared,
        tag,
        target,
      }),
      100,
    );
    assert.deepEqual([target, tag], [expected.output, expected.tag]);
  }
});

for (const algorithm of hashNames) {
  test(`digest over its own source: ${algorithm}`, async () => {
    const rng = random(`digest ${algorithm}`);
    const size = hashes[algorithm].digest;
    for (const length of [0, 1, size, 64, 200, 5000]) {
      for (const targetOffset of [0, 1, 60, 64, 65, 100, 64 + length - 1, 64 + length]) {
        for (const [way, call] of Object.entries(lending)) {
          const memory = rng.bytes(64 + length + 200);
          const expected = Buffer.from(memory);
          oracle({ kind: 'hash', algorithm, source: memory.subarray(64, 64 + length) }).output.copy(
            expected,
            targetOffset,
          );
          const done = await call(algorithm, 'hash', [
            algorithm,
            memory,
            64,
            length,
            memory,
            targetOffset,
          ]);
          if (done === notOffered) continue;
          assert.equal(done, size);
          same(memory, expected, `${way}: ${length} bytes at 64, target at ${targetOffset}`);
        }
      }
    }
  });
}

for (const algorithm of hmacNames) {
  test(`HMAC over its own key and source: ${algorithm}`, async () => {
    const rng = random(`mac ${algorithm}`);
    for (const [keySize, length] of [
      [0, 0],
      [16, 100],
      [200, 1000],
      [64, 0],
    ]) {
      for (const targetOffset of [0, 10, 40, 300, 400]) {
        for (const [way, call] of Object.entries(lending)) {
          const memory = rng.bytes(1600);
          const expected = Buffer.from(memory);
          oracle({
            kind: 'hmac',
            algorithm,
            key: memory.subarray(20, 20 + keySize),
            source: memory.subarray(300, 300 + length),
          }).output.copy(expected, targetOffset);
          const done = await call(algorithm, 'hmac', [
            algorithm,
            memory,
            20,
            keySize,
            memory,
            300,
            length,
            memory,
            targetOffset,
          ]);
          if (done === notOffered) continue;
          same(memory, expected, `${way}: target at ${targetOffset}`);
        }
      }
    }
  });
}

test('an extendable output over its own source', async () => {
  const rng = random('xof');
  for (const algorithm of ['shake128', 'shake256', 'blake3']) {
    for (const outputLength of [1, 63, 64, 65, 200, 1024, 1025, 5000]) {
      for (const targetOffset of [0, 1, 100, 350]) {
        for (const entryPoint of [millrace, promises]) {
          const memory = rng.bytes(6000);
          const expected = Buffer.from(memory);
          oracle({
            kind: 'hash',
            algorithm,
            source: memory.subarray(100, 400),
            outputLength,
          }).output.copy(expected, targetOffset);
          assert.equal(
            await entryPoint.hash(algorithm, memory.subarray(100, 400), {
              outputLength,
              target: memory,
              targetOffset,
            }),
            outputLength,
          );
          same(memory, expected, `${algorithm} ${outputLength} at ${targetOffset}`);
        }
      }
    }
  }
});

test('target of a stream cipher beyond what a block counter step covers', () => {
  // One mebibyte moved by one byte each way: a chunked implementation must move it all first.
  for (const algorithm of streamNames) {
    const rng = random(`chunks ${algorithm}`);
    for (const distance of [1, -1, 65_536, -65_536]) {
      const [key, iv] = [rng.bytes(ciphers[algorithm].key), rng.bytes(16)];
      const memory = rng.bytes(2 ** 20 + 2 * 65_536);
      const expected = Buffer.from(memory);
      const source = memory.subarray(65_536, 65_536 + 2 ** 20);
      oracle({ kind: 'cipher', algorithm, encrypt: true, key, iv, source }).output.copy(
        expected,
        65_536 + distance,
      );
      millrace.cipher(algorithm, {
        encrypt: 1,
        key,
        iv,
        source: memory.subarray(65_536, 65_536 + 2 ** 20),
        target: memory,
        targetOffset: 65_536 + distance,
      });
      same(memory, expected, `${algorithm} by ${distance}`);
    }
  }
});

function cipherLayout(algorithm, encrypt, size, distance, rng) {
  const { key: keySize, iv: ivSize, aead } = ciphers[algorithm];
  const [key, iv, plain] = [rng.bytes(keySize), rng.bytes(ivSize), rng.bytes(size)];
  const aad = aead ? rng.bytes(size % 13) : undefined;
  const { output, tag } = oracle({
    kind: 'cipher',
    algorithm,
    encrypt: true,
    key,
    iv,
    source: plain,
    aad,
  });
  const [from, to] = encrypt ? [plain, output] : [output, plain];
  const start = 8 + Math.max(0, -distance);
  const original = Buffer.alloc(start + Math.abs(distance) + size + 8, 0x5a);
  from.copy(original, start);
  const expected = Buffer.from(original);
  to.copy(expected, start + distance);
  return {
    async check(call, way) {
      const memory = Buffer.from(original);
      const givenTag = aead && (encrypt ? Buffer.alloc(16) : Buffer.from(tag));
      const args = [
        algorithm,
        Number(encrypt),
        key,
        0,
        keySize,
        iv,
        0,
        ivSize,
        memory,
        start,
        size,
        memory,
        start + distance,
      ];
      if (aead) args.push(aad, 0, aad.length, givenTag, 0, 16);
      const done = await call(algorithm, 'cipher', args);
      if (done === notOffered) return;
      assert.equal(done, size);
      same(memory, expected, `${way}: size ${size} distance ${distance}`);
      if (aead) same(givenTag, tag, `${way}: tag, size ${size} distance ${distance}`);
    },
  };
}

function same(actual, expected, what) {
  if (actual.equals(expected)) return;
  const at = actual.findIndex((byte, index) => byte !== expected[index]);
  assert.fail(
    `${what}: differs from byte ${at}: ${actual.subarray(at, at + 16).toString('hex')}, ` +
      `not ${expected.subarray(at, at + 16).toString('hex')}`,
  );
}

function called(entryPoint, method, args) {
  return new Promise((resolve, reject) => {
    entryPoint[method](...args, (error, value) => (error ? reject(error) : resolve(value)));
  });
}

function ifOffered(algorithm, call) {
  return original.ciphers.includes(algorithm) || original.hashes.includes(algorithm)
    ? call()
    : notOffered;
}
