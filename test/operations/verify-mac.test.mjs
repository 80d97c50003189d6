// verifyMac and verifyHmac: every MAC, all call styles and engines, codes of another size,
// arguments. Copies at the call and getters: test/request/{snapshot,getters,reentrancy}.

import assert from 'node:assert/strict';
import { createHmac, createSecretKey } from 'node:crypto';
import { test } from 'node:test';

import millrace from 'millrace';
import promises from 'millrace/promises';

import { ways } from '../support/ways.mjs';

const key = Buffer.alloc(20, 11);
// RFC 4231, test case 1.
const source = 'Hi There';
const mac = Buffer.from('b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7', 'hex');

/** Both names of HMAC with SHA-256. */
const hmacs = { verifyHmac: 'sha256', verifyMac: 'hmac-sha256' };

/** Every hash that takes a key, with its options, and HMAC over every hash that has one. */
const algorithms = millrace.getHashes().flatMap((name) => {
  const keyed = takesKey(name);
  const found = [];
  if (keyed !== undefined) {
    const size = { blake2b512: 16, blake2s256: 8 }[name];
    const own = name.startsWith('kmac')
      ? { customization: 'S' }
      : size && { salt: Buffer.alloc(size, 1), personalization: Buffer.alloc(size, 2) };
    found.push([name, keyed, {}], [name, keyed, { outputLength: 20, ...own }]);
  }
  try {
    millrace.hmac(name, '', '');
    found.push([`hmac-${name}`, key, {}]);
  } catch (error) {
    assert.equal(error.code, 'ERR_ARGUMENT_VALUE', name);
  }
  return found;
});

function takesKey(name) {
  for (const size of [32, 20]) {
    try {
      millrace.hash(name, '', { key: Buffer.alloc(size, 11) });
      return Buffer.alloc(size, 11);
    } catch (error) {
      if (error.code !== 'ERR_KEY_SIZE' && !/takes no key/.test(error.message)) throw error;
    }
  }
  return undefined;
}

const codeOf = (algorithm, secret, message, options) =>
  algorithm.startsWith('hmac-')
    ? millrace.hmac(algorithm.slice(5), secret, message)
    : millrace.hash(algorithm, message, { key: secret, ...options });

for (const [style, verify] of Object.entries(ways)) {
  test(`${style}: only the whole right code is true`, async () => {
    for (const [name, algorithm] of Object.entries(hmacs)) {
      for (const engine of ['native', 'portable']) {
        const check = (changes) =>
          verify(name, algorithm, { key, source, mac, engine, ...changes });
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
    }
  });

  test(`${style}: every MAC, with its options, short and long messages and prepared keys`, async () => {
    assert.ok(algorithms.length > 25, algorithms.join());
    const seen = new Set(algorithms.map(([name]) => name));
    for (const name of ['kmac128', 'kmac256', 'kmacxof256', 'blake2b512', 'blake2s256', 'blake3'])
      assert.ok(seen.has(name), name);
    for (const [algorithm, secret, options] of algorithms) {
      for (const engine of ['native', 'portable']) {
        const note = `${algorithm} ${engine} ${JSON.stringify(options)}`;
        for (const message of [source, Buffer.alloc(9000, 3)]) {
          const code = codeOf(algorithm, secret, message, options);
          const given = { key: secret, source: message, mac: code, engine, ...options };
          const check = (changes) => verify('verifyMac', algorithm, { ...given, ...changes });
          assert.equal(await check({}), true, note);
          assert.equal(await check({ mac: Buffer.concat([code, code]) }), false, note);
          const wrong = Buffer.from(code);
          wrong[code.length - 1] ^= 1;
          assert.equal(await check({ mac: wrong }), false, note);
          const prepared = millrace.createKey(algorithm, secret, { engine });
          assert.equal(await check({ key: prepared, engine: undefined }), true, note);
        }
      }
    }
  });

  test(`${style}: a shorter code is false, also one that is right for its size`, async () => {
    for (const [algorithm, secret, options] of algorithms) {
      if (algorithm.startsWith('hmac-')) continue;
      // A code of a size that an attacker chooses: of an XOF it is the start of the longer one.
      for (const outputLength of [1, 4, 16]) {
        const code = codeOf(algorithm, secret, source, { ...options, outputLength });
        const given = { key: secret, source, mac: code, ...options };
        const wanted = { ...given, outputLength };
        assert.equal(await verify('verifyMac', algorithm, given), false, algorithm);
        assert.equal(await verify('verifyMac', algorithm, wanted), true, algorithm);
      }
    }
  });

  test(`${style}: an invalid argument is refused`, async () => {
    const options = { key, source, mac };
    const refused = [
      [{ source, mac }, 'ERR_MISSING_ARGUMENT'],
      [{ key, mac }, 'ERR_MISSING_ARGUMENT'],
      [{ key, source }, 'ERR_MISSING_ARGUMENT'],
      [undefined, 'ERR_MISSING_ARGUMENT'],
      [{ ...options, mac: mac.toString('hex') }, 'ERR_ARGUMENT_TYPE'],
      [{ ...options, source: 5 }, 'ERR_ARGUMENT_TYPE'],
      [{ ...options, encoding: 'hex' }, 'ERR_ARGUMENT_VALUE'],
      [{ ...options, target: Buffer.alloc(32) }, 'ERR_ARGUMENT_VALUE'],
      [{ ...options, salt: '12345678' }, 'ERR_ARGUMENT_VALUE'],
    ];
    for (const [name, algorithm] of Object.entries(hmacs)) {
      for (const [given, code] of refused)
        await assert.rejects(async () => verify(name, algorithm, given), { code }, code);
    }
    const others = [
      ['verifyHmac', 'sha257', options, 'ERR_UNKNOWN_ALGORITHM'],
      ['verifyHmac', 'xxh32', options, 'ERR_ARGUMENT_VALUE'],
      ['verifyHmac', 'sha256', { ...options, outputLength: 32 }, 'ERR_ARGUMENT_VALUE'],
      ['verifyMac', 'hmac-sha257', options, 'ERR_UNKNOWN_ALGORITHM'],
      ['verifyMac', 'hmac-xxh32', options, 'ERR_ARGUMENT_VALUE'],
      ['verifyMac', 'hmac-sha256', { ...options, outputLength: 16 }, 'ERR_OUTPUT_SIZE'],
      ['verifyMac', 'blake3', options, 'ERR_KEY_SIZE'],
      ['verifyMac', 'blake3', { ...options, key: 'k'.repeat(32) }, 'ERR_ARGUMENT_TYPE'],
      ['verifyMac', 'blake2s256', { ...options, outputLength: 33 }, 'ERR_OUTPUT_SIZE'],
      ['verifyMac', 'kmac128', { ...options, context: 'x' }, 'ERR_ARGUMENT_VALUE'],
      ['verifyMac', 'aes-256-gcm', options, 'ERR_UNKNOWN_ALGORITHM'],
      ['verifyMac', 5, options, 'ERR_ARGUMENT_TYPE'],
    ];
    for (const [name, algorithm, given, code] of others)
      await assert.rejects(async () => verify(name, algorithm, given), { code }, `${algorithm}`);
  });

  test(`${style}: a hash without a key is refused, and the error names its HMAC`, async () => {
    const keyed = new Set(algorithms.map(([name]) => name));
    for (const algorithm of millrace.getHashes().filter((name) => !keyed.has(name))) {
      const hint = keyed.has(`hmac-${algorithm}`) ? `hmac-${algorithm}?` : 'takes no key';
      await assert.rejects(
        async () => verify('verifyMac', algorithm, { key, source, mac }),
        (error) => error.code === 'ERR_ARGUMENT_VALUE' && error.message.includes(hint),
        algorithm,
      );
    }
  });
}

test('a synchronous call takes no route and no signal', () => {
  const options = { key, source, mac };
  for (const [name, algorithm] of Object.entries(hmacs))
    for (const own of [{ route: 'pool' }, { signal: new AbortController().signal }])
      assert.throws(() => millrace[name](algorithm, { ...options, ...own }), {
        code: 'ERR_ARGUMENT_VALUE',
      });
});

test('a signal aborts a verification', async () => {
  const signal = AbortSignal.abort();
  for (const [name, algorithm] of Object.entries(hmacs))
    await assert.rejects(promises[name](algorithm, { key, source, mac, signal }), {
      name: 'AbortError',
    });
});
