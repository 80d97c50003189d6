// Bad input of each argument is refused by every call style, and the message names it.

import assert from 'node:assert/strict';
import { scryptSync } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { totalmem } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

import millrace from 'millrace';
import promises from 'millrace/promises';

import { root } from '../support/child.mjs';
import { refuses } from '../support/refusals.mjs';

const [TYPE, VALUE, MISSING] = ['ERR_ARGUMENT_TYPE', 'ERR_ARGUMENT_VALUE', 'ERR_MISSING_ARGUMENT'];
const notData = [null, true, 5, 5n, {}, [], Symbol('x')];
const notSizes = [
  [null, TYPE],
  ['5', TYPE],
  [5n, TYPE],
  [-1, VALUE],
  [1.5, VALUE],
  [NaN, VALUE],
  [2 ** 31, VALUE],
  [Infinity, VALUE],
];

test('scrypt refuses wrong arguments', async () => {
  await refuses('scrypt', ['a', 'b'], MISSING, /keylen/);
  for (const value of notData) {
    await refuses('scrypt', [value, 'salt', 32], TYPE, /^password/);
    await refuses('scrypt', ['password', value, 32], TYPE, /^salt/);
  }
  for (const [value, code] of notSizes) await refuses('scrypt', ['a', 'b', value], code, /^keylen/);
  for (const [options, code, names] of [
    [{ N: 1000 }, VALUE, /N \(cost\)/],
    [{ N: 1 }, VALUE, /N/],
    [{ N: 0 }, VALUE, /N/],
    [{ cost: 3 }, VALUE, /cost/],
    [{ N: '16' }, TYPE, /N/],
    [{ N: -16 }, VALUE, /N/],
    [{ N: 65536, r: 1, maxmem: 2 ** 40 }, VALUE, /65536/],
    [{ r: 0 }, VALUE, /r \(blockSize\)/],
    [{ blockSize: 1.5 }, VALUE, /blockSize/],
    [{ p: 0 }, VALUE, /p \(para/],
    [{ parallelization: null }, TYPE, /parallelization/],
    [{ r: 2 ** 15, p: 2 ** 15 }, VALUE, /p \* r/],
    [{ N: 16, cost: 16 }, VALUE, /N.*cost/],
    [{ r: 8, blockSize: 8 }, VALUE, /r.*blockSize/],
    [{ p: 1, parallelization: 1 }, VALUE, /p.*parallelization/],
    [{ maxmem: -1 }, VALUE, /maxmem/],
    [{ maxmem: 'x' }, TYPE, /maxmem/],
    [{ N: 32768 }, 'ERR_MEMORY_LIMIT', /33557504 bytes/],
    [{ maxmem: 128 * 8 * (16384 + 3) - 1 }, 'ERR_MEMORY_LIMIT', /16780288 bytes/],
    [{ N: 2 ** 40, maxmem: 2 ** 40 }, 'ERR_MEMORY_LIMIT', /bytes/],
  ])
    await refuses('scrypt', ['a', 'b', 32, options], code, names);
  for (const options of [5, 'x', null, Buffer.alloc(4)])
    await refuses('scrypt', ['a', 'b', 32, options], TYPE, /^options/);
  // As much as is needed is enough, and undefined is as good as none.
  assert.equal(
    millrace.scrypt('a', 'b', 32, { maxmem: 128 * 8 * (16384 + 3), N: undefined, cost: 16384 })
      .length,
    32,
  );
  assert.equal(millrace.scrypt('a', 'b', 0, undefined).length, 0);
});

test('pbkdf2 refuses wrong arguments', async () => {
  await refuses('pbkdf2', ['a', 'b', 1, 32], MISSING, /digest/);
  for (const value of notData) {
    await refuses('pbkdf2', [value, 'salt', 1, 32, 'sha256'], TYPE, /^password/);
    await refuses('pbkdf2', ['password', value, 1, 32, 'sha256'], TYPE, /^salt/);
  }
  for (const [value, code] of notSizes)
    await refuses('pbkdf2', ['a', 'b', 1, value, 'sha256'], code, /^keylen/);
  for (const [value, code] of [
    [0, VALUE],
    [-1, VALUE],
    [2 ** 32, VALUE],
    [1.5, VALUE],
    ['1', TYPE],
  ])
    await refuses('pbkdf2', ['a', 'b', value, 32, 'sha256'], code, /^iterations/);
  await refuses('pbkdf2', ['a', 'b', 1, 32, 'sha257'], 'ERR_UNKNOWN_ALGORITHM', /^digest.*sha256/);
  for (const digest of ['xxh64', 'shake128', 'xxh3-128'])
    await refuses('pbkdf2', ['a', 'b', 1, 32, digest], VALUE, /^digest/);
  await refuses('pbkdf2', ['a', 'b', 1, 32, 5], TYPE, /^digest/);
  await refuses('pbkdf2', ['a', 'b', 1, 32, 'sha256', 5], TYPE, /^options/);
});

test('hkdf refuses wrong arguments', async () => {
  await refuses('hkdf', ['sha256', 'a', 'b', 'c'], MISSING, /keylen/);
  for (const value of notData) {
    await refuses('hkdf', ['sha256', value, 'salt', 'info', 32], TYPE, /^ikm/);
    await refuses('hkdf', ['sha256', 'ikm', value, 'info', 32], TYPE, /^salt/);
    await refuses('hkdf', ['sha256', 'ikm', 'salt', value, 32], TYPE, /^info/);
  }
  for (const [value, code] of notSizes)
    await refuses('hkdf', ['sha256', 'a', 'b', 'c', value], code, /^keylen/);
  await refuses('hkdf', ['sha256', 'a', 'b', 'c', 255 * 32 + 1], 'ERR_OUTPUT_SIZE', /8160/);
  await refuses('hkdf', ['md6', 'a', 'b', 'c', 32], 'ERR_UNKNOWN_ALGORITHM', /^digest/);
});

test('argon2 refuses wrong arguments', async () => {
  const good = { message: 'a', nonce: '8 bytes!', memory: 64 };
  await refuses('argon2', ['argon2id'], MISSING, /parameters/);
  await refuses('argon2', ['argon2', good], 'ERR_UNKNOWN_ALGORITHM', /^algorithm/);
  await refuses('argon2', [5, good], TYPE, /^algorithm/);
  await refuses('argon2', ['argon2id', 5], TYPE, /^parameters/);
  for (const value of notData) {
    for (const name of ['message', 'nonce', 'secret', 'associatedData'])
      await refuses(
        'argon2',
        ['argon2id', { ...good, [name]: value }],
        TYPE,
        new RegExp(`^parameters.${name}`),
      );
  }
  for (const [other, code, names] of [
    [{ nonce: '7 bytes' }, VALUE, /nonce/],
    [{ tagLength: 3 }, VALUE, /tagLength/],
    [{ tagLength: '32' }, TYPE, /tagLength/],
    [{ memory: 7 }, VALUE, /memory/],
    [{ memory: 15, parallelism: 2 }, VALUE, /memory/],
    [{ memory: null }, TYPE, /memory/],
    [{ passes: 0 }, VALUE, /passes/],
    [{ parallelism: 0 }, VALUE, /parallelism/],
    [{ parallelism: 2 ** 24 }, VALUE, /parallelism/],
    [{ version: 18 }, VALUE, /version/],
    [{ message: undefined }, TYPE, /message/],
    [{ nonce: undefined }, TYPE, /nonce/],
    [{ memory: 2 ** 31 }, 'ERR_MEMORY_LIMIT', /maxKdfMemory.*2199023255552 bytes/],
  ])
    await refuses('argon2', ['argon2id', { ...good, ...other }], code, names);
});

test('wrong options of calls are refused', async () => {
  for (const [name, args] of [
    ['scrypt', ['a', 'b', 32]],
    ['pbkdf2', ['a', 'b', 1, 32, 'sha256']],
    ['hkdf', ['sha256', 'a', 'b', 'c', 32]],
  ]) {
    for (const option of [{ signal: 5 }, { signal: {} }, { onProgress: 5 }]) {
      await refuses(name, [...args, option], TYPE, new RegExp(Object.keys(option)[0]));
    }
    for (const option of [{ signal: new AbortController().signal }, { onProgress() {} }]) {
      assert.throws(() => millrace[name](...args, option), { code: VALUE, message: /synchronous/ });
    }
    assert.throws(() => millrace[name](...args, {}, 'callback'), {
      code: TYPE,
      message: /^callback/,
    });
    await assert.rejects(promises[name](...args, {}, 5), { code: TYPE });
  }
});

test('maxKdfMemory limits derivations, and wrong values are refused', () => {
  const { maxKdfMemory } = millrace.configure();
  assert.ok(maxKdfMemory > 0 && maxKdfMemory <= 2 ** 30 + 2 ** 24);
  for (const value of [0, -1, 1.5, '5', null])
    assert.throws(() => millrace.configure({ maxKdfMemory: value }), { message: /maxKdfMemory/ });
  assert.equal(millrace.configure({ maxKdfMemory: 2 ** 27 }).maxKdfMemory, 2 ** 27);
  assert.throws(
    () => millrace.argon2('argon2id', { message: 'a', nonce: '12345678', memory: 2 ** 17 + 4 }),
    { code: 'ERR_MEMORY_LIMIT', message: /134221824/ },
  );
  millrace.configure({ maxKdfMemory });
});

test('scrypt computes as many lanes at once as maxKdfMemory allows', async () => {
  const { maxKdfMemory } = millrace.configure();
  const cost = { N: 4096, r: 11, p: 5 };
  const right = scryptSync('x', 'y', 32, cost);
  try {
    // A lane takes 5.8 MB.
    for (const limit of [24 * 2 ** 20, 6 * 2 ** 20]) {
      millrace.configure({ maxKdfMemory: limit });
      assert.deepEqual(millrace.scrypt('x', 'y', 32, cost), right);
      assert.deepEqual(await promises.scrypt('x', 'y', 32, cost), right);
    }
    millrace.configure({ maxKdfMemory: 5 * 2 ** 20 });
    assert.throws(() => millrace.scrypt('x', 'y', 32, cost), {
      code: 'ERR_MEMORY_LIMIT',
      message: /: 5777024 bytes/,
    });
  } finally {
    millrace.configure({ maxKdfMemory });
  }
});

const room = 4 * (2 ** 30 + 2 ** 24);
const small =
  Math.min(totalmem(), process.constrainedMemory?.() || Infinity) < room
    ? 'skipped: the machine has less than 4160 MiB of memory'
    : false;

test(
  'the default memory admits the largest scrypt of RFC 7914: N = 2^20, r = 8, p = 1',
  { skip: small },
  async () => {
    const controller = new AbortController();
    const options = { N: 2 ** 20, r: 8, p: 1, maxmem: 2 ** 31 };
    const watch = { signal: controller.signal, onProgress: () => controller.abort() };
    await assert.rejects(
      promises.scrypt('pleaseletmein', 'SodiumChloride', 64, { ...options, ...watch }),
      { name: 'AbortError' },
    );
    await assert.rejects(
      promises.scrypt('pleaseletmein', 'SodiumChloride', 64, {
        ...options,
        N: 2 ** 21,
        maxmem: 2 ** 32,
      }),
      { code: 'ERR_MEMORY_LIMIT' },
    );
  },
);

test('the comment of each synchronous derivation says first that it blocks the event loop', () => {
  const source = readFileSync(join(root, 'src', 'functions', 'derivations.ts'), 'utf8');
  const documented = [...source.matchAll(/\/\*\*\n((?: \*.*\n)*?) \*\/\nexport function (\w+)/g)];
  const blocks = /^ \* \*\*Without a callback it blocks the event loop/;
  assert.deepEqual(
    documented.filter(([, comment]) => blocks.test(comment)).map(([, , name]) => name),
    ['scrypt', 'pbkdf2', 'argon2', 'hashPassword', 'verifyPassword'],
  );
});
