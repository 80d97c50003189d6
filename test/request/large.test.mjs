// Offsets and sizes beyond 2^31. The buffers are never touched but near the ends of their ranges,
// so they cost address space and a few pages; where even that cannot be had, the test is skipped
// and says so.

import assert from 'node:assert/strict';
import { createCipheriv, createHash } from 'node:crypto';
import { freemem } from 'node:os';
import { constants } from 'node:buffer';
import { test } from 'node:test';

import millrace from 'millrace';
import cryptoAsync from 'millrace/crypto-async';
import promises from 'millrace/promises';

import { random } from '../support/random.mjs';

const rng = random('large');

for (const [name, beyond] of [
  ['2^31', 2 ** 31],
  ['2^32', 2 ** 32],
]) {
  test(`windows beyond ${name}`, async (t) => {
    const memory = sparse(beyond + 5000);
    if (typeof memory === 'string') return t.skip(memory);
    const message = rng.bytes(3000);
    const at = beyond + 1000;
    const part = (from, size) => memory.subarray(from, from + size);
    message.copy(memory, at);
    const source = part(at, 3000);
    const digest = createHash('sha256').update(message).digest();
    for (const { cipher, hash, hmac } of [millrace, promises]) {
      const target = Buffer.alloc(32);
      assert.equal(await hash('sha256', source, { target }), 32);
      assert.deepEqual(target, digest);
      assert.deepEqual(await hash('sha256', source), digest);
      // The digest to where the source is not, in the same buffer.
      for (const targetOffset of [beyond + 4100, beyond]) {
        assert.equal(await hash('sha256', source, { target: memory, targetOffset }), 32);
        assert.deepEqual(part(targetOffset, 32), digest);
      }
      const view = new Uint8Array(memory.buffer, memory.byteOffset + at, 3000);
      assert.deepEqual(await hmac('sha256', 'key', view), millrace.hmac('sha256', 'key', message));

      const [key, iv] = [rng.bytes(32), rng.bytes(12)];
      const theirs = createCipheriv('aes-256-gcm', key, iv);
      const sealed = Buffer.concat([theirs.update(message), theirs.final()]);
      key.copy(memory, beyond + 40);
      iv.copy(memory, beyond + 80);
      const tag = part(beyond + 4200, 16);
      const secrets = { key: part(beyond + 40, 32), iv: part(beyond + 80, 12), tag };
      const run = (encrypt, from, to) => {
        const options = { encrypt, source: part(from, 3000), target: memory, targetOffset: to };
        return cipher('aes-256-gcm', { ...secrets, ...options });
      };
      assert.equal(await run(1, at, at + 7), 3000);
      assert.deepEqual(part(at + 7, 3000), sealed);
      assert.deepEqual(tag, theirs.getAuthTag());
      assert.equal(await run(0, at + 7, at), 3000);
      assert.deepEqual(source, message);

      // One past the end, and a sum that would wrap at 32 or at 53 bits.
      for (const targetOffset of [memory.length - 10, memory.length + 1, 2 ** 53 - 1])
        await assert.rejects(async () => hash('sha256', 'text', { target: memory, targetOffset }), {
          code: 'ERR_ARGUMENT_VALUE',
        });
    }
    if (beyond === 2 ** 31) {
      assert.throws(() => cryptoAsync.hash('sha256', memory, 0, 10, Buffer.alloc(32), 0), {
        message: cryptoAsync.E_BUFFER_LENGTH,
      });
    }
  });
}

test('a source of more than 2^31 bytes', { timeout: 300_000 }, async (t) => {
  const size = 2 ** 31 + 100;
  // Reading it maps every page to the one page of zeroes; no memory is spent, but time is.
  const memory = sparse(size);
  if (typeof memory === 'string') return t.skip(memory);
  if (process.platform !== 'linux')
    return t.skip('untouched pages may not be zero, nor free of cost, on this system');
  memory.write('beginning', 0);
  memory.write('the end', size - 7);
  const digest = createHash('sha256');
  for (let at = 0; at < size; at += 2 ** 30) digest.update(memory.subarray(at, at + 2 ** 30));
  const target = Buffer.alloc(32);
  assert.equal(await promises.hash('sha256', memory, { target }), 32);
  assert.deepEqual(target, digest.digest());
});

/** Returns an untouched buffer, or the reason why there is none. */
function sparse(size) {
  if (size > constants.MAX_LENGTH)
    return `buffers end at ${constants.MAX_LENGTH} bytes in this version of Node`;
  if (freemem() < 2 * 2 ** 30)
    return `only ${Math.round(freemem() / 2 ** 20)} MiB of memory are free`;
  try {
    return Buffer.allocUnsafeSlow(size);
  } catch (error) {
    return `${size} bytes cannot be allocated: ${error.message}`;
  }
}
