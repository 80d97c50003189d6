// Every function and method of both entry points refuses arguments after those that it takes.

import assert from 'node:assert/strict';
import { Transform } from 'node:stream';
import { test } from 'node:test';

import millrace from 'millrace';
import promises from 'millrace/promises';

import { classes, templates } from '../support/calls.mjs';

const key = Buffer.alloc(32, 1);
const nonce = Buffer.alloc(12, 2);
const tag = () => Buffer.alloc(16);

for (const [entry, entryPoint] of Object.entries({ millrace, 'millrace/promises': promises })) {
  for (const [method, call] of Object.entries(entryPoint)) {
    if (typeof call !== 'function' || classes.includes(method)) continue;
    test(`${entry}: ${method}`, async () => {
      const valid = templates(millrace).filter(({ name }) => name === method);
      assert.ok(valid.length > 0, `${method} is not in test/support/calls.mjs`);
      for (const { args } of valid) {
        // Functions of millrace may have a callback, and those of millrace/promises options.
        const last = entry === 'millrace' ? () => assert.fail('called back') : {};
        for (const each of [last, undefined])
          for (const absent of [[], [undefined], [undefined, undefined]])
            await refused(() => call(...args(), ...absent, each, 5, 6, 7));
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
      checkForm(error.message);
      return true;
    },
  );
}

/** Checks that the message shows the call with as many arguments as it takes. */
function checkForm(message) {
  const [, name, most, form] = /^(\w+) takes at most (\d) .*, not \d+: (.*)$/.exec(message) ?? [];
  if (name === undefined) {
    assert.doesNotMatch(message, /^\w+ takes at most/);
    return;
  }
  const [, shown, inputs] = /^(\w+)\((.*?)\)/.exec(form);
  assert.equal(shown, name);
  const count = inputs === '' ? 0 : inputs.replace(/\{.*?\}/, 'options').split(',').length;
  // Of optional ones before a callback some may be absent.
  const optional = inputs.split('[').length - 1;
  assert.ok(Number(most) <= count && Number(most) >= count - optional, message);
}
