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
import { cipherOptions } from '../support/offsets.mjs';

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
    message.copy(memory, at);
    const digest = createHash('sha256').update(message).digest();
    for (const entryPoint of [millrace, promises]) {
      const target = Buffer.alloc(32);
      assert.equal(await entryPoint.hash('sha256', memory.subarray(at, at + 3000), { target }), 32);
      assert.deepEqual(target, digest);
      // The digest to where the source is not, in the same buffer.
      assert.equal(
        await entryPoint.hash('sha256', memory.subarray(at, at + 3000), {
          target: memory,
          targetOffset: beyond + 4100,
        }),
        32,
      );
      assert.deepEqual(memory.subarray(beyond + 4100, beyond + 4132), digest);
      assert.deepEqual(await entryPoint.hash('sha256', memory.subarray(at, at + 3000)), digest);
      assert.deepEqual(
        await entryPoint.hmac(
          'sha256',
          'key',
          new Uint8Array(memory.buffer, memory.byteOffset + at, 3000),
        ),
        millrace.hmac('sha256', 'key', message),
      );
      assert.equal(
        await entryPoint.hash('sha256', memory.subarray(at, at + 3000), {
          target: memory,
          targetOffset: beyond,
        }),
        32,
      );
      assert.deepEqual(memory.subarray(beyond, beyond + 32), digest);

      const [key, iv] = [rng.bytes(32), rng.bytes(12)];
      const cipher = createCipheriv('aes-256-gcm', key, iv);
      const sealed = Buffer.concat([cipher.update(message), cipher.final(), cipher.getAuthTag()]);
      key.copy(memory, beyond + 40);
      iv.copy(memory, beyond + 80);
      const args = (encrypt, from, to) => [
        'aes-256-gcm',
        encrypt,
        memory,
        beyond + 40,
        32,
        memory,
        beyond + 80,
        12,
        memory,
        from,
        3000,
        memory,
        to,
        memory,
        beyond,
        0,
        memory,
        beyond + 4200,
        16,
      ];
      assert.equal(await entryPoint.cipher(...cipherOptions(args(1, at, at + 7))), 3000);
      assert.deepEqual(memory.subarray(at + 7, at + 3007), sealed.subarray(0, 3000));
      assert.deepEqual(memory.subarray(beyond + 4200, beyond + 4216), sealed.subarray(3000));
      assert.equal(await entryPoint.cipher(...cipherOptions(args(0, at + 7, at))), 3000);
      assert.deepEqual(memory.subarray(at, at + 3000), message);

      // One past the end, and a sum that would wrap at 32 or at 53 bits.
      for (const targetOffset of [memory.length - 10, memory.length + 1, 2 ** 53 - 1]) {
        await assert.rejects(
          async () => entryPoint.hash('sha256', 'text', { target: memory, targetOffset }),
          { code: 'ERR_ARGUMENT_VALUE' },
        );
      }
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
