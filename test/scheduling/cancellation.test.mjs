// Cancelling: what has not started never does and is rejected at once, what is about to end
// resolves, and whatever comes back as cancelled has the signal's reason.

import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';

import millrace from 'millrace';
import promises from 'millrace/promises';

import { entryPaths, output } from '../support/child.mjs';

const require = createRequire(import.meta.url);
const dist = dirname(entryPaths.millrace);
const { SignalCompletion } = require(join(dist, 'core.js'))['scheduling/completions'];

test('what waits behind long work is rejected at once, with the reason, and writes nothing', async () => {
  await output(`
    const assert = require('node:assert/strict');
    millrace.configure({ threads: 1 });
    (async () => {
      const long = promises.hash('sha256', Buffer.alloc(64 << 20), { target: Buffer.alloc(32) });
      let longDone = false;
      long.then(() => {
        longDone = true;
      });
      const controller = new AbortController();
      const { signal } = controller;
      const reason = new Error('no longer');
      const source = Buffer.alloc(1 << 20);
      const target = Buffer.alloc(source.length + 16, 7);
      const sealing = { key: Buffer.alloc(32), nonce: Buffer.alloc(12), source, target };
      const waiting = [
        promises.hash('sha256', source, { signal }),
        promises.seal('aes-256-gcm', { ...sealing, signal }),
        promises.hashMany('sha256', { data: source, size: 1024 }, { signal }),
      ];
      controller.abort(reason);
      for (const each of waiting) await assert.rejects(each, (error) => error === reason);
      assert.equal(longDone, false);
      await long;
      await promises.hash('sha256', source);
      assert.ok(target.every((byte) => byte === 7));
    })();
  `);
});

test('what has been done during its call resolves, whatever the signal says after it', async () => {
  const controller = new AbortController();
  const { signal } = controller;
  const target = Buffer.alloc(32);
  const calls = [
    promises.hash('sha256', 'short', { signal }),
    promises.hash('sha256', Buffer.alloc(100_000), { route: 'inline', signal }),
    promises.hash('sha256', 'short', { target, route: 'inline', signal }),
  ];
  controller.abort();
  assert.deepEqual((await Promise.all(calls)).slice(0, 2), [
    millrace.hash('sha256', 'short'),
    millrace.hash('sha256', Buffer.alloc(100_000)),
  ]);
});

test('a job that comes back cancelled rejects with the reason, one that comes back done resolves', async () => {
  for (const reason of [new Error('enough'), 'a string', undefined]) {
    const controller = new AbortController();
    const completions = [0, 1, 2].map(() => new SignalCompletion());
    for (const completion of completions) completion.attachSignal(controller.signal);
    controller.abort(reason);
    // None of them has a slot, as after the answer that it is too late or that the job has been
    // asked to stop.
    let settled = 0;
    const count = () => settled++;
    for (const { promise } of completions) promise.then(count, count);
    await setImmediate();
    assert.equal(settled, 0);
    const [stopped, done, failed] = completions;
    stopped.cancelled();
    done.succeed(5);
    failed.fail(new RangeError('something else'));
    await assert.rejects(stopped.promise, (error) => error === controller.signal.reason);
    assert.equal(await done.promise, 5);
    await assert.rejects(failed.promise, RangeError);
  }
});
