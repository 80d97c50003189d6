// Objects of options: which properties count, and in which order they come. refusals.test.mjs has
// the names that each call takes.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';

import millrace from 'millrace';
import promises from 'millrace/promises';

import { root } from '../support/child.mjs';

const [key, nonce] = [Buffer.alloc(32, 1), Buffer.alloc(12, 2)];
const values = { key, nonce, source: 'text' };
const seal = (options) => millrace.seal('aes-256-gcm', options);
const expected = seal(values);

test('an option is not given twice', async () => {
  const { signal } = new AbortController();
  await assert.rejects(
    promises.hash('sha256', new Blob(['data']), { encoding: 'hex' }, { signal }),
    /given twice/,
  );
});

test('a size of a tag in bits is reported', () => {
  const error = { code: 'ERR_TAG_SIZE', message: /bytes, not bits/ };
  assert.throws(() => seal({ ...values, authTagLength: 128 }), error);
});

test('options are own enumerable properties', () => {
  class Options {
    key = key;
    nonce = nonce;
    source = 'text';
    get aad() {
      return assert.fail('an inherited getter was read');
    }
  }
  for (const options of [
    new Options(),
    Object.assign(Object.create({ aad: 'x', inherited: 1 }), values),
    { ...values, [Symbol('mine')]: 1 },
    Object.defineProperty({ ...values }, 'hidden', { value: 1 }),
    new Proxy(values, {}),
    Object.assign(Object.create(null), values),
  ])
    assert.deepEqual(seal(options), expected);
  assert.throws(() => seal(Object.create(values)), { code: 'ERR_ARGUMENT_TYPE' });
  for (const options of [
    new Proxy({ ...values, AAD: 'x' }, {}),
    Object.assign(new Options(), { additionalData: 'x' }),
  ])
    assert.throws(() => seal(options), { message: /did you mean options.aad/ });
});

test('names come in any order, also while a trap makes calls of the same kind', () => {
  const all = { ...values, aad: 'x', authTagLength: 16, engine: 'native' };
  const right = seal(all);
  for (let turn = 0; turn < 200; turn++) {
    const entries = Object.entries(all).sort(() => Math.random() - 0.5);
    const options = Object.fromEntries(entries);
    assert.deepEqual(seal(options), right, Object.keys(options).join());
    const nested = new Proxy(options, {
      getOwnPropertyDescriptor(target, name) {
        seal(Object.fromEntries(entries.toReversed()));
        return Reflect.getOwnPropertyDescriptor(target, name);
      },
    });
    assert.deepEqual(seal(nested), right, Object.keys(options).join());
  }
});

// Node.js 24 and 26 take the copy with a prototype where it inherits none of the names.
for (const newer of [false, true])
  test(`what Object.prototype has is not an option, ${newer ? 'newer' : 'this'} V8`, () => {
    const program = `
      if (${newer}) Set.prototype.union ??= () => {};
      const assert = require('node:assert/strict');
      const { hash, hmac, open, seal } = require(${JSON.stringify(root)});
      const [key, nonce] = [Buffer.alloc(32, 1), Buffer.alloc(12)];
      const calls = () => {
        const sealed = seal('aes-256-gcm', { key, nonce, source: 'a message' });
        return [
          hash('sha256', 'abc', { seed: undefined }),
          hmac('sha256', key, 'abc', { encoding: 'hex' }),
          sealed,
          open('aes-256-gcm', { key, nonce, source: sealed }),
        ];
      };
      const expected = calls();
      Object.prototype.unknown = 1;
      assert.deepEqual(calls(), expected);
      for (const enumerable of [true, false]) {
        const inherited = { target: Buffer.alloc(64), aad: 'x', seed: 1 };
        for (const [name, value] of Object.entries(inherited)) {
          Object.defineProperty(Object.prototype, name, { value, enumerable, configurable: true });
          assert.deepEqual(calls(), expected, name);
          delete Object.prototype[name];
        }
      }
      assert.throws(() => hash('sha256', 'abc', { unknow: 1 }), { code: 'ERR_ARGUMENT_VALUE' });
    `;
    const { status, stderr } = spawnSync(process.execPath, ['-e', program], { encoding: 'utf8' });
    assert.equal(status, 0, stderr);
  });
