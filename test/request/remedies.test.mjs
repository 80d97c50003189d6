// Messages for usual mistakes name the remedy.

import assert from 'node:assert/strict';
import { createReadStream } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { test } from 'node:test';

import millrace from 'millrace';
import promises from 'millrace/promises';

const key = Buffer.alloc(32);
const text = key.toString('hex');

for (const [name, pattern, call] of [
  ['hex as a key', /Buffer\.from/, () => millrace.seal('aes-256-gcm', { key: text, source: 'x' })],
  [
    'hex as a code',
    /Buffer\.from/,
    () => millrace.verifyHmac('sha256', { key, source: 'x', mac: text }),
  ],
  [
    'a small target',
    /target must have 36 bytes or more, targetOffset \(4\) included, not 16/,
    () => millrace.hash('sha256', 'x', { target: Buffer.alloc(16), targetOffset: 4 }),
  ],
  ['a promise', /await it/, () => millrace.hash('sha256', Promise.resolve('x'))],
  ['a Response', /takes a stream/, () => millrace.hash('sha256', new Response('x'))],
  [
    'a stream',
    /millrace\/promises takes a stream/,
    () => {
      const stream = createReadStream(fileURLToPath(import.meta.url));
      stream.on('error', () => {}).destroy();
      return millrace.hash('sha256', stream);
    },
  ],
  ['a size in the name', /outputLength/, () => millrace.hash('blake2b-256', 'x')],
  ['hmac without a hash', /hmac-sha256/, () => millrace.createKey('hmac', key)],
  [
    'a mode of node:crypto',
    /node:crypto/,
    () => millrace.seal('aes-256-cbc', { key, source: 'x' }),
  ],
  [
    'encrypt for createCipher',
    /createDecipher decrypts/,
    () =>
      millrace.createCipher('aes-256-gcm', { key, nonce: key.subarray(12, 24), encrypt: false }),
  ],
  [
    'verifyHmac by position',
    /verifyHmac\(algorithm, \{ key, source, mac \}\)/,
    () => millrace.verifyHmac('sha256', key, 'x', key),
  ],
  [
    "bcrypt's rounds",
    /did you mean options\.cost/,
    () => millrace.hashPassword('x', { algorithm: 'bcrypt', rounds: 10 }),
  ],
  [
    "bcrypt's saltRounds",
    /did you mean options\.cost/,
    () => millrace.hashPassword('x', { algorithm: 'bcrypt', saltRounds: 10 }),
  ],
])
  test(`${name}: the message names the remedy`, () => {
    assert.throws(call, (error) => {
      assert.match(error.message, pattern);
      return true;
    });
  });

const ignore = () => {};
const parameters = { message: 'x', nonce: '12345678' };
for (const [name, ...given] of [
  ['hash', 'sha256', 'x'],
  ['hmac', 'sha256', 'key', 'x'],
  ['hashFile', 'sha256', 'x'],
  ['scrypt', 'x', 'salt', 32],
  ['pbkdf2', 'x', 'salt', 1, 32, 'sha256'],
  ['hkdf', 'sha256', 'x', 'salt', 'info', 32],
  ['argon2', 'argon2id', parameters],
  ['argon2', 'argon2id', parameters, {}],
  ['hashPassword', 'x'],
  ['verifyPassword', 'x', 'hash'],
])
  test(`a callback given to ${name} of promises: the message names the remedy`, () =>
    assert.rejects(() => promises[name](...given, ignore), /a promise takes no callback/));
