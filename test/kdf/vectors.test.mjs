// Published vectors of derivations and AES key wrap, by every call style. Where they come from:
// vectors/README.md.

import assert from 'node:assert/strict';
import { totalmem } from 'node:os';
import { test } from 'node:test';

import millrace from 'millrace';
import promises from 'millrace/promises';

import { vectors } from '../support/vectors.mjs';
import { everyWay } from '../support/ways.mjs';
import * as calls from '../../tools/calls/derivations.mjs';

// RFC 7914's last vector takes 1 GiB; a machine with less than 4.1 GiB does not give it by default.
const { maxKdfMemory } = millrace.configure();
const short =
  maxKdfMemory > 0 ? maxKdfMemory < 2 ** 30 + 17_408 : totalmem() / 4 < 2 ** 30 + 17_408;
const skip = short && 'needs 4.1 GiB of memory: a quarter of it may go to derivations';
test('scrypt, N = 2^20: within the default of maxKdfMemory', { skip }, async () => {
  const options = { N: 2 ** 20, r: 8, p: 1, maxmem: 2 ** 31 };
  const key = await promises.scrypt('pleaseletmein', 'SodiumChloride', 64, options);
  assert.equal(
    key.toString('hex'),
    '2101cb9b6a511aaeaddbbe09cf70f881ec568d574a2ffd4dabe5ee9820adaa478e56fd8f4ba5d09ffa1c6d' +
      '927c40f4c337304049e8a952fbcbf45c6fa77a41a4',
  );
});

test('every function that derives a key has vectors', () => {
  const names = new Set(vectors('derivations').map(({ name }) => name));
  for (const [name, { result, reads, label = name }] of Object.entries(calls))
    if (result === 'Buffer' || reads) assert.ok(names.has(label), label);
});

for (const [index, { name, standard, args, expected }] of vectors('derivations').entries()) {
  test(`${name}, vector ${index} (${standard})`, async () => {
    for (const [way, result] of await everyWay(name, args)) {
      assert.ok(Buffer.isBuffer(result), way);
      assert.equal(result.toString('hex'), expected, way);
    }
  });
}
