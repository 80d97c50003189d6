// How long a call holds the event loop: nothing in it grows with the size of what is lent.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { output } from '../support/child.mjs';

test('a call with a target touches no memory of its size, and makes none', async () => {
  const stdout = await output(`
    millrace.configure({ threads: 1 });
    const size = 256 << 20;
    const key = Buffer.alloc(32),
      nonce = Buffer.alloc(12),
      iv = Buffer.alloc(16),
      digest = Buffer.alloc(64);
    // Pages of these do not exist before code touches them.
    const source = Buffer.allocUnsafeSlow(size),
      target = Buffer.allocUnsafeSlow(size + 16);
    const busy = Buffer.alloc(48 << 20, 1);
    const { signal } = new AbortController();
    const controller = new AbortController();
    const calls = {
      hash: (options) => promises.hash('sha256', source, { target: digest, ...options }),
      hmac: (options) => promises.hmac('sha256', key, source, { target: digest, ...options }),
      seal: (options) => promises.seal('aes-256-gcm', { key, nonce, source, target, ...options }),
      'seal split': (options) =>
        promises.seal('aes-256-gcm', { key, nonce, source, target, route: 'pool', ...options }),
      cipher: (options) =>
        promises.cipher('aes-256-ctr', { encrypt: true, key, iv, source, target, ...options }),
    };
    (async () => {
      await promises.hash('sha256', busy, { target: digest });
      // The only worker has work for a while, all of it in memory that exists.
      const before = Array.from({ length: 6 }, () =>
        promises.hash('sha256', busy, { target: digest, route: 'pool' }),
      );
      const faults = {},
        memory = {};
      for (const [name, call] of Object.entries(calls)) {
        const begin = process.resourceUsage().minorPageFault,
          external = process.memoryUsage().arrayBuffers;
        call({ signal: controller.signal }).catch(() => {});
        faults[name] = process.resourceUsage().minorPageFault - begin;
        memory[name] = process.memoryUsage().arrayBuffers - external;
      }
      controller.abort();
      await Promise.all(before);
      console.log(JSON.stringify({ faults, memory }));
    })();
  `);
  const { faults, memory } = JSON.parse(stdout);
  // Of 65,536 pages.
  for (const [name, count] of Object.entries(faults))
    assert.ok(count < 500, `${name}: ${count} pages touched`);
  for (const [name, bytes] of Object.entries(memory))
    assert.ok(bytes < 100_000, `${name}: ${bytes} bytes made`);
});
