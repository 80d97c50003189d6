// verifyHmac: all call styles and engines, codes of another size, arguments.

import assert from 'node:assert/strict';
import { createHmac, createSecretKey } from 'node:crypto';
import { test } from 'node:test';

import millrace from 'millrace';
import promises from 'millrace/promises';

const key = Buffer.alloc(20, 11);
// RFC 4231, test case 1.
const source = 'Hi There';
const mac = Buffer.from('b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7', 'hex');

const styles = {
  sync: async (...given) => millrace.verifyHmac(...given),
  callback: (...given) =>
    new Promise((resolve, reject) => {
      millrace.verifyHmac(...given, (...results) => {
        if (results.length === 1) reject(results[0]);
        else resolve(results[1]);
      });
    }),
  promise: (...given) => promises.verifyHmac(...given),
};

for (const [style, verify] of Object.entries(styles)) {
  test(`${style}: only the whole right code is true`, async () => {
    for (const engine of ['native', 'portable']) {
      const check = (changes) => verify('sha256', { key, source, mac, engine, ...changes });
      assert.equal(await check({}), true);
      for (let at = 0; at < mac.length; at++) {
        const wrong = Buffer.from(mac);
        wrong[at] ^= 1 << (at % 8);
        assert.equal(await check({ mac: wrong }), false, `${at}`);
      }
      for (const size of [0, 1, 16, 31])
        assert.equal(await check({ mac: mac.subarray(0, size) }), false);
      assert.equal(await check({ mac: Buffer.concat([mac, mac]) }), false);
      assert.equal(await check({ source: 'Hi there' }), false);
      assert.equal(await check({ key: Buffer.alloc(20, 12) }), false);
      assert.equal(await check({ key: createSecretKey(key) }), true);
      const prepared = millrace.createKey('hmac-sha256', key, { engine });
      assert.equal(await check({ key: prepared, engine: undefined }), true);
      const long = Buffer.alloc(100_000, 7);
      const code = createHmac('sha256', key).update(long).digest();
      assert.equal(await check({ source: long, mac: code }), true);
    }
  });

  test(`${style}: what is no argument is refused`, async () => {
    const options = { key, source, mac };
    const refused = [
      ['sha256', { source, mac }, 'ERR_MISSING_ARGUMENT'],
      ['sha256', { key, mac }, 'ERR_MISSING_ARGUMENT'],
      ['sha256', { key, source }, 'ERR_MISSING_ARGUMENT'],
      ['sha256', { ...options, mac: mac.toString('hex') }, 'ERR_ARGUMENT_TYPE'],
      ['sha256', { ...options, source: 5 }, 'ERR_ARGUMENT_TYPE'],
      ['sha256', { ...options, encoding: 'hex' }, 'ERR_ARGUMENT_VALUE'],
      ['sha257', options, 'ERR_UNKNOWN_ALGORITHM'],
      ['xxh32', options, 'ERR_ARGUMENT_VALUE'],
    ];
    for (const [algorithm, given, code] of refused)
      await assert.rejects(async () => verify(algorithm, given), { code }, code);
  });
}

test('the code is copied at an asynchronous call', async () => {
  const own = Buffer.from(mac);
  const verified = promises.verifyHmac('sha256', { key, source, mac: own, route: 'pool' });
  own.fill(0);
  assert.equal(await verified, true);
});
