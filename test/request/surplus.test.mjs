// Every function and method of both entry points refuses arguments after those that it takes.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Transform } from 'node:stream';
import { after, test } from 'node:test';

import millrace from 'millrace';
import promises from 'millrace/promises';

const folder = mkdtempSync(join(tmpdir(), 'millrace-surplus-'));
const file = join(folder, 'file');
writeFileSync(file, 'data');
after(() => rmSync(folder, { recursive: true }));

const key = Buffer.alloc(32, 1);
const nonce = Buffer.alloc(12, 2);
const tag = () => Buffer.alloc(16);
const sealing = { key, nonce, source: 'text' };
const sealed = millrace.seal('aes-256-gcm', sealing);
const stored = millrace.hashPassword('p', { memory: 8, passes: 1 });
const cheap = { N: 16, r: 1, p: 1 };
const argon2 = { message: 'p', nonce: '12345678', memory: 8, passes: 1 };
const wrapped = millrace.wrapKey('aes256-wrap', { key, source: key });
const stream = { algorithm: 'aes-256-gcm', key };

/** The most arguments of each function, without a callback. */
const given = {
  cipher: [
    ['aes-256-ctr', { encrypt: true, key, iv: tag(), source: 'x' }],
    ['aes-256-gcm', true, key, nonce, 'text', '', tag()],
  ],
  hash: [['sha256', 'data', 'hex']],
  hashFile: [['sha256', file, 'hex', {}]],
  hashFiles: [['sha256', [file], 'hex', {}]],
  hashMany: [['sha256', ['a'], 'hex']],
  hashPairs: [['sha256', Buffer.alloc(64), Buffer.alloc(32)]],
  hmac: [['sha256', key, 'data', 'hex']],
  hmacMany: [['sha256', key, ['a'], 'hex']],
  verifyHmac: [['sha256', { key, source: 'x', mac: key }]],
  verifyMac: [['hmac-sha256', { key, source: 'x', mac: key }]],
  seal: [['aes-256-gcm', sealing]],
  open: [['aes-256-gcm', { key, nonce, source: sealed }]],
  scrypt: [['p', 's', 16, cheap]],
  pbkdf2: [['p', 's', 1, 16, 'sha256', {}]],
  hkdf: [['sha256', 'k', 's', 'i', 16, {}]],
  argon2: [['argon2id', argon2]],
  hashPassword: [['p', { memory: 8, passes: 1 }]],
  verifyPassword: [['p', stored, {}]],
  wrapKey: [['aes256-wrap', { key, source: key }]],
  unwrapKey: [['aes256-wrap', { key, source: wrapped }]],
  needsRehash: [[stored, {}]],
  timingSafeEqual: [[key, key]],
  configure: [[{}]],
  engines: [[{}]],
  getHashes: [[]],
  getCiphers: [[]],
  createKey: [['aes-256-gcm', key, {}]],
  createHash: [['sha256', {}]],
  createHmac: [['sha256', key, {}]],
  createCipher: [['aes-256-gcm', { key, nonce }]],
  createDecipher: [['aes-256-gcm', { key, nonce }]],
  sealStream: [[stream]],
  openStream: [[stream]],
  sealTransformStream: [[stream]],
  openTransformStream: [[stream]],
  openRange: [[() => key, { ...stream, end: 1 }]],
  hashFilesIterator: [['sha256', [file], 'hex', {}]],
  hashTransformStream: [['sha256', 'hex', {}]],
  randomBytes: [[1]],
  generateKey: [['aes-256-gcm']],
};
for (const [source, options] of [
  ['Passphrase', { N: 1024 }],
  ['Key', {}],
]) {
  const secret = source === 'Key' ? key : 'p';
  given[`sealWith${source}`] = [[secret, 'data', options]];
  given[`openWith${source}`] = [[secret, sealed, {}]];
  for (const kind of ['Stream', 'TransformStream']) {
    given[`seal${kind}With${source}`] = [[secret, options]];
    given[`open${kind}With${source}`] = [[secret, {}]];
  }
}
const classes = ['Cipher', 'Decipher', 'Hash', 'Hmac', 'Key', 'MillraceError'];

for (const [name, entryPoint] of Object.entries({ millrace, 'millrace/promises': promises })) {
  for (const [method, call] of Object.entries(entryPoint)) {
    if (typeof call !== 'function' || classes.includes(method)) continue;
    test(`${name}: ${method}`, async () => {
      assert.ok(given[method], `${method} is not in the table of this test`);
      for (const each of given[method]) {
        // Functions of millrace may have a callback, and those of millrace/promises options.
        const last = name === 'millrace' ? () => assert.fail('called back') : {};
        await refused(() => call(...each, last, 5, 6));
        await refused(() => call(...each, undefined, 5, 6));
      }
    });
  }
}

test('parts of hkdf', async () => {
  for (const { hkdf } of [millrace, promises]) {
    await refused(() => hkdf.extract('sha256', 'k', 's', {}, 5, 6));
    await refused(() => hkdf.expand('sha256', key, 'i', 16, {}, 5, 6));
  }
});

test('digests of streams', async () => {
  await refused(() => promises.hash('sha256', new Blob(['x']), 'hex', {}, 5));
  await refused(() => promises.hmac('sha256', key, new Blob(['x']), 'hex', {}, 5));
});

/** Calls of methods with the most arguments; they have a callback where the last is a function. */
const never = () => assert.fail('called back');
const hashing = {
  update: [
    ['text', 'utf8'],
    ['text', 'utf8', never],
    [key, 0, 1],
    [key, 0, 1, never],
  ],
  updateAsync: [
    ['text', 'utf8'],
    [key, 0, 1],
  ],
  digest: [['hex'], ['hex', never]],
  digestAsync: [['hex']],
  digestInto: [[Buffer.alloc(64), 0]],
  copy: [[{}]],
  reset: [[]],
  exportState: [[]],
};
const ciphering = {
  update: [
    ['text', 'utf8', never],
    ['text', never],
  ],
  updateAsync: [['text', 'utf8']],
  updateInto: [
    [key, Buffer.alloc(32), 0, never],
    [key, Buffer.alloc(32), never],
  ],
  updateIntoAsync: [[key, Buffer.alloc(32), 0]],
  final: [[never]],
  finalAsync: [[]],
  dispose: [[]],
};
const methods = {
  Hash: [
    () => millrace.createHash('shake128'),
    { ...hashing, squeeze: [[16, 'hex']], squeezeInto: [[Buffer.alloc(16), 0, 16]] },
  ],
  Hmac: [() => millrace.createHmac('sha256', key), hashing],
  Cipher: [() => millrace.createCipher('aes-256-gcm', { key, nonce }), ciphering],
  Decipher: [
    () => millrace.createDecipher('aes-256-gcm', { key, nonce }),
    { ...ciphering, setAuthTag: [[tag()]], copy: [[{}]] },
  ],
  Key: [() => millrace.createKey('aes-256-gcm', key), { dispose: [[]] }],
};

for (const [name, [make, calls]] of Object.entries(methods)) {
  test(`methods of ${name}`, async () => {
    for (const method of methodsOf(millrace[name].prototype)) {
      assert.ok(calls[method], `${method} is not in the table of this test`);
      for (const each of calls[method]) {
        const object = make();
        await refused(() => object[method](...each, 5, 6), `${name}.${method}`);
        await refused(() => object[method](...each, undefined, 5), `${name}.${method}`);
      }
    }
  });
}

/** Returns the names of the methods that Millrace documents, not those of streams. */
function methodsOf(prototype) {
  const names = [];
  for (let each = prototype; each !== null; each = Object.getPrototypeOf(each)) {
    for (const [name, { value }] of Object.entries(Object.getOwnPropertyDescriptors(each)))
      if (
        typeof value === 'function' &&
        name !== 'constructor' &&
        !/^_|^another$/.test(name) &&
        !isOfStreams(name)
      )
        names.push(name);
  }
  return names;
}

function isOfStreams(name) {
  return name in Transform.prototype;
}

async function refused(run, note) {
  await assert.rejects(
    async () => run(),
    (error) => {
      assert.ok(error instanceof millrace.MillraceError, `${note}: ${error.stack}`);
      assert.ok(['ERR_MISSING_ARGUMENT', 'ERR_ARGUMENT_TYPE'].includes(error.code), error.stack);
      return true;
    },
  );
}
