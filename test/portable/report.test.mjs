// The report of the portable engine, and the calls of its binding that no entry point makes
// with wrong arguments.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { test } from 'node:test';

import { cipherNames, hashNames } from '../support/algorithms.mjs';
import { entryPaths, root } from '../support/child.mjs';

process.env.MILLRACE_ENGINE = 'portable';
const { default: millrace } = await import('millrace');

const require = createRequire(import.meta.url);
const dist = dirname(entryPaths.millrace);
const { native } = require(join(dist, 'core.js'))['engines/binding'];
const { frame } = require(join(dist, 'core.js'))['base/frame'];
const { hashes } = require(join(dist, 'core.js'))['catalog/catalog-table'];

const namesOf = (table) => table.map(({ name }) => name);

test('libraries, and the one of each algorithm', () => {
  const { portable } = JSON.parse(native.engines());
  assert.equal(portable.available, true);
  assert.equal(portable.runs, 'wasm-simd');
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  assert.equal(portable.libraries.millrace, version);
  for (const text of Object.values(portable.libraries)) assert.match(text, /\d+\.\d+/);
  const names = [...namesOf(hashes), ...cipherNames].sort();
  assert.deepEqual(Object.keys(portable.algorithms).sort(), names);
  for (const [name, { library }] of Object.entries(portable.algorithms))
    assert.ok(library in portable.libraries, name);
});

// The Rust of the module with vectors does not compile RustCrypto's ChaCha20 and its AES for
// encryption. AES for decryption, which unwraps keys, is RustCrypto's.
test('code of the module with vectors is not named as that of RustCrypto', () => {
  const { portable } = JSON.parse(native.engines());
  const served = { ...portable.algorithms, ...portable.derivations };
  for (const name of [...cipherNames, 'sha3-256', 'scrypt', 'argon2', 'bcrypt', 'aes-kw'])
    assert.equal(served[name].library, 'millrace', name);
  assert.deepEqual(served['aes-kw'].with, ['RustCrypto']);
  for (const name of ['md5', 'sha1', 'sha256', 'sha512', 'ripemd160', 'pbkdf2-sha256'])
    assert.equal(served[name].library, 'RustCrypto', name);
});

test('a cost for each algorithm', () => {
  const costs = JSON.parse(native.costs());
  for (const name of [...hashNames, ...cipherNames])
    assert.ok(costs[name].fixed > 0 && costs[name].perByte > 0 && costs[name].inlineTo > 0, name);
  assert.ok(Number.isNaN(native.cost(0, 99, 0)));
  assert.ok(native.predict(3, 1e6, 1) > native.predict(3, 1e3, 1));
});

test('settings are applied and reported', () => {
  const { threads, route, maxQueuedBytes, maxKdfMemory } = millrace.configure();
  assert.ok(threads >= 1 && route === 'auto' && maxQueuedBytes > 0 && maxKdfMemory > 0);
  const changed = { threads: 3, route: 'pool', maxQueuedBytes: 12345, maxKdfMemory: 1 << 25 };
  const { threads: t, route: r, maxQueuedBytes: q, maxKdfMemory: m } = millrace.configure(changed);
  assert.deepEqual({ threads: t, route: r, maxQueuedBytes: q, maxKdfMemory: m }, changed);
  millrace.configure({ threads, route, maxQueuedBytes, maxKdfMemory });
});

// As native code: what the front would never ask is refused by number, never by an exception.
test('wrong numbers and things are refused', () => {
  const bytes = new Uint8Array(8);
  frame.fill(0);
  assert.equal(native.run('no', bytes), 10);
  frame.fill(-1);
  assert.equal(native.run(bytes, bytes), 10);
  frame.fill(0);
  frame[2] = -1;
  for (const wrong of [NaN, 0.5, 99, 1e300])
    for (const at of [0, 1]) {
      frame[at] = wrong;
      assert.equal(native.run(bytes, bytes), 10, `${at} ${wrong}`);
      frame[at] = 0;
    }
  assert.equal(native.createKey(9, 0, bytes), -10);
  assert.equal(native.createKey(0, 0, bytes), -1);
  assert.equal(native.createKey(0, 99, bytes), -10);
  assert.equal(native.createKey(1, 99, bytes), -10);
  assert.equal(native.createKey(2, 20, bytes), -1);
  assert.equal(native.createKey(0, 0, 'no'), -10);
  frame.fill(0);
  for (const handle of [1, 2 ** 24, 2 ** 52, NaN, -1, 0.5]) {
    frame[4] = handle;
    assert.equal(native.disposeKey(), 0, String(handle));
  }
  assert.equal(native.cancel(12345), 0);
  assert.equal(native.progress(12345), 0);
  assert.equal(native.equal(bytes, 'no'), 2);
  assert.equal(native.equal(bytes, new Uint8Array(7)), 2);
  assert.equal(native.toBigIntBE('no'), undefined);
  assert.equal(native.writeBigIntBE(1, bytes), 1);
  assert.equal(native.hashHex('no'), undefined);
  const attach = () => native.attach(frame, bytes, () => {}, bytes);
  assert.equal(attach(), 0, 'attached twice');
});

test('keys: a disposed handle is refused, not mistaken for its successor', () => {
  const first = native.createKey(0, 0, new Uint8Array(16));
  frame.fill(0);
  frame[4] = first;
  assert.equal(native.disposeKey(), 1);
  assert.equal(native.disposeKey(), 0);
  const second = native.createKey(0, 0, new Uint8Array(16));
  assert.notEqual(second, first);
  assert.equal(native.disposeKey(), 0);
  frame[4] = second;
  assert.equal(native.disposeKey(), 1);
});

test('equal is right wherever the difference is', () => {
  const left = Uint8Array.from({ length: 40 }, (_, index) => 7 * index);
  assert.equal(native.equal(left, left.slice()), 1);
  for (const index of left.keys())
    for (const bit of [1, 128]) {
      const right = left.slice();
      right[index] ^= bit;
      assert.equal(native.equal(left, right), 0, `${index}`);
    }
});
