// One large job in parts, by all workers or by one in slices: the same result as in one piece, for
// every way in which source and target can lie, and nothing is left of what does not authenticate.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';

import millrace from 'millrace';
import promises from 'millrace/promises';

import { run } from '../support/child.mjs';
import { oracle } from '../support/oracles.mjs';
import { random } from '../support/random.mjs';

const { threads } = millrace.configure();
// More shares than this machine may have cores.
millrace.configure({ threads: 4 });
after(() => millrace.configure({ threads }));

const numbers = random('split');
const ciphers = {
  'aes-128-ctr': 16,
  'aes-256-ctr': 16,
  chacha20: 16,
  'aes-128-gcm': 12,
  'aes-192-gcm': 12,
  'aes-256-gcm': 12,
  'chacha20-poly1305': 12,
  'xchacha20-poly1305': 24,
  'aes-256-gcm-siv': 12,
};
const keySizes = { 'aes-128-ctr': 16, 'aes-128-gcm': 16, 'aes-192-gcm': 24 };
/** Around parts of 64 KiB, and large enough for many of them. */
const sizes = [2 ** 20, 2 ** 20 + 1, 3 * 2 ** 20 - 17, 2 ** 23 + 65_537];
const routes = ['split', 'pool'];

const isAead = (algorithm) => !/ctr$|chacha20$/.test(algorithm);

function job(algorithm, size) {
  const aead = isAead(algorithm);
  const given = {
    algorithm,
    key: numbers.bytes(keySizes[algorithm] ?? 32),
    iv: numbers.bytes(ciphers[algorithm]),
    source: numbers.bytes(size),
  };
  if (aead) given.aad = numbers.bytes(33);
  return { ...given, aead, ...oracle({ kind: 'cipher', ...given }) };
}

/** Returns the options of a call. */
function call({ key, iv, aad }, encrypt, route, rest) {
  return { encrypt, key, iv, ...(aad && { aad }), route, ...rest };
}

for (const algorithm of Object.keys(ciphers)) {
  for (const route of routes) {
    test(`${algorithm}, ${route}: both directions, apart and in place`, async () => {
      for (const size of sizes) {
        const it = job(algorithm, size);
        const target = Buffer.alloc(size, 1);
        const tag = it.aead ? Buffer.alloc(16) : undefined;
        await promises.cipher(algorithm, call(it, true, route, { source: it.source, target, tag }));
        assert.ok(target.equals(it.output), `${size} bytes`);
        if (it.aead) assert.deepEqual(tag, it.tag);
        const back = Buffer.alloc(size, 1);
        await promises.cipher(
          algorithm,
          call(it, false, route, { source: target, target: back, tag }),
        );
        assert.ok(back.equals(it.source), `${size} bytes back`);
        await promises.cipher(algorithm, call(it, false, route, { source: target, target, tag }));
        assert.ok(target.equals(it.source), `${size} bytes in place`);
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
        const tag = it.aead ? Buffer.alloc(16) : undefined;
        await promises.cipher(
          algorithm,
          call(it, true, route, {
            source: memory.subarray(from, from + size),
            target: memory.subarray(to, to + size),
            tag,
          }),
        );
        assert.ok(memory.subarray(to, to + size).equals(it.output), `${from} to ${to}`);
        if (it.aead) assert.deepEqual(tag, it.tag);
      }
    });

    if (!isAead(algorithm)) continue;
    test(`${algorithm}, ${route}: what does not authenticate leaves zeros`, async () => {
      const size = 2 ** 21 + 5;
      const it = job(algorithm, size);
      const zeros = Buffer.alloc(size);
      for (const place of [0, 700_000, size - 1]) {
        const forged = Buffer.from(it.output);
        forged[place] ^= 1;
        const target = Buffer.alloc(size, 1);
        await assert.rejects(
          promises.cipher(
            algorithm,
            call(it, false, route, { source: forged, target, tag: it.tag }),
          ),
          { code: 'ERR_AUTHENTICATION' },
        );
        assert.ok(target.equals(zeros));
        await assert.rejects(
          promises.cipher(
            algorithm,
            call(it, false, route, { source: forged, target: forged, tag: it.tag }),
          ),
          { code: 'ERR_AUTHENTICATION' },
        );
        assert.ok(forged.equals(zeros), 'in place');
      }
      const tag = Buffer.from(it.tag);
      tag[15] ^= 0x80;
      const target = Buffer.alloc(size, 1);
      await assert.rejects(
        promises.cipher(algorithm, call(it, false, route, { source: it.output, target, tag })),
        { code: 'ERR_AUTHENTICATION' },
      );
      assert.ok(target.equals(zeros));
    });
  }

  test(`${algorithm}: sixteen at once`, async () => {
    const jobs = Array.from({ length: 16 }, () => job(algorithm, 2 ** 20 + 77));
    await Promise.all(
      jobs.map(async (it) => {
        const target = Buffer.alloc(it.source.length);
        const tag = it.aead ? Buffer.alloc(16) : undefined;
        await promises.cipher(
          algorithm,
          call(it, true, 'split', { source: it.source, target, tag }),
        );
        assert.ok(target.equals(it.output));
        if (it.aead) assert.deepEqual(tag, it.tag);
      }),
    );
  });
}

test('seal and open, copied at the call', async () => {
  const source = numbers.bytes(5 * 2 ** 20 + 1);
  const [key, nonce, aad] = [32, 12, 7].map((size) => numbers.bytes(size));
  const expected = oracle({
    kind: 'cipher',
    algorithm: 'aes-256-gcm',
    key,
    iv: nonce,
    aad,
    source,
  });
  const given = Buffer.from(source);
  const sealing = promises.seal('aes-256-gcm', { key, nonce, aad, source: given, route: 'split' });
  given.fill(0);
  const sealed = await sealing;
  assert.ok(sealed.equals(Buffer.concat([expected.output, expected.tag])));
  assert.ok(
    (
      await promises.open('aes-256-gcm', { key, nonce, aad, source: sealed, route: 'split' })
    ).equals(source),
  );
  sealed[sealed.length - 1] ^= 1;
  await assert.rejects(
    promises.open('aes-256-gcm', { key, nonce, aad, source: sealed, route: 'split' }),
    { code: 'ERR_AUTHENTICATION' },
  );
});

for (const route of routes) {
  test(`blake3, ${route}`, async () => {
    const key = numbers.bytes(32);
    for (const size of [2 ** 20, 2 ** 20 + 1, 2 ** 22 - 1, 7 * 2 ** 20 + 1025]) {
      const source = numbers.bytes(size);
      for (const options of [{}, { key }, { outputLength: 200 }]) {
        const expected = oracle({ kind: 'hash', algorithm: 'blake3', source, ...options }).output;
        assert.ok(
          (await promises.hash('blake3', source, { ...options, route })).equals(expected),
          `${size} bytes`,
        );
        const target = Buffer.alloc(expected.length);
        await promises.hash('blake3', source, { ...options, target, route });
        assert.ok(target.equals(expected), `${size} bytes, lent`);
      }
    }
  });

  test(`long hashes, ${route}: those without parts go to one worker`, async () => {
    const source = numbers.bytes(2 ** 21 + 111);
    const key = numbers.bytes(100);
    for (const algorithm of [
      'md5',
      'sha1',
      'sha256',
      'sha512',
      'sha3-256',
      'keccak512',
      'blake2b512',
      'xxh3-64',
      'ripemd160',
    ]) {
      const { output } = oracle({ kind: 'hash', algorithm, source });
      assert.deepEqual(await promises.hash(algorithm, source, { route }), output, algorithm);
      if (algorithm.startsWith('xxh')) continue;
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
    const { stdout, stderr } = await run(`
      millrace.configure({ threads: 3 });
      promises.hash('${name}', Buffer.alloc(2 ** 24), { target: Buffer.alloc(64), outputLength: 64 })
        .catch(() => promises.hash('${name}', Buffer.alloc(2 ** 24), { target: Buffer.alloc(64) }))
        .then(() => console.log(millrace.engines().threads.started));
    `);
    assert.equal(Number(stdout) > 1, divided.includes(name), `${name} ${stdout} ${stderr}`);
  }
});

test('long additional data is split too', async () => {
  const source = numbers.bytes(265);
  const aad = numbers.bytes(2 ** 21 + 5);
  for (const algorithm of Object.keys(ciphers).filter((name) => !/ctr$|chacha20$/.test(name))) {
    const key = numbers.bytes(keySizes[algorithm] ?? 32);
    const nonce = numbers.bytes(ciphers[algorithm]);
    for (const route of ['auto', ...routes]) {
      const sealed = await promises.seal(algorithm, { key, nonce, aad, source, route });
      assert.deepEqual(
        sealed,
        millrace.seal(algorithm, { key, nonce, aad, source }),
        `${algorithm}, ${route}`,
      );
      assert.deepEqual(
        await promises.open(algorithm, { key, nonce, aad, source: sealed, route }),
        source,
      );
      sealed[7] ^= 1;
      await assert.rejects(promises.open(algorithm, { key, nonce, aad, source: sealed, route }), {
        code: 'ERR_AUTHENTICATION',
      });
    }
  }
});
