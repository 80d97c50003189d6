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
} from '../support/algorithms.mjs';
import { waited } from '../support/calls.mjs';
import { encryption } from '../support/jobs.mjs';
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

/** Yields sizes, with the distances of a target from its source in both directions. */
function* layouts(beyond, largest) {
  for (const size of sizes.filter((each) => each <= largest))
    for (const distance of distances.filter((each) => each <= size + beyond))
      for (const signed of distance === 0 ? [0] : [distance, -distance]) yield [size, signed];
}

/** The ways that lend: each takes the arguments of the offset form. */
const lending = Object.entries({
  'options, sync': (method, args) => millrace[method](...withOptions(method, args)),
  'options, callback': (method, args) => waited(millrace[method])(...withOptions(method, args)),
  'options, promise': (method, args) => promises[method](...withOptions(method, args)),
  'drop-in window, sync': (method, args) => cryptoAsync[method](...args),
  'drop-in window, callback': (method, args) => waited(cryptoAsync[method])(...args),
});

/** Returns the ways that have the algorithm, by their names. */
function waysOf(algorithm) {
  const everywhere = [...original.ciphers, ...original.hashes].includes(algorithm);
  return lending.filter(([way]) => everywhere || way.startsWith('options'));
}

const range = (bytes) => (Array.isArray(bytes) ? bytes : [bytes, 0, bytes.length]);

/** Returns the arguments of the offset form: of buffers, and of ranges `[buffer, offset, size]`. */
function cipherArgs(encrypt, { algorithm, key, iv, source, aad }, { target, tag, ...others }) {
  const inputs = { key, iv, source, aad, ...others };
  return [
    algorithm,
    Number(encrypt),
    ...[inputs.key, inputs.iv, inputs.source].flatMap(range),
    ...target,
    ...(aad ? [inputs.aad, tag].flatMap(range) : []),
  ];
}

/** Makes a call, which must write these bytes to the memory, and nothing else. */
async function expectWritten(call, memory, bytes, at, what) {
  const expected = Buffer.from(memory);
  bytes.copy(expected, at);
  assert.equal(await call(), bytes.length, what);
  same(memory, expected, what);
}

function same(actual, expected, what) {
  if (actual.equals(expected)) return;
  const at = actual.findIndex((byte, index) => byte !== expected[index]);
  assert.fail(
    `${what}: differs from byte ${at}: ${actual.subarray(at, at + 16).toString('hex')}, ` +
      `not ${expected.subarray(at, at + 16).toString('hex')}`,
  );
}

/** A mebibyte: an implementation that works in chunks must move it all first. */
const chunked = [1, -1, 65_536, -65_536].map((distance) => [2 ** 20, distance]);

for (const algorithm of cipherNames) {
  for (const encrypt of [true, false]) {
    test(`${algorithm} ${encrypt ? 'encrypts' : 'decrypts'} overlapping memory`, async () => {
      const rng = random(`overlap ${algorithm} ${encrypt}`);
      const [sync, ...others] = waysOf(algorithm);
      const hasChunks = encrypt && !ciphers[algorithm].aead;
      for (const [turn, [size, distance]] of [
        ...layouts(1, Infinity),
        ...(hasChunks ? chunked : []),
      ].entries()) {
        const job = encryption(algorithm, rng.bytes(size), rng, { aadSize: size % 13 });
        const { output, tag } = oracle(job);
        const [from, to] = encrypt ? [job.source, output] : [output, job.source];
        const start = 8 + Math.max(0, -distance);
        const at = start + distance;
        // Synchronously every time, and one of the other ways in turn.
        for (const [way, call] of [sync, others[turn % others.length]]) {
          const memory = Buffer.alloc(start + Math.abs(distance) + size + 8, 0x5a);
          from.copy(memory, start);
          const places = {
            source: [memory, start, size],
            target: [memory, at],
            tag: tag && (encrypt ? Buffer.alloc(16) : Buffer.from(tag)),
          };
          const args = cipherArgs(encrypt, job, places);
          const what = `${way}: size ${size} distance ${distance}`;
          await expectWritten(() => call('cipher', args), memory, to, at, what);
          if (tag) same(places.tag, tag, `${what}: tag`);
        }
      }
    });
  }
}

for (const algorithm of aeadNames) {
  test(`seal and open of ${algorithm} over themselves from both sides`, async () => {
    const rng = random(`seal ${algorithm}`);
    for (const [size, distance] of layouts(17, 10_000)) {
      const job = encryption(algorithm, rng.bytes(size), rng, { aadSize: size % 21 });
      const { key, iv: nonce, source, aad } = job;
      const { output, tag } = oracle(job);
      const sealed = Buffer.concat([output, tag]);
      for (const entryPoint of [millrace, promises])
        for (const [method, from, to] of [
          ['seal', source, sealed],
          ['open', sealed, source],
        ]) {
          const start = 8 + Math.max(0, -distance);
          const target = rng.bytes(start + Math.abs(distance) + size + 40);
          from.copy(target, start);
          const given = target.subarray(start, start + from.length);
          const targetOffset = start + distance;
          const options = { key, nonce, aad, source: given, target, targetOffset };
          await expectWritten(
            () => entryPoint[method](algorithm, options),
            target,
            to,
            targetOffset,
            `${method} size ${size} distance ${distance}`,
          );
        }
    }
  });

  test(`a failed open of ${algorithm} over its source leaves no plaintext`, async () => {
    const rng = random(`wipe ${algorithm}`);
    for (const size of [1, 16, 100, 5000]) {
      for (const distance of [0, 1, -1, 16, -16, 64, -64]) {
        const job = encryption(algorithm, rng.bytes(size), rng);
        const { output, tag } = oracle(job);
        tag[5] ^= 4;
        for (const entryPoint of [millrace, promises]) {
          const target = rng.bytes(size + 200);
          output.copy(target, 64);
          tag.copy(target, 64 + size);
          const targetOffset = 64 + distance;
          const expected = Buffer.from(target).fill(0, targetOffset, targetOffset + size);
          const source = target.subarray(64, 64 + size + 16);
          const options = { key: job.key, nonce: job.iv, source, target, targetOffset };
          await assert.rejects(async () => entryPoint.open(algorithm, options), {
            code: 'ERR_AUTHENTICATION',
          });
          same(target, expected, `open size ${size} distance ${distance}`);
        }
      }
    }
  });

  test(`[iv | data | tag] in one buffer: ${algorithm}`, async () => {
    const rng = random(`packed ${algorithm}`);
    const ivSize = ciphers[algorithm].iv;
    for (const size of sizes) {
      for (const [way, call] of waysOf(algorithm)) {
        // The same message is authenticated along with its own iv.
        const made = encryption(algorithm, rng.bytes(size), rng);
        const job = { ...made, aad: made.iv };
        const { output, tag } = oracle(job);
        const rest = Buffer.from([1, 2, 3]);
        const memory = Buffer.concat([job.iv, job.source, Buffer.alloc(16, 1), rest]);
        const iv = [memory, 0, ivSize];
        const places = {
          iv,
          source: [memory, ivSize, size],
          target: [memory, ivSize],
          aad: iv,
          tag: [memory, ivSize + size, 16],
        };
        assert.equal(await call('cipher', cipherArgs(true, job, places)), size);
        same(memory, Buffer.concat([job.iv, output, tag, rest]), `${way}: sealed`);
        assert.equal(await call('cipher', cipherArgs(false, job, places)), size);
        same(memory, Buffer.concat([job.iv, job.source, tag, rest]), `${way}: opened`);
      }
    }
  });

  test(`the tag must not overlap the target: ${algorithm}`, async () => {
    const { key, iv } = ciphers[algorithm];
    const options = (target, targetOffset, tagOffset) => ({
      encrypt: true,
      key: Buffer.alloc(key),
      iv: Buffer.alloc(iv),
      source: Buffer.alloc(100),
      target,
      targetOffset,
      tag: target.subarray(tagOffset, tagOffset + 16),
    });
    for (const tagOffset of [0, 1, 50, 99, 85]) {
      const memory = Buffer.alloc(200, 9);
      const args = [algorithm, options(memory, 0, tagOffset)];
      await refuses('cipher', args, 'ERR_OVERLAP', /tag/);
      assert.deepEqual(memory, Buffer.alloc(200, 9), 'a refused call wrote to the target');
    }
    // Adjacent ranges do not overlap.
    millrace.cipher(algorithm, options(Buffer.alloc(200), 16, 0));
    millrace.cipher(algorithm, options(Buffer.alloc(200), 0, 100));
  });
}

// The small arguments are read before anything is written, wherever they lie.
for (const algorithm of cipherNames) {
  test(`key, iv, aad and tag inside the target: ${algorithm}`, async () => {
    const rng = random(`inside ${algorithm}`);
    const { key: keySize, iv: ivSize, aead } = ciphers[algorithm];
    for (const size of [200, 1000, 5000]) {
      for (const sourceOffset of [0, 1, 300, 6000]) {
        // A ciphertext cannot contain its own tag.
        for (const encrypt of aead && sourceOffset === 6000 ? [true, false] : [true]) {
          for (const [way, call] of waysOf(algorithm)) {
            const memory = rng.bytes(12_000);
            // Key, iv, aad and tag stand one after the other within the target.
            const places = {
              key: [memory, 310, keySize],
              iv: [memory, 350, ivSize],
              source: [memory, sourceOffset, size],
              target: [memory, 300],
              aad: [memory, 380, 19],
              tag: encrypt ? Buffer.alloc(16) : [memory, 400, 16],
            };
            const copy = (name) => {
              const [, at, length] = places[name];
              return Buffer.from(memory.subarray(at, at + length));
            };
            const job = {
              kind: 'cipher',
              algorithm,
              encrypt: true,
              key: copy('key'),
              iv: copy('iv'),
              source: copy('source'),
              ...(aead && { aad: copy('aad') }),
            };
            const { output, tag } = oracle(job);
            if (!encrypt) {
              output.copy(memory, sourceOffset);
              tag.copy(memory, 400);
            }
            const args = cipherArgs(encrypt, job, places);
            const what = `${way}: size ${size}, source at ${sourceOffset}`;
            const written = encrypt ? output : job.source;
            await expectWritten(() => call('cipher', args), memory, written, 300, what);
            if (aead && encrypt) same(places.tag, tag, `${what}: tag`);
          }
        }
      }
    }
  });
}

test('key, iv and aad may be one range', async () => {
  const key = Buffer.alloc(32, 3);
  const [iv, source] = [key.subarray(0, 12), Buffer.alloc(100, 5)];
  for (const algorithm of ['aes-256-gcm', 'chacha20-poly1305']) {
    const given = { encrypt: true, key, iv, source, aad: key };
    const expected = oracle({ kind: 'cipher', algorithm, ...given });
    const [tag, target] = [Buffer.alloc(16), Buffer.alloc(100)];
    assert.equal(await promises.cipher(algorithm, { ...given, tag, target }), 100);
    assert.deepEqual([target, tag], [expected.output, expected.tag]);
  }
});

for (const algorithm of hashNames) {
  test(`digest over its own source: ${algorithm}`, async () => {
    const rng = random(`digest ${algorithm}`);
    for (const length of [0, 1, hashes[algorithm].digest, 64, 200, 5000]) {
      for (const at of [0, 1, 60, 64, 65, 100, 64 + length - 1, 64 + length]) {
        for (const [way, call] of waysOf(algorithm)) {
          const memory = rng.bytes(64 + length + 200);
          const source = memory.subarray(64, 64 + length);
          await expectWritten(
            () => call('hash', [algorithm, memory, 64, length, memory, at]),
            memory,
            oracle({ kind: 'hash', algorithm, source }).output,
            at,
            `${way}: ${length} bytes at 64, target at ${at}`,
          );
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
      for (const at of [0, 10, 40, 300, 400]) {
        for (const [way, call] of waysOf(algorithm)) {
          const memory = rng.bytes(1600);
          const key = memory.subarray(20, 20 + keySize);
          const source = memory.subarray(300, 300 + length);
          await expectWritten(
            () => call('hmac', [algorithm, memory, 20, keySize, memory, 300, length, memory, at]),
            memory,
            oracle({ kind: 'hmac', algorithm, key, source }).output,
            at,
            `${way}: target at ${at}`,
          );
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
          const target = rng.bytes(6000);
          const source = target.subarray(100, 400);
          await expectWritten(
            () => entryPoint.hash(algorithm, source, { outputLength, target, targetOffset }),
            target,
            oracle({ kind: 'hash', algorithm, source, outputLength }).output,
            targetOffset,
            `${algorithm} ${outputLength} at ${targetOffset}`,
          );
        }
      }
    }
  }
});
