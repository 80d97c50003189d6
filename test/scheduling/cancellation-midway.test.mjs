// A running job can be cancelled by a signal. A cancelled cipher leaves nothing but zeros.
// cancellation.clocks.mjs measures how soon jobs stop.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

import millrace from 'millrace';
import promises from 'millrace/promises';

import { aeadNames, ciphers } from '../support/algorithms.mjs';
import { oracle } from '../support/oracles.mjs';
import { timed } from './timed.mjs';

const reason = new Error('not wanted');

const size = 2 ** 26;
const source = Buffer.alloc(size, 7);
const key = Buffer.alloc(32, 1);

for (const algorithm of ['aes-256-ctr', ...aeadNames.filter((name) => ciphers[name].key === 32)]) {
  for (const route of ['pool', 'split']) {
    test(`${algorithm}, ${route}: a stopped cipher leaves zeros, or the old bytes`, async () => {
      const nonce = Buffer.alloc(ciphers[algorithm].iv, 2);
      const tag = algorithm.endsWith('ctr') ? undefined : Buffer.alloc(16);
      const [zeros, untouched] = [Buffer.alloc(size), Buffer.alloc(size, 9)];
      const target = Buffer.alloc(size, 9);
      const sealed = Buffer.alloc(size);
      const seal = { encrypt: true, key, iv: nonce, source, target: sealed, tag, route };
      const { ms } = await timed(() => promises.cipher(algorithm, seal));
      let stops = 0;
      for (let attempt = 0; attempt < 60 && stops < 3; attempt++) {
        for (const options of [
          { ...seal, target, tag: tag && Buffer.alloc(16) },
          { ...seal, encrypt: false, source: sealed, target },
        ]) {
          target.fill(9);
          const controller = new AbortController();
          const settling = timed(() =>
            promises.cipher(algorithm, { ...options, signal: controller.signal }),
          );
          await sleep((ms * (1 + (attempt % 6))) / 10);
          controller.abort(reason);
          const { error } = await settling;
          if (error === undefined) {
            assert.ok(target.equals(options.encrypt ? sealed : source), 'it was quicker');
            continue;
          }
          assert.equal(error, reason);
          stops += 1;
          assert.ok(target.equals(zeros) || target.equals(untouched), 'no half of a text');
        }
      }
      assert.ok(stops > 0);
    });
  }
}

test('one of several hashed together stops, the others are not disturbed', async () => {
  const { threads } = millrace.configure();
  millrace.configure({ threads: 1 });
  try {
    const parts = Array.from({ length: 6 }, (_, index) => source.subarray(0, 2 ** 24 + index));
    const controller = new AbortController();
    const hash = (part, options) =>
      promises.hash('sha1', part, { target: Buffer.alloc(20), ...options });
    const settling = parts.map((part, index) =>
      timed(() => hash(part, { signal: index === 3 ? controller.signal : undefined })),
    );
    const targets = parts.map(() => Buffer.alloc(20));
    const others = parts.map((part, index) => hash(part, { target: targets[index] }));
    await sleep(5);
    controller.abort(reason);
    const outcomes = await Promise.all(settling);
    assert.equal(outcomes[3].error, reason);
    assert.ok(outcomes.every(({ error }, index) => index === 3 || error === undefined));
    await Promise.all(others);
    const digest = (source) => oracle({ kind: 'hash', algorithm: 'sha1', source }).output;
    assert.deepEqual(targets, parts.map(digest));
  } finally {
    millrace.configure({ threads });
  }
});
