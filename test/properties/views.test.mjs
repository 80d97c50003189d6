// Every type of view that the runtime has, as every argument with bytes of every export: the result
// is that of a Buffer, or an error.

import assert from 'node:assert/strict';
import crypto from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { test } from 'node:test';

import millrace from 'millrace';
import promises from 'millrace/promises';

import { viewOf, viewTypes } from '../conformance/bytes.mjs';
import { root } from '../support/child.mjs';
import { templates } from '../support/calls.mjs';

const require = createRequire(import.meta.url);
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const bytes = Buffer.from('the thirty-two bytes of each one');

/** Returns what a call gives as text: its value or its error, and the bytes of its targets. */
async function outcome(call, args) {
  let text;
  try {
    text = await shown(await call(...args));
  } catch (error) {
    assert.ok(error instanceof Error, String(error));
    text = `error ${error.code ?? error.name}`;
  }
  const targets = args.map((each) => each?.target).filter(ArrayBuffer.isView);
  return [text, ...targets.map(hex)].join(' ');
}

const hex = ({ buffer, byteOffset, byteLength }) =>
  Buffer.from(buffer, byteOffset, byteLength).toString('hex');

async function shown(value) {
  if (ArrayBuffer.isView(value)) return hex(value);
  if (value instanceof ArrayBuffer) return Buffer.from(value).toString('hex');
  if (Array.isArray(value)) return (await Promise.all(value.map(shown))).join();
  if (value instanceof millrace.Key)
    return value.algorithm.startsWith('hmac-')
      ? shown(millrace.hmac(value.algorithm.slice(5), value, 'x'))
      : shown(millrace.seal(value.algorithm, { key: value, nonce: Buffer.alloc(12), source: 'x' }));
  if (typeof value?.digest === 'function') return shown(value.digest());
  if (typeof value?.final === 'function') return shown([value.update('x'), value.final()]);
  value?.on?.('error', () => {});
  value?.destroy?.();
  return typeof value === 'object' ? Object.prototype.toString.call(value) : String(value);
}

/** Returns the places of bytes in arguments: an index, and the name of an option or an item. */
function placesOf(args) {
  return args.flatMap((value, index) => {
    if (Buffer.isBuffer(value)) return [[index]];
    if (typeof value !== 'object' || value === null) return [];
    const names = Object.keys(value).filter((name) => Buffer.isBuffer(value[name]));
    return names.map((name) => [index, name]);
  });
}

/** Returns the arguments with a view at a place; undefined if the type has none of this size. */
function withView(args, [index, name], Type) {
  const value = args[index];
  const view = viewOf(Type, name === undefined ? value : value[name]);
  if (view === undefined) return undefined;
  const copy = Array.isArray(value) ? [...value] : { ...value };
  return args.with(index, name === undefined ? view : Object.assign(copy, { [name]: view }));
}

for (const engine of ['native', 'portable'])
  test(`every export of millrace reads views by their bytes: ${engine}`, async () => {
    millrace.configure({ engine });
    const read = new Set();
    try {
      for (const [entry, api] of Object.entries({ millrace, promises }))
        for (const { name, args } of templates(millrace)) {
          if (api[name] === undefined || name === 'configure') continue;
          // Those with a callback and no promise.
          if (api === millrace && promises[name] && name.endsWith('WithPassphrase')) continue;
          const expected = await outcome(api[name], args());
          // Random nonces and salts; the bytes are at least accepted.
          const random = expected !== (await outcome(api[name], args()));
          for (const place of placesOf(args()))
            for (const Type of viewTypes) {
              const given = withView(args(), place, Type);
              if (given === undefined) continue;
              const found = await outcome(api[name], given);
              const call = `${entry}.${name}, ${place.join('.')} as ${Type.name}`;
              if (random) assert.doesNotMatch(found, /^error/, call);
              else assert.equal(found, expected, call);
              read.add(`${name} ${Type.name}`);
            }
        }
    } finally {
      millrace.configure({ engine: 'auto' });
    }
    for (const { name } of viewTypes)
      assert.ok([...read].filter((each) => each.endsWith(` ${name}`)).length > 20, name);
  });

/** Arguments made of bytes alone, which fit some functions of each entry point. */
const patterns = [
  (view) => [view],
  (view) => [view, view],
  (view) => ['sha256', view],
  (view) => ['SHA-256', view],
  (view) => ['sha256', view, view],
  (view) => ['sha256', view, 'buffer'],
  (view) => [view, view, 2, 32, 'sha256'],
  (view) => ['sha256', view, view, view, 32],
  (view) => [view, view, 32, { N: 2, r: 1, p: 1 }],
  (view) => ['aes-256-ctr', view, view.constructor === Buffer ? view.subarray(16) : half(view)],
];

const half = (view) => {
  const { buffer, constructor: Type } = view;
  return new Type(buffer, buffer.byteLength / 2);
};

test('every function of the other entry points reads views by their bytes, or refuses', async () => {
  let equal = 0;
  for (const path of Object.keys(manifest.exports)) {
    // The originals of aws-checksums read the numbers in a view, and so does it.
    if (/^\.$|package\.json|promises|register|javascript|aws-checksums|\*/.test(path)) continue;
    const entry = `millrace${path.slice(1)}`;
    const exported = require(entry);
    const { subtle } = exported;
    const methods = Object.getOwnPropertyNames(subtle ? Object.getPrototypeOf(subtle) : {});
    const functions = [
      ...Object.entries(exported),
      ...methods.map((name) => [name, (...args) => subtle[name](...args)]),
    ].filter(
      // Without Node's own, of which setFips is another function at each look.
      ([name, value]) =>
        typeof value === 'function' && value !== crypto[name] && name !== 'setFips',
    );
    for (const [name, call] of functions)
      for (const pattern of patterns) {
        const attempt = (view) => outcome((...args) => call(...args), pattern(view));
        const expected = await attempt(Buffer.from(bytes));
        // Others that cannot be called so, or that are random.
        if (/^error|\[object/.test(expected) || expected !== (await attempt(Buffer.from(bytes))))
          continue;
        for (const Type of viewTypes) {
          const found = await attempt(viewOf(Type, bytes));
          if (found.startsWith('error')) continue;
          assert.equal(found, expected, `${entry}: ${name}(${pattern.toString()}) ${Type.name}`);
          equal++;
        }
      }
  }
  assert.ok(equal > 1000, `${equal}`);
});

test('updates and webcrypto read views by their bytes', async () => {
  const { subtle } = require('millrace/webcrypto');
  const node = require('millrace/node-crypto');
  const { createHash, createHmac, createCipher } = millrace;
  const nonce = bytes.subarray(0, 16);
  const calls = {
    createHash: (view) => createHash('sha256').update(view).digest(),
    createHmac: (view) => createHmac('sha256', bytes).update(view).digest(),
    createCipher: (view) => createCipher('aes-256-ctr', { key: bytes, iv: nonce }).update(view),
    'Hash of node:crypto': (view) => node.createHash('sha256').update(view).digest(),
    'Hmac of node:crypto': (view) => node.createHmac('sha256', view).update(view).digest(),
    'Cipheriv of node:crypto': (view) =>
      node.createCipheriv('aes-256-ctr', view, nonce).update(view),
    'Hash of bigint-hash': (view) =>
      require('millrace/bigint-hash').getHasher('sha256').update(view).digestBigInt(),
    'digest of webcrypto': (view) => subtle.digest('SHA-256', view),
    'encrypt of webcrypto': async (view) =>
      subtle.encrypt(
        { name: 'AES-GCM', iv: view, additionalData: view },
        await subtle.importKey('raw', view, 'AES-GCM', false, ['encrypt']),
        view,
      ),
    'sign of webcrypto': async (view) =>
      subtle.sign(
        'HMAC',
        await subtle.importKey('raw', view, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign']),
        view,
      ),
    'deriveBits of webcrypto': async (view) =>
      subtle.deriveBits(
        { name: 'HKDF', hash: 'SHA-256', salt: view, info: view },
        await subtle.importKey('raw', view, 'HKDF', false, ['deriveBits']),
        256,
      ),
  };
  for (const [name, call] of Object.entries(calls)) {
    const expected = await outcome(call, [bytes]);
    assert.doesNotMatch(expected, /^error/, name);
    for (const Type of viewTypes)
      assert.equal(await outcome(call, [viewOf(Type, bytes)]), expected, `${name} ${Type.name}`);
  }
});
