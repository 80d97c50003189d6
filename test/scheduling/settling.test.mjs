// Results and the calls that callbacks make of them: more than the ring holds at once, done inline
// or by workers, at any moment. None may be lost.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import millrace from 'millrace';

const key = millrace.createKey('aes-256-gcm', Buffer.alloc(32, 1));
const nonce = Buffer.alloc(12, 2);
const expected = millrace.seal('aes-256-gcm', { key, nonce, source: Buffer.alloc(256, 3) });

/** Runs `count` calls with `depth` in flight; each callback starts the next. */
function chained(depth, count, start) {
  return new Promise((resolve, reject) => {
    let started = 0;
    let settled = 0;
    const next = () => {
      started += 1;
      start(started, (error) => {
        settled += 1;
        if (error) reject(error);
        else if (started < count) next();
        else if (settled === count) resolve();
      });
    };
    for (let index = 0; index < depth; index++) next();
  });
}

const source = Buffer.alloc(256, 3);
for (const route of ['auto', 'inline', 'pool']) {
  test(`1024 in flight, each callback starts the next: lent, ${route}`, async () => {
    const places = Array.from({ length: 1024 }, () => ({
      target: Buffer.alloc(256),
      tag: Buffer.alloc(16),
    }));
    await chained(1024, 20_000, (index, callback) => {
      const given = { encrypt: true, key, iv: nonce, source, ...places[index % 1024], route };
      millrace.cipher('aes-256-gcm', given, callback);
    });
    for (const { target, tag } of places) assert.deepEqual(Buffer.concat([target, tag]), expected);
  });

  test(`1024 in flight, each callback starts the next: results, ${route}`, async () => {
    let wrong = 0;
    await chained(1024, 20_000, (_, callback) => {
      millrace.seal('aes-256-gcm', { key, nonce, source, route }, (error, sealed) => {
        if (error === undefined && !sealed.equals(expected)) wrong += 1;
        callback(error);
      });
    });
    assert.equal(wrong, 0);
  });
}

test('a loop that is busy for longer than it looks for results loses none', async () => {
  const source = Buffer.alloc(300, 3);
  const target = Buffer.alloc(32);
  const digest = millrace.hash('sha256', source);
  // Some inline, some by workers; a callback now and then takes longer than the poll is patient.
  await chained(64, 30_000, (index, callback) => {
    millrace.hash('sha256', source, { target }, (error) => {
      const end = performance.now() + (index % 97 === 0 ? 0.05 : 0);
      while (performance.now() < end);
      callback(error);
    });
    if (index % 3 === 0) millrace.hash('sha256', source, { route: 'pool' }, () => {});
  });
  assert.deepEqual(target, digest);
});

test('a callback of another engine waits for what the last callback queued', async () => {
  for (let call = 0; call < 300; call++) {
    const order = [];
    await new Promise((resolve, reject) =>
      millrace.hash('sha256', Buffer.alloc(4096), { route: 'pool' }, () => {
        millrace.hash('sha256', 'a', { engine: 'portable', route: 'inline' }, (error) => {
          order.push('other engine');
          if (error) reject(error);
          else resolve();
        });
        process.nextTick(() => order.push('tick'));
        queueMicrotask(() => order.push('microtask'));
      }),
    );
    assert.deepEqual(order, ['tick', 'microtask', 'other engine']);
  }
});
