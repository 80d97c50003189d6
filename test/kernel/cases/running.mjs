// Running hashes in the kernel: pieces, copies, many at once, streams and refusals. No file stays
// open.

import assert from 'node:assert/strict';
import { createHash, createHmac } from 'node:crypto';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { describe, test } from 'node:test';

import millrace from 'millrace';
import promises from 'millrace/promises';

import { random } from '../../support/random.mjs';
import { deviceFor } from '../device/start.mjs';
import { served } from '../engines.mjs';
import { held, released, unavailable } from '../verdicts.mjs';

const rng = random('kernel running');
const bytes = rng.bytes(400_000);
const key = rng.bytes(100);

for (const engine of Object.keys(served)) {
  describe(engine, () => {
    deviceFor(engine);

    const makers = (algorithm) => ({
      hash: [() => millrace.createHash(algorithm, { engine }), () => createHash(algorithm)],
      hmac: [
        () => millrace.createHmac(algorithm, key, { engine }),
        () => createHmac(algorithm, key),
      ],
    });

    for (const algorithm of served[engine].hash) {
      test(
        `${algorithm}: pieces of every size, copies that diverge, another message after a ` +
          'reset',
        async () => {
          for (const [name, [make, oracle]] of Object.entries(makers(algorithm))) {
            const [running, expected] = [make(), oracle()];
            for (let at = 0; at < bytes.length;) {
              const size = rng.pick([0, 1, 17, 64, 500, 4096, 70_000, 140_000]);
              running.update(bytes.subarray(at, at + size));
              expected.update(bytes.subarray(at, at + size));
              at += size;
              if (rng.chance(0.3)) {
                const digest = running.copy().update('another end').digest('hex');
                // node:crypto cannot copy a running HMAC.
                const right = expected.copy?.().update('another end').digest('hex') ?? digest;
                assert.equal(digest, right, `${name}: a copy at ${at}`);
              }
            }
            assert.equal(running.digest('hex'), expected.digest('hex'), name);
            assert.throws(() => running.update('more'), { code: 'ERR_HASHER_SPENT' });
            assert.equal(
              running.reset().update('abc').digest('hex'),
              oracle().update('abc').digest('hex'),
              `${name}: after a reset`,
            );
            assert.equal(make().digest('hex'), oracle().digest('hex'), `${name}: of nothing`);
            assert.equal(
              make().copy().update(bytes).digest('hex'),
              oracle().update(bytes).digest('hex'),
              `${name}: a copy before anything`,
            );
          }
        },
      );
    }

    test('two hundred at once, in alternation', () => {
      const many = Array.from({ length: 200 }, (_, index) => ({
        running: millrace.createHash('sha256', { engine }),
        expected: createHash('sha256'),
        index,
      }));
      for (let round = 0; round < 4; round++) {
        for (const { running, expected, index } of many) {
          const piece = bytes.subarray(index * round, index * round + 300 * (round + 1) + index);
          running.update(piece);
          expected.update(piece);
        }
      }
      for (const { running, expected, index } of many)
        assert.equal(running.digest('hex'), expected.digest('hex'), `number ${index}`);
    });

    test('asynchronous operations keep their order, among many', async () => {
      const outcomes = await Promise.all(
        Array.from({ length: 30 }, async (_, index) => {
          const running = millrace.createHash('sha512', { engine });
          const parts = [0, 1, 2, 3].map((part) =>
            bytes.subarray(part * 50_000, part * 50_000 + 1000 * index),
          );
          const updates = parts.map((part) => running.updateAsync(part));
          const digest = running.digestAsync('hex');
          await Promise.all(updates);
          return (await digest) === createHash('sha512').update(Buffer.concat(parts)).digest('hex');
        }),
      );
      assert.ok(outcomes.every(Boolean));
    });

    test('streams: as a Transform, and from iterables', async () => {
      const pieces = () =>
        Readable.from(
          [0, 100_000, 100_001].map((at, index, all) => bytes.subarray(at, all[index + 1])),
        );
      const sha256 = createHash('sha256').update(bytes).digest();
      const running = millrace.createHash('sha256', { engine });
      await pipeline(pieces(), running);
      assert.deepEqual(running.read(), sha256);
      assert.deepEqual(await promises.hash('sha256', pieces(), { engine }), sha256);
      assert.deepEqual(
        await promises.hmac('sha256', key, pieces(), { engine }),
        createHmac('sha256', key).update(bytes).digest(),
      );
    });

    test('the state is in the kernel and cannot be exported', async () => {
      const running = millrace.createHash('sha256', { engine }).update(bytes);
      await unavailable((async () => running.exportState())(), /kernel/, 'exportState');
      assert.equal(running.digest('hex'), createHash('sha256').update(bytes).digest('hex'));
    });

    test('a hasher closes its file after a digest, at a reset, when collected', async () => {
      millrace.createHash('sha1', { engine }).update(bytes).digest();
      const begin = held(engine);
      const hundred = () =>
        Array.from({ length: 100 }, () =>
          millrace.createHash('sha1', { engine }).update(bytes.subarray(0, 20_000)),
        );
      const many = hundred();
      const now = held(engine);
      assert.ok(now >= begin + 90, `${now} open after 100 began, ${begin} before`);
      for (const [index, running] of many.entries()) {
        if (index % 2 === 0) running.digest();
        else running.reset();
      }
      await released(engine, begin, 'digests and resets');
      (() => hundred().map((running) => running.copy().update('x')))();
      await released(engine, begin, 'what was collected');
    });
  });
}
