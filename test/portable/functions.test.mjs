// The entry point millrace/portable: a function an algorithm, with the names, encodings, options
// and errors of the main entry point.

import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';

import millrace from 'millrace';
import * as entryPoint from 'millrace/portable';

import {
  aeadNames,
  cipherNames,
  ciphers,
  hashNames,
  hashes,
  hmacNames,
} from '../support/algorithms.mjs';
import { bundle, portable } from '../support/portable-bundle.mjs';
import { random } from '../support/random.mjs';

const identifier = (name) => name.replaceAll('-', '_');
const plain = (bytes) => Uint8Array.from(bytes);
const encodings = ['buffer', 'hex', '0xhex', 'base64', 'base64url', 'bigint'];

/**
 * Runs both and gives what each did: a value, or the code of its error and whether it is a
 * TypeError, a RangeError or neither.
 */
function both(ours, theirs, what) {
  const [actual, expected] = [ours, theirs].map(outcome);
  assert.deepEqual(actual, expected, what);
  return expected;
}

function outcome(call) {
  try {
    const value = call();
    return Buffer.isBuffer(value) ? plain(value) : value;
  } catch (error) {
    assert.ok(error instanceof millrace.MillraceError, String(error?.stack));
    return {
      code: error.code,
      kind:
        error instanceof TypeError
          ? 'TypeError'
          : error instanceof RangeError
            ? 'RangeError'
            : 'Error',
    };
  }
}

test('every algorithm of the catalog is there under its name, and nothing else', () => {
  const others = [
    'MillraceError',
    'argon2',
    'createHmac',
    'default',
    'hkdf',
    'hmac',
    'pbkdf2',
    'scrypt',
    'timingSafeEqual',
    'unwrapKey',
    'wrapKey',
  ];
  assert.deepEqual(
    Object.keys(entryPoint)
      .filter((name) => !others.includes(name))
      .sort(),
    [...Object.keys(hashes), ...cipherNames].map(identifier).sort(),
  );
  for (const name of others) assert.ok(name in entryPoint, name);
  assert.equal(entryPoint.MillraceError, millrace.MillraceError);
  assert.deepEqual(
    Object.keys(createRequire(import.meta.url)('millrace/portable')).sort(),
    Object.keys(entryPoint)
      .filter((name) => name !== 'default')
      .sort(),
  );
});

for (const name of hashNames) {
  const hash = entryPoint[identifier(name)];
  const facts = hashes[name];

  test(`${name}: digests in every encoding, and what it says of itself`, () => {
    const rng = random(`entryPoint ${name}`);
    assert.equal(hash.algorithm, name);
    assert.equal(hash.outputLength, facts.digest);
    if (facts.hmac || facts.xof) assert.equal(hash.blockSize, facts.block);
    for (const size of [0, 1, 3, 64, 200, 1000, 5000]) {
      const message = rng.bytes(size);
      for (const encoding of encodings) {
        const options = { encoding };
        const expected = millrace.hash(name, message, options);
        const actual = hash(message, options);
        assert.deepEqual(
          actual,
          encoding === 'buffer' ? plain(expected) : expected,
          `${encoding} of ${size} bytes`,
        );
        assert.deepEqual(hash(message, encoding), actual);
      }
      assert.deepEqual(hash(message), plain(millrace.hash(name, message)));
    }
    const text = 'naïve ✓ \u{1f600} \ud800';
    assert.equal(hash(text, 'hex'), millrace.hash(name, text, 'hex'));
    const memory = rng.bytes(48).buffer.slice(0, 48);
    for (const value of [
      memory,
      new DataView(memory, 3, 11),
      new Float64Array(memory, 8, 2),
      new Uint8Array(memory).subarray(5),
      new SharedArrayBuffer(7),
    ]) {
      assert.equal(hash(value, 'hex'), millrace.hash(name, value, 'hex'));
    }
  });

  test(`${name}: results are Uint8Arrays of their own`, () => {
    const [one, other] = [hash('a'), hash('a')];
    assert.equal(Object.getPrototypeOf(one), Uint8Array.prototype);
    assert.notEqual(one.buffer, other.buffer);
    assert.equal(one.buffer.byteLength, one.length);
  });

  test(`${name}: chunks and copies`, () => {
    const rng = random(`entryPoint pieces ${name}`);
    const message = rng.bytes(3000);
    const running = hash.create();
    assert.equal(running.algorithm, name);
    assert.equal(running.outputLength, facts.digest);
    let copy;
    for (let at = 0; at < message.length; at += 300) {
      if (at === 1500) copy = running.copy();
      assert.equal(running.update(message.subarray(at, at + 300)), running);
    }
    const expected = millrace.hash(name, message, 'hex');
    const digest = running.digest('hex');
    assert.equal(digest, expected);
    assert.equal(copy.update(message.subarray(1500)).digest('hex'), expected);
    assert.throws(() => running.update('more'), { code: 'ERR_HASHER_SPENT' });
    assert.throws(() => running.digest(), { code: 'ERR_HASHER_SPENT' });
    assert.throws(() => running.copy().digest(), { code: 'ERR_HASHER_SPENT' });
    assert.deepEqual(hash.create().digest(), plain(millrace.hash(name, '')));
    assert.equal(
      hash.create().update('te').update('xt').digest('base64'),
      millrace.hash(name, 'text', 'base64'),
    );
  });

  test(`${name}: options, right and wrong, end as they do at the main entry point`, () => {
    const wrong = [
      {},
      { encoding: 'HEX' },
      { encoding: 3 },
      { outputLength: 0 },
      { outputLength: 7 },
      { outputLength: facts.digest },
      { outputLength: -1 },
      { outputLength: 1.5 },
      { outputLength: '9' },
      { outputLength: 2 ** 30 + 1 },
      { seed: 0 },
      { seed: 5 },
      { seed: 2n ** 32n },
      { seed: 2n ** 64n },
      { seed: -1n },
      { seed: -1 },
      { seed: '1' },
      { key: new Uint8Array(32) },
      { key: new Uint8Array(31) },
      { key: 'k'.repeat(32) },
      { seed: 5, outputLength: facts.digest },
    ];
    for (const options of wrong) {
      const shown = (_, value) => (typeof value === 'bigint' ? `${value}n` : value);
      const what = `${name} ${JSON.stringify(options, shown)}`;
      both(
        () => hash('text', options),
        () => millrace.hash(name, 'text', options),
        what,
      );
      if (options.encoding === undefined && !(facts.xof && options.outputLength === 0))
        both(
          () => hash.create(options).update('text').digest(),
          () => millrace.createHash(name, options).update('text').digest(),
          `${what}, incrementally`,
        );
    }
    for (const value of [undefined, null, 5, {}, [1], Symbol('data'), () => 1])
      both(
        () => hash(value, {}),
        () => millrace.hash(name, value, {}),
        `data ${String(value)}`,
      );
    for (const value of [null, 5, 'utf8', new Uint8Array(1), true])
      both(
        () => hash('text', value),
        () => millrace.hash(name, 'text', value),
        `options ${String(value)}`,
      );
    both(
      () => hash(),
      () => millrace.hash(name),
      'nothing',
    );
    assert.throws(() => hash('text', { target: new Uint8Array(64) }), {
      code: 'ERR_ARGUMENT_VALUE',
      message: /return their results/,
    });
  });

  if (facts.xof) {
    test(`${name}: output in parts`, () => {
      const whole = millrace.hash(name, 'message', { outputLength: 500 });
      const running = hash.create().update('mess').update('age');
      const parts = [1, 63, 64, 200, 172].map((size) => running.squeeze(size));
      assert.deepEqual(Buffer.concat(parts), whole);
      assert.equal(running.copy().squeeze(10, 'hex'), running.squeeze(10, 'hex'));
      assert.throws(() => running.update('x'), {
        code: 'ERR_HASHER_SPENT',
        message: /has started its output/,
      });
      assert.throws(() => running.digest(), { code: 'ERR_HASHER_SPENT' });
      for (const size of [0, -1, 1.5, 2 ** 31])
        assert.throws(() => running.squeeze(size), { code: 'ERR_ARGUMENT_VALUE' });
      assert.throws(() => running.squeeze('5'), { code: 'ERR_ARGUMENT_TYPE' });
    });
  } else {
    test(`${name}: its output has one size`, () => {
      const running = hash.create();
      assert.throws(() => running.squeeze(5), { code: 'ERR_ARGUMENT_VALUE' });
      // Nothing has happened.
      assert.equal(running.update('a').digest('hex'), millrace.hash(name, 'a', 'hex'));
    });
  }
}

test('a key is copied: wiping it afterwards changes nothing', () => {
  const key = random('entry point key').bytes(32);
  const expected = millrace.hash('blake3', 'message', { key, encoding: 'hex' });
  const running = entryPoint.blake3.create({ key });
  key.fill(0);
  assert.equal(running.update('message').digest('hex'), expected);
});

for (const name of hmacNames) {
  test(`HMAC of ${name}`, () => {
    const rng = random(`entryPoint HMAC ${name}`);
    const hash = entryPoint[identifier(name)];
    for (const size of [0, 5, 64, 200]) {
      const [key, message] = [rng.bytes(size), rng.bytes(300)];
      for (const encoding of encodings) {
        const expected = millrace.hmac(name, key, message, encoding);
        assert.deepEqual(
          entryPoint.hmac(hash, key, message, encoding),
          encoding === 'buffer' ? plain(expected) : expected,
        );
        assert.deepEqual(
          entryPoint.hmac(hash, key, message, { encoding }),
          encoding === 'buffer' ? plain(expected) : expected,
        );
      }
      const running = entryPoint.createHmac(hash, key);
      const copy = running.copy();
      key.fill(0);
      assert.deepEqual(
        running.update(message.subarray(0, 100)).update(message.subarray(100)).digest('hex'),
        copy.update(message).digest('hex'),
      );
    }
    assert.equal(
      entryPoint.hmac(hash, 'key', 'message', 'hex'),
      millrace.hmac(name, 'key', 'message', 'hex'),
    );
    assert.equal(
      entryPoint.createHmac(hash, 'key').update('message').digest('hex'),
      millrace.hmac(name, 'key', 'message', 'hex'),
    );
  });
}

test('hmac refuses unknown hashes, and hashes without an HMAC', () => {
  for (const hash of ['sha256', undefined, {}, () => 1, entryPoint.aes_256_gcm])
    assert.throws(() => entryPoint.hmac(hash, 'key', 'message'), { code: 'ERR_ARGUMENT_TYPE' });
  for (const name of hashNames.filter((each) => !hashes[each].hmac))
    both(
      () => entryPoint.hmac(entryPoint[identifier(name)], 'k', 'm'),
      () => millrace.hmac(name, 'k', 'm'),
      name,
    );
  both(
    () => entryPoint.hmac(entryPoint.sha256, 'key'),
    () => millrace.hmac('sha256', 'key'),
    'no message',
  );
  both(
    () => entryPoint.hmac(entryPoint.sha256, 5, 'm'),
    () => millrace.hmac('sha256', 5, 'm'),
    'key',
  );
  both(
    () => entryPoint.hmac(entryPoint.sha256, 'k', 5),
    () => millrace.hmac('sha256', 'k', 5),
    'message',
  );
  both(
    () => entryPoint.hmac(entryPoint.sha256, 'k', 'm', 'no'),
    () => millrace.hmac('sha256', 'k', 'm', 'no'),
    'encoding',
  );
  assert.throws(() => entryPoint.createHmac(entryPoint.sha256, 'k').squeeze(4), {
    code: 'ERR_ARGUMENT_VALUE',
  });
});

for (const name of cipherNames.filter((each) => !ciphers[each].aead)) {
  test(`${name}: encrypts and decrypts as the main entry point does`, () => {
    const rng = random(`entryPoint ${name}`);
    const cipher = entryPoint[identifier(name)];
    assert.deepEqual(
      [cipher.algorithm, cipher.keySize, cipher.ivSize],
      [name, ciphers[name].key, ciphers[name].iv],
    );
    for (const size of [0, 1, 16, 63, 64, 1000]) {
      const given = {
        key: rng.bytes(cipher.keySize),
        iv: rng.bytes(cipher.ivSize),
        source: rng.bytes(size),
      };
      const sealed = cipher.encrypt(given);
      assert.deepEqual(sealed, plain(millrace.cipher(name, { ...given, encrypt: true })));
      assert.deepEqual(cipher.decrypt({ ...given, source: sealed }), plain(given.source));
    }
    const given = { key: new Uint8Array(cipher.keySize), iv: new Uint8Array(16), source: 'text ✓' };
    for (const change of [
      {},
      { key: new Uint8Array(7) },
      { key: 'key' },
      { iv: new Uint8Array(12) },
      { iv: undefined },
      { source: undefined },
      { source: 5 },
      { key: undefined },
    ]) {
      both(
        () => cipher.encrypt({ ...given, ...change }),
        () => millrace.cipher(name, { ...given, ...change, encrypt: true }),
        JSON.stringify(change),
      );
    }
    both(
      () => cipher.encrypt(),
      () => millrace.cipher(name, undefined),
      'nothing',
    );
    both(
      () => cipher.decrypt(5),
      () => millrace.cipher(name, 5),
      'no object',
    );
  });
}

for (const name of aeadNames) {
  test(`${name}: seals and opens as the main entry point does`, () => {
    const rng = random(`entryPoint ${name}`);
    const aead = entryPoint[identifier(name)];
    const { key: keySize, iv: nonceSize, tagSizes } = ciphers[name];
    assert.deepEqual(
      [aead.algorithm, aead.keySize, aead.nonceSize, aead.tagSize],
      [name, keySize, nonceSize, 16],
    );
    const keyed = () => ({ key: rng.bytes(keySize), nonce: rng.bytes(nonceSize) });
    for (const size of [0, 1, 16, 63, 64, 1000]) {
      for (const aad of [undefined, rng.bytes(0), rng.bytes(21), 'aad']) {
        const given = {
          ...keyed(),
          source: rng.bytes(size),
          ...(aad === undefined ? {} : { aad }),
        };
        const sealed = aead.seal(given);
        assert.deepEqual(sealed, plain(millrace.seal(name, given)));
        assert.deepEqual(aead.open({ ...given, source: sealed }), plain(given.source));
        for (const at of [0, size >> 1, sealed.length - 1]) {
          const changed = Uint8Array.from(sealed);
          changed[at] ^= 0x20;
          both(
            () => aead.open({ ...given, source: changed }),
            () => millrace.open(name, { ...given, source: changed }),
            `bit of byte ${at}`,
          );
        }
      }
    }
    for (const authTagLength of [0, 1, 4, 8, 11, 12, 13, 15, 16, 17, -1, '16', 12.5]) {
      const given = { ...keyed(), source: 'text', authTagLength };
      const sealed = both(
        () => aead.seal(given),
        () => millrace.seal(name, given),
        `tag of ${authTagLength}`,
      );
      assert.equal(sealed instanceof Uint8Array, tagSizes.includes(authTagLength));
      if (sealed instanceof Uint8Array)
        both(
          () => aead.open({ ...given, source: sealed }),
          () => millrace.open(name, { ...given, source: sealed }),
          `tag of ${authTagLength}`,
        );
    }
    const given = { ...keyed(), source: new Uint8Array(20) };
    for (const change of [
      { key: new Uint8Array(7) },
      { key: 'key' },
      { nonce: new Uint8Array(0) },
      { nonce: new Uint8Array(7) },
      { nonce: new Uint8Array(129) },
      { nonce: undefined },
      { source: undefined },
      { source: 5 },
      { source: 'text' },
      { source: new Uint8Array(15) },
      { source: new Uint8Array(16) },
      { aad: 5 },
    ]) {
      // With random nonces: test/operations/nonces.test.mjs.
      if (!('nonce' in change) || change.nonce !== undefined)
        both(
          () => aead.seal({ ...given, ...change }),
          () => millrace.seal(name, { ...given, ...change }),
          `seal ${Object.keys(change)}`,
        );
      both(
        () => aead.open({ ...given, ...change }),
        () => millrace.open(name, { ...given, ...change }),
        `open ${Object.keys(change)}`,
      );
    }
    both(
      () => aead.seal(),
      () => millrace.seal(name),
      'nothing',
    );
    both(
      () => aead.open(null),
      () => millrace.open(name, null),
      'null',
    );
    assert.throws(() => aead.seal({ ...given, target: new Uint8Array(40) }), {
      code: 'ERR_ARGUMENT_VALUE',
    });
  });
}

test('scrypt, pbkdf2, hkdf and argon2 derive what the main entry point does', () => {
  const rng = random('entry point derivations');
  const [password, salt] = [rng.bytes(11), rng.bytes(16)];
  for (const size of [0, 1, 32, 100]) {
    both(
      () => entryPoint.scrypt(password, salt, size, { N: 16, r: 2, p: 3 }),
      () => millrace.scrypt(password, salt, size, { N: 16, r: 2, p: 3 }),
      'scrypt',
    );
    for (const name of ['sha1', 'sha256', 'sha512', 'sha3-256', 'blake2b512', 'blake3']) {
      both(
        () => entryPoint.pbkdf2(password, salt, 3, size, entryPoint[identifier(name)]),
        () => millrace.pbkdf2(password, salt, 3, size, name),
        `pbkdf2 ${name}`,
      );
      both(
        () => entryPoint.hkdf(entryPoint[identifier(name)], password, salt, 'info', size),
        () => millrace.hkdf(name, password, salt, 'info', size),
        `hkdf ${name}`,
      );
      both(
        () => entryPoint.hkdf.extract(entryPoint[identifier(name)], password, salt),
        () => millrace.hkdf.extract(name, password, salt),
        `hkdf.extract ${name}`,
      );
      // A key of 11 bytes is refused.
      for (const prk of [password, Buffer.alloc(64, 5)])
        both(
          () => entryPoint.hkdf.expand(entryPoint[identifier(name)], prk, 'info', size),
          () => millrace.hkdf.expand(name, prk, 'info', size),
          `hkdf.expand ${name}`,
        );
    }
  }
  for (const algorithm of ['argon2d', 'argon2i', 'argon2id']) {
    for (const more of [
      {},
      { tagLength: 4 },
      { tagLength: 100, secret: 'pepper', associatedData: salt },
      { version: 0x10, parallelism: 3, memory: 64 },
    ]) {
      const parameters = { message: password, nonce: salt, memory: 40, passes: 2, ...more };
      both(
        () => entryPoint.argon2(algorithm, parameters),
        () => millrace.argon2(algorithm, parameters),
        JSON.stringify(more),
      );
    }
  }
});

test('wrong costs and sizes end as at the main entry point', () => {
  for (const options of [
    { N: 3 },
    { N: 1 },
    { N: 0 },
    { N: 16, cost: 16 },
    { N: '16' },
    { r: 0 },
    { p: 0 },
    { N: 2 ** 40 },
    { N: 65536, r: 1 },
    { N: 16, r: 8, maxmem: 1000 },
    { p: 2 ** 30 },
    { maxmem: -1 },
    { N: 2 ** 20 },
  ]) {
    both(
      () => entryPoint.scrypt('p', 'salt', 8, options),
      () => millrace.scrypt('p', 'salt', 8, options),
      JSON.stringify(options),
    );
  }
  for (const size of [-1, 2 ** 31, 1.5, '8', undefined]) {
    both(
      () => entryPoint.scrypt('p', 's', size, { N: 2 }),
      () => millrace.scrypt('p', 's', size, { N: 2 }),
      `scrypt of ${size}`,
    );
    both(
      () => entryPoint.pbkdf2('p', 's', 1, size, entryPoint.sha1),
      () => millrace.pbkdf2('p', 's', 1, size, 'sha1'),
      `pbkdf2 of ${size}`,
    );
    both(
      () => entryPoint.hkdf(entryPoint.sha1, 'p', 's', '', size),
      () => millrace.hkdf('sha1', 'p', 's', '', size),
      `hkdf of ${size}`,
    );
  }
  both(
    () => entryPoint.hkdf(entryPoint.sha1, 'p', 's', '', 5101),
    () => millrace.hkdf('sha1', 'p', 's', '', 5101),
    'hkdf, too long',
  );
  for (const iterations of [0, -1, 2 ** 32, '1'])
    both(
      () => entryPoint.pbkdf2('p', 's', iterations, 8, entryPoint.sha1),
      () => millrace.pbkdf2('p', 's', iterations, 8, 'sha1'),
      `${iterations} iterations`,
    );
  both(
    () => entryPoint.pbkdf2('p', 's', 1, 8, entryPoint.xxh64),
    () => millrace.pbkdf2('p', 's', 1, 8, 'xxh64'),
    'no HMAC',
  );
  for (const change of [
    { memory: 7 },
    { memory: '40' },
    { passes: 0 },
    { parallelism: 0 },
    { parallelism: 6 },
    { tagLength: 3 },
    { nonce: 'short' },
    { nonce: undefined },
    { message: 5 },
    { version: 3 },
    { secret: 5 },
    { associatedData: null },
  ]) {
    const parameters = { message: 'm', nonce: 'saltsalt', memory: 40, passes: 1, ...change };
    both(
      () => entryPoint.argon2('argon2id', parameters),
      () => millrace.argon2('argon2id', parameters),
      JSON.stringify(change),
    );
  }
  both(
    () => entryPoint.argon2('argon2', {}),
    () => millrace.argon2('argon2', {}),
    'no such Argon2',
  );
  both(
    () => entryPoint.argon2(5, {}),
    () => millrace.argon2(5, {}),
    'no name',
  );
  for (const name of ['scrypt', 'pbkdf2', 'hkdf', 'argon2'])
    both(
      () => entryPoint[name](),
      () => millrace[name](),
      `${name} of nothing`,
    );
});

test('timingSafeEqual compares bytes of equal size', () => {
  const [a, b] = [Uint8Array.of(1, 2, 3), Uint8Array.of(1, 2, 3)];
  assert.equal(entryPoint.timingSafeEqual(a, b), true);
  for (let at = 0; at < 3; at++)
    assert.equal(
      entryPoint.timingSafeEqual(
        a,
        a.map((byte, index) => (index === at ? byte ^ 0x80 : byte)),
      ),
      false,
    );
  assert.equal(entryPoint.timingSafeEqual(new Uint8Array(0), new ArrayBuffer(0)), true);
  both(
    () => entryPoint.timingSafeEqual(a, new Uint8Array(4)),
    () => millrace.timingSafeEqual(a, new Uint8Array(4)),
    'sizes',
  );
  both(
    () => entryPoint.timingSafeEqual('abc', a),
    () => millrace.timingSafeEqual('abc', a),
    'a string',
  );
});

test('it needs nothing of Node.js', async () => {
  // The support loads it without Buffer, process and require.
  const bare = await portable('src/portable/entry.ts');
  assert.equal(bare.sha256('abc', 'base64url'), millrace.hash('sha256', 'abc', 'base64url'));
  const given = { key: new Uint8Array(32), nonce: new Uint8Array(12), source: 'text' };
  assert.deepEqual(bare.aes_256_gcm.seal(given), plain(millrace.seal('aes-256-gcm', given)));
});

/** Returns the compressed bytes of a bundle with these names of the entry point. */
async function weight(names) {
  const text = await bundle('', {
    minify: true,
    contents: `import { ${names} } from './src/portable/entry.ts'; globalThis.used = [${names}];`,
  });
  return { size: gzipSync(text, { level: 9 }).length, text };
}

test('a bundle has what was imported and nothing more', async () => {
  const alone = await weight('sha256');
  assert.ok(alone.size < 7650, `sha256 alone is ${alone.size} bytes, compressed`);
  // Marks of others: AES's reduction, Keccak's, BLAKE3's and XXH3's names.
  assert.doesNotMatch(alone.text, /xxh|blake|keccak|shake|aes|chacha|argon/i);
  const limits = {
    md5: 7950,
    sha512: 8850,
    sha3_256: 7950,
    blake2b512: 10_750,
    blake3: 17_850,
    xxh64: 7400,
    xxh3_64: 12_650,
    aes_256_gcm: 11_150,
    chacha20_poly1305: 8450,
    scrypt: 10_250,
    'hmac, sha256': 8530,
  };
  for (const [names, limit] of Object.entries(limits)) {
    const { size } = await weight(names);
    assert.ok(size < limit, `${names}: ${size} bytes, compressed`);
  }
  const sponge = await weight('sha3_256, shake256');
  assert.doesNotMatch(sponge.text, /kmac|tuple|kangaroo|parallelhash/i);
});
