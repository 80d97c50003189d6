// Random parameters against node:crypto, and Argon2 and bcrypt against hash-wasm.

import assert from 'node:assert/strict';
import crypto from 'node:crypto';
import { test } from 'node:test';

import { argon2d, argon2i, argon2id, bcrypt } from 'hash-wasm';
import millrace from 'millrace';
import promises from 'millrace/promises';

import { hmacNames } from '../support/algorithms.mjs';
import { random } from '../support/random.mjs';

const rng = random('derivations');
const below = (count) => rng.below(count);
const bytes = (size) => rng.bytes(size);

/** Checks a derivation at once, and by promise while many others run, in memory used again. */
async function derives(name, args, expected) {
  assert.deepEqual(millrace[name](...args), expected, name);
  const promised = promises[name](...args);
  for (const memory of args.filter(Buffer.isBuffer)) memory.fill(0);
  assert.deepEqual(await promised, expected, name);
}

test('scrypt is that of node:crypto', async () => {
  const flying = [];
  for (let round = 0; round < 60; round++) {
    const options = {
      N: 2 ** (1 + below(9)),
      r: 1 + below(12),
      p: 1 + below(6),
      maxmem: below(2) ? 2 ** 26 : undefined,
    };
    const [password, salt, keylen] = [
      bytes(below(150)),
      bytes(below(100)),
      below(5) ? below(100) : below(5000),
    ];
    const expected = crypto.scryptSync(password, salt, keylen, options);
    // Those of one cost run together.
    flying.push(derives('scrypt', [password, salt, keylen, options], expected));
  }
  await Promise.all(flying);
});

test('scrypts of one cost in lanes are each their own', async () => {
  const jobs = Array.from({ length: 40 }, (_, index) => [
    bytes(index),
    bytes(8),
    1 + below(64),
    { N: 512, p: 1 + (index % 3) },
  ]);
  const keys = await Promise.all(jobs.map((args) => promises.scrypt(...args)));
  for (const [index, args] of jobs.entries())
    assert.deepEqual(keys[index], crypto.scryptSync(...args), `${index}`);
});

test('PBKDF2 is that of node:crypto', async () => {
  const flying = [];
  const nodes = new Set(crypto.getHashes());
  for (const digest of hmacNames.filter((name) => nodes.has(name))) {
    for (let round = 0; round < 8; round++) {
      const [password, salt, iterations, keylen] = [
        bytes(below(300)),
        bytes(below(100)),
        1 + below(round === 0 ? 5000 : 60),
        1 + below(300),
      ];
      const expected = crypto.pbkdf2Sync(password, salt, iterations, keylen, digest);
      const ours = digest.replace(/blake2(.)/, 'blake2$1-');
      flying.push(derives('pbkdf2', [password, salt, iterations, keylen, ours], expected));
    }
  }
  await Promise.all(flying);
});

test('HKDF is that of node:crypto', async () => {
  for (let round = 0; round < 100; round++) {
    const digest = ['sha1', 'sha256', 'sha384', 'sha512', 'sha3-256'][below(5)];
    const size = crypto.createHash(digest).digest().length;
    const [ikm, salt, info, keylen] = [
      bytes(1 + below(200)),
      bytes(below(200)),
      bytes(below(200)),
      1 + below(round % 10 === 0 ? 255 * size : 100),
    ];
    const expected = Buffer.from(crypto.hkdfSync(digest, ikm, salt, info, keylen));
    const object = crypto.createSecretKey(ikm);
    assert.deepEqual(millrace.hkdf(digest, object, salt, info, keylen), expected);
    await derives('hkdf', [digest, ikm, salt, info, keylen], expected);
  }
});

test('Argon2 is that of hash-wasm, and of node:crypto where that has it', async () => {
  for (let round = 0; round < 30; round++) {
    const [algorithm, oracle] = Object.entries({ argon2d, argon2i, argon2id })[round % 3];
    const parallelism = 1 + below(4);
    const parameters = {
      message: bytes(1 + below(100)),
      nonce: bytes(8 + below(40)),
      secret: bytes(below(30)),
      parallelism,
      memory: 8 * parallelism + below(300),
      passes: 1 + below(3),
      tagLength: 4 + below(200),
    };
    const { message, nonce, secret, memory, passes, tagLength } = parameters;
    const expected = Buffer.from(
      await oracle({
        password: message,
        salt: nonce,
        secret,
        parallelism,
        memorySize: memory,
        iterations: passes,
        hashLength: tagLength,
        outputType: 'binary',
      }),
    );
    await derives('argon2', [algorithm, parameters], expected);
    if (crypto.argon2Sync !== undefined) {
      const bound = { ...parameters, associatedData: bytes(below(30)) };
      assert.deepEqual(millrace.argon2(algorithm, bound), crypto.argon2Sync(algorithm, bound));
    }
  }
});

test('bcrypt of hash-wasm is verified', async () => {
  for (let round = 0; round < 6; round++) {
    const password = Buffer.from(bytes(1 + below(72)).map((byte) => byte || 1));
    const hash = await bcrypt({
      password,
      salt: bytes(16),
      costFactor: 4 + below(3),
      outputType: 'encoded',
    });
    assert.equal(millrace.verifyPassword(password, hash), true);
    assert.equal(await promises.verifyPassword(password, hash), true);
    password[0] = password[0] === 255 ? 1 : password[0] + 1;
    assert.equal(millrace.verifyPassword(password, hash), false);
  }
});
