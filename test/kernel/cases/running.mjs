// Running hashes in the kernel: pieces, copies, many at once, streams and refusals. No file stays
// open.

import assert from 'node:assert/strict';
import { createHash, createHmac } from 'node:crypto';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { after, before, describe, test } from 'node:test';

import millrace from 'millrace';
import promises from 'millrace/promises';

import { collectGarbage } from '../../support/garbage.mjs';
import { random } from '../../support/random.mjs';
import { readAccount, startDevice } from '../device/start.mjs';
import { served } from '../engines.mjs';
import { errorOf, openFiles } from '../verdicts.mjs';

const rng = random('kernel running');
const bytes = rng.bytes(400_000);
const key = rng.bytes(100);

for (const engine of Object.keys(served)) {
  describe(engine, () => {
    let device;
    before(async () => {
      if (engine === 'cryptodev') device = await startDevice();
    });
    after(() => device?.stop());

    const makers = (algorithm) => [
      {
        name: 'hash',
        make: () => millrace.createHash(algorithm, { engine }),
        oracle: () => createHash(algorithm),
      },
      {
        name: 'hmac',
        make: () => millrace.createHmac(algorithm, key, { engine }),
        oracle: () => createHmac(algorithm, key),
      },
    ];

    for (const algorithm of served[engine].hash) {
      test(
        `${algorithm}: pieces of every size, copies that diverge, another message after a ` +
          'reset',
        async () => {
          for (const { name, make, oracle } of makers(algorithm)) {
            const [running, expected] = [make(), oracle()];
            for (let at = 0; at < bytes.length;) {
              const size = rng.pick([0, 1, 17, 64, 500, 4096, 70_000, 140_000]);
              running.update(bytes.subarray(at, at + size));
              expected.update(bytes.subarray(at, at + size));
              at += size;
              if (rng.chance(0.3)) {
                const [copy, expectedCopy] = [running.copy(), expected.copy?.()];
                copy.update('another end');
                if (expectedCopy)
                  assert.equal(
                    copy.digest('hex'),
                    expectedCopy.update('another end').digest('hex'),
                    `${name}: a copy at ${at}`,
                  );
                else copy.digest();
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
          const updates = [0, 1, 2, 3].map((part) =>
            running.updateAsync(bytes.subarray(part * 50_000, part * 50_000 + 1000 * index)),
          );
          const digest = running.digestAsync('hex');
          await Promise.all(updates);
          const expected = createHash('sha512');
          for (const part of [0, 1, 2, 3])
            expected.update(bytes.subarray(part * 50_000, part * 50_000 + 1000 * index));
          return (await digest) === expected.digest('hex');
        }),
      );
      assert.ok(outcomes.every(Boolean));
    });

    test('streams: as a Transform, and from iterables', async () => {
      const pieces = () =>
        Readable.from([
          bytes.subarray(0, 100_000),
          bytes.subarray(100_000, 100_001),
          bytes.subarray(100_001),
        ]);
      const running = millrace.createHash('sha256', { engine });
      await pipeline(pieces(), running);
      assert.deepEqual(running.read(), createHash('sha256').update(bytes).digest());
      assert.equal(
        await promises.hash('sha256', pieces(), { engine, encoding: 'hex' }),
        createHash('sha256').update(bytes).digest('hex'),
      );
      assert.deepEqual(
        await promises.hmac('sha256', key, pieces(), { engine }),
        createHmac('sha256', key).update(bytes).digest(),
      );
    });

    test('the state is in the kernel and cannot be exported', async () => {
      const running = millrace.createHash('sha256', { engine }).update(bytes);
      const error = await errorOf((async () => running.exportState())(), 'exportState');
      assert.equal(error.code, 'ERR_ENGINE_UNAVAILABLE', error.stack);
      assert.match(error.message, /kernel/);
      assert.equal(running.digest('hex'), createHash('sha256').update(bytes).digest('hex'));
    });

    test('a hasher closes its file after a digest, at a reset, when collected', async () => {
      millrace.createHash('sha1', { engine }).update(bytes).digest();
      const begin = held(engine);
      const many = Array.from({ length: 100 }, () =>
        millrace.createHash('sha1', { engine }).update(bytes.subarray(0, 20_000)),
      );
      assert.ok(
        held(engine) >= begin + 90,
        `${held(engine)} open after 100 began, ${begin} before`,
      );
      for (const [index, running] of many.entries()) {
        if (index % 2 === 0) running.digest();
        else running.reset();
      }
      await settle(engine, begin, 'digests and resets');
      (() =>
        Array.from({ length: 100 }, () =>
          millrace
            .createHash('sha1', { engine })
            .update(bytes.subarray(0, 20_000))
            .copy()
            .update('x'),
        ))();
      await settle(engine, begin, 'what was collected');
    });
  });
}

/** Counts this process's sockets or sessions of the device. */
function held(engine) {
  return engine === 'cryptodev' ? readAccount().sessions : openFiles().sockets;
}

// The engine keeps a few for the next message.
async function settle(engine, begin, what) {
  for (let tries = 0; held(engine) > begin + 8; tries++) {
    assert.ok(tries < 100, `${held(engine)} are open after ${what}, ${begin} were before`);
    collectGarbage();
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
