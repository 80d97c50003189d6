// The encoding '0xhex': hex after `0x`, for every algorithm, size of output, call style and engine.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { promisify } from 'node:util';

import millrace from 'millrace';
import promises from 'millrace/promises';

import { hashes } from '../support/algorithms.mjs';

const encoding = '0xhex';
const prefixed = (digest) => `0x${digest.toString('hex')}`;
const plain = Object.keys(hashes).filter((name) => !/^(kmac|tuple)/.test(name));

test('known answers: Keccak-256 of the empty message and of a Solidity signature', () => {
  const empty = '0xc5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470';
  assert.equal(millrace.hash('keccak256', '', '0xhex'), empty);
  // The first four bytes are the selector a9059cbb of ERC-20's transfer.
  const transfer = millrace.hash('keccak256', 'transfer(address,uint256)', '0xhex');
  assert.equal(transfer.slice(0, 10), '0xa9059cbb');
});

for (const engine of ['native', 'portable']) {
  test(`${engine}: every algorithm, and outputs around the limits of native text`, () => {
    for (const name of plain)
      for (const data of ['abc', Buffer.alloc(3000, 7)]) {
        const expected = prefixed(millrace.hash(name, data));
        assert.equal(millrace.hash(name, data, { encoding, engine }), expected, name);
        const hasher = millrace.createHash(name, { engine });
        assert.equal(hasher.update(data).digest(encoding), expected, name);
        assert.equal(millrace.hash(name, data, encoding), expected, name);
      }
    for (const outputLength of [1, 63, 64, 65, 2078, 2079, 2080, 4160, 100_000]) {
      const digest = millrace.hash('shake256', 'x', { outputLength });
      const options = { outputLength, encoding, engine };
      assert.equal(millrace.hash('shake256', 'x', options), prefixed(digest));
      const all = millrace.hashMany('shake256', Array(70).fill('x'), options);
      assert.deepEqual(all, Array(70).fill(prefixed(digest)));
      const hasher = millrace.createHash('shake256', { engine });
      assert.equal(hasher.update('x').squeeze(outputLength, encoding), prefixed(digest));
    }
  });

  test(`${engine}: codes, batches and call styles`, async () => {
    const messages = Array.from({ length: 100 }, (_, size) => Buffer.alloc(size * 20, size));
    const key = Buffer.alloc(32, 3);
    const codes = messages.map((message) => prefixed(millrace.hmac('sha512', key, message)));
    const options = { encoding, engine };
    assert.deepEqual(millrace.hmacMany('sha512', key, messages, options), codes);
    assert.deepEqual(await promises.hmacMany('sha512', key, messages, options), codes);
    assert.equal(millrace.hmac('sha512', key, messages[9], options), codes[9]);
    assert.equal(await promises.hmac('sha512', key, messages[9], options), codes[9]);
    const hmac = millrace.createHmac('sha512', key, { engine });
    assert.equal(await hmac.update(messages[9]).digestAsync(encoding), codes[9]);
    const called = await promisify(millrace.hash)('sha256', 'abc', options);
    assert.equal(called, prefixed(millrace.hash('sha256', 'abc')));
  });
}
