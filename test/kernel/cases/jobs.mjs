// Every algorithm that both interfaces support, at lengths around their block and chunk sizes, in
// every call style, against the oracles.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import millrace from 'millrace';
import promises from 'millrace/promises';

import { ciphers } from '../../support/algorithms.mjs';
import { decryption } from '../../support/jobs.mjs';
import { oracle } from '../../support/oracles.mjs';
import { random } from '../../support/random.mjs';
import { waitings } from '../calls.mjs';
import { deviceFor, readAccount } from '../device/start.mjs';
import { jobOf, lengths, never, served } from '../engines.mjs';
import {
  errorOf,
  openFiles,
  right,
  rightInEveryStyle,
  unavailableInEveryStyle,
} from '../verdicts.mjs';

const rng = random('kernel jobs');
const large = rng.bytes(3 * 2 ** 20 + 5);

for (const [engine, kinds] of Object.entries(served)) {
  describe(engine, () => {
    deviceFor(engine);

    test('this engine computes', () => {
      const before = openFiles();
      const running = millrace.createHash('sha256', { engine }).update(large.subarray(0, 10_000));
      const now = openFiles();
      assert.ok(
        engine === 'cryptodev'
          ? readAccount().crypts > 0 && now.devices > 0
          : now.sockets > before.sockets,
        JSON.stringify({ before, now }),
      );
      running.digest();
    });

    for (const [kind, algorithms] of Object.entries(kinds)) {
      for (const algorithm of algorithms) {
        test(`${kind} ${algorithm}, every length in every call style`, async () => {
          for (const [index, size] of lengths.entries()) {
            if (isTooLarge(algorithm, engine, size)) continue;
            const job = jobOf(kind, algorithm, large.subarray(0, size), rng, {
              aadSize: [0, 1, 16, 20, 300][index % 5],
              keySize: [0, 1, 20, 64, 65, 200][index % 6],
            });
            const expected = oracle(job);
            const what = `${algorithm} of ${size} bytes`;
            await rightInEveryStyle(job, engine, what, expected);
            if (kind === 'cipher')
              await rightInEveryStyle(decryption(job, expected), engine, `${what}, back`, {
                output: job.source,
              });
          }
        });
      }
    }

    for (const algorithm of kinds.cipher) {
      test(`cipher ${algorithm}, in place and overlapping`, async () => {
        for (const size of [5, 64, 3000, 60_000]) {
          const job = jobOf('cipher', algorithm, large.subarray(7, 7 + size), rng);
          const expected = oracle(job);
          for (const [from, to] of [
            [0, 0],
            [0, 3],
            [5, 0],
            [16, 0],
          ]) {
            const buffer = Buffer.alloc(size + 20);
            job.source.copy(buffer, from);
            const tag = Buffer.alloc(16);
            const { encrypt, key, iv, aad } = job;
            const source = buffer.subarray(from, from + size);
            const text = { source, target: buffer, targetOffset: to, ...(aad && { aad, tag }) };
            const written = promises.cipher(algorithm, { engine, encrypt, key, iv, ...text });
            assert.equal(await written, size);
            right(
              { output: buffer.subarray(to, to + size), tag },
              job,
              `${algorithm} of ${size} from ${from} to ${to}`,
              expected,
            );
          }
        }
      });
    }

    test('several MiB: hash, HMAC and stream cipher in chunks, with their counters', async () => {
      for (const [kind, algorithm] of [
        ['hash', 'sha256'],
        ['hmac', 'sha512'],
        ['cipher', 'aes-256-ctr'],
        ...(engine === 'af_alg' ? [['cipher', 'chacha20']] : []),
      ]) {
        const job = jobOf(kind, algorithm, large, rng);
        // The lower part of the counter overflows within the message.
        if (algorithm === 'aes-256-ctr') job.iv.fill(0xff, 4);
        await rightInEveryStyle(job, engine);
      }
    });

    test(
      'chacha20 continues when the block number exceeds 2^32',
      { skip: engine === 'cryptodev' && 'the module has no ChaCha20' },
      async () => {
        const job = jobOf('cipher', 'chacha20', large.subarray(0, 300_000), rng);
        job.iv.writeUInt32LE(0xfffffff0, 0);
        await rightInEveryStyle(job, engine);
      },
    );

    test('forgeries are refused, leave zeros in the target, and the key still works', async () => {
      for (const algorithm of kinds.cipher.filter((name) => ciphers[name].aead)) {
        const job = jobOf('cipher', algorithm, large.subarray(0, 5000), rng);
        const { output, tag } = oracle(job);
        const key = millrace.createKey(algorithm, job.key, { engine });
        const sealed = { source: Buffer.concat([output, tag]), aad: job.aad, nonce: job.iv };
        for (let round = 0; round < 6; round++) {
          const field = ['source', 'aad', 'nonce'][round % 3];
          const forged = Buffer.from(sealed[field]);
          forged[round] ^= 1;
          const target = Buffer.alloc(5000, 7);
          for (const wait of Object.values(waitings)) {
            const given = { key, ...sealed, [field]: forged, target };
            const error = await errorOf(wait('open', algorithm, given), algorithm);
            assert.equal(error.code, 'ERR_AUTHENTICATION', error.stack);
            assert.ok(
              target.every((byte) => byte === 0),
              'the target holds what was not authenticated',
            );
          }
          assert.deepEqual(await promises.open(algorithm, { key, ...sealed }), job.source);
        }
        key.dispose();
      }
    });

    test('many messages in one call', async () => {
      const sources = Array.from({ length: 40 }, (_, index) =>
        large.subarray(index, 3 * index * index),
      );
      const key = Buffer.from('key');
      for (const [method, size, job, first] of [
        ['hashMany', 32, { kind: 'hash', algorithm: 'sha256' }, []],
        ['hmacMany', 20, { kind: 'hmac', algorithm: 'sha1', key }, [key]],
      ]) {
        const expected = Buffer.concat(sources.map((source) => oracle({ ...job, source }).output));
        assert.equal(expected.length, size * sources.length);
        for (const [way, wait] of Object.entries(waitings))
          assert.deepEqual(
            await wait(method, job.algorithm, ...first, sources, { engine }),
            expected,
            `${method}, ${way}`,
          );
      }
    });

    test('unsupported algorithms are refused with the reason', async () => {
      for (const [kind, algorithms] of Object.entries(never[engine])) {
        for (const algorithm of algorithms) {
          const job = jobOf(kind, algorithm, Buffer.from('abc'), rng);
          const reason = /(AF_ALG|cryptodev|kernel).*(another engine|does not know|has no)/s;
          await unavailableInEveryStyle(job, engine, reason);
        }
      }
    });
  });
}

// An AEAD's message is sent in one piece. Longer ones: limits.mjs.
function isTooLarge(algorithm, engine, size) {
  return ciphers[algorithm]?.aead && size > (engine === 'cryptodev' ? 65_536 : 180_000);
}
