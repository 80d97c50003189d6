// docs/node-differences.md: every row of its table is what both libraries do, and there is no row
// without a call here.

import assert from 'node:assert/strict';
import crypto from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

import millrace from 'millrace';

import { root } from '../support/child.mjs';

/** By row of the page, what is called. Where the names differ the second is node:crypto's. */
const calls = {
  'hmac digest twice': (lib) => {
    const mac = lib.createHmac('sha256', 'k').update('a');
    mac.digest('hex');
    return mac.digest('hex');
  },
  'update after digest': (lib) => {
    const hash = lib.createHash('sha256');
    hash.digest();
    return hash.update('a');
  },
  'digest(unknown encoding)': (lib) => lib.createHash('sha256').update('a').digest('foo'),
  'update(x, unknown encoding)': (lib) => lib.createHash('sha256').update('a', 'foo').digest('hex'),
  "update('zz', 'hex')": (lib) => lib.createHash('sha256').update('zz', 'hex').digest('hex'),
  'update(ArrayBuffer)': (lib) => lib.createHash('sha256').update(new ArrayBuffer(3)).digest('hex'),
  'unknown option of createHash': (lib) =>
    lib.createHash('sha256', { outputlength: 32 }).digest('hex'),
  'unknown option of scrypt': (lib) =>
    (lib.scryptSync ?? lib.scrypt)('p', 's', 8, { N: 16, n: 32 }),
  'hash() without an encoding': (lib) => lib.hash('sha1', 'a'),
  'createHash sm3': (lib) => lib.createHash('sm3').update('a').digest('hex'),
  'scrypt without a callback': (lib) => lib.scrypt('p', 's', 8, { N: 16 }),
  'type of hkdf': (lib) => (lib.hkdfSync ?? lib.hkdf)('sha256', 'k', 's', 'i', 16),
};

/** Rows about functions that this Node.js does not have. */
const missing = {
  'hash() without an encoding':
    typeof crypto.hash !== 'function' && 'this Node.js has no crypto.hash',
  'createHash sm3': !crypto.getHashes().includes('sm3') && 'this OpenSSL has no SM3',
};

const rows = new Map(
  [
    ...readFileSync(join(root, 'docs/node-differences.md'), 'utf8').matchAll(
      /^\| (?!Call)([^|]+) \| ([^|]+) \| ([^|]+) \| [^|]+ \|$/gm,
    ),
  ].map(([, name, node, ours]) => [name, { node, ours }]),
);

test('the page lists the calls of this test', () => {
  assert.deepEqual([...rows.keys()].sort(), Object.keys(calls).sort());
});

for (const [name, { node, ours }] of rows) {
  test(`as the page says: ${name}`, async (t) => {
    assert.equal(await outcome(calls[name], millrace), ours, 'Millrace');
    if (missing[name]) return t.skip(missing[name]);
    assert.equal(await outcome(calls[name], crypto), node, 'node:crypto');
  });
}

async function outcome(call, library) {
  try {
    const value = await call(library);
    if (typeof value === 'string') return `string of ${value.length} characters`;
    if (Buffer.isBuffer(value)) return `Buffer of ${value.length} bytes`;
    return value instanceof ArrayBuffer
      ? `ArrayBuffer of ${value.byteLength} bytes`
      : String(value);
  } catch (error) {
    return `throws ${error.code}`;
  }
}
