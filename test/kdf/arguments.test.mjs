// Costs and sizes of derivations that are out of range or too large together, in every call style,
// and the limits of memory. test/request/refusals.test.mjs has wrong types and numbers.

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

const VALUE = 'ERR_ARGUMENT_VALUE';
const MEMORY = 'ERR_MEMORY_LIMIT';
const UNKNOWN = 'ERR_UNKNOWN_ALGORITHM';

const pbkdf2 = { iterations: 1, keylen: 32, digest: 'sha256' };

/** The arguments of a call with something else. */
const makeArguments = {
  scrypt: (options) => ['a', 'b', 32, options],
  pbkdf2: (more) => ['a', 'b', ...Object.values({ ...pbkdf2, ...more })],
  hkdf: ({ digest = 'sha256', keylen = 32 }) => [digest, 'a', 'b', 'c', keylen],
  argon2: (more) => ['argon2id', { message: 'a', nonce: '8 bytes!', memory: 64, ...more }],
};

for (const [name, given, code, message] of [
  ['scrypt', { N: 1000 }, VALUE, /N \(cost\)/],
  ['scrypt', { N: 1 }, VALUE, /N/],
  ['scrypt', { cost: 3 }, VALUE, /cost/],
  ['scrypt', { N: 65536, r: 1, maxmem: 2 ** 40 }, VALUE, /65536/],
  ['scrypt', { r: 0 }, VALUE, /r \(blockSize\)/],
  ['scrypt', { p: 0 }, VALUE, /p \(para/],
  ['scrypt', { r: 2 ** 15, p: 2 ** 15 }, VALUE, /p \* r/],
  ['scrypt', { N: 16, cost: 16 }, VALUE, /N.*cost/],
  ['scrypt', { r: 8, blockSize: 8 }, VALUE, /r.*blockSize/],
  ['scrypt', { p: 1, parallelization: 1 }, VALUE, /p.*parallelization/],
  ['scrypt', { N: 32768 }, MEMORY, /33557504 bytes/],
  ['scrypt', { maxmem: 128 * 8 * (16384 + 3) - 1 }, MEMORY, /16780288 bytes/],
  ['scrypt', { N: 2 ** 40, maxmem: 2 ** 40 }, MEMORY, /bytes/],
  ['pbkdf2', { keylen: 2 ** 31 }, VALUE, /^keylen/],
  ['pbkdf2', { iterations: 2 ** 32 }, VALUE, /^iterations/],
  ['pbkdf2', { digest: 'xxh64' }, VALUE, /^digest/],
  ['pbkdf2', { digest: 'shake128' }, VALUE, /^digest/],
  ['pbkdf2', { digest: 'xxh3-128' }, VALUE, /^digest/],
  ['pbkdf2', { digest: 'sha257' }, UNKNOWN, /^digest.*sha256/],
  ['hkdf', { keylen: 2 ** 31 }, VALUE, /^keylen/],
  ['hkdf', { keylen: 255 * 32 + 1 }, 'ERR_OUTPUT_SIZE', /8160/],
  ['hkdf', { digest: 'md6' }, UNKNOWN, /^digest/],
  ['argon2', { nonce: '7 bytes' }, VALUE, /nonce/],
  ['argon2', { tagLength: 3 }, VALUE, /tagLength/],
  ['argon2', { memory: 7 }, VALUE, /memory/],
  ['argon2', { memory: 15, parallelism: 2 }, VALUE, /memory/],
  ['argon2', { parallelism: 2 ** 24 }, VALUE, /parallelism/],
  ['argon2', { version: 18 }, VALUE, /version/],
  ['argon2', { memory: 2 ** 31 }, MEMORY, /maxKdfMemory.*2199023255552 bytes/],
])
  test(`${name} refuses ${JSON.stringify(given)}: ${code}`, () =>
    refuses(name, makeArguments[name](given), code, message));

test('scrypt: as much memory as is needed is enough, undefined is none, and no byte is taken', () => {
  const options = { maxmem: 128 * 8 * (16384 + 3), N: undefined, cost: 16384 };
  assert.equal(millrace.scrypt('a', 'b', 32, options).length, 32);
  assert.equal(millrace.scrypt('a', 'b', 0, undefined).length, 0);
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
  assert.ok(documented.length > 4);
  for (const [, comment, name] of documented)
    assert.equal(blocks.test(comment), name !== 'needsRehash', name);
});
