// One large job in parts, by all workers or by one in slices: the same result as in one piece, for
// every way in which source and target can lie, and nothing is left of what does not authenticate.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';

import millrace from 'millrace';
import promises from 'millrace/promises';

import { aeadNames, cipherNames, ciphers, hashNames, hmacNames } from '../support/algorithms.mjs';
import { output } from '../support/child.mjs';
import { oracle } from '../support/oracles.mjs';
import { random } from '../support/random.mjs';

const { threads } = millrace.configure();
// More shares than this machine may have cores.
millrace.configure({ threads: 4 });
after(() => millrace.configure({ threads }));

const numbers = random('split');
/** Around parts of 64 KiB, and large enough for many of them. */
const sizes = [2 ** 20, 2 ** 20 + 1, 3 * 2 ** 20 - 17, 2 ** 23 + 65_537];
const routes = ['split', 'pool'];

function job(algorithm, size) {
  const { aead, key, iv } = ciphers[algorithm];
  const given = { algorithm, key: numbers.bytes(key), iv: numbers.bytes(iv) };
  given.source = numbers.bytes(size);
  if (aead) given.aad = numbers.bytes(33);
  return { ...given, aead, ...oracle({ kind: 'cipher', ...given }) };
}

/** Encrypts or decrypts with the key of a job. */
function call({ algorithm, key, iv, aad }, encrypt, rest) {
  return promises.cipher(algorithm, { encrypt, key, iv, ...(aad && { aad }), ...rest });
}

/** Checks that a job gives its output in the target, and its tag; returns the tag. */
async function encrypts(it, { source = it.source, target, route }, title) {
  const tag = it.aead ? Buffer.alloc(16) : undefined;
  await call(it, true, { source, target, tag, route });
  assert.ok(target.equals(it.output), title);
  assert.deepEqual(tag, it.tag);
  return tag;
}

for (const algorithm of cipherNames) {
  for (const route of routes) {
    test(`${algorithm}, ${route}: both directions, apart and in place`, async () => {
      for (const size of sizes) {
        const it = job(algorithm, size);
        const [target, back] = [Buffer.alloc(size, 1), Buffer.alloc(size, 1)];
        const tag = await encrypts(it, { target, route }, `${size} bytes`);
        for (const plain of [back, target]) {
          await call(it, false, { source: target, target: plain, tag, route });
          assert.ok(plain.equals(it.source), `${size} bytes back`);
        }
      }
    });

    test(`${algorithm}, ${route}: source and target overlap`, async () => {
      const size = 2 ** 20 + 333;
      const it = job(algorithm, size);
      for (const [from, to] of [
        [0, 1],
        [0, 4096],
        [0, 700_001],
        [1, 0],
        [64, 0],
        [700_001, 0],
      ]) {
        const memory = Buffer.alloc(2 * size);
        it.source.copy(memory, from);
        const [source, target] = [from, to].map((at) => memory.subarray(at, at + size));
        await encrypts(it, { source, target, route }, `${from} to ${to}`);
      }
    });

    if (!ciphers[algorithm].aead) continue;
    test(`${algorithm}, ${route}: what does not authenticate leaves zeros`, async () => {
      const size = 2 ** 21 + 5;
      const it = job(algorithm, size);
      const refused = async (source, target, tag) => {
        const opening = call(it, false, { source, target, tag, route });
        await assert.rejects(opening, { code: 'ERR_AUTHENTICATION' });
        assert.ok(target.equals(Buffer.alloc(size)));
      };
      for (const place of [0, 700_000, size - 1]) {
        const forged = Buffer.from(it.output);
        forged[place] ^= 1;
        await refused(forged, Buffer.alloc(size, 1), it.tag);
        await refused(forged, forged, it.tag);
      }
      const tag = Buffer.from(it.tag);
      tag[15] ^= 0x80;
      await refused(it.output, Buffer.alloc(size, 1), tag);
    });
  }

  test(`${algorithm}: sixteen at once`, async () => {
    const jobs = Array.from({ length: 16 }, () => job(algorithm, 2 ** 20 + 77));
    const target = (it) => Buffer.alloc(it.source.length);
    await Promise.all(jobs.map((it) => encrypts(it, { target: target(it), route: 'split' })));
  });
}

test('seal and open, copied at the call', async () => {
  const { key, iv: nonce, aad, source, output, tag } = job('aes-256-gcm', 5 * 2 ** 20 + 1);
  const options = { key, nonce, aad, route: 'split' };
  const given = Buffer.from(source);
  const sealing = promises.seal('aes-256-gcm', { ...options, source: given });
  given.fill(0);
  const sealed = await sealing;
  assert.ok(sealed.equals(Buffer.concat([output, tag])));
  const open = () => promises.open('aes-256-gcm', { ...options, source: sealed });
  assert.ok((await open()).equals(source));
  sealed[sealed.length - 1] ^= 1;
  await assert.rejects(open(), { code: 'ERR_AUTHENTICATION' });
});

for (const route of routes) {
  test(`blake3, ${route}`, async () => {
    const key = numbers.bytes(32);
    for (const size of [2 ** 20, 2 ** 20 + 1, 2 ** 22 - 1, 7 * 2 ** 20 + 1025]) {
      const source = numbers.bytes(size);
      for (const options of [{}, { key }, { outputLength: 200 }]) {
        const expected = oracle({ kind: 'hash', algorithm: 'blake3', source, ...options }).output;
        const digest = await promises.hash('blake3', source, { ...options, route });
        assert.ok(digest.equals(expected), `${size} bytes`);
        const target = Buffer.alloc(expected.length);
        await promises.hash('blake3', source, { ...options, target, route });
        assert.ok(target.equals(expected), `${size} bytes, lent`);
      }
    }
  });

  test(`long hashes, ${route}: those without parts go to one worker`, async () => {
    const source = numbers.bytes(2 ** 21 + 111);
    const key = numbers.bytes(100);
    for (const algorithm of hashNames) {
      const { output } = oracle({ kind: 'hash', algorithm, source });
      assert.deepEqual(await promises.hash(algorithm, source, { route }), output, algorithm);
      if (!hmacNames.includes(algorithm)) continue;
      const mac = oracle({ kind: 'hmac', algorithm, key, source }).output;
      const prepared = millrace.createKey(`hmac-${algorithm}`, key);
      assert.deepEqual(await promises.hmac(algorithm, key, source, { route }), mac, algorithm);
      assert.deepEqual(await promises.hmac(algorithm, prepared, source, { route }), mac, algorithm);
    }
  });
}

test('long outputs: on every route, for every hash that has them', async () => {
  const outputLength = 2 ** 20;
  let tested = 0;
  for (const algorithm of millrace.getHashes()) {
    const source = algorithm.startsWith('tuple') ? ['a', 'tuple'] : 'a message';
    const key = algorithm.startsWith('kmac') ? { key: Buffer.alloc(32, 1) } : {};
    const options = { ...key, outputLength };
    let expected;
    try {
      expected = millrace.hash(algorithm, source, options);
    } catch ({ code }) {
      assert.match(code, /^ERR_(OUTPUT_SIZE|ARGUMENT_VALUE)$/, algorithm);
      continue;
    }
    for (const route of ['auto', 'inline', 'pool', 'split']) {
      const given = route === 'auto' ? options : { ...options, route };
      assert.ok((await promises.hash(algorithm, source, given)).equals(expected), algorithm);
      const target = Buffer.alloc(outputLength);
      await promises.hash(algorithm, source, { ...given, target });
      assert.ok(target.equals(expected), `${algorithm}, ${route}, into a target`);
    }
    const hasher = millrace.createHash(algorithm, options);
    for (const each of [source].flat()) hasher.update(each);
    assert.ok((await hasher.digestAsync()).equals(expected), `${algorithm}, incrementally`);
    const stop = new AbortController();
    const call = { ...key, outputLength: 2 ** 25, route: 'pool', signal: stop.signal };
    const aborted = promises.hash(algorithm, source, call);
    stop.abort();
    await assert.rejects(aborted, { name: 'AbortError' }, algorithm);
    tested += 1;
  }
  assert.equal(tested, 21);
});

test('long messages of ciphers and trees are divided without a route, no others', async () => {
  const { costs } = millrace.engines();
  const divided = millrace.getHashes().filter((name) => costs[name].splitFrom !== undefined);
  assert.deepEqual(divided, [
    'blake3',
    'kt128',
    'kt256',
    'parallelhash128',
    'parallelhash256',
    'parallelhashxof128',
    'parallelhashxof256',
  ]);
  for (const name of millrace.getCiphers()) assert.ok(costs[name].splitFrom > 0, name);
  // In processes of their own: workers start when there are tasks for them.
  for (const name of [...divided, 'sha256', 'shake128']) {
    const started = await output(`
      millrace.configure({ threads: 3 });
      const hash = (options) =>
        promises.hash('${name}', Buffer.alloc(2 ** 24), { target: Buffer.alloc(64), ...options });
      hash({ outputLength: 64 }).catch(() => hash({}))
        .then(() => console.log(millrace.engines().threads.started));
    `);
    assert.equal(Number(started) > 1, divided.includes(name), `${name} ${started}`);
  }
});

test('long additional data is split too', async () => {
  const source = numbers.bytes(265);
  const aad = numbers.bytes(2 ** 21 + 5);
  for (const algorithm of aeadNames) {
    const { key, iv } = ciphers[algorithm];
    const given = { key: numbers.bytes(key), nonce: numbers.bytes(iv), aad };
    const expected = millrace.seal(algorithm, { ...given, source });
    for (const route of ['auto', ...routes]) {
      const sealed = await promises.seal(algorithm, { ...given, source, route });
      assert.deepEqual(sealed, expected, `${algorithm}, ${route}`);
      const open = () => promises.open(algorithm, { ...given, source: sealed, route });
      assert.deepEqual(await open(), source);
      sealed[7] ^= 1;
      await assert.rejects(open(), { code: 'ERR_AUTHENTICATION' });
    }
  }
});
